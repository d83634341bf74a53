/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors.c: 8 bytes with the length of a header, the header (JSON: name -> dtype, shape, offsets), then the bytes of all
 * arrays without gaps. https://github.com/huggingface/safetensors describes the format. */
#include "files/files.h"
#include "base/minmax.h"
#include "core/memory.h"
#include "core/state.h"
#include <string.h>
#include <inttypes.h>
#include <stdlib.h>

enum { HEADER_MAX = 100000000, ALIGN = 64 };

static const char *const names[VN_DTYPE_END] = {
    [VN_BOOL] = "BOOL", [VN_I8] = "I8",   [VN_I16] = "I16", [VN_I32] = "I32",   [VN_I64] = "I64", [VN_U8] = "U8",   [VN_U16] = "U16",
    [VN_U32] = "U32",   [VN_U64] = "U64", [VN_F16] = "F16", [VN_BF16] = "BF16", [VN_F32] = "F32", [VN_F64] = "F64", [VN_C64] = "C64"};

/* ---- reading ---- */

typedef struct {
    vn__catalog *catalog;
    vn__json json;
    uint64_t data; /* where the header ends */
} reader;

static int bad_json(const reader *r)
{
    return vn__file_bad(r->catalog->file, 8 + r->json.at, "the header is not valid JSON: %s", r->json.problem);
}

static bool read_shape(vn__json *j, vn_shape *s)
{
    if (!vn__json_expect(j, '[')) return false;
    if (vn__json_take(j, ']')) return true;
    do {
        uint64_t n;
        if (s->rank == VN_MAX_RANK) return vn__json_fails(j, "a shape has more than 32 axes");
        if (!vn__json_count(j, &n)) return false;
        s->dim[s->rank++] = (int64_t)n;
    } while (vn__json_take(j, ','));
    return vn__json_expect(j, ']');
}

static bool read_place(vn__json *j, uint64_t place[2])
{
    return vn__json_expect(j, '[') && vn__json_count(j, &place[0]) && vn__json_expect(j, ',') && vn__json_count(j, &place[1]) &&
           vn__json_expect(j, ']');
}

static int dtype_of(const char *name)
{
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (names[d] && !strcmp(names[d], name)) return d;
    }
    return VN_NO_DTYPE;
}

/* The description of an array, after its name. */
static int read_array(reader *r, const char *name)
{
    enum { DTYPE = 1, SHAPE = 2, PLACE = 4 };
    vn__json *j = &r->json;
    const char *dtype = NULL;
    vn_shape shape = {0};
    uint64_t place[2] = {0, 0}, where = 8 + j->at;
    int seen = 0;
    bool good = vn__json_expect(j, '{');
    while (good) {
        const char *key = vn__json_text(j);
        int which = !key ? 0 : !strcmp(key, "dtype") ? DTYPE : !strcmp(key, "shape") ? SHAPE : !strcmp(key, "data_offsets") ? PLACE : 0;
        if (!key) break;
        if (!which || seen & which)
            return vn__file_bad(r->catalog->file, 8 + j->at, "\"%.80s\" has %s key \"%.80s\"", name, which ? "twice the" : "an unknown",
                                key);
        seen |= which;
        good = vn__json_expect(j, ':') && (which == DTYPE   ? (dtype = vn__json_text(j)) != NULL
                                           : which == SHAPE ? read_shape(j, &shape)
                                                            : read_place(j, place));
        if (!good || !vn__json_take(j, ',')) break;
    }
    if (!vn__json_expect(j, '}')) return bad_json(r);
    if (seen != (DTYPE | SHAPE | PLACE)) return vn__file_bad(r->catalog->file, where, "\"%.80s\" lacks dtype, shape or data_offsets", name);
    int d = dtype_of(dtype);
    if (!d) return vn__file_bad(r->catalog->file, where, "\"%.80s\" has dtype %.40s, which Vinea does not have", name, dtype);
    vn__stored *s = vn__catalog_add(r->catalog);
    if (!s) return vn_status();
    *s = (vn__stored){.name = name, .dtype = d, .shape = shape, .begin = place[0], .stored = place[1] - place[0]};
    if (place[1] < place[0] || !vn__shape_bytes(&shape, d, &s->bytes) || s->bytes != s->stored)
        return vn__file_bad(r->catalog->file, where,
                            "\"%.80s\": shape and dtype do not give the %" PRIu64 " to %" PRIu64 " of data_offsets", name, place[0],
                            place[1]);
    return VN_OK;
}

