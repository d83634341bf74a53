/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: a training of several processes. Gradients, scores and what follows from them are the same on every rank; this file keeps
 * together what is not: errors, requests to stop, and files, which only the first rank reads and writes. */
#include "train/train.h"
#include "base/minmax.h"
#include "base/hash.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/optim.h"
#include "os/os.h"
#include "tree/tree.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char who[] = "fit";

int vn__fit_ranks(vn__fit *f)
{
    vn_fit_opts *o = &f->o;
    if (o->group && !vn__check(o->group, VN__GROUP, who, "group")) return vn_status();
    f->group = vn__group_or_one(o->group);
    f->micro = o->micro_batches ? o->micro_batches : o->group ? 8 : 1;
    if (o->micro_batches < 0 || o->micro_batches > 1 << 20)
        return vn__fail(VN_E_ARG, "%s: micro_batches is %lld; 1 to %d is needed", who, (long long)o->micro_batches, 1 << 20);
    if (f->group->ranks > f->micro)
        return vn__fail(VN_E_ARG, "%s: %d ranks, but a batch has %lld micro-batches; micro_batches must be at least the number of ranks",
                        who, f->group->ranks, (long long)f->micro);
    if (f->group->rank) o->log_csv = o->log_jsonl = o->report = o->tensorboard = NULL, o->progress = NULL;
    return VN_OK;
}

/* ---- agreeing ---- */

typedef struct {
    int32_t code, stopping, stop;
} outcome;

int vn__fit_agree(vn__fit *f, int code)
{
    const vn__group *g = f->group;
    if (!g->comm) return code;
    outcome own = {code, f->stopping, f->stop}, *all = vn__calloc((size_t)g->ranks * sizeof *all);
    if (!all) return vn__group_no_memory(who);
    const int failed = vn__group_gather(g, &own, all, sizeof own, who);
    bool one = false;
    for (int k = failed ? 0 : g->ranks; k-- > 0;) {
        if (all[k].stopping) f->stopping = true, f->stop = all[k].stop;
        one = one || all[k].code;
    }
    vn__group_free(all);
    if (failed) return code ? code : failed;
    return one ? vn__group_explain(g, code, who) : VN_OK;
}

/* ---- the same training ---- */

static int hash_array(vn_array *x, uint64_t *hash)
{
    const void *data = x ? vn_data(x) : NULL;
    if (!data) return vn_status();
    *hash = vn__hash_bytes(*hash, data, (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x)));
    return VN_OK;
}

static int hash_tree(const vn_tree *t, uint64_t *hash)
{
    int code = t ? VN_OK : (int)vn_status();
    for (int i = 0, n = t ? vn_tree_leaves(t) : 0; i < n && !code; i++) code = hash_array(vn_tree_leaf(t, i), hash);
    return code;
}

/* All of the data if it is in memory and no larger than this, else 64 rows from all over it; of a function only the number of rows. */
static const int64_t most_hashed = 256 << 20;
enum { SAMPLE = 64 };

static int64_t bytes_of(vn_array *x)
{
    return x ? vn_size(x) * (int64_t)vn_dtype_size(vn_dtype_of(x)) : 0;
}

static int hash_data(const vn_dataset *d, uint64_t *hash)
{
    const vn__dataset *whole = vn__dataset_whole(d), *part = vn__dataset_of(d);
    const int64_t rows = part->n, facts[] = {rows, whole->classes, whole->n}, n = vn__min(rows, SAMPLE);
    *hash = vn__hash_bytes(*hash, facts, sizeof facts);
    if (whole->fn) return VN_OK;
    int64_t sample[SAMPLE];
    for (int64_t i = 0; i < n; i++) sample[i] = i * (rows - 1) / (n > 1 ? n - 1 : 1);
    vn_array *x = whole->x, *y = whole->y;
    const bool all = x && bytes_of(x) + bytes_of(y) <= most_hashed;
    int code = all ? VN_OK : vn_dataset_rows(d, sample, n, &x, whole->has_target ? &y : NULL);
    if (!code) code = hash_array(x, hash);
    if (!code && whole->weights) code = hash_array(whole->weights, hash);
    return !code && whole->has_target ? hash_array(y, hash) : code;
}

