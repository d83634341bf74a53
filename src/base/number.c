/* SPDX-License-Identifier: Apache-2.0 */
/* number.c: parsing and formatting decimal numbers, independent of the locale. */
#include "base/base.h"
#include "base/floats.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 2047 }; /* longest number: a double with all its digits has fewer than 1400 characters */

/* Fast path: up to 15 digits and a small power of ten are exact doubles, so one operation rounds correctly. */
static bool exact(uint64_t digits, int power, double *x)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits >= UINT64_C(1000000000000000) || power < -22 || power > 22) return false;
    *x = power < 0 ? (double)digits / tens[-power] : (double)digits * tens[power];
    return true;
}

/* The C locale for this thread until `leave`. */
static locale_t enter_plain(locale_t *old)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    *old = uselocale(plain);
    return plain;
}
static void leave_plain(locale_t plain, locale_t old)
{
    uselocale(old);
    if (plain) freelocale(plain); /* GCOV_EXCL_BR_LINE: it may fail, says POSIX; C libraries have this one without memory */
}

/* Everything else: the C library under the C locale. The text is a valid number. */
static bool rounded(const char *text, size_t n, double *x)
{
    char copy[LONGEST + 1];
    locale_t old, plain = enter_plain(&old);
    memcpy(copy, text, n);
    copy[n] = 0;
    *x = strtod(copy, NULL);
    leave_plain(plain, old);
    return true;
}

/* nan, inf and infinity. */
static bool word(const char *text, size_t n, bool minus, double *x)
{
    bool nan = n == 3 && !strncasecmp(text, "nan", 3);
    *x = nan ? NAN : minus ? -INFINITY : INFINITY;
    return nan || (n == 3 && !strncasecmp(text, "inf", 3)) || (n == 8 && !strncasecmp(text, "infinity", 8));
}

static bool digit(const char *p, const char *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

bool vn__number_parse(const char *text, size_t n, double *x)
{
    VN__FLOATS;
    if (n > LONGEST) return false;
    const char *p = text, *end = text + n;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p < end && *p >= 'A') return word(p, (size_t)(end - p), minus, x);

    uint64_t digits = 0;
    int power = 0, count = 0, exponent = 0;
    bool many = false, short_exponent = true;
    for (bool point = false; digit(p, end) || (p < end && *p == '.' && !point); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        count = 1;
        many |= digits >= UINT64_C(100000000000000);
        if (!many) digits = digits * 10 + (uint64_t)(*p - '0'), power -= point;
    }
    if (!count) return false;
    if (p < end && (*p == 'e' || *p == 'E')) {
        bool down = ++p < end && *p == '-';
        if (p < end && (*p == '-' || *p == '+')) p++;
        if (!digit(p, end)) return false;
        for (; digit(p, end); p++) {
            short_exponent &= exponent < 1000;
            if (short_exponent) exponent = exponent * 10 + *p - '0';
        }
        if (down) exponent = -exponent;
    }
    if (p != end) return false;
    if (many || !short_exponent || !exact(digits, power + exponent, x)) return rounded(text, n, x);
    if (minus) *x = -*x;
    return true;
}

void vn__number_digits(double x, int digits, char to[static 32])
{
    VN__FLOATS;
    locale_t old, plain = enter_plain(&old);
    if (fabs(x) < 9999999.5 && fabs(x) >= pow(10, digits)) snprintf(to, 32, "%.0f", x); /* 102663, not 1e+05 */
    else snprintf(to, 32, "%.*g", digits, x);
    leave_plain(plain, old);
}

void vn__number_print(double x, char to[static 32])
{
    vn__number_digits(x, 17, to);
}

void vn__number_short(double x, char to[static 32])
{
    VN__FLOATS;
    locale_t old, plain = enter_plain(&old);
    int digits = isfinite(x) ? 1 : 17;
    if (x == floor(x) && fabs(x) < 1e15) snprintf(to, 32, "%.0f", x); /* 10, not 1e+01 */
    else
        while (snprintf(to, 32, "%.*g", digits, x), digits < 17 && strtod(to, NULL) != x) digits++;
    if (isnan(x)) memcpy(to, "nan", 4); /* without a sign */
    leave_plain(plain, old);
}
