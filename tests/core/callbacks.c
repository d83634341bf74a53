/* SPDX-License-Identifier: Apache-2.0 */
/* callbacks.c: user callbacks that misbehave: they close the library, end a scope opened before them, or drop their arguments. Every
 * function that runs callbacks detects it, reports an error and keeps working; the caller's objects stay alive. */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"
#include <vinea/module.h>
#include <vinea/nn.h>
#include <vinea/train.h>
#include <vinea/tree.h>

enum { NOTHING, CLOSE, END_SCOPE, DROP, DEEDS };
static int deed;

static void act(vn_array *x)
{
    if (deed == CLOSE) CHECK(vn_close() == VN_E_CALLBACK);
    if (deed == END_SCOPE) CHECK(vn_scope_end(1) == VN_E_ARG);
    if (deed == DROP && x) vn_drop(x);
}

/* ---- the functions ---- */

static vn_array *of_array(vn_array *x, void *unused)
{
    (void)unused;
    vn_array *y = vn_sum(vn_square(x), VN_ALL);
    act(x);
    return y;
}
static vn_array *elementwise(vn_array *x, void *unused)
{
    (void)unused;
    vn_array *y = vn_square(x);
    act(x);
    return y;
}
static vn_array *of_tree(const vn_tree *p, void *unused)
{
    (void)unused;
    vn_array *y = vn_sum(vn_tree_get(p, "w"), VN_ALL);
    act(NULL);
    if (deed == DROP) vn_tree_drop((vn_tree *)(uintptr_t)p);
    return y;
}
static vn_tree *tree_of_tree(const vn_tree *p, void *unused)
{
    return vn_tree_of("loss", of_tree(p, unused), NULL);
}
static vn_array *rule(vn_array *x, vn_array *y, vn_array *upstream, void *unused)
{
    (void)unused;
    vn_array *g = vn_mul(upstream, vn_add(x, y));
    act(upstream);
    return g;
}
static vn_array *plain(vn_array *x, void *unused)
{
    return (void)unused, vn_square(x);
}
static int many(int n, vn_array *const *in, int n_out, vn_array **out, void *unused)
{
    (void)n, (void)n_out, (void)unused;
    out[0] = vn_add(in[0], in[1]);
    act(in[1]);
    return VN_OK;
}
static vn_value leaf(vn_value v, const char *chain, void *unused)
{
    (void)chain, (void)unused;
    act(NULL);
    return v;
}
static vn_value leaves(const vn_value *v, int n, const char *chain, void *unused)
{
    (void)n, (void)chain, (void)unused;
    act(NULL);
    return v[0];
}
static const char *name_of(const char *chain, void *unused)
{
    (void)unused;
    act(NULL);
    return chain;
}
static vn_array *project(vn_array *x, const vn_tree *variables, void *unused)
{
    (void)variables, (void)unused;
    act(NULL);
    return vn_add(x, x);
}
static int project_kv(vn_array *x, const vn_tree *variables, vn_array **k, vn_array **v, void *unused)
{
    (void)variables, (void)unused;
    act(NULL);
    *k = *v = vn_add(x, x);
    return VN_OK;
}
static double rate(int64_t step, void *unused)
{
    (void)step, (void)unused;
    act(NULL);
    return .1;
}
static void release(void *unused)
{
    (void)unused;
    act(NULL);
}
static void no_line(void *to, const char *key, const char *value)
{
    (void)to, (void)key, (void)value;
    act(NULL);
}
static void hear(const char *text, void *unused)
{
    (void)text, (void)unused;
    act(NULL);
}

/* ---- modules and training ---- */

static int which; /* which function of the class misbehaves */

static int build(vn_module *m, const vn_tree *args)
{
    (void)args;
    if (which == 0) act(NULL);
    if (which == 0 && deed == DROP) vn_module_drop(m);
    return VN_OK;
}
static vn_tree *create(vn_module *m, vn_dtype dtype)
{
    (void)m;
    if (which == 1) act(NULL);
    return vn_tree_of("w", vn_ones(VN_SHAPE(3), dtype), NULL);
}
static vn_array *forward(vn_module *m, vn_array *x)
{
    vn_array *y = vn_mul(x, vn_module_var(m, "w"));
    if (which == 2) act(x);
    return y;
}
static void free_self(void *self)
{
    (void)self;
    if (which == 3) act(NULL);
}
static const vn_module_class class = {
    .name = "Test", .self_size = 8, .build = build, .create_variables = create, .forward = forward, .free = free_self};

