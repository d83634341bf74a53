/* SPDX-License-Identifier: Apache-2.0 */
/* data.c: `vinea data`: what would be read from a data file: columns with their kinds, ranges, classes and missing values, and what
 * `vinea train` would make of them. */
#include "training.h"

#include "base/base.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const task_words[] = {"auto", "classes", "numbers", NULL};

/* ---- a table ---- */

static const char *number_text(double x, char to[static 32])
{
    vn__number_digits(x, 6, to);
    return to;
}

/* "4.3 to 7.9, mean 5.84", "3 classes: setosa, versicolor, virginica" */
static void describe(const vn_column *c, char *to, size_t room)
{
    char a[32], b[32], m[32];
    *to = 0;
    if (c->kind == VN_COLUMN_NUMBER && isfinite(c->mean)) {
        snprintf(to, room, "%s to %s, mean %s%s", number_text(c->min, a), number_text(c->max, b), number_text(c->mean, m),
                 c->row_numbers ? "; counts the rows" : "");
    } else if (c->kind == VN_COLUMN_TEXT) {
        size_t used = (size_t)snprintf(to, room, "%" PRId64 " different: ", c->n_classes);
        for (int64_t i = 0; i < c->n_classes && i < 5 && used < room; i++) {
            char name[48];
            training_name(name, sizeof name, c->classes[i]);
            used += (size_t)snprintf(to + used, room - used, "%s%s", i ? ", " : "", name);
        }
        if (c->n_classes > 5 && used < room) snprintf(to + used, room - used, " ...");
        used = strlen(to);
        if (c->odd && used < room)
            snprintf(to + used, room - used, "; %" PRId64 " are numbers, \"%.40s\" is not (line %" PRId64 ")", c->odd_numbers, c->odd,
                     c->odd_line);
    }
}

static int print_columns(const vn_table *t)
{
    table *to = table_new(5);
    int code = table_row(to, (const char *[]){"", "COLUMN", "KIND", "MISSING", "VALUES"});
    for (int i = 0; i < t->n_columns && !code; i++) {
        const vn_column *c = &t->columns[i];
        char number[16], name[128], missing[32], values[400];
        snprintf(number, sizeof number, "%d", i);
        training_name(name, sizeof name, c->name);
        snprintf(missing, sizeof missing, "%" PRId64, c->missing);
        describe(c, values, sizeof values);
        code = table_row(to,
                         (const char *[]){number, name, c->kind == VN_COLUMN_NUMBER && c->whole ? "integers" : vn_column_kind_name(c->kind),
                                          c->missing ? missing : NULL, *values ? values : NULL});
    }
    if (!code) table_print(to);
    table_free(to);
    return code;
}

static void print_table_json(const source *s)
{
    const vn_table *t = &s->table;
    fputs("{\"path\": ", stdout);
    print_json(s->path);
    char delimiter[2] = {t->delimiter, 0}, decimal[2] = {t->decimal, 0};
    printf(", \"rows\": %" PRId64 ", \"header\": %s, \"delimiter\": ", t->rows, t->header ? "true" : "false");
    print_json(delimiter);
    fputs(", \"decimal\": ", stdout);
    print_json(decimal);
    fputs(", \"columns\": [", stdout);
    for (int i = 0; i < t->n_columns; i++) {
        const vn_column *c = &t->columns[i];
        char a[32], b[32], m[32], d[32];
        fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", stdout);
        print_json(c->name);
        printf(", \"kind\": \"%s\", \"missing\": %" PRId64, vn_column_kind_name(c->kind), c->missing);
        if (c->kind == VN_COLUMN_NUMBER && isfinite(c->mean))
            printf(", \"min\": %s, \"max\": %s, \"mean\": %s, \"deviation\": %s", number_text(c->min, a), number_text(c->max, b),
                   number_text(c->mean, m), number_text(c->deviation, d));
        if (c->kind == VN_COLUMN_TEXT) printf(", \"different\": %" PRId64, c->n_classes);
        for (int64_t k = 0; c->kind == VN_COLUMN_TEXT && k < c->n_classes && k < 100; k++) {
            fputs(k ? ", " : ", \"classes\": [", stdout);
            print_json(c->classes[k]);
        }
        fputs(c->kind == VN_COLUMN_TEXT ? "]}" : "}", stdout);
    }
    puts("]}");
}

/* ---- a folder of images ---- */

static const char *size_text(const vn_shape *x, char to[static 64])
{
    snprintf(to, 64, "%" PRId64 "x%" PRId64 " in %s", x->dim[0], x->dim[1], x->dim[2] == 3 ? "colour" : "gray");
    return to;
}

