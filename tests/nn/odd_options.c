/* SPDX-License-Identifier: Apache-2.0 */
/* odd_options.c: every layer, initialiser, optimizer, schedule, loss and metric with each of its options changed, then used. It is refused with a message, or it
 * works: results come without an error, and a missing one with an error that says something. */
/* ctest: seconds 2 */
/* ctest: shared */
/* ctest: sanitize-address */
/* ctest: part 5 on sanitizers */
/* ctest: env VINEA_THREADS=1 */
/* ctest: env ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=4096 */
#include "check.h"

static long uses, errors;

/* What a use has left: a result, or an error with a message. */
static void used(const char *name, const char *option, bool result)
{
    const vn_code code = vn_status();
    const bool right = code ? *vn_message() && code != VN_E_FREED && code != VN_E_IO : result;
    uses++;
    errors += code != VN_OK;
    if (!right) fprintf(stderr, "%s, option %s: %s\n", name, option, vn_message());
    CHECK(right);
    vn_clear();
}

static vn_array *counting(vn_shape s, vn_dtype dtype)
{
    int64_t n = 1;
    for (int k = 0; k < s.rank; k++) n *= s.dim[k];
    return vn_cast(vn_reshape(vn_sub(vn_div(vn_arange(0, (double)n, 1, VN_F32), vn_scalar(4)), vn_scalar(1)), s), dtype);
}

/* ---- what is done with them ---- */

static const struct {
    vn_shape shape;
    vn_dtype dtype;
} inputs[] = {{{2, {2, 2}}, VN_F32},       {{3, {2, 4, 2}}, VN_F32},    {{4, {2, 4, 4, 2}}, VN_F32}, {{5, {1, 3, 3, 3, 2}}, VN_F32},
              {{4, {2, 6, 6, 3}}, VN_F32}, {{2, {2, 3}}, VN_F32},       {{1, {2}}, VN_F32},          {{0}, VN_F32},
              {{3, {0, 4, 2}}, VN_F32},    {{4, {0, 4, 4, 2}}, VN_F32}, {{2, {2, 2}}, VN_I32},       {{2, {2, 2}}, VN_C64},
              {{3, {2, 4, 2}}, VN_F16},    {{4, {2, 4, 4, 2}}, VN_F64}, {{3, {2, 4, 2}}, VN_I64},    {{2, {2, 2}}, VN_F64}};
enum { INPUTS = sizeof inputs / sizeof *inputs, FEW = 4 };

static void use_layer(const vn_op_info *info, const char *option, const vn_option *options, int n)
{
    for (size_t k = 0; k < (option ? FEW : INPUTS); k++) {
        for (int training = 0; training < 2; training++) {
            VN_SCOPE;
            vn_module *m = vn_nn_make(info->name, options, n);
            used(info->name, option, m != NULL);
            if (!m) return;
            vn_array *x = counting(inputs[k].shape, inputs[k].dtype), *y = counting(inputs[k].shape, inputs[k].dtype);
            vn_module_train(m, training);
            used(info->name, option, vn_module_call(m, x, NULL) != NULL);
            vn_tree *both = vn_tree_of("x", x, "y", y, NULL), *z = vn_module_call_tree(m, both, NULL);
            used(info->name, option, z != NULL);
            vn_tree *more = vn_tree_of("x", x, "context", y, "mask", vn_scalar(1), NULL);
            used(info->name, option, vn_module_call_tree(m, more, NULL) != NULL);
            if (vn_module_call_tree(m, vn_tree_of("x", x, "lengths", vn_full(vn_scalar_int(1), VN_SHAPE(2), VN_I64), NULL), NULL))
                vn_clear();
            vn_clear();
        }
    }
}

static void use_optimizer(const vn_op_info *info, const char *option, const vn_option *options, int n)
{
    static const vn_dtype dtypes[] = {VN_F32, VN_F16, VN_C64};
    for (int d = 0; d < (option ? 1 : 3); d++) {
        VN_SCOPE;
        vn_optim *o = vn_optim_make(info->name, options, n);
        used(info->name, option, o != NULL);
        if (!o) return;
        vn_tree *p = vn_tree_of("a", counting(VN_0D, dtypes[d]), "b", counting(VN_SHAPE(3), dtypes[d]), "c/w",
                                counting(VN_SHAPE(2, 3), dtypes[d]), "c/tall", counting(VN_SHAPE(5, 2), dtypes[d]), "k",
                                counting(VN_SHAPE(2, 2, 3), dtypes[d]), "none", counting(VN_SHAPE(0, 2), dtypes[d]), NULL);
        vn_tree *g = vn_tree_deep_copy(p);
        for (int step = 0; step < 3; step++) used(info->name, option, vn_step(o, p, g) == VN_OK);
        used(info->name, option, vn_optim_text(o) != NULL);
        vn_optim *again = vn_optim_make(info->name, options, n);
        vn_optim_set_state(again, vn_optim_state(o));
        used(info->name, option, true);
        for (int i = 0; i < vn_tree_leaves(p); i++) used(info->name, option, vn_data(vn_tree_leaf(p, i)) || !vn_size(vn_tree_leaf(p, i)));
    }
}

