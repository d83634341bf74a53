/* SPDX-License-Identifier: Apache-2.0 */
/* recurrent.c: the native kernels of lstm, gru and attention at sizes that reach every block and tail: against plain loops in double, their
 * backward passes against gradients in elementary ops. All of it at every instruction-set level and with several threads, each setting in a
 * process of its own that prints a hash: the bits depend on neither, the baseline's excepted, which has no fused multiply-add. */
/* ctest: sanitize */
/* ctest: part 3 on sanitizers */
/* ctest: seconds 6 */
#include "check.h"
#include "isa_levels.h"
#include "ops/row.h"

static uint64_t hash = VN__HASH;
static vn_dtype dtype;

static double *numbers_of(vn_array *x)
{
    double *to = malloc(((size_t)vn_size(x) + 1) * sizeof *to);
    CHECK(vn_read(vn_cast(x, VN_F64), to, (size_t)vn_size(x) * sizeof *to) == VN_OK);
    hash = hash_array(hash, x);
    return to;
}

static vn_array *some(vn_shape shape, double scale)
{
    static int made;
    int64_t n = 1;
    for (int k = 0; k < shape.rank; k++) n *= shape.dim[k];
    double *data = malloc(((size_t)n + 1) * sizeof *data);
    for (int64_t k = 0; k < n; k++) data[k] = scale * sin((double)k * .7 + (double)(k % 13) + made);
    made++;
    vn_array *x = vn_cast(vn_from_host(data, VN_F64, shape), dtype);
    vn_eval(1, &x);
    free(data);
    return x;
}

static void compare(vn_array *got, const double *expected, const char *what)
{
    double *z = numbers_of(got), worst = 0;
    for (int64_t k = 0; k < vn_size(got); k++) worst = fmax(worst, fabs(z[k] - expected[k]) / (1 + fabs(expected[k])));
    if (!(worst <= (dtype == VN_F64 ? 1e-11 : 2e-4))) printf("%s: error %g\n", what, worst);
    CHECK(worst <= (dtype == VN_F64 ? 1e-11 : 2e-4));
    free(z);
}

