/* SPDX-License-Identifier: Apache-2.0 */
/* jpeg.c: the plugin for JPEG images, by libjpeg-turbo. Its errors leave through longjmp, to the function that called it; its warnings (a
 * damaged or truncated file, which it would fill up with gray) are errors here. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jpeglib.h>
#include <vinea/decoder.h>

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
    enum { MOST = 200 };
    reading *r = (reading *)c->err;
    if (c->is_decompressor && ((j_decompress_ptr)c)->input_scan_number > MOST) {
        snprintf(r->why, r->capacity, "more than %d scans", MOST);
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
    jpeg_read_header(d, TRUE);
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
    to->height = d.image_height, to->width = d.image_width;
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

static void read_rows(struct jpeg_decompress_struct *d, const vn_picture *as, unsigned char *to)
{
    const int64_t bytes = as->width * as->channels;
    const int ink = d->out_color_space == JCS_CMYK;
    JSAMPARRAY room = ink ? d->mem->alloc_sarray((j_common_ptr)d, JPOOL_IMAGE, d->output_width * 4, 1) : NULL;
    for (int64_t y = 0; y < as->height; y++, to += bytes) {
        JSAMPROW row = ink ? room[0] : to;
        jpeg_read_scanlines(d, &row, 1);
        if (ink) from_ink(row, as->width, d->saw_Adobe_marker, as->channels, to);
    }
}

static int decode(const unsigned char *file, size_t bytes, const vn_picture *as, unsigned char *to, char *why, size_t capacity)
{
    struct jpeg_decompress_struct d = {0};
    reading r = {.why = why, .capacity = capacity};
    d.err = errors_of(&r);
    if (setjmp(r.back)) return jpeg_destroy_decompress(&d), 1;
    begin(&d, file, bytes);
    const int ink = d.jpeg_color_space == JCS_CMYK || d.jpeg_color_space == JCS_YCCK;
    d.out_color_space = ink ? JCS_CMYK : as->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    int fits = scale_for(&d, as);
    if (fits) {
        jpeg_start_decompress(&d);
        fits = d.output_height == as->height && d.output_width == as->width && d.output_components == (ink ? 4 : as->channels);
    }
    if (fits) {
        read_rows(&d, as, to);
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
