/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.h: image files for tests, written by libpng and libjpeg themselves. */
#ifndef VN_PICTURES_H
#define VN_PICTURES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <png.h>
#include <jpeglib.h> /* which needs stdio.h */

/* 8 bits; channels: 1, 3, or 4 with transparency. */
static inline void write_png(const char *path, const unsigned char *pixels, int height, int width, int channels)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = (unsigned)width, .height = (unsigned)height};
    image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&image, path, 0, pixels, 0, NULL)) exit(fprintf(stderr, "%s: %s\n", path, image.message));
}

/* channels: 1, 3, or 4: cyan, magenta, yellow, black. exif: bytes of an APP1 segment; NULL: none. */
static inline void write_jpeg_exif(const char *path, const unsigned char *pixels, int height, int width, int channels, int progressive,
                                   const unsigned char *exif, size_t exif_bytes)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    FILE *to = fopen(path, "wb");
    if (!to) exit(fprintf(stderr, "%s cannot be written\n", path));
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, to);
    c.image_width = (unsigned)width, c.image_height = (unsigned)height, c.input_components = channels;
    c.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 95, TRUE);
    if (progressive) jpeg_simple_progression(&c);
    jpeg_start_compress(&c, TRUE);
    if (exif) jpeg_write_marker(&c, JPEG_APP0 + 1, exif, (unsigned)exif_bytes);
    for (int y = 0; y < height; y++) {
        JSAMPROW row = (unsigned char *)(size_t)pixels + (size_t)y * (size_t)(width * channels);
        jpeg_write_scanlines(&c, &row, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    fclose(to);
}

static inline void write_jpeg(const char *path, const unsigned char *pixels, int height, int width, int channels, int progressive)
{
    write_jpeg_exif(path, pixels, height, width, channels, progressive, NULL, 0);
}

/* A photograph of a disc, a line or stripes (kind 0, 1, 2), of any size, colour and place, with light from one side and noise. */
static inline unsigned char *photograph(int kind, unsigned seed, int height, int width)
{
    unsigned char *pixels = malloc((size_t)(height * width * 3));
    unsigned state = seed * 2654435761u + 12345u;
#define NEXT(n) (state = state * 1664525u + 1013904223u, (int)((state >> 10) % (unsigned)(n)))
    const int cx = width / 3 + NEXT(width / 3 + 1), cy = height / 3 + NEXT(height / 3 + 1), smaller = height < width ? height : width;
    const int r = smaller / 5 + NEXT(smaller / 8 + 1), fore[3] = {140 + NEXT(116), 140 + NEXT(116), 140 + NEXT(116)};
    for (int y = 0; y < height && pixels; y++) {
        for (int x = 0; x < width; x++) {
            const int dx = x - cx, dy = y - cy;
            const int in = kind == 0 ? dx * dx + dy * dy < r * r : kind == 1 ? abs(dy) * 2 < r : (x + y) / (smaller / 8 + 1) % 2;
            for (int c = 0; c < 3; c++) {
                const int v = (in ? fore[c] : 50) + x * 30 / width + NEXT(30);
                pixels[(y * width + x) * 3 + c] = (unsigned char)(v > 255 ? 255 : v);
            }
        }
    }
#undef NEXT
    return pixels;
}

#endif
