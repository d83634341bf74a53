/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: `gen PART` prints one of the parts; `gen headers FOLDER` writes the public headers of ops and objects. */
#include "gen.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } parts[] = {{"cpp", cpp},
                 {"internal", internal},
                 {"names", names},
                 {"api", api},
                 {"table", table},
                 {"docs", docs},
                 {"object_structs", object_structs},
                 {"object_table", object_table},
                 {"object_words", object_words}};
    check();
    if (argc > 2 && !strcmp(argv[1], "headers")) return headers(argv[2]);
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof *parts; i++) {
        if (!strcmp(argv[1], parts[i].name)) return parts[i].print(), fflush(stdout) || ferror(stdout);
    }
    fprintf(stderr, "usage: gen headers FOLDER\n       gen cpp|internal|names|api|table|docs|object_structs|object_table|object_words\n");
    return 2;
}
