/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c: the schema of a table, as a checkpoint holds it, applied to a table of numbers, texts and blanks. */
#include "target.h"

static const char text[] = "a,b,c,k\n1,red,,0\n2,blue,4,1\n3,red,5,1\n";

static const vn_table *the_table(vn_table *t)
{
    char path[64];
    int fd = memfd_create("table", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    must(!vn_read_table(path, NULL, t));
    close(fd);
    return t;
}

static void read_file(const char *path)
{
    static char schema[1 << 20];
    FILE *f = fopen(path, "rb");
    must(f);
    size_t n = fread(schema, 1, sizeof schema - 1, f);
    fclose(f);
    schema[n] = 0;
    vn_table t = {.size = sizeof t};
    vn_dataset *d = vn_dataset_of_table(the_table(&t), VN_OPTS(dataset, .schema = schema));
    must(d ? !vn_status() : vn_status() != VN_OK);
    vn_clear();
    vn_dataset_info i = {.size = sizeof i};
    must(!d || (!vn_dataset_look(d, &i) && i.schema && i.rows <= 3));
}
