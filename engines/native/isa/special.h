/* SPDX-License-Identifier: Apache-2.0 */
/* special.h: gamma and error functions, in the style of math.h. Float results are double, rounded, except for erfc, with an error of 4.5
 * ulps.
 *
 * Largest errors found in double, compared with 60-digit functions on thousands of points each, in ulps: erfc 3.5, erfinv
 * 5.5, lgamma 2.2 up to 3 and 41 beyond (4e-15), polygamma 3 to 11 by its order, 16 left of 0. For digamma, and for the others left of 0,
 * the error is about 1e-15 near zeros.
 *
 * Polynomials were fitted at Chebyshev points. */
#ifndef VN_NATIVE_SPECIAL_H
#define VN_NATIVE_SPECIAL_H

#include "math.h"

/* ---- the error function's complement and inverse ---- */

/* erfc(c) e^(c^2) for 0 <= c <= 28: a polynomial in u = (c - 4) / (c + 4), divided by 1 + 2c. The caller divides first, so that the
 * exponential overlaps. */
VN_INLINE double erfc_scaled_f64(double c, double u)
{
    double p = -2.76412023373457802e-10;
    p = p * u + 9.2976252637096597e-10;
    p = p * u + 3.23239734450820326e-9;
    p = p * u - 1.23387314037984437e-8;
    p = p * u - 2.07258024881819618e-8;
    p = p * u + 1.06318175938181482e-7;
    p = p * u + 7.77194324108691282e-8;
    p = p * u - 8.21064793329733634e-7;
    p = p * u + 2.91734255730897332e-7;
    p = p * u + 5.70657829924074054e-6;
    p = p * u - 0.0000112211356659659071;
    p = p * u - 0.0000243977311430232924;
    p = p * u + 0.000150621426086519447;
    p = p * u - 0.000199257152472651783;
    p = p * u - 0.000757773243594257611;
    p = p * u + 0.0050319700691022558;
    p = p * u - 0.0161977340629347706;
    p = p * u + 0.0371675155263380036;
    p = p * u - 0.0663303658118605825;
    p = p * u + 0.0937328349991126395;
    p = p * u - 0.101039066036318116;
    p = p * u + 0.0680970542546683824;
    p = p * u + 0.0153796521026199743;
    p = p * u - 0.139621116840562284;
    p = p * u + 1.23299511862555251;
    return p / (1.0 + 2.0 * c);
}

/* The square in two parts keeps the digits of its exponential. */
VN_INLINE double erfc_f64(double x)
{
    const double m = abs_f64(x), c = m > 28.0 ? 28.0 : m, u = (c - 4.0) / (c + 4.0);
    double low;
    const double square = two_product(c, c, &low), e = exp_f64(-square), z = (e - e * low) * erfc_scaled_f64(c, u);
    return x < 0.0 ? 2.0 - z : z;
}

/* The same with 3 for 4, for c <= 11. */
VN_INLINE float erfc_scaled_f32(float c, float u)
{
    float p = 8.007454975e-5f;
    p = p * u - 9.253769126e-5f;
    p = p * u - 0.0007340820504f;
    p = p * u + 0.001875060246f;
    p = p * u + 0.002506778672f;
    p = p * u - 0.0237635597f;
    p = p * u + 0.06831319672f;
    p = p * u - 0.1192752814f;
    p = p * u + 0.1296447209f;
    p = p * u - 0.04756215615f;
    p = p * u - 0.1356211001f;
    p = p * u + 1.253008056f;
    return p / (1.0f + 2.0f * c);
}
/* x^2 = the result + low, by splitting the digits of x. */
VN_INLINE float square_f32(float x, float *low)
{
    const float s = x * x, high = from_bits_f32(bits_f32(x) & UINT32_C(0xFFFFF000)), rest = x - high;
    *low = ((high * high - s) + 2.0f * high * rest) + rest * rest;
    return s;
}
/* erf(x) / x for |x| < 1/2, s = x^2 */
VN_INLINE float erf_ratio_f32(float s)
{
    float q = 0.0001205533298f;
    q = q * s - 0.0008548327023f;
    q = q * s + 0.005223977625f;
    q = q * s - 0.02686617065f;
    q = q * s + 0.1128379167f;
    q = q * s - 0.376126389f;
    q = q * s + 1.128379167f;
    return q;
}

