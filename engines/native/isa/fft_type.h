/* SPDX-License-Identifier: Apache-2.0 */
/* fft_type.h: the inner loops of Fourier transforms for one type. Included by fft.c.
 *
 * A pass of radix r turns s numbers at q + s (p + m k), k = 0 ... r - 1, into those at q + s (r p + j), times w[p][j]: Stockham's
 * order, which needs no permutation of its own. w has r - 1 pairs for each p, those of j = 1 and up. */

typedef struct NAME(complex) {
    T re, im;
} NAME(complex);
#define C NAME(complex)

#define PASS_ARGS \
    T *restrict yr, T *restrict yi, const T *restrict xr, const T *restrict xi, const T *restrict w, const int64_t m, const int64_t s
/* What is at k, and setting what is at j to (re, im) times its root of unity. */
#define RE(k) xr[q + s * (p + m * (k))]
#define IM(k) xi[q + s * (p + m * (k))]
#define SET_FIRST(re, im) yr[q + s * r * p] = (re), yi[q + s * r * p] = (im)
#define SET(j, re, im) \
    yr[q + s * (r * p + (j))] = (re)*u[2 * (j)-2] - (im)*u[2 * (j)-1], yi[q + s * (r * p + (j))] = (re)*u[2 * (j)-1] + (im)*u[2 * (j)-2]

static void NAME(pass_2)(PASS_ARGS)
{
    enum { r = 2 };
    for (int64_t p = 0; p < m; p++) {
        const T u[] = {w[2 * p], w[2 * p + 1]};
        VN_INDEPENDENT
        for (int64_t q = 0; q < s; q++) {
            const T ar = RE(0), ai = IM(0), br = RE(1), bi = IM(1), dr = ar - br, di = ai - bi;
            SET_FIRST(ar + br, ai + bi);
            SET(1, dr, di);
        }
    }
}

static void NAME(pass_3)(PASS_ARGS)
{
    enum { r = 3 };
    const T root = (T)0.86602540378443864676;
    for (int64_t p = 0; p < m; p++) {
        T u[4];
        memcpy(u, w + 4 * p, sizeof u);
        VN_INDEPENDENT
        for (int64_t q = 0; q < s; q++) {
            const T ar = RE(0), ai = IM(0), sr = RE(1) + RE(2), si = IM(1) + IM(2);
            const T dr = (RE(1) - RE(2)) * root, di = (IM(1) - IM(2)) * root, cr = ar - sr / 2, ci = ai - si / 2;
            const T y1r = cr + di, y1i = ci - dr, y2r = cr - di, y2i = ci + dr;
            SET_FIRST(ar + sr, ai + si);
            SET(1, y1r, y1i);
            SET(2, y2r, y2i);
        }
    }
}

static void NAME(pass_4)(PASS_ARGS)
{
    enum { r = 4 };
    for (int64_t p = 0; p < m; p++) {
        T u[6];
        memcpy(u, w + 6 * p, sizeof u);
        VN_INDEPENDENT
        for (int64_t q = 0; q < s; q++) {
            const T ar = RE(0) + RE(2), ai = IM(0) + IM(2), br = RE(0) - RE(2), bi = IM(0) - IM(2);
            const T cr = RE(1) + RE(3), ci = IM(1) + IM(3), dr = RE(1) - RE(3), di = IM(1) - IM(3);
            const T y1r = br + di, y1i = bi - dr, y2r = ar - cr, y2i = ai - ci, y3r = br - di, y3i = bi + dr;
            SET_FIRST(ar + cr, ai + ci);
            SET(1, y1r, y1i);
            SET(2, y2r, y2i);
            SET(3, y3r, y3i);
        }
    }
}

static void NAME(pass_5)(PASS_ARGS)
{
    enum { r = 5 };
    const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410, s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
    for (int64_t p = 0; p < m; p++) {
        T u[8];
        memcpy(u, w + 8 * p, sizeof u);
        VN_INDEPENDENT
        for (int64_t q = 0; q < s; q++) {
            const T ar = RE(0), ai = IM(0), br = RE(1) + RE(4), bi = IM(1) + IM(4), cr = RE(2) + RE(3), ci = IM(2) + IM(3);
            const T dr = RE(1) - RE(4), di = IM(1) - IM(4), er = RE(2) - RE(3), ei = IM(2) - IM(3);
            const T fr = ar + c1 * br + c2 * cr, fi = ai + c1 * bi + c2 * ci, gr = ar + c2 * br + c1 * cr, gi = ai + c2 * bi + c1 * ci;
            const T hr = s1 * dr + s2 * er, hi = s1 * di + s2 * ei, kr = s2 * dr - s1 * er, ki = s2 * di - s1 * ei;
            const T y1r = fr + hi, y1i = fi - hr, y4r = fr - hi, y4i = fi + hr, y2r = gr + ki, y2i = gi - kr, y3r = gr - ki, y3i = gi + kr;
            SET_FIRST(ar + br + cr, ai + bi + ci);
            SET(1, y1r, y1i);
            SET(2, y2r, y2i);
            SET(3, y3r, y3i);
            SET(4, y4r, y4i);
        }
    }
}

