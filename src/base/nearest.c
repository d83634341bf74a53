/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c: edit distance, and the nearest of several names. */
#include "base/nearest.h"
#include "base/minmax.h"

#include <string.h>

enum { LONGEST = 40 }; /* longest word that is compared; names are shorter */

/* A letter in lower case, whatever the locale. */
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool vn__same_word(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return *a == *b;
}

/* Edit distance with substitutions, deletions, insertions and transpositions. Row i of the table: distances of the first i letters of a. */
static int distance(const char *a, int n, const char *b, int m)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int k = 0; k <= m; k++) d[0][k] = k;
    for (int i = 1; i <= n; i++) {
        for (int k = 1; k <= m; k++) {
            const char x = lower(a[i - 1]), y = lower(b[k - 1]);
            d[i][k] = (int)vn__min(vn__min(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + (x != y));
            if (i > 1 && k > 1 && x == lower(b[k - 2]) && lower(a[i - 2]) == y) d[i][k] = (int)vn__min(d[i][k], d[i - 2][k - 2] + 1);
        }
    }
    return d[n][m];
}

/* "optim" is the beginning of "optimizer": near, however much is left out. */
static bool begins(const char *word, const char *name)
{
    while (*word && lower(*word) == lower(*name)) word++, name++;
    return !*word;
}

const char *vn__nearest(const char *word, int n, const char *(*name)(int i, void *user), void *user)
{
    size_t length = strlen(word);
    if (!length || length > LONGEST) return NULL;
    int best = length < 2   ? 0
               : length < 4 ? 1
               : length < 6 ? 2
                            : 3; /* further away, none is suggested; a single letter in another case is */
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        const char *candidate = name(i, user);
        size_t letters = candidate ? strlen(candidate) : 0;
        if (!letters || letters > LONGEST) continue;
        int d = length > 3 && begins(word, candidate) ? 1 : distance(word, (int)length, candidate, (int)letters);
        if (d < best || (d == best && !found)) best = d, found = candidate;
    }
    return found;
}
