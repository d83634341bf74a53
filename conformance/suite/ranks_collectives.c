/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_collectives.c: the collectives on arrays against what each rank can compute by itself: every dtype and reduction, sizes, sub-groups,
 * gradients. */
#include "ranks.h"

static vn_group *all;
static int me, n;

static bool join(void)
{
    all = ranks_join();
    me = vn_group_rank(all), n = vn_group_size(all);
    return all;
}

/* What rank r gives: different on every rank, exact in every dtype. */
static double item(int r, int i)
{
    return (double)((r * 3 + i * 5) % 7 + 1);
}

static vn_array *given(int r, int64_t size, vn_dtype dtype)
{
    double *x = calloc((size_t)size + 1, sizeof *x);
    if (!x) return NULL;
    for (int i = 0; i < size; i++) x[i] = item(r, i);
    vn_array *a = vn_cast(vn_from_host(x, VN_F64, VN_SHAPE(size)), dtype);
    free(x);
    return a;
}

static double expected(int reduction, int i)
{
    double z = item(0, i);
    for (int r = 1; r < n; r++) {
        const double x = item(r, i);
        z = reduction == VN_REDUCE_MAX ? fmax(z, x) : reduction == VN_REDUCE_MIN ? fmin(z, x) : z + x;
    }
    return reduction == VN_REDUCE_MEAN ? z / n : z;
}

static vn_array *rows(vn_array *x, int64_t first, int64_t count)
{
    return vn_slice(x, vn_from_host(&first, VN_I64, VN_SHAPE(1)), VN_SHAPE(count));
}
static double at(vn_array *x, int64_t i)
{
    return vn_item(vn_cast(rows(x, i, 1), VN_F64));
}
static bool same(vn_array *a, vn_array *b)
{
    return a && b && vn_size(a) == vn_size(b) && vn_item(vn_all(vn_equal(a, b), VN_ALL)) != 0;
}

/* ---- values ---- */

/* A NaN of one rank, whichever it is, is the maximum and the minimum, on every rank. */
static void nan_wins(vn_dtype dtype)
{
    const double signs[] = {-1, 1};
    for (int from = 0; from < n; from++) {
        VN_SCOPE;
        const double own[] = {me == from ? NAN : 1, me == from ? 3 : NAN, me == from ? -INFINITY : INFINITY, me ? -0. : 0.};
        vn_array *x = vn_cast(vn_from_host(own, VN_F64, VN_SHAPE(4)), dtype), *copies = vn_tile(x, VN_SHAPE(n));
        for (int how = VN_REDUCE_MAX; how <= VN_REDUCE_MIN; how++) {
            const double sign = signs[how == VN_REDUCE_MAX];
            vn_array *y = vn_group_all_reduce(all, x, how), *z = vn_group_reduce_scatter(all, copies, how);
            CHECK(isnan(at(y, 0)) && (isnan(at(y, 1)) == (n > 1)) && at(y, 2) == (n > 1 ? sign : -1) * INFINITY);
            CHECK(isnan(at(z, 0)) && at(z, 2) == at(y, 2) && at(y, 3) == 0);
            CHECK(signbit(at(y, 3)) == (n > 1 && how == VN_REDUCE_MIN));
        }
    }
}

