/* optim.c: optimizers. vn_step records the update in public ops, points the parameters' handles at it and evaluates parameters,
 * gradients and loss as one program; on failure everything goes back. */
#include "core/internal.h"
#include <math.h>

typedef struct {
    double lr;
    int64_t steps;
} body;

static body *of(const vn_optim *o)
{
    return o->object.body;
}

void vn__optim_release(void *memory)
{
    vn__free(memory);
}

vn_optim *vn_sgd(double lr)
{
    if (!isfinite(lr)) return vn__fail(VN_E_ARG, "sgd: the learning rate is %g", lr), NULL;
    body *b = vn__alloc(sizeof *b);
    if (!b) return vn__no_memory("sgd"), NULL;
    *b = (body){.lr = lr};
    vn_optim *o = (vn_optim *)vn__object_new(VN__OPTIM, b, "sgd");
    if (!o) vn__free(b);
    return o;
}

int vn_optim_set_lr(vn_optim *o, double lr)
{
    if (!vn__check(o, VN__OPTIM, "optim_set_lr", "o")) return vn_status();
    if (!isfinite(lr)) return vn__fail(VN_E_ARG, "optim_set_lr: the learning rate is %g", lr);
    of(o)->lr = lr;
    return VN_OK;
}

int64_t vn_optim_steps(const vn_optim *o)
{
    return vn__check(o, VN__OPTIM, "optim_steps", "o") ? of(o)->steps : -1;
}

/* w - lr g; halves are computed in float32 and rounded once. */
static vn_array *descend(vn_array *w, vn_array *g, double lr)
{
    vn_dtype d = vn_dtype_of(w);
    bool half = vn__is(d, VN_HALVES);
    if (half) w = vn_cast(w, VN_F32), g = vn_cast(g, VN_F32);
    vn_array *z = vn_sub(w, vn_mul(g, vn_scalar(lr)));
    return half ? vn_cast(z, d) : z;
}

typedef struct {
    int n;
    vn_array **w;      /* handles of the parameters */
    vn_array **g;      /* their gradients */
    vn__node **old;    /* the parameters' nodes before, for going back */
    vn__node **target; /* what is evaluated: parameters, gradients, loss */
} work;

static void end_work(work *k)
{
    for (int i = 0; k->old && i < k->n; i++) vn__node_release(k->old[i]);
    vn__free(k->w), vn__free(k->g), vn__free(k->old), vn__free(k->target);
}

/* Pairs parameters with gradients and checks them; nothing is changed yet. */
static int pair(work *k, const vn_tree *p, const vn_tree *grads)
{
    size_t n = (size_t)(k->n = vn_tree_leaves(p));
    k->w = vn__calloc(n * sizeof *k->w), k->g = vn__calloc(n * sizeof *k->g);
    k->old = vn__calloc(n * sizeof *k->old), k->target = vn__calloc((2 * n + 1) * sizeof *k->target);
    if (!k->w || !k->g || !k->old || !k->target) return vn__no_memory("step");
    for (int i = 0; i < k->n; i++) {
        const char *key = vn_tree_leaf_key(p, i);
        k->w[i] = vn_tree_leaf(p, i);
        if (!key || !k->w[i]) return vn_status();
        if (!vn_tree_has(grads, key)) return vn__fail(VN_E_STRUCT, "step: the gradients have no \"%s\"", key);
        k->g[i] = vn_tree_get(grads, key);
        if (!k->g[i]) return vn_status();
        vn_shape a = vn_shape_of(k->w[i]), b = vn_shape_of(k->g[i]);
        char s[128], t[128];
        if (a.rank != b.rank || memcmp(a.dim, b.dim, (size_t)a.rank * sizeof *a.dim) != 0)
            return vn__fail(VN_E_SHAPE, "step: \"%s\" has shape %s, its gradient %s", key, vn__shape_text(a.rank, a.dim, s),
                            vn__shape_text(b.rank, b.dim, t));
        if (vn_dtype_of(k->w[i]) != vn_dtype_of(k->g[i]))
            return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s, its gradient %s", key, vn_dtype_name(vn_dtype_of(k->w[i])),
                            vn_dtype_name(vn_dtype_of(k->g[i])));
        if (!vn__is(vn_dtype_of(k->w[i]), VN_FLOATS))
            return vn__fail(VN_E_DTYPE, "step: \"%s\" is %s; a float dtype is needed", key, vn_dtype_name(vn_dtype_of(k->w[i])));
    }
    return VN_OK;
}

/* Records the update and points the handles at it. The new arrays' own handles are dropped, so that the program sees the parameters
 * as the only users of the update. */
static int update(work *k, double lr)
{
    VN_SCOPE;
    vn_array **z = vn__calloc((size_t)k->n * sizeof *z);
    int code = z ? VN_OK : vn__no_memory("step");
    for (int i = 0; i < k->n && !code; i++) {
        bool variable = vn_is_variable(k->w[i]);
        z[i] = vn_stop_gradient(descend(vn_stop_gradient(k->w[i]), k->g[i], lr));
        if (variable) z[i] = vn_variable(z[i]);
        if (!z[i]) code = vn_status();
    }
    for (int i = 0; i < k->n && !code; i++) {
        vn__node_retain(k->old[i] = vn__node_of(k->w[i]));
        vn__point(k->w[i], vn__node_of(z[i]));
    }
    vn__free(z);
    return code;
}

int vn_step(vn_optim *o, vn_tree *p, const vn_tree *grads)
{
    if (!vn__check(o, VN__OPTIM, "step", "o") || !vn__check(p, VN__TREE, "step", "p") || !vn__check(grads, VN__TREE, "step", "grads"))
        return vn_status();
    VN_SCOPE;
    work k = {0};
    int code = pair(&k, p, grads);
    /* Parameters that are still pending (initialisers) are computed first, so that every step is the same program. */
    for (int i = 0; i < k.n && !code; i++) k.target[i] = vn__node_of(k.w[i]);
    if (!code) code = vn__evaluate(k.n, k.target, 0, NULL);
    if (!code) code = update(&k, of(o)->lr);
    if (!code) {
        int n = 0;
        vn_array *loss = vn__tree_loss(grads);
        for (int i = 0; i < k.n; i++) k.target[n++] = vn__node_of(k.w[i]);
        for (int i = 0; i < k.n; i++) k.target[n++] = vn__node_of(k.g[i]);
        if (loss) k.target[n++] = vn__node_of(loss);
        code = vn__evaluate(n, k.target, k.n, k.old);
        for (int i = 0; i < k.n && code; i++) vn__point(k.w[i], k.old[i]);
    }
    if (!code) of(o)->steps++;
    end_work(&k);
    return code;
}
