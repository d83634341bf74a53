/* SPDX-License-Identifier: Apache-2.0 */
/* files.h (internal): shared by the files of src/files. Reading: open.c provides the bytes; safetensors.c, npy.c and zip.c make a catalog
 * of them, in which every offset and size has been checked; load.c creates arrays from the catalog. Writing: save.c collects the arrays of
 * a tree, safetensors.c, npy.c and zip.c lay them out, write.c writes the file atomically (os/output.c).
 */
#ifndef VN_FILES_INSIDE_H
#define VN_FILES_INSIDE_H

#include "base/base.h"
#include "tree/tree.h"
#include <vinea/files.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files are little-endian, as memory must be");

/* ---- bytes of a file (open.c) ---- */
typedef struct vn__file {
    _Atomic uint32_t refs; /* one for the opener, one for each array that aliases the bytes */
    bool mapped;
    const unsigned char *data;
    size_t size;
    const char *who; /* the function that reads it, for messages */
    char path[];
} vn__file;
vn__file *vn__file_open(const char *path, bool copy, uint64_t most, const char *who); /* most: the largest accepted size; 0: any */
void vn__file_release(void *file);
/* VN_E_FORMAT: who, path, the byte and what is wrong there. */
int vn__file_bad(const vn__file *f, uint64_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vn__io_failed(const char *who, const char *path, const char *what, int error); /* VN_E_IO with the system's text for the error */

/* Little-endian numbers in a file. */
static inline uint64_t vn__little(const unsigned char *p, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

/* ---- contents ---- */
enum { VN__FILE_ENTRIES = 1 << 20 }; /* arrays, trees, numbers and nulls of a file; notes; members of an archive */
enum { VN__NPY_HEADER = 10000 };     /* bytes; NumPy reads as many */
typedef struct {
    const char *name;
    int dtype;
    vn_shape shape;         /* of the array */
    uint64_t begin, stored; /* where its bytes lie in the file: elements, or the deflated npy file they are in */
    uint64_t bytes;         /* of its elements */
    uint64_t head, whole;   /* deflated: bytes before the elements, and of all that is deflated */
    uint32_t crc;           /* deflated: of all of it */
    bool deflated, fortran, swapped;
    bool used; /* used by the tree made from the catalog */
} vn__stored;
typedef struct {
    vn__file *file;
    const char *format;
    vn__stored *arrays; /* in scope memory, like everything below */
    int n, capacity;
    vn_note *notes;
    int n_notes, notes_capacity;
} vn__catalog;
vn__stored *vn__catalog_add(vn__catalog *x);                         /* a zeroed entry; NULL with the error set */
vn_note *vn__catalog_note(vn__catalog *x);                           /* the same for a note */
const char *vn__catalog_find(const vn__catalog *x, const char *key); /* the note's text; NULL when there is none */
int vn__catalog_read(vn__catalog *x);                                /* detects the format and fills the catalog of x->file */
int vn__no_name_twice(const vn__file *f, const char **names, int n); /* sorts them; VN_E_FORMAT if two are equal */
/* Bytes of the elements; false if the sizes are not valid for an array. */
bool vn__shape_bytes(const vn_shape *s, int dtype, uint64_t *bytes);
vn_tree *vn__tree_of_file(vn__catalog *x); /* in the innermost scope */
vn_array *vn__stored_array(const vn__catalog *x, const vn__stored *s);

int vn__safetensors_read(vn__catalog *x);
int vn__npy_read(vn__catalog *x);
int vn__npz_read(vn__catalog *x);
/* Reads the header of an npy file that begins at `data`; have: available bytes; at: the offset for messages. Fills
 * dtype, shape, bytes, fortran, swapped and head. */
int vn__npy_header(const vn__file *f, const unsigned char *data, uint64_t have, uint64_t at, vn__stored *s);

/* ---- compression (inflate.c) ---- */
/* Inflates exactly `size` bytes, or with `part` the first `size` bytes of more. NULL, or what is wrong. */
const char *vn__inflate(const unsigned char *in, size_t n, unsigned char *out, size_t size, bool part);
uint32_t vn__crc32(uint32_t crc, const void *data, size_t bytes);

/* ---- structure of trees as text (structure.c) ---- */
#define VN__NOTE_TREE "vinea.tree"
void vn__print_json(vn__text *t, const char *text); /* a JSON string; the text is UTF-8 */
/* Writes the text; *needed: the names alone do not describe the tree. */
void vn__structure_print(const vn_tree *t, vn__text *to, bool *needed);
vn_tree *vn__structure_tree(vn__catalog *x, const char *text);

/* ---- writing (write.c) ---- */
typedef struct {
    vn__output output;
    const char *who, *path; /* for messages */
    uint64_t done;          /* bytes written */
} vn__writer;
int vn__write_begin(vn__writer *w, const char *path, const char *who);
int vn__write(vn__writer *w, const void *data, size_t bytes);
int vn__write_end(vn__writer *w, int code); /* any code other than VN_OK discards the file. Returns the code */
int vn__write_whole(const char *path, const void *data, size_t bytes, const char *who); /* a file of these bytes */

/* An array to be written. */
typedef struct {
    const char *name;
    vn_array *array;
    const void *data;
    size_t bytes;
} vn__leaf_file;
int vn__safetensors_write(vn__writer *w, vn__leaf_file *a, int n, const vn_note *notes, int n_notes);
int vn__npy_write(vn__writer *w, const vn__leaf_file *a);
int vn__npz_write(vn__writer *w, const vn__leaf_file *a, int n);
size_t vn__npy_print(const vn_array *x, char to[static 512]); /* an npy file up to its elements; returns its length */
/* A tree as safetensors with metadata of any key. */
int vn__save_tree(const char *path, const vn_tree *t, const vn_note *notes, int n_notes, const char *who);

#endif
