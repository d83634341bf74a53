/* SPDX-License-Identifier: Apache-2.0 */
/* picture.c: a small picture inside a page: a PNG file, not compressed, as a data address. */
#include "train/images.h"
#include "core/memory.h"
#include <string.h>

enum { SIDE = 96 }; /* larger pictures are made smaller */

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
    for (int64_t i = 0; i < n; i++) {
        const float byte = (x[i] - low) / (high - low) * 255 + .5f;
        to[i] = byte >= 0 ? (unsigned char)byte : 0; /* NaN, also that of infinities, is black */
    }
}

int vn__print_picture(vn__text *t, const float *pixels, int64_t height, int64_t width, int channels, const char *who)
{
    const int64_t larger = height > width ? height : width, n = height * width * channels;
    const vn_picture has = {sizeof has, channels, height, width};
    vn_picture as = has;
    if (larger > SIDE) as.height = (height * SIDE + larger - 1) / larger, as.width = (width * SIDE + larger - 1) / larger;
    const size_t size = (size_t)(as.height * as.width * as.channels), file = vn__png_size(&as);
    unsigned char *room = vn__alloc((size_t)n + size + file), *small = room ? room + n : NULL, *png = room ? small + size : NULL;
    if (!room) return vn__no_memory(who);
    to_bytes(pixels, n, room);
    const bool resized = larger <= SIDE || vn__resize(room, &has, small, &as);
    const bool whole = resized && vn__png_write(larger > SIDE ? small : room, &as, png);
    if (whole) {
        vn__print(t, "data:image/png;base64,");
        print_base64(t, png, file);
    }
    vn__free(room);
    return whole ? VN_OK : vn__no_memory(who);
}
