/* SPDX-License-Identifier: Apache-2.0 */
/* attention.c: attention and its gradients against plain loops in double, with heads and sequences on both sides of the sizes at which the native engine takes another path,
 * with and without masks; at every level, and with the same bits on 1, 2 and 5 threads. */
/* ctest: seconds 2 */
/* ctest: sanitize */
#include "check.h"
#include "isa_levels.h"

#define THRESHOLDS_ATTENTION
#include "../../engines/native/thresholds.h"

/* queries, keys, features of queries and keys, features of values */
static const int shapes[][4] = {
    {1, 1, 3, 3}, {3, 5, 8, 80}, {QUERIES + 1, QUERIES + 6, 64, 64}, {5, KEYS + 1, 16, 130}, {QUERIES + 3, KEYS + 70, 65, 33}, {7, 4, 2, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes, MAX_SIZE = (QUERIES + 3) * (KEYS + 70), FEATURES = 130 };

/* CAUSAL: by the option. ADDED: numbers, and -inf where a query does not look. NOWHERE: the first query looks at no key. */
typedef enum { OPEN, CAUSAL, ADDED, NOWHERE, MASKS } mask_kind;

static double q[MAX_SIZE], k[MAX_SIZE * 2], v[MAX_SIZE * 2], ct[MAX_SIZE], mask[MAX_SIZE], weight[MAX_SIZE], out[MAX_SIZE], dq[MAX_SIZE],
    dk[MAX_SIZE * 2], dv[MAX_SIZE * 2];

static void fill(double *x, int n, double step, double scale)
{
    for (int i = 0; i < n; i++) x[i] = (double)(float)(scale * sin(i * step + .3));
}

/* Results and gradients. */
static void attend(const int *s, mask_kind kind)
{
    const int n = s[0], m = s[1], d = s[2], e = s[3];
    memset(dq, 0, sizeof dq), memset(dk, 0, sizeof dk), memset(dv, 0, sizeof dv);
    for (int i = 0; i < n; i++) {
        double *w = weight + i * m, top = -INFINITY, total = 0, mean = 0;
        for (int j = 0; j < m; j++) {
            double dot = 0;
            for (int c = 0; c < d; c++) dot += q[i * d + c] * k[j * d + c];
            const bool seen = kind != CAUSAL || j <= i + m - n;
            w[j] = seen ? dot / sqrt(d) + (kind >= ADDED ? mask[i * m + j] : 0) : -INFINITY;
            top = fmax(top, w[j]);
        }
        for (int j = 0; j < m; j++) total += w[j] = top == -INFINITY ? 0 : exp(w[j] - top);
        for (int j = 0; j < m; j++) w[j] = total > 0 ? w[j] / total : 0;
        for (int c = 0; c < e; c++) {
            out[i * e + c] = 0;
            for (int j = 0; j < m; j++) out[i * e + c] += w[j] * v[j * e + c], dv[j * e + c] += w[j] * ct[i * e + c];
            mean += out[i * e + c] * ct[i * e + c];
        }
        for (int j = 0; j < m; j++) {
            double slope = 0;
            for (int c = 0; c < e; c++) slope += ct[i * e + c] * v[j * e + c];
            slope = w[j] * (slope - mean) / sqrt(d);
            for (int c = 0; c < d; c++) dq[i * d + c] += slope * k[j * d + c], dk[j * d + c] += slope * q[i * d + c];
        }
    }
}

static void compare(const char *what, vn_array *got, const double *want, double tolerance, const int *s, mask_kind kind)
{
    const double *g = vn_data(vn_cast(got, VN_F64));
    double largest = 0, off = 0;
    for (int64_t i = 0; g && i < vn_size(got); i++) largest = fmax(largest, fabs(want[i]));
    for (int64_t i = 0; g && i < vn_size(got); i++) off = isnan(g[i]) ? INFINITY : fmax(off, fabs(g[i] - want[i]));
    const bool good = g && off <= tolerance * fmax(largest, .01);
    if (!good)
        fprintf(stderr, "%s: %s of %d %d %d %d, mask %d: off by %g of %g\n", getenv("VINEA_ISA"), what, s[0], s[1], s[2], s[3], (int)kind,
                off, largest);
    CHECK(good);
}

static uint64_t bits[2][SHAPES][MASKS]; /* of the level's first number of threads */
static char level[16];

static void check(int shape, mask_kind kind, vn_dtype dtype, bool first)
{
    VN_SCOPE;
    const int *s = shapes[shape], n = s[0], m = s[1], d = s[2], e = s[3];
    const double tolerance = dtype == VN_F32 ? 1e-5 : 1e-13;
    vn_array *aq = vn_variable(vn_cast(vn_from_host(q, VN_F64, VN_SHAPE(n, d)), dtype)),
             *ak = vn_variable(vn_cast(vn_from_host(k, VN_F64, VN_SHAPE(m, d)), dtype));
    vn_array *av = vn_variable(vn_cast(vn_from_host(v, VN_F64, VN_SHAPE(m, e)), dtype)),
             *act = vn_cast(vn_from_host(ct, VN_F64, VN_SHAPE(n, e)), dtype);
    vn_array *am = kind < ADDED ? VN_NONE : vn_cast(vn_from_host(mask, VN_F64, VN_SHAPE(n, m)), dtype);
    if (kind == NOWHERE) am = vn_isfinite(am);
    vn_array *y = vn_attention(aq, ak, av, am, VN_OPTS(attention, .causal = kind == CAUSAL)), *grads[3];
    CHECK(vn_grads(vn_sum(vn_mul(y, act), VN_ALL), 3, (vn_array *[]){aq, ak, av}, NULL, grads) == VN_OK);
    const uint64_t hash = hash_array(hash_array(hash_array(hash_array(VN__HASH, y), grads[0]), grads[1]), grads[2]);
    uint64_t *before = &bits[dtype == VN_F64][shape][kind];
    if (!first) {
        CHECK(hash == *before);
        return;
    }
    *before = hash;
    attend(s, kind);
    compare("attention", y, out, tolerance, s, kind);
    compare("the gradient of q", grads[0], dq, tolerance, s, kind);
    compare("the gradient of k", grads[1], dk, tolerance, s, kind);
    compare("the gradient of v", grads[2], dv, tolerance, s, kind);
}

TEST(values_and_gradients)
{
    const bool first = strcmp(level, getenv("VINEA_ISA")) != 0;
    snprintf(level, sizeof level, "%s", getenv("VINEA_ISA"));
    for (int shape = 0; shape < SHAPES; shape++)
        for (mask_kind kind = OPEN; kind < MASKS; kind++) {
            const int *s = shapes[shape];
            if (s[0] * s[1] > 20000 && kind % 2) continue; /* of the largest half of the masks */
            fill(q, s[0] * s[2], .37, 2), fill(k, s[1] * s[2], .61, 1), fill(v, s[1] * s[3], .23, 1), fill(ct, s[0] * s[3], .71, 1);
            for (int i = 0; i < s[0] * s[1]; i++) {
                const bool blind = i % 7 == 3 || (kind == NOWHERE && i < s[1]);
                mask[i] = blind ? -INFINITY : kind == NOWHERE ? 0 : (double)(float)cos(i);
            }
            check(shape, kind, VN_F32, first);
            check(shape, kind, VN_F64, first);
        }
}

TEST_MAIN_AT_EVERY_LEVEL_ON("1", "2", "5")