VN_INLINE float erfc_f32(float x)
{
    const float m = abs_f32(x), c = m > 11.0f ? 11.0f : m, u = (c - 3.0f) / (c + 3.0f);
    float low;
    const float s = square_f32(c, &low), e = exp_f32(-s), far = (e - e * low) * erfc_scaled_f32(c, u), both = x < 0.0f ? 2.0f - far : far;
    return m < 0.5f ? 1.0f - erf_ratio_f32(s) * x : both;
}

/* A first guess, x times a polynomial in w = -ln(1 - x^2), or in its root where that is large, is right to 6 digits. One of Halley's
 * steps, with the complement where x is close to 1, makes it 17. */
VN_INLINE double erfinv_f64(double x)
{
    const double m = abs_f64(x), rest = 1.0 - m, w = -log_f64(rest * (1.0 + m));
    const double a = (w - 2.5) * 0.4, b = (sqrt_f64(w) - 4.2) * 0.5;
    double p = 0.0000344939845904098124;
    p = p * a + 0.000208877385860264214;
    p = p * a - 0.000843452029851021563;
    p = p * a - 0.000427768233801147473;
    p = p * a + 0.00852785077503946301;
    p = p * a - 0.0195899825755518448;
    p = p * a - 0.026108415733044101;
    p = p * a + 0.616601915668124767;
    p = p * a + 1.50140935111079192;
    double q = 0.00416447847055419575;
    q = q * b - 0.00684159109173669374;
    q = q * b + 0.000678152883268071705;
    q = q * b + 0.00131865443316397074;
    q = q * b + 0.00384075062005651709;
    q = q * b - 0.0061581492366321906;
    q = q * b + 0.00321861724135272884;
    q = q * b + 2.0198734011460527;
    q = q * b + 4.04172636901833916;
    const double y = m * (w < 5.0 ? p : q);
    const double miss = m < 0.5 ? erf_f64(y) - m : rest - erfc_f64(y);
    const double slope = 1.12837916709551257390 * exp_f64(-y * y), step = miss / slope;
    double z = y - step / (1.0 + y * step);
    z = m == 1.0 ? __builtin_inf() : z;
    z = m == 0.0 ? m : z;
    return m <= 1.0 ? signed_f64(z, x) : __builtin_nan("");
}

/* Enough for float without that step. */
VN_INLINE float erfinv_f32(float x)
{
    const double m = abs_f64((double)x), w = -log_f64((1.0 - m) * (1.0 + m));
    const double a = (w - 2.5) * 0.4, b = (sqrt_f64(w) - 3.125) * 1.08108108108108103;
    double p = 2.94365337240757306e-6;
    p = p * a + 4.13954429994010248e-6;
    p = p * a - 0.000041434331022622462;
    p = p * a + 0.000025182562318746537;
    p = p * a + 0.000292169011508719359;
    p = p * a - 0.00083649077386090527;
    p = p * a - 0.000487890635756245652;
    p = p * a + 0.0085259423912313515;
    p = p * a - 0.0195735618336839095;
    p = p * a - 0.0261082817528610169;
    p = p * a + 0.616600691871460589;
    p = p * a + 1.50140935174817641;
    double q = -4.3980109974135304e-6;
    q = q * b - 0.0000130660255150795227;
    q = q * b + 0.0000728947215967167567;
    q = q * b - 0.0000636491471541355778;
    q = q * b - 0.000193101288983126665;
    q = q * b + 0.000797769520435732962;
    q = q * b - 0.00170582404451380935;
    q = q * b + 0.00277598199219368415;
    q = q * b - 0.00419555279691550623;
    q = q * b + 0.0060305079206606389;
    q = q * b + 0.928439790624814161;
    q = q * b + 2.9583201479936842;
    double z = m * (w < 5.0 ? p : q);
    z = m == 1.0 ? __builtin_inf() : z;
    return m <= 1.0 ? signed_f32((float)z, x) : __builtin_nanf("");
}