static void reductions(void)
{
    static const vn_dtype dtypes[] = {VN_I8, VN_I16, VN_I32, VN_I64, VN_U8, VN_U16, VN_U32, VN_U64, VN_F16, VN_BF16, VN_F32, VN_F64};
    if (!join()) return;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int how = VN_REDUCE_SUM; how <= VN_REDUCE_MEAN; how++) {
            VN_SCOPE;
            vn_array *x = given(me, 5, dtypes[d]);
            if (how == VN_REDUCE_MEAN && dtypes[d] < VN_F16) {
                CHECK_FAILS(vn_group_all_reduce(all, x, how), VN_E_DTYPE, "group_all_reduce: no mean of ");
                continue;
            }
            vn_array *y = vn_group_all_reduce(all, x, how);
            CHECK(y && vn_dtype_of(y) == dtypes[d] && !strcmp(vn_engine_of(y), vn_engine_of(x)));
            for (int i = 0; i < 5; i++) CHECK(near(at(y, i), expected(how, i), how == VN_REDUCE_MEAN ? 1e-2 : 0));
        }
    }
    vn_array *c = vn_complex(given(me, 2, VN_F32), given(me, 2, VN_F32));
    CHECK(near(vn_item(vn_sum(vn_imag(vn_group_all_reduce(all, c, VN_REDUCE_SUM)), VN_ALL)), expected(0, 0) + expected(0, 1), 0));
    vn_array *b = vn_greater(given(me, 4, VN_F32), vn_scalar(4));
    for (int i = 0; i < 4; i++) {
        CHECK((at(vn_group_all_reduce(all, b, VN_REDUCE_MAX), i) > 0) == (expected(VN_REDUCE_MAX, i) > 4));
        CHECK((at(vn_group_all_reduce(all, b, VN_REDUCE_MIN), i) > 0) == (expected(VN_REDUCE_MIN, i) > 4));
    }
    nan_wins(VN_F32), nan_wins(VN_F64), nan_wins(VN_F16), nan_wins(VN_BF16);
    CHECK_FAILS(vn_group_all_reduce(all, b, VN_REDUCE_SUM), VN_E_DTYPE, "no sum of bool; cast it first");
    CHECK_FAILS(vn_group_all_reduce(all, c, VN_REDUCE_MAX), VN_E_DTYPE, "no max of complex64");
    CHECK_FAILS(vn_group_all_reduce(all, b, 9), VN_E_ARG, "there is no reduction 9");
}

static void move(int64_t size)
{
    VN_SCOPE;
    vn_array *x = given(me, size, VN_F32), *gathered = vn_group_all_gather(all, x);
    for (int root = 0; root < n; root++) CHECK(same(vn_group_broadcast(all, x, root), given(root, size, VN_F32)));
    for (int r = 0; r < n; r++) CHECK(same(rows(gathered, r * size, size), given(r, size, VN_F32)));
    vn_array *sum = vn_group_all_reduce(all, x, VN_REDUCE_SUM), *copies = vn_tile(x, VN_SHAPE(n));
    CHECK(same(vn_group_reduce_scatter(all, copies, VN_REDUCE_SUM), sum));
    const int next = (me + 1) % n, last = (me + n - 1) % n;
    if (n == 1) return;
    vn_array *came = NULL;
    if (me == 0) CHECK(!vn_group_send(all, vn_reshape(x, VN_SHAPE(1, size)), next, 7));
    came = vn_group_receive(all, last, 7);
    if (me) CHECK(!vn_group_send(all, vn_reshape(x, VN_SHAPE(1, size)), next, 7));
    CHECK(came && vn_rank(came) == 2 && same(vn_reshape(came, VN_SHAPE(size)), given(last, size, VN_F32)));
}

static void transfers(void)
{
    if (!join()) return;
    move(1), move(17), move(70000), move(0);
    CHECK(!vn_group_barrier(all));
    vn_array *ranks = vn_group_all_gather(all, vn_from_host(&(double){me}, VN_F64, VN_0D));
    CHECK(vn_rank(ranks) == 1 && vn_dim(ranks, 0) == n && at(ranks, n - 1) == n - 1);
}

static void splits(void)
{
    if (!join()) return;
    vn_group *half = vn_group_split(all, me % 2, -me);
    CHECK(half && vn_group_size(half) == (n + 1 - me % 2) / 2);
    double sum = 0;
    for (int r = me % 2; r < n; r += 2) sum += r;
    CHECK(vn_item(vn_group_all_reduce(half, vn_from_host(&(double){me}, VN_F64, VN_0D), VN_REDUCE_SUM)) == sum);
    CHECK(vn_group_rank(half) == vn_group_size(half) - 1 - me / 2); /* by their keys: the last is first */
    CHECK_FAILS(vn_group_split(all, -1, 0), VN_E_ARG, "group_split: colour is -1");
    CHECK(strstr(vn_group_about(all), n > 1 ? "MPI" : "one process"));
}

/* ---- gradients ---- */

