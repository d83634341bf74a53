/* SPDX-License-Identifier: Apache-2.0 */
/* allocation.c: every allocation of small programs fails, once and persistently (failing.h): no crash, no leak, an error every time. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"
#include "core/memory.h"

/* ---- the programs; each returns 1 if its result is right ---- */

static int arithmetic(void)
{
    vn_array *x = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2)), *y = vn_exp(vn_mul(vn_add(x, vn_scalar(1)), vn_scalar(.5)));
    return near(vn_item(vn_sum(vn_matmul(y, y), VN_ALL)), 398.92, 1e-3);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    return vn_mean(vn_square(vn_sub(vn_tree_get(p, "a/w"), vn_scalar(3))), VN_ALL);
}

static int training(void)
{
    vn_tree *p = vn_tree_of("a/w", vn_zeros(VN_SHAPE(5), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(1, NULL);
    double last = 0;
    for (int i = 0; i < 3; i++) {
        VN_SCOPE;
        vn_tree *g = NULL;
        vn_array *loss = vn_value_and_grad(loss_of, p, NULL, &g);
        vn_step(sgd, p, g);
        last = vn_item(loss);
    }
    return near(last, 9 * pow(.6, 4), 1e-5);
}

/* Several parameters, which one op moves. */
static int fused_step(void)
{
    vn_array *a = vn_ones(VN_SHAPE(2), VN_F32), *b = vn_zeros(VN_SHAPE(3), VN_F32);
    vn_tree *p = vn_tree_of("a", a, "b", b, NULL),
            *g = vn_tree_of("a", vn_ones(VN_SHAPE(2), VN_F32), "b", vn_ones(VN_SHAPE(3), VN_F32), NULL);
    const int code = vn_step(vn_adam(.5, NULL), p, g);
    if (code && a && b) { /* both as they were */
        vn_clear();
        const double left = vn_item(vn_sum(a, VN_ALL)), right = vn_item(vn_sum(b, VN_ALL));
        CHECK(vn_status() || (left == 2 && right == 0));
        return vn_status() == VN_OK; /* there was an error, and there is memory again */
    }
    return p && g && near(vn_item(vn_sum(a, VN_ALL)), 1, 1e-4) && near(vn_item(vn_sum(b, VN_ALL)), -1.5, 1e-4);
}

static int random_numbers(void)
{
    vn_array *u = vn_random_uniform(0, 1, VN_SHAPE(100)), *n = vn_random_normal(0, 1, VN_SHAPE(100));
    double m = vn_item(vn_mean(u, VN_ALL));
    return m > .3 && m < .7 && isfinite(vn_item(vn_mean(n, VN_ALL)));
}

static int random_indices(void)
{
    vn_array *w = vn_random_gamma(2, VN_SHAPE(30, 7)), *z = vn_random_multinomial(w, 3, VN_OPTS(multinomial, .no_replace = 1)),
             *s = vn_random_shuffle(z);
    return vn_item_int(vn_min(s, VN_ALL)) >= 0 && vn_item_int(vn_max(vn_random_randint(0, 5, VN_SHAPE(9)), VN_ALL)) < 5;
}

static int shapes_and_text(void)
{
    vn_array *x = vn_reshape(vn_from((float[]){1, 2, 3, 4, 5, 6}, VN_SHAPE(6)), VN_SHAPE(2, 3));
    vn_array *s = vn_slice_at(vn_permute_dims(x, VN_AXES(1, 0)), VN_SHAPE(1, 0), VN_SHAPE(2, 2));
    vn_array *t = vn_slice_set(x, vn_ones(VN_SHAPE(1, 1), VN_F32), vn_from_host((int64_t[]){0, 0}, VN_I64, VN_SHAPE(2)));
    const char *text = vn_text(s), *plan = vn_explain(vn_cast(t, VN_F64));
    return text && plan && vn_item(vn_sum(t, VN_ALL)) == 21;
}

static int second_derivative(void)
{
    vn_array *v = vn_variable(vn_from((float[]){2}, VN_SHAPE(1))), *g = NULL;
    vn_grads(vn_sum(vn_mul(v, vn_square(v)), VN_ALL), 1, &v, VN_OPTS(grad, .retain = 1), &g);
    vn_array *h = g ? vn_grad(vn_sum(g, VN_ALL), v) : NULL;
    struct DLManagedTensorVersioned *out = h ? vn_to_dlpack(h) : NULL;
    vn_array *back = out ? vn_from_dlpack(out) : NULL;
    return back && vn_item(back) == 12;
}

static int fences(void)
{
    int failed = vn_error_push();
    if (failed) return 0;
    vn_call("nothing", NULL, 0, NULL, 0, NULL, 0);
    return vn_error_pop() == VN_E_ARG;
}

int main(void)
{
    FAIL_ALL(arithmetic);
    FAIL_ALL(training);
    FAIL_ALL(fused_step);
    FAIL_ALL(random_numbers);
    FAIL_ALL(random_indices);
    FAIL_ALL(shapes_and_text);
    FAIL_ALL(second_derivative);
    FAIL_ALL(fences);
    CHECK_FAILS(vn_set_allocator(&(vn_allocator){.allocate = failing_allocate}), VN_E_NULL, "set_allocator");
    vn_close();
    CHECK_FAILS(vn_set_allocator(&(vn_allocator){.release = failing_release}), VN_E_NULL, "set_allocator");
    vn_close();
    CHECK(vn_set_allocator(NULL) == VN_OK);
    CHECK(!vn__block_alloc(SIZE_MAX)); /* more than there can be */
    vn_scalar(1);
    CHECK_FAILS(failing_begin(0), VN_E_ARG, "in use");
    return finish();
}