static void use_number(const vn_op_info *info, const char *option, const vn_option *options, int n)
{
    VN_SCOPE;
    vn_array *x = counting(VN_SHAPE(2, 3), VN_F32), *label = vn_full(vn_scalar_int(1), VN_SHAPE(2), VN_I64),
             *y = counting(VN_SHAPE(2, 3), VN_F32);
    if (!strcmp(info->kind, "loss")) {
        vn_loss loss = {0};
        used(info->name, option, !vn_loss_make(info->name, options, n, &loss));
        if (!loss.kind) return;
        used(info->name, option, vn_loss_value(&loss, x, label) != NULL);
        used(info->name, option, vn_loss_value(&loss, x, y) != NULL);
    } else if (!strcmp(info->kind, "metric")) {
        vn_metric metric = {0};
        used(info->name, option, !vn_metric_make(info->name, options, n, &metric));
        if (!metric.kind) return;
        vn_metric_value(&metric, x, label), used(info->name, option, true);
        vn_metric_value(&metric, x, y), used(info->name, option, true);
    } else if (!strcmp(info->kind, "schedule")) {
        static const int64_t steps[] = {0, 1, 2, 7, 100, INT64_C(1) << 40, -1};
        vn_schedule s = {0};
        used(info->name, option, !vn_schedule_make(info->name, options, n, &s));
        for (size_t k = 0; s.kind && k < sizeof steps / sizeof *steps; k++) used(info->name, option, !isnan(vn_schedule_at(&s, steps[k])));
    } else {
        static const vn_shape shapes[] = {{0}, {1, {3}}, {2, {2, 3}}, {2, {3, 2}}, {4, {3, 3, 2, 4}}, {2, {0, 2}}, {3, {2, 2, 2}}};
        vn_init init = {0};
        used(info->name, option, !vn_init_make(info->name, options, n, &init));
        for (size_t k = 0; init.kind && k < sizeof shapes / sizeof *shapes; k++)
            for (int64_t fan = 0; fan < 5; fan += 4) used(info->name, option, vn_init_array(init, shapes[k], fan, fan, VN_F32) != NULL);
    }
}

/* ---- options ---- */

typedef void use_fn(const vn_op_info *info, const char *option, const vn_option *options, int n);

/* What must be given; `size` is that of lists and channels. */
static int required(const vn_op_info *info, vn_option *to)
{
    static const int64_t two[] = {2, 2, 2};
    int n = 0;
    for (int k = 0; k < info->n_options; k++) {
        const vn_op_option *o = &info->options[k];
        if (o->value || !o->kind) continue;
        to[n] = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
        if (o->kind == VN_OPT_INTS) to[n].u.is = two;
        else if (o->kind == VN_OPT_FLOAT) to[n].u.f = .5;
        else if (o->kind == VN_OPT_STRING) to[n].u.s = "sgd"; /* a part */
        else to[n].u.i = 2;
        n++;
    }
    return n;
}

/* The options in `all`, of which [at] is changed. */
static void change(const vn_op_info *info, vn_option *all, int n, int at, use_fn *use)
{
    static const int64_t whole[] = {0, 1, -1, 3, 4, INT64_C(1) << 40};
    static const double real[] = {0, 1, -1, .25, 3, NAN};
    static const char *const words[] = {"relu", "none", "nonsense", "same", "mean", "adam", "channel_first", "zeros", ""};
    static const int64_t lists[][3] = {{1, 1, 1}, {2, 2, 2}, {0, 1, 2}, {-1, 2, 2}};
    vn_option *o = &all[at];
    const vn_option own = *o;
    if (o->kind == VN_OPT_INT)
        for (int k = 0; k < 6; k++) o->u.i = whole[k], use(info, o->name, all, n);
    else if (o->kind == VN_OPT_FLOAT)
        for (int k = 0; k < 6; k++) o->u.f = real[k], use(info, o->name, all, n);
    else if (o->kind == VN_OPT_STRING)
        for (int k = 0; k < 9; k++) o->u.s = words[k], use(info, o->name, all, n);
    else
        for (int k = 0; k < 4; k++)
            for (o->n = 0; o->n <= 3; o->n++) o->u.is = lists[k], use(info, o->name, all, n);
    *o = own;
}

static void all_options(const char *family, use_fn *use)
{
    const int n = vn_object_count(family);
    CHECK(n > 0);
    for (int i = 0; i < n; i++) {
        vn_op_info info = {.size = sizeof info};
        vn_option options[64];
        if (!in_part((size_t)i)) continue;
        CHECK(!vn_object_at(family, i, &info));
        const int given = required(&info, options);
        use(&info, NULL, options, given);
        for (int k = 0; k < given; k++) change(&info, options, given, k, use);
        for (int k = 0; k < info.n_options; k++) {
            const vn_op_option *o = &info.options[k];
            if (!o->value || !o->kind) continue;
            options[given] = (vn_option){.name = o->name, .kind = o->kind, .n = 1};
            change(&info, options, given + 1, given, use);
        }
    }
}

TEST(layers)
{
    all_options("layer", use_layer);
}

TEST(optimizers)
{
    all_options("optimizer", use_optimizer);
    all_options("transformation", use_optimizer);
}

TEST(others)
{
    static const char *const families[] = {"initialiser", "schedule", "loss", "metric"};
    for (int f = 0; f < 4; f++) all_options(families[f], use_number);
    printf("%ld uses, of which %ld were errors\n", uses, errors);
    CHECK(errors > 100 && errors < uses);
}

TEST_MAIN
