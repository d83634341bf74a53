/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.c: vn_from_arrow: columns of Arrow libraries through Arrow's C data interface. Arrays alias its memory; the struct that owns it is
 * released with the last of them. The two structs below are the interface's. */
#include "files/files.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/state.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *self);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *self);
    void *private_data;
};

static const char who[] = "from_arrow";

/* The moved struct: it is released with the last reference, possibly on another thread. */
typedef struct {
    _Atomic uint32_t refs;
    struct ArrowArray array;
} owner;

static void release_owner(void *user)
{
    owner *o = user;
    if (atomic_fetch_sub(&o->refs, 1) != 1) return;
    o->array.release(&o->array);
    vn__free(o);
}

/* ---- one column ---- */

typedef struct {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    const char *name;    /* for messages */
    int64_t first, rows; /* of the array, without its own offset */
    int64_t inner;       /* of a fixed-size list; 0: no list */
} column;

static int bad(const column *c, int code, const char *what)
{
    return vn__fail(code, "%s: column \"%.60s\": %s", who, c->name, what);
}

static int dtype_of(const char *format)
{
    static const struct {
        char letter;
        int dtype;
    } all[] = {{'b', VN_BOOL}, {'c', VN_I8},  {'C', VN_U8},  {'s', VN_I16}, {'S', VN_U16}, {'i', VN_I32},
               {'I', VN_U32},  {'l', VN_I64}, {'L', VN_U64}, {'e', VN_F16}, {'f', VN_F32}, {'g', VN_F64}};
    for (size_t i = 0; i < sizeof all / sizeof *all && format[0] && !format[1]; i++)
        if (all[i].letter == format[0]) return all[i].dtype;
    return -1;
}

/* Counts and pointers of an array with this many buffers and children. */
static int check_array(const column *c, int64_t buffers, int64_t children)
{
    const struct ArrowArray *a = c->array;
    int64_t end;
    if (!a || !c->schema || !c->schema->format) return bad(c, VN_E_NULL, "its schema or array is NULL");
    if (a->length < 0 || a->offset < 0 || a->null_count < -1) return bad(c, VN_E_ARG, "a length, an offset or a null count below 0");
    if (a->n_buffers != buffers || (buffers && !a->buffers)) return bad(c, VN_E_ARG, "another number of buffers than its format has");
    if (a->n_children != children || c->schema->n_children != children || (children && (!a->children || !c->schema->children)))
        return bad(c, VN_E_ARG, "another number of children than its format has");
    if (__builtin_add_overflow(c->first, c->rows, &end) || end > a->length || __builtin_add_overflow(end, a->offset, &end))
        return bad(c, VN_E_ARG, "fewer rows than the record batch");
    return VN_OK;
}

