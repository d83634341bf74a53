/* SPDX-License-Identifier: Apache-2.0 */
/* sort_items.h: a stable sort of items. Included by sort.c once per kind of item, with
 *   ITEM         the type
 *   NAME(x)      x with a suffix of the kind
 *   BEFORE(x, y) x must precede y, which came earlier
 *   DIGIT(x, d)  byte d of x's key, from the lowest
 *   DIGITS       the number of digits */

/* For few items. */
static void NAME(insert)(ITEM *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const ITEM x = items[i];
        int64_t to = i;
        for (; to > 0 && BEFORE(x, items[to - 1]); to--) items[to] = items[to - 1];
        items[to] = x;
    }
}

/* Radix sort, one byte of the keys at a time from the lowest; bytes that all keys share are skipped. counts: DIGITS x 256. Returns the
 * array, items or other, that holds the result. */
static ITEM *NAME(radix)(ITEM *items, ITEM *other, int64_t n, int64_t *counts)
{
    memset(counts, 0, DIGITS * 256 * sizeof *counts);
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++) counts[d * 256 + DIGIT(items[i], d)]++;
    for (int d = 0; d < DIGITS; d++, counts += 256) {
        if (counts[DIGIT(items[0], d)] == n) continue;
        for (int64_t b = 0, start = 0; b < 256; b++) {
            const int64_t here = counts[b];
            counts[b] = start;
            start += here;
        }
        for (int64_t i = 0; i < n; i++) other[counts[DIGIT(items[i], d)]++] = items[i];
        ITEM *swap = items;
        items = other;
        other = swap;
    }
    return items;
}

#undef ITEM
#undef NAME
#undef BEFORE
#undef DIGIT
#undef DIGITS
