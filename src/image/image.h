/* SPDX-License-Identifier: Apache-2.0 */
/* image.h: image files as pixels. The formats are known to plugins alone (decoders.c); read.c reads a file through its decoder, at the size
 * and with the channels that are wanted (resize.c); png.c writes one. */
#ifndef VN_IMAGE_H
#define VN_IMAGE_H

#include <stdbool.h>
#include <vinea/decoder.h>
#include <vinea/vinea.h>

/* Pixels that are decoded: those of the largest cameras. A file of a few bytes can claim any size. */
enum { VN__IMAGE_PIXELS = 1 << 27 };

/* Why a file cannot be read: its code is VN_OK as long as it can. Nothing below sets the thread's error but where it says so, because
 * unreadable files may be skipped, and a thread that decodes ahead has no error of its own. */
typedef struct {
    int code;
    char text[700];
} vn__image_error;

/* An image file and what its first bytes say. */
typedef struct {
    const vn_decoder *decoder;
    vn_picture full;
} vn__image;

/* ---- decoders.c ---- */
/* The plugin for files that begin like this, loaded if it is not. NULL: the error is VN_E_FORMAT if no plugin knows such files,
 * VN_E_UNSUPPORTED if it cannot be loaded. Sets no error. */
const vn_decoder *vn__decoder_for(const unsigned char *file, size_t bytes, vn__image_error *t);
bool vn__decoders_missing(vn__image_error *t); /* no plugin that says which files are its own */
bool vn__image_named(const char *path);        /* its name ends like that of an image */
void vn__decoders_close(void);                 /* forgets plugins that were not loaded */

/* ---- read.c ---- */
int vn__image_measure(const char *path, vn__image *to, vn__image_error *t);
/* Decodes it into height * width * channels bytes. */
int vn__image_pixels(const char *path, const vn__image *image, const vn_picture *as, unsigned char *to, vn__image_error *t);

int vn__image_wanted(int64_t height, int64_t width, int channels, const char *who); /* checks options, 0 where not given; sets the error */

/* ---- png.c ---- */
/* Pixels of 1 to 4 channels as a PNG file that is not compressed: its size, and the file. False: no memory. */
size_t vn__png_size(const vn_picture *p);
bool vn__png_write(const unsigned char *pixels, const vn_picture *p, unsigned char *to);

/* ---- resize.c ---- */
/* Each pixel is a weighted mean of those around it, triangles as wide as the step between pixels (bilinear, and smooth for smaller
 * images); in integers, so that the result has the same bits everywhere. False: no memory. */
bool vn__resize(const unsigned char *from, const vn_picture *has, unsigned char *to, const vn_picture *wants);

#endif
