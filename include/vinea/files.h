/* SPDX-License-Identifier: Apache-2.0 */
/* files.h: arrays and trees in files: safetensors, NumPy's npy and npz, numbers and tables from CSV, images, and training checkpoints.
 *
 *     vn_save("model.safetensors", vn_module_v(net));
 *     vn_tree *weights = vn_load("model.safetensors");
 *     vn_array *table = vn_read_csv("table.csv", VN_F32, VN_OPTS(csv, .header = 1));
 *
 * Names. The key chain "enc/w" of a tree is the name "enc.w" in a file. Reading splits names at '.' and '/'.
 *
 * Readers do not trust their input: a malformed file is VN_E_FORMAT, with the path, the byte offset and what is wrong there. A system error
 * is VN_E_IO with the system's message. No format that could run code is supported. Only regular files are read: pipes and devices, which
 * may be endless, are VN_E_IO immediately.
 *
 * Writing is atomic: a new file is written next to the old one, flushed to disk, and replaces it only when it is complete. On failure the
 * old file is unchanged and nothing is left behind. Several processes and threads may write the same path at once: each file is complete,
 * and the last one wins. A killed process may leave a file NAME.vinea-0.tmp; the next save to NAME removes it if its writer is dead (as the
 * file lock shows, so it stays on network file systems).
 *
 * A symbolic link is kept, and its target is replaced, or created if it does not exist. The new file has the permissions of the old one,
 * and its owner and group where the system allows it; a file without write permission is not replaced. A pipe with a reader and a character
 * device (/dev/stdout, /dev/null) are written to directly; a pipe without a reader, a socket, a block device and a folder are VN_E_IO
 * immediately. */
#ifndef VINEA_FILES_H
#define VINEA_FILES_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- trees and arrays --------------------------------------------------------------------------------------------------------- */

/* A metadata entry: a key and its text. */
struct vn_note {
    const char *key VN_UNSET, *value VN_UNSET;
};

typedef struct vn_save_opts {
    size_t size VN_UNSET;
    const vn_note *notes VN_UNSET; /* safetensors: its metadata. Keys that begin with "vinea." are the library's */
    int n_notes VN_UNSET;
    int reserved VN_UNSET; /* 0 */
} vn_save_opts;

/* Writes all arrays of a tree; returns a code. The file extension selects the format:
 *   .npz   arrays of all dtypes but bfloat16, no compression. Numbers, nulls and empty trees are VN_E_STRUCT.
 *   .npy   the same for a tree that holds one array; its name is not kept.
 *   other  safetensors, which keeps the whole tree: numbers, nulls, empty trees and the key order are stored in the metadata entry
 *          "vinea.tree" if there are any. complex128, which the format lacks, is written as pairs of float64. */
VN_API int vn_save(const char *path, const vn_tree *t, const vn_save_opts *opts VN_OR(NULL));
VN_API int vn_save_array(const char *path, vn_array *x); /* saves the tree {x: x} */

typedef struct vn_load_opts {
    size_t size VN_UNSET;
    int copy VN_UNSET;     /* reads the file into memory instead of mapping it */
    int reserved VN_UNSET; /* 0 */
} vn_load_opts;

/* Reads a safetensors, npz or npy file (detected by content) onto the current engine. npy: {x: array}. npy and npz of versions 1 to
 * 3, in either byte order, C or Fortran order, stored or deflated. The file is mapped: values are read from disk when they are used,
 * and it is unmapped with the last array. Until then it must not be truncated or changed in place (replacing it with vn_save is fine);
 * if that cannot be guaranteed, use .copy. */
VN_API vn_tree *vn_load(const char *path, const vn_load_opts *opts VN_OR(NULL));
VN_API vn_array *vn_load_array(const char *path); /* the array of a file with a single array */

/* The contents of a file, without reading its arrays. All memory belongs to the innermost scope. */
typedef struct vn_file_array {
    const char *name;
    vn_dtype dtype;
    vn_shape shape;
    int64_t bytes;  /* of its elements */
    int64_t stored; /* in the file: less if they are compressed */
} vn_file_array;
typedef struct vn_file_info {
    size_t size VN_UNSET;
    const char *format VN_UNSET; /* "safetensors", "npy", "npz" */
    int64_t bytes VN_UNSET;      /* of the file */
    int n_arrays VN_UNSET, n_notes VN_UNSET;
    const vn_file_array *arrays VN_UNSET; /* in the file's order */
    const vn_note *notes VN_UNSET;
} vn_file_info;
VN_API int vn_inspect(const char *path, vn_file_info *info);

/* ---- tables ------------------------------------------------------------------------------------------------------------------- */

typedef struct vn_csv_opts {
    size_t size VN_UNSET;
    char delimiter VN_UNSET;   /* 0: ',' */
    char reserved[3] VN_UNSET; /* 0 */
    int header VN_UNSET;       /* the first line has names and is skipped */
    int empty_nan VN_UNSET;    /* empty fields are NaN instead of an error */
    int reserved2 VN_UNSET;    /* 0 */
} vn_csv_opts;
/* The numbers of a text file, one row per line: (rows, columns), in a float dtype. The decimal separator is '.' in every locale; nan, inf and
 * infinity are numbers; spaces around a number and one pair of quotes are ignored. Empty lines are skipped. A line with a different number
 * of fields than the first is VN_E_FORMAT, with its number. */
