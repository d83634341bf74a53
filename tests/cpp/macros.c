/* SPDX-License-Identifier: Apache-2.0 */
/* macros.c: every macro of the API as the pages write it. cpp.sh compiles this one text as C11 and as C++11, 14, 17 and 20, and compares
 * what the programs print. Fields are named in the order of their struct, which C++ asks for. */
/* ctest: sanitize */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *plus_one(vn_array *x, void *user)
{
    (void)user;
    return vn_add(x, vn_scalar(1));
}

static int squares(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)user;
    for (int i = 0; i < n && i < n_out; i++) out[i] = vn_square(in[i]);
    return vn_status(); /* a code as an int */
}

static void show(const char *what, vn_array *x)
{
    printf("%s %s\n", what, vn_text(x));
}

/* Read what a call is given here, in code that the sanitizer looks at: the library it is linked with is not built for it. */
static const vn_conv2d_opts *read_options(const vn_conv2d_opts *o)
{
    printf("%zu %d %d %s %d\n", o->size, (int)o->strides[0], (int)o->strides[1], o->padding ? o->padding : "", (int)o->groups);
    return o;
}
static const vn_execute_opts *read_lists(const vn_execute_opts *o)
{
    for (int i = 0; o->inputs[i]; i++) printf("input %s\n", o->inputs[i]);
    for (int i = 0; o->results[i]; i++) printf("result %s\n", o->results[i]);
    return o;
}

static void shapes(void)
{
    VN_SCOPE;
    const size_t rows = 2;
    const int columns = 3;
    vn_array *x = vn_reshape(vn_arange(0, 6, 1, VN_F32), VN_SHAPE(rows, columns));
    show("sum", vn_sum(x, VN_ALL));
    show("rows", vn_sum(x, VN_KEEP(-1)));
    show("columns", vn_sum(x, VN_AXES(0)));
    show("kept", vn_sum(x, VN_ALL_KEEP));
    show("both", vn_sum(x, VN_AXES(0, 1)));
    show("number", vn_zeros(VN_0D, VN_F32));
    show("reversed", vn_permute_dims(x, VN_AXES(1, 0)));
}

static void options(void)
{
    VN_SCOPE;
    vn_array *x = vn_reshape(vn_arange(0, 16, 1, VN_F32), VN_SHAPE(1, 4, 4, 1)), *w = vn_ones(VN_SHAPE(3, 3, 1, 1), VN_F32);
    show("all defaults", vn_conv2d(x, w, VN_NONE, NULL));
    show("conv2d", vn_conv2d(x, w, VN_NONE, read_options(VN_OPTS(conv2d, .strides = {2, 2}, .padding = "SAME"))));
    vn_conv2d_opts o = VN_INIT(conv2d);
    o.strides[0] = 2;
    o.padding = "SAME";
    show("the same", vn_conv2d(x, w, VN_NONE, &o));
    show("pool", vn_max_pool2d(x, VN_LIST(2, 2), VN_OPTS(max_pool2d, .padding = "VALID")));
    show("pad", vn_pad(vn_ones(VN_SHAPE(2), VN_F32), VN_LIST(1), VN_LIST(2), VN_OPTS(pad, .value = 7)));

    vn_array *q = vn_reshape(x, VN_SHAPE(4, 4)), *index, *zeros = vn_zeros(VN_SHAPE(4), VN_F32);
    show("attention", vn_attention(q, q, q, VN_NONE, VN_OPTS(attention, .scale = .01, .causal = 1)));
    show("topk", vn_topk(vn_reshape(x, VN_SHAPE(16)), 3, 0, VN_OPTS(topk, .smallest = 1), &index));
    show("at", index);
    show("linspace", vn_linspace(0, 1, 4, VN_F32, VN_OPTS(linspace, .no_endpoint = 1)));
    vn_array *ones = vn_ones(VN_SHAPE(4), VN_F32), *one = vn_scalar(1), *m, *v;
    vn_adam_update(zeros, ones, one, zeros, zeros, one, VN_OPTS(adam_update, .beta1 = VN_ZERO), &m, &v);
    show("beta1 is 0", m);
    show("reversed", vn_cumulative_sum(q, -1, VN_OPTS(cumulative_sum, .reverse = 1)));
}

/* Calls that end before what has a default are those that give it. A pointer to a function has all parameters. */
static void short_calls(void)
{
    VN_SCOPE;
    const float numbers[] = {2, 0, 0, 3};
    const int64_t classes[] = {0, 0};
    vn_array *x = vn_from(numbers, VN_SHAPE(2, 2)), *y = vn_from_host(classes, VN_I64, VN_SHAPE(2));
    vn_array *weight = vn_from(numbers, VN_SHAPE(2)), *(*sum)(vn_array *, vn_axes) = vn_sum;
    show("all given", vn_cross_entropy(x, y, VN_NONE, -1, NULL));
    show("four", vn_cross_entropy(x, y, VN_NONE, -1));
    show("three", vn_cross_entropy(x, y, VN_NONE));
    show("two", vn_cross_entropy(x, y));
    show("weights", vn_cross_entropy(x, y, weight));
    show("options", vn_cross_entropy(x, y, VN_NONE, -1, VN_OPTS(cross_entropy, .label_smoothing = .5, .reduction = "sum")));
    show("nested", vn_mse_loss(vn_sum(vn_sum(x, VN_AXES(0))), vn_huber_loss(x, vn_zeros(VN_SHAPE(2, 2)), vn_cross_entropy(x, y), 2)));
    show("shapes", vn_mean(vn_conv2d(vn_ones(VN_SHAPE(1, 3, 3, 1)), vn_ones(VN_SHAPE(2, 2, 1, 1)))));
    show("pointer", sum(x, VN_ALL));
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(2, 3), vn_nn_layer_norm(VN_SHAPE(3)), vn_nn_dropout(.5),
                                   vn_nn_linear(3, 1, VN_OPTS(nn_linear, .no_bias = 1)));
    printf("%d %s\n", vn_rank(vn_module_call(net, x)), vn_tree_text(vn_tree_of("loss", vn_mae_loss(x, x), NULL)));
    vn_optim *adam = vn_adam(.01);
    printf("%d\n", adam != NULL && vn_dataset_of(x, y) != NULL);
}

