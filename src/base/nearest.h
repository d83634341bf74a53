/* nearest.h: suggestions for misspelt names. */
#ifndef VN_NEAREST_H
#define VN_NEAREST_H

/* The name closest to the word by edit distance; NULL if none is close. name(i, user) returns name i of n. */
const char *vn__nearest(const char *word, int n, const char *(*name)(int i, void *user), void *user);

#endif
