/* SPDX-License-Identifier: Apache-2.0 */
/* decoder.h: what a plugin implements that decodes image files, such as images/png.
 *
 * A plugin is a shared object <name>.so with a manifest <name>.manifest beside it, found like engines (VINEA_IMAGE_PATH, or the folder
 * images beside the library) and loaded when the first file of its format is read. The manifest says by which bytes such files begin
 * ("begins", in hexadecimal), how their names end ("ends"), and how to install the library that the plugin needs ("install"). It links
 * against no part of Vinea. */
#ifndef VINEA_DECODER_H
#define VINEA_DECODER_H

#include <vinea/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VN_DECODER_ABI 1

/* A picture in memory: rows of pixels from the top, each of them `channels` bytes. */
typedef struct vn_picture {
    uint32_t size;
    int32_t channels; /* 1: gray, 3: red, green, blue */
    int64_t height, width;
} vn_picture;

/* Functions may be called by several threads at once. They return 0, or another number with the reason in `why`. */
typedef struct vn_decoder {
    uint32_t abi, size;
    const char *name;             /* that of the file: "png" */
    const char *(*version)(void); /* of the library that decodes */
    /* Height, width and channels of a file in memory, from its first bytes; of a photograph as it stands upright, however the camera was
     * held. Nothing of the picture's size is allocated. */
    int (*measure)(const unsigned char *file, size_t bytes, vn_picture *to, char *why, size_t capacity);
    /* Decodes it. `as` has the size that measure found, or one that `reduce` gave, and 1 or 3 channels; `to` has room for it. Transparent
     * pixels are shown on black. A damaged or truncated file is refused, not filled up. */
    int (*decode)(const unsigned char *file, size_t bytes, const vn_picture *as, unsigned char *to, char *why, size_t capacity);
    /* Optional: the smallest size, not below height x width, at which the format can be decoded faster; *p has the full size. */
    void (*reduce)(vn_picture *p, int64_t height, int64_t width);
} vn_decoder;

/* The only exported symbol. NULL, with host->error set, if the host is too old. */
const vn_decoder *vinea_decoder_main(const vn_host *host);
typedef const vn_decoder *(*vn_decoder_main_fn)(const vn_host *host);

#ifdef __cplusplus
}
#endif
#endif
