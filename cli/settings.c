/* SPDX-License-Identifier: Apache-2.0 */
/* settings.c: `--set NAME=VALUE` of `vinea train`: options of the optimizer and the schedule, as optimizers.h has them, and of the loop. */
#include "settings.h"

#include "base/minmax.h"
#include "base/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

char *join_settings(const command_args *args)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return complain("out of memory"), NULL;
    for (int i = 0; i < args->n_line && strcmp(args->line[i], "--") != 0; i++) {
        const char *word = args->line[i], *value = NULL;
        if (!strcmp(word, "--set") && i + 1 < args->n_line) value = args->line[++i];
        else if (!strncmp(word, "--set=", 6)) value = word + 6;
        if (value) fprintf(to, "%s%s", ftell(to) > 0 ? "," : "", value);
    }
    if (fclose(to)) return free(text), complain("out of memory"), NULL;
    return text;
}

int read_settings(settings *s, const command_args *args, const char *text)
{
    *s = (settings){.args = args};
    for (const char *at = text; at && *at;) {
        size_t n = strcspn(at, ","), name = strcspn(at, "=,");
        if (at[name] != '=' || !name || name + 1 == n || name >= sizeof s->all->name || n - name > sizeof s->all->value)
            return misuse(args->command, "--set %.*s: NAME=VALUE is needed", (int)vn__min(n, 100), at);
        if (s->n == MAX_SETTINGS) return misuse(args->command, "--set: more than %d values", MAX_SETTINGS);
        snprintf(s->all[s->n].name, sizeof s->all->name, "%.*s", (int)name, at);
        snprintf(s->all[s->n].value, sizeof s->all->value, "%.*s", (int)(n - name - 1), at + name + 1);
        s->n++;
        at += n + (at[n] == ',');
    }
    return EXIT_GOOD;
}

/* ---- values ---- */

static int bad_value(const settings *s, int i, const char *needed)
{
    return misuse(s->args->command, "--set %s=%s: %s is needed", s->all[i].name, s->all[i].value, needed);
}

static int flag_of(const settings *s, int i, int *to)
{
    const char *v = s->all[i].value;
    *to = !strcmp(v, "1") || !strcmp(v, "yes") || !strcmp(v, "true");
    return *to || !strcmp(v, "0") || !strcmp(v, "no") || !strcmp(v, "false") ? EXIT_GOOD : bad_value(s, i, "yes or no");
}

static int whole_of(const settings *s, int i, int64_t *to)
{
    double x;
    if (!parse_number(s->all[i].value, &x) || x != floor(x) || fabs(x) > 1e15) return bad_value(s, i, "a whole number");
    *to = (int64_t)x;
    return EXIT_GOOD;
}

static int number_at(const settings *s, int i, double *to)
{
    return parse_number(s->all[i].value, to) ? EXIT_GOOD : bad_value(s, i, "a number");
}

/* A setting as an option of this type. */
static int value_of(const settings *s, int i, const vn_op_option *o, vn_option *to)
{
    *to = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
    if (!strcmp(o->type, "text")) return to->kind = VN_OPT_STRING, to->u.s = s->all[i].value, EXIT_GOOD;
    if (!strcmp(o->type, "float")) return to->kind = VN_OPT_FLOAT, number_at(s, i, &to->u.f);
    to->kind = VN_OPT_INT;
    if (!strcmp(o->type, "int")) return whole_of(s, i, &to->u.i);
    int flag = 0, code = !strcmp(o->type, "flag") ? flag_of(s, i, &flag) : bad_value(s, i, "an option that is no list");
    to->u.i = flag;
    return code;
}

/* ---- what they belong to ---- */

static int find_object(const char *family, const char *name, vn_op_info *to)
{
    *to = (vn_op_info){.size = sizeof *to};
    for (int i = 0; i < vn_object_count(family) && !vn_object_at(family, i, to); i++)
        if (vn__same_word(to->name, name)) return 1;
    return 0;
}

