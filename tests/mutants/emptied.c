/* emptied.c: decides at run time what a library made by switches.c leaves out: the switch whose number VINEA_EMPTIED holds, or the option
 * of an op it names as op.option. At the end of the program all switches and options that were passed are written to the file
 * VINEA_REACHED names, one on each line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8192, MOST_OPTIONS = 4096 };
static char reached[MOST];
static const char *options[MOST_OPTIONS][2]; /* the op table's own texts */
static int which, n_options;
static const char *option;

int vn__emptied(int number);
int vn__emptied_option(const char *op, const char *name);

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("VINEA_EMPTIED");
    which = text ? atoi(text) : 0;
    option = text && strchr(text, '.') ? text : NULL;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("VINEA_REACHED");
    FILE *f = path ? fopen(path, "w") : NULL;
    for (int k = 0; f && k < MOST; k++) {
        if (reached[k]) fprintf(f, "%d\n", k);
    }
    for (int k = 0; f && k < n_options; k++) fprintf(f, "%s.%s\n", options[k][0], options[k][1]);
    if (f) fclose(f);
}

int vn__emptied(int number)
{
    if (number >= 0 && number < MOST) reached[number] = 1;
    return number == which;
}

int vn__emptied_option(const char *op, const char *name)
{
    const size_t n = strlen(op);
    int k = 0;
    while (k < n_options && (options[k][0] != op || options[k][1] != name)) k++;
    if (k == n_options && k < MOST_OPTIONS) {
        options[k][0] = op;
        options[k][1] = name;
        n_options++;
    }
    return option && !strncmp(option, op, n) && option[n] == '.' && !strcmp(option + n + 1, name);
}
