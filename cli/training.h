/* SPDX-License-Identifier: Apache-2.0 */
/* training.h: shared by `vinea train`, `predict`, `evaluate`, `data` and `models`: finding and reading data (source.c), and the text in a
 * checkpoint that describes its model (training.c). */
#ifndef VN_TRAINING_H
#define VN_TRAINING_H

#include "command.h"
#include <vinea/vinea.h>

/* What a model was trained for. */
typedef struct training {
    char model[256];    /* as given */
    char target[256];   /* the column of a CSV file; "" for the last one */
    vn_shape example;   /* one row of the data */
    int64_t classes;    /* 0: the target is numbers */
    int64_t outputs;    /* classes, or how many numbers */
    char *schema;       /* how the table was read, as JSON; NULL: the data was no table */
    const char *text;   /* the model as JSON; in the innermost scope or static */
    const char *config; /* the text it was read from; NULL: it was not */
} training;

/* A name made safe for a line of text: without control characters and invalid UTF-8. */
void training_name(char *to, size_t room, const char *name);
/* The text for a checkpoint, with the values of these options (NULL-terminated names); NULL, after a message, if memory ran out. The caller
 * frees it. */
char *training_write(const training *t, const command_args *args, const char *const *options);
int is_training(const char *config); /* the text begins as that of `vinea train` */
/* Parses a checkpoint's text; prints a message and returns EXIT_FAILED if `vinea train` did not write it. t->text points into config. */
int training_read(training *t, const char *config, const char *path);
void training_free(training *t);
/* The value that an option had in the training; NULL: it was not given. *known: the checkpoint says so. */
const char *training_option(const training *t, const char *option, char *to, size_t room, int *known);
/* Loads the network of a checkpoint with its weights, in evaluation mode; NULL after a message. */
vn_module *training_net(const char *path, training *t);

/* Applies --engine and RUN_OPTIONS; returns an exit code. */
int use_run_options(const command_args *args);
/* Runs a command that uses a trained model: checks --batch, applies the options, calls body in a scope, and closes the library. */
int run_trained(const command_args *args, int (*body)(const command_args *args, training *t));

/* Messages of the library speak of options; from now on as this command calls them. */
void speak_for(const command *c);
/* Prints the library's message; returns EXIT_FAILED. */
int library_failed(void);
int rank_failed(int rank, const char *message); /* the same for a message of another rank */
void print_note(const char *note);              /* "vinea: note: ..." on stderr */
int64_t count_elements(const vn_shape *s);
/* The path of the data, in `to`: a name without '.' and '/' is one of the files that come with Vinea, or a folder. NULL, after a message, if there
 * is none. */
const char *data_path(const char *word, char *to, size_t room);
/* Sets the threads of engines opened from now on. */
void use_threads(const command_args *args);
/* "accuracy 99.17 % on 360 held-out rows", or other scores if the target is numbers. standardized: the loss is in no one's units.
 * kind and note stand before and after "rows". */
void print_scores(FILE *to, const vn_evaluation *e, int standardized, const char *kind, const char *note);

/* The model's text with the layers of --augment before its own (augment.c), which the caller frees; NULL after a message. */
char *augmented_model(const command_args *args, const char *text);
extern const char *const augment_words[];
extern const char *const data_words[]; /* files that come with Vinea; NULL-terminated */

/* ---- before a training (summary.c) ---- */
void print_data_summary(FILE *to, const vn_dataset_info *info, int with_target);
int print_model_summary(FILE *to, const char *model, vn_module *net, const vn_shape *example); /* returns an exit code */

/* ---- data files (source.c) ---- */

/* Data: a table, which has been read, arrays, or a folder of images. */
typedef struct source {
    const command_args *args;
    const char *path;
    char room[4096];
    int is_table, is_images;
    vn_table table; /* in the innermost scope */
} source;
/* Finds and, if it is a table, reads a file, as the options say that follow. Prints a message on failure and returns EXIT_FAILED. */
int open_source(source *s, const command_args *args, const char *word);
/* A dataset of it, with these options; NULL with the error set. */
vn_dataset *dataset_of(const source *s, const vn_dataset_opts *o);
/* Says that its target has one class only. Returns EXIT_FAILED. */
int one_class(const source *s, const vn_dataset_info *info);
int no_target(const source *s, const char *name); /* the target it would have */
/* The rows, and with their targets if the file has them, for a trained model; NULL with the error set. target: the column of the true
 * values, if it has another name. */
