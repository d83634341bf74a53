/* SPDX-License-Identifier: Apache-2.0 */
/* layers_pool.c: pooling with fixed windows, adaptive and global pooling; Flatten. */
#include "nn/layers.h"
#include "core/state.h"

/* ---- fixed windows ---- */

typedef struct {
    int n; /* spatial axes */
    vn_shape window;
    union {
        vn_max_pool_layer_opts max;
        vn_avg_pool_layer_opts avg;
    } o;
} pool;

#define THREE(list)                     \
    {                                   \
        (list)[0], (list)[1], (list)[2] \
    }

static vn_array *max_pool_forward(vn_module *m, vn_array *x)
{
    static vn_array *(*const ops[])(vn_array *, vn_shape, const vn_max_pool_layer_opts *) = {vn_max_pool1d, vn_max_pool2d, vn_max_pool3d};
    const pool *p = vn_module_self(m);
    const vn_max_pool_layer_opts *o = &p->o.max;
    return ops[p->n - 1](x, p->window,
                         VN_OPTS(max_pool_layer, .strides = THREE(o->strides), .padding = o->padding, .pads = o->pads,
                                 .data_format = o->data_format, .dilations = THREE(o->dilations)));
}

static vn_array *avg_pool_forward(vn_module *m, vn_array *x)
{
    static vn_array *(*const ops[])(vn_array *, vn_shape, const vn_avg_pool_layer_opts *) = {vn_avg_pool1d, vn_avg_pool2d, vn_avg_pool3d};
    const pool *p = vn_module_self(m);
    const vn_avg_pool_layer_opts *o = &p->o.avg;
    return ops[p->n - 1](x, p->window,
                         VN_OPTS(avg_pool_layer, .strides = THREE(o->strides), .padding = o->padding, .pads = o->pads,
                                 .data_format = o->data_format, .include_padding = o->include_padding));
}

#define POOL_CLASS(text, function)                                   \
    {                                                                \
        .name = text, .self_size = sizeof(pool), .forward = function \
    }
static const vn_module_class max_classes[] = {POOL_CLASS("MaxPool1D", max_pool_forward), POOL_CLASS("MaxPool2D", max_pool_forward),
                                              POOL_CLASS("MaxPool3D", max_pool_forward)};
static const vn_module_class avg_classes[] = {POOL_CLASS("AvgPool1D", avg_pool_forward), POOL_CLASS("AvgPool2D", avg_pool_forward),
                                              POOL_CLASS("AvgPool3D", avg_pool_forward)};

static vn_module *make_max_pool(const char *who, int n, vn_shape window, const vn_max_pool_layer_opts *opts)
{
    static const vn__struct *const structs[] = {&vn__struct_nn_max_pool1d, &vn__struct_nn_max_pool2d, &vn__struct_nn_max_pool3d};
    pool p = {.n = n, .window = window};
    vn_max_pool_layer_opts *o = &p.o.max;
    if (!vn__take_options(who, structs[n - 1], o, opts) || !vn__layer_sizes(who, "window", &p.window, n) ||
        !vn__layer_list(who, "strides", o->strides, n) || !vn__layer_list(who, "dilations", o->dilations, n) ||
        !vn__layer_pads(who, o->pads, n))
        return NULL;
    return vn_module_new(&max_classes[n - 1], &p, NULL);
}

static vn_module *make_avg_pool(const char *who, int n, vn_shape window, const vn_avg_pool_layer_opts *opts)
{
    static const vn__struct *const structs[] = {&vn__struct_nn_avg_pool1d, &vn__struct_nn_avg_pool2d, &vn__struct_nn_avg_pool3d};
    pool p = {.n = n, .window = window};
    vn_avg_pool_layer_opts *o = &p.o.avg;
    if (!vn__take_options(who, structs[n - 1], o, opts) || !vn__layer_sizes(who, "window", &p.window, n) ||
        !vn__layer_list(who, "strides", o->strides, n) || !vn__layer_pads(who, o->pads, n))
        return NULL;
    return vn_module_new(&avg_classes[n - 1], &p, NULL);
}

