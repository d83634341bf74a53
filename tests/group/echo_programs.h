/* SPDX-License-Identifier: Apache-2.0 */
/* echo_programs.h: short programs that call everything of groups, with results that are known if nothing fails, in the world of the plugin echo. */
#ifndef VN_ECHO_PROGRAMS_H
#define VN_ECHO_PROGRAMS_H

#include "echo_world.h"
#include <vinea/nn.h>

static vn_array *twos(int64_t size, vn_dtype dtype)
{
    return vn_full(vn_scalar(2), VN_SHAPE(size), dtype);
}

static double mean_of(vn_array *x)
{
    return vn_item(vn_mean(vn_cast(x, VN_F64), VN_ALL));
}

/* ---- what is called ---- */

static void reduces(void)
{
    CHECK(mean_of(vn_group_all_reduce(all, twos(5, VN_F32), VN_REDUCE_SUM)) == 2 * n);
    CHECK(mean_of(vn_group_all_reduce(all, twos(5, VN_F16), VN_REDUCE_MEAN)) == 2);
    CHECK(mean_of(vn_group_all_reduce(all, twos(5, VN_F64), VN_REDUCE_MAX)) == 2);
    CHECK(mean_of(vn_group_reduce_scatter(all, twos(2 * n, VN_F32), VN_REDUCE_MIN)) == 2);
}

static void moves(void)
{
    CHECK(mean_of(vn_group_broadcast(all, twos(5, VN_F16), 1)) == 2);
    CHECK(vn_size(vn_group_all_gather(all, vn_full(vn_scalar(2), VN_0D, VN_BF16))) == n);
    CHECK(!vn_group_send(all, twos(5, VN_F32), 1, 7) && vn_size(vn_group_receive(all, 1, 7)) == 5);
    CHECK(!vn_group_send(all, twos(0, VN_F32), 1, 7) && vn_size(vn_group_receive(all, 1, 7)) == 0);
}

static void pieces(void)
{
    const int64_t before = vn__group_piece;
    vn__group_piece = 3;
    CHECK(mean_of(vn_group_all_reduce(all, twos(8, VN_F32), VN_REDUCE_SUM)) == 2 * n);
    CHECK(mean_of(vn_group_reduce_scatter(all, twos(8 * n, VN_F32), VN_REDUCE_SUM)) == 2 * n);
    vn__group_piece = 40;
    CHECK(vn_size(vn_group_all_gather(all, twos(20, VN_F32))) == 20 * n);
    vn__group_piece = before;
}

static void splits(void)
{
    vn_group *two = vn_group_split(all, 0, 0);
    CHECK(vn_group_size(two) == n);
    CHECK(vn_group_same(two, "same", 4, "words") == 1);
    vn_group_barrier(two);
}

static void agrees(void)
{
    if (all) CHECK(!vn__group_agree(vn__group_of(all), VN_OK, "agrees"));
}

/* ---- steps in parts ---- */

static vn_array *loss_of(const vn_tree *p, vn_part *part, void *unused)
{
    (void)part, (void)unused;
    return vn_sum(vn_mul(vn_tree_get(p, "w"), vn_scalar(4)), VN_ALL);
}

/* A loss and its gradient, which are all 4: the plugin brings one chunk of the sums for all others. */
static void in_parts(int64_t size, int64_t parts)
{
    vn_tree *p = vn_tree_new(NULL), *grads = NULL;
    vn_tree_set(p, "w", vn_variable(vn_full(vn_scalar(1. / (double)size), VN_SHAPE(size), VN_F32)));
    vn_array *loss = vn_group_value_and_grad(all, parts, loss_of, p, NULL, &grads);
    CHECK(near(vn_item(loss), 4, 1e-6) && near(vn_item(vn_max(vn_tree_get(grads, "w"), VN_ALL)), 4, 1e-6));
}
static void small_sums(void)
{
    in_parts(4096, n);
}
static void large_sums(void)
{
    const size_t before = vn__shared_least;
    vn__shared_least = SIZE_MAX;
    in_parts(1 << 17, n);
    vn__shared_least = before;
}
static void shared_sums(void)
{
    in_parts(1 << 15, 2 * n);
    in_parts(1 << 18, 2 * n); /* more than is shared */
}
static vn_array *loss_with_others(const vn_tree *p, vn_part *part, void *unused)
{
    in_parts(1 << 15, 2 * n); /* while another sum has the memory that all see */
    return loss_of(p, part, unused);
}
static void nested_sums(void)
{
    vn_tree *p = vn_tree_new(NULL), *grads = NULL;
    vn_tree_set(p, "w", vn_variable(vn_full(vn_scalar(.5), VN_SHAPE(1 << 14), VN_F32)));
    vn_array *loss = vn_group_value_and_grad(all, 2 * n, loss_with_others, p, NULL, &grads);
    CHECK(near(vn_item(loss), 1 << 15, 1e-6));
}

