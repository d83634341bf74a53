/* attention.c: causal self-attention of four heads. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <mlx/c/mlx.h>

int main(void)
{
    mlx_stream s = mlx_default_cpu_stream_new();
    mlx_array x = mlx_array_new(), w = mlx_array_new(), y = mlx_array_new(), part[3] = {{0}};
    mlx_arange(&x, 0, 192, 1, MLX_FLOAT32, s);
    mlx_sin(&x, x, s);
    mlx_reshape(&x, x, (int[]){2, 6, 16}, 3, s);
    mlx_arange(&w, 0, 768, 1, MLX_FLOAT32, s);
    mlx_sin(&w, w, s);
    mlx_reshape(&w, w, (int[]){16, 48}, 2, s);
    mlx_matmul(&y, x, w, s);
    mlx_vector_array qkv = mlx_vector_array_new();
    mlx_split(&qkv, y, 3, -1, s);
    for (size_t i = 0; i < 3; i++) {
        mlx_vector_array_get(&part[i], qkv, i);
        mlx_reshape(&part[i], part[i], (int[]){2, 6, 4, 4}, 4, s);
        mlx_transpose_axes(&part[i], part[i], (int[]){0, 2, 1, 3}, 4, s);
    }
    mlx_fast_scaled_dot_product_attention(&y, part[0], part[1], part[2], .5f, "causal", mlx_array_empty, mlx_array_empty, s);
    mlx_transpose_axes(&y, y, (int[]){0, 2, 1, 3}, 4, s);
    mlx_reshape(&y, y, (int[]){2, 6, 16}, 3, s);
    mlx_contiguous(&y, y, false, s);
    mlx_array_eval(y);
    for (int t = 0; t < 6; t++) printf("%d  %.5f\n", t, mlx_array_data_float32(y)[t * 16]);
    for (int i = 0; i < 3; i++) mlx_array_free(part[i]);
    mlx_array_free(x), mlx_array_free(w), mlx_array_free(y), mlx_vector_array_free(qkv), mlx_stream_free(s);
    return 0;
}
