/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.c: pictures FOLDER COUNT: COUNT photographs each of discs, lines and stripes, in folders of that name, PNG and JPEG in turn. */
#include "pictures.h"
#include <sys/stat.h>

int main(int argc, char **argv)
{
    static const char *const names[] = {"discs", "lines", "stripes"};
    if (argc < 3) return 2;
    for (int kind = 0; kind < 3; kind++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], names[kind]);
        mkdir(argv[1], 0755), mkdir(path, 0755);
        for (int i = 0; i < atoi(argv[2]); i++) {
            const int height = 40 + i * 7 % 60, width = 40 + i * 11 % 70;
            unsigned char *pixels = photograph(kind, (unsigned)(i * 3 + kind), height, width);
            snprintf(path, sizeof path, "%s/%s/%03d.%s", argv[1], names[kind], i, i % 2 ? "jpg" : "png");
            if (i % 2) write_jpeg(path, pixels, height, width, 3, i % 4 == 1);
            else write_png(path, pixels, height, width, 3);
            free(pixels);
        }
    }
    return 0;
}
