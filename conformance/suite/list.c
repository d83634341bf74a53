/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: the tests there are, and which of them were asked for. A new suite is one line here. */
#include "runner.h"

#include "commit.h"

static const suite *const suites[] = {&suite_seeds, &suite_ops, &suite_nn, &suite_ranks};

const suite *const *list_suites(int *n)
{
    *n = (int)(sizeof suites / sizeof *suites);
    return suites;
}

/* "seeds" and "seeds/002" name the table seeds/002; so does "all". */
static bool in_suite(const char *table, const char *wanted)
{
    if (!wanted || !strcmp(wanted, "all")) return true;
    size_t n = strlen(wanted);
    return !strncmp(table, wanted, n) && (table[n] == 0 || table[n] == '/');
}

/* By id, by name, or by name without its test_. */
static bool is_named(const conformance_test *t, const char *wanted)
{
    if (!wanted || !strcmp(t->id, wanted) || !strcmp(t->name, wanted)) return true;
    return !strncmp(t->name, "test_", 5) && !strcmp(t->name + 5, wanted);
}

static uint64_t commit_number(void)
{
    return strtoull(SOURCE_COMMIT, NULL, 16); /* its first digits, 0 where there is none */
}

/* Does the plan's share include test i of the rows? By its place in its table, so that each table has its part; other ones for each commit. */
static bool in_share(const plan *p, const conformance_test *rows, int i)
{
    uint64_t place = commit_number();
    for (int k = 0; p->share > 1 && k < i; k++) place += !strcmp(rows[k].suite, rows[i].suite);
    return p->share < 2 || place % (uint64_t)p->share == 0;
}

const conformance_test **list_tests(const plan *p, int *n)
{
    const conformance_test **found = NULL;
    int n_suites = 0, total = 0;
    const suite *const *all = list_suites(&n_suites);
    *n = 0;
    for (int pass = 0; pass < 2; pass++) { /* count, then collect */
        for (int k = 0; k < n_suites; k++) {
            int rows = 0;
            const conformance_test *tests = all[k]->tests(&rows);
            for (int i = 0; i < rows; i++) {
                if (!in_suite(tests[i].suite, p->suite) || !is_named(&tests[i], p->test) || !(p->test || in_share(p, tests, i))) continue;
                if (found) found[(*n)++] = &tests[i];
                else total++;
            }
        }
        if (!found && !(total && (found = malloc((size_t)total * sizeof *found)))) return NULL;
    }
    return found;
}

bool is_test(const char *id)
{
    int n = 0, k = 0;
    const conformance_test **found = list_tests(&(plan){.test = id}, &n);
    while (k < n && strcmp(found[k]->id, id) != 0) k++;
    free(found);
    return k < n;
}

const exclusion *list_excluded(const conformance_test *test, const char *engine, const char *dtype)
{
    for (int k = 0; k < test->n_excluded; k++) {
        const exclusion *e = &test->excluded[k];
        if (e->dtype && (!e->engine || !strcmp(e->engine, engine)) && !strcmp(e->dtype, dtype)) return e;
    }
    return NULL;
}

bool is_sampled(const plan *p, uint64_t hash)
{
    return p->sample < 2 || (hash + commit_number()) % (uint64_t)p->sample == 0;
}

int second_half(void)
{
    return (int)(commit_number() % 2);
}

/* One of the dtypes of a set that have cases, by number; none if none has. */
static uint32_t one_of(uint32_t set, uint64_t number, const plan *p, const conformance_test *test)
{
    for (int d = 1; d < VN_DTYPE_END && test->number_at; d++)
        if (set & VN_BIT(d) && test->number_at(test, p, (vn_dtype)d, 0) < 0) set &= ~VN_BIT(d);
    for (uint64_t skip = set ? number % (uint64_t)__builtin_popcount(set) : 0; skip; skip--) set &= set - 1;
    return set & -set; /* the lowest bit */
}

uint32_t list_dtypes(const plan *p, const conformance_test *test)
{
    static const uint32_t kinds[] = {VN_BIT(VN_BOOL), VN_SIGNED, VN_UNSIGNED, VN_HALF, VN_BIT(VN_F32) | VN_BIT(VN_F64), VN_COMPLEX};
    const uint32_t all = (test->dtypes ? test->dtypes : VN_FLOATS) & (p->dtypes ? p->dtypes : ~UINT32_C(0));
    if (!p->brief) return all;
    uint32_t chosen = 0;
    uint64_t number = commit_number();
    for (const char *c = test->id; *c; c++) number = number * 31 + (unsigned char)*c;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) chosen |= one_of(all & kinds[k], number, p, test);
    return chosen;
}
