/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c: sums in a fixed tree over leaves, whoever computes which of them. Adding is done here and not by an engine, so that its
 * rounding, and what becomes of denormal numbers, is the same wherever a node of the tree is computed. */
/* compiled for speed */
#include "group/group.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>

void vn__sum_add(char *to, const char *from, size_t floats, size_t begin, size_t end)
{
    if (begin < floats) {
        const size_t last = vn__min(end, floats);
        float *restrict y = (float *)(void *)(to + begin);
        const float *restrict x = (const float *)(const void *)(from + begin);
        VN__FOR_VECTORS((last - begin) / sizeof *y, y[i] += x[i]);
        begin = last;
    }
    if (begin < end) {
        double *restrict y = (double *)(void *)(to + begin);
        const double *restrict x = (const double *)(const void *)(from + begin);
        VN__FOR_VECTORS((end - begin) / sizeof *y, y[i] += x[i]);
    }
}

/* Adds the block on top to the one below it. */
static void merge(vn__tree_sum *s)
{
    vn__block *left = &s->stack[s->n - 2], *right = &s->stack[s->n - 1];
    vn__sum_add(left->sum, right->sum, s->floats, 0, s->bytes);
    left->n += right->n;
    if (!s->borrowed) s->spare[s->n_spare++] = right->sum;
    s->n--;
}

static bool siblings(const vn__block *left, const vn__block *right)
{
    return left->n == right->n && left->at % (2 * left->n) == 0;
}

void vn__tree_sum_settle(vn__tree_sum *s)
{
    while (s->n > 1 && siblings(&s->stack[s->n - 2], &s->stack[s->n - 1])) merge(s);
}

void vn__tree_sum_push(vn__tree_sum *s, vn__block next)
{
    s->stack[s->n++] = next;
    vn__tree_sum_settle(s);
}

char *vn__tree_sum_leaf(vn__tree_sum *s, int64_t at, bool *fresh)
{
    vn__block *top = s->n ? &s->stack[s->n - 1] : NULL, leaf = {.at = at, .n = 1};
    *fresh = !top || !siblings(top, &leaf);
    if (!*fresh) return top->n++, top->sum;
    leaf.sum = !s->n && s->lent ? s->lent : s->n_spare ? s->spare[--s->n_spare] : vn__block_alloc(s->bytes);
    if (leaf.sum) s->stack[s->n++] = leaf;
    return leaf.sum;
}

#define FINISH(type)                                                                           \
    static void finish_##type(type *to, const type *x, const type *y, size_t n, double factor) \
    {                                                                                          \
        const type f = (type)factor;                                                           \
        if (y) VN__FOR_VECTORS(n, to[i] = (x[i] + y[i]) * f);                                  \
        else VN__FOR_VECTORS(n, to[i] = x[i] * f);                                             \
    }
FINISH(float)
FINISH(double)

void vn__tree_sum_finish(vn__tree_sum *s, char *to, double factor)
{
    while (s->n > 2) merge(s);
    const char *x = s->stack[0].sum, *y = s->n > 1 ? s->stack[1].sum : NULL;
    finish_float((void *)to, (const void *)x, (const void *)y, s->floats / sizeof(float), factor);
    finish_double((void *)(to + s->floats), (const void *)(x + s->floats), (const void *)(y ? y + s->floats : NULL),
                  (s->bytes - s->floats) / sizeof(double), factor);
}

void vn__tree_sum_free(vn__tree_sum *s)
{
    for (int k = 0; k < s->n && !s->borrowed; k++)
        if (s->stack[k].sum != s->lent) vn__block_free(s->stack[k].sum);
    for (int k = 0; k < s->n_spare; k++) vn__block_free(s->spare[k]);
    *s = (vn__tree_sum){0};
}

int vn__tree_blocks(int64_t first, int64_t end, vn__block *to)
{
    int n = 0;
    for (int64_t at = first; at < end;) {
        int64_t size = 1;
        while (at % (2 * size) == 0 && at + 2 * size <= end) size *= 2;
        to[n++] = (vn__block){.at = at, .n = size};
        at += size;
    }
    return n;
}
