/* shards.c: optimizer state shared out over the ranks (the first stage of ZeRO). Each parameter belongs to a rank, which alone has its state
 * and moves it, then gives it to the others. Parameters are moved whole, by the same kernels as on one rank, so the bits are the same.
 * Files hold the whole state: it is brought together on the first rank to be saved, and each rank keeps its own of what is loaded. */
#include "train/train.h"
#include "core/memory.h"
#include "core/state.h"
#include "nn/optim.h"
#include "tree/tree.h"
#include <string.h>

static const char who[] = "fit";

/* A copy of a leaf's key chain, which is valid only until the next call. */
static const char *key_at(const vn_tree *t, int i, char to[static VN__KEY_CHAIN])
{
    const char *key = vn_tree_leaf_key(t, i);
    if (key) snprintf(to, VN__KEY_CHAIN, "%s", key);
    return key ? to : NULL;
}

/* Each goes to the rank that has the fewest bytes so far. */
static int share_out(vn__fit *f)
{
    const vn_tree *v = vn_module_v(f->module);
    const int n = v ? vn_tree_leaves(v) : -1;
    if (n < 0) return vn_status();
    f->owner = vn__calloc(((size_t)n + 1) * sizeof *f->owner);
    int64_t *load = vn__calloc((size_t)f->group->ranks * sizeof *load);
    int code = f->owner && load ? VN_OK : vn__no_memory(who);
    for (int i = 0; i < n && !code; i++) {
        vn_array *w = vn_tree_leaf(v, i);
        int least = 0;
        for (int k = 1; k < f->group->ranks; k++)
            if (load[k] < load[least]) least = k;
        f->owner[i] = least;
        if (!w) code = vn_status();
        else load[least] += vn_size(w) * (int64_t)vn_dtype_size(vn_dtype_of(w));
    }
    vn__free(load);
    return code;
}

int vn__shards_begin(vn__fit *f)
{
    if (!f->o.shard_optimizer || !f->group->comm) return VN_OK;
    const vn__optimizer *b = vn__optim_of(f->optim);
    bool apart = !b->n_parts && !(b->rule->all && !b->rule->fused);
    for (int k = 0; k < VN__OPTIM_SLOTS; k++) apart = apart && !(b->rule->slots[k].name && b->rule->slots[k].single);
    if (!apart)
        return vn__fail(VN_E_ARG, "%s: shard_optimizer needs an optimizer that moves each parameter by itself, such as adam; %s does not",
                        who, b->rule->name);
    if (b->accumulate > 1) return vn__fail(VN_E_ARG, "%s: shard_optimizer and vn_optim_accumulate: use micro_batches instead", who);
    return share_out(f);
}

/* ---- a step ---- */

/* The parameters of a rank one after the other, in memory. */
static size_t bytes_of(const vn__fit *f, const vn_tree *v, int rank)
{
    size_t bytes = 0;
    for (int i = 0; i < vn_tree_leaves(v); i++)
        if (f->owner[i] == rank) bytes += (size_t)vn_size(vn_tree_leaf(v, i)) * vn_dtype_size(vn_dtype_of(vn_tree_leaf(v, i)));
    return bytes;
}

static int copy_own(const vn__fit *f, const vn_tree *v, char *to)
{
    for (int i = 0; i < vn_tree_leaves(v); i++) {
        vn_array *w = vn_tree_leaf(v, i);
        if (f->owner[i] != f->group->rank) continue;
        const size_t bytes = (size_t)vn_size(w) * vn_dtype_size(vn_dtype_of(w));
        if (vn_read(w, to, bytes)) return vn_status();
        to += bytes;
    }
    return VN_OK;
}

static int take_theirs(const vn__fit *f, const vn_tree *v, const char *const *from)
{
    for (int rank = 0; rank < f->group->ranks; rank++) {
        const char *at = from[rank];
        for (int i = 0; i < vn_tree_leaves(v); i++) {
            VN_SCOPE;
            vn_array *w = vn_tree_leaf(v, i);
            if (f->owner[i] != rank || rank == f->group->rank) continue;
            vn_array *x = vn_to(vn_from_host(at, vn_dtype_of(w), vn_shape_of(w)), vn_engine_of(w));
            if (x && vn_is_variable(w)) x = vn_variable(x);
            if (!x || !vn_into(w, x)) return vn_status();
            at += (size_t)vn_size(w) * vn_dtype_size(vn_dtype_of(w));
        }
    }
    return VN_OK;
}

