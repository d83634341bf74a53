/* training.h: what `vinea train` and `vinea predict` share: which data and model are meant, and the text that a checkpoint carries so that
 * prediction needs nothing else (training.c). */
#ifndef VN_TRAINING_H
#define VN_TRAINING_H

#include "command.h"
#include <vinea/vinea.h>

/* What a model was trained for. */
typedef struct training {
    char model[256];  /* as it was named */
    char target[256]; /* the column of a CSV file; "" for the last one */
    vn_shape example; /* one row of the data */
    int64_t classes;  /* 0: numbers are learned */
    int64_t outputs;  /* classes, or how many numbers */
    const char *text; /* the model as JSON; in the innermost scope or static */
} training;

/* A name as it can stand in a line of text: nothing that ends the line or is not UTF-8. */
void training_name(char *to, size_t room, const char *name);
/* As the text of a checkpoint; NULL, with a complaint, when out of memory. To be freed. */
char *training_write(const training *t);
/* From a checkpoint's text; complains and returns EXIT_FAILED when `vinea train` did not write it. t->text points into config. */
int training_read(training *t, const char *config, const char *path);

/* Complains with the library's message; returns EXIT_FAILED. */
int library_failed(void);
int64_t count_elements(const vn_shape *s);
/* The path of the data that is meant: a word without '.' and '/' is one of the files that come with Vinea. NULL, with a complaint, when
 * there is none. Into `to`. */
const char *data_path(const char *word, char *to, size_t room);
/* Of the engines that start now. */
void use_threads(const command_args *args);
int use_memory(const command_args *args); /* what --memory allows; an exit code */
/* "accuracy 99.17 % on 360 held-out rows", or the loss and other scores where numbers are learned. */
void print_scores(FILE *to, const vn_evaluation *e, const char *what);

extern const char *const data_words[]; /* files that come with Vinea; they end with NULL */

#endif
