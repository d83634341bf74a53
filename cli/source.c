/* SPDX-License-Identifier: Apache-2.0 */
/* source.c: the data of `vinea train`, `predict`, `evaluate` and `data`: tables, arrays and folders of images. */
#include "base/base.h"
#include "training.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const missing_words[] = {"error", "drop", "fill", NULL}, *const yes_words[] = {"auto", "yes", "no", NULL},
                  *const unreadable_words[] = {"error", "skip", NULL};

/* ---- reading ---- */

typedef struct reading {
    const char *path;
    double began, drawn;
    int shown;
} reading;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* On a terminal, for files that take longer than a moment. */
static int progress(double done, void *user)
{
    reading *r = user;
    double now = seconds();
    if (now - r->began < .5 || now - r->drawn < .1) return 0;
    r->drawn = now, r->shown = 1;
    fprintf(stderr, "\rreading %.200s %3.0f %%", r->path, done * 100);
    fflush(stderr);
    return 0;
}

static void erase(const reading *r)
{
    if (!r->shown) return;
    fputs("\r\x1b[K", stderr);
    fflush(stderr);
}

static int delimiter_of(const command_args *args, char *to)
{
    const char *text = text_of(args, "delimiter", NULL);
    *to = 0;
    if (!text) return EXIT_GOOD;
    if (!strcmp(text, "tab") || !strcmp(text, "\\t")) *to = '\t';
    else if (text[1]) return misuse(args->command, "--delimiter %.20s: one character, or tab, is needed", text);
    else *to = *text;
    return EXIT_GOOD;
}

static int read_table(source *s)
{
    reading r = {.path = s->path, .began = seconds()};
    const char *header = text_of(s->args, "header", "auto");
    vn_table_opts o = {.size = sizeof o, .na = text_of(s->args, "na", NULL), .text = text_of(s->args, "text", NULL)};
    o.header = !strcmp(header, "yes") ? 1 : !strcmp(header, "no") ? -1 : 0;
    if (isatty(STDERR_FILENO)) o.progress = progress, o.progress_user = &r;
    s->table = (vn_table){.size = sizeof s->table};
    int code = delimiter_of(s->args, &o.delimiter);
    if (!code && vn_read_table(s->path, &o, &s->table)) code = EXIT_FAILED;
    erase(&r);
    return code == EXIT_FAILED ? library_failed() : code;
}

static int are_images(const char *path)
{
    struct stat st;
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) return 1;
    if (vn_error_push()) return 0;
    const int image = !vn_inspect_image(path, &(vn_image_info){.size = sizeof(vn_image_info)});
    vn_error_pop();
    return image;
}

/* What an option is for stands before the colon in its text: "CSV: ...". One that is for other data would do nothing, so it is refused. */
static int refuse_others(const source *s)
{
    static const char *const kinds[] = {"tables (CSV)", "images", "arrays"};
    const int is = s->is_table ? 0 : s->is_images ? 1 : 2;
    for (const command_option *o = s->args->command->options; o && o->name; o++) {
        const int wants = !strncmp(o->about, "CSV:", 4) ? 0 : !strncmp(o->about, "images:", 7) ? 1 : !strncmp(o->about, "np", 2) ? 2 : is;
        if (wants != is && given(s->args, o->name))
            return complain("--%s is for %s, not for %s", o->name, kinds[wants], kinds[is]), EXIT_FAILED;
    }
    return EXIT_GOOD;
}

int open_source(source *s, const command_args *args, const char *word)
{
    *s = (source){.args = args};
    s->path = data_path(word, s->room, sizeof s->room);
    if (!s->path) return EXIT_FAILED;
    s->is_table = vn__is_table(s->path);
    s->is_images = !s->is_table && are_images(s->path);
    const int code = refuse_others(s);
    return code || !s->is_table ? code : read_table(s);
}

int missing_of(const command_args *args)
{
    const char *word = text_of(args, "missing", "error");
    return !strcmp(word, "drop") ? VN_MISSING_DROP : !strcmp(word, "fill") ? VN_MISSING_FILL : VN_MISSING_ERROR;
}

/* "64" or "48x64". */
static int size_of(const command_args *args, vn_dataset_opts *o)
{
    const char *text = text_of(args, "size", NULL);
    char *end;
    if (!text) return EXIT_GOOD;
    o->height = o->width = strtoll(text, &end, 10);
    const char *second = *end == 'x' ? end + 1 : NULL;
    if (second) o->width = strtoll(second, &end, 10);
    if (o->height >= 1 && o->width >= 1 && !*end && end != second) return EXIT_GOOD;
    return misuse(args->command, "--size %.40s: a height and width such as 64x64 are needed", text);
}

static int image_options(const source *s, vn_dataset_opts *o)
{
    if (!s->is_images) return EXIT_GOOD;
    const int64_t channels = count_of(s->args, "channels", 0);
    if (given(s->args, "channels") && channels != 1 && channels != 3)
        return misuse(s->args->command, "--channels %" PRId64 ": 1 (gray) or 3 (colour) is needed", channels);
    const double cache = number_of(s->args, "cache", 1);
    if (!(cache >= 0 && cache <= 1e6)) return misuse(s->args->command, "--cache %g: 0 to 1000000 gibibytes are allowed", cache);
    o->channels = (int)channels;
    return size_of(s->args, o);
}

