/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: reads back what a training left: a checkpoint, with its settings and history, or a log, which has the history alone. Neither is
 * trusted. compare.c writes a page of several. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <math.h>

static const char who[] = "run_load";
enum { MAX_EPOCHS = 1 << 22 };

/* The columns of a history, by name, each with a number for every epoch. */
typedef struct {
    const char *path;
    int n;
    const char **names;
    const double **columns;
    int64_t epochs;
    double best_epoch; /* as the training chose it, by whatever score; 0: unknown */
} history;

static int not_a_run(const char *path, const char *why)
{
    return vn__fail(VN_E_FORMAT, "%s: %.300s: %s; a run is a checkpoint of a training, or its log as CSV or JSON lines", who, path, why);
}

static const double *column_named(const history *h, const char *name)
{
    for (int i = 0; i < h->n; i++)
        if (!strcmp(h->names[i], name)) return h->columns[i];
    return NULL;
}

static bool is_score(const char *name)
{
    static const char *const others[] = {"epoch", "step", "lr", "seconds"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i])) return false;
    return true;
}

/* ---- the result ---- */

static bool is_loss(const char *name)
{
    return !strcmp(name, "loss") || !strcmp(name, "val_loss");
}

/* The scores of all epochs, losses first. */
static int fill_scores(const history *h, vn_epoch *to)
{
    int n = 0;
    for (int i = 0; i < h->n; i++) n += is_score(h->names[i]);
    if (!n) return not_a_run(h->path, "it has no scores");
    vn_score *scores = vn__scope_memory((size_t)h->epochs * (size_t)n * sizeof *scores, who);
    if (!scores) return vn_status();
    int at = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < h->n; i++) {
            if (!is_score(h->names[i]) || is_loss(h->names[i]) != (pass == 0)) continue;
            for (int64_t e = 0; e < h->epochs; e++) scores[e * n + at] = (vn_score){h->names[i], h->columns[i][e]};
            at++;
        }
    }
    for (int64_t e = 0; e < h->epochs; e++) to[e].scores = scores + e * n, to[e].n_scores = n;
    return VN_OK;
}

/* The epoch that the training chose, or that with the smallest validation loss, or loss. */
static void find_best(const history *h, vn_fit_result *r)
{
    const double *x = column_named(h, "val_loss");
    if (!x) x = column_named(h, "loss");
    if (h->best_epoch >= 1 && h->best_epoch <= (double)h->epochs) {
        r->best_epoch = (int64_t)h->best_epoch;
        return;
    }
    for (int64_t e = 0; x && e < h->epochs; e++)
        if (isfinite(x[e]) && (!r->best_epoch || x[e] < r->best)) r->best = x[e], r->best_epoch = r->history[e].epoch;
}

/* A number of the history that counts something. */
static int64_t count_at(const double *column, int64_t i, int64_t otherwise)
{
    return column && column[i] >= 0 && column[i] < 0x1p53 ? (int64_t)column[i] : otherwise;
}

static int result_of(const history *h, vn_fit_result *to)
{
    const double *epoch = column_named(h, "epoch"), *step = column_named(h, "step"), *lr = column_named(h, "lr"),
                 *seconds = column_named(h, "seconds");
    *to = (vn_fit_result){.size = sizeof *to, .best = NAN};
    if (!h->epochs) return VN_OK;
    vn_epoch *rows = vn__scope_memory((size_t)h->epochs * sizeof *rows, who);
    if (!rows) return vn_status();
    const int64_t first = count_at(epoch, 0, 1);
    for (int64_t e = 0; e < h->epochs; e++) {
        if (count_at(epoch, e, first + e) != first + e) return not_a_run(h->path, "its epochs do not follow one another");
        rows[e] = (vn_epoch){.epoch = first + e, .step = count_at(step, e, 0), .lr = lr ? lr[e] : NAN};
        rows[e].seconds = seconds && seconds[e] >= 0 && isfinite(seconds[e]) ? seconds[e] : 0;
    }
    const int code = fill_scores(h, rows);
    if (code) return code;
    to->history = rows, to->n_history = h->epochs;
    to->epochs = rows[h->epochs - 1].epoch, to->steps = rows[h->epochs - 1].step;
    find_best(h, to);
    return VN_OK;
}

/* ---- logs ---- */