/* Any odd radix, a chunk of numbers at a time: elements k and r - k share cosines and, up to the sign, sines. */
static void NAME(pass_odd)(PASS_ARGS, const int64_t r, const T *restrict roots)
{
    T sum[2][VN_FFT_RADIX / 2 + 1][CHUNK], difference[2][VN_FFT_RADIX / 2 + 1][CHUNK];
    const int64_t half = r / 2, count = m * s;
    for (int64_t at = 0; at < count; at += CHUNK) {
        const int64_t p = at / s, q0 = at % s, n = vn__min(CHUNK, s - q0);
        const T *u = w + 2 * (r - 1) * p;
        at -= CHUNK - n; /* a chunk ends where p changes */
        for (int64_t k = 1; k <= half; k++) {
            for (int64_t e = 0, q = q0; e < n; e++, q++) {
                sum[0][k][e] = RE(k) + RE(r - k), sum[1][k][e] = IM(k) + IM(r - k);
                difference[0][k][e] = RE(k) - RE(r - k), difference[1][k][e] = IM(k) - IM(r - k);
            }
        }
        for (int64_t j = 0; j <= half; j++) {
            T cr[CHUNK], ci[CHUNK], dr[CHUNK] = {0}, di[CHUNK] = {0};
            for (int64_t e = 0, q = q0; e < n; e++, q++) cr[e] = RE(0), ci[e] = IM(0);
            for (int64_t k = 1; k <= half; k++) {
                const T c = roots[2 * (j * k % r)], v = roots[2 * (j * k % r) + 1];
                for (int64_t e = 0; e < n; e++) {
                    cr[e] += c * sum[0][k][e], ci[e] += c * sum[1][k][e];
                    dr[e] += v * difference[0][k][e], di[e] += v * difference[1][k][e];
                }
            }
            for (int64_t e = 0, q = q0; e < n; e++, q++) {
                if (j == 0) {
                    SET_FIRST(cr[e], ci[e]);
                    continue;
                }
                const T ar = cr[e] - di[e], ai = ci[e] + dr[e], br = cr[e] + di[e], bi = ci[e] - dr[e];
                SET(j, ar, ai);
                SET(r - j, br, bi);
            }
        }
    }
}

static void NAME(pass)(void *const y[2], void *const x[2], const void *w, const void *roots, int64_t r, int64_t m, int64_t s)
{
    T *yr = y[0], *yi = y[1];
    const T *xr = x[0], *xi = x[1];
    if (r == 4) NAME(pass_4)(yr, yi, xr, xi, w, m, s);
    else if (r == 2) NAME(pass_2)(yr, yi, xr, xi, w, m, s);
    else if (r == 3) NAME(pass_3)(yr, yi, xr, xi, w, m, s);
    else if (r == 5) NAME(pass_5)(yr, yi, xr, xi, w, m, s);
    else NAME(pass_odd)(yr, yi, xr, xi, w, m, s, r, roots);
}

/* ---- lines and planes ---- */

static void NAME(load)(void *const to[2], const void *from, int64_t n, int64_t step, int64_t lanes, int64_t lane_step)
{
    T *restrict re = to[0], *restrict im = to[1];
    const C *restrict x = from;
    if (lane_step == 1) {
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < lanes; l++) re[j * lanes + l] = x[j * step + l].re, im[j * lanes + l] = x[j * step + l].im;
        return;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < lanes; l++) {
            const C *at = x + j * step + l * lane_step;
            re[j * lanes + l] = at->re, im[j * lanes + l] = at->im;
        }
}

