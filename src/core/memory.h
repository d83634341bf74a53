/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: memory that is counted against the user's limit (memory.c). */
#ifndef VN_CORE_MEMORY_H
#define VN_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vinea/vinea.h>

void *vn__alloc(size_t bytes);  /* enters the library; NULL on failure, without an error */
void *vn__calloc(size_t bytes); /* zeroed */
void *vn__grow(void *old, size_t old_bytes, size_t bytes);
void vn__free(void *memory);
char *vn__copy_text(const char *text);
void *vn__block_alloc(size_t bytes);  /* 64-byte aligned array memory, counted against the limit */
void *vn__block_calloc(size_t bytes); /* zeroed; pages are not touched before they are used */
/* The same without entering the library: for a thread that is just entering, and for an engine's worker threads. */
void *vn__alloc_outside(size_t bytes);
void *vn__block_alloc_outside(size_t bytes);
void vn__block_free(void *memory);
void vn__memory_totals(int64_t *used, int64_t *peak, int64_t *limit);
int vn__no_memory(const char *who); /* sets VN_E_MEM */
int vn__allocator_set(const vn_allocator *a);

#endif