vn_module *vn_nn_max_pool1d(vn_shape window, const vn_max_pool_layer_opts *opts)
{
    return make_max_pool("nn_max_pool1d", 1, window, opts);
}
vn_module *vn_nn_max_pool2d(vn_shape window, const vn_max_pool_layer_opts *opts)
{
    return make_max_pool("nn_max_pool2d", 2, window, opts);
}
vn_module *vn_nn_max_pool3d(vn_shape window, const vn_max_pool_layer_opts *opts)
{
    return make_max_pool("nn_max_pool3d", 3, window, opts);
}
vn_module *vn_nn_avg_pool1d(vn_shape window, const vn_avg_pool_layer_opts *opts)
{
    return make_avg_pool("nn_avg_pool1d", 1, window, opts);
}
vn_module *vn_nn_avg_pool2d(vn_shape window, const vn_avg_pool_layer_opts *opts)
{
    return make_avg_pool("nn_avg_pool2d", 2, window, opts);
}
vn_module *vn_nn_avg_pool3d(vn_shape window, const vn_avg_pool_layer_opts *opts)
{
    return make_avg_pool("nn_avg_pool3d", 3, window, opts);
}

/* ---- adaptive ---- */

typedef struct {
    vn_shape size;
    vn_adaptive_pool_opts o;
} adaptive;

static vn_array *adaptive_avg_forward(vn_module *m, vn_array *x)
{
    const adaptive *a = vn_module_self(m);
    return vn_adaptive_avg_pool(x, a->size, VN_OPTS(adaptive_avg_pool, .data_format = a->o.data_format));
}

static vn_array *adaptive_max_forward(vn_module *m, vn_array *x)
{
    const adaptive *a = vn_module_self(m);
    return vn_adaptive_max_pool(x, a->size, VN_OPTS(adaptive_max_pool, .data_format = a->o.data_format));
}

static const vn_module_class adaptive_avg_class = {
    .name = "AdaptiveAvgPool", .self_size = sizeof(adaptive), .forward = adaptive_avg_forward};
static const vn_module_class adaptive_max_class = {
    .name = "AdaptiveMaxPool", .self_size = sizeof(adaptive), .forward = adaptive_max_forward};

static vn_module *make_adaptive(const char *who, const vn_module_class *class, vn_shape size, const vn_adaptive_pool_opts *opts)
{
    adaptive a = {.size = size};
    const int n = size.rank;
    if (!vn__take_options(who, &vn__struct_adaptive_pool, &a.o, opts)) return NULL;
    if (n < 1 || n > 3) return vn__fail(VN_E_ARG, "%s: %d sizes; 1 to 3 are needed", who, n), NULL;
    return vn__layer_sizes(who, "size", &a.size, n) ? vn_module_new(class, &a, NULL) : NULL;
}

vn_module *vn_nn_adaptive_avg_pool(vn_shape size, const vn_adaptive_pool_opts *opts)
{
    return make_adaptive("nn_adaptive_avg_pool", &adaptive_avg_class, size, opts);
}
vn_module *vn_nn_adaptive_max_pool(vn_shape size, const vn_adaptive_pool_opts *opts)
{
    return make_adaptive("nn_adaptive_max_pool", &adaptive_max_class, size, opts);
}

/* ---- global ---- */

static vn_array *global_avg_forward(vn_module *m, vn_array *x)
{
    const vn_global_pool_opts *o = vn_module_self(m);
    return vn_global_avg_pool(x, VN_OPTS(global_avg_pool, .data_format = o->data_format, .keepdims = o->keepdims));
}