/* A row for each class: how many images it has, and the first of them. */
static int print_images(const vn_dataset_info *info)
{
    table *t = table_new(3);
    int code = table_row(t, (const char *[]){"CLASS", "IMAGES", "SUCH AS"});
    for (int64_t k = 0; k < (info->classes ? info->classes : 1) && !code; k++) {
        const char *name = info->classes ? info->class_names[k] : "-", *first = NULL;
        const size_t n = strlen(name);
        int64_t count = 0;
        for (int64_t i = 0; i < info->rows; i++) {
            if (info->classes && (strncmp(info->files[i], name, n) || info->files[i][n] != '/')) continue;
            if (!count++) first = info->files[i];
        }
        char number[32];
        snprintf(number, sizeof number, "%" PRId64, count);
        code = table_row(t, (const char *[]){name, number, first});
    }
    if (!code) table_print(t);
    table_free(t);
    return code;
}

/* ---- what a training would read ---- */

static int print_training(const source *s)
{
    vn_dataset_opts o;
    int code = data_options(s, &o);
    if (code) return code;
    vn_dataset_info info = {.size = sizeof info};
    char size[64];
    vn_dataset *d = dataset_of(s, &o);
    const bool read = d && !vn_dataset_look(d, &info);
    if (read && s->is_images && print_images(&info)) return EXIT_FAILED;
    if (!read || info.classes == 1 || !info.has_target) {
        fputs("\nThis cannot be trained on yet.\n", stdout);
        fflush(stdout);
        return !read ? library_failed() : info.has_target ? one_class(s, &info) : no_target(s, o.y ? o.y : "y");
    }
    if (s->is_images) printf("\nTraining reads %" PRId64 " image%s of %s", info.rows, info.rows == 1 ? "" : "s", size_text(&info.x, size));
    else
        printf("%sTraining reads %" PRId64 " row%s of %" PRId64 " feature%s", s->is_table ? "\n" : "", info.rows, info.rows == 1 ? "" : "s",
               count_elements(&info.x), count_elements(&info.x) == 1 ? "" : "s");
    if (info.classes) printf(" and learns %" PRId64 " classes", info.classes);
    else if (info.has_target) fputs(" and learns numbers", stdout);
    if (info.target) printf(" of \"%s\"", info.target);
    for (int64_t i = 0; info.class_names && i < info.classes && i < 10; i++) printf("%s%s", i ? ", " : ": ", info.class_names[i]);
    puts(info.class_names && info.classes > 10 ? " ..." : ".");
    fflush(stdout);
    print_notes(d);
    return EXIT_GOOD;
}

static int show(const command_args *args)
{
    source s;
    int code = open_source(&s, args, args->words[0]);
    if (code) return code;
    if (s.is_table && given(args, "json")) return print_table_json(&s), EXIT_GOOD;
    if (given(args, "json")) return misuse(args->command, "--json is for tables; `vinea inspect --json` lists the arrays of other files");
    if (s.is_table) {
        const vn_table *t = &s.table;
        const char mark[] = {'\'', t->delimiter, '\'', 0};
        printf("%s: %" PRId64 " row%s, %d column%s; fields separated by %s; %s\n\n", s.path, t->rows, t->rows == 1 ? "" : "s", t->n_columns,
               t->n_columns == 1 ? "" : "s", t->delimiter == '\t' ? "tabs" : mark,
               t->header ? "names in the first line" : "no names in the first line");
        code = print_columns(t);
    }
    return code ? code : print_training(&s);
}

static int run(const command_args *args)
{
    speak_for(args->command);
    int code;
    {
        VN_SCOPE;
        code = show(args);
    }
    vn_close();
    return code;
}

const command command_data = {
    .name = "data",
    .summary = "show what would be read from a data file",
    .details =
        "Of a CSV file the columns with their kinds, ranges, classes and missing values, and what `vinea train` with the same options "
        "would\n"
        "make of them. Exits with 1 if it could not be trained on as it is; the message says what to do.\n",
    .examples = "vinea data iris.csv\nvinea data houses.csv --target price --columns -id,-date --missing fill\n",
    .words = (const command_option[]){{"FILE", OPTION_FILE,
                                       .about = "a csv, npy, npz or safetensors file, a folder of images, or digits, iris, houses",
                                       .choices = data_words},
                                      {0}},
    .required = 1,
    .max_words = 1,
    .options =
        (const command_option[]){
            {"target", OPTION_TEXT, "COLUMN", .about = "CSV: the column to predict, by name or number from 0 (the last one)"},
            {"columns", OPTION_TEXT, "LIST", .about = "CSV: features, by name or number; -NAME leaves one out (all but the target)"},
            {"task", OPTION_CHOICE, .about = "what the target is: classes or numbers (auto)", .choices = task_words},
            SOURCE_OPTIONS,
            ARRAY_OPTIONS,
            IMAGE_OPTIONS,
            {"json", OPTION_SWITCH, .about = "print the columns as JSON"},
            {0}},
    .run = run,
};