/* Every rank's parameters, on all ranks. */
static int share_parameters(const vn__fit *f, const vn_tree *v)
{
    const vn__group *g = f->group;
    size_t all = 0, at = 0;
    for (int k = 0; k < g->ranks; k++) all += bytes_of(f, v, k);
    char *memory = vn__block_alloc(all + 1);
    const char **place = vn__alloc((size_t)g->ranks * sizeof *place);
    int code = memory && place ? VN_OK : vn__no_memory(who);
    for (int k = 0; k < g->ranks && !code; k++, at += bytes_of(f, v, k - 1)) {
        place[k] = memory + at;
        if (k == g->rank) code = copy_own(f, v, memory + at);
    }
    code = vn__group_agree(g, code, who);
    for (int k = 0; k < g->ranks && !code; k++) {
        const vn_transfer t = {.kind = VN_TRANSFER_BROADCAST,
                               .dtype = VN_U8,
                               .rank = k,
                               .count = (int64_t)bytes_of(f, v, k),
                               .out = memory + (place[k] - memory)};
        if (t.count) code = vn__group_move(g, &t, who);
    }
    if (!code) code = take_theirs(f, v, place);
    if (code && *vn__the_world.broken) return code; /* the memory may still be written to */
    vn__block_free(memory), vn__free(place);
    return code;
}

int vn__shards_step(vn__fit *f, const vn_tree *grads)
{
    VN_SCOPE;
    vn_tree *v = vn_module_v(f->module), *own = vn_tree_copy(grads);
    vn__optimizer *b = vn__optim_of(f->optim);
    int code = v && own ? VN_OK : (int)vn_status();
    for (int i = 0; !code && i < vn_tree_leaves(v); i++) {
        char room[VN__KEY_CHAIN];
        const char *key = key_at(v, i, room);
        if (!key) code = vn_status();
        else if (f->owner[i] != f->group->rank && vn_tree_has(own, key)) code = vn_tree_set_null(own, key);
    }
    b->whole = grads; /* clipping looks at all of them */
    if (!code) code = vn_step(f->optim, v, own);
    b->whole = NULL;
    return code ? code : share_parameters(f, v);
}

/* ---- files ---- */

/* Whether an array of the state, "m/layers/0/w", is of a parameter that this rank owns. */
static bool is_own(const vn__fit *f, const vn_tree *v, const char *chain)
{
    const size_t length = strlen(chain);
    for (int i = 0; i < vn_tree_leaves(v); i++) {
        const char *key = vn_tree_leaf_key(v, i);
        const size_t n = key ? strlen(key) : 0;
        if (n && length > n && chain[length - n - 1] == '/' && !strcmp(chain + length - n, key)) return f->owner[i] == f->group->rank;
    }
    return true;
}

int vn__shards_keep_own(vn__fit *f)
{
    if (!f->owner) return VN_OK;
    VN_SCOPE;
    vn__optimizer *b = vn__optim_of(f->optim);
    const vn_tree *v = vn_module_v(f->module);
    vn_tree *own = v ? vn_tree_new(NULL) : NULL;
    int code = own ? VN_OK : (int)vn_status();
    for (int i = 0, n = vn_tree_leaves(b->state); i < n && !code; i++) {
        char room[VN__KEY_CHAIN];
        const char *chain = key_at(b->state, i, room);
        if (!chain) code = vn_status();
        else if (is_own(f, v, chain)) code = vn_tree_set(own, chain, vn_tree_leaf(b->state, i));
    }
    if (code) return code;
    vn_tree_drop(b->state);
    b->state = vn_tree_keep(own);
    return VN_OK;
}

enum { TAG = 32766 };

static int send_state(const vn__fit *f, const vn_tree *state)
{
    const int64_t n = vn_tree_leaves(state);
    int code = vn_group_send(f->o.group, vn_from_host(&n, VN_I64, VN_0D), 0, TAG);
    for (int i = 0; i < n && !code; i++) {
        char room[VN__KEY_CHAIN];
        const char *chain = key_at(state, i, room);
        vn_array *x = chain ? vn_tree_leaf(state, i) : NULL;
        if (!x) return vn_status();
        code = vn_group_send(f->o.group, vn_from_host(chain, VN_U8, VN_SHAPE((int64_t)strlen(chain) + 1)), 0, TAG);
        if (!code) code = vn_group_send(f->o.group, x, 0, TAG);
    }
    return code;
}

static int receive_state(const vn__fit *f, int from, vn_tree *state)
{
    vn_array *count = vn_group_receive(f->o.group, from, TAG);
    int code = count ? VN_OK : (int)vn_status();
    for (int64_t i = 0, n = code ? 0 : (int64_t)vn_item(count); i < n && !code; i++) {
        VN_SCOPE;
        vn_array *chain = vn_group_receive(f->o.group, from, TAG), *x = chain ? vn_group_receive(f->o.group, from, TAG) : NULL;
        const char *text = x ? vn_data(chain) : NULL;
        vn_array *here = text ? vn_to(x, vn_using()) : NULL;
        code = here ? vn_tree_set(state, text, here) : (int)vn_status();
    }
    return code;
}

int vn__shards_collect(vn__fit *f)
{
    if (!f->owner) return VN_OK;
    VN_SCOPE;
    vn_tree *state = vn__optim_of(f->optim)->state;
    int code = f->group->rank ? send_state(f, state) : VN_OK;
    for (int k = 1; k < f->group->ranks && !f->group->rank && !code; k++) code = receive_state(f, k, state);
    return code;
}
