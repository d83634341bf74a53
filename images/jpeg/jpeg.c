/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg.c: the plugin for JPEG images, by libjpeg-turbo. Its errors leave through longjmp, to the function that called it; its warnings (a
 * damaged or truncated file, which it would fill up with gray) are errors here. Photographs are rotated upright as their rows are read. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <vinea/decoder.h>
#include "exif.h"

typedef struct {
    struct jpeg_error_mgr error; /* the first member: libjpeg has a pointer to it */
    jmp_buf back;
    char *why;
    size_t capacity;
} reading;

static void give_up(j_common_ptr c)
{
    reading *r = (reading *)c->err;
    char text[JMSG_LENGTH_MAX];
    c->err->format_message(c, text);
    snprintf(r->why, r->capacity, "%s", text);
    longjmp(r->back, 1);
}

static void take_message(j_common_ptr c, int level)
{
    if (level < 0) give_up(c);
}

static void print_nothing(j_common_ptr c)
{
    (void)c;
}

/* A small file can have thousands of scans over a large picture, which take minutes; those of cameras and programs have ten or so. */
static void limit_scans(j_common_ptr c)
{
    enum { MAX_SCANS = 200 };
    reading *r = (reading *)c->err;
    if (c->is_decompressor && ((j_decompress_ptr)c)->input_scan_number > MAX_SCANS) {
        snprintf(r->why, r->capacity, "more than %d scans", MAX_SCANS);
        longjmp(r->back, 1);
    }
}

/* Prepares to read a file, up to its header. */
static void begin(struct jpeg_decompress_struct *d, const unsigned char *file, size_t bytes)
{
    static struct jpeg_progress_mgr scans = {.progress_monitor = limit_scans};
    jpeg_create_decompress(d);
    d->progress = &scans;
    jpeg_mem_src(d, file, (unsigned long)bytes);
    jpeg_save_markers(d, JPEG_APP0 + 1, 0xffff);
    jpeg_read_header(d, TRUE);
}

/* As the first segment with one says; 1: upright. */
static int orientation_of(const struct jpeg_decompress_struct *d)
{
    int found = 0;
    for (jpeg_saved_marker_ptr m = d->marker_list; m && !found; m = m->next) found = exif_orientation(m->data, m->data_length);
    return found ? found : 1;
}

static struct jpeg_error_mgr *errors_of(reading *r)
{
    jpeg_std_error(&r->error);
    r->error.error_exit = give_up;
    r->error.emit_message = take_message;
    r->error.output_message = print_nothing;
    return &r->error;
}

static int measure(const unsigned char *file, size_t bytes, vn_picture *to, char *why, size_t capacity)
{
    struct jpeg_decompress_struct d = {0};
    reading r = {.why = why, .capacity = capacity};
    d.err = errors_of(&r);
    if (setjmp(r.back)) return jpeg_destroy_decompress(&d), 1;
    begin(&d, file, bytes);
    const int transposed = exif_transposes(orientation_of(&d));
    to->height = transposed ? d.image_width : d.image_height, to->width = transposed ? d.image_height : d.image_width;
    to->channels = d.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
    jpeg_destroy_decompress(&d);
    return 0;
}

/* ---- sizes: eighths of the full one ---- */

static int64_t eighths(int64_t size, int k)
{
    return (size * k + 7) / 8;
}

static void reduce(vn_picture *p, int64_t height, int64_t width)
{
    int k = 1;
    while (k < 8 && (eighths(p->height, k) < height || eighths(p->width, k) < width)) k++;
    p->height = eighths(p->height, k), p->width = eighths(p->width, k);
}

/* as: the size of the stored picture. */
static int scale_for(struct jpeg_decompress_struct *d, const vn_picture *as)
{
    d->scale_denom = 8;
    for (int k = 1; k <= 8; k++) {
        if (eighths(d->image_height, k) != as->height || eighths(d->image_width, k) != as->width) continue;
        d->scale_num = (unsigned)k;
        return 1;
    }
    return 0;
}

/* ---- pixels ---- */

