/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h: names compared without regard to case, and which known name someone may have meant. */
#ifndef VN_NEAREST_H
#define VN_NEAREST_H

#include <stdbool.h>

bool vn__same_word(const char *a, const char *b);

/* The one of n names that is least far from the word, by letters changed, left out, added or exchanged with their neighbour; NULL when
 * none is near. name(i, user) gives them. */
const char *vn__nearest(const char *word, int n, const char *(*name)(int i, void *user), void *user);

#endif
