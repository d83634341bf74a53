/* own_op.c: a custom op. A C function made of ops is as good as a built-in one: it runs on every engine and has a gradient; when
 * captured, it is recorded once and then runs as one program; and a better gradient can be provided.
 *
 * The op is squareplus, a smooth form of relu: (x + sqrt(x^2 + b)) / 2.
 *
 *     build/examples/own_op [engine]
 */
#include <stdio.h>
#include <vinea/vinea.h>

static vn_array *squareplus(vn_array *x, double b)
{
    return vn_div(vn_add(x, vn_sqrt(vn_add(vn_square(x), vn_scalar(b)))), vn_scalar(2));
}

/* As a function with a custom gradient, which needs only y: y / (2 y - x), since 2 y - x is the root. */
static vn_array *squareplus_fn(vn_array *x, void *user)
{
    return squareplus(x, *(const double *)user);
}
static vn_array *squareplus_rule(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)user;
    return vn_mul(upstream, vn_div(y, vn_sub(vn_add(y, y), x)));
}

/* As captured functions: the op, and its derivative with respect to x. */
static int value(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out;
    out[0] = squareplus_fn(in[0], user);
    return vn_status();
}
static vn_array *sum_of(vn_array *x, void *user)
{
    return vn_sum(squareplus_fn(x, user), VN_ALL);
}
static int slope(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)n_out;
    out[0] = vn_grad_of(sum_of, in[0], user);
    return vn_status();
}

static double distance(vn_array *x, vn_array *y)
{
    return vn_item(vn_max(vn_abs(vn_sub(x, y)), VN_ALL));
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "own_op: %s\n", vn_message());
        return vn_close();
    }
    double b = 4;
    vn_array *x = vn_linspace(-3, 3, 7, VN_F64);

    vn_array *y = squareplus(x, b), *gradient = vn_grad_of(sum_of, x, &b);
    printf("x          %s\n", vn_text(x));
    printf("squareplus %s\n", vn_text(y));
    printf("derivative %s\n", vn_text(gradient));

    const double h = 1e-5;                                    /* the derivative by differences, for comparison */
    vn_array *right = squareplus(vn_add(x, vn_scalar(h)), b), *left = squareplus(vn_sub(x, vn_scalar(h)), b);
    const double by_differences = distance(gradient, vn_div(vn_sub(right, left), vn_scalar(2 * h)));

    vn_fn *ruled = vn_bind_custom_gradient(squareplus_fn, squareplus_rule, &b);
    vn_array *leaf = vn_variable(x);
    const double by_rule = distance(gradient, vn_grad(vn_sum(vn_fn_call(ruled, leaf), VN_ALL), leaf));

    vn_fn *fast = vn_capture(value, 1, &b), *fast_slope = vn_capture(slope, 1, &b);
    vn_array *z = x, *plain = x;
    for (int i = 0; i < 10; i++) {
        z = vn_fn_call(fast, z);                              /* calls value() once, then runs the recorded program */
        plain = squareplus(plain, b);
    }
    const double captured = distance(z, plain) / vn_item(vn_max(plain, VN_ALL));
    const double captured_slope = distance(vn_fn_call(fast_slope, x), gradient);

    printf("the derivative differs by %.1g from differences, by %.1g from the rule's, by %.1g captured; 10 calls by %.1g\n",
           by_differences, by_rule, captured_slope, captured);
    if (vn_status()) fprintf(stderr, "own_op: %s\n", vn_message());
    const int failed = vn_close();
    return failed ? failed : !(by_differences < 1e-9 && by_rule < 1e-14 && captured_slope < 1e-14 && captured < 1e-12);
}
