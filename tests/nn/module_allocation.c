/* SPDX-License-Identifier: Apache-2.0 */
/* module_allocation.c: every allocation fails, once and persistently, in programs that build and call modules: no crash,
 * no leak, an error every time; what failed to build can be built again, and a failed call leaves the variables as they were. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"

static int freed, made;

static void free_self(void *self)
{
    (void)self;
    freed++;
}

static int block_build(vn_module *m, const vn_tree *args)
{
    (void)args;
    vn_module *shared = vn_nn_linear(2, 2, NULL);
    vn_module_add(m, "_a", shared);
    vn_module_add_list(m, "_more", (vn_module *[]){shared, vn_nn_tanh()}, 2);
    return vn_status();
}

static vn_tree *block_variables(vn_module *m, vn_dtype dtype)
{
    vn_module_add_buffer(m, "seen", vn_zeros(VN_0D, dtype));
    return vn_tree_of("scale", vn_ones(VN_0D, dtype), NULL);
}

static vn_array *block_forward(vn_module *m, vn_array *x)
{
    x = vn_module_run(m, "more/v1", vn_module_run(m, "more/v0", vn_module_run(m, "_a", x)));
    if (vn_module_training(m)) vn_module_set_buffer(m, "seen", vn_add(vn_module_buffer(m, "seen"), vn_scalar(1)));
    return vn_mul(x, vn_module_var(m, "scale"));
}

static const vn_module_class block = {.name = "Block",
                                      .self_size = sizeof(int),
                                      .build = block_build,
                                      .create_variables = block_variables,
                                      .forward = block_forward,
                                      .free = free_self};

/* The class's free is called once for every vn_module_new, whatever happens. */
static vn_module *make_block(const vn_module_opts *opts)
{
    made++;
    return vn_module_new(&block, &made, opts);
}

static int building(void)
{
    vn_module *m = make_block(VN_OPTS(module, .build_mode = VN_BUILD_EXPLICIT));
    vn_tree *v = m ? vn_module_build(m, NULL) : NULL;
    if (m && !v) CHECK(!vn_module_is_built(m));
    vn_tree *part = vn_tree_of("scale", vn_full(vn_scalar(3), VN_0D, VN_F32), NULL);
    vn_module *n = part ? make_block(VN_OPTS(module, .v = part, .with_partial_v = 1)) : NULL;
    vn_module *seq = n ? VN_SEQUENTIAL(n, vn_nn_layer_norm(VN_SHAPE(2), NULL)) : NULL;
    vn_tree *all = seq ? vn_module_v(seq) : NULL;
    return v && all && vn_tree_leaves(v) == 3 && vn_tree_leaves(all) == 5 && vn_item(vn_tree_get(all, "submodules/v0/scale")) == 3;
}

static int calling(void)
{
    vn_module *m = make_block(VN_OPTS(module, .build_mode = VN_BUILD_ON_CALL));
    vn_array *x = vn_ones(VN_SHAPE(3, 2), VN_F32), *y = vn_module_call(m, x, NULL);
    vn_tree *v = y ? vn_module_v(m) : NULL,
            *other = v ? vn_tree_set_at_key_chain(v, "scale", vn_value_array(vn_zeros(VN_0D, VN_F32))) : NULL;
    vn_array *z = other ? vn_module_call(m, x, VN_OPTS(module_call, .v = other)) : NULL;
    if (v) CHECK(vn_module_v(m) == v || vn_status());
    return z && vn_item(vn_max(vn_abs(z), VN_ALL)) == 0 && vn_item(vn_module_buffer(m, "seen")) == 2;
}

static vn_array *loss_of(vn_module *m, void *x)
{
    return vn_sum(vn_module_call(m, x, NULL), VN_ALL);
}

static int training(void)
{
    vn_module *m = VN_SEQUENTIAL(make_block(NULL), vn_nn_dropout(.5, NULL));
    vn_array *x = vn_ones(VN_SHAPE(3, 2), VN_F32);
    vn_tree *grads = NULL, *before = m ? vn_module_state(m) : NULL;
    if (!before || vn_module_freeze(m, "submodules/v0/a/b")) return 0;
    vn_array *loss = vn_module_value_and_grad(m, loss_of, x, &grads);
    int stepped = loss && !vn_step(vn_sgd(.1, NULL), vn_module_v(m), grads), restored = stepped && !vn_module_set_state(m, before);
    vn_tree *after = restored ? vn_module_state(m) : NULL;
    return after && vn_tree_identical(2, (const vn_tree *[]){before, after}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1;
}

static int tracing(void)
{
    vn_module *m = make_block(NULL);
    vn_array *x = vn_ones(VN_SHAPE(3, 2), VN_F32);
    vn_module_trace *t = m ? vn_module_trace_new(VN_OPTS(module_trace, .rets = 1, .call_order = 1)) : NULL;
    vn_array *y = t ? vn_module_call(m, x, VN_OPTS(module_call, .trace = t)) : NULL;
    vn_tree *rets = y ? vn_module_trace_submod_rets(t) : NULL, *order = rets ? vn_module_trace_submod_call_order(t) : NULL;
    vn_module_trace *check = order ? vn_module_trace_new(VN_OPTS(module_trace, .expected = rets)) : NULL;
    const char *text = check && vn_module_call(m, x, VN_OPTS(module_call, .trace = check)) ? vn_module_summary(m, x) : NULL;
    return text && strstr(text, "Linear_0 a (again)") && vn_tree_has(order, "Block_0_0/Linear_0_1/w") && vn_tree_leaves(rets) == 3;
}

int main(void)
{
    FAIL_ALL(building);
    FAIL_ALL(calling);
    FAIL_ALL(training);
    FAIL_ALL(tracing);
    CHECK(freed == made);
    return finish();
}