static vn_module *module(int misbehaving)
{
    which = misbehaving;
    return vn_module_new(&class, &(int64_t){1}, VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL));
}
static vn_array *module_loss(vn_module *m, void *x)
{
    vn_array *y = vn_sum(vn_module_call(m, x, NULL), VN_ALL);
    act(NULL);
    return y;
}
static vn_array *score(vn_array *prediction, vn_array *target, void *unused)
{
    (void)unused;
    vn_array *y = vn_mean(vn_square(vn_sub(prediction, target)), VN_ALL);
    act(prediction);
    return y;
}
static int batch(const int64_t *rows, int64_t n, vn_array **x, vn_array **y, void *unused)
{
    (void)rows, (void)unused;
    act(NULL);
    *x = vn_ones(VN_SHAPE(n, 3), VN_F32);
    *y = vn_ones(VN_SHAPE(n, 3), VN_F32);
    return VN_OK;
}
static int watch(const vn_fit_event *e, void *unused)
{
    (void)unused;
    act(NULL);
    if (deed == DROP) vn_module_drop(e->module);
    return 0;
}
static bool fit(vn_fit_opts o, bool own_data)
{
    int misbehave = deed;
    vn_array *x = vn_ones(VN_SHAPE(4, 3), VN_F32);
    vn_dataset *d = own_data ? vn_dataset_from(batch, 4, 0, NULL) : vn_dataset_of(x, x, NULL);
    o.size = sizeof o;
    o.epochs = 1;
    deed = misbehave;
    return vn_fit(module(9), d, &o, NULL) == VN_OK;
}

/* ---- the calls: true if they succeed ---- */

static vn_array *x;
static vn_tree *p;

static bool value_and_grad(void)
{
    vn_tree *g;
    return vn_value_and_grad(of_tree, p, NULL, &g) != NULL && g;
}
static bool grad_of(void)
{
    return vn_grad_of(of_array, x, NULL) != NULL;
}
static bool jac_of(void)
{
    return vn_jac_of(elementwise, x, NULL) != NULL;
}
static bool hessian_of(void)
{
    return vn_hessian_of(of_array, x, NULL) != NULL;
}
static bool vjp_of(void)
{
    return vn_vjp_of(elementwise, x, x, NULL, NULL) != NULL;
}
static bool jvp_of(void)
{
    return vn_jvp_of(elementwise, x, x, NULL, NULL) != NULL;
}
static bool execute(void)
{
    vn_tree *g;
    return vn_execute_with_gradients(tree_of_tree, p, NULL, NULL, &g, NULL) != NULL && g;
}
static bool compile(void)
{
    return vn_compile(of_tree, vn_tree_copy(p), NULL) == VN_OK;
}
static bool custom(void)
{
    vn_fn *f = vn_bind_custom_gradient(elementwise, rule, NULL);
    return vn_fn_call(f, vn_variable(x)) != NULL;
}
static bool custom_rule(void)
{
    vn_fn *f = vn_bind_custom_gradient(plain, rule, NULL);
    vn_array *v = vn_variable(x);
    return vn_grad(vn_sum(vn_fn_call(f, v), VN_ALL), v) != NULL;
}
static bool captured(void)
{
    vn_array *in[] = {x, vn_add(x, x)}, *out;
    return vn_fn_call_many(vn_capture(many, 1, NULL), 2, in, 1, &out) == VN_OK;
}
static bool tree_map(void)
{
    return vn_tree_map(p, leaf, NULL, NULL) != NULL;
}
static bool tree_map_sub_trees(void)
{
    return vn_tree_map_sub_trees(p, leaf, NULL, NULL) != NULL;
}
static bool tree_map_arrays(void)
{
    return vn_tree_map_arrays(p, plain, NULL) != NULL && vn_tree_map_arrays(vn_tree_copy(p), elementwise, NULL) != NULL;
}
static bool tree_reduce(void)
{
    return vn_tree_reduce(2, (const vn_tree *const[]){p, p}, leaves, NULL) != NULL;
}
static bool format_chains(void)
{
    return vn_tree_format_key_chains(p, name_of, NULL) != NULL;
}
static bool heads_q(void)
{
    return vn_multi_head_attention(vn_ones(VN_SHAPE(2, 4), VN_F32), vn_ones(VN_SHAPE(2, 8), VN_F32), VN_NONE, 1,
                                   VN_OPTS(multi_head_attention, .scale = 1, .to_q = project)) != NULL;
}
static bool heads_kv(void)
{
    return vn_multi_head_attention(vn_ones(VN_SHAPE(2, 4), VN_F32), VN_NONE, VN_NONE, 1,
                                   VN_OPTS(multi_head_attention, .scale = 1, .to_kv = project_kv)) != NULL;
}
static bool schedule(void)
{
    vn_schedule s = vn_schedule_of(rate, NULL);
    return vn_schedule_at(&s, 3) == .1;
}
static bool wrapped(void)
{
    static const float data[3] = {1, 2, 3};
    vn_scope scope = vn_scope_begin();
    vn_wrap(data, VN_F32, VN_SHAPE(3), release, NULL);
    return vn_scope_end(scope) == VN_OK;
}
static bool described(void)
{
    return vn_engine_describe("native", no_line, NULL) == VN_OK;
}
/* The first function reports that the trace cannot be written. */
static void listen(void)
{
    vn_set_log(hear, NULL);
    setenv("VINEA_TRACE", "/nonexistent/trace", 1);
}
static bool logged(void)
{
    vn_set_log(NULL, NULL);
    unsetenv("VINEA_TRACE");
    return true;
}
static bool built(void)
{
    return vn_module_call(module(0), x, NULL) != NULL;
}
static bool created(void)
{
    return vn_module_call(module(1), x, NULL) != NULL;
}
static bool called(void)
{
    return vn_module_call(module(2), vn_add(x, x), NULL) != NULL;
}
static bool freed(void)
{
    vn_scope scope = vn_scope_begin();
    module(3);
    return vn_scope_end(scope) == VN_OK;
}
static bool module_gradient(void)
{
    vn_tree *g;
    vn_module *m = module(9);
    return vn_module_build(m, NULL) && vn_module_value_and_grad(m, module_loss, x, &g) && g;
}
static bool fit_watch(void)
{
    return fit((vn_fit_opts){.watch = watch}, false);
}
static bool fit_loss(void)
{
    return fit((vn_fit_opts){.loss_fn = score}, false);
}
static bool fit_metric(void)
{
    return fit((vn_fit_opts){.own_metrics = &(vn_own_metric){.name = "own", .fn = score}, .n_own_metrics = 1}, false);
}
static bool fit_batch(void)
{
    return fit((vn_fit_opts){.loss = "mse"}, true);
}

