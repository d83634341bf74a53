/* SPDX-License-Identifier: Apache-2.0 */
/* nn_formulas.c: losses against their formulas in plain C, with gradients and second gradients against central differences of the formula,
 * in every float dtype. A loss is the mean over rows; of elementwise losses a row is one element. */
#include "nn.h"

enum { INPUTS = 3 };

typedef struct loss {
    double (*row)(const double *const *in, int64_t n);
    double range[INPUTS][2]; /* range of each input; both 0: no such input */
    bool rows;               /* rows of several elements */
    bool per_row;            /* the last input has one number for each row */
} loss;

#define POINTWISE(name, formula)                                     \
    static double name(const double *const *in, int64_t n)           \
    {                                                                \
        (void)n;                                                     \
        const double x = *in[0], t = *in[1], v = in[2] ? *in[2] : 0; \
        (void)v;                                                     \
        return formula;                                              \
    }
POINTWISE(mse, (x - t) * (x - t))
POINTWISE(mae, fabs(x - t))
POINTWISE(huber, fabs(x - t) < 1 ? (x - t) * (x - t) / 2 : fabs(x - t) - .5)
POINTWISE(binary, -t *log(x) - (1 - t) * log(1 - x))
POINTWISE(binary_logits, log1p(exp(-fabs(x))) + fmax(x, 0) - t * x)
POINTWISE(divergence, t *(log(t) - x))
POINTWISE(poisson, exp(x) - t * x)
POINTWISE(gaussian, (log(v) + (x - t) * (x - t) / v) / 2)
POINTWISE(hinge, fmax(0, 1 - x * t))
POINTWISE(squared_hinge, fmax(0, 1 - x * t) * fmax(0, 1 - x * t))

static double cross_entropy(const double *const *in, int64_t n)
{
    double sum = 0, total = 0;
    for (int64_t i = 0; i < n; i++) sum += exp(in[0][i]);
    for (int64_t i = 0; i < n; i++) total -= in[1][i] * (in[0][i] - log(sum));
    return total;
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double cosine(const double *const *in, int64_t n)
{
    return 1 - dot(in[0], in[1], n) / sqrt(dot(in[0], in[0], n) * dot(in[1], in[1], n)); /* the targets are positive */
}

static double distance(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (x[i] - y[i] + 1e-6) * (x[i] - y[i] + 1e-6);
    return sqrt(sum);
}

static double triplet(const double *const *in, int64_t n)
{
    return fmax(0, distance(in[0], in[1], n) - distance(in[0], in[2], n) + 1);
}

/* ---- the mean over rows ---- */

static void mean_of_rows(const example *e, double *out)
{
    const loss *l = e->data;
    int64_t size = l->rows ? e->in_shape[0].dim[1] : 1, rows = shape_size(e->in_shape[0]) / size;
    *out = 0;
    for (int64_t r = 0; r < rows; r++) {
        const double *in[INPUTS] = {NULL};
        for (int k = 0; k < e->n_in; k++) in[k] = e->in[k] + r * (l->per_row && k == e->n_in - 1 ? 1 : size);
        *out += l->row(in, size) / (double)rows;
    }
}

static void run_loss(trial *t)
{
    const loss *l = t->test->data;
    static const vn_shape shapes[] = {{.rank = 2, .dim = {2, 3}}, {.rank = 2, .dim = {1, 4}}, {.rank = 2, .dim = {8, 5}}};
    vn_shape s = shapes[sample_int(t, 0, 2)];
    example *e = calloc(1, sizeof *e);
    if (!trial_expect(t, CHECK_VALUE, e != NULL, "memory for an example")) return;
    *e = (example){.op = t->test->function, .count = 1, .shape = VN_0D, .loop = mean_of_rows, .data = l};
    for (int k = 0; k < INPUTS && l->range[k][1] > l->range[k][0]; k++) {
        bool last = k == INPUTS - 1 || !(l->range[k + 1][1] > l->range[k + 1][0]);
        example_sample(t, e, l->per_row && last ? VN_SHAPE(s.dim[0]) : s, l->range[k][0], l->range[k][1]);
        e->constant[k] = k > 0;
    }
    example_check(t, e);
    free(e);
}

#define LOSS(op, about, ...)                                                                                                      \
    {                                                                                                                             \
        TEST_PLACE, .suite = "nn/losses", .id = "nn/" op, .name = "nn_" op, .function = op, .what = about, .truth = TRUTH_CLOSED, \
                    .rtol = 1e-4, .atol = 1e-4, .depth = 48, .cases = 3, .run = run_loss, .data = &(const loss)                   \
        {                                                                                                                         \
            __VA_ARGS__                                                                                                           \
        }                                                                                                                         \
    }

static const conformance_test rows[] = {
    LOSS("mse_loss", "the mean of squares", .row = mse, .range = {{-2, 2}, {-2, 2}}),
    LOSS("mae_loss", "the mean of distances", .row = mae, .range = {{-2, 2}, {-2, 2}}),
    LOSS("huber_loss", "squares near 0, lines further out", .row = huber, .range = {{-2, 2}, {-2, 2}}),
    LOSS("smooth_l1_loss", "Huber's loss divided by its width", .row = huber, .range = {{-2, 2}, {-2, 2}}),
    LOSS("binary_cross_entropy", "the cross entropy of probabilities", .row = binary, .range = {{.1, .9}, {.1, .9}}),
    LOSS("binary_cross_entropy_with_logits", "the cross entropy of logits", .row = binary_logits, .range = {{-3, 3}, {.1, .9}}),
    LOSS("kl_div", "the divergence of distributions from logarithms", .row = divergence, .range = {{-3, 0}, {.1, .9}}),
    LOSS("poisson_nll_loss", "the likelihood of Poisson's law, of logarithms of rates", .row = poisson, .range = {{-1, 1}, {0, 3}}),
    LOSS("log_poisson_loss", "the same by its other name", .row = poisson, .range = {{-1, 1}, {0, 3}}),
    LOSS("gaussian_nll_loss", "the likelihood of a normal law", .row = gaussian, .range = {{-2, 2}, {-2, 2}, {.5, 2}}),
    LOSS("hinge_loss", "distances from the right side of a margin", .row = hinge, .range = {{-2, 2}, {.5, 1.5}}),
    LOSS("squared_hinge_loss", "their squares", .row = squared_hinge, .range = {{-2, 2}, {.5, 1.5}}),
    LOSS("cross_entropy", "the cross entropy of rows of logits and probabilities", .row = cross_entropy, .range = {{-2, 2}, {0, 1}},
         .rows = true),
    LOSS("cosine_embedding_loss", "one less the cosine of rows", .row = cosine, .range = {{.1, 2}, {-2, 2}, {.5, 1.5}}, .rows = true,
         .per_row = true),
    LOSS("triplet_margin_loss", "how much nearer one row is than another", .row = triplet, .range = {{-2, 2}, {-2, 2}, {-2, 2}},
         .rows = true),
};

const nn_part nn_formulas = NN_PART(rows);
