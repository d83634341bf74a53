/* recurrent.c: the native kernels of lstm, gru and attention at sizes that reach every block and tail: against plain loops in double, their
 * ways back against gradients in elementary ops. All of it at every instruction-set level and with several threads, each setting in a
 * process of its own that prints a hash: the bits depend on neither, the baseline's excepted, which has no fused multiply-add. */
/* ctest: seconds 6 */
#include "check.h"

static uint64_t hash = 1469598103934665603u;
static vn_dtype dtype;

static double *numbers_of(vn_array *x)
{
    double *to = malloc(((size_t)vn_size(x) + 1) * sizeof *to);
    const unsigned char *p = vn_data(x);
    CHECK(p && vn_read(vn_cast(x, VN_F64), to, (size_t)vn_size(x) * sizeof *to) == VN_OK);
    for (size_t k = 0; p && k < (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x)); k++) hash = (hash ^ p[k]) * 1099511628211u;
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
static void compare_gradients(vn_array *result, int n, vn_array *const *in, const char *what)
{
    vn_array *fast[8], *plain[8], *loss = vn_sum(vn_mul(result, some(vn_shape_of(result), 1)), VN_ALL);
    CHECK(vn_grads(loss, n, in, fast, NULL) == VN_OK && vn_grads(loss, n, in, plain, VN_OPTS(grad, .retain = 1)) == VN_OK);
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

static void lstm_row(double *to, const double *x, const double *w, const double *h, const double *c, int64_t H)
{
    for (int64_t j = 0; j < H; j++) {
        double z[4];
        for (int k = 0; k < 4; k++) z[k] = x[k * H + j] + own(h, w, H, 4 * H, k * H + j);
        to[H + j] = sigmoid(z[1]) * c[j] + sigmoid(z[0]) * tanh(z[2]);
        to[j] = sigmoid(z[3]) * tanh(to[H + j]);
    }
}

static void gru_row(double *to, const double *x, const double *w, const double *b, const double *h, int64_t H)
{
    for (int64_t j = 0; j < H; j++) {
        double u[3];
        for (int k = 0; k < 3; k++) u[k] = own(h, w, H, 3 * H, k * H + j) + b[k * H + j];
        double r = sigmoid(x[j] + u[0]), z = sigmoid(x[H + j] + u[1]);
        to[j] = (1 - z) * tanh(x[2 * H + j] + r * u[2]) + z * h[j];
    }
}

static void recurrence(bool lstm, int64_t T, int64_t B, int64_t H, int reverse)
{
    VN_SCOPE;
    const int64_t gates = (lstm ? 4 : 3) * H, state = lstm ? 2 * H : H;
    vn_array *in[] = {vn_variable(some(VN_SHAPE(T, B, gates), 1)), vn_variable(some(VN_SHAPE(H, gates), 2 / sqrt((double)H))),
                      vn_variable(some(lstm ? VN_SHAPE(B, H) : VN_SHAPE(gates), .8)), vn_variable(some(VN_SHAPE(B, H), .9))};
    double *x[4], *expected = malloc((size_t)(T * B * state) * sizeof *expected);
    for (int k = 0; k < 4; k++) x[k] = numbers_of(in[k]);
    for (int64_t s = 0; s < T; s++) {
        const int64_t t = reverse ? T - 1 - s : s, before = reverse ? t + 1 : t - 1;
        for (int64_t i = 0; i < B; i++) {
            double *to = expected + (t * B + i) * state, *from = expected + (before * B + i) * state;
            const double *row = x[0] + (t * B + i) * gates, *h = s ? from : x[lstm ? 2 : 3] + i * H;
            if (lstm) lstm_row(to, row, x[1], h, s ? from + H : x[3] + i * H, H);
            else gru_row(to, row, x[1], x[2], h, H);
        }
    }
    vn_array *got = lstm ? vn_lstm_states(in[0], in[1], in[2], in[3], reverse) : vn_gru_states(in[0], in[1], in[2], in[3], reverse);
    compare(got, expected, lstm ? "lstm_states" : "gru_states");
    compare_gradients(got, 4, in, lstm ? "lstm_back" : "gru_back");
    for (int k = 0; k < 4; k++) free(x[k]);
    free(expected);
}

static void recurrences(void)
{
    static const int64_t sizes[][3] = {{1, 1, 1}, {3, 2, 7}, {5, 71, 33}, {2, 5, 300}, {3, 130, 20}};
    for (int k = 0; k < 5; k++) {
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
    vn_array *got = vn_attention(in[0], in[1], in[2], given, 0, f->causal);
    compare(got, expected, "attention");
    compare_gradients(got, 3, in, "attention_back");
    for (int k = 0; k < 3; k++) free(x[k]);
    free(expected);
    free(m);
}

static void attentions(void)
{
    static const form forms[] = {{1, 1, 1, 1, 1, 0, 0},       {3, 65, 70, 17, 33, 1, 0},  {2, 130, 1100, 8, 40, 2, 1},
                                 {1, 200, 513, 300, 5, 0, 1}, {17, 70, 31, 4, 3, 1, 1},   {20, 3, 520, 5, 9, 1, 0},
                                 {2, 150, 20, 3, 2, 0, 1},    {1, 64, 1024, 32, 32, 0, 0}};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) attention(&forms[k]);
}

static int child(void)
{
    for (int d = 0; d < 2; d++) {
        dtype = d ? VN_F64 : VN_F32;
        RUN(recurrences);
        RUN(attentions);
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
    static const char *const levels[] = {"baseline", "avx2", "avx512"}, *const threads[] = {"1", "3"};
    char reference[2][64] = {"", ""};
    for (int l = 0; l < 3; l++) {
        for (int t = 0; t < 2; t++) {
            char line[64] = "", *known = reference[l > 0];
            check_name = levels[l];
            if (!hash_of(levels[l], threads[t], line)) break;
            if (!known[0]) memcpy(known, line, sizeof line);
            CHECK(line[0] && !strcmp(line, known));
        }
    }
    return finish();
}
