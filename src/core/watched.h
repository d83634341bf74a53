/* SPDX-License-Identifier: Apache-2.0 */
/* watched.h: VN_WATCHED is 1 under a sanitizer. Memory is then not cached: blocks have exactly the requested size, are freed
 * immediately and are not shared. */
#ifndef VN_CORE_WATCHED_H
#define VN_CORE_WATCHED_H

#ifdef __has_feature /* clang */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define VN_WATCHED 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__ /* gcc */
#define VN_WATCHED 1
#endif
#ifndef VN_WATCHED
#define VN_WATCHED 0
#endif

#endif