static int room_for(history *h, int n, int64_t epochs)
{
    if (epochs > MAX_EPOCHS) return not_a_run(h->path, "it has too many epochs");
    h->names = vn__scope_memory(((size_t)n + 1) * sizeof *h->names, who);
    h->columns = h->names ? vn__scope_memory(((size_t)n + 1) * sizeof *h->columns, who) : NULL;
    h->epochs = epochs;
    return h->columns ? VN_OK : (int)vn_status();
}

static int read_csv_log(const char *path, history *h)
{
    vn_table t = {.size = sizeof t};
    int code = vn_read_table(path, &(vn_table_opts){.size = sizeof(vn_table_opts), .delimiter = ',', .header = 1}, &t);
    if (!code) code = room_for(h, t.n_columns, t.rows);
    for (int i = 0; i < t.n_columns && !code; i++) {
        if (t.columns[i].kind == VN_COLUMN_EMPTY) continue; /* never a number: "nan" in every epoch */
        if (t.columns[i].kind != VN_COLUMN_NUMBER) return not_a_run(path, "a column of the log is not numbers");
        h->names[h->n] = t.columns[i].name, h->columns[h->n++] = t.columns[i].numbers;
    }
    return code;
}

static void *allocate(size_t bytes, void *user)
{
    return vn__scope_memory(bytes, user);
}

/* A line of the log, an object of numbers; null is NaN. */
static int read_line(history *h, const char *line, size_t size, int64_t epoch)
{
    const vn__json_limits limits = {allocate, (void *)(uintptr_t)who, 1, 1000};
    vn__json j = {.text = line, .size = size, .room = vn__scope_memory(size + 1, who)};
    const vn__json_value *all = j.room ? vn__json_read(&j, &limits) : NULL;
    if (!all && !*j.problem) return vn_status() ? (int)vn_status() : vn__no_memory(who);
    if (!all || all->kind != VN__JSON_OBJECT) return not_a_run(h->path, "a line is no object of JSON");
    if (!epoch) {
        int code = room_for(h, all->n, h->epochs);
        for (const vn__json_value *v = all->first; v && !code; v = v->next, h->n++) {
            double *column = vn__scope_memory((size_t)h->epochs * sizeof *column, who);
            if (!column) return vn_status();
            h->names[h->n] = v->key, h->columns[h->n] = column;
        }
        if (code) return code;
    }
    int i = 0;
    for (const vn__json_value *v = all->first; v; v = v->next, i++) {
        if (i >= h->n || strcmp(v->key, h->names[i]) != 0 || (v->kind != VN__JSON_NUMBER && v->kind != VN__JSON_NULL))
            return not_a_run(h->path, "the lines do not have the same numbers");
        ((double *)(uintptr_t)h->columns[i])[epoch] = v->kind == VN__JSON_NULL ? NAN : v->number;
    }
    return i == h->n ? VN_OK : not_a_run(h->path, "the lines do not have the same numbers");
}

static int read_json_log(const vn__file *f, history *h)
{
    const char *text = (const char *)f->data, *end = text + f->size;
    for (const char *at = text; at < end; at++) h->epochs += *at == '\n';
    h->epochs += f->size && end[-1] != '\n';
    int code = h->epochs > MAX_EPOCHS ? not_a_run(h->path, "it has too many epochs") : VN_OK;
    for (int64_t e = 0; e < h->epochs && !code; e++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        code = read_line(h, text, (size_t)(stop - text), e);
        text = stop + 1;
    }
    return code;
}

/* ---- checkpoints ---- */

/* A setting that a checkpoint has as a number, in scope memory. */
static int note_setting(const vn_tree *t, const char *chain, const char *name, vn_note *notes, int *n)
{
    const vn_value v = vn_tree_if_exists(t, chain);
    if (v.kind != VN_V_NUMBER) return VN_OK;
    char *text = vn__scope_memory(32, who);
    if (!text) return vn_status();
    vn__number_digits(v.u.number, 15, text);
    notes[(*n)++] = (vn_note){name, text};
    return VN_OK;
}

static int note_seed(const vn_tree *t, vn_note *notes, int *n)
{
    vn_array *seed = vn_tree_get_or_null(t, "seed");
    uint64_t number = 0;
    if (!seed || vn_dtype_of(seed) != VN_U64 || vn_size(seed) != 1) return VN_OK;
    char *text = vn__scope_memory(32, who);
    if (!text || vn_read(seed, &number, sizeof number)) return vn_status();
    snprintf(text, 32, "%llu", (unsigned long long)number);
    notes[(*n)++] = (vn_note){"seed", text};
    return VN_OK;
}

