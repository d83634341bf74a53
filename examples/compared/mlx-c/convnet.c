/* convnet.c: trains a small convolutional network that is written with ops. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <mlx/c/mlx.h>

static mlx_stream s;

static int loss_of(mlx_vector_array *out, const mlx_vector_array in)          /* in: filters, weights, x, labels */
{
    mlx_array p[4] = {{0}}, h = mlx_array_new(), zero = mlx_array_new_float(0), right = mlx_array_new();
    for (size_t i = 0; i < 4; i++) mlx_vector_array_get(&p[i], in, i);
    mlx_conv2d(&h, p[2], p[0], 1, 1, 1, 1, 1, 1, 1, s);
    mlx_maximum(&h, h, zero, s);
    mlx_reshape(&h, h, (int[]){8, 4, 2, 4, 2, 4}, 6, s);                      /* max pooling: windows as axes */
    mlx_max_axes(&h, h, (int[]){2, 4}, 2, false, s);
    mlx_mean_axes(&h, h, (int[]){1, 2}, 2, false, s);
    mlx_matmul(&h, h, p[1], s);
    mlx_take_along_axis(&right, h, p[3], 1, s);                               /* cross-entropy */
    mlx_logsumexp_axis(&h, h, 1, true, s);
    mlx_subtract(&h, h, right, s);
    mlx_mean(&h, h, false, s);
    mlx_vector_array_set_value(out, h);
    for (size_t i = 0; i < 4; i++) mlx_array_free(p[i]);
    mlx_array_free(zero), mlx_array_free(right);
    return mlx_array_free(h);
}

static void waves(mlx_array *to, int n, const int *shape, size_t rank)
{
    mlx_arange(to, 0, n, 1, MLX_FLOAT32, s);
    mlx_sin(to, *to, s);
    mlx_reshape(to, *to, shape, rank, s);
}

int main(void)
{
    s = mlx_default_cpu_stream_new();
    mlx_array in[4] = {{0}}, three = mlx_array_new_int(3), rate = mlx_array_new_float(.1f), g = mlx_array_new(), loss = mlx_array_new();
    waves(&in[0], 36, (int[]){3, 3, 1, 4}, 4);
    mlx_transpose_axes(&in[0], in[0], (int[]){3, 0, 1, 2}, 4, s);
    waves(&in[1], 12, (int[]){4, 3}, 2);
    waves(&in[2], 512, (int[]){8, 8, 8, 1}, 4);
    mlx_arange(&in[3], 0, 8, 1, MLX_INT32, s);
    mlx_remainder(&in[3], in[3], three, s);
    mlx_reshape(&in[3], in[3], (int[]){8, 1}, 2, s);
    mlx_closure fn = mlx_closure_new_func(loss_of);
    mlx_closure_value_and_grad both = mlx_closure_value_and_grad_new();
    mlx_value_and_grad(&both, fn, (int[]){0, 1}, 2);
    mlx_vector_array args = mlx_vector_array_new(), values = mlx_vector_array_new(), grads = mlx_vector_array_new();
    for (int step = 0; step <= 40; step++) {
        float value;
        mlx_vector_array_set_data(&args, in, 4);
        mlx_closure_value_and_grad_apply(&values, &grads, both, args);
        for (size_t i = 0; i < 2; i++) {
            mlx_vector_array_get(&g, grads, i);
            mlx_multiply(&g, g, rate, s);
            mlx_subtract(&in[i], in[i], g, s);
            mlx_array_eval(in[i]);
        }
        mlx_vector_array_get(&loss, values, 0);
        mlx_array_item_float32(&value, loss);
        if (step % 20 == 0) printf("%2d  loss %.5f\n", step, value);
    }
    for (int i = 0; i < 4; i++) mlx_array_free(in[i]);
    mlx_array_free(three), mlx_array_free(rate), mlx_array_free(g), mlx_array_free(loss);
    mlx_vector_array_free(args), mlx_vector_array_free(values), mlx_vector_array_free(grads);
    mlx_closure_free(fn), mlx_closure_value_and_grad_free(both), mlx_stream_free(s);
    return 0;
}