enum { SUM, MEAN, MAX, BROADCAST, GATHER, SCATTER, SCATTER_MEAN, KINDS };
static vn_array *collective(int kind, vn_array *x)
{
    switch (kind) {
    case SUM: return vn_group_all_reduce(all, x, VN_REDUCE_SUM);
    case MEAN: return vn_group_all_reduce(all, x, VN_REDUCE_MEAN);
    case MAX: return vn_group_all_reduce(all, x, VN_REDUCE_MAX);
    case BROADCAST: return vn_group_broadcast(all, x, n - 1);
    case GATHER: return vn_group_all_gather(all, x);
    default: return vn_group_reduce_scatter(all, x, kind == SCATTER ? VN_REDUCE_SUM : VN_REDUCE_MEAN);
    }
}
/* A loss of all ranks together: the sum of each rank's, which differ. */
static vn_array *loss_of(const vn_tree *p, void *kind)
{
    vn_array *y = collective(*(int *)kind, vn_square(vn_tree_get(p, "x")));
    return vn_mul(vn_sum(vn_mul(y, y), VN_ALL), vn_scalar(me + 1));
}
static double loss_at(int kind, double shift, int rank, int i)
{
    vn_array *x = given(me, 2 * n, VN_F64);
    if (me == rank) x = vn_add(x, vn_mul(vn_cast(vn_equal(vn_arange(0, 2 * n, 1, VN_I64), vn_scalar_int(i)), VN_F64), vn_scalar(shift)));
    return vn_item(vn_group_all_reduce(all, loss_of(vn_tree_of("x", x, NULL), &kind), VN_REDUCE_SUM));
}

static void gradients(void)
{
    if (!join()) return;
    for (int kind = 0; kind < KINDS; kind++) {
        VN_SCOPE;
        vn_tree *grads;
        CHECK(vn_value_and_grad(loss_of, vn_tree_of("x", given(me, 2 * n, VN_F64), NULL), &kind, &grads));
        for (int rank = 0; rank < n; rank++) {
            for (int i = 0; i < 2 * n; i += 3) {
                VN_SCOPE;
                const double d = 1e-5, slope = (loss_at(kind, d, rank, i) - loss_at(kind, -d, rank, i)) / (2 * d);
                if (rank != me || kind == MAX) continue; /* ties have no slope */
                CHECK(fabs(at(vn_tree_get(grads, "x"), i) - slope) <= 1e-3 * (1 + fabs(slope)));
            }
        }
    }
}

/* Ranks that call different things are told so, and go on. */
static void disagreements(void)
{
    if (!join()) return;
    if (n > 2) { /* in a group of the last two, which have other numbers there */
        char text[96];
        snprintf(text, sizeof text, "rank %d calls group_all_reduce (sum) of float32 3, rank %d ", n - 2, n - 1);
        vn_group *two = vn_group_split(all, me >= n - 2, me);
        vn_array *x = given(me, 3 + (me == n - 1), VN_F32);
        if (me < n - 2) CHECK(vn_group_all_reduce(two, x, 0));
        else CHECK_FAILS(vn_group_all_reduce(two, x, 0), VN_E_GROUP, text);
    }
    if (n > 1) {
        CHECK_FAILS(vn_group_all_reduce(all, given(me, 3 + (me > 0), VN_F32), 0), VN_E_GROUP,
                    "rank 0 calls group_all_reduce (sum) of float32 3, rank 1 ");
        CHECK_FAILS(vn_group_same(all, &me, sizeof me, "a seed"), VN_E_GROUP, "rank 1 has other a seed than rank 0");
    }
    CHECK(vn_group_same(all, &n, sizeof n, "a size"));
    CHECK(vn_item(vn_group_all_reduce(all, vn_from_host(&(double){1}, VN_F64, VN_0D), 0)) == n);
}

static const ranks_row list[] = {
    {"reductions", "group_all_reduce", "sum, maximum, minimum and mean of all ranks' arrays, in every dtype", reductions, __LINE__},
    {"transfers", "group_all_gather", "broadcast, all_gather, reduce_scatter, send and receive, of 0 to 70,000 numbers", transfers,
     __LINE__},
    {"splits", "group_split", "groups of every second rank, in the order of their keys", splits, __LINE__},
    {"gradients", "group_all_reduce", "gradients of the collectives against differences", gradients, __LINE__},
    {"disagreements", "group_same", "ranks that call different things, or have different bytes, are named", disagreements, __LINE__},
};
const ranks_part ranks_collectives = {list, (int)(sizeof list / sizeof *list), __FILE__};
