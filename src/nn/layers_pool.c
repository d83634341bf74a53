/* layers_pool.c: pooling with windows of a given size, with windows that adapt, and of whole channels; Flatten. */
#include "nn/layers.h"
#include "core/state.h"

/* ---- windows of a given size ---- */

typedef struct {
    bool mean;
    int n; /* spatial axes */
    vn_shape window;
    vn_nn_pool_opts o;
} pool;

static vn_array *pool_forward(vn_module *m, vn_array *x)
{
    static vn_array *(*const largest[])(vn_array *, vn_shape, const vn_max_pool_layer_opts *) = {vn_max_pool1d, vn_max_pool2d,
                                                                                                 vn_max_pool3d};
    static vn_array *(*const means[])(vn_array *, vn_shape, const vn_avg_pool_layer_opts *) = {vn_avg_pool1d, vn_avg_pool2d, vn_avg_pool3d};
    const pool *p = vn_module_self(m);
    const vn_nn_pool_opts *o = &p->o;
    const vn_shape pads = vn__pads_of(p->n, o->pads);
    const int64_t *s = o->strides, *d = o->dilations;
    const char *padding = o->same ? "SAME" : "VALID", *format = vn__side(o->channels_first);
    if (p->mean)
        return means[p->n - 1](x, p->window,
                               VN_OPTS(avg_pool_layer, .strides = {s[0], s[1], s[2]}, .padding = padding, .pads = pads,
                                       .data_format = format, .include_padding = o->include_padding != 0));
    return largest[p->n - 1](x, p->window,
                             VN_OPTS(max_pool_layer, .strides = {s[0], s[1], s[2]}, .padding = padding, .pads = pads, .data_format = format,
                                     .dilations = {d[0], d[1], d[2]}));
}

#define POOL_CLASS(text)                                                 \
    {                                                                    \
        .name = text, .self_size = sizeof(pool), .forward = pool_forward \
    }
static const vn_module_class pool_classes[][3] = {{POOL_CLASS("MaxPool1D"), POOL_CLASS("MaxPool2D"), POOL_CLASS("MaxPool3D")},
                                                  {POOL_CLASS("AvgPool1D"), POOL_CLASS("AvgPool2D"), POOL_CLASS("AvgPool3D")}};

static bool check_pool(const char *who, const pool *p)
{
    if (!vn__layer_list(who, "strides", p->o.strides, p->n) || !vn__layer_list(who, "dilations", p->o.dilations, p->n) ||
        !vn__layer_pads(who, p->o.pads, p->n))
        return false;
    if (p->mean && vn__list_of(p->o.dilations).rank) vn__fail(VN_E_ARG, "%s: dilations are for max_pool", who);
    else if (!p->mean && p->o.include_padding) vn__fail(VN_E_ARG, "%s: include_padding is for avg_pool", who);
    else return true;
    return false;
}

static vn_module *make_pool(const char *who, pool p, const vn_nn_pool_opts *opts)
{
    vn__take(&p.o, sizeof p.o, opts);
    if (!vn__layer_sizes(who, "window", &p.window, p.n) || !check_pool(who, &p)) return NULL;
    return vn_module_new(&pool_classes[p.mean][p.n - 1], &p, NULL);
}

vn_module *vn_nn_max_pool1d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_max_pool1d", (pool){.mean = false, .n = 1, .window = window}, opts);
}
vn_module *vn_nn_max_pool2d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_max_pool2d", (pool){.mean = false, .n = 2, .window = window}, opts);
}
vn_module *vn_nn_max_pool3d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_max_pool3d", (pool){.mean = false, .n = 3, .window = window}, opts);
}
vn_module *vn_nn_avg_pool1d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_avg_pool1d", (pool){.mean = true, .n = 1, .window = window}, opts);
}
vn_module *vn_nn_avg_pool2d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_avg_pool2d", (pool){.mean = true, .n = 2, .window = window}, opts);
}
vn_module *vn_nn_avg_pool3d(vn_shape window, const vn_nn_pool_opts *opts)
{
    return make_pool("nn_avg_pool3d", (pool){.mean = true, .n = 3, .window = window}, opts);
}

/* ---- windows that adapt ---- */

typedef struct {
    vn_shape size;
    int channels_first;
} adaptive;

