/* attention.c: causal self-attention of four heads. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <ggml-cpu.h>
#include <ggml.h>

int main(void)
{
    struct ggml_context *ctx = ggml_init((struct ggml_init_params){.mem_size = 16 << 20});
    struct ggml_tensor *x = ggml_reshape_3d(ctx, ggml_sin(ctx, ggml_arange(ctx, 0, 192, 1)), 16, 6, 2), *part[3];
    struct ggml_tensor *w = ggml_reshape_2d(ctx, ggml_sin(ctx, ggml_arange(ctx, 0, 768, 1)), 48, 16);
    struct ggml_tensor *qkv = ggml_mul_mat(ctx, ggml_cont(ctx, ggml_transpose(ctx, w)), x);
    const size_t size = sizeof(float);
    for (size_t i = 0; i < 3; i++) part[i] = ggml_view_4d(ctx, qkv, 4, 4, 6, 2, 4 * size, 48 * size, 6 * 48 * size, i * 16 * size);
    struct ggml_tensor *q = ggml_permute(ctx, part[0], 0, 2, 1, 3), *k = ggml_permute(ctx, part[1], 0, 2, 1, 3);
    struct ggml_tensor *v = ggml_cont(ctx, ggml_permute(ctx, part[2], 1, 2, 0, 3));
    struct ggml_tensor *scores = ggml_diag_mask_inf(ctx, ggml_scale(ctx, ggml_mul_mat(ctx, k, q), .5f), 0);
    struct ggml_tensor *y = ggml_mul_mat(ctx, v, ggml_soft_max(ctx, scores));
    struct ggml_tensor *merged = ggml_reshape_3d(ctx, ggml_cont(ctx, ggml_permute(ctx, y, 0, 2, 1, 3)), 16, 6, 2);
    struct ggml_cgraph *graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, merged);
    enum ggml_status status = ggml_graph_compute_with_ctx(ctx, graph, 1);
    for (int t = 0; t < 6 && !status; t++) printf("%d  %.5f\n", t, ggml_get_f32_nd(merged, 0, t, 0, 0));
    if (status) fprintf(stderr, "attention: %s\n", ggml_status_to_string(status));
    ggml_free(ctx);
    return status != GGML_STATUS_SUCCESS;
}
