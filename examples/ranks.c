/* ranks.c: one training in several processes: mpirun -n 4 ranks. The result has the same bits on 1, 2, 4 or 8 ranks, and without mpirun:
 * a batch is computed in 8 parts, whoever computes which, and the gradients of the parts are summed in a fixed order. */
#include <stdio.h>
#include <vinea/vinea.h>

/* The loss of one part: 32 of the 256 rows. Every rank calls this for some of the parts. */
static vn_array *loss_of(const vn_tree *p, vn_part *part, void *data)
{
    vn_array **xy = data, *start = vn_from_host((int64_t[]){part->number * 32, 0}, VN_I64, VN_SHAPE(2));
    vn_array *x = vn_slice(xy[0], start, VN_SHAPE(32, 3)), *y = vn_slice(xy[1], start, VN_SHAPE(32, 1));
    vn_array *h = vn_add(vn_matmul(x, vn_tree_get(p, "w")), vn_tree_get(p, "b"));
    return vn_mean(vn_square(vn_sub(h, y)), VN_ALL);
}

int main(int argc, char **argv)
{
    if (vn_use(argc > 1 ? argv[1] : "native")) {
        fprintf(stderr, "ranks: %s\n", vn_message());
        return vn_close();
    }
    vn_group *all = vn_group_open(NULL); /* a group of one without a launcher */
    vn_seed(1);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
    vn_array *y = vn_matmul(x, vn_from((float[]){2, -1, .5f}, VN_SHAPE(3, 1)));
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(3, 1), VN_F32), "b", vn_zeros(VN_SHAPE(1), VN_F32), NULL);
    vn_optim *sgd = vn_sgd(.1);

    for (int step = 0; step <= 100; step++) {
        VN_SCOPE;
        vn_tree *grads;
        vn_array *loss = vn_group_value_and_grad(all, 8, loss_of, p, (vn_array *[]){x, y}, &grads);
        vn_step(sgd, p, grads);
        if (step % 50 == 0 && vn_group_rank(all) == 0) printf("%3d  loss %.8f\n", step, vn_item(loss));
    }
    if (vn_status()) fprintf(stderr, "ranks: %s\n", vn_message());
    return vn_close(); /* waits for the others */
}
