/* regression.c: fits a line by gradient descent. docs/compared.md has this program in four libraries. */
#include <stdio.h>
#include <string.h>
#include <ggml-cpu.h>
#include <ggml.h>

int main(void)
{
    struct ggml_context *ctx = ggml_init((struct ggml_init_params){.mem_size = 16 << 20});
    struct ggml_tensor *x = ggml_reshape_2d(ctx, ggml_sin(ctx, ggml_arange(ctx, 0, 60, 1)), 3, 20);
    struct ggml_tensor *truth = ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 3, 1);
    memcpy(truth->data, (float[]){2, -1, .5f}, 3 * sizeof(float));
    struct ggml_tensor *y = ggml_scale_bias(ctx, ggml_mul_mat(ctx, truth, x), 1, 1);
    struct ggml_tensor *p[] = {ggml_new_tensor_2d(ctx, GGML_TYPE_F32, 3, 1), ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 1)};
    struct ggml_tensor *rate = ggml_new_tensor_1d(ctx, GGML_TYPE_F32, 2);
    memcpy(rate->data, (float[]){.1f, 0}, 2 * sizeof(float));                 /* learning rate, weight decay */
    for (int i = 0; i < 2; i++) ggml_set_param(ggml_set_zero(p[i]));
    struct ggml_tensor *h = ggml_add(ctx, ggml_mul_mat(ctx, p[0], x), p[1]);
    struct ggml_tensor *loss = ggml_scale(ctx, ggml_sum(ctx, ggml_sqr(ctx, ggml_sub(ctx, h, y))), 1 / 20.f);
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
    if (status) fprintf(stderr, "regression: %s\n", ggml_status_to_string(status));
    ggml_free(ctx);
    return status != GGML_STATUS_SUCCESS;
}