/* Gradients by the kernels, and in elementary ops because they might be differentiated. */
static void compare_gradients(int n_out, vn_array *const *out, int n, vn_array *const *in, const char *what)
{
    vn_array *fast[8], *plain[8], *loss = NULL;
    for (int k = 0; k < n_out; k++) {
        vn_array *term = vn_sum(vn_mul(out[k], some(vn_shape_of(out[k]), 1)), VN_ALL);
        loss = loss ? vn_add(loss, term) : term;
    }
    CHECK(vn_grads(loss, n, in, NULL, fast) == VN_OK && vn_grads(loss, n, in, VN_OPTS(grad, .retain = 1), plain) == VN_OK);
    for (int k = 0; k < n; k++) {
        double *expected = numbers_of(plain[k]);
        compare(fast[k], expected, what);
        free(expected);
    }
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* ---- recurrences: T steps, B rows, size H ---- */

/* h times column j of the weight */
static double own(const double *h, const double *w, int64_t H, int64_t gates, int64_t j)
{
    double sum = 0;
    for (int64_t k = 0; k < H; k++) sum += h[k] * w[k * gates + j];
    return sum;
}

/* A row at one step: h, for lstm c, and the residuals. */
static void lstm_row(double *h, double *c, double *residuals, const double *x, const double *w, const double *h0, const double *c0,
                     int64_t H)
{
    for (int64_t j = 0; j < H; j++) {
        double z[4];
        for (int k = 0; k < 4; k++) {
            const double gate = x[k * H + j] + own(h0, w, H, 4 * H, k * H + j);
            residuals[k * H + j] = z[k] = k == 2 ? tanh(gate) : sigmoid(gate);
        }
        c[j] = z[1] * c0[j] + z[0] * z[2];
        h[j] = z[3] * tanh(c[j]);
    }
}

static void gru_row(double *h, double *residuals, const double *x, const double *w, const double *b, const double *h0, int64_t H)
{
    for (int64_t j = 0; j < H; j++) {
        double u[3];
        for (int k = 0; k < 3; k++) u[k] = own(h0, w, H, 3 * H, k * H + j) + b[k * H + j];
        const double r = sigmoid(x[j] + u[0]), z = sigmoid(x[H + j] + u[1]), n = tanh(x[2 * H + j] + r * u[2]);
        h[j] = (1 - z) * n + z * h0[j];
        residuals[j] = r, residuals[H + j] = z, residuals[2 * H + j] = n, residuals[3 * H + j] = u[2];
    }
}

/* The results of a recurrence, by plain loops: h, for lstm c, residuals. */
static void plain_sequence(bool lstm, int64_t T, int64_t B, int64_t H, int reverse, double *const *x, double **out)
{
    const int64_t gates = (lstm ? 4 : 3) * H;
    for (int64_t s = 0; s < T; s++) {
        const int64_t t = reverse ? T - 1 - s : s, last = reverse ? t + 1 : t - 1;
        for (int64_t i = 0; i < B; i++) {
            const int64_t now = (t * B + i) * H, then = (last * B + i) * H;
            const double *row = x[0] + (t * B + i) * gates, *h = s ? out[0] + then : x[2] + i * H;
            double *residuals = out[lstm ? 2 : 1] + 4 * now;
            if (lstm) lstm_row(out[0] + now, out[1] + now, residuals, row, x[1], h, s ? out[1] + then : x[3] + i * H, H);
            else gru_row(out[0] + now, residuals, row, x[1], x[3], h, H);
        }
    }
}

static void call_sequence(bool lstm, vn_array *const *in, int reverse, vn_array **out)
{
    if (lstm) out[0] = vn__lstm_sequence(in[0], in[1], in[2], in[3], reverse, &out[1], &out[2]);
    else out[0] = vn__gru_sequence(in[0], in[1], in[2], in[3], reverse, &out[1]);
}

/* All results; each alone, which is computed without memory for the others; gradients of states, together and each for itself. */
static void recurrence(bool lstm, int64_t T, int64_t B, int64_t H, int reverse)
{
    VN_SCOPE;
    const int64_t gates = (lstm ? 4 : 3) * H;
    const int n_out = lstm ? 3 : 2, n_states = n_out - 1;
    vn_array *in[] = {vn_variable(some(VN_SHAPE(T, B, gates), 1)), vn_variable(some(VN_SHAPE(H, gates), 2 / sqrt((double)H))),
                      vn_variable(some(VN_SHAPE(B, H), .9)), vn_variable(some(lstm ? VN_SHAPE(B, H) : VN_SHAPE(gates), .8))};
    vn_array *got[3], *alone[3];
    double *x[4], *expected[3];
    for (int k = 0; k < 4; k++) x[k] = numbers_of(in[k]);
    for (int k = 0; k < n_out; k++) expected[k] = malloc((size_t)(T * B * 4 * H) * sizeof **expected);
    plain_sequence(lstm, T, B, H, reverse, x, expected);
    call_sequence(lstm, in, reverse, got);
    CHECK(vn_eval(n_out, got) == VN_OK);
    for (int k = 0; k < n_out; k++) {
        compare(got[k], expected[k], lstm ? "lstm_sequence" : "gru_sequence");
        call_sequence(lstm, in, reverse, alone);
        compare(alone[k], expected[k], lstm ? "a result of lstm_sequence alone" : "a result of gru_sequence alone");
    }
    compare_gradients(n_states, got, 4, in, lstm ? "lstm_backward" : "gru_backward");
    for (int k = 0; k < 4; k++) compare_gradients(1, got, 1, &in[k], "the gradient of one input");
    if (lstm) compare_gradients(1, &got[1], 4, in, "lstm_backward of c");
    for (int k = 0; k < 4; k++) free(x[k]);
    for (int k = 0; k < n_out; k++) free(expected[k]);
}

TEST(recurrences)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 2, 7}, {5, 71, 33}, {2, 5, 300}, {3, 130, 20}};
    for (int k = 0; k < 5; k++) {
        if (!in_part((size_t)k + 1)) continue;
        for (int lstm = 0; lstm < 2; lstm++) recurrence(lstm, sizes[k][0], sizes[k][1], sizes[k][2], k % 2);
    }
}

/* ---- attention ---- */

typedef struct {
    int64_t batch, queries, keys, features, values;
    int mask; /* 0 none, 1 bool, 2 added, the same for the whole batch */
    int causal;
} form;

static bool attends(const form *f, const double *mask, int64_t i, int64_t j)
{
    return (f->mask != 1 || mask[i * f->keys + j] != 0) && (!f->causal || j <= i + f->keys - f->queries);
}

static void attend(const form *f, const double *q, const double *k, const double *v, const double *mask, double *to)
{
    double *s = malloc((size_t)f->keys * sizeof *s);
    for (int64_t i = 0; i < f->queries; i++) {
        double top = -INFINITY, total = 0;
        for (int64_t j = 0; j < f->keys; j++) {
            s[j] = f->mask == 2 ? mask[i * f->keys + j] : 0;
            for (int64_t d = 0; d < f->features; d++) s[j] += q[i * f->features + d] * k[j * f->features + d] / sqrt((double)f->features);
            if (!attends(f, mask, i, j)) s[j] = -INFINITY;
            top = fmax(top, s[j]);
        }
        for (int64_t j = 0; j < f->keys; j++) total += s[j] = s[j] == -INFINITY ? 0 : exp(s[j] - top);
        for (int64_t e = 0; e < f->values; e++) {
            double sum = 0;
            for (int64_t j = 0; j < f->keys; j++) sum += s[j] * v[j * f->values + e];
            to[i * f->values + e] = total > 0 ? sum / total : 0;
        }
    }
    free(s);
}

