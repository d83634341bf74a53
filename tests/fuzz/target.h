/* SPDX-License-Identifier: Apache-2.0 */
/* target.h: a reader as a target of libFuzzer (`make fuzz`), and the same program with a main of its own that reads every file of the
 * folders it is given (`make test` runs it over the corpus). A target is a file that includes this and defines `read_file`.
 *
 * Whatever the bytes are, reading returns a result without an error, or an error without a result; `must` checks that. */
#ifndef VN_FUZZ_TARGET_H
#define VN_FUZZ_TARGET_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vinea/vinea.h>

static void read_file(const char *path);

/* A failure that the fuzzer sees. */
#define must(condition)                                                                                       \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "%s:%d: does not hold: %s (%s)\n", __FILE__, __LINE__, #condition, vn_message()); \
            abort();                                                                                          \
        }                                                                                                     \
    } while (0)

/* The bytes are a file in memory, with a path to its descriptor. */
__attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static int fd = -1;
    char path[64];
    if (fd < 0) fd = memfd_create("fuzz", MFD_CLOEXEC);
    must(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, n, 0) == (ssize_t)n);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    vn_memory_limit(INT64_C(256) << 20);
    {
        VN_SCOPE;
        read_file(path);
        vn_clear();
    }
    vn_memory_info m = {.size = sizeof m};
    must(!vn_memory(&m) && m.handles == 0 && m.nodes == 0);
    return 0;
}

#ifndef VINEA_FUZZ
static int read_folder(const char *folder)
{
    struct dirent *e;
    int files = 0;
    DIR *d = opendir(folder);
    while (d && (e = readdir(d))) {
        char path[4096];
        static uint8_t data[1 << 20];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        FILE *f = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f) continue;
        LLVMFuzzerTestOneInput(data, fread(data, 1, sizeof data, f));
        fclose(f);
        files++;
    }
    if (d) closedir(d);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int k = 1; k < argc; k++) files += read_folder(argv[k]);
    printf("%d files read\n", files);
    return vn_close() || !files;
}
#endif
#endif
