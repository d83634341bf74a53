/* training.h: shared by `vinea train` and `vinea predict`: finding data and models, and the text in a checkpoint that describes its
 * model (training.c). */
#ifndef VN_TRAINING_H
#define VN_TRAINING_H

#include "command.h"
#include <vinea/vinea.h>

/* What a model was trained for. */
typedef struct training {
    char model[256];  /* as given */
    char target[256]; /* the column of a CSV file; "" for the last one */
    vn_shape example; /* one row of the data */
    int64_t classes;  /* 0: the target is numbers */
    int64_t outputs;  /* classes, or how many numbers */
    const char *text; /* the model as JSON; in the innermost scope or static */
} training;

/* A name made safe for a line of text: without control characters and invalid UTF-8. */
void training_name(char *to, size_t room, const char *name);
/* The text for a checkpoint; NULL, after a message, if memory ran out. The caller frees it. */
char *training_write(const training *t);
/* Parses a checkpoint's text; prints a message and returns EXIT_FAILED if `vinea train` did not write it. t->text points into config. */
int training_read(training *t, const char *config, const char *path);

/* Prints the library's message; returns EXIT_FAILED. */
int library_failed(void);
int64_t count_elements(const vn_shape *s);
/* The path of the data, in `to`: a name without '.' and '/' is one of the files that come with Vinea. NULL, after a message, if there
 * is none. */
const char *data_path(const char *word, char *to, size_t room);
/* Sets the threads of engines opened from now on. */
void use_threads(const command_args *args);
int use_memory(const command_args *args); /* applies --memory; returns an exit code */
int use_precision(const command_args *args);
/* "accuracy 99.17 % on 360 held-out rows", or the loss and other scores if the target is numbers. */
void print_scores(FILE *to, const vn_evaluation *e, const char *what);

extern const char *const data_words[]; /* files that come with Vinea; NULL-terminated */

#endif
