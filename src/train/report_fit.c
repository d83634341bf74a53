/* SPDX-License-Identifier: Apache-2.0 */
/* report_fit.c: collects the contents of a training's report: settings, the model's summary, and scores on validation or training data.
 */
#include "train/train.h"
#include <string.h>
#include <stdarg.h>

enum { MAX_NOTES = 24 };
typedef struct {
    vn_note *list;
    int n;
} notes;

/* A setting, in scope memory. */
static int note(notes *to, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int note(notes *to, const char *key, const char *format, ...)
{
    char text[512];
    va_list a;
    va_start(a, format);
    vsnprintf(text, sizeof text, format, a);
    va_end(a);
    char *copy = vn__scope_memory(strlen(text) + 1, "fit");
    if (!copy) return vn_status();
    strcpy(copy, text);
    to->list[to->n++] = (vn_note){key, copy};
    return VN_OK;
}

static int note_number(notes *to, const char *key, double x)
{
    char number[32];
    vn__number_digits(x, 6, number);
    return note(to, key, "%s", number);
}

static const char *engine_of(const vn__fit *f)
{
    vn_array *x = vn_tree_leaves(vn_module_v(f->module)) > 0 ? vn_tree_leaf(vn_module_v(f->module), 0) : NULL;
    return x ? vn_engine_of(x) : vn_using();
}

static int64_t parameters(const vn__fit *f)
{
    vn_tree *v = vn_module_v(f->module);
    int64_t count = 0;
    for (int i = 0, n = vn_tree_leaves(v); i < n; i++) count += vn_size(vn_tree_leaf(v, i));
    return count;
}

static int note_all(notes *to, const vn__fit *f, const vn_fit_result *r)
{
    const vn_fit_opts *o = &f->o;
    int code = note(to, "engine", "%s", engine_of(f));
    if (!code) code = note(to, "version", "Vinea %s", vn_version());
    if (!code) code = note(to, "model", "%s, %lld parameters", vn_module_class_name(f->module), (long long)parameters(f));
    if (!code) code = note(to, "data", "%.400s", vn__dataset_of(f->train)->about);
    if (!code && f->test) code = note(to, "validation data", "%.400s", vn__dataset_of(f->test)->about);
    if (!code) code = note(to, "loss", "%s", f->scorer.loss.kind ? vn__loss_text(&f->scorer) : "of the program");
    if (!code) code = note(to, "optimizer", "%s", vn_optim_name(f->optim));
    if (!code) code = note_number(to, "last learning rate", f->lr);
    if (!code) code = note(to, "epochs", "%lld of %lld", (long long)f->epoch, (long long)o->epochs);
    if (!code) code = note(to, "batch", "%lld rows%s", (long long)o->batch, o->drop_last ? ", whole ones only" : "");
    if (!code) code = note(to, "order of rows", "%s", o->no_shuffle ? "as they are" : "random in every epoch");
    if (!code) code = note(to, "seed", "%llu", (unsigned long long)o->seed);
    const char *monitor = f->names[f->monitor], *of = strncmp(monitor, "val_", 4) ? "" : "validation ";
    if (!code) code = note(to, "best epoch by", "%s%s", of, monitor + (*of ? 4 : 0));
    if (!code && o->patience) code = note(to, "patience", "%lld epochs", (long long)o->patience);
    if (!code && vn__dataset_whole(f->train)->weights) code = note(to, "weights of rows", "given");
    if (!code && f->scorer.weights) code = note(to, "weights of classes", "%s", o->balance ? "balanced" : "given");
    if (!code && f->scorer.deviation > 0) code = note(to, "target", "standardized; the loss is of it, metrics in its own units");
    if (!code && r->resumed) code = note(to, "resumed", "after epoch %lld", (long long)r->resumed);
    if (!code) code = note(to, "ended", "%s", r->stop == VN__UNDER_WAY ? "not yet" : vn_fit_stop_name(r->stop));
    return code;
}

/* One of the program's notes. A setting that is known by this name already stays one row: "mlp (Sequential, 9099 parameters)". */
static int add_note(notes *to, const vn_note *more)
{
    for (int i = 0; i < to->n; i++) {
        vn_note *known = &to->list[i];
        if (!more->key || !more->value || strcmp(known->key, more->key) != 0) continue;
        if (strstr(known->value, more->value)) return VN_OK;
        const size_t n = strlen(more->value) + strlen(known->value) + 4;
        char *both = vn__scope_memory(n, "fit");
        if (!both) return vn_status();
        snprintf(both, n, "%s (%s)", more->value, known->value);
        known->value = both;
        return VN_OK;
    }
    to->list[to->n++] = *more;
    return VN_OK;
}

static const char *summary_of(const vn__fit *f)
{
    vn_array *x, *y;
    int64_t n;
    return vn__dataset_batch(f->train, NULL, 0, f->o.batch, &x, &y, &n) ? NULL : vn_module_summary(f->module, x);
}

/* Uses the last validation, unless there is none or the module's variables have changed since. After an interruption nothing more is
 * computed. */
static int test_of(vn__fit *f, bool end, vn_report *to, vn_evaluation *e)
{
    char about[256];
    vn_dataset *d = f->test ? f->test : f->train;
    bool again = !f->test || (end && f->o.restore_best && f->best_epoch != f->epoch) || f->epoch == f->resumed; /* this call ran no epoch */
    if (!f->epoch || (again && f->stop == VN_STOP_INTERRUPTED)) return VN_OK;
    int code = VN_OK;
    if (again) {
        vn__meter_reset(&f->test_meter);
        code = vn__evaluate_data(f->module, d, f->o.batch, &f->test_scorer, &f->test_meter, vn__group_or_one(NULL), NULL);
    }
    if (!code) code = vn__evaluation_of(&f->test_scorer, &f->test_meter, vn__dataset_of(d)->n, e);
    if (code) return code;
    snprintf(about, sizeof about, "%s data after epoch %lld: %lld rows", f->test ? "Validation" : "Training",
             (long long)(end && f->o.restore_best ? f->best_epoch : f->epoch), (long long)vn__dataset_of(d)->n);
    char *copy = vn__scope_memory(strlen(about) + 1, "fit");
    if (!copy) return vn_status();
    to->test = e, to->test_about = strcpy(copy, about);
    return VN_OK;
}

/* Single rows of the same data. */
static int examples_of(const vn__fit *f, vn__examples *to)
{
    if (f->stop == VN_STOP_INTERRUPTED || f->test_scorer.embeds || f->test_scorer.tokens) return VN_OK;
    return vn__find_examples(f->module, f->test ? f->test : f->train, f->o.batch, f->test_scorer.classes, to);
}

int vn__fit_report(vn__fit *f, const vn_fit_result *result, bool end)
{
    VN_SCOPE;
    vn_evaluation e = {.size = sizeof e};
    vn_fit_result now = *result;
    if (!end) now.stop = VN__UNDER_WAY;
    vn_report r = {.size = sizeof r, .title = f->o.title ? f->o.title : vn_module_class_name(f->module), .result = &now};
    notes all = {.list = vn__scope_memory((MAX_NOTES + (size_t)f->o.n_notes) * sizeof(vn_note), "fit")};
    int code = all.list ? note_all(&all, f, &now) : (int)vn_status();
    vn__examples single = {.n = 0};
    if (!code && (end || f->test)) code = test_of(f, end, &r, &e);
    if (!code && end && r.test) code = examples_of(f, &single);
    if (!code && end && !(r.summary = summary_of(f))) code = vn_status();
    for (int i = 0; i < f->o.n_notes && !code; i++) code = add_note(&all, &f->o.notes[i]);
    if (code) return code;
    r.notes = all.list, r.n_notes = all.n;
    const vn__labels *l = &vn__dataset_whole(f->train)->labels;
    if (l->classes && e.classes == l->n_classes) r.classes = (const char *const *)l->classes;
    return vn__report_write(f->o.report, &r, &single);
}
