/* SPDX-License-Identifier: Apache-2.0 */
/* resume.c: the state of a training in a checkpoint: what vn_checkpoint holds and, in its extra tree, settings that must not change, the
 * position, the sums of the current epoch and the history. With it a training resumes with the same bits, even in the middle of an epoch.
 */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <errno.h>
#include <math.h>
#include <unistd.h>

static const char who[] = "fit";

/* ---- settings that must be the same ---- */

enum { N_SETTINGS = 15 };
typedef struct {
    const char *name;
    double value;
} setting;

static void settings_of(const vn__fit *f, setting to[static N_SETTINGS])
{
    const double *option = f->scorer.loss.value;
    const setting all[N_SETTINGS] = {{"rows", (double)vn__dataset_of(f->train)->n},
                                     {"validation_rows", f->test ? (double)vn__dataset_of(f->test)->n : 0},
                                     {"batch", (double)f->o.batch},
                                     {"drop_last", f->o.drop_last != 0},
                                     {"no_shuffle", f->o.no_shuffle != 0},
                                     {"classes", (double)f->scorer.classes},
                                     {"loss", f->scorer.loss.kind},
                                     {"loss_option", option[0]},
                                     {"loss_option_2", option[1]},
                                     {"loss_option_3", option[2]},
                                     {"loss_option_4", option[3]},
                                     {"loss_option_5", option[4]},
                                     {"loss_option_6", option[5]},
                                     {"loss_option_7", option[6]},
                                     {"loss_option_8", option[7]}};
    memcpy(to, all, sizeof all);
}

/* ---- saving ---- */

static int put_number(vn_tree *t, const char *group, const char *name, double value)
{
    char chain[128];
    snprintf(chain, sizeof chain, "%s/%s", group, name);
    return vn_tree_set_number(t, chain, value);
}

static int put_doubles(vn_tree *t, const char *group, const char *name, const double *values, int64_t n)
{
    char chain[128];
    snprintf(chain, sizeof chain, "%s/%s", group, name);
    return vn_tree_set(t, chain, vn_from_host(values, VN_F64, VN_SHAPE(n)));
}

/* A column of the history: step, lr, seconds, then the scores. */
static const char *column_name(const vn__fit *f, int column)
{
    static const char *const first[] = {"step", "lr", "seconds"};
    return column < VN__ROW_SCORES ? first[column] : f->names[column - VN__ROW_SCORES];
}

static int put_history(vn_tree *t, const vn__fit *f)
{
    if (!f->epoch) return VN_OK;
    double *column = vn__calloc((size_t)f->epoch * sizeof *column);
    int code = column ? VN_OK : vn__no_memory(who);
    for (int c = 0; c < vn__row_size(f) && !code; c++) {
        for (int64_t i = 0; i < f->epoch; i++) column[i] = vn__row_at(f, i)[c];
        code = put_doubles(t, "history", column_name(f, c), column, f->epoch);
    }
    vn__free(column);
    return code;
}

/* The name of a mean: a score's, or one of the moments behind them. */
static const char *value_name(const vn__fit *f, int i, char to[static VN__SCORE_NAME + 16])
{
    if (i < f->scorer.n) return f->names[i];
    snprintf(to, VN__SCORE_NAME + 16, "moment %d", i - f->scorer.n);
    return to;
}

static int put_running(vn_tree *t, const vn__fit *f)
{
    int code = VN_OK;
    char name[VN__SCORE_NAME + 16];
    for (int i = 0; i < vn__scorer_values(&f->scorer) && !code; i++) {
        const vn_running *r = &f->meter.score[i];
        code = put_doubles(t, "running", value_name(f, i, name), (const double[]){r->sum, r->lost, r->weight}, 3);
    }
    for (int i = 0; i < f->scorer.n && !code; i++) {
        const vn__counted *c = &f->meter.counts[i];
        snprintf(name, sizeof name, "counts/%s", f->names[i]);
        if (c->counts) code = vn_tree_set(t, name, vn_from_host(c->counts, VN_I64, VN_SHAPE(c->n)));
    }
    int64_t n = f->scorer.outputs;
    if (!code && f->meter.matrix.counts) code = vn_tree_set(t, "matrix", vn_from_host(f->meter.matrix.counts, VN_I64, VN_SHAPE(n, n)));
    return code;
}

