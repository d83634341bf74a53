/* files.h: arrays and trees in files: safetensors, NumPy's npy and npz, numbers from CSV, and checkpoints of a training.
 *
 *     vn_save("model.safetensors", vn_module_v(net), NULL);
 *     vn_tree *weights = vn_load("model.safetensors");
 *     vn_array *table = vn_read_csv("table.csv", VN_OPTS(csv, .header = 1));
 *
 * Names. The chain "enc/w" of a tree is the name "enc.w" in a file. Reading splits names at '.' and '/'.
 *
 * Reading trusts nothing: what does not keep to its format is VN_E_FORMAT, with the path, the byte and what is wrong there. What the system
 * refuses is VN_E_IO with the system's words. No format that could run code is read. Only regular files are read: pipes and devices, which
 * may have no end, are VN_E_IO at once.
 *
 * Writing is all or nothing: a new file is written beside the old one, flushed to the disk, and takes its place only when it is complete.
 * On failure the old file is as it was, and nothing else is left. Several processes and threads may write the same path at once: each file
 * is whole, and the last one stays. A process that is killed may leave a file NAME.vinea-0.tmp; the next save to NAME removes it once its
 * writer is known to be dead (by its lock, so on network file systems it stays).
 *
 * A symbolic link stays, and the file it leads to is replaced, or made where there is none. The new file has the permissions of the old
 * one, and its owner and group where the system allows it; a file that may not be written to is not replaced. A pipe that somebody reads
 * and a character device (/dev/stdout, /dev/null) are written to directly; a pipe that nobody reads, a socket, a block device and a folder
 * are VN_E_IO at once. */
#ifndef VINEA_FILES_H
#define VINEA_FILES_H

#include <vinea/vinea.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- trees and arrays --------------------------------------------------------------------------------------------------------- */

/* A file's text for a key. */
typedef struct vn_note {
    const char *key VN_UNSET, *value VN_UNSET;
} vn_note;

typedef struct vn_save_opts {
    size_t size VN_UNSET;
    const vn_note *notes VN_UNSET; /* safetensors: its metadata. Keys that begin with "vinea." are the library's */
    int n_notes VN_UNSET;
} vn_save_opts;

/* Writes all arrays of a tree; returns a code. The path's ending decides:
 *   .npz   arrays of all dtypes but bfloat16, no compression. Numbers, nulls and empty trees are VN_E_STRUCT.
 *   .npy   the same for a tree that holds one array; its name is not kept.
 *   other  safetensors, which keeps the whole tree: numbers, nulls, empty trees and the order of keys stand in the note "vinea.tree" where
 * there are any. complex128, which the format lacks, is written as pairs of float64. */
VN_API int vn_save(const char *path, const vn_tree *t, const vn_save_opts *opts);
VN_API int vn_save_array(const char *path, vn_array *x); /* a tree {x: x} */

typedef struct vn_load_opts {
    size_t size VN_UNSET;
    int copy VN_UNSET; /* reads the file into memory instead of mapping it */
} vn_load_opts;

/* Reads a safetensors, npz or npy file (told apart by their contents) onto the engine in use. npy: {x: array}. npy and npz of versions 1 to
 * 3, in either byte order, C or Fortran order, stored or deflated. The file is mapped: values are read from the disk when they are used,
 * and the mapping goes with the last array. A file must not be cut or changed in place as long (that vn_save replaces it is fine); where
 * this cannot be promised, copy. */
VN_API vn_tree *vn_load(const char *path);
VN_API vn_tree *vn_load_with(const char *path, const vn_load_opts *opts);
VN_API vn_array *vn_load_array(const char *path); /* the array of a file that has one */

/* What a file holds, without reading its arrays. All that it points to belongs to the innermost scope. */
typedef struct vn_file_array {
    const char *name;
    vn_dtype dtype;
    vn_shape shape;
    int64_t bytes;  /* of its elements */
    int64_t stored; /* in the file: less where they are compressed */
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
    char delimiter VN_UNSET; /* 0: ',' */
    int header VN_UNSET;     /* the first line has names and is not read */
    int empty_nan VN_UNSET;  /* empty fields are NaN instead of an error */
    vn_dtype dtype VN_UNSET; /* a float dtype; 0: float32 */
} vn_csv_opts;
/* The numbers of a text file, one row a line: (rows, columns). Numbers are written with a '.', whatever the locale, or are nan, inf and
 * infinity; blanks around them and one pair of quotes are fine. Empty lines are not read. A line with another number of fields than the
 * first is VN_E_FORMAT, with its number. */
VN_API vn_array *vn_read_csv(const char *path, const vn_csv_opts *opts);

/* ---- checkpoints -------------------------------------------------------------------------------------------------------------- */

/* A training that can go on later, on any engine: one safetensors file with the arrays, the optimizer's state, the thread's random numbers,
 * the step, and a text and a tree of the program's own. On the same engine it goes on with the same bits. Learning rate and schedule are
 * part of the optimizer's state; of a schedule that is a function only the fact: the program makes its optimizer with it, then loads.
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
    vn_tree *extra VN_UNSET;           /* whatever else; NULL: none. After loading it belongs to the innermost scope */
} vn_checkpoint;
VN_API int vn_checkpoint_save(const char *path, const vn_checkpoint *c);
/* Gives the arrays of c the values they had (the handles stay), the optimizer its state and the thread its random numbers, and fills step
 * and config. Names, shapes, dtypes and the kind of optimizer must be those that were saved (VN_E_STRUCT). On failure nothing has changed.
 */
VN_API int vn_checkpoint_load(const char *path, vn_checkpoint *c);

#ifdef __cplusplus
}
#endif
#endif