static void trees(void)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_of("enc/w", vn_ones(VN_SHAPE(2), VN_F32), "enc/b", vn_scalar(2), "dec/w", vn_scalar(3), NULL);
    printf("%s\n", vn_tree_text(vn_tree_prune_keys(t, VN_KEYS("b"), NULL), NULL));
    printf("%s\n", vn_tree_text(vn_tree_at_key_chains(t, VN_KEYS("dec/w", "enc/w"), VN_OPTS(tree_select, .ignore_missing = 1)),
                                VN_OPTS(tree_text, .indent = 2)));
    vn_tree_identical_opts o = VN_INIT(tree_identical);
    o.no_same_arrays = 1;
    const vn_tree *two[2];
    two[0] = t, two[1] = vn_tree_deep_copy(t);
    printf("equal %d, the same %d\n", vn_tree_identical(2, two, &o), vn_tree_identical(2, two, NULL));
    printf("%d\n", vn_tree_leaves(vn_tree_map_arrays(t, plus_one, NULL)));
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32), *out[2], *in[2];
    in[0] = x, in[1] = plus_one(x, NULL);
    vn_fn *f = vn_capture(squares, 2, NULL);
    vn_fn_call_many(f, 2, in, 2, out);
    show("captured", out[1]);
}

static vn_tree *product(const vn_tree *xs, void *user)
{
    (void)user;
    return vn_tree_of("y", vn_sum(vn_mul(vn_tree_get(xs, "a"), vn_tree_get(xs, "b")), VN_ALL), NULL);
}

static void gradients(void)
{
    VN_SCOPE;
    vn_tree *xs = vn_tree_of("a", vn_full(vn_scalar(2), VN_SHAPE(2), VN_F32), "b", vn_full(vn_scalar(3), VN_SHAPE(2), VN_F32), NULL),
            *gradient;
    /* Lists inside of options: all of them live as long as the call. */
    vn_execute_with_gradients(product, xs, NULL, read_lists(VN_OPTS(execute, .inputs = VN_KEYS("b"), .results = VN_KEYS("y"))), &gradient,
                              NULL);
    show("by b", vn_tree_get(gradient, "y/b"));
    printf("by a %d\n", vn_tree_get_or_null(gradient, "y/a") != NULL);

    vn_array *x = vn_variable(vn_ones(VN_SHAPE(2), VN_F32)), *y = NULL;
    VN_NO_GRAD {
        y = vn_square(x);
        VN_NO_GRAD {
            y = vn_square(y);
        }
        printf("inside %d\n", vn_with_grads(-1));
    }
    for (int i = 0; i < 2; i++) {
        VN_NO_GRAD {
            break;
        } /* leaves the block, as its last line would */
        VN_NO_GRAD
            continue;
    }
    printf("outside %d\n", vn_with_grads(-1));
    show("no history", y);
}

static void networks(void)
{
    VN_SCOPE;
    vn_seed(3); /* the layers take their random numbers in this order */
    vn_module *net = VN_SEQUENTIAL(vn_nn_linear(2, 4, NULL), vn_nn_tanh(), vn_nn_linear(4, 1, VN_OPTS(nn_linear, .no_bias = 1)));
    show("net", vn_module_call(net, vn_ones(VN_SHAPE(1, 2), VN_F32), NULL));
    vn_optim *adam = vn_adam(.1, VN_OPTS(adam, .beta1 = .8, .epsilon = 1e-6));
    printf("%s %g\n", vn_optim_name(adam), vn_optim_lr(adam));
}

static vn_array *early(vn_array *x)
{
    VN_SCOPE;
    if (vn_rank(x) > 0) return vn_pass(vn_neg(x));
    return vn_pass(x);
}

static int64_t alive(void)
{
    static vn_memory_info info; /* all zero in both languages */
    info.size = sizeof info;
    vn_memory(&info);
    return info.handles;
}

int main(void)
{
    const char *const names[] = {
#define NAME(id, number, name, bytes) name,
        VN_DTYPES(NAME)};
    const int codes[] = {
#define CODE(id, number, meaning) id,
        VN_CODES(CODE)};
    shapes();
    options();
    short_calls();
    trees();
    gradients();
    networks();
    show("passed", early(vn_ones(VN_SHAPE(2), VN_F32)));
    const int64_t before = alive();
    for (int i = 0; i < 3; i++) {
        VN_SCOPE;
        vn_ones(VN_SHAPE(3), VN_F32);
        if (i == 1) continue; /* the scope closes all the same */
        if (i == 2) break;
    }
    printf("left over %d\n", (int)(alive() - before));
    const int last_name = (int)(sizeof names / sizeof *names) - 1, last_code = (int)(sizeof codes / sizeof *codes) - 1;
    printf("%s is dtype %d, %s is code %d\n", names[last_name], last_name, vn_code_name((vn_code)codes[last_code]), last_code);
    printf("floats %x\n", (unsigned)(VN_FLOATS & ~VN_BIT(VN_F64)));
    if (vn_status()) printf("%s\n", vn_message());
    return vn_close();
}