static int save(const vn__fit *f, const char *path)
{
    VN_SCOPE;
    setting settings[N_SETTINGS];
    settings_of(f, settings);
    vn_tree *t = vn_tree_new(NULL);
    int code = t ? vn_tree_set(t, "seed", vn_from_host(&f->o.seed, VN_U64, VN_0D)) : (int)vn_status();
    for (int i = 0; i < N_SETTINGS && !code; i++) code = put_number(t, "settings", settings[i].name, settings[i].value);
    const double weights = vn__fit_weights_sum(f);
    if (!code && weights != 0) code = put_number(t, "settings", "class_weights", weights);
    if (!code && f->micro > 1) code = put_number(t, "settings", "micro_batches", (double)f->micro);
    const setting places[] = {{"epoch", (double)f->epoch},
                              {"batch", (double)f->batch},
                              {"seconds", f->before},
                              {"lr", f->lr},
                              {"best_epoch", (double)f->best_epoch}};
    for (size_t i = 0; i < sizeof places / sizeof *places && !code; i++) code = put_number(t, "position", places[i].name, places[i].value);
    if (!code && f->best_epoch) code = put_number(t, "position", "best", f->best);
    if (!code) code = put_running(t, f);
    if (!code) code = put_history(t, f);
    if (!code && f->training) code = vn_tree_set_tree(t, "training", f->training);
    vn_checkpoint c = {.size = sizeof c, .module = f->module, .optim = f->optim, .step = f->step, .config = f->o.config, .extra = t};
    return code ? code : vn_checkpoint_save(path, &c);
}

int vn__fit_save(vn__fit *f, const char *path)
{
    int code = vn__shards_collect(f);
    if (!code && !f->group->rank) code = save(f, path);
    if (!f->group->rank && vn__shards_keep_own(f) && !code) code = vn_status();
    return code;
}

/* ---- loading ---- */

typedef struct {
    const vn_tree *t;
    const char *path;
    int code;
} reader;

/* The number at a chain; sets an error if it is missing or out of range. */
static double number_at(reader *r, const char *group, const char *name, double low, double high)
{
    char chain[128];
    snprintf(chain, sizeof chain, "%s/%s", group, name);
    vn_value v = r->code ? vn__nothing() : vn_tree_if_exists(r->t, chain);
    if (!r->code && (v.kind != VN_V_NUMBER || !(v.u.number >= low && v.u.number <= high)))
        r->code = vn__fail(VN_E_STRUCT, "%s: %.300s: there is no \"extra/%s\" of a training in it", who, r->path, chain);
    return r->code ? 0 : v.u.number;
}

/* An array of n numbers. */
static vn_array *find_array(reader *r, const char *chain, vn_dtype dtype, int64_t n)
{
    vn_array *x = r->code ? NULL : vn_tree_get_or_null(r->t, chain);
    if (!r->code && (!x || vn_dtype_of(x) != dtype || vn_size(x) != n))
        r->code = vn__fail(VN_E_STRUCT, "%s: %.300s: \"extra/%s\" should have %lld numbers; was it saved with other metrics or data?", who,
                           r->path, chain, (long long)n);
    return r->code ? NULL : x;
}

static void read_array(reader *r, const char *chain, vn_dtype dtype, int64_t n, void *to)
{
    vn_array *x = find_array(r, chain, dtype, n);
    if (x) r->code = vn_read(x, to, (size_t)n * vn_dtype_size(dtype));
}

