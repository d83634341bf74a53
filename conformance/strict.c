/* strict.c: counts the pairs of op and dtype that an engine computes without the native engine standing in. VINEA_STRICT=1 makes such help
 * an error; one case for each pair is run under it. A pair is an op of the table, composed ones too, and the dtype of its first array. */
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 95 }; /* per cent */

typedef struct pair {
    char op[NAME];
    int dtype;
    char *because; /* "erf float32", what has no kernel; NULL: nothing */
} pair;

static pair *pairs;
static size_t n_pairs;

static int dtype_of(const test *t)
{
    for (int k = 0; k < t->n_in; k++) {
        if (t->in[k].kind == ARRAY) return t->in[k].dtype;
    }
    return t->expected.dtype;
}

bool strict_wants(const test *t, bool ops_only)
{
    bool draws = t->info.n_inputs > 0 && !strcmp(t->info.inputs[0], "key"); /* native's on every engine: they prove nothing */
    if (t->wants_error || draws) return false;
    for (size_t k = 0; k < n_pairs; k++) {
        if ((ops_only || pairs[k].dtype == dtype_of(t)) && !strcmp(pairs[k].op, t->op)) return false;
    }
    return true;
}

/* The op and dtype that a refusal names. */
static bool refused(const char *why, char op[static NAME], char dtype[static NAME])
{
    const char *at = why ? strstr(why, "VN_E_UNSUPPORTED: ") : NULL;
    if (!at || !strstr(at, "VINEA_STRICT")) return false;
    return sscanf(at, "VN_E_UNSUPPORTED: %63[^:]: %*s has no kernel for %63[^,],", op, dtype) == 2;
}

static int dtype_named(const char *name)
{
    int d = 0;
    while (d < VN_DTYPE_COUNT && strcmp(vn_dtype_name((vn_dtype)d), name) != 0) d++;
    return d;
}

bool strict_judge(test *t, const char *engine)
{
    char op[NAME], dtype[NAME];
    pair *more = realloc(pairs, (n_pairs + 1) * sizeof *more);
    if (!test_memory(t, more)) return false;
    pairs = more;
    pair *p = &pairs[n_pairs++];
    *p = (pair){.dtype = dtype_of(t)};
    snprintf(p->op, sizeof p->op, "%s", t->op);
    if (!refused(t->why, op, dtype)) return false;
    free(t->why);
    t->why = NULL;
    if (asprintf(&p->because, "%s %s", op, dtype) < 0) return test_memory(t, p->because = NULL);
    if (vn_engine_computes(engine, op, (vn_dtype)dtype_named(dtype)) == VN_BY_NATIVE) return true;
    return test_fail(t, "%s was refused, but vn_engine_computes does not say that native computes it", p->because);
}

bool strict_report(const char *engine, bool ops_only)
{
    size_t helped = 0;
    for (size_t k = 0; k < n_pairs; k++) {
        if (!pairs[k].because) continue;
        printf("native stands in: %s %s (%s)\n", pairs[k].op, vn_dtype_name((vn_dtype)pairs[k].dtype), pairs[k].because);
        helped++;
        free(pairs[k].because);
    }
    double percent = n_pairs ? 100. * (double)(n_pairs - helped) / (double)n_pairs : 0;
    printf("%s: %.1f %% of %zu pairs of op and dtype without native kernels (random numbers left out)\n", engine, percent, n_pairs);
    free(pairs);
    pairs = NULL;
    n_pairs = 0;
    if (ops_only || percent >= LEAST) return true; /* one case an op, whatever its dtype, says nothing about the share */
    printf("FAIL at least %d %% are wanted\n", LEAST);
    return false;
}
