/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c: NumPy's format for one array: a magic word and version, the length of a header, the header (a Python dictionary with the keys
 * descr, fortran_order and shape), the elements. */
#include "files/files.h"
#include <string.h>
#include <inttypes.h>

enum { ALIGN = 64 };
static const char magic[] = "\x93NUMPY";

static const char codes[VN_DTYPE_END][4] = {
    [VN_BOOL] = "|b1", [VN_I8] = "|i1",  [VN_I16] = "<i2", [VN_I32] = "<i4", [VN_I64] = "<i8", [VN_U8] = "|u1",  [VN_U16] = "<u2",
    [VN_U32] = "<u4",  [VN_U64] = "<u8", [VN_F16] = "<f2", [VN_F32] = "<f4", [VN_F64] = "<f8", [VN_C64] = "<c8", [VN_C128] = "<c1"};

/* ---- reading ---- */

typedef struct {
    const vn__file *file;
    const char *text;
    size_t at, size;
    uint64_t base; /* of the text in the file */
    vn__stored *to;
} reader;

static int bad(const reader *r, const char *what)
{
    return vn__file_bad(r->file, r->base + r->at, "the header is malformed: %s", what);
}

static void skip_blanks(reader *r)
{
    while (r->at < r->size && memchr(" \t\n\r", r->text[r->at], 4)) r->at++;
}

