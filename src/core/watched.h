/* watched.h: VN_WATCHED is 1 where a sanitizer looks at every block of memory. Nothing is kept from it then: blocks have the size that was
 * asked for, are given back at once and are not shared. */
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