/* ---- gamma ---- */

/* pi times the distance of x to the nearest integer, as an angle, without losing digits. */
VN_INLINE vn__angle half_turns(double x)
{
    const double r = x - round_f64(x), shifted = r * 2.0 + 6755399441055744.0;
    const double f = r - 0.5 * (shifted - 6755399441055744.0);
    vn__angle a = {.quarters = bits_f64(shifted)};
    a.high = two_product(f, 0x1.921fb54442d18p+1, &a.low);
    a.low += f * 0x1.1a62633145c07p-53;
    return a;
}

/* ln(gamma(v + 2)) / (v (v + 1)) for -1 <= v <= 1 */
VN_INLINE double lgamma_ratio(double v)
{
    double p = 1.47567844979562575e-9;
    p = p * v - 3.04508310461640577e-9;
    p = p * v - 3.6707781973177215e-9;
    p = p * v + 7.54698210604421572e-9;
    p = p * v + 1.43546025381865477e-8;
    p = p * v - 2.96893772361782225e-8;
    p = p * v + 8.98075293131932845e-9;
    p = p * v - 1.91557989128059159e-8;
    p = p * v + 1.00900825014163906e-7;
    p = p * v - 2.11602094152952679e-7;
    p = p * v + 3.98291986191765263e-7;
    p = p * v - 8.41787818556620709e-7;
    p = p * v + 1.81019653745853811e-6;
    p = p * v - 3.85162802456863467e-6;
    p = p * v + 8.22164118468845867e-6;
    p = p * v - 0.0000176605494368599631;
    p = p * v + 0.0000381689838392897344;
    p = p * v - 0.0000830953205143400953;
    p = p * v + 0.000182552628961646087;
    p = p * v - 0.000405707376718340237;
    p = p * v + 0.000915376922859274743;
    p = p * v - 0.00210813083520551129;
    p = p * v + 0.00499864116468036015;
    p = p * v - 0.0123841921933364025;
    p = p * v + 0.0329650006211559659;
    p = p * v - 0.100317301674354209;
    p = p * v + 0.422784335098467139;
    return p;
}

/* What Stirling's formula lacks of ln(gamma(x)), for x >= 10, by its series. */
VN_INLINE double stirling_rest(double x)
{
    const double r = 1.0 / x, r2 = r * r;
    double s = 6.41025641025641025641e-3;
    s = s * r2 - 1.91752691752691752692e-3;
    s = s * r2 + 8.41750841750841750842e-4;
    s = s * r2 - 5.95238095238095238095e-4;
    s = s * r2 + 7.93650793650793650794e-4;
    s = s * r2 - 2.77777777777777777778e-3;
    s = s * r2 + 8.33333333333333333333e-2;
    return s * r;
}

/* ln(gamma(x)) for x >= 0. Up to 3 it is (x - 1)(x - 2) times a polynomial, so that it is accurate at both zeros; below 1 that of x + 1
 * less ln x. From there on Stirling's series, up to 11 that of x + 8 less the logarithm of the product in between. */
VN_INLINE double lgamma_right(double x)
{
    const int low = x < 1.0, middle = x < 11.0;
    const double v = x - (low ? 1.0 : 2.0), w = x - (low ? 0.0 : 1.0);
    const double p = lgamma_ratio(v);
    const double x7 = x + 7.0, a = x * x7, b = a + 6.0, c = a + 10.0, d = a + 12.0; /* (x + k)(x + 7 - k) = x (x + 7) + k (7 - k) */
    const double y = middle ? x + 8.0 : x;
    const double product = (a * b) * (c * d), taken = log_f64(low ? x : middle ? product : 1.0);
    const double near = (low ? -taken : 0.0) + w * v * p;
    const double far = (y - 0.5) * (log_f64(y) - 1.0) + (0.418938533204672741780 + stirling_rest(y)) - (low ? 0.0 : taken);
    return x < 3.0 ? near : far;
}

