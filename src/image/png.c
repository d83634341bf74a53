/* SPDX-License-Identifier: Apache-2.0 */
/* png.c: pixels as a PNG file that is not compressed, in memory; and vn_write_image, which writes an array as one. Reading is the plugins'
 * (decoders.c). */
#include "image/image.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include "files/files.h"
#include <string.h>

enum { STORED = 65535 }; /* bytes of a deflate block that is stored as it is, at most */

static size_t row_size(const vn_picture *p)
{
    return (size_t)p->width * (size_t)p->channels + 1; /* with the number of its filter, 0: none */
}
static size_t blocks_of(size_t bytes)
{
    return (bytes + STORED - 1) / STORED;
}

size_t vn__png_size(const vn_picture *p)
{
    const size_t row = row_size(p);
    return 8 + 25 + 12 + 12 + 2 + 4 + (size_t)p->height * (row + 5 * blocks_of(row));
}

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

/* Adler's sum goes on over n bytes. */
static void add_sum(uint32_t sum[static 2], const unsigned char *data, size_t n)
{
    while (n) {
        size_t now = n < 5552 ? n : 5552; /* so many fit without overflow */
        for (n -= now; now; now--) sum[0] += *data++, sum[1] += sum[0];
        sum[0] %= 65521, sum[1] %= 65521;
    }
}

/* Bytes as stored blocks; the last one of all is marked. */
static unsigned char *put_stored(unsigned char *to, const unsigned char *data, size_t n, bool last)
{
    while (n) {
        const size_t now = n < STORED ? n : STORED;
        n -= now;
        const unsigned char head[5] = {last && !n, now & 255, (unsigned char)(now >> 8), ~now & 255, (unsigned char)(~now >> 8 & 255)};
        memcpy(to, head, sizeof head);
        memcpy(to + sizeof head, data, now);
        to += sizeof head + now, data += now;
    }
    return to;
}

/* Rows, each behind its filter's number: `row` has room for one. */
static unsigned char *put_rows(unsigned char *to, const unsigned char *pixels, const vn_picture *p, unsigned char *row)
{
    const size_t size = row_size(p);
    uint32_t sum[2] = {1, 0};
    *to++ = 0x78, *to++ = 0x01;
    for (int64_t y = 0; y < p->height; y++) {
        row[0] = 0;
        memcpy(row + 1, pixels + (size_t)y * (size - 1), size - 1);
        add_sum(sum, row, size);
        to = put_stored(to, row, size, y + 1 == p->height);
    }
    return put_big(to, sum[1] << 16 | sum[0]);
}

bool vn__png_write(const unsigned char *pixels, const vn_picture *p, unsigned char *to)
{
    static const unsigned char sign[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, colour[5] = {0, 0, 4, 2, 6};
    unsigned char *at = to + sizeof sign, *row = vn__alloc(row_size(p));
    if (!row) return false;
    memcpy(to, sign, sizeof sign);
    put_big(put_big(at + 8, (uint32_t)p->width), (uint32_t)p->height);
    memcpy(at + 16, (const unsigned char[]){8, colour[p->channels], 0, 0, 0}, 5);
    at = end_chunk(at + 8, at + 21, "IHDR");
    at = end_chunk(at + 8, put_rows(at + 8, pixels, p, row), "IDAT");
    end_chunk(at + 8, at + 8, "IEND");
    vn__free(row);
    return true;
}

/* ---- vn_write_image ---- */

/* Floats from 0 to 1 as bytes, larger and smaller ones at the ends; bytes as they are. */
static vn_array *as_bytes(vn_array *x, const char *who)
{
    const int dtype = vn_dtype_of(x);
    if (dtype == VN_U8) return x;
    if (dtype == VN_BOOL) return vn_mul(vn_cast(x, VN_U8), vn_scalar_int(255));
    if (!vn__is(dtype, VN_FLOATS))
        return vn__fail(VN_E_DTYPE, "%s: x is %s; uint8, bool or floats from 0 to 1 are pixels", who, vn_dtype_name(dtype)), NULL;
    vn_array *missing = vn_any(vn_isnan(x), VN_ALL);
    if (!missing || vn_eval(1, &missing)) return NULL;
    if (vn_item_int(missing)) return vn__fail(VN_E_ARG, "%s: x has NaN, which is no pixel", who), NULL;
    x = vn_clip(vn_cast(x, VN_F32), vn_scalar(0), vn_scalar(1));
    return vn_cast(vn_floor(vn_add(vn_mul(x, vn_scalar(255)), vn_scalar(.5))), VN_U8);
}

static int form_of(vn_array *x, vn_picture *to, const char *who)
{
    char shape[128];
    const vn_shape s = vn_shape_of(x);
    const int64_t channels = s.rank == 3 ? s.dim[2] : 1;
    *to = (vn_picture){sizeof *to, (int32_t)(channels > 4 ? 0 : channels), s.rank > 1 ? s.dim[0] : 0, s.rank > 1 ? s.dim[1] : 0};
    if ((s.rank != 2 && s.rank != 3) || to->channels < 1 || to->height < 1 || to->width < 1)
        return vn__fail(VN_E_SHAPE, "%s: x has shape %s; (height, width) or (height, width, channels) with 1 to 4 channels is needed", who,
                        vn__shape_text(s.rank, s.dim, shape));
    if (to->height > VN__IMAGE_PIXELS / to->width)
        return vn__fail(VN_E_SHAPE, "%s: %lld x %lld pixels; %d are allowed", who, (long long)to->height, (long long)to->width,
                        VN__IMAGE_PIXELS);
    return VN_OK;
}

int vn_write_image(const char *path, vn_array *x)
{
    static const char who[] = "write_image";
    vn_picture p;
    if (!vn__check(x, VN__ARRAY, who, "x")) return vn_status();
    if (!path) return vn__fail(VN_E_NULL, "%s: path is NULL", who);
    const size_t n = strlen(path);
    if (n < 5 || strcmp(path + n - 4, ".png") != 0)
        return vn__fail(VN_E_ARG, "%s: %.300s: images are written as PNG; the name ends in .png", who, path);
    if (form_of(x, &p, who)) return vn_status();
    VN_SCOPE;
    x = as_bytes(x, who);
    const unsigned char *pixels = x ? vn_data(x) : NULL;
    if (!pixels) return vn_status();
    const size_t size = vn__png_size(&p);
    unsigned char *file = vn__alloc(size);
    int code = file && vn__png_write(pixels, &p, file) ? VN_OK : vn__no_memory(who);
    if (!code) code = vn__write_whole(path, file, size, who);
    vn__free(file);
    return code;
}
