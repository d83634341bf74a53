/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: pages: files in memory, memory as files, large pages. */
#include "os/os.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LARGE_PAGE = 2 << 20 };

const void *vn__map(int fd, size_t bytes)
{
    void *m = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    return m == MAP_FAILED ? NULL : m;
}

void vn__unmap(const void *data, size_t bytes)
{
    munmap((void *)(uintptr_t)data, bytes);
}

void vn__use_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t from = ((uintptr_t)block + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    const uintptr_t upto = ((uintptr_t)block + bytes) / LARGE_PAGE * LARGE_PAGE;
    if (upto > from) (void)madvise((void *)from, upto - from, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

bool vn__give_pages(void *memory, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)memory / page * page;
    int failed;
    VN__CALL(failed, madvise((void *)from, (uintptr_t)memory + bytes - from, MADV_POPULATE_WRITE));
    return !failed || errno == EINVAL; /* a kernel that does not know it */
#else
    return (void)memory, (void)bytes, true;
#endif
}

int64_t vn__machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : 0;
#else
    return 0;
#endif
}

int vn__memory_file(char *path, size_t capacity)
{
    const int fd = memfd_create("vinea", MFD_CLOEXEC);
    if (fd >= 0) snprintf(path, capacity, "/proc/self/fd/%d", fd);
    return fd;
}