VN_API vn_array *vn_read_csv(const char *path, vn_dtype dtype, const vn_csv_opts *opts VN_OR(NULL));

/* A table as people have it: numbers, texts, blanks, dates; names in the first line or not. RFC 4180: a field in double quotes may hold the
 * delimiter, line breaks and doubled quotes. A byte order mark, CRLF and blanks around fields are ignored, empty lines skipped. The text is
 * UTF-8.
 *
 *     vn_table t = {.size = sizeof t};
 *     if (!vn_read_table("flowers.csv", NULL, &t))
 *         for (int i = 0; i < t.n_columns; i++) printf("%s: %s\n", t.columns[i].name, vn_column_kind_name(t.columns[i].kind)); */
typedef enum vn_column_kind {
    VN_COLUMN_EMPTY = 0,  /* every field is missing */
    VN_COLUMN_NUMBER = 1, /* numbers */
    VN_COLUMN_TEXT = 2,   /* texts: the classes of a category, or names, notes ... */
    VN_COLUMN_DATE = 3    /* dates such as 2024-01-31 or 31/1/24, with a time or without; their values are not read */
} vn_column_kind;
VN_API const char *vn_column_kind_name(int kind); /* "empty", "numbers", "text", "dates" */

typedef struct vn_column {
    const char *name; /* from the header; without one "column 1" ... */
    int kind;         /* vn_column_kind */
    int64_t missing;  /* missing fields; the first one stands on */
    int64_t missing_line;
    /* Numbers. */
    const double *numbers;  /* rows of them; NaN where missing; NULL for other kinds */
    double min, max, mean;  /* of those that are finite; NaN: there are none */
    double deviation;       /* the standard deviation of all of them, not of a sample */
    int whole, row_numbers; /* all are integers; the column counts the rows, 1, 2, 3 ... or from another number on */
    /* Text. */
    const int32_t *codes;       /* rows of them: the class of each row, -1 where missing; NULL for other kinds */
    int64_t n_classes;          /* different texts */
    const char *const *classes; /* in ascending order of their bytes */
    /* A text column with as many numbers as texts, or more: the numbers among its fields, and the first other one, on line odd_line. */
    int64_t odd_numbers, odd_line;
    const char *odd;
} vn_column;

typedef struct vn_table {
    size_t size VN_UNSET;
    int64_t rows VN_UNSET;
    int n_columns VN_UNSET;
    int reserved VN_UNSET; /* 0 */
    const vn_column *columns VN_UNSET;
    char delimiter VN_UNSET, decimal VN_UNSET; /* as read: ',' ... and '.' or ',' */
    char reserved2[2] VN_UNSET;                /* 0 */
    int header VN_UNSET;                       /* the first line has the names */
    int guessed VN_UNSET;                      /* whether that was a guess that may be wrong: all columns are text */
    int reserved3 VN_UNSET;                    /* 0 */
    const char *path VN_UNSET;
} vn_table;

typedef struct vn_table_opts {
    size_t size VN_UNSET;
    char delimiter VN_UNSET;   /* 0: detected: a tab, ';', '|' or ',' */
    char decimal VN_UNSET;     /* of numbers: '.' or ','. 0: '.', and also ',' in files whose delimiter is ';' */
    char reserved[2] VN_UNSET; /* 0 */
    int header VN_UNSET;       /* 1: the first line has names, -1: it has not, 0: detected */
    const char *na
        VN_UNSET; /* other texts for missing values, separated by commas; an empty field, NA, N/A, NaN, null, None, ? and - always are */
    const char *text VN_UNSET; /* columns to be read as text even if they hold numbers (post codes), separated by commas */
    vn_read_fn progress VN_UNSET;
    void *progress_user VN_UNSET;
} vn_table_opts;
/* Reads a text file; returns a code. What *table points to belongs to the innermost scope. A malformed file is VN_E_FORMAT with line and
 * byte: rows of different lengths, a quote without an end, text that is not UTF-8, more than 131,072 columns. Names that occur twice get a
 * number: "x", "x.2". */
VN_API int vn_read_table(const char *path, const vn_table_opts *opts, vn_table *table);

/* ---- images --------------------------------------------------------------------------------------------------------------------- */

typedef struct vn_image_opts {
    size_t size VN_UNSET;
    int64_t height VN_UNSET, width VN_UNSET; /* resize it to this; 0: the size of the file */
    int channels VN_UNSET;                   /* 1: gray, 3: red, green, blue; 0: as in the file */
    int reserved VN_UNSET;                   /* 0 */
} vn_image_opts;
/* The pixels of a PNG or JPEG file: uint8 (height, width, channels), on the current engine. What the file contains decides, not its name.
 * Transparent pixels are shown on black. A photograph stands upright: the orientation that the camera noted (EXIF) is obeyed, and height and
 * width are those of the upright image. Resizing averages, with the same bits everywhere.
 * A damaged or truncated file is VN_E_FORMAT, and so is one of more than 134 million pixels.
 *
 * Each format is decoded by a plugin (decoder.h), which uses the system's libpng or libjpeg-turbo. If that is not installed, the error is
 * VN_E_UNSUPPORTED and says how to install it. */
