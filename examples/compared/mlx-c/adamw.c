/* adamw.c: three steps of AdamW on a network of two layers, which is then saved. docs/compared.md has this program in four libraries. */
#include <math.h>
#include <stdio.h>
#include <mlx/c/mlx.h>

static mlx_stream s;

static int loss_of(mlx_vector_array *out, const mlx_vector_array in)          /* in: w1, b1, w2, b2, x, y */
{
    mlx_array p[6] = {{0}}, h = mlx_array_new(), zero = mlx_array_new_float(0);
    for (size_t i = 0; i < 6; i++) mlx_vector_array_get(&p[i], in, i);
    mlx_transpose(&p[0], p[0], s);
    mlx_addmm(&h, p[1], p[4], p[0], 1, 1, s);
    mlx_maximum(&h, h, zero, s);
    mlx_transpose(&p[2], p[2], s);
    mlx_addmm(&h, p[3], h, p[2], 1, 1, s);
    mlx_subtract(&h, h, p[5], s);
    mlx_square(&h, h, s);
    mlx_mean(&h, h, false, s);
    mlx_vector_array_set_value(out, h);
    for (size_t i = 0; i < 6; i++) mlx_array_free(p[i]);
    mlx_array_free(zero);
    return mlx_array_free(h);
}

static void scaled(mlx_array *to, mlx_array x, double by)
{
    mlx_array factor = mlx_array_new_float((float)by);
    mlx_multiply(to, x, factor, s);
    mlx_array_free(factor);
}

static void mixed(mlx_array *to, double kept, mlx_array x)                    /* to = kept to + (1 - kept) x */
{
    mlx_array y = mlx_array_new();
    scaled(&y, x, 1 - kept);
    scaled(to, *to, kept);
    mlx_add(to, *to, y, s);
    mlx_array_free(y);
}

static void update(mlx_array *w, mlx_array g, mlx_array *m, mlx_array *v, int step)
{
    const double lr = .01, beta1 = .9, beta2 = .999, decay = .01;
    mlx_array y = mlx_array_new(), root = mlx_array_new(), epsilon = mlx_array_new_float(1e-8f);
    mixed(m, beta1, g);
    mlx_square(&y, g, s);
    mixed(v, beta2, y);
    scaled(&root, *v, 1 / (1 - pow(beta2, step + 1)));
    mlx_sqrt(&root, root, s);
    mlx_add(&root, root, epsilon, s);
    scaled(&y, *m, lr / (1 - pow(beta1, step + 1)));
    mlx_divide(&y, y, root, s);
    scaled(w, *w, 1 - lr * decay);
    mlx_subtract(w, *w, y, s);
    mlx_array_free(y), mlx_array_free(root), mlx_array_free(epsilon);
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
    mlx_array in[6] = {{0}}, m[4] = {{0}}, v[4] = {{0}}, g = mlx_array_new(), loss = mlx_array_new();
    waves(&in[0], 32, (int[]){8, 4}, 2);
    waves(&in[1], 8, (int[]){8}, 1);
    waves(&in[2], 8, (int[]){1, 8}, 2);
    waves(&in[3], 1, (int[]){1}, 1);
    waves(&in[4], 64, (int[]){16, 4}, 2);
    mlx_sum_axis(&in[5], in[4], -1, true, s);
    for (int i = 0; i < 4; i++) {
        mlx_zeros_like(&m[i], in[i], s);
        mlx_zeros_like(&v[i], in[i], s);
    }
    mlx_closure fn = mlx_closure_new_func(loss_of);
    mlx_closure_value_and_grad both = mlx_closure_value_and_grad_new();
    mlx_value_and_grad(&both, fn, (int[]){0, 1, 2, 3}, 4);
    mlx_vector_array args = mlx_vector_array_new(), values = mlx_vector_array_new(), grads = mlx_vector_array_new();
    for (int step = 0; step < 3; step++) {
        float value;
        mlx_vector_array_set_data(&args, in, 6);
        mlx_closure_value_and_grad_apply(&values, &grads, both, args);
        for (size_t i = 0; i < 4; i++) {
            mlx_vector_array_get(&g, grads, i);
            update(&in[i], g, &m[i], &v[i], step);
            mlx_array_eval(in[i]);
        }
        mlx_vector_array_get(&loss, values, 0);
        mlx_array_item_float32(&value, loss);
        printf("%d  loss %.5f\n", step, value);
    }
    mlx_map_string_to_array file = mlx_map_string_to_array_new();
    mlx_map_string_to_string notes = mlx_map_string_to_string_new();
    for (int i = 0; i < 4; i++) mlx_map_string_to_array_insert(file, (const char *[]){"w1", "b1", "w2", "b2"}[i], in[i]);
    mlx_save_safetensors("model.safetensors", file, notes);
    for (int i = 0; i < 6; i++) mlx_array_free(in[i]);
    for (int i = 0; i < 4; i++) mlx_array_free(m[i]), mlx_array_free(v[i]);
    mlx_array_free(g), mlx_array_free(loss), mlx_map_string_to_array_free(file), mlx_map_string_to_string_free(notes);
    mlx_vector_array_free(args), mlx_vector_array_free(values), mlx_vector_array_free(grads);
    mlx_closure_free(fn), mlx_closure_value_and_grad_free(both), mlx_stream_free(s);
    return 0;
}
