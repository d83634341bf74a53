/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c: compares a result with the expected one. */
#include "case.h"

#include "base/minmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool close_to(const test *t, double want, double got)
{
    if (isnan(want)) return isnan(got);
    if (isinf(want) || !isfinite(got)) return want == got;
    if (want == 0 && signbit(want) && !signbit(got)) return false; /* -0 was written on purpose */
    if (t->signs && want == 0 && got == 0 && signbit(want) != signbit(got)) return false;
    return fabs(got - want) <= t->absolute + t->relative * fabs(want);
}

/* Prints elements in the notation of the case files, truncated if there are many. */
static void print_numbers(FILE *to, const operand *o, const void *data, int64_t first)
{
    enum { SHOWN = 16 };
    static const char *const short_names[] = {"bool", "i8",  "i16",  "i32", "i64", "u8",  "u16", "u32",
                                              "u64",  "f16", "bf16", "f32", "f64", "c64", "c128"};
    fprintf(to, "%s(", short_names[o->dtype]);
    for (int k = 0; k < o->rank; k++) fprintf(to, "%s%lld", k ? "," : "", (long long)o->dims[k]);
    int64_t from = first < SHOWN ? 0 : first, end = vn__min(from + SHOWN, o->count);
    fprintf(to, ")[%s", from ? "... " : "");
    for (int64_t i = from; i < end; i++) {
        if (i > from) fputc(' ', to);
        int digits = part_dtype(o->dtype) == VN_F64 ? 17 : 9;
        if (is_float(o->dtype)) fprintf(to, "%.*g", digits, number_get(data, i, o->dtype));
        else if (is_complex(o->dtype))
            fprintf(to, "%.*g%+.*gj", digits, number_get(data, 2 * i, part_dtype(o->dtype)), digits,
                    number_get(data, 2 * i + 1, part_dtype(o->dtype)));
        else if (o->dtype == VN_U64) fprintf(to, "%llu", (unsigned long long)number_whole(data, i, o->dtype));
        else fprintf(to, "%lld", (long long)number_whole(data, i, o->dtype));
    }
    fprintf(to, "%s]", end < o->count ? " ..." : "");
}

static bool report(test *t, const char *what, const operand *expected, const void *got, int64_t first, double most)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!test_memory(t, to)) return false;
    fprintf(to, "%s\n    expected  ", what);
    print_numbers(to, expected, expected->data, first);
    fprintf(to, "\n    got       ");
    print_numbers(to, expected, got, first);
    fprintf(to, "\n    first difference at element %lld; max error %.3g, tolerance %g relative + %g absolute", (long long)first, most,
            t->relative, t->absolute);
    if (fclose(to)) return test_memory(t, NULL);
    test_fail(t, "%s", text);
    free(text);
    return false;
}

bool numbers_match(test *t, const char *what, const operand *expected, const void *got)
{
    int64_t first = -1;
    double most = 0;
    int dtype = part_dtype(expected->dtype), parts = parts_of(expected->dtype);
    for (int64_t i = 0; i < parts * expected->count; i++) {
        double want = number_get(expected->data, i, dtype), have = number_get(got, i, dtype);
        bool fine = is_float(dtype) ? close_to(t, want, have) : number_whole(expected->data, i, dtype) == number_whole(got, i, dtype);
        if (!fine && first < 0) first = i / parts;
        if (isfinite(want) && !(fabs(have - want) <= most)) most = fabs(have - want);
    }
    return first < 0 || report(t, what, expected, got, first, most);
}