static int read_notes(reader *r)
{
    vn__json *j = &r->json;
    if (vn__json_word(j, "null")) return VN_OK; /* what MLX writes for none */
    bool good = vn__json_expect(j, '{');
    while (good && !vn__json_is(j, '}')) {
        vn_note n = {.key = vn__json_text(j)};
        good = n.key && vn__json_expect(j, ':') && (n.value = vn__json_text(j));
        vn_note *to = good ? vn__catalog_note(r->catalog) : NULL;
        if (good && !to) return vn_status();
        if (to) *to = n;
        if (!vn__json_take(j, ',')) break;
        if (vn__json_is(j, '}')) vn__json_fails(j, "a string was expected");
    }
    return vn__json_expect(j, '}') ? VN_OK : bad_json(r);
}

static int read_header(reader *r)
{
    vn__json *j = &r->json;
    bool noted = false;
    vn__json_take(j, '{'); /* the caller has seen it */
    if (!vn__json_take(j, '}')) {
        do {
            const char *name = vn__json_text(j);
            if (!name || !vn__json_expect(j, ':')) return bad_json(r);
            bool notes = !strcmp(name, "__metadata__");
            if (notes && noted) return vn__file_bad(r->catalog->file, 8 + j->at, "__metadata__ occurs twice in the header");
            noted |= notes;
            int code = notes ? read_notes(r) : read_array(r, name);
            if (code) return code;
        } while (vn__json_take(j, ','));
        if (!vn__json_expect(j, '}')) return bad_json(r);
    }
    return vn__json_end(j) ? VN_OK : bad_json(r);
}

static int by_place(const void *a, const void *b)
{
    const vn__stored *x = *(vn__stored *const *)a, *y = *(vn__stored *const *)b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->stored > y->stored) - (x->stored < y->stored);
}

/* The arrays must fill the file from the header to its end without overlap. Afterwards `begin` is an offset in the file. */
static int check_places(reader *r)
{
    vn__catalog *x = r->catalog;
    vn__stored **order = vn__scope_memory(((size_t)x->n + 1) * sizeof *order, x->file->who);
    if (!order) return VN_E_MEM;
    for (int i = 0; i < x->n; i++) order[i] = &x->arrays[i];
    qsort(order, (size_t)x->n, sizeof *order, by_place);
    uint64_t at = 0, size = x->file->size - r->data;
    for (int i = 0; i < x->n; i++) {
        vn__stored *s = order[i];
        if (s->begin != at)
            return vn__file_bad(x->file, r->data + vn__min(at, size),
                                "\"%.80s\" begins at %" PRIu64 " of the data and not at %" PRIu64 ": %s", s->name, s->begin, at,
                                s->begin < at ? "arrays overlap" : "there is a gap");
        if (s->stored > size - at)
            return vn__file_bad(x->file, x->file->size, "\"%.80s\" ends at %" PRIu64 " of %" PRIu64 " bytes of data: the file is truncated",
                                s->name, at + s->stored, size);
        s->begin += r->data;
        at += s->stored;
    }
    return at == size ? VN_OK : vn__file_bad(x->file, r->data + at, "%" PRIu64 " bytes at the end belong to no array", size - at);
}

static int check_keys(const vn__catalog *x)
{
    int most = vn__max(x->n, x->n_notes);
    const char **keys = vn__scope_memory(((size_t)most + 1) * sizeof *keys, x->file->who);
    if (!keys) return VN_E_MEM;
    for (int i = 0; i < x->n; i++) keys[i] = x->arrays[i].name;
    int code = vn__no_name_twice(x->file, keys, x->n);
    for (int i = 0; i < x->n_notes; i++) keys[i] = x->notes[i].key;
    return code ? code : vn__no_name_twice(x->file, keys, x->n_notes);
}

int vn__safetensors_read(vn__catalog *x)
{
    const vn__file *f = x->file;
    x->format = "safetensors";
    uint64_t length = f->size < 8 ? 0 : vn__little(f->data, 8);
    if (f->size < 8) return vn__file_bad(f, f->size, "the file is too short for any format that is read here");
    if (length > HEADER_MAX)
        return vn__file_bad(f, 0, "this is not a safetensors file: it would have a header of %" PRIu64 " bytes; at most %d are read",
                            length, (int)HEADER_MAX);
    if (length > f->size - 8) return vn__file_bad(f, 0, "a header of %" PRIu64 " bytes in a file of %zu", length, f->size);
    if (!length || f->data[8] != '{') return vn__file_bad(f, 8, "the header does not begin with '{'");
    reader r = {x, {.text = (const char *)f->data + 8, .size = (size_t)length}, 8 + length};
    r.json.room = vn__scope_memory((size_t)length, f->who);
    int code = r.json.room ? read_header(&r) : VN_E_MEM;
    if (!code) code = check_keys(x);
    return code ? code : check_places(&r);
}

