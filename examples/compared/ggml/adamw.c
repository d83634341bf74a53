/* adamw.c: three steps of AdamW on a network of two layers, which is then saved. docs/compared.md has this program in four libraries. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <ggml-cpu.h>
#include <ggml.h>
#include <gguf.h>

int main(void)
{
    struct ggml_context *ctx = ggml_init((struct ggml_init_params){.mem_size = 16 << 20});
    struct ggml_tensor *x = ggml_reshape_2d(ctx, ggml_sin(ctx, ggml_arange(ctx, 0, 64, 1)), 4, 16), *y = ggml_sum_rows(ctx, x);
    struct ggml_tensor *p[] = {ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 4, 8), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 8),
                               ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 8, 1), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 1)};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < ggml_nelements(p[i]); j++) ggml_set_f32_1d(p[i], j, sinf((float)j));
        ggml_set_param(p[i]);
    }
    struct ggml_tensor *h = ggml_relu(ctx, ggml_add(ctx, ggml_mul_mat(ctx, p[0], x), p[1]));
    struct ggml_tensor *error = ggml_sub(ctx, ggml_add(ctx, ggml_mul_mat(ctx, p[2], h), p[3]), y);
    struct ggml_tensor *loss = ggml_scale(ctx, ggml_sum(ctx, ggml_sqr(ctx, error)), 1 / 16.f);
    struct ggml_tensor *options = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 7);
    struct ggml_cgraph *graph = ggml_new_graph_custom(ctx, GGML_DEFAULT_GRAPH_SIZE, true);
    ggml_set_loss(loss);
    ggml_build_forward_expand(graph, loss);
    ggml_build_backward_expand(ctx, graph, NULL);
    for (int i = 0; i < 4; i++) {
        struct ggml_tensor *g = ggml_graph_get_grad(graph, p[i]), *m = ggml_dup_tensor(ctx, p[i]), *v = ggml_dup_tensor(ctx, p[i]);
        ggml_build_forward_expand(graph, ggml_opt_step_adamw(ctx, p[i], g, m, v, options));
    }
    ggml_graph_reset(graph);
    enum ggml_status status = GGML_STATUS_SUCCESS;
    for (int step = 0; step < 3 && !status; step++) {
        const float fix1 = 1 / (1 - powf(.9f, (float)step + 1)), fix2 = 1 / (1 - powf(.999f, (float)step + 1));
        memcpy(options->data, (float[]){.01f, .9f, .999f, 1e-8f, .01f, fix1, fix2}, 7 * sizeof(float));
        status = ggml_graph_compute_with_ctx(ctx, graph, 1);
        printf("%d  loss %.5f\n", step, ggml_get_f32_1d(loss, 0));
    }
    if (status) fprintf(stderr, "adamw: %s\n", ggml_status_to_string(status));
    struct gguf_context *file = gguf_init_empty();
    for (int i = 0; i < 4; i++) gguf_add_tensor(file, ggml_set_name(p[i], (const char *[]){"w1", "b1", "w2", "b2"}[i]));
    const bool saved = !status && gguf_write_to_file(file, "model.gguf", false);
    if (!saved) fprintf(stderr, "adamw: cannot write model.gguf\n");
    gguf_free(file);
    ggml_free(ctx);
    return !saved;
}
