/* SPDX-License-Identifier: Apache-2.0 */
/* read.c: an image file as pixels. */
#include "image/image.h"
#include "base/base.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BYTES = 1 << 30 }; /* of a file */

__attribute__((format(printf, 3, 4))) static int no(vn__image_error *t, int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->text, sizeof t->text, format, args);
    va_end(args);
    return t->code = code;
}

static int system_says(vn__image_error *t, const char *what)
{
    char text[128];
    return no(t, VN_E_IO, "%s: %s", what, vn__error_text(errno, text, sizeof text));
}

/* ---- the file ---- */

static int read_from(int fd, unsigned char **data, size_t *size, vn__image_error *t)
{
    struct stat st;
    int failed;
    VN__CALL(failed, fstat(fd, &st));
    if (failed) return system_says(t, "cannot access the file");
    if (!S_ISREG(st.st_mode)) return no(t, VN_E_IO, "not a regular file");
    if (!st.st_size) return no(t, VN_E_FORMAT, "the file is empty");
    if (st.st_size > MAX_BYTES) return no(t, VN_E_FORMAT, "the file has %lld bytes, more than any photograph", (long long)st.st_size);
    *size = (size_t)st.st_size;
    *data = vn__block_alloc_outside(*size);
    if (!*data) return no(t, VN_E_MEM, "no memory for the file's %zu bytes", *size);
    for (size_t done = 0; done < *size;) {
        ssize_t n;
        VN__CALL(n, read(fd, *data + done, *size - done));
        if (n < 0) return system_says(t, "cannot read");
        if (!n) return no(t, VN_E_IO, "the file became shorter while it was read");
        done += (size_t)n;
    }
    return VN_OK;
}

/* All bytes of a file, to be freed whatever happens. */
static int read_bytes(const char *path, unsigned char **data, size_t *size, vn__image_error *t)
{
    int fd;
    *data = NULL;
    t->code = VN_OK;
    VN__CALL(fd, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0) return system_says(t, "cannot open");
    read_from(fd, data, size, t);
    close(fd);
    return t->code;
}

/* ---- the image ---- */

static int check_size(const vn_picture *p, vn__image_error *t)
{
    if (p->height > 0 && p->width > 0 && (p->channels == 1 || p->channels == 3) && p->height <= VN__IMAGE_PIXELS / p->width) return VN_OK;
    return no(t, VN_E_FORMAT, "an image of %lld x %lld; at most %d million pixels are decoded", (long long)p->width, (long long)p->height,
              VN__IMAGE_PIXELS / 1000000);
}

static int measure(const unsigned char *data, size_t size, vn__image *to, vn__image_error *t)
{
    char why[500] = "";
    *to = (vn__image){.decoder = vn__decoder_for(data, size, t), .full = {.size = sizeof to->full}};
    if (!to->decoder) return t->code;
    if (to->decoder->measure(data, size, &to->full, why, sizeof why)) return no(t, VN_E_FORMAT, "%s: %s", to->decoder->name, why);
    return check_size(&to->full, t);
}

int vn__image_measure(const char *path, vn__image *to, vn__image_error *t)
{
    unsigned char *data;
    size_t size;
    if (!read_bytes(path, &data, &size, t)) measure(data, size, to, t);
    vn__block_free(data);
    return t->code;
}

static int decode(const vn_decoder *d, const unsigned char *data, size_t size, const vn_picture *as, unsigned char *to, vn__image_error *t)
{
    char why[500] = "";
    if (d->decode(data, size, as, to, why, sizeof why)) return no(t, VN_E_FORMAT, "%s: %s", d->name, why);
    return VN_OK;
}

/* At the smallest size that the decoder has and that is not too small, then resized. */
static int pixels(const unsigned char *data, size_t size, const vn__image *image, const vn_picture *as, unsigned char *to,
                  vn__image_error *t)
{
    const vn_decoder *d = image->decoder;
    vn_picture has = image->full;
    has.channels = as->channels;
    if (d->reduce) d->reduce(&has, as->height, as->width);
    if (has.height == as->height && has.width == as->width) return decode(d, data, size, as, to, t);
    unsigned char *room = vn__block_alloc_outside((size_t)(has.height * has.width * has.channels));
    if (!room) return no(t, VN_E_MEM, "no memory for an image of %lld x %lld", (long long)has.width, (long long)has.height);
    if (!decode(d, data, size, &has, room, t) && !vn__resize(room, &has, to, as)) no(t, VN_E_MEM, "no memory to resize the image");
    vn__block_free(room);
    return t->code;
}

int vn__image_pixels(const char *path, const vn__image *image, const vn_picture *as, unsigned char *to, vn__image_error *t)
{
    unsigned char *data;
    size_t size;
    if (!read_bytes(path, &data, &size, t)) pixels(data, size, image, as, to, t);
    vn__block_free(data);
    return t->code;
}

/* ---- one image as an array ---- */

int vn__image_wanted(int64_t height, int64_t width, int channels, const char *who)
{
    enum { MAX_SIDE = 8192 };
    if (height < 0 || width < 0 || !height != !width || height > MAX_SIDE || width > MAX_SIDE)
        return vn__fail(VN_E_ARG, "%s: option height is %lld, and width %lld; both from 1 to %d, or neither, are needed", who,
                        (long long)height, (long long)width, MAX_SIDE);
    if (channels != 0 && channels != 1 && channels != 3)
        return vn__fail(VN_E_ARG, "%s: option channels is %d; 1 (gray) or 3 (colour) is needed", who, channels);
    return VN_OK;
}

vn_array *vn_read_image(const char *path, const vn_image_opts *opts)
{
    static const char who[] = "read_image";
    vn_image_opts o = {0};
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", who), NULL;
    if (vn__take(&o, VN__SIZE_BEFORE(o, reserved), opts, "image") || vn__image_wanted(o.height, o.width, o.channels, who)) return NULL;
    vn__image_error t;
    vn__image image;
    if (vn__image_measure(path, &image, &t)) return vn__fail((vn_code)t.code, "%s: %.300s: %s", who, path, t.text), NULL;
    vn_picture as = image.full;
    if (o.height) as.height = o.height, as.width = o.width;
    if (o.channels) as.channels = o.channels;
    if (check_size(&as, &t)) return vn__fail((vn_code)t.code, "%s: %.300s: %s", who, path, t.text), NULL;
    unsigned char *to = vn__block_alloc((size_t)(as.height * as.width * as.channels));
    if (!to) return vn__no_memory(who), NULL;
    if (!vn__image_pixels(path, &image, &as, to, &t))
        return vn_wrap(to, VN_U8, VN_SHAPE(as.height, as.width, as.channels), vn__block_free, to);
    vn__block_free(to);
    return vn__fail((vn_code)t.code, "%s: %.300s: %s", who, path, t.text), NULL;
}

int vn_inspect_image(const char *path, vn_image_info *info)
{
    static const char who[] = "inspect_image";
    vn__image_error t;
    vn__image image;
    if (!path) return vn__fail(VN_E_NULL, "%s: the path is NULL", who);
    if (vn__check_info(who, "vn_image_info", info)) return vn_status();
    if (vn__image_measure(path, &image, &t)) return vn__fail((vn_code)t.code, "%s: %.300s: %s", who, path, t.text);
    const vn_image_info found = {sizeof found, image.decoder->name, image.full.height, image.full.width, image.full.channels, 0};
    return VN__GIVE(who, vn_image_info, info, &found);
}