/* ---- writing ---- */

static int by_width(const void *a, const void *b)
{
    const vn__leaf_file *x = *(vn__leaf_file *const *)a, *y = *(vn__leaf_file *const *)b;
    size_t p = vn_dtype_size(vn_dtype_of(x->array)), q = vn_dtype_size(vn_dtype_of(y->array));
    if (p != q) return p > q ? -1 : 1;
    return (x > y) - (x < y);
}

static void print_array(vn__text *t, const vn__leaf_file *a, uint64_t at)
{
    vn_dtype dtype = vn_dtype_of(a->array);
    vn_shape s = vn_shape_of(a->array);
    bool pairs = dtype == VN_C128;
    vn__print_json(t, a->name);
    vn__print(t, ":{\"dtype\":\"%s\",\"shape\":[", names[pairs ? VN_F64 : dtype]);
    for (int i = 0; i < s.rank; i++) vn__print(t, "%s%lld", i ? "," : "", (long long)s.dim[i]);
    if (pairs) vn__print(t, "%s2", s.rank ? "," : "");
    vn__print(t, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", at, at + a->bytes);
}

/* The header preceded by its length; spaces at its end align the data. */
static void print_header(vn__text *t, vn__leaf_file *const *order, int n, const vn_note *notes, int n_notes)
{
    uint64_t at = 0;
    vn__print(t, "{");
    if (n_notes) vn__print(t, "\"__metadata__\":{");
    for (int i = 0; i < n_notes; i++) {
        vn__print_json(t, notes[i].key);
        vn__print(t, ":");
        vn__print_json(t, notes[i].value);
        vn__print(t, i + 1 < n_notes ? "," : n ? "}," : "}");
    }
    for (int i = 0; i < n; i++) {
        print_array(t, order[i], at);
        if (i + 1 < n) vn__print(t, ",");
        at += order[i]->bytes;
    }
    vn__print(t, "}");
    vn__print(t, "%*s", (int)((ALIGN - (t->size + 8) % ALIGN) % ALIGN), "");
}

static int check_names(const vn__writer *w, const vn__leaf_file *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (!vn__is_utf8(a[i].name)) return vn__fail(VN_E_ARG, "%s: the key \"%.80s\" is not UTF-8", w->who, a[i].name);
        if (!strcmp(a[i].name, "__metadata__"))
            return vn__fail(VN_E_ARG, "%s: an array cannot have the name __metadata__ in safetensors", w->who);
        if (vn_dtype_of(a[i].array) == VN_C128 && vn_rank(a[i].array) == VN_MAX_RANK)
            return vn__fail(VN_E_SHAPE, "%s: \"%.80s\" is complex128, which is written with one more axis, and has %d already", w->who,
                            a[i].name, VN_MAX_RANK);
    }
    return VN_OK;
}

int vn__safetensors_write(vn__writer *w, vn__leaf_file *a, int n, const vn_note *notes, int n_notes)
{
    vn__leaf_file **order = vn__scope_memory(((size_t)n + 1) * sizeof *order, w->who);
    int code = order ? check_names(w, a, n) : VN_E_MEM;
    if (code) return code;
    for (int i = 0; i < n; i++) order[i] = &a[i];
    qsort(order, (size_t)n, sizeof *order, by_width); /* wide elements first, so that all are aligned */
    vn__text t = {0};
    print_header(&t, order, n, notes, n_notes);
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)((uint64_t)t.size >> 8 * i);
    if (t.failed) code = vn__no_memory(w->who);
    else if (t.size > HEADER_MAX)
        code = vn__fail(VN_E_STRUCT, "%s: names and notes make a header of more than %d bytes", w->who, (int)HEADER_MAX);
    if (!code) code = vn__write(w, length, sizeof length);
    if (!code) code = vn__write(w, t.text, t.size);
    for (int i = 0; i < n && !code; i++) code = vn__write(w, order[i]->data, order[i]->bytes);
    vn__free(t.text);
    return code;
}
