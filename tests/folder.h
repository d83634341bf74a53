/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h: a folder for the files of a test, and files written and read as plain bytes. */
#ifndef VN_FOLDER_H
#define VN_FOLDER_H

#include "check.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[32] = "/tmp/vinea files XXXXXX"; /* the space in the name is intended */

static inline void folder_make(void)
{
    if (!mkdtemp(folder)) exit(1);
}

/* In memory (tmpfs) if available, for tests that write thousands of files. */
static inline void folder_make_fast(void)
{
    strcpy(folder, "/dev/shm/vinea files XXXXXX");
    if (mkdtemp(folder)) return;
    strcpy(folder, "/tmp/vinea files XXXXXX");
    folder_make();
}

/* The path of a file in it; valid until the fourth later call. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][384];
    static int next;
    char *p = paths[next++ % 4];
    snprintf(p, sizeof paths[0], "%s/%s", folder, name);
    return p;
}

static inline int folder_count(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static inline void folder_empty(void)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.') unlink(in_folder(e->d_name));
    }
    if (d) closedir(d);
}

static inline void folder_remove(void)
{
    folder_empty();
    rmdir(folder);
}

typedef struct {
    unsigned char *data;
    size_t size;
} bytes;

static inline bytes read_bytes(const char *path)
{
    bytes b = {NULL, 0};
    FILE *f = fopen(path, "rb");
    struct stat st;
    if (!f || fstat(fileno(f), &st)) check_stop(fprintf(stderr, "%s cannot be read\n", path));
    b.size = (size_t)st.st_size;
    b.data = malloc(b.size + 1);
    if (!b.data || fread(b.data, 1, b.size, f) != b.size) check_stop(1);
    fclose(f);
    return b;
}

static inline void write_bytes(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f)) check_stop(fprintf(stderr, "%s cannot be written\n", path));
}

/* A copy of a plugin in the folder, under another name and with a manifest of its own. */
static inline void folder_plugin(const char *from, const char *name, const char *manifest)
{
    char file[64];
    bytes b = read_bytes(from);
    snprintf(file, sizeof file, "%s.so", name);
    write_bytes(in_folder(file), b.data, b.size);
    snprintf(file, sizeof file, "%s.manifest", name);
    write_bytes(in_folder(file), manifest, strlen(manifest));
    free(b.data);
}

/* The main function of tests that need the folder. */
#define FOLDER_TEST_MAIN            \
    int main(int argc, char **argv) \
    {                               \
        use_engine(argc, argv);     \
        folder_make();              \
        run_tests();                \
        folder_remove();            \
        return finish();            \
    }

#endif