static vn_array *adaptive_avg_forward(vn_module *m, vn_array *x)
{
    const adaptive *a = vn_module_self(m);
    return vn_adaptive_avg_pool(x, a->size, VN_OPTS(adaptive_avg_pool, .data_format = vn__side(a->channels_first)));
}

static vn_array *adaptive_max_forward(vn_module *m, vn_array *x)
{
    const adaptive *a = vn_module_self(m);
    return vn_adaptive_max_pool(x, a->size, VN_OPTS(adaptive_max_pool, .data_format = vn__side(a->channels_first)));
}

static const vn_module_class adaptive_avg_class = {
    .name = "AdaptiveAvgPool", .self_size = sizeof(adaptive), .forward = adaptive_avg_forward};
static const vn_module_class adaptive_max_class = {
    .name = "AdaptiveMaxPool", .self_size = sizeof(adaptive), .forward = adaptive_max_forward};

static vn_module *make_adaptive(const char *who, const vn_module_class *class, adaptive a)
{
    const int n = a.size.rank;
    if (n < 1 || n > 3) return vn__fail(VN_E_ARG, "%s: %d sizes; 1 to 3 are needed", who, n), NULL;
    return vn__layer_sizes(who, "size", &a.size, n) ? vn_module_new(class, &a, NULL) : NULL;
}

vn_module *vn_nn_adaptive_avg_pool(vn_shape size, int channels_first)
{
    return make_adaptive("nn_adaptive_avg_pool", &adaptive_avg_class, (adaptive){size, channels_first});
}
vn_module *vn_nn_adaptive_max_pool(vn_shape size, int channels_first)
{
    return make_adaptive("nn_adaptive_max_pool", &adaptive_max_class, (adaptive){size, channels_first});
}

/* ---- whole channels ---- */

typedef struct {
    int channels_first, keepdims;
} whole;

static vn_array *global_avg_forward(vn_module *m, vn_array *x)
{
    const whole *w = vn_module_self(m);
    return vn_global_avg_pool(x, VN_OPTS(global_avg_pool, .data_format = vn__side(w->channels_first), .keepdims = w->keepdims != 0));
}

static vn_array *global_max_forward(vn_module *m, vn_array *x)
{
    const whole *w = vn_module_self(m);
    return vn_global_max_pool(x, VN_OPTS(global_max_pool, .data_format = vn__side(w->channels_first), .keepdims = w->keepdims != 0));
}

static const vn_module_class global_avg_class = {.name = "GlobalAvgPool", .self_size = sizeof(whole), .forward = global_avg_forward};
static const vn_module_class global_max_class = {.name = "GlobalMaxPool", .self_size = sizeof(whole), .forward = global_max_forward};

vn_module *vn_nn_global_avg_pool(int channels_first, int keepdims)
{
    return vn_module_new(&global_avg_class, &(whole){channels_first, keepdims}, NULL);
}
vn_module *vn_nn_global_max_pool(int channels_first, int keepdims)
{
    return vn_module_new(&global_max_class, &(whole){channels_first, keepdims}, NULL);
}

/* ---- Flatten ---- */

typedef struct {
    int first, last;
} span;

static vn_array *flatten_forward(vn_module *m, vn_array *x)
{
    const span *f = vn_module_self(m);
    const vn_shape s = vn_shape_of(x);
    const int first = f->first < 0 ? f->first + s.rank : f->first, last = f->last < 0 ? f->last + s.rank : f->last;
    char text[128];
    if (first < 0 || last < first || last >= s.rank)
        return vn__fail(VN_E_SHAPE, "x has shape %s; there are no axes from %d to %d (%s)", vn__shape_text(s.rank, s.dim, text), f->first,
                        f->last, vn_engine_of(x)),
               NULL;
    vn_shape to = {.rank = s.rank - last + first};
    for (int k = 0; k < to.rank; k++) to.dim[k] = s.dim[k <= first ? k : k + last - first];
    for (int k = first + 1; k <= last; k++) to.dim[first] *= s.dim[k]; /* fits: no array has a shape whose sizes multiply to more */
    return vn_reshape(x, to);
}

static const vn_module_class flatten_class = {.name = "Flatten", .self_size = sizeof(span), .forward = flatten_forward};

vn_module *vn_nn_flatten(int first, int last)
{
    if ((first < 0) == (last < 0) && first > last)
        return vn__fail(VN_E_ARG, "nn_flatten: there are no axes from %d to %d", first, last), NULL;
    return vn_module_new(&flatten_class, &(span){first, last}, NULL);
}