/* A row of cyan, magenta, yellow and black, which Adobe's files have the other way round. */
static void from_ink(const unsigned char *row, int64_t width, int inverted, int channels, unsigned char *to)
{
    for (int64_t i = 0; i < width; i++, row += 4) {
        int rgb[3];
        for (int c = 0; c < 3; c++) rgb[c] = inverted ? (row[c] * row[3] + 127) / 255 : ((255 - row[c]) * (255 - row[3]) + 127) / 255;
        if (channels == 1) *to++ = (unsigned char)((299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2] + 500) / 1000);
        for (int c = 0; channels == 3 && c < 3; c++) *to++ = (unsigned char)rgb[c];
    }
}

/* Row y of the stored picture to its place in the upright one. */
static void place_row(const unsigned char *row, const vn_picture *stored, int orientation, int64_t y, unsigned char *to)
{
    const int64_t height = stored->height, width = stored->width, channels = stored->channels;
    const int transposed = exif_transposes(orientation);
    if (exif_flips_rows(orientation)) y = height - 1 - y;
    for (int64_t x = 0; x < width; x++, row += channels) {
        const int64_t column = exif_flips_columns(orientation) ? width - 1 - x : x;
        memcpy(to + (transposed ? column * height + y : y * width + column) * channels, row, (size_t)channels);
    }
}

static void read_rows(struct jpeg_decompress_struct *d, const vn_picture *stored, int orientation, unsigned char *to)
{
    const int64_t bytes = stored->width * stored->channels;
    const int ink = d->out_color_space == JCS_CMYK;
    JSAMPARRAY room = ink ? d->mem->alloc_sarray((j_common_ptr)d, JPOOL_IMAGE, d->output_width * 4, 1) : NULL;
    JSAMPARRAY line = orientation > 1 ? d->mem->alloc_sarray((j_common_ptr)d, JPOOL_IMAGE, (JDIMENSION)bytes, 1) : NULL;
    for (int64_t y = 0; y < stored->height; y++) {
        unsigned char *here = line ? line[0] : to + y * bytes;
        JSAMPROW row = ink ? room[0] : here;
        jpeg_read_scanlines(d, &row, 1);
        if (ink) from_ink(row, stored->width, d->saw_Adobe_marker, stored->channels, here);
        if (line) place_row(here, stored, orientation, y, to);
    }
}

static int decode(const unsigned char *file, size_t bytes, const vn_picture *as, unsigned char *to, char *why, size_t capacity)
{
    struct jpeg_decompress_struct d = {0};
    reading r = {.why = why, .capacity = capacity};
    d.err = errors_of(&r);
    if (setjmp(r.back)) return jpeg_destroy_decompress(&d), 1;
    begin(&d, file, bytes);
    const int ink = d.jpeg_color_space == JCS_CMYK || d.jpeg_color_space == JCS_YCCK, orientation = orientation_of(&d);
    vn_picture stored = *as;
    if (exif_transposes(orientation)) stored.height = as->width, stored.width = as->height;
    d.out_color_space = ink ? JCS_CMYK : as->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    int fits = scale_for(&d, &stored);
    if (fits) {
        jpeg_start_decompress(&d);
        fits = d.output_height == stored.height && d.output_width == stored.width && d.output_components == (ink ? 4 : as->channels);
    }
    if (fits) {
        read_rows(&d, &stored, orientation, to);
        jpeg_finish_decompress(&d);
    } else {
        snprintf(why, capacity, "it cannot be decoded to %lld x %lld", (long long)as->height, (long long)as->width);
    }
    jpeg_destroy_decompress(&d);
    return !fits;
}

static const char *version(void)
{
#define TEXT(x) #x
#define TEXT_OF(x) TEXT(x)
    return "libjpeg-turbo " TEXT_OF(LIBJPEG_TURBO_VERSION);
}

__attribute__((visibility("default"))) const vn_decoder *vinea_decoder_main(const vn_host *host)
{
    static const vn_decoder decoder = {VN_DECODER_ABI, sizeof decoder, "jpeg", version, measure, decode, reduce};
    return host->abi == VN_DECODER_ABI ? &decoder : NULL;
}