/* ln|gamma(x)|, left of 0 by reflection; infinite at 0, the negative integers and both infinities. */
static inline double lgamma_any_f64(double x)
{
    if (!(x < 0.0)) return lgamma_right(x);
    if (x - x != 0.0) return __builtin_inf();
    const vn__angle a = half_turns(x);
    const double sine = abs_f64(turned_f64(a, a.quarters));
    return -log_f64(sine * 0.318309886183790671538) - (log_f64(-x) + lgamma_right(-x));
}
static inline float lgamma_any_f32(float x)
{
    return (float)lgamma_any_f64((double)x);
}
VN_INLINE double lgamma_f64(double x)
{
    return lgamma_right(x);
}

/* ---- derivatives of ln(gamma) ---- */

enum { VN_POLYGAMMA_ORDERS = 9, VN_POLYGAMMA_TAIL = 8 }; /* orders 0 to 8, as the op's rule has it */

/* By order n: (n - 1)!, n!, pi^(n + 1), B(2k) (n + 2k - 1)! / (2k)! for k = 1 .., and the n-th derivative of the cotangent as a polynomial
 * of it. */
static const double leads[VN_POLYGAMMA_ORDERS] = {0, 1, 1, 2, 6, 24, 120, 720, 5040};
static const double factorials[VN_POLYGAMMA_ORDERS] = {1, 1, 2, 6, 24, 120, 720, 5040, 40320};
static const double powers_of_pi[VN_POLYGAMMA_ORDERS] = {3.14159265358979324, 9.86960440108935862, 31.0062766802998202,
                                                         97.4090910340024372, 306.019684785281453, 961.389193575304437,
                                                         3020.29322777679207, 9488.53101607057401, 29809.0993334462117};
static const double tails[VN_POLYGAMMA_ORDERS][VN_POLYGAMMA_TAIL] = {
    {0.0833333333333333333, -0.00833333333333333333, 0.00396825396825396825, -0.00416666666666666667, 0.00757575757575757576,
     -0.0210927960927960928, 0.0833333333333333333, -0.443259803921568627},
    {0.166666666666666667, -0.0333333333333333333, 0.0238095238095238095, -0.0333333333333333333, 0.0757575757575757576,
     -0.253113553113553114, 1.16666666666666667, -7.09215686274509804},
    {0.5, -0.166666666666666667, 0.166666666666666667, -0.3, 0.833333333333333333, -3.29047619047619048, 17.5, -120.566666666666667},
    {2.0, -1.0, 1.33333333333333333, -3.0, 10.0, -46.0666666666666667, 280.0, -2170.2},
    {10.0, -7.0, 12.0, -33.0, 130.0, -691.0, 4760.0, -41233.8},
    {60.0, -56.0, 120.0, -396.0, 1820.0, -11056.0, 85680.0, -824676.0},
    {420.0, -504.0, 1320.0, -5148.0, 27300.0, -187952.0, 1627920.0, -17318196.0},
    {3360.0, -5040.0, 15840.0, -72072.0, 436800.0, -3383136.0, 32558400.0, -381000312.0},
    {30240.0, -55440.0, 205920.0, -1081080.0, 7425600.0, -64279584.0, 683726400.0, -8763007176.0},
};
static const double cotangents[VN_POLYGAMMA_ORDERS][VN_POLYGAMMA_ORDERS + 1] = {
    {0, 1, 0, 0, 0, 0, 0, 0, 0, 0},
    {-1, 0, -1, 0, 0, 0, 0, 0, 0, 0},
    {0, 2, 0, 2, 0, 0, 0, 0, 0, 0},
    {-2, 0, -8, 0, -6, 0, 0, 0, 0, 0},
    {0, 16, 0, 40, 0, 24, 0, 0, 0, 0},
    {-16, 0, -136, 0, -240, 0, -120, 0, 0, 0},
    {0, 272, 0, 1232, 0, 1680, 0, 720, 0, 0},
    {-272, 0, -3968, 0, -12096, 0, -13440, 0, -5040, 0},
    {0, 7936, 0, 56320, 0, 129024, 0, 120960, 0, 40320},
};

