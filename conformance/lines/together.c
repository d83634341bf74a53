/* SPDX-License-Identifier: Apache-2.0 */
/* together.c: groups tests that the same program can compute, and limits the size of programs.
 *
 * An engine that compiles takes about 60 ms for a program of one op, and little more for one of a hundred. So the calls of many tests
 * become one program. Calls that differ only in their values form a group, which is in the program once; the program is run as often as the
 * largest group has members, each time with the next member of every group. */
#include "base/minmax.h"
#include "case.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- groups ---- */

static bool same_setting(const setting *a, const setting *b, bool wide)
{
    if (strcmp(a->name, b->name) != 0 || a->kind != b->kind || a->n != b->n) return false;
    if (a->kind == VN_OPT_FLOAT) return a->real == b->real;
    if (a->kind == VN_OPT_INTS) return !memcmp(a->list, b->list, (size_t)a->n * sizeof *a->list);
    if (a->kind == VN_OPT_STRING) return !strcmp(a->text, b->text);
    bool dtypes = wide && isalpha((unsigned char)a->text[0]) && isalpha((unsigned char)b->text[0]);
    return dtypes ? widest((int)a->whole) == widest((int)b->whole) : a->whole == b->whole;
}

static bool same_operand(const operand *a, const operand *b, bool wide)
{
    if (a->kind != b->kind || a->rank != b->rank || a->reversed != b->reversed) return false;
    if ((wide ? widest(a->dtype) : a->dtype) != (wide ? widest(b->dtype) : b->dtype)) return false;
    return !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

static bool alike(const test *a, const test *b, bool wide)
{
    if (strcmp(a->op, b->op) != 0 || a->out != b->out || a->n_in != b->n_in || a->n_options != b->n_options) return false;
    for (int k = 0; k < a->n_options; k++)
        if (!same_setting(&a->options[k], &b->options[k], wide)) return false;
    for (int k = 0; k < a->n_in; k++)
        if (!same_operand(&a->in[k], &b->in[k], wide)) return false;
    return true;
}

int groups_make(test *const *t, int n, bool wide, group **groups)
{
    int m = 0;
    group *g = *groups = calloc((size_t)n + 1, sizeof *g);
    int *members = calloc(2 * (size_t)n + 1, sizeof *members), *of = members ? members + n : NULL;
    if (!g || !members) return free(members), -1;
    g[0].at = members;
    for (int k = 0; k < n; k++) { /* members[j] is the first of group j here */
        for (of[k] = 0; of[k] < m && !alike(t[members[of[k]]], t[k], wide);) of[k]++;
        if (of[k] == m) members[m++] = k;
        g[of[k]].n++;
    }
    for (int k = 1; k < m; k++) g[k].at = g[k - 1].at + g[k - 1].n;
    for (int k = 0; k < m; k++) g[k].n = 0;
    for (int k = 0; k < n; k++) g[of[k]].at[g[of[k]].n++] = k;
    return m;
}

void groups_free(group *groups)
{
    if (groups) free(groups[0].at);
    free(groups);
}

/* ---- programs ---- */

int64_t test_largest(const test *t)
{
    int64_t largest = t->expected.count;
    for (int k = 0; k < t->n_in; k++) largest = vn__max(largest, t->in[k].count);
    return largest;
}

enum { NODES = 6000 }; /* the library's safety net would evaluate two or three times as many */

bool evaluate_rest(evaluation *e)
{
    int n = e->n - e->done;
    vn_array **from = e->z + e->done;
    e->done = e->n;
    return !n || vn_eval(n, from) == VN_OK;
}

bool evaluate_early(evaluation *e)
{
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    return m.nodes < NODES || evaluate_rest(e);
}