static void attention(const form *f)
{
    VN_SCOPE;
    vn_array *in[] = {vn_variable(some(VN_SHAPE(f->batch, f->queries, f->features), 2)),
                      vn_variable(some(VN_SHAPE(f->batch, f->keys, f->features), 2)),
                      vn_variable(some(VN_SHAPE(f->batch, f->keys, f->values), 1))};
    vn_array *mask = some(VN_SHAPE(f->queries, f->keys), 3), *given = VN_NONE;
    if (f->mask == 1) given = mask = vn_greater(mask, vn_scalar(1.5));
    if (f->mask == 2) given = mask;
    double *x[3], *m = numbers_of(mask), *expected = malloc((size_t)(f->batch * f->queries * f->values + 1) * sizeof *expected);
    for (int k = 0; k < 3; k++) x[k] = numbers_of(in[k]);
    for (int64_t b = 0; b < f->batch; b++)
        attend(f, x[0] + b * f->queries * f->features, x[1] + b * f->keys * f->features, x[2] + b * f->keys * f->values, m,
               expected + b * f->queries * f->values);
    vn_array *got = vn_attention(in[0], in[1], in[2], given, VN_OPTS(attention, .causal = f->causal));
    compare(got, expected, "attention");
    compare_gradients(1, &got, 3, in, "attention_back");
    for (int k = 0; k < 3; k++) free(x[k]);
    free(expected);
    free(m);
}

TEST(attentions)
{
    static const form forms[] = {{1, 1, 1, 1, 1, 0, 0},       {3, 65, 70, 17, 33, 1, 0},  {2, 130, 1100, 8, 40, 2, 1},
                                 {1, 200, 513, 300, 5, 0, 1}, {17, 70, 31, 4, 3, 1, 1},   {20, 3, 520, 5, 9, 1, 0},
                                 {2, 150, 20, 3, 2, 0, 1},    {1, 64, 1024, 32, 32, 0, 0}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (in_part(k + 1)) attention(&forms[k]);
}

/* No steps: the last states are the first ones, but handles of their own. */
TEST(no_steps)
{
    vn_array *x = vn_zeros(VN_SHAPE(0, 2, 3), VN_F32), *h = vn_ones(VN_SHAPE(2, 4), VN_F32), *c = vn_zeros(VN_SHAPE(2, 4), VN_F32);
    vn_array *w = vn_zeros(VN_SHAPE(3, 16), VN_F32), *u = vn_zeros(VN_SHAPE(4, 16), VN_F32), *last_h, *last_c;
    CHECK(vn_lstm(x, h, c, w, u, VN_NONE, NULL, &last_h, &last_c) && last_h != h && last_c != c);
    vn_into(last_h, vn_mul(last_h, vn_scalar(3)));
    CHECK(vn_item(vn_sum(h, VN_ALL)) == 8 && vn_item(vn_sum(last_h, VN_ALL)) == 24);
}

static int child(void)
{
    for (int d = 0; d < 2; d++) {
        dtype = d ? VN_F64 : VN_F32;
        run_tests();
    }
    printf("%016llx\n", (unsigned long long)hash);
    vn_close();
    return check_failures != 0;
}

/* The hash of one setting; false where this processor does not have the level. */
static bool hash_of(const char *level, const char *threads, char line[static 64])
{
    char command[4400], self[4096] = "";
    setenv("VINEA_ISA", level, 1);
    bool usable = vn_use(NULL) == VN_OK;
    vn_clear();
    vn_close();
    if (!usable) return false;
    CHECK(realpath("/proc/self/exe", self) != NULL);
    snprintf(command, sizeof command, "VINEA_ISA=%s VINEA_THREADS=%s '%s' child", level, threads, self);
    FILE *f = popen(command, "r");
    CHECK(f && fgets(line, 64, f));
    CHECK(f && pclose(f) == 0);
    return true;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return child();
    static const char *const threads[] = {"1", "3"};
    char reference[2][64] = {"", ""};
    for (int l = 0; l < ISA_LEVELS; l++) {
        for (int t = 0; t < 2; t++) {
            char line[64] = "", *known = reference[l > 0];
            check_name = isa_levels[l];
            if (!hash_of(isa_levels[l], threads[t], line)) break;
            if (!known[0]) memcpy(known, line, sizeof line);
            CHECK(line[0] && !strcmp(line, known));
        }
    }
    return finish();
}