static int note_settings(vn_run *to, const vn_tree *t)
{
    static const char *const settings[][2] = {{"settings/rows", "rows"},
                                              {"settings/validation_rows", "validation rows"},
                                              {"settings/batch", "batch"},
                                              {"settings/micro_batches", "micro batches"},
                                              {"settings/classes", "classes"},
                                              {"settings/drop_last", "whole batches only"},
                                              {"settings/no_shuffle", "rows in their order"}};
    enum { N = sizeof settings / sizeof *settings };
    vn_note *notes = vn__scope_memory((N + 1) * sizeof *notes, who);
    int code = notes ? VN_OK : (int)vn_status(), n = 0;
    for (int i = 0; i < N && !code; i++) code = note_setting(t, settings[i][0], settings[i][1], notes, &n);
    if (!code) code = note_seed(t, notes, &n);
    to->notes = notes, to->n_notes = n;
    return code;
}

static int read_columns(const vn_tree *t, history *h)
{
    int n = 0;
    const char *const *keys = vn_tree_keys(t, &n);
    for (int i = 0; i < n; i++) {
        vn_array *x = vn_tree_get_or_null(t, keys[i]);
        if (!x || vn_dtype_of(x) != VN_F64 || vn_rank(x) != 1 || (i && vn_size(x) != h->epochs))
            return not_a_run(h->path, "its history is damaged");
        int code = i ? VN_OK : room_for(h, n, vn_size(x));
        double *column = code ? NULL : vn__scope_memory((size_t)h->epochs * sizeof *column + 1, who);
        if (!column || vn_read(x, column, (size_t)h->epochs * sizeof *column)) return vn_status();
        h->names[h->n] = keys[i], h->columns[h->n++] = column;
    }
    return VN_OK;
}

static int read_checkpoint(const char *path, history *h, vn_run *to)
{
    uint64_t random[2];
    vn_checkpoint c = {.size = sizeof c};
    int code = vn_random_state(random);
    if (!code) code = vn_checkpoint_load(path, &c);
    if (!code) code = vn_random_set_state(random);
    if (code) return code;
    if (!c.extra || vn_tree_if_exists(c.extra, "position").kind == VN_V_NONE) return not_a_run(path, "a checkpoint, but not of a training");
    to->config = c.config;
    const vn_value best = vn_tree_if_exists(c.extra, "position/best_epoch");
    if (best.kind == VN_V_NUMBER) h->best_epoch = best.u.number;
    const vn_value past = vn_tree_if_exists(c.extra, "history"); /* absent: no epoch was finished */
    code = note_settings(to, c.extra);
    return code || !vn__is_tree(past) ? code : read_columns(past.u.tree, h);
}

/* ---- a run ---- */

static bool begins_with(const vn__file *f, size_t at, const char *text)
{
    return f->size >= at + strlen(text) && !memcmp(f->data + at, text, strlen(text));
}

static int load(const char *path, vn_run *to, vn_fit_result *result)
{
    history h = {.path = path};
    vn__file *f = vn__file_open(path, false, 0, who);
    if (!f) return vn_status();
    int code;
    if (begins_with(f, 0, "{\"epoch\"")) code = read_json_log(f, &h);
    else if (begins_with(f, 0, "epoch,step,")) code = read_csv_log(path, &h);
    else if (begins_with(f, 8, "{")) code = read_checkpoint(path, &h, to);
    else code = not_a_run(path, "it is no run");
    vn__file_release(f);
    return code ? code : result_of(&h, result);
}

int vn_run_load(const char *path, vn_run *to)
{
    vn_run run = {.name = path};
    if (!to) return vn__fail(VN_E_NULL, "%s: the run is NULL", who);
    if (!to->size) return vn__fail(VN_E_ARG, "%s: size is 0; it must be sizeof(vn_run)", who);
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", who);
    vn_fit_result *result = vn__scope_memory(sizeof *result, who);
    char *name = result ? vn__scope_memory(strlen(path) + 1, who) : NULL;
    if (!name) return vn_status();
    const int code = load(path, &run, result);
    if (code) return code;
    run.size = to->size, run.name = strcpy(name, path), run.result = result;
    memcpy(to, &run, to->size < sizeof run ? to->size : sizeof run);
    return VN_OK;
}