/* Which rows are for training follows from the seed. */
static uint64_t hash_choice(const vn_dataset *d, uint64_t hash)
{
    const vn__dataset *part = vn__dataset_of(d);
    return part->index ? vn__hash_bytes(hash, part->index, (size_t)part->n * sizeof *part->index) : hash;
}

/* ---- options ---- */

static uint64_t hash_optimizer(const vn_optim *o, uint64_t hash)
{
    const vn__optimizer *b = vn__optim_of(o);
    const double numbers[] = {vn_optim_lr(o), b->clip_norm, b->clip_value, b->average, (double)b->accumulate};
    const char *text = vn_optim_text(o);
    hash = vn__hash_bytes(hash, numbers, sizeof numbers);
    return text ? vn__hash_bytes(hash, text, strlen(text)) : hash;
}

static uint64_t hash_scores(const vn__scorer *j, uint64_t hash)
{
    const char *loss = vn__loss_text(j);
    if (loss) hash = vn__hash_bytes(hash, loss, strlen(loss));
    for (int k = 0; k < j->n; k++) hash = vn__hash_bytes(hash, j->scores[k].name, strlen(j->scores[k].name) + 1);
    return j->weights ? vn__hash_bytes(hash, j->weights, (size_t)j->classes * sizeof *j->weights) : hash;
}

/* What changes the numbers that a rank computes, or when it stops; texts do that by what they choose. */
static uint64_t hash_settings(const vn__fit *f)
{
    const vn_fit_opts *o = &f->o;
    const int64_t whole[] = {f->micro,
                             (int64_t)o->seed,
                             f->scorer.loss.kind,
                             f->scorer.n,
                             f->monitor,
                             o->checkpoint != NULL,
                             (int64_t)vn__peek()->precision,
                             (int64_t)vn__peek()->autocast,
                             f->epoch,
                             f->batch,
                             f->step};
    uint64_t hash = vn__hash_bytes(VN__HASH, whole, sizeof whole);
    for (const vn__fit_option *k = vn__fit_options; k->name; k++)
        if (k->kind != VN__FIT_TEXT)
            hash = vn__hash_bytes(hash, (const char *)o + k->offset, k->kind == VN__FIT_FLAG ? sizeof(int) : sizeof(int64_t));
    return hash_scores(&f->scorer, hash_optimizer(f->optim, hash));
}

/* ---- all of it ---- */

enum { ENGINE, DATA, SETTINGS, SHAPES, RANDOM, NETWORK, FACTS }; /* settings may follow from the data, parameters from random numbers */
static const char *const names[FACTS] = {
    "another engine",
    "other data",
    "other options (epochs, batch, micro_batches, optimizer, learning rate, seed, loss, metrics, early stopping, precision)",
    "another network",
    "another seed (vn_seed) or state of random numbers",
    "other parameters"};

static uint64_t hash_shapes(const vn_tree *t, uint64_t hash)
{
    for (int i = 0, n = t ? vn_tree_leaves(t) : 0; i < n; i++) {
        const vn_array *x = vn_tree_leaf(t, i);
        const vn_shape s = vn_shape_of(x);
        hash = vn__hash_bytes(hash, (int[]){(int)vn_dtype_of(x), s.rank}, 2 * sizeof(int));
        hash = vn__hash_bytes(hash, s.dim, (size_t)s.rank * sizeof *s.dim);
    }
    return hash;
}

static int look_at_self(const vn__fit *f, bool beginning, uint64_t facts[static FACTS])
{
    VN_SCOPE;
    const vn_code before = vn_status();
    uint64_t random[2] = {0};
    int code = vn_random_state(random);
    for (int k = 0; k < FACTS; k++) facts[k] = VN__HASH;
    facts[RANDOM] = vn__hash_bytes(VN__HASH, random, sizeof random);
    vn_engine_info info = {.size = sizeof info};
    if (!code) code = vn_engine_named(vn_using(), &info);
    if (!code) facts[ENGINE] = vn__hash_text(info.name) ^ vn__hash_text(info.version ? info.version : "");
    facts[SETTINGS] = hash_settings(f);
    if (beginning) facts[SETTINGS] = hash_choice(f->train, facts[SETTINGS]);
    if (!code && beginning) code = hash_data(f->train, &facts[DATA]);
    if (!code && beginning && f->test) code = hash_data(f->test, &facts[DATA]);
    const vn_tree *variables = vn_module_v(f->module), *buffers = vn_module_buffers(f->module);
    facts[SHAPES] = hash_shapes(buffers, hash_shapes(variables, VN__HASH));
    if (!code) code = hash_tree(variables, &facts[NETWORK]);
    if (!code) code = hash_tree(buffers, &facts[NETWORK]);
    return code || before ? code : (int)vn_status(); /* a text that could not be made is in no hash */
}