int settings_of_object(settings *s, const char *family, const char *name, vn_option *to, int room, int *n)
{
    vn_op_info info;
    if (!find_object(family, name, &info)) return EXIT_GOOD; /* the library says so */
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < info.n_options; k++) {
            if (strcmp(info.options[k].name, s->all[i].name) != 0) continue;
            for (int p = 0; p < *n; p++)
                if (!strcmp(to[p].name, info.options[k].name))
                    return misuse(s->args->command, "--set %s=%s: it is given twice", s->all[i].name, s->all[i].value);
            if (*n == room) return misuse(s->args->command, "--set: too many values");
            int code = value_of(s, i, &info.options[k], &to[*n]);
            if (code) return code;
            ++*n, s->all[i].used = 1;
        }
    }
    return EXIT_GOOD;
}

typedef enum { COUNT, WHOLE, NUMBER, FLAG, TEXT } kind;
enum { OWN, SET };
static const struct {
    const char *name;
    kind kind;
    int where;
    size_t offset;
} fields[] = {
#define FIT_OPTION(kind, name, where) {#name, kind, where, offsetof(vn_fit_opts, name)},
#include "train/fit.def"
#undef FIT_OPTION
};
enum { N_FIELDS = sizeof fields / sizeof *fields };

int settings_of_fit(settings *s, vn_fit_opts *to)
{
    for (int i = 0; i < s->n; i++) {
        for (int k = 0; k < N_FIELDS; k++) {
            if (fields[k].where != SET || strcmp(fields[k].name, s->all[i].name) != 0) continue;
            void *field = (char *)to + fields[k].offset;
            int code = EXIT_GOOD;
            s->all[i].used = 1;
            if (fields[k].kind == FLAG) code = flag_of(s, i, field);
            else if (fields[k].kind == COUNT || fields[k].kind == WHOLE) code = whole_of(s, i, field);
            else if (fields[k].kind == NUMBER) code = number_at(s, i, field);
            else *(const char **)field = s->all[i].value;
            if (!code && fields[k].kind == COUNT && *(int64_t *)field < 1) code = bad_value(s, i, "a whole number of at least 1");
            if (code) return code;
        }
    }
    return EXIT_GOOD;
}

int settings_of_optimizer(settings *s, vn_optim *o)
{
    for (int i = 0; i < s->n; i++) {
        int64_t steps = 0;
        double most = 0;
        int code = EXIT_GOOD, failed = 0;
        if (!strcmp(s->all[i].name, "accumulate")) {
            if (!(code = whole_of(s, i, &steps))) failed = vn_optim_accumulate(o, steps);
        } else if (!strcmp(s->all[i].name, "clip_value")) {
            if (!(code = number_at(s, i, &most))) failed = vn_optim_clip_value(o, most);
        } else {
            continue;
        }
        s->all[i].used = 1;
        if (code || failed) return code ? code : library_failed();
    }
    return EXIT_GOOD;
}

/* The option of the command that is meant: --epochs by `--set epochs=3`. */
static const char *own_option(const command *c, const char *name)
{
    for (const command_option *o = c->options; o->name; o++)
        if (!o->hidden && !strcmp(o->name, name)) return o->name;
    return NULL;
}

int settings_all_used(const settings *s, const char *optimizer, const char *schedule)
{
    const char *names[80] = {"accumulate", "clip_value"};
    char list[1600] = "", hint[100];
    int n = 2;
    for (int k = 0; k < N_FIELDS; k++)
        if (fields[k].where == SET) names[n++] = fields[k].name;
    for (int f = 0; f < 2; f++) {
        vn_op_info info;
        if (!find_object(f ? "schedule" : "optimizer", f ? schedule : optimizer, &info)) continue;
        for (int k = 0; k < info.n_options && n < 76; k++) names[n++] = info.options[k].name;
    }
    names[n] = NULL;
    for (int i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    for (int i = 0; i < s->n; i++) {
        const char *own = s->all[i].used ? NULL : own_option(s->args->command, s->all[i].name);
        if (own) return misuse(s->args->command, "--set %s: that is an option of its own, --%s %s", own, own, s->all[i].value);
        if (!s->all[i].used)
            return misuse(s->args->command, "--set %s: there is no such option; with %s and %s there are %s%s", s->all[i].name, optimizer,
                          schedule, list, did_you_mean(s->all[i].name, names, hint));
    }
    return EXIT_GOOD;
}