/* x if n has one of these bits, otherwise y, without a branch. */
VN_INLINE double by_order(int64_t n, int64_t bit, double x, double y)
{
    const uint64_t mask = (uint64_t)0 - (uint64_t)((n & bit) != 0);
    return from_bits_f64((bits_f64(x) & mask) | (bits_f64(y) & ~mask));
}

/* r^n for n up to 15 */
VN_INLINE double small_power(double r, int64_t n)
{
    const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    return (by_order(n, 1, r, 1.0) * by_order(n, 2, r2, 1.0)) * (by_order(n, 4, r4, 1.0) * by_order(n, 8, r8, 1.0));
}
VN_INLINE double inverse_power(double x, int64_t n)
{
    return small_power(1.0 / x, n);
}

/* (-1)^(n+1) times the derivative n of digamma for x >= 0: n! times the sum of 1 / (x + k)^(n+1), ten terms one by one and the rest by
 * the Euler-Maclaurin formula. */
VN_INLINE double polygamma_right(double x, int64_t n)
{
    const double y = x + 10.0, r = 1.0 / y, r2 = r * r, *c = tails[n];
    double p = c[7];
    p = p * r2 + c[6];
    p = p * r2 + c[5];
    p = p * r2 + c[4];
    p = p * r2 + c[3];
    p = p * r2 + c[2];
    p = p * r2 + c[1];
    p = p * r2 + c[0];
    const double first = by_order(n, -1, leads[n], -log_f64(y));
    const double rest = (first + (factorials[n] * (0.5 * r) + p * r2)) * small_power(r, n);
    double sum = inverse_power(x + 9.0, n + 1) + inverse_power(x + 8.0, n + 1);
    sum += inverse_power(x + 7.0, n + 1);
    sum += inverse_power(x + 6.0, n + 1);
    sum += inverse_power(x + 5.0, n + 1);
    sum += inverse_power(x + 4.0, n + 1);
    sum += inverse_power(x + 3.0, n + 1);
    sum += inverse_power(x + 2.0, n + 1);
    sum += inverse_power(x + 1.0, n + 1);
    sum += inverse_power(x, n + 1);
    return rest + factorials[n] * sum;
}

/* The n-th derivative of pi cot(pi x). */
VN_INLINE double cotangent_derivative(double x, int64_t n)
{
    const vn__angle turn = half_turns(x);
    const double t = turned_f64(turn, turn.quarters + 1) / turned_f64(turn, turn.quarters), *c = cotangents[n];
    const double below = t > 0x1p1023 ? 0x1p1023 : t,
                 u = below < -0x1p1023 ? -0x1p1023 : below; /* infinity times 0 must not give NaN here */
    double p = c[9];
    p = p * u + c[8];
    p = p * u + c[7];
    p = p * u + c[6];
    p = p * u + c[5];
    p = p * u + c[4];
    p = p * u + c[3];
    p = p * u + c[2];
    p = p * u + c[1];
    p = p * u + c[0];
    return powers_of_pi[n] * p;
}

/* Left of 0 by reflection. At negative integers the two sides meet only for odd n. */
VN_INLINE double polygamma_f64(double x, int64_t n)
{
    const int left = x < 0.0;
    const double right = polygamma_right(left ? 1.0 - x : x, n), mirrored = -right - cotangent_derivative(x, n);
    const double z = left ? mirrored : by_order(n, 1, right, -right), nan = __builtin_nan("");
    const double pole = by_order(n, 1, x - x == 0.0 ? __builtin_inf() : nan, nan);
    return (left & (floor_f64(x) == x)) ? pole : z;
}
VN_INLINE float polygamma_f32(float x, int64_t n)
{
    return (float)polygamma_f64((double)x, n);
}

THROUGH_DOUBLE(lgamma)

#endif