static bool bit_at(const unsigned char *bits, int64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

/* The first null among the rows; -1: there is none. */
static int64_t first_null(const column *c)
{
    const unsigned char *bits = c->array->null_count ? c->array->buffers[0] : NULL;
    for (int64_t i = 0; bits && i < c->rows; i++)
        if (!bit_at(bits, c->array->offset + c->first + i)) return i;
    return -1;
}

static int refuse_format(const column *c)
{
    const char *f = c->schema->format, *hint = "only integers, floats, booleans and fixed-size lists of them are read";
    if (!strcmp(f, "u") || !strcmp(f, "U") || !strcmp(f, "vu"))
        hint = "text: encode it as a dictionary (in pyarrow: dictionary_encode), or leave it out";
    else if (f[0] == 't') hint = "dates and times: cast them to integers, or leave them out";
    else if (f[0] == 'd') hint = "decimal numbers: cast them to float64";
    else if (!strcmp(f, "n")) hint = "every value is null";
    char text[200];
    snprintf(text, sizeof text, "its format is \"%.20s\": %s", f, hint);
    return bad(c, VN_E_DTYPE, text);
}

/* A copy: of bits, of numbers that are not aligned, of floats with NaN in place of nulls. */
static vn_array *copied(const column *c, int dtype, vn_shape shape, int64_t first, int64_t n, const unsigned char *nulls)
{
    const size_t item = vn_dtype_size((vn_dtype)dtype);
    unsigned char *to = vn__block_alloc((size_t)n * item + 1);
    if (!to) return vn__no_memory(who), NULL;
    const unsigned char *from = c->array->buffers[1];
    if (dtype == VN_BOOL) {
        for (int64_t i = 0; i < n; i++) to[i] = bit_at(from, first + i);
    } else {
        memcpy(to, from + (size_t)first * item, (size_t)n * item);
        for (int64_t i = 0; nulls && i < n; i++)
            if (!bit_at(nulls, first + i)) vn__put_double(to, i, dtype, NAN);
    }
    return vn_wrap(to, (vn_dtype)dtype, shape, vn__block_free, to);
}

/* The numbers of a column, or of the list in it: n of them, beginning at `first`. */
static vn_array *numbers_of(const column *c, vn_shape shape, owner *o)
{
    const int dtype = dtype_of(c->schema->format);
    if (dtype < 0) return refuse_format(c), NULL;
    if (check_array(c, 2, 0)) return NULL;
    const int64_t n = c->rows, first = c->array->offset + c->first, null = first_null(c);
    const size_t item = vn_dtype_size((vn_dtype)dtype);
    uint64_t bytes;
    if (!vn__shape_bytes(&shape, dtype, &bytes) || first > INT64_MAX / 16 || n > INT64_MAX / 16 - first)
        return bad(c, VN_E_SHAPE, "too many rows"), NULL;
    if (!n) return vn_zeros(shape, (vn_dtype)dtype);
    const unsigned char *data = c->array->buffers[1];
    if (!data) return bad(c, VN_E_NULL, "its values are NULL"), NULL;
    if (null >= 0 && !vn__is(dtype, VN_FLOATS)) {
        char text[120];
        snprintf(text, sizeof text, "a null in row %lld; fill nulls first, or cast the column to float64, where they are NaN",
                 (long long)null);
        return bad(c, VN_E_ARG, text), NULL;
    }
    if (dtype == VN_BOOL || null >= 0 || (uintptr_t)data % item)
        return copied(c, dtype, shape, first, n, null >= 0 ? c->array->buffers[0] : NULL);
    atomic_fetch_add(&o->refs, 1);
    return vn_wrap(data + (size_t)first * item, (vn_dtype)dtype, shape, release_owner, o);
}

static vn_array *list_of(const column *c, owner *o)
{
    char *end;
    const long long n = strtoll(c->schema->format + 3, &end, 10);
    if (*end || n < 1 || n > INT32_MAX) return bad(c, VN_E_ARG, "a fixed-size list without a size"), NULL;
    if (check_array(c, 1, 1)) return NULL;
    if (first_null(c) >= 0) return bad(c, VN_E_ARG, "a list that is null"), NULL;
    column inner = {.schema = c->schema->children[0], .array = c->array->children[0], .name = c->name};
    if (!inner.schema || !inner.array || !inner.schema->format) return bad(c, VN_E_NULL, "a list without values"), NULL;
    if (__builtin_mul_overflow(c->array->offset + c->first, (int64_t)n, &inner.first) ||
        __builtin_mul_overflow(c->rows, (int64_t)n, &inner.rows))
        return bad(c, VN_E_SHAPE, "too many rows"), NULL;
    return numbers_of(&inner, VN_SHAPE(c->rows, (int64_t)n), o);
}

static vn_array *array_of(const column *c, owner *o)
{
    if (!c->schema || !c->schema->format || !c->array) return bad(c, VN_E_NULL, "its schema or array is NULL"), NULL;
    return strncmp(c->schema->format, "+w:", 3) != 0 ? numbers_of(c, VN_SHAPE(c->rows), o) : list_of(c, o);
}

/* ---- a record batch ---- */

/* The name as a key: '/' and '.' separate keys, so they become '_'. */
static int put_column(vn_tree *t, const column *c, int64_t i, vn_array *x)
{
    char key[1025];
    if (!x) return vn_status();
    if (strlen(c->name) >= sizeof key) return bad(c, VN_E_ARG, "the name is too long");
    snprintf(key, sizeof key, "%s", c->name);
    if (!*key) snprintf(key, sizeof key, "column %lld", (long long)i + 1);
    if (!vn__is_utf8(key)) return bad(c, VN_E_ARG, "the name is not UTF-8");
    for (char *at = key; *at; at++)
        if (*at == '/' || *at == '.') *at = '_';
    if (vn_tree_has(t, key)) return bad(c, VN_E_ARG, "the name occurs twice");
    return vn_tree_set(t, key, x);
}

static int take_columns(const struct ArrowSchema *schema, owner *o, vn_tree *t)
{
    const struct ArrowArray *a = &o->array;
    column all = {.schema = schema, .array = a, .name = "the record batch", .rows = a->length};
    if (strcmp(schema->format, "+s") != 0) {
        all.name = "x";
        vn_array *x = array_of(&all, o);
        return x ? vn_tree_set(t, "x", x) : (int)vn_status();
    }
    if (a->n_children < 0 || a->n_children > VN__FILE_ENTRIES) return bad(&all, VN_E_ARG, "too many columns");
    int code = check_array(&all, 1, a->n_children);
    if (!code && first_null(&all) >= 0) code = bad(&all, VN_E_ARG, "a row that is null");
    for (int64_t i = 0; i < a->n_children && !code; i++) {
        const struct ArrowSchema *s = schema->children[i];
        const column c = {.schema = s, .array = a->children[i], .name = s && s->name ? s->name : "", .first = a->offset, .rows = a->length};
        code = put_column(t, &c, i, array_of(&c, o));
    }
    return code;
}

vn_tree *vn_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array)
{
    owner *o = NULL;
    int code = VN_OK;
    if (!schema || !array) code = vn__fail(VN_E_NULL, "%s: %s is NULL", who, schema ? "array" : "schema");
    else if (!schema->release || !array->release)
        code = vn__fail(VN_E_FREED, "%s: %s was released or moved", who, schema->release ? "array" : "schema");
    else if (!schema->format) code = vn__fail(VN_E_NULL, "%s: the schema has no format", who);
    else if (!(o = vn__calloc(sizeof *o))) code = vn__no_memory(who);
    vn_tree *t = NULL;
    if (!code) {
        o->array = *array;
        array->release = NULL;
        atomic_store(&o->refs, 1);
        vn_scope scope = vn_scope_begin();
        vn_tree *all = scope < 0 ? NULL : vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
        code = all ? take_columns(schema, o, all) : (int)vn_status();
        if (scope >= 0) t = code ? (vn_scope_end(scope), NULL) : vn__tree_out(scope, all, who);
        release_owner(o);
    } else if (array && array->release) {
        array->release(array);
    }
    if (schema && schema->release) schema->release(schema);
    return t;
}