static void check_settings(reader *r, vn__fit *f)
{
    setting settings[N_SETTINGS];
    settings_of(f, settings);
    uint64_t seed = 0;
    read_array(r, "seed", VN_U64, 1, &seed);
    if (!r->code && seed != f->o.seed)
        r->code = vn__fail(VN_E_ARG, "%s: %.300s was saved with seed %llu, not %llu", who, r->path, (unsigned long long)seed,
                           (unsigned long long)f->o.seed);
    for (int i = 0; i < N_SETTINGS && !r->code; i++) {
        double saved = number_at(r, "settings", settings[i].name, -1, 0x1p53);
        if (!r->code && saved != settings[i].value)
            r->code = vn__fail(VN_E_ARG, "%s: %.300s was saved with %s %g, not %g; a training is resumed with the same settings", who,
                               r->path, settings[i].name, saved, settings[i].value);
    }
    vn_value weights = r->code ? vn__nothing() : vn_tree_if_exists(r->t, "settings/class_weights"); /* absent: none */
    if (!r->code && (weights.kind == VN_V_NUMBER ? weights.u.number : 0) != vn__fit_weights_sum(f))
        r->code =
            vn__fail(VN_E_ARG, "%s: %.300s was saved with other weights of classes or rows; a training is resumed with the same settings",
                     who, r->path);
    vn_value micro = r->code ? vn__nothing() : vn_tree_if_exists(r->t, "settings/micro_batches"); /* absent: 1 */
    const double parts = micro.kind == VN_V_NUMBER ? micro.u.number : 1;
    if (!r->code && f->o.micro_batches && parts != (double)f->o.micro_batches)
        r->code = vn__fail(VN_E_ARG, "%s: %.300s was saved with %g micro_batches, not %lld; a training is resumed with the same settings",
                           who, r->path, parts, (long long)f->o.micro_batches);
    if (!r->code && !(parts >= f->group->ranks && parts <= 1 << 20))
        r->code = vn__fail(VN_E_ARG, "%s: %.300s was saved with %g micro_batches, which are too few for %d ranks", who, r->path, parts,
                           f->group->ranks);
    if (!r->code) f->micro = (int64_t)parts;
    vn_value running = r->code ? vn__nothing() : vn_tree_if_exists(r->t, "running");
    int n = 0;
    if (vn__is_tree(running) && !vn_tree_keys(running.u.tree, &n)) r->code = vn_status();
    const int values = vn__scorer_values(&f->scorer);
    if (!r->code && n != values)
        r->code = vn__fail(VN_E_ARG, "%s: %.300s was saved with %d metrics, not %d", who, r->path, n - 1, values - 1);
}

static void read_position(reader *r, vn__fit *f)
{
    f->epoch = (int64_t)number_at(r, "position", "epoch", 0, INT32_MAX);
    f->batch = (int64_t)number_at(r, "position", "batch", 0, (double)f->batches);
    f->before = number_at(r, "position", "seconds", 0, INFINITY);
    f->lr = number_at(r, "position", "lr", -INFINITY, INFINITY);
    f->best_epoch = (int64_t)number_at(r, "position", "best_epoch", 0, (double)f->epoch);
    if (!r->code && f->best_epoch) f->best = number_at(r, "position", "best", -INFINITY, INFINITY);
}