int data_options(const source *s, vn_dataset_opts *o)
{
    const char *task = text_of(s->args, "task", "auto");
    *o = (vn_dataset_opts){.size = sizeof *o, .x = text_of(s->args, "x", NULL), .y = text_of(s->args, "y", NULL)};
    o->kind = !strcmp(task, "classes") ? VN_TARGET_CLASS : !strcmp(task, "numbers") ? VN_TARGET_NUMBER : VN_TARGET_AUTO;
    o->y_path = text_of(s->args, "labels", NULL);
    if (s->is_table || s->is_images) /* which refuse them */
        o->missing = missing_of(s->args), o->target = text_of(s->args, "target", NULL), o->columns = text_of(s->args, "columns", NULL);
    o->weight_column = text_of(s->args, "weights", NULL);
    return image_options(s, o);
}

static vn_dataset *read_images(const source *s, const vn_dataset_opts *opts)
{
    reading r = {.path = s->path, .began = seconds()};
    vn_dataset_opts o = *opts;
    o.unreadable = !strcmp(text_of(s->args, "unreadable", "error"), "skip") ? VN_UNREADABLE_SKIP : VN_UNREADABLE_ERROR;
    if (isatty(STDERR_FILENO)) o.progress = progress, o.progress_user = &r;
    if (given(s->args, "cache")) o.cache = number_of(s->args, "cache", 0) > 0 ? (int64_t)(number_of(s->args, "cache", 0) * 0x1p30) : -1;
    vn_dataset *d = vn_dataset_load(s->path, &o);
    erase(&r);
    return d;
}

int one_class(const source *s, const vn_dataset_info *info)
{
    const char *name = info->class_names ? info->class_names[0] : NULL;
    complain("%s: all rows have the class %s%s%s: there is nothing to learn. %s", s->path, name ? "\"" : "0", name ? name : "",
             name ? "\"" : "",
             s->is_images  ? "A folder of images for each class is needed"
             : s->is_table ? "Another column to learn: --target NAME; numbers: --task numbers"
                           : "Other labels are needed");
    return EXIT_FAILED;
}

int no_target(const source *s, const char *name)
{
    if (!s->is_images) return complain("%s: the data has no target %s", s->path, name);
    return complain("%s: the images have no classes. A folder of images for each class is needed; `vinea predict` takes them as they are",
                    s->path);
}

vn_dataset *dataset_of(const source *s, const vn_dataset_opts *o)
{
    return s->is_table ? vn_dataset_of_table(&s->table, o) : s->is_images ? read_images(s, o) : vn_dataset_load(s->path, o);
}

/* ---- for a trained model ---- */

/* The table with the column of the true values called as in the training. */
static vn_dataset *with_target(const source *s, const training *t, const char *target, const vn_dataset_opts *o)
{
    const int n = s->table.n_columns;
    vn_column *columns = malloc((size_t)n * sizeof *columns);
    char *end;
    long number = strtol(target, &end, 10);
    int found = -1;
    if (!columns) return complain("out of memory"), NULL;
    memcpy(columns, s->table.columns, (size_t)n * sizeof *columns);
    for (int i = 0; i < n; i++) {
        if (!strcmp(columns[i].name, target)) found = i;
        else if (!strcmp(columns[i].name, t->target)) columns[i].name = "";
    }
    if (found < 0 && !*end && number >= 0 && number < n) found = (int)number;
    if (found >= 0) columns[found].name = t->target;
    vn_table renamed = s->table;
    renamed.columns = columns;
    vn_dataset *d = vn_dataset_of_table(&renamed, o);
    free(columns);
    return d;
}

vn_dataset *dataset_for(const source *s, const training *t, const char *target, int labelled)
{
    vn_dataset_opts o = {.size = sizeof o};
    if (s->is_images && t->schema) {
        o.schema = t->schema, o.kind = labelled ? VN_TARGET_AUTO : VN_TARGET_NONE;
        return dataset_of(s, &o);
    }
    if (s->is_table && t->schema) {
        o.schema = t->schema, o.missing = missing_of(s->args);
        o.kind = labelled ? VN_TARGET_AUTO : VN_TARGET_NONE;
        return labelled && target ? with_target(s, t, target, &o) : dataset_of(s, &o);
    }
    const char *column = target ? target : *t->target ? t->target : NULL;
    o.x = text_of(s->args, "x", NULL), o.y = text_of(s->args, "y", NULL), o.y_path = text_of(s->args, "labels", NULL);
    o.kind = !labelled ? VN_TARGET_NONE : t->classes ? VN_TARGET_CLASS : VN_TARGET_NUMBER;
    if (labelled) o.target = column, o.classes = t->classes;
    else o.y = o.y_path = NULL;
    return dataset_of(s, &o);
}

/* ---- words ---- */

void print_notes(const vn_dataset *d)
{
    vn_dataset_info info = {.size = sizeof info};
    if (vn_dataset_look(d, &info)) return;
    for (int i = 0; i < info.n_notes; i++) print_note(info.notes[i]);
}

void print_field(FILE *to, const char *text)
{
    if (!strpbrk(text, ",;\"\r\n\t") && *text && *text != ' ') {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"') fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}
