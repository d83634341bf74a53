/* SPDX-License-Identifier: Apache-2.0 */
/* emptied.c: selects at run time what a library built with switches.c disables: the switch with the number in VINEA_EMPTIED, or the option
 * it names, as op:elu.alpha or layer:elu.alpha. A switch or option that is reached for the first time is immediately appended to the file
 * VINEA_REACHED, on its own line, so that processes that die are covered too. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NUMBER = 8192, MAX_OPTIONS = 4096 };
static char reached[MAX_NUMBER];
static const char *options[MAX_OPTIONS][3]; /* kind, and the table's own texts */
static int which, n_options;
static const char *option, *path;

int vn__emptied(int number);
int vn__emptied_option(const char *kind, const char *of, const char *name);

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
    if (number >= MAX_NUMBER) abort();
    if (!reached[number]) note(line, snprintf(line, sizeof line, "%d\n", number));
    reached[number] = 1;
    return number == which;
}

int vn__emptied_option(const char *kind, const char *of, const char *name)
{
    char line[200];
    const int length = snprintf(line, sizeof line, "%s:%s.%s\n", kind, of, name);
    int k = 0;
    while (k < n_options && (strcmp(options[k][1], of) != 0 || strcmp(options[k][2], name) != 0)) k++;
    if (k == MAX_OPTIONS) abort();
    if (k == n_options) {
        memcpy(options[n_options++], (const char *[]){kind, of, name}, sizeof *options);
        note(line, length);
    }
    return option && !strncmp(option, line, (size_t)length - 1) && !option[length - 1];
}
