/* SPDX-License-Identifier: Apache-2.0 */
/* echo.h: the group plugin echo.c, and what a test tells it to do otherwise. In its world every other rank does what this process does, at the same
 * time and with the same values: what was sent to a rank comes back from it, and a sum is this rank's value times their number. So one process
 * meets everything that can go wrong between several, when the test wants it. */
#ifndef VN_ECHO_H
#define VN_ECHO_H

#include <stdbool.h>
#include <stddef.h>

enum { ECHO_TEXTS = 32, ECHO_CHANGES = 4, ECHO_SHARED = 1 << 20 };

typedef struct {
    int rank, ranks;
    long at;                     /* transfers so far; a test sets it to 0 */
    long not_started, not_ended; /* the transfer that fails, at the start or later; 0: none */
    long waits;                  /* from this transfer on none ends; 0: all do */
    struct {                     /* what one transfer brings has another byte at this place */
        long transfer;
        size_t place;
        char byte;
    } change[ECHO_CHANGES];
    int n_texts; /* of other ranks, the first one first */
    struct {
        int rank;
        char text[512];
    } texts[ECHO_TEXTS];
    int silent; /* ranks from this one on do not repeat what this rank posts; 0: none does */
    bool fails_open, fails_post, fails_split;
    int fails_look;  /* 1: always, 2: once something was posted */
    int no_pages;    /* the memory that all ranks see has none in its first (1) or second half (2) */
    long pauses;     /* so many looks find nothing, whatever there is */
    bool *held;      /* open and close wait while this is true; NULL: they do not */
    int other_ranks; /* how many there are once it is open; 0: as many as `ranks` */
    long aborted, posted;
    char last[512]; /* what was posted last */
} echo_script;

#endif
