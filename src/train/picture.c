/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c: a small picture inside a page: a PNG file, not compressed, as a data address. */
#include "train/images.h"
#include "core/memory.h"
#include <string.h>

enum { SIDE = 96 }; /* larger pictures are made smaller */

/* ---- PNG ---- */

static unsigned char *put_big(unsigned char *to, uint32_t x)
{
    for (int i = 0; i < 4; i++) *to++ = (unsigned char)(x >> (24 - 8 * i));
    return to;
}

/* A chunk whose data begins at `begin`, 8 bytes behind its own beginning, and ends at `end`. Returns what follows it. */
static unsigned char *end_chunk(unsigned char *begin, unsigned char *end, const char *name)
{
    put_big(begin - 8, (uint32_t)(end - begin));
    memcpy(begin - 4, name, 4);
    return put_big(end, vn__crc32(0, begin - 4, (size_t)(end - begin) + 4));
}

/* Deflate's blocks that are stored as they are, one for each row, then Adler's sum. */
static unsigned char *put_rows(unsigned char *to, const unsigned char *pixels, const vn_picture *p)
{
    const size_t row = (size_t)(p->width * p->channels), size = row + 1; /* below 65,536 */
    uint32_t a = 1, b = 0;
    *to++ = 0x78, *to++ = 0x01;
    for (int64_t y = 0; y < p->height; y++, to += row) {
        const unsigned char head[6] = {
            y + 1 == p->height, size & 255, (unsigned char)(size >> 8), ~size & 255, (unsigned char)(~size >> 8 & 255), 0};
        memcpy(to, head, sizeof head); /* the last byte: the row is as it is */
        memcpy(to += sizeof head, pixels + (size_t)y * row, row);
        b = (b + a) % 65521;
        for (size_t i = 0; i < row; i++) a = (a + to[i]) % 65521, b = (b + a) % 65521;
    }
    return put_big(to, b << 16 | a);
}

/* Returns its size; `to` has room for it. */
static size_t write_png(const unsigned char *pixels, const vn_picture *p, unsigned char *to)
{
    static const unsigned char sign[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    unsigned char *at = to + sizeof sign;
    memcpy(to, sign, sizeof sign);
    put_big(put_big(at + 8, (uint32_t)p->width), (uint32_t)p->height);
    memcpy(at + 16, (const unsigned char[]){8, p->channels == 1 ? 0 : 2, 0, 0, 0}, 5);
    at = end_chunk(at + 8, at + 21, "IHDR");
    at = end_chunk(at + 8, put_rows(at + 8, pixels, p), "IDAT");
    return (size_t)(end_chunk(at + 8, at + 8, "IEND") - to);
}

/* ---- the address ---- */

static void print_base64(vn__text *t, const unsigned char *data, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        const uint32_t x = (uint32_t)data[i] << 16 | (uint32_t)(i + 1 < n ? data[i + 1] : 0) << 8 | (i + 2 < n ? data[i + 2] : 0);
        vn__print(t, "%c%c%c%c", digits[x >> 18], digits[x >> 12 & 63], i + 1 < n ? digits[x >> 6 & 63] : '=',
                  i + 2 < n ? digits[x & 63] : '=');
    }
}

/* Numbers to bytes: 0 to 1 as they are, 0 to 255 too, others from their smallest to their largest. */
static void to_bytes(const float *x, int64_t n, unsigned char *to)
{
    float low = 0, high = 1;
    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    if (low >= 0 && high > 1 && high <= 255) high = 255;
    for (int64_t i = 0; i < n; i++) to[i] = (unsigned char)((x[i] - low) / (high - low) * 255 + .5f); /* NaN is some byte */
}

int vn__print_picture(vn__text *t, const float *pixels, int64_t height, int64_t width, int channels, const char *who)
{
    const int64_t larger = height > width ? height : width, n = height * width * channels;
    const vn_picture has = {sizeof has, channels, height, width};
    vn_picture as = has;
    if (larger > SIDE) as.height = (height * SIDE + larger - 1) / larger, as.width = (width * SIDE + larger - 1) / larger;
    const size_t size = (size_t)(as.height * as.width * as.channels), file = size + (size_t)as.height * 6 + 100;
    unsigned char *room = vn__alloc((size_t)n + size + file), *small = room ? room + n : NULL, *png = room ? small + size : NULL;
    if (!room) return vn__no_memory(who);
    to_bytes(pixels, n, room);
    const bool resized = larger <= SIDE || vn__resize(room, &has, small, &as);
    if (resized) {
        vn__print(t, "data:image/png;base64,");
        print_base64(t, png, write_png(larger > SIDE ? small : room, &as, png));
    }
    vn__free(room);
    return resized ? VN_OK : vn__no_memory(who);
}