static vn_array *global_max_forward(vn_module *m, vn_array *x)
{
    const vn_global_pool_opts *o = vn_module_self(m);
    return vn_global_max_pool(x, VN_OPTS(global_max_pool, .data_format = o->data_format, .keepdims = o->keepdims));
}

static const vn_module_class global_avg_class = {
    .name = "GlobalAvgPool", .self_size = sizeof(vn_global_pool_opts), .forward = global_avg_forward};
static const vn_module_class global_max_class = {
    .name = "GlobalMaxPool", .self_size = sizeof(vn_global_pool_opts), .forward = global_max_forward};

static vn_module *make_global(const char *who, const vn_module_class *class, const vn_global_pool_opts *opts)
{
    vn_global_pool_opts o;
    return vn__take_options(who, &vn__struct_global_pool, &o, opts) ? vn_module_new(class, &o, NULL) : NULL;
}

vn_module *vn_nn_global_avg_pool(const vn_global_pool_opts *opts)
{
    return make_global("nn_global_avg_pool", &global_avg_class, opts);
}
vn_module *vn_nn_global_max_pool(const vn_global_pool_opts *opts)
{
    return make_global("nn_global_max_pool", &global_max_class, opts);
}

/* ---- Flatten ---- */

typedef struct {
    int64_t first, last;
} span;

static vn_array *flatten_forward(vn_module *m, vn_array *x)
{
    const span *f = vn_module_self(m);
    const vn_shape s = vn_shape_of(x);
    const int64_t from = f->first < 0 ? f->first + s.rank : f->first, to_axis = f->last < 0 ? f->last + s.rank : f->last;
    char text[128];
    if (from < 0 || to_axis < from || to_axis >= s.rank)
        return vn__fail(VN_E_SHAPE, "x has shape %s; there are no axes from %lld to %lld (%s)", vn__shape_text(s.rank, s.dim, text),
                        (long long)f->first, (long long)f->last, vn_engine_of(x)),
               NULL;
    const int first = (int)from, last = (int)to_axis;
    vn_shape to = {.rank = s.rank - last + first};
    for (int k = 0; k < to.rank; k++) to.dim[k] = s.dim[k <= first ? k : k + last - first];
    for (int k = first + 1; k <= last; k++) to.dim[first] *= s.dim[k]; /* cannot overflow: the size of an existing array */
    return vn_reshape(x, to);
}

static const vn_module_class flatten_class = {.name = "Flatten", .self_size = sizeof(span), .forward = flatten_forward};

vn_module *vn_nn_flatten(int64_t first, int64_t last)
{
    first = vn__whole_of(first), last = vn__whole_of(last);
    if ((first < 0) == (last < 0) && first > last)
        return vn__fail(VN_E_ARG, "nn_flatten: there are no axes from %lld to %lld", (long long)first, (long long)last), NULL;
    return vn_module_new(&flatten_class, &(span){first, last}, NULL);
}

/* ---- Reshape ---- */

static vn_array *reshape_forward(vn_module *m, vn_array *x)
{
    const vn_shape *s = vn_module_self(m), in = vn_shape_of(x);
    if (!in.rank) return vn__fail(VN_E_SHAPE, "x has no axes; a batch axis is needed (%s)", vn_engine_of(x)), NULL;
    vn_shape full = {.rank = s->rank + 1, .dim = {in.dim[0]}};
    memcpy(full.dim + 1, s->dim, (size_t)s->rank * sizeof *s->dim);
    return vn_reshape(x, full);
}

static const vn_module_class reshape_class = {.name = "Reshape", .self_size = sizeof(vn_shape), .forward = reshape_forward};

vn_module *vn_nn_reshape(vn_shape shape)
{
    if (shape.rank < 0 || shape.rank >= VN_MAX_RANK)
        return vn__fail(VN_E_ARG, "nn_reshape: the shape has %d axes; 0 to %d are possible", (int)shape.rank, VN_MAX_RANK - 1), NULL;
    return vn_module_new(&reshape_class, &shape, NULL);
}
