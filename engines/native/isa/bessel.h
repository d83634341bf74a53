/* SPDX-License-Identifier: Apache-2.0 */
/* bessel.h: modified Bessel functions of the first kind, of orders 0 and 1, in the style of math.h. Float results are double, rounded.
 *
 * Scaled by exp(-|x|) they are polynomials of x up to 8, and beyond it of 1 / x, divided by the root of x; fitted at Chebyshev points to
 * 55-digit sums of their series. */
#ifndef VN_NATIVE_BESSEL_H
#define VN_NATIVE_BESSEL_H

#include "math.h"

/* exp(-x) I0(x) for 0 <= x <= 8, t = x / 4 - 1 */
VN_INLINE double bessel_near_0(double t)
{
    double p = -1.16629185236603752e-09;
    p = p * t + 4.46937247983621837e-09;
    p = p * t - 7.86035981519921326e-09;
    p = p * t + 2.62733690594026174e-08;
    p = p * t - 1.13395269007416819e-07;
    p = p * t + 3.67559287097110737e-07;
    p = p * t - 1.08919636663043607e-06;
    p = p * t + 3.22938506717422291e-06;
    p = p * t - 9.25059718445331758e-06;
    p = p * t + 2.52022719795003671e-05;
    p = p * t - 6.55095612379364274e-05;
    p = p * t + 0.000162405467274217245;
    p = p * t - 0.000382901508988142702;
    p = p * t + 0.000856315248392779289;
    p = p * t - 0.00181188705271083752;
    p = p * t + 0.00361712645967802744;
    p = p * t - 0.00679239979227742614;
    p = p * t + 0.011960077903963074;
    p = p * t - 0.0196826547080811466;
    p = p * t + 0.0301779120235689119;
    p = p * t - 0.0429859494522675592;
    p = p * t + 0.0567770320198432085;
    p = p * t - 0.0695411956174234042;
    p = p * t + 0.0792752259071689835;
    p = p * t - 0.0849633809161512432;
    p = p * t + 0.0873434161755229088;
    p = p * t - 0.089043441360759909;
    p = p * t + 0.0945156285399510326;
    p = p * t - 0.113004326886205486;
    p = p * t + 0.207001921223986696;
    return p;
}
/* exp(-x) I0(x) sqrt(x) for x >= 8, t = 16 / x - 1 */
VN_INLINE double bessel_far_0(double t)
{
    double p = -7.0689385118182568e-11;
    p = p * t - 1.9216763724933607e-11;
    p = p * t + 5.18193697128796937e-10;
    p = p * t + 1.46722366592144499e-10;
    p = p * t - 1.778937504291635e-09;
    p = p * t - 5.56220199008040698e-10;
    p = p * t + 3.88115125399594283e-09;
    p = p * t + 1.49788083018709293e-09;
    p = p * t - 6.18826509049724228e-09;
    p = p * t - 3.48578874700349711e-09;
    p = p * t + 7.58022133915264392e-09;
    p = p * t + 7.54060137889083366e-09;
    p = p * t - 5.46859744958656844e-09;
    p = p * t - 1.34042419919808709e-08;
    p = p * t - 6.72972411192355734e-09;
    p = p * t + 7.55351647035589568e-09;
    p = p * t + 2.15451776508360049e-08;
    p = p * t + 3.93260245970310921e-08;
    p = p * t + 8.87225351128584056e-08;
    p = p * t + 2.97359843247916879e-07;
    p = p * t + 1.48384754736073914e-06;
    p = p * t + 1.11430337915567431e-05;
    p = p * t + 0.000136216074392327461;
    p = p * t + 0.00336055198366785402;
    p = p * t + 0.402176509445008101;
    return p;
}