VN_API vn_array *vn_read_image(const char *path, const vn_image_opts *opts VN_OR(NULL));

/* Writes (height, width) or (height, width, channels) as a PNG file: uint8 as it is, floats from 0 to 1 (others count as 0 or 1; NaN is
 * VN_E_ARG), bool as black and white. 1 to 4 channels are gray, gray and opacity, red, green and blue, and these with opacity. The path ends in .png; the
 * file is complete or not there, and is not compressed. Needs no plugin. */
VN_API int vn_write_image(const char *path, vn_array *x);

typedef struct vn_image_info {
    size_t size VN_UNSET;
    const char *format VN_UNSET; /* "png", "jpeg"; static */
    int64_t height VN_UNSET, width VN_UNSET;
    int channels VN_UNSET; /* 1 or 3 */
    int reserved VN_UNSET; /* 0 */
} vn_image_info;
/* The same of its first bytes alone. */
VN_API int vn_inspect_image(const char *path, vn_image_info *info);

/* ---- Arrow ---------------------------------------------------------------------------------------------------------------------- */

struct ArrowSchema; /* the structs of Arrow's C data interface: pyarrow, arrow-rs, arrow-cpp, DuckDB, polars ... export them */
struct ArrowArray;
/* The columns of a record batch (a struct array), {name: array}, or a column alone, {x: array}: onto the current engine. Both structs
 * are moved: they are released whatever happens, exactly once, the array when the last column that aliases its memory is freed.
 *
 * Integers, floats and fixed-size lists of them, [rows, n], alias Arrow's memory; booleans, which are bits, and columns with nulls are
 * copied. A null in a float column is NaN; in another column it is VN_E_ARG. Text (utf8, large_utf8, utf8_view, or a dictionary of them) is
 * class numbers, int32, in ascending order of the texts' bytes; other dictionaries are refused. In keys '_' stands for '/' and '.'.
 *
 * table: the same columns as a table, in the innermost scope, with the names of classes, for vn_dataset_of_table; nulls are missing
 * values there, of all kinds, and lists are refused. NULL: none. If it is given, a null of a text is -1 in the tree, and one of an integer or
 * boolean column makes it float64, with NaN.
 *
 * Names, sizes, offsets, indices and UTF-8 are checked, but not whether the buffers are as large as these say, which Arrow does not tell:
 * the structs come from the program itself, not from a file. */
VN_API vn_tree *vn_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array, vn_table *table);

/* ---- checkpoints -------------------------------------------------------------------------------------------------------------- */

/* Everything needed to resume training, on any engine: one safetensors file with the arrays, the optimizer's state, the thread's random
 * state, the step, and a text and a tree of the program's own. On the same engine training continues with the same bits. The optimizer's
 * state includes learning rate and schedule, but not a schedule function: create the optimizer with the same function before loading.
 *
 *     vn_checkpoint c = {.size = sizeof c, .module = net, .optim = adam, .config = "{\"width\": 64}"};
 *     if (!access("run.ckpt", F_OK) && vn_checkpoint_load("run.ckpt", &c)) return vn_close(); // a first run has none
 *     for (; c.step < 10000; c.step++) {
 *         if (c.step % 100 == 0) vn_checkpoint_save("run.ckpt", &c);
 *         ...
 *     } */
typedef struct vn_checkpoint {
    size_t size VN_UNSET;
    struct vn_module *module VN_UNSET; /* its variables and buffers; or, without a module, */
    vn_tree *weights VN_UNSET;         /* these arrays; NULL: none */
    vn_tree *buffers VN_UNSET;         /* and these */
    vn_optim *optim VN_UNSET;          /* NULL: none */
    int64_t step VN_UNSET;             /* 0 or more */
    const char *config VN_UNSET;       /* UTF-8; NULL: none. After loading it belongs to the innermost scope */
    vn_tree *extra VN_UNSET;           /* other data; NULL: none. After loading it belongs to the innermost scope */
} vn_checkpoint;
VN_API int vn_checkpoint_save(const char *path, const vn_checkpoint *c);
/* Restores the values of c's arrays (handles stay valid), the optimizer's state and the thread's random state, and fills in step
 * and config. Names, shapes, dtypes and the kind of optimizer must match the file (VN_E_STRUCT). On failure nothing changes.
 */
VN_API int vn_checkpoint_load(const char *path, vn_checkpoint *c);

#ifdef __cplusplus
}
#endif

#ifndef __cplusplus /* calls.h */
#define vn_save(...) vn_save(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_load(...) vn_load(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#define vn_read_csv(...) vn_read_csv(__VA_ARGS__ VN__REST3(__VA_ARGS__)(, , , , NULL))
#define vn_read_image(...) vn_read_image(__VA_ARGS__ VN__REST2(__VA_ARGS__)(, , , , NULL))
#endif

#endif
