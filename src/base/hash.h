/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h: FNV-1a, for names and bytes that must have the same hash in every process and version. */
#ifndef VN_BASE_HASH_H
#define VN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VN__HASH UINT64_C(0xCBF29CE484222325) /* of nothing */

static inline uint64_t vn__hash_bytes(uint64_t hash, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001B3);
    return hash;
}
static inline uint64_t vn__hash_text(const char *text)
{
    return vn__hash_bytes(VN__HASH, text, strlen(text));
}

#endif
