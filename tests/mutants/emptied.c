/* emptied.c: decides at run time what a library made by switches.c leaves out: the switch whose number VINEA_EMPTIED holds, or the option
 * of an op it names as op.option. A switch or option that is passed for the first time is added to the file VINEA_REACHED names, on a
 * line of its own, at once: programs whose processes end without a word are seen too. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 8192, MOST_OPTIONS = 4096 };
static char reached[MOST];
static const char *options[MOST_OPTIONS][2]; /* the op table's own texts */
static int which, n_options;
static const char *option, *path;

int vn__emptied(int number);
int vn__emptied_option(const char *op, const char *name);

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("VINEA_EMPTIED");
    which = text ? atoi(text) : 0;
    option = text && strchr(text, '.') ? text : NULL;
    path = getenv("VINEA_REACHED");
}

static void note(const char *line, int length)
{
    int f = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (f < 0) return;
    if (write(f, line, (size_t)length) != length) abort();
    close(f);
}

int vn__emptied(int number)
{
    char line[16];
    if (number >= MOST) abort();
    if (!reached[number]) note(line, snprintf(line, sizeof line, "%d\n", number));
    reached[number] = 1;
    return number == which;
}

int vn__emptied_option(const char *op, const char *name)
{
    const size_t n = strlen(op);
    char line[200];
    int k = 0;
    while (k < n_options && (options[k][0] != op || options[k][1] != name)) k++;
    if (k == MOST_OPTIONS) abort();
    if (k == n_options) {
        options[k][0] = op;
        options[k][1] = name;
        n_options++;
        note(line, snprintf(line, sizeof line, "%s.%s\n", op, name));
    }
    return option && !strncmp(option, op, n) && option[n] == '.' && !strcmp(option + n + 1, name);
}
