/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c: what `vinea train` says before it begins: the data and how it is split, the model's layers with their outputs and parameters.
 * On a terminal, lines are broken where it ends. */
#include "training.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The width of the terminal; 0: it is none. */
static int columns_of(FILE *to)
{
    struct winsize size;
    if (!isatty(fileno(to))) return 0;
    return !ioctl(fileno(to), TIOCGWINSZ, &size) && size.ws_col > 0 ? size.ws_col : 80;
}

/* How many characters the bytes are: those of UTF-8 that continue one do not count. */
static int characters(const char *text, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* A paragraph; its further lines are indented. */
static void print_paragraph(FILE *to, const char *text)
{
    const int columns = columns_of(to);
    int used = 0;
    for (const char *word = text; *word;) {
        const size_t n = strcspn(word, " ");
        const int width = characters(word, n);
        if (used && columns && used + 1 + width >= columns) fputs("\n ", to), used = 1;
        fprintf(to, "%s%.*s", used ? " " : "", (int)n, word);
        used += (used > 0) + width;
        word += n + strspn(word + n, " ");
    }
    fputc('\n', to);
}

void print_data_summary(FILE *to, const vn_dataset_info *info, int with_target)
{
    char *text = NULL;
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    if (!all) return;
    fprintf(all, "data %s", info->about);
    if (with_target && info->target) fprintf(all, "; target %s", info->target);
    for (int64_t i = 0; info->class_names && i < info->classes && i < 10; i++) fprintf(all, "%s%s", i ? ", " : ": ", info->class_names[i]);
    if (info->class_names && info->classes > 10) fputs(" ...", all);
    if (info->y_deviation > 0) fprintf(all, ", mean %.6g, deviation %.6g", info->y_mean, info->y_deviation);
    if (!fclose(all)) print_paragraph(to, text);
    free(text);
}

/* ---- the model ---- */

/* A line of vn_module_summary: "    Conv2D_0 submodules/v1   1x8x8x32    320    1280". */
typedef struct row {
    int indent;
    char name[64], output[64];
    int64_t parameters;
} row;

static int read_row(const char *line, row *to)
{
    const size_t n = strcspn(line, "\n");
    char copy[512], *words[6], *rest;
    int count = 0;
    if (n >= sizeof copy) return 0;
    memcpy(copy, line, n), copy[n] = 0;
    to->indent = (int)strspn(copy, " ");
    for (char *w = strtok_r(copy, " ", &rest); w && count < 6; w = strtok_r(NULL, " ", &rest)) words[count++] = w;
    if (count < 4) return 0;
    snprintf(to->name, sizeof to->name, "%.*s", (int)strcspn(words[0], "_"), words[0]); /* "Conv2D_0" */
    const char *shape = strchr(words[count - 3], 'x');
    snprintf(to->output, sizeof to->output, "%s", shape ? shape + 1 : "-"); /* without the batch */
    to->parameters = strtoll(words[count - 2], NULL, 10);
    return 1;
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* The layers that have no others inside; calls `with` for each and returns how many there are. */
static int each_layer(const char *text, void (*with)(const row *r, void *user), void *user)
{
    int n = 0;
    row r = {0}, next = {0};
    for (const char *at = next_line(text); *at && read_row(at, &r); at = next_line(at)) {
        const char *after = next_line(at);
        if (*after && read_row(after, &next) && next.indent > r.indent) continue;
        with(&r, user);
        n++;
    }
    return n;
}

enum { MAX_LAYERS = 30 };
typedef struct widths {
    FILE *to;
    int name, output, printed;
    int64_t parameters;
} widths;

static void measure(const row *r, void *user)
{
    widths *w = user;
    if ((int)strlen(r->name) > w->name) w->name = (int)strlen(r->name);
    if ((int)strlen(r->output) > w->output) w->output = (int)strlen(r->output);
    w->parameters += r->parameters;
}

static void print_layer(const row *r, void *user)
{
    widths *w = user;
    if (w->printed++ >= MAX_LAYERS) return;
    fprintf(w->to, "  %-*.*s  %-*s", w->name, w->name, r->name, r->parameters ? w->output : 0, r->output);
    if (r->parameters) fprintf(w->to, "  %9" PRId64, r->parameters);
    fputc('\n', w->to);
}

int print_model_summary(FILE *to, const char *model, vn_module *net, const vn_shape *example)
{
    VN_SCOPE;
    vn_shape batch = {.rank = example->rank + 1, .dim = {1}};
    for (int i = 0; i < example->rank; i++) batch.dim[i + 1] = example->dim[i];
    const int before = vn_module_training(net);
    vn_array *x = vn_module_train(net, 0) ? NULL : vn_zeros(batch, VN_F32);
    const char *text = x ? vn_module_summary(net, x) : NULL;
    if (!text || vn_module_train(net, before)) return library_failed();
    widths w = {.to = to};
    const int n = each_layer(text, measure, &w), columns = columns_of(to);
    if (columns && w.name + w.output + 15 >= columns && columns > w.output + 20) w.name = columns - w.output - 16;
    fprintf(to, "model %s: %" PRId64 " parameters\n", model, w.parameters);
    each_layer(text, print_layer, &w);
    if (n > MAX_LAYERS) fprintf(to, "  ... and %d more: vinea models CHECKPOINT\n", n - MAX_LAYERS);
    return EXIT_GOOD;
}
