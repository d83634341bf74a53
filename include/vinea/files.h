/* files.h: arrays and trees in files: safetensors, NumPy's npy and npz, numbers from CSV, and training checkpoints.
 *
 *     vn_save("model.safetensors", vn_module_v(net), NULL);
 *     vn_tree *weights = vn_load("model.safetensors", NULL);
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
} vn_save_opts;

/* Writes all arrays of a tree; returns a code. The file extension selects the format:
 *   .npz   arrays of all dtypes but bfloat16, no compression. Numbers, nulls and empty trees are VN_E_STRUCT.
 *   .npy   the same for a tree that holds one array; its name is not kept.
 *   other  safetensors, which keeps the whole tree: numbers, nulls, empty trees and the key order are stored in the metadata entry
 *          "vinea.tree" if there are any. complex128, which the format lacks, is written as pairs of float64. */
VN_API int vn_save(const char *path, const vn_tree *t, const vn_save_opts *opts);
VN_API int vn_save_array(const char *path, vn_array *x); /* saves the tree {x: x} */

typedef struct vn_load_opts {
    size_t size VN_UNSET;
    int copy VN_UNSET; /* reads the file into memory instead of mapping it */
} vn_load_opts;

/* Reads a safetensors, npz or npy file (detected by content) onto the current engine. npy: {x: array}. npy and npz of versions 1 to
 * 3, in either byte order, C or Fortran order, stored or deflated. The file is mapped: values are read from disk when they are used,
 * and it is unmapped with the last array. Until then it must not be truncated or changed in place (replacing it with vn_save is fine);
 * if that cannot be guaranteed, use .copy. */
VN_API vn_tree *vn_load(const char *path, const vn_load_opts *opts);
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
    char delimiter VN_UNSET; /* 0: ',' */
    int header VN_UNSET;     /* the first line has names and is skipped */
    int empty_nan VN_UNSET;  /* empty fields are NaN instead of an error */
} vn_csv_opts;
/* The numbers of a text file, one row per line: (rows, columns), in a float dtype. The decimal separator is '.' in every locale; nan, inf and
 * infinity are numbers; spaces around a number and one pair of quotes are ignored. Empty lines are skipped. A line with a different number
 * of fields than the first is VN_E_FORMAT, with its number. */
VN_API vn_array *vn_read_csv(const char *path, vn_dtype dtype, const vn_csv_opts *opts);

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
#endif
