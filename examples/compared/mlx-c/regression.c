/* regression.c: fits a line by gradient descent. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <mlx/c/mlx.h>

static mlx_stream s;

static int loss_of(mlx_vector_array *out, const mlx_vector_array in)          /* in: w, b, x, y */
{
    mlx_array p[4] = {{0}}, h = mlx_array_new();
    for (size_t i = 0; i < 4; i++) mlx_vector_array_get(&p[i], in, i);
    mlx_matmul(&h, p[2], p[0], s);
    mlx_add(&h, h, p[1], s);
    mlx_subtract(&h, h, p[3], s);
    mlx_square(&h, h, s);
    mlx_mean(&h, h, false, s);
    mlx_vector_array_set_value(out, h);
    for (size_t i = 0; i < 4; i++) mlx_array_free(p[i]);
    return mlx_array_free(h);
}

int main(void)
{
    s = mlx_default_cpu_stream_new();
    mlx_array in[4] = {{0}}, truth = mlx_array_new_data((float[]){2, -1, .5f}, (int[]){3, 1}, 2, MLX_FLOAT32), one = mlx_array_new_float(1);
    mlx_array rate = mlx_array_new_float(.1f), g = mlx_array_new(), loss = mlx_array_new();
    mlx_zeros(&in[0], (int[]){3, 1}, 2, MLX_FLOAT32, s);
    mlx_zeros(&in[1], (int[]){1}, 1, MLX_FLOAT32, s);
    mlx_arange(&in[2], 0, 60, 1, MLX_FLOAT32, s);
    mlx_sin(&in[2], in[2], s);
    mlx_reshape(&in[2], in[2], (int[]){20, 3}, 2, s);
    mlx_matmul(&in[3], in[2], truth, s);
    mlx_add(&in[3], in[3], one, s);
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
    mlx_array_free(truth), mlx_array_free(one), mlx_array_free(rate), mlx_array_free(g), mlx_array_free(loss);
    mlx_vector_array_free(args), mlx_vector_array_free(values), mlx_vector_array_free(grads);
    mlx_closure_free(fn), mlx_closure_value_and_grad_free(both), mlx_stream_free(s);
    return 0;
}
