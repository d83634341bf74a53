/* SPDX-License-Identifier: Apache-2.0 */
/* kind.c: which files are tables of text: by their names, or, since tables have many (.data, .dat, none), by their first bytes. */
#include "base.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static bool named(const char *path, const char *const *ends)
{
    const size_t n = strlen(path);
    for (; *ends; ends++)
        if (n > strlen(*ends) && !strcasecmp(path + n - strlen(*ends), *ends)) return true;
    return false;
}

/* Text has no control characters; array files and images have some among their first bytes. */
static bool begins_with_text(const char *path)
{
    unsigned char bytes[16];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    if (n >= 2 && (!memcmp(bytes, "\xff\xfe", 2) || !memcmp(bytes, "\xfe\xff", 2))) return true; /* UTF-16: the reader says so */
    for (size_t i = 0; i < n; i++)
        if ((bytes[i] < ' ' && !strchr("\t\n\r", bytes[i])) || !bytes[i]) return false;
    return n > 0;
}

bool vn__is_table(const char *path)
{
    static const char *const tables[] = {".csv", ".tsv", ".txt", NULL}, *const arrays[] = {".safetensors", ".npz", ".npy", NULL};
    struct stat s;
    if (named(path, tables)) return true;
    if (named(path, arrays) || stat(path, &s)) return false;
    return S_ISREG(s.st_mode) && begins_with_text(path);
}