static void NAME(store)(void *to, int64_t n, int64_t step, int64_t lanes, int64_t lane_step, void *const from[2], double scale)
{
    const T *restrict re = from[0], *restrict im = from[1], by = (T)scale;
    C *restrict z = to;
    if (lane_step == 1) {
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < lanes; l++) z[j * step + l].re = re[j * lanes + l] * by, z[j * step + l].im = im[j * lanes + l] * by;
        return;
    }
    for (int64_t j = 0; j < n; j++)
        for (int64_t l = 0; l < lanes; l++) {
            C *at = z + j * step + l * lane_step;
            at->re = re[j * lanes + l] * by, at->im = im[j * lanes + l] * by;
        }
}

/* The root of each element is rounded only once, from a product in double precision. */
static void NAME(twist)(void *const planes[2], const double *coarse, const double *fine, int64_t n, int64_t lanes)
{
    T *restrict re = planes[0], *restrict im = planes[1];
    for (int64_t k = 0; k < n; k++, re += lanes, im += lanes, fine += 2 * VN_FFT_LANES) {
        const double cr = coarse[2 * k], ci = coarse[2 * k + 1];
        VN_INDEPENDENT
        for (int64_t l = 0; l < lanes; l++) {
            const T wr = (T)(cr * fine[l] - ci * fine[VN_FFT_LANES + l]), wi = (T)(cr * fine[VN_FFT_LANES + l] + ci * fine[l]);
            const T a = re[l], b = im[l];
            re[l] = a * wr - b * wi, im[l] = a * wi + b * wr;
        }
    }
}

/* Both parts are sums: of a difference and a sum side by side, gcc makes fused multiply-adds, even where they are off. */
static void NAME(times)(void *to, int64_t to_step, const void *from, int64_t from_step, const void *by, int64_t n, double x_sign,
                        double z_sign, double scale)
{
    C *z = to;
    const C *x = from, *w = by;
    const T up = (T)x_sign, down = (T)z_sign, size = (T)scale;
    VN_INDEPENDENT
    for (int64_t k = 0; k < n; k++) {
        const T a = x[k * from_step].re, b = up * x[k * from_step].im, c = w[k].re, d = w[k].im, minus = -d;
        z[k * to_step].re = size * (a * c + b * minus), z[k * to_step].im = down * size * (a * d + b * c);
    }
}

/* ---- real numbers ---- */

/* With z[k] the transform of pairs of real numbers, e and o those of the even and odd ones: z[k] = e[k] + i o[k], and both mirror their
 * conjugates. */
static void NAME(halves)(void *line, const void *roots, int64_t m)
{
    C *z = line;
    const C *w = roots, first = z[0];
    z[0] = (C){first.re + first.im, 0};
    z[m] = (C){first.re - first.im, 0};
    for (int64_t k = 1; k <= m - k; k++) {
        const C a = z[k], b = z[m - k];
        const T er = (a.re + b.re) / 2, ei = (a.im - b.im) / 2, dr = (a.im + b.im) / 2, di = (b.re - a.re) / 2;
        const T tr = w[k].re * dr - w[k].im * di, ti = w[k].re * di + w[k].im * dr;
        z[m - k] = (C){er - tr, ti - ei};
        z[k] = (C){er + tr, ei + ti};
    }
}

static void NAME(whole)(void *line, const void *spectrum, const void *roots, int64_t m)
{
    C *z = line;
    const C *x = spectrum, *w = roots;
    z[0] = (C){x[0].re + x[m].re, x[0].re - x[m].re};
    for (int64_t k = 1; k <= m - k; k++) {
        const C a = x[k], b = x[m - k];
        const T er = a.re + b.re, ei = a.im - b.im, dr = a.re - b.re, di = a.im + b.im;
        const T tr = w[k].re * dr + w[k].im * di, ti = w[k].re * di - w[k].im * dr;
        z[m - k] = (C){er + ti, tr - ei};
        z[k] = (C){er - ti, ei + tr};
    }
}

static void NAME(widen)(void *to, int64_t to_step, const void *from, int64_t from_step, int64_t n)
{
    T *z = to;
    const T *x = from;
    for (int64_t k = 0; k < n; k++) z[k * to_step] = x[k * from_step];
}

static void NAME(mirror)(void *line, const void *half, int64_t n)
{
    C *z = line;
    const C *x = half;
    z[0] = (C){x[0].re, 0};
    for (int64_t k = 1; k <= n - k; k++) {
        z[k] = x[k];
        z[n - k] = (C){x[k].re, -x[k].im};
    }
}

#undef C
#undef PASS_ARGS
#undef RE
#undef IM
#undef SET_FIRST
#undef SET