/* A layer that counts its calls in a buffer of integers, has one without elements, one that never changes, and one of floats. */
static int build(vn_module *m, const vn_tree *unused)
{
    (void)unused;
    vn_module_add_buffer(m, "count", vn_zeros(VN_SHAPE(1), VN_I64));
    vn_module_add_buffer(m, "empty", vn_zeros(VN_SHAPE(0), VN_I64));
    vn_module_add_buffer(m, "still", vn_zeros(VN_SHAPE(1), VN_F32));
    return vn_module_add_buffer(m, "steps", vn_zeros(VN_SHAPE(1), VN_F16));
}
static vn_tree *weights(vn_module *m, vn_dtype dtype)
{
    (void)m;
    vn_tree *v = vn_tree_new(NULL);
    vn_tree_set(v, "w", vn_variable(twos(1, dtype)));
    return v;
}
static vn_array *forward(vn_module *m, vn_array *x)
{
    vn_module_set_buffer(m, "count", vn_add(vn_module_buffer(m, "count"), vn_scalar_int(1)));
    vn_module_set_buffer(m, "empty", vn_add(vn_module_buffer(m, "empty"), vn_scalar_int(1)));
    vn_module_set_buffer(m, "steps", vn_add(vn_module_buffer(m, "steps"), vn_scalar(3)));
    return vn_mul(x, vn_module_var(m, "w"));
}
static const vn_module_class counting = {.name = "Counting", .build = build, .create_variables = weights, .forward = forward};

static vn_array *module_loss(vn_module *m, vn_part *part, void *unused)
{
    (void)part, (void)unused;
    return vn_mean(vn_square(vn_module_call(m, twos(8, VN_F32))), VN_ALL);
}
static void buffers(void)
{
    vn_tree *grads = NULL;
    vn_module *m = vn_module_new(&counting, NULL, NULL);
    CHECK(near(vn_item(vn_module_group_value_and_grad(m, all, 2 * n, module_loss, NULL, &grads)), 16, 1e-6));
    CHECK(vn_item(vn_module_buffer(m, "count")) == 1 && near(vn_item(vn_module_buffer(m, "steps")), 3, 1e-3));
}

/* Mean and variance of all ranks' parts, in a batch norm. */
static vn_array *norm_loss(vn_module *m, vn_part *part, void *unused)
{
    (void)part, (void)unused;
    return vn_mean(vn_square(vn_module_call(m, vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)))), VN_ALL);
}
static void norms(void)
{
    vn_tree *grads = NULL;
    vn_module *m = vn_nn_batch_norm1d(1, VN_OPTS(nn_batch_norm1d, .synchronized = 1));
    vn_module_train(m, 1);
    CHECK(near(vn_item(vn_module_group_value_and_grad(m, all, n, norm_loss, NULL, &grads)), 1, 1e-4));
}

/* Sums in the order of the plugin. */
static vn_array *plain_loss(const vn_tree *p, void *unused)
{
    (void)unused;
    return vn_add(vn_mean(vn_square(vn_tree_get(p, "w")), VN_ALL), vn_mean(vn_square(vn_tree_get(p, "v")), VN_ALL));
}
static vn_array *gradient(void *user, vn_part *part, vn_tree **grads)
{
    (void)part;
    return vn_value_and_grad(plain_loss, user, NULL, grads);
}
static void fast(vn_dtype dtype, int64_t parts, size_t bucket)
{
    VN_SCOPE;
    const size_t before = vn__overlap_bucket;
    vn__parts p;
    vn_tree *v = vn_tree_new(NULL), *grads = NULL;
    vn_tree_set(v, "v", vn_variable(twos(64, dtype))), vn_tree_set(v, "w", vn_variable(twos(64, dtype)));
    vn__overlap_bucket = bucket;
    const int code = vn__parts_begin(&p, all, parts, 1, true, "fast");
    vn_array *loss = code ? NULL : vn__parts_compute(&p, &(vn__part_work){.gradient = gradient, .user = v}, &grads);
    CHECK(loss && vn_item(loss) == 8 && near(mean_of(vn_tree_get(grads, "w")), 4. / 64, 1e-6));
    vn__parts_end(&p);
    vn__overlap_bucket = before;
}
static void fast_sums(void)
{
    fast(VN_F32, n, 1 << 20);
    fast(VN_F64, 3 * n, 16);
}
static void buckets(void)
{
    fast(VN_F32, 3 * n, 16);
}

static const struct {
    const char *name;
    void (*run)(void);
    bool many; /* the plugin brings what nine ranks would */
} programs[] = {{"reduces", reduces, true},
                {"moves", moves, true},
                {"pieces", pieces, true},
                {"splits", splits, true},
                {"agrees", agrees, true},
                {"small_sums", small_sums, true},
                {"large_sums", large_sums, true},
                {"shared_sums", shared_sums, false},
                {"nested_sums", nested_sums, false},
                {"buffers", buffers, false},
                {"norms", norms, false},
                {"fast_sums", fast_sums, true},
                {"buckets", buckets, true}};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static void run(int program)
{
    VN_SCOPE;
    check_name = programs[program].name;
    programs[program].run();
}

#endif