static void read_running(reader *r, vn__fit *f)
{
    char chain[128], name[VN__SCORE_NAME + 16];
    for (int i = 0; i < vn__scorer_values(&f->scorer) && !r->code; i++) {
        double sums[3] = {0};
        snprintf(chain, sizeof chain, "running/%s", value_name(f, i, name));
        read_array(r, chain, VN_F64, 3, sums);
        f->meter.score[i] = (vn_running){sums[0], sums[1], sums[2]};
    }
    for (int i = 0; i < f->scorer.n && !r->code; i++) {
        snprintf(chain, sizeof chain, "counts/%s", f->names[i]);
        vn_array *c = vn_tree_get_or_null(r->t, chain);
        if (!c) continue;
        r->code = vn__meter_counts(&f->meter, &f->scorer, i, vn_size(c));
        read_array(r, chain, VN_I64, vn_size(c), f->meter.counts[i].counts);
    }
    vn_array *m = r->code ? NULL : vn_tree_get_or_null(r->t, "matrix");
    if (!m) return;
    int64_t n = vn_rank(m) == 2 ? vn_dim(m, 0) : 0;
    if (n < f->scorer.classes || n > VN__MAX_MATRIX || vn_dim(m, 1) != n || !f->scorer.matrix) {
        r->code = vn__fail(VN_E_STRUCT, "%s: %.300s: \"extra/matrix\" does not fit", who, r->path);
        return;
    }
    f->scorer.outputs = n;
    r->code = vn__meter_matrix(&f->meter, &f->scorer);
    read_array(r, "matrix", VN_I64, n * n, f->meter.matrix.counts);
}

/* The columns must have the expected length before memory is allocated for them. */
static void read_history(reader *r, vn__fit *f)
{
    if (r->code || !f->epoch) return;
    char chain[128];
    int n = vn__row_size(f);
    for (int c = 0; c < n && !r->code; c++) {
        snprintf(chain, sizeof chain, "history/%s", column_name(f, c));
        find_array(r, chain, VN_F64, f->epoch);
    }
    double *column = r->code ? NULL : vn__alloc((size_t)f->epoch * sizeof *column);
    if (!r->code) r->code = column ? vn__history_room(f, f->epoch) : vn__no_memory(who);
    for (int c = 0; c < n && !r->code; c++) {
        snprintf(chain, sizeof chain, "history/%s", column_name(f, c));
        read_array(r, chain, VN_F64, f->epoch, column);
        for (int64_t i = 0; i < f->epoch && !r->code; i++) vn__row_at(f, i)[c] = column[i];
    }
    vn__free(column);
}

/* Reads only the tree, so that a file of another training is detected before anything changes. */
static int look(const char *path, reader *r)
{
    uint64_t random[2];
    int code = vn_random_state(random);
    vn_checkpoint c = {.size = sizeof c};
    if (!code) code = vn_checkpoint_load(path, &c);
    if (!code) code = vn_random_set_state(random);
    if (!code && !c.extra) code = vn__fail(VN_E_STRUCT, "%s: %.300s is a checkpoint, but not of vn_fit", who, path);
    r->t = c.extra;
    return code;
}

static int load(vn__fit *f, const char *path)
{
    reader r = {.path = path};
    r.code = look(path, &r);
    if (!r.code) check_settings(&r, f);
    if (!r.code) read_position(&r, f);
    if (!r.code) read_running(&r, f);
    if (!r.code) read_history(&r, f);
    if (r.code) return r.code;
    vn_checkpoint c = {.size = sizeof c, .module = f->module, .optim = f->optim};
    int code = vn_checkpoint_load(path, &c);
    const vn_value training = code ? vn__nothing() : vn_tree_if_exists(r.t, "training"); /* the module has their average */
    if (!code && vn__is_tree(training)) code = vn__fit_take_training(f, training.u.tree);
    if (code) return code;
    f->step = c.step, f->resumed = f->epoch;
    if (!f->o.config) f->o.config = c.config;
    return VN_OK;
}

int vn__fit_load(vn__fit *f, const char *path)
{
    vn__fit_file file;
    int code = vn__fit_share(f, path, &file), absent = !file.path;
    if (!code && !absent) VN__CALL(absent, access(file.path, F_OK));
    if (!code && absent && file.path && errno != ENOENT) code = vn__io_failed(who, path, "cannot access the file", errno);
    if (!code && !absent) code = load(f, file.path); /* absent: the first run */
    if (!code) code = vn__shards_keep_own(f);
    vn__fit_unshare(&file);
    return code;
}
