/* model.c: loads the network that adamw.c saved and runs it. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <ggml-cpu.h>
#include <ggml.h>
#include <gguf.h>

int main(void)
{
    struct ggml_context *weights = NULL, *ctx = ggml_init((struct ggml_init_params){.mem_size = 16 << 20});
    struct gguf_context *file = gguf_init_from_file("model.gguf", (struct gguf_init_params){.ctx = &weights});
    struct ggml_tensor *p[4];
    for (int i = 0; i < 4; i++) {
        p[i] = file ? ggml_get_tensor(weights, (const char *[]){"w1", "b1", "w2", "b2"}[i]) : NULL;
        if (!p[i]) return fprintf(stderr, "model: model.gguf cannot be read, or has no such tensor\n"), 1;
    }
    struct ggml_tensor *x = ggml_reshape_2d(ctx, ggml_cos(ctx, ggml_arange(ctx, 0, 8, 1)), 4, 2);
    struct ggml_tensor *h = ggml_relu(ctx, ggml_add(ctx, ggml_mul_mat(ctx, p[0], x), p[1]));
    struct ggml_tensor *y = ggml_add(ctx, ggml_mul_mat(ctx, p[2], h), p[3]);
    struct ggml_cgraph *graph = ggml_new_graph(ctx);
    ggml_build_forward_expand(graph, y);
    enum ggml_status status = ggml_graph_compute_with_ctx(ctx, graph, 1);
    for (int i = 0; i < 2 && !status; i++) printf("%d  %.5f\n", i, ggml_get_f32_1d(y, i));
    if (status) fprintf(stderr, "model: %s\n", ggml_status_to_string(status));
    gguf_free(file);
    ggml_free(weights);
    ggml_free(ctx);
    return status != GGML_STATUS_SUCCESS;
}