vn_dataset *dataset_for(const source *s, const training *t, const char *target, int labelled);
/* The options of the data that a training reads, but for standardizing; returns an exit code. */
int data_options(const source *s, vn_dataset_opts *o);
void print_notes(const vn_dataset *d);
int missing_of(const command_args *args); /* --missing as a vn_missing */
/* A field of a CSV file, in quotes if it needs them. */
void print_field(FILE *to, const char *text);
extern const char *const missing_words[], *const yes_words[], *const unreadable_words[];

#define SOURCE_OPTIONS                                                                                                                \
    {"header", OPTION_CHOICE, .about = "CSV: whether the first line has names (auto)", .choices = yes_words},                         \
        {"delimiter", OPTION_TEXT, "CHAR", .about = "CSV: what separates fields: , ; | or tab (detected)"},                           \
        {"na", OPTION_TEXT, "LIST", .about = "CSV: other texts for missing values (an empty field, NA, N/A, NaN, null, None, ?, -)"}, \
        {"text", OPTION_TEXT, "LIST", .about = "CSV: columns of numbers that are text, such as post codes"},                          \
    {                                                                                                                                 \
        "missing", OPTION_CHOICE, .about = "CSV: missing values: error, drop the row, or fill in the mean (error)",                   \
                                  .choices = missing_words                                                                            \
    }

#define IMAGE_OPTIONS                                                                                                            \
    {"size", OPTION_TEXT, "HxW", .about = "images: resize them to this height and width (their own if they agree, else 64x64)"}, \
        {"channels", OPTION_COUNT, .about = "images: 3 for colour, 1 for gray (3, unless all are gray)"}, UNREADABLE_OPTION
#define UNREADABLE_OPTION                                                                                                       \
    {                                                                                                                           \
        "unreadable", OPTION_CHOICE, .about = "images: damaged files: error, or skip them (error)", .choices = unreadable_words \
    }

/* The words of a command that uses a trained model. */
#define TRAINED_WORDS                                                                                                          \
    (const command_option[])                                                                                                   \
    {                                                                                                                          \
        {"CHECKPOINT", OPTION_FILE, .about = "written by `vinea train`"},                                                      \
            {"DATA", OPTION_FILE, .about = "a csv, npy, npz or safetensors file, a folder of images, or digits, iris, houses", \
             .choices = data_words},                                                                                           \
        {                                                                                                                      \
            0                                                                                                                  \
        }                                                                                                                      \
    }
/* Where the features and targets of array files are. */
#define ARRAY_OPTIONS                                                                      \
    {"x", OPTION_TEXT, "NAME", .about = "npz, safetensors: the array of features (x)"},    \
        {"y", OPTION_TEXT, "NAME", .about = "npz, safetensors: the array of targets (y)"}, \
    {                                                                                      \
        "labels", OPTION_FILE, .about = "npy: the file with the targets"                   \
    }
/* How a model is run. */
#define RUN_OPTIONS                                                                                                                      \
    {"memory", OPTION_NUMBER, "GIB", .about = "limit on the memory of arrays, and so of a model's variables (no limit; 4 for a model)"}, \
        {"precision", OPTION_TEXT, "MODE", .about = "of float32 products: exact, split, fast, tf32 or bf16 (exact)"},                    \
        {"autocast", OPTION_TEXT, "DTYPE", .about = "mixed precision: products in bfloat16 or float16; variables stay as they are"},     \
    {                                                                                                                                    \
        "threads", OPTION_COUNT, .about = "processor threads to use (all)", .low = 1, .high = 1024                                       \
    }
/* How a trained model is run on data, in order behind the options of the command's own. */
#define TRAINED_OPTIONS                                                                                                              \
    {"target", OPTION_TEXT, "COLUMN", .about = "CSV: the column with the true values, if it has another name than in the training"}, \
        SOURCE_OPTIONS, ARRAY_OPTIONS, UNREADABLE_OPTION, {"batch", OPTION_COUNT, .about = "rows per batch (256)"}, RUN_OPTIONS,     \
    {                                                                                                                                \
        0                                                                                                                            \
    }

#endif
