/* model.c: loads the network that adamw.c saved and runs it. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <mlx/c/mlx.h>

int main(void)
{
    mlx_stream s = mlx_default_cpu_stream_new();
    mlx_map_string_to_array file = mlx_map_string_to_array_new();
    mlx_map_string_to_string notes = mlx_map_string_to_string_new();
    mlx_load_safetensors(&file, &notes, "model.safetensors", s);
    mlx_array p[4] = {{0}}, x = mlx_array_new(), zero = mlx_array_new_float(0);
    for (int i = 0; i < 4; i++) {
        const char *name = (const char *[]){"w1", "b1", "w2", "b2"}[i];
        if (mlx_map_string_to_array_get(&p[i], file, name)) return fprintf(stderr, "model: no %s\n", name), 1;
    }
    mlx_arange(&x, 0, 8, 1, MLX_FLOAT32, s);
    mlx_cos(&x, x, s);
    mlx_reshape(&x, x, (int[]){2, 4}, 2, s);
    mlx_transpose(&p[0], p[0], s);
    mlx_addmm(&x, p[1], x, p[0], 1, 1, s);
    mlx_maximum(&x, x, zero, s);
    mlx_transpose(&p[2], p[2], s);
    mlx_addmm(&x, p[3], x, p[2], 1, 1, s);
    mlx_array_eval(x);
    for (int i = 0; i < 2; i++) printf("%d  %.5f\n", i, mlx_array_data_float32(x)[i]);
    for (int i = 0; i < 4; i++) mlx_array_free(p[i]);
    mlx_array_free(x), mlx_array_free(zero), mlx_map_string_to_array_free(file), mlx_map_string_to_string_free(notes), mlx_stream_free(s);
    return 0;
}
