/* SPDX-License-Identifier: Apache-2.0 */
/* images.h (internal): datasets of image files. folder.c lists the files of a folder, images.c makes a dataset of them and reads its rows,
 * ahead.c reads the next batch meanwhile. */
#ifndef VN_TRAIN_IMAGES_H
#define VN_TRAIN_IMAGES_H

#include "image/image.h"
#include "train/train.h"

/* ---- files (folder.c) ---- */
typedef struct {
    char *path;  /* to open it */
    size_t name; /* where its name begins, from the folder on */
    int64_t label;
    vn__image image;
} vn__image_file;
typedef struct {
    vn__image_file *files; /* in the order of classes, then names */
    int64_t n, capacity;
    char **classes; /* names of folders, in ascending order; NULL: rows without a target */
    int64_t n_classes, class_capacity;
    int64_t ignored; /* files that are no images, such as */
    char *other;     /* this one */
} vn__image_list;
/* The images of a path. known: names of the only classes there may be, or NULL. */
int vn__image_list_read(const char *path, bool labelled, const char *const *known, int64_t n_known, const char *who, vn__image_list *to);
void vn__image_list_free(vn__image_list *l);

/* ---- rows (images.c) ---- */
typedef struct vn__ahead vn__ahead;
struct vn__images {
    vn__image_list list;
    const char **names;   /* of the files, for vn_dataset_info */
    vn_picture form;      /* of every row */
    unsigned char *cache; /* the pixels of all rows; NULL: they are decoded when they are needed */
    vn__ahead *ahead;
};
size_t vn__images_row(const struct vn__images *i); /* bytes of a row */
/* The pixels of n rows, in the thread that calls it; sets no error. */
int vn__images_decode(const struct vn__images *i, const int64_t *rows, int64_t n, unsigned char *to, vn__image_error *t);
vn_dataset *vn__images_load(const char *path, const vn_dataset_opts *o, vn__origin *from);
bool vn__images_are(const char *path); /* a folder, or a file called like an image */
void vn__images_free(struct vn__images *i);
vn_array *vn__images_labels(const struct vn__images *i, const char *who); /* the classes of all rows */
int vn__images_rows(const struct vn__images *i, const int64_t *rows, int64_t n, vn_array **x, vn_array **y);

/* ---- the next batch (ahead.c) ---- */
vn__ahead *vn__ahead_new(const struct vn__images *i); /* NULL: no memory, without an error */
void vn__ahead_free(vn__ahead *a);
/* Begins to decode these rows in a thread of its own; without one, nothing happens. */
void vn__ahead_want(vn__ahead *a, const int64_t *rows, int64_t n);
/* The pixels of these rows, which the caller frees as a block; if others were wanted, it decodes them itself. */
unsigned char *vn__ahead_take(vn__ahead *a, const int64_t *rows, int64_t n, vn__image_error *t);
void vn__ahead_rest(vn__ahead *a); /* ends the thread */

#endif