/* Consumes the next character after spaces if it is c. */
static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (r->at == r->size || r->text[r->at] != c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if (r->size - r->at < n || memcmp(r->text + r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

/* A string between ' or ", without escapes. */
static bool take_text(reader *r, char *to, size_t room)
{
    char quote = take(r, '\'') ? '\'' : take(r, '"') ? '"' : 0;
    size_t n = 0;
    while (quote && r->at < r->size && r->text[r->at] != quote && r->text[r->at] != '\\' && n + 1 < room) to[n++] = r->text[r->at++];
    to[n] = 0;
    return quote && r->at < r->size && r->text[r->at++] == quote;
}

static int unknown_dtype(const reader *r, const char *descr)
{
    const char *why = strchr(descr, 'O')   ? "Python objects, which would have to be unpickled, are never read"
                      : strchr(descr, 'V') ? "raw bytes have no dtype (bfloat16 is written so); safetensors files can tell"
                                           : "no dtype of Vinea is like it";
    return vn__file_bad(r->file, r->base + r->at, "the elements are '%s': %s", descr, why);
}

static int read_dtype(reader *r)
{
    char descr[32];
    if (take(r, '[')) return bad(r, "arrays of records are not read");
    if (!take_text(r, descr, sizeof descr)) return bad(r, "descr must be a short text");
    const char *kind = descr + (*descr && strchr("<>|=", *descr) != NULL);
    if (!strcmp(kind, "?")) kind = "b1";
    const bool complex128 = !strcmp(kind, "c16");
    for (int d = 1; d < VN_DTYPE_END; d++) {
        bool same = complex128 ? d == VN_C128 : d != VN_C128 && codes[d][0] && !strcmp(kind, codes[d] + 1);
        if (!same) continue;
        r->to->dtype = d;
        r->to->swapped = *descr == '>' && vn_dtype_size((vn_dtype)d) > 1;
        return VN_OK;
    }
    return unknown_dtype(r, descr);
}

static int read_shape(reader *r)
{
    vn_shape *s = &r->to->shape;
    s->rank = 0;
    if (!take(r, '(')) return bad(r, "shape must be a tuple");
    while (!take(r, ')')) {
        int64_t n = 0;
        size_t begin = r->at;
        if (s->rank == VN_MAX_RANK) return bad(r, "shape has more than 32 axes");
        for (; r->at < r->size && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++) {
            if (n > (INT64_MAX - 9) / 10) return bad(r, "a size is too large");
            n = n * 10 + (r->text[r->at] - '0');
        }
        if (r->at == begin) return bad(r, "shape must have whole numbers, 0 or more");
        s->dim[s->rank++] = n;
        bool comma = take(r, ','), last = take(r, ')');
        if (last && (comma || s->rank > 1)) break;
        if (!comma) return bad(r, "',' or ')' was expected in shape");
    }
    return VN_OK;
}

static int read_entry(reader *r, int *seen)
{
    enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
    char key[32];
    if (!take_text(r, key, sizeof key) || !take(r, ':')) return bad(r, "a key and ':' were expected");
    int which = !strcmp(key, "descr") ? DESCR : !strcmp(key, "fortran_order") ? ORDER : !strcmp(key, "shape") ? SHAPE : 0;
    if (!which || *seen & which) return bad(r, which ? "a key occurs twice" : "an unknown key");
    *seen |= which;
    if (which == DESCR) return read_dtype(r);
    if (which == SHAPE) return read_shape(r);
    r->to->fortran = take_word(r, "True");
    return r->to->fortran || take_word(r, "False") ? VN_OK : bad(r, "fortran_order must be True or False");
}

static int read_dictionary(reader *r)
{
    int seen = 0;
    if (!take(r, '{')) return bad(r, "'{' was expected");
    while (!take(r, '}')) {
        const int code = read_entry(r, &seen);
        if (code) return code;
        if (take(r, ',')) continue;
        if (!take(r, '}')) return bad(r, "',' or '}' was expected");
        break;
    }
    if (seen != 7) return bad(r, "descr, fortran_order or shape is missing");
    skip_blanks(r);
    return r->at == r->size ? VN_OK : bad(r, "there is more text after the end");
}

int vn__npy_header(const vn__file *f, const unsigned char *data, uint64_t have, uint64_t at, vn__stored *s)
{
    if (have < 10 || memcmp(data, magic, 6) != 0) return vn__file_bad(f, at, "not an npy file");
    int version = data[6], wide = version == 1 ? 2 : 4;
    if (version < 1 || version > 3 || data[7]) return vn__file_bad(f, at + 6, "version %d.%d; 1.0, 2.0 and 3.0 are read", version, data[7]);
    if (have < 8 + (uint64_t)wide) return vn__file_bad(f, at + have, "the header is truncated");
    uint64_t length = vn__little(data + 8, wide), begin = 8 + (uint64_t)wide;
    if (length > VN__NPY_HEADER)
        return vn__file_bad(f, at + 8, "a header of %" PRIu64 " bytes; at most %d are read", length, (int)VN__NPY_HEADER);
    if (length > have - begin) return vn__file_bad(f, at + 8, "a header of %" PRIu64 " bytes is truncated", length);
    reader r = {f, (const char *)data + begin, 0, (size_t)length, at + begin, s};
    int code = read_dictionary(&r);
    if (code) return code;
    if (!vn__shape_bytes(&s->shape, s->dtype, &s->bytes)) return vn__file_bad(f, at + begin, "the shape is too large");
    s->head = begin + length;
    return VN_OK;
}

int vn__npy_read(vn__catalog *x)
{
    const vn__file *f = x->file;
    x->format = "npy";
    vn__stored *s = vn__catalog_add(x);
    if (!s) return vn_status();
    s->name = "x";
    int code = vn__npy_header(f, f->data, f->size, 0, s);
    if (code) return code;
    s->begin = s->head;
    s->stored = f->size - s->head;
    if (s->stored == s->bytes) return VN_OK;
    return vn__file_bad(f, s->begin, "%" PRIu64 " bytes of elements where shape and dtype need %" PRIu64, s->stored, s->bytes);
}

/* ---- writing ---- */

size_t vn__npy_print(const vn_array *x, char to[static 512])
{
    vn_shape s = vn_shape_of(x);
    vn_dtype dtype = vn_dtype_of(x);
    size_t n = 10;
    memcpy(to, "\x93NUMPY\1\0", 8);
    n += (size_t)snprintf(to + n, 512 - n, "{'descr': '%s%s', 'fortran_order': False, 'shape': (", codes[dtype],
                          dtype == VN_C128 ? "6" : "");
    for (int i = 0; i < s.rank; i++) n += (size_t)snprintf(to + n, 512 - n, "%s%lld", i ? ", " : "", (long long)s.dim[i]);
    n += (size_t)snprintf(to + n, 512 - n, "%s), }", s.rank == 1 ? "," : "");
    while ((n + 1) % ALIGN) to[n++] = ' ';
    to[n++] = '\n';
    to[8] = (char)((n - 10) & 255);
    to[9] = (char)((n - 10) >> 8);
    return n;
}

int vn__npy_write(vn__writer *w, const vn__leaf_file *a)
{
    char head[512];
    int code = vn__write(w, head, vn__npy_print(a->array, head));
    return code ? code : vn__write(w, a->data, a->bytes);
}
