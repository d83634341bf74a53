/* SPDX-License-Identifier: Apache-2.0 */
/* engines_verbose.c: `vinea engines --verbose`: what an engine runs on, and which ops and dtypes native kernels compute in its place. */
#include "command.h"

#include <string.h>
#include <vinea/vinea.h>

static void text_line(void *to, const char *key, const char *value)
{
    (void)to;
    printf("  %-13s %s\n", key, value);
}

static void json_line(void *to, const char *key, const char *value)
{
    int *n = to;
    fputs((*n)++ ? ", " : "", stdout);
    print_json(key);
    fputs(": ", stdout);
    print_json(value);
}

static int is_random(const vn_op_info *op)
{
    return (op->traits & VN_OP_RANDOM) != 0;
}

/* The dtypes of an op that native kernels compute, as a mask; *own counts those that the engine computes. */
static unsigned by_native(const char *engine, const vn_op_info *op, int *own)
{
    unsigned mask = 0;
    for (int d = 1; d < VN_DTYPE_END; d++) {
        int by = vn_engine_computes(engine, op->name, (vn_dtype)d);
        if (by == VN_BY_NATIVE) mask |= VN_BIT(d);
        if (by == VN_BY_ENGINE) ++*own;
    }
    return mask;
}

static int print_dtypes(unsigned mask, int json)
{
    int n = 0;
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (!(mask & VN_BIT(d))) continue;
        printf(json ? "%s\"%s\"" : "%s%s", n++ ? json ? ", " : " " : "", vn_dtype_name((vn_dtype)d));
    }
    return n;
}

/* Op by op; random numbers, which are native's on every engine, are left out. Returns the number of pairs. */
static int print_pairs(const char *engine, int json, int *own)
{
    int n = 0, rows = 0;
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info op = {.size = sizeof op};
        if (vn_op_at(k, &op) || is_random(&op)) continue;
        unsigned mask = by_native(engine, &op, own);
        if (!mask) continue;
        if (json) printf("%s{\"op\": \"%s\", \"dtypes\": [", rows ? ", " : "", op.name);
        else printf("%s    %-16s ", rows ? "" : "  falls back to native for:\n", op.name);
        rows++;
        n += print_dtypes(mask, json);
        fputs(json ? "]}" : "\n", stdout);
    }
    return n;
}

static int print_cache(const char *engine, int json)
{
    vn_cache_info c = {.size = sizeof c};
    if (vn_cache_stats(engine, &c)) return complain("%s: %s", engine, vn_message());
    printf(json ? ", \"cache\": {\"programs\": %lld, \"limit\": %lld, \"hits\": %lld, \"misses\": %lld, \"evicted\": %lld}"
                : "  cache         %lld of %lld programs, %lld hits, %lld misses, %lld evicted\n",
           (long long)c.programs, (long long)c.limit, (long long)c.hits, (long long)c.misses, (long long)c.evicted);
    return EXIT_GOOD;
}

static int print_json_members(const char *engine)
{
    int n = 0, own = 0;
    fputs(", \"runs\": {", stdout);
    if (vn_engine_describe(engine, json_line, &n)) return complain("%s: %s", engine, vn_message());
    putchar('}');
    if (print_cache(engine, 1)) return EXIT_FAILED;
    fputs(", \"native\": [", stdout);
    int pairs = print_pairs(engine, 1, &own);
    printf("], \"pairs\": %d, \"own_pairs\": %d", own + pairs, own);
    return EXIT_GOOD;
}

int print_engine(const vn_engine_info *e, int json)
{
    if (json) return e->available ? print_json_members(e->name) : EXIT_GOOD;
    printf("%s%s%s\n", e->name, e->version ? " " : "", e->version ? e->version : "");
    if (*e->about) text_line(NULL, "about", e->about);
    if (e->where && *e->where) text_line(NULL, "where", e->where);
    if (!e->available) {
        text_line(NULL, "not available", e->message);
        if (*e->how) text_line(NULL, "install", e->how);
        return EXIT_GOOD;
    }
    if (vn_engine_describe(e->name, text_line, NULL)) return complain("%s: %s", e->name, vn_message());
    if (print_cache(e->name, 0)) return EXIT_FAILED;
    int own = 0, pairs = print_pairs(e->name, 0, &own);
    printf("  %d of %d pairs of op and dtype are computed by %s itself", own, own + pairs, e->name);
    puts(strcmp(e->name, "native") ? "; random numbers always come from native" : "");
    return EXIT_GOOD;
}