int vn__fit_same(vn__fit *f, bool beginning)
{
    const vn__group *g = f->group;
    uint64_t own[FACTS], (*all)[FACTS] = NULL;
    if (!g->comm) return VN_OK;
    int code = vn__fit_agree(f, look_at_self(f, beginning, own));
    if (code) return code;
    all = vn__calloc((size_t)g->ranks * sizeof *all);
    if (!all) return vn__group_no_memory(who);
    code = vn__group_gather(g, own, all, sizeof own, who);
    for (int k = 1; k < g->ranks && !code; k++) {
        for (int i = 0; i < FACTS && !code; i++) {
            if (all[0][i] == all[k][i]) continue;
            code = vn__fail(VN_E_GROUP, "%s: rank %d has %s than rank %d", who, vn__group_number(g, k), names[i], vn__group_number(g, 0));
        }
    }
    vn__group_free(all);
    return code;
}

/* ---- files of the first rank ---- */

/* The file's bytes, and its size in *size; -1 if there is none. */
static int read_all(const char *path, char **bytes, int64_t *size)
{
    struct stat s;
    *bytes = NULL, *size = -1;
    int fd;
    VN__CALL(fd, open(path, O_RDONLY | O_CLOEXEC));
    if (fd < 0) return errno == ENOENT ? VN_OK : vn__io_failed(who, path, "cannot open the file", errno);
    int code = fstat(fd, &s) ? vn__io_failed(who, path, "cannot read the file", errno) : VN_OK;
    *bytes = code ? NULL : vn__block_alloc((size_t)s.st_size + 1);
    if (!code && !*bytes) code = vn__no_memory(who);
    int64_t done = 0;
    while (!code && done < s.st_size) {
        ssize_t n;
        VN__CALL(n, read(fd, *bytes + done, (size_t)(s.st_size - done)));
        if (n <= 0) code = vn__io_failed(who, path, "cannot read the file", n < 0 ? errno : EIO);
        else done += n;
    }
    close(fd);
    *size = done;
    return code;
}

static int store(const char *bytes, int64_t size, vn__fit_file *to)
{
    to->fd = vn__memory_file(to->room, sizeof to->room);
    if (to->fd < 0) return vn__io_failed(who, "a checkpoint in memory", "cannot be made", errno);
    for (int64_t done = 0; done < size;) {
        ssize_t n;
        VN__CALL(n, write(to->fd, bytes + done, (size_t)(size - done)));
        if (n <= 0) return vn__io_failed(who, "a checkpoint in memory", "cannot be written", errno);
        done += n;
    }
    to->path = to->room;
    return VN_OK;
}

int vn__fit_share(vn__fit *f, const char *path, vn__fit_file *to)
{
    const vn__group *g = f->group;
    *to = (vn__fit_file){.path = path, .fd = -1};
    if (!g->comm) return VN_OK;
    char *bytes = NULL;
    int64_t size = 0;
    int code = vn__fit_agree(f, g->rank ? VN_OK : read_all(path, &bytes, &size));
    vn_transfer t = {.kind = VN_TRANSFER_BROADCAST, .dtype = VN_U8, .count = sizeof size, .out = &size};
    if (!code) code = vn__group_move(g, &t, who);
    if (!code && g->rank && size >= 0 && !(bytes = vn__block_alloc((size_t)size + 1))) code = vn__no_memory(who);
    code = vn__fit_agree(f, code);
    t.out = bytes, t.count = size;
    if (!code && size > 0) code = vn__group_move(g, &t, who);
    if (!code && g->rank && size >= 0) code = store(bytes, size, to);
    if (!code && size < 0) to->path = NULL;
    if (!*vn__the_world.broken) vn__block_free(bytes);
    return vn__fit_agree(f, code);
}

void vn__fit_unshare(vn__fit_file *file)
{
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}
