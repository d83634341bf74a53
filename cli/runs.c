/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c: `vinea report` of trainings: reads their checkpoints or logs and writes one page that compares them. */
#include "training.h"

#include <stdlib.h>
#include <string.h>

/* A training and what was added to it. */
typedef struct listed {
    char *lines, *name; /* the text of its checkpoint, cut into pieces; what the page calls it */
    vn_note *notes;
    int n;
} listed;

static int has_note(const listed *l, const char *key)
{
    for (int i = 0; i < l->n; i++)
        if (!strcmp(l->notes[i].key, key)) return 1;
    return 0;
}

/* The key of a line of the checkpoint's text that is a setting, "option lr" as "lr"; NULL: it is none. */
static const char *setting_key(const char *key)
{
    static const char *const keys[] = {"model", "data", "target", "engine"}, option[] = "option ";
    if (!strncmp(key, option, sizeof option - 1)) return key + sizeof option - 1;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i])) return key;
    return NULL;
}

/* The settings of `vinea train`, from its text, before those that the library found. */
static int add_settings(listed *l, vn_run *r)
{
    const char *end = r->config && is_training(r->config) ? strstr(r->config, "\n\n") : NULL;
    l->lines = strndup(end ? r->config : "", end ? (size_t)(end - r->config) : 0);
    int most = r->n_notes + 1;
    for (const char *c = l->lines; c && *c; c++) most += *c == '\n';
    l->notes = calloc((size_t)most, sizeof *l->notes);
    if (!l->lines || !l->notes) return complain("out of memory");
    char *rest;
    for (char *line = strtok_r(l->lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strstr(line, ": ");
        if (!value) continue; /* a target without a name */
        *value = 0;
        const char *key = setting_key(line);
        if (key && !has_note(l, key)) l->notes[l->n++] = (vn_note){key, value[2] ? value + 2 : "yes"};
    }
    for (int i = 0; i < r->n_notes; i++)
        if (!has_note(l, r->notes[i].key)) l->notes[l->n++] = r->notes[i];
    r->notes = l->notes, r->n_notes = l->n;
    return EXIT_GOOD;
}

/* The file's name without folder and ending, unless two runs would have the same. */
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return strndup(base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static int name_runs(const command_args *args, listed *all, vn_run *runs)
{
    for (int k = 0; k < args->n; k++)
        if (!(all[k].name = short_name(args->words[k]))) return complain("out of memory");
    for (int k = 0; k < args->n; k++) {
        int same = 0;
        for (int i = 0; i < args->n; i++) same += !strcmp(all[i].name, all[k].name);
        runs[k].name = same > 1 ? args->words[k] : all[k].name;
    }
    return EXIT_GOOD;
}

static int compare(const command_args *args, listed *all, vn_run *runs)
{
    VN_SCOPE;
    const char *out = text_of(args, "out", "runs.html");
    int code = EXIT_GOOD;
    for (int k = 0; k < args->n && !code; k++) {
        runs[k].size = sizeof runs[k];
        code = vn_run_load(args->words[k], &runs[k]) ? library_failed() : add_settings(&all[k], &runs[k]);
    }
    if (!code) code = name_runs(args, all, runs);
    if (!code && vn_report_runs(out, runs, args->n, text_of(args, "title", NULL))) code = library_failed();
    if (!code) printf("%d run%s: %s\n", args->n, args->n > 1 ? "s" : "", out);
    return code;
}

int compare_runs(const command_args *args)
{
    listed *all = calloc((size_t)args->n, sizeof *all);
    vn_run *runs = calloc((size_t)args->n, sizeof *runs);
    int code = all && runs ? compare(args, all, runs) : complain("out of memory");
    for (int k = 0; all && k < args->n; k++) free(all[k].lines), free(all[k].name), free(all[k].notes);
    free(all), free(runs);
    vn_close();
    return code;
}