/* Which callbacks get something that they can drop: YES: it is detected, HELD: something else keeps it alive. */
enum { NO, YES, HELD };
static const struct {
    const char *name;
    bool (*call)(void);
    int drops;
    bool tells; /* fails when its function does: others leave the error in the thread */
} calls[] = {
#define CALL(function, drops, tells)      \
    {                                     \
#function, function, drops, tells \
    }
    CALL(value_and_grad, YES, true),
    CALL(grad_of, YES, true),
    CALL(jac_of, YES, true),
    CALL(hessian_of, YES, true),
    CALL(vjp_of, YES, true),
    CALL(jvp_of, YES, true),
    CALL(execute, YES, true),
    CALL(compile, YES, true),
    CALL(custom, YES, true),
    CALL(custom_rule, YES, true),
    CALL(captured, YES, true),
    CALL(tree_map, NO, true),
    CALL(tree_map_sub_trees, NO, true),
    CALL(tree_map_arrays, NO, true),
    CALL(tree_reduce, NO, true),
    CALL(format_chains, NO, false),
    CALL(heads_q, NO, false),
    CALL(heads_kv, NO, false),
    CALL(schedule, NO, false),
    CALL(wrapped, NO, false),
    CALL(described, NO, false),
    CALL(logged, NO, false),
    CALL(built, HELD, true),
    CALL(created, NO, true),
    CALL(called, HELD, true),
    CALL(freed, NO, false),
    CALL(module_gradient, NO, true),
    CALL(fit_watch, YES, true),
    CALL(fit_loss, YES, true),
    CALL(fit_metric, YES, true),
    CALL(fit_batch, NO, true),
#undef CALL
};

static bool goes_on(void)
{
    deed = NOTHING;
    return vn_item(vn_sum(vn_add(x, vn_tree_get(p, "w")), VN_ALL)) == 9;
}

static void one(int k, int now)
{
    static const struct {
        vn_code code;
        const char *text;
    } expected[DEEDS] = {[CLOSE] = {VN_E_CALLBACK, "close: called inside a function of yours"},
                         [END_SCOPE] = {VN_E_ARG, "scope_end: scope 1 was open before the callback"},
                         [DROP] = {VN_E_FREED, "the callback dropped what it was given"}};
    VN_SCOPE;
    deed = now;
    if (calls[k].call == logged) listen();
    x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    p = vn_tree_of("w", vn_ones(VN_SHAPE(3), VN_F32), NULL);
    bool fine = calls[k].call();
    if (now == NOTHING || (now == DROP && calls[k].drops == HELD)) {
        CHECK(fine && !vn_status());
    } else {
        CHECK(!fine || !calls[k].tells);
        CHECK(vn_status() == expected[now].code && strstr(vn_message(), expected[now].text));
    }
    vn_clear();
    CHECK(goes_on());
}

int main(void)
{
    for (int now = 0; now < DEEDS; now++) {
        for (int k = 0; k < (int)(sizeof calls / sizeof *calls); k++) {
            check_name = calls[k].name;
            if (now == DROP && !calls[k].drops) continue;
            one(k, now);
            vn_clear();
            CHECK(vn_close() == VN_OK);
        }
    }
    return finish();
}