/* exp(-x) I1(x) / x for 0 <= x <= 8, t = x / 4 - 1 */
VN_INLINE double bessel_near_1(double t)
{
    double p = -9.36582013599050097e-11;
    p = p * t + 3.72762989913428151e-10;
    p = p * t - 7.3792416687123466e-10;
    p = p * t + 2.6037826011783108e-09;
    p = p * t - 1.11912738013877083e-08;
    p = p * t + 3.80280485352047593e-08;
    p = p * t - 1.20003617708883125e-07;
    p = p * t + 3.75940039654090964e-07;
    p = p * t - 1.13807595292706461e-06;
    p = p * t + 3.29389516010433428e-06;
    p = p * t - 9.13184628106420767e-06;
    p = p * t + 2.42337564345088348e-05;
    p = p * t - 6.14265135161346892e-05;
    p = p * t + 0.000148421241445133805;
    p = p * t - 0.000341174743726035371;
    p = p * t + 0.000744512345282048738;
    p = p * t - 0.00153887496365447281;
    p = p * t + 0.00300576241955705483;
    p = p * t - 0.00553456776054394878;
    p = p * t + 0.00958396215077408561;
    p = p * t - 0.0155713092565752022;
    p = p * t + 0.023686016957724227;
    p = p * t - 0.0336713555199403339;
    p = p * t + 0.0446745726212550709;
    p = p * t - 0.0552800392270505828;
    p = p * t + 0.0637674037134071947;
    p = p * t - 0.068482606205825497;
    p = p * t + 0.0680575999095116013;
    p = p * t - 0.0611243380296662905;
    p = p * t + 0.0446877098756088345;
    return p;
}
/* exp(-x) I1(x) sqrt(x) for x >= 8, t = 16 / x - 1 */
VN_INLINE double bessel_far_1(double t)
{
    double p = 7.34799244173518674e-11;
    p = p * t + 1.75024977787012125e-11;
    p = p * t - 5.38828599592383755e-10;
    p = p * t - 1.34226632008221664e-10;
    p = p * t + 1.8513716745512813e-09;
    p = p * t + 5.14649882608712853e-10;
    p = p * t - 4.04778540371198243e-09;
    p = p * t - 1.41716980186645769e-09;
    p = p * t + 6.48701957198180868e-09;
    p = p * t + 3.40663613019679254e-09;
    p = p * t - 8.04423127616658402e-09;
    p = p * t - 7.63075197006557705e-09;
    p = p * t + 6.04087734216101935e-09;
    p = p * t + 1.40296935898527162e-08;
    p = p * t + 6.71579512808500898e-09;
    p = p * t - 8.426622829598154e-09;
    p = p * t - 2.33705962711185687e-08;
    p = p * t - 4.31293536997135611e-08;
    p = p * t - 1.00013234610664352e-07;
    p = p * t - 3.4838556090099371e-07;
    p = p * t - 1.83491011346664352e-06;
    p = p * t - 1.50385472011762715e-05;
    p = p * t - 0.000219235763834302745;
    p = p * t - 0.00974957719323572836;
    p = p * t + 0.389398459025872334;
    return p;
}

VN_INLINE double i0e_f64(double x)
{
    const double m = abs_f64(x), c = m < 8.0 ? m : 8.0, d = m > 8.0 ? m : 8.0;
    const double near = bessel_near_0(c * 0.25 - 1.0), far = bessel_far_0(16.0 / d - 1.0) / sqrt_f64(d);
    return x != x ? x : m > 8.0 ? far : near;
}
VN_INLINE double i1e_f64(double x)
{
    const double m = abs_f64(x), c = m < 8.0 ? m : 8.0, d = m > 8.0 ? m : 8.0;
    const double near = m * bessel_near_1(c * 0.25 - 1.0), far = bessel_far_1(16.0 / d - 1.0) / sqrt_f64(d);
    return x != x ? x : signed_f64(m > 8.0 ? far : near, x);
}

/* The exponential in two factors, because it overflows before the product does. */
VN_INLINE double unscaled(double scaled, double x)
{
    const double m = abs_f64(x), root = exp_f64(0.5 * m);
    return m < 1400.0 ? scaled * root * root : signed_f64(__builtin_inf(), scaled);
}
VN_INLINE double i0_f64(double x)
{
    return x != x ? x : unscaled(i0e_f64(x), x);
}
VN_INLINE double i1_f64(double x)
{
    return x != x ? x : unscaled(i1e_f64(x), x);
}

THROUGH_DOUBLE(i0e)
THROUGH_DOUBLE(i1e)
THROUGH_DOUBLE(i0)
THROUGH_DOUBLE(i1)

#endif
