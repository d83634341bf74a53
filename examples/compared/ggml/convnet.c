/* convnet.c: trains a small convolutional network that is written with ops. docs/compared.md has this program in four libraries. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <ggml-cpu.h>
#include <ggml.h>

int main(void)
{
    struct ggml_context *ctx = ggml_init((struct ggml_init_params){.mem_size = 16 << 20});
    struct ggml_tensor *x = ggml_reshape_4d(ctx, ggml_sin(ctx, ggml_arange(ctx, 0, 512, 1)), 8, 8, 1, 8);
    struct ggml_tensor *labels = ggml_set_zero(ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 3, 8));
    for (int i = 0; i < 8; i++) ggml_set_f32_nd(labels, i % 3, i, 0, 0, 1);   /* one-hot */
    struct ggml_tensor *p[] = {ggml_new_tensor_4d(ctx, GGML_TYPE_F32, 3, 3, 1, 4), ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 4, 3)};
    for (int i = 0; i < 36; i++) ggml_set_f32_nd(p[0], i / 4 % 3, i / 12, 0, i % 4, sinf((float)i));
    for (int i = 0; i < 12; i++) ggml_set_f32_nd(p[1], i / 3, i % 3, 0, 0, sinf((float)i));
    struct ggml_tensor *rate = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 2);
    memcpy(rate->data, (float[]){.1f, 0}, 2 * sizeof(float));                 /* learning rate, weight decay */
    for (int i = 0; i < 2; i++) ggml_set_param(p[i]);
    struct ggml_tensor *h = ggml_relu(ctx, ggml_conv_2d(ctx, p[0], x, 1, 1, 1, 1, 1, 1));
    struct ggml_tensor *pooled = ggml_reshape_3d(ctx, ggml_pool_2d(ctx, h, GGML_OP_POOL_MAX, 2, 2, 2, 2, 0, 0), 16, 4, 8);
    struct ggml_tensor *logits = ggml_mul_mat(ctx, p[1], ggml_reshape_2d(ctx, ggml_mean(ctx, pooled), 4, 8));
    struct ggml_tensor *loss = ggml_cross_entropy_loss(ctx, logits, labels);
    struct ggml_cgraph *graph = ggml_new_graph_custom(ctx, GGML_DEFAULT_GRAPH_SIZE, true);
    ggml_set_loss(loss);
    ggml_build_forward_expand(graph, loss);
    ggml_build_backward_expand(ctx, graph, NULL);
    for (int i = 0; i < 2; i++) ggml_build_forward_expand(graph, ggml_opt_step_sgd(ctx, p[i], ggml_graph_get_grad(graph, p[i]), rate));
    ggml_graph_reset(graph);
    enum ggml_status status = GGML_STATUS_SUCCESS;
    for (int step = 0; step <= 40 && !status; step++) {
        status = ggml_graph_compute_with_ctx(ctx, graph, 1);
        if (step % 20 == 0) printf("%2d  loss %.5f\n", step, ggml_get_f32_1d(loss, 0));
    }
    if (status) fprintf(stderr, "convnet: %s\n", ggml_status_to_string(status));
    ggml_free(ctx);
    return status != GGML_STATUS_SUCCESS;
}
