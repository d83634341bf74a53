/* SPDX-License-Identifier: Apache-2.0 */
/* png.c: the plugin for PNG images, by the simple interface of libpng: every kind of PNG becomes 8 bits of gray or colour. */
#include <png.h>
#include <stdio.h>
#include <string.h>
#include <vinea/decoder.h>

static int refuse(png_image *image, char *why, size_t capacity)
{
    snprintf(why, capacity, "%s", *image->message ? image->message : "not a PNG image");
    png_image_free(image);
    return 1;
}

static int measure(const unsigned char *file, size_t bytes, vn_picture *to, char *why, size_t capacity)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, file, bytes)) return refuse(&image, why, capacity);
    to->height = image.height, to->width = image.width;
    to->channels = image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1;
    png_image_free(&image);
    return 0;
}

/* A file whose end is missing gives a picture too, with a warning; here that is an error. */
static int decode(const unsigned char *file, size_t bytes, const vn_picture *as, unsigned char *to, char *why, size_t capacity)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, file, bytes)) return refuse(&image, why, capacity);
    image.format = as->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (image.height != as->height || image.width != as->width) {
        snprintf(image.message, sizeof image.message, "its size is another one now");
        return refuse(&image, why, capacity);
    }
    const png_color black = {0, 0, 0};
    if (!png_image_finish_read(&image, &black, to, 0, NULL) || image.warning_or_error) return refuse(&image, why, capacity);
    png_image_free(&image);
    return 0;
}

static const char *version(void)
{
    return png_get_libpng_ver(NULL);
}

__attribute__((visibility("default"))) const vn_decoder *vinea_decoder_main(const vn_host *host)
{
    static const vn_decoder decoder = {VN_DECODER_ABI, sizeof decoder, "png", version, measure, decode, NULL};
    return host->abi == VN_DECODER_ABI ? &decoder : NULL;
}
