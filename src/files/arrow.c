/* SPDX-License-Identifier: Apache-2.0 */
/* arrow.c: vn_from_arrow: columns of Arrow libraries through Arrow's C data interface. Arrays alias its memory; the struct that owns it is
 * released with the last of them. */
#include "files/arrow.h"
#include "core/dtype.h"
#include "core/memory.h"
#include "core/options.h"
#include "core/state.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

static const char who[] = VN__FROM_ARROW;

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

int vn__arrow_bad(const vn__arrow *c, int code, const char *what)
{
    return vn__fail((vn_code)code, "%s: column \"%.60s\": %s", who, c->name, what);
}

int vn__arrow_dtype(const char *format)
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

int vn__arrow_check(const vn__arrow *c, int64_t buffers, int64_t children)
{
    const struct ArrowArray *a = c->array;
    int64_t end;
    if (a->length < 0 || a->offset < 0 || a->null_count < -1)
        return vn__arrow_bad(c, VN_E_ARG, "a length, an offset or a null count below 0");
    if (a->n_buffers != buffers || !a->buffers) return vn__arrow_bad(c, VN_E_ARG, "another number of buffers than its format has");
    if (a->n_children != children || c->schema->n_children != children || (children && (!a->children || !c->schema->children)))
        return vn__arrow_bad(c, VN_E_ARG, "another number of children than its format has");
    if (__builtin_add_overflow(c->first, c->rows, &end) || end > a->length || __builtin_add_overflow(end, a->offset, &end))
        return vn__arrow_bad(c, VN_E_ARG, "fewer rows than the record batch");
    return VN_OK;
}

bool vn__arrow_bit(const unsigned char *bits, int64_t i)
{
    return bits[i / 8] >> (i % 8) & 1;
}

bool vn__arrow_is_null(const vn__arrow *c, int64_t row)
{
    const unsigned char *bits = c->array->null_count ? c->array->buffers[0] : NULL;
    return bits && !vn__arrow_bit(bits, c->array->offset + c->first + row);
}

int64_t vn__arrow_null(const vn__arrow *c)
{
    if (!c->array->null_count || !c->array->buffers[0]) return -1;
    for (int64_t i = 0; i < c->rows; i++)
        if (vn__arrow_is_null(c, i)) return i;
    return -1;
}

int vn__arrow_refuse(const vn__arrow *c, int64_t null)
{
    const char *f = c->schema->format, *hint = "only text, integers, floats, booleans and fixed-size lists of numbers are read";
    char text[200];
    if (null >= 0) {
        snprintf(text, sizeof text,
                 "a null in row %lld; fill nulls first, take the columns as a table, or cast numbers to float64, where they are NaN",
                 (long long)null);
        return vn__arrow_bad(c, VN_E_ARG, text);
    }
    if (f[0] == 't') hint = "dates and times: cast them to integers, or leave them out";
    else if (f[0] == 'd') hint = "decimal numbers: cast them to float64";
    else if (!strcmp(f, "n")) hint = "every value is null";
    snprintf(text, sizeof text, "its format is \"%.20s\": %s", f, hint);
    return vn__arrow_bad(c, VN_E_DTYPE, text);
}

int vn__arrow_numeric(const vn__arrow *c)
{
    const int dtype = vn__arrow_dtype(c->schema->format);
    if (dtype < 0) return vn__arrow_refuse(c, -1), -1;
    if (!c->schema->dictionary) return dtype;
    return vn__arrow_bad(c, VN_E_DTYPE, "a dictionary of something else than text; decode it first (in pyarrow: dictionary_decode)"), -1;
}

int vn__arrow_name(const vn__arrow *c, int64_t i, char to[static 1025])
{
    if (strlen(c->name) > 1024) return vn__arrow_bad(c, VN_E_ARG, "the name is too long");
    if (!vn__is_utf8(c->name)) return vn__arrow_bad(c, VN_E_ARG, "the name is not UTF-8");
    snprintf(to, 1025, "%s", c->name);
    if (!*to) snprintf(to, 1025, "column %lld", (long long)i + 1);
    return VN_OK;
}

/* A copy: of bits, of numbers that are not aligned, of floats with NaN in place of nulls. */
static vn_array *copied(const vn__arrow *c, int dtype, vn_shape shape, int64_t first, int64_t n, const unsigned char *nulls)
{
    const size_t item = vn_dtype_size((vn_dtype)dtype);
    unsigned char *to = vn__block_alloc((size_t)n * item + 1);
    if (!to) return vn__no_memory(who), NULL;
    const unsigned char *from = c->array->buffers[1];
    if (dtype == VN_BOOL) {
        for (int64_t i = 0; i < n; i++) to[i] = vn__arrow_bit(from, first + i);
    } else {
        memcpy(to, from + (size_t)first * item, (size_t)n * item);
        for (int64_t i = 0; nulls && i < n; i++)
            if (!vn__arrow_bit(nulls, first + i)) vn__put_double(to, i, dtype, NAN);
    }
    return vn_wrap(to, (vn_dtype)dtype, shape, vn__block_free, to);
}

/* The numbers of a column, or of the list in it: n of them, beginning at `first`. */
static vn_array *numbers_of(const vn__arrow *c, vn_shape shape, owner *o)
{
    const int dtype = vn__arrow_numeric(c);
    if (dtype < 0 || vn__arrow_check(c, 2, 0)) return NULL;
    const int64_t n = c->rows, first = c->array->offset + c->first, null = vn__arrow_null(c);
    const size_t item = vn_dtype_size((vn_dtype)dtype);
    uint64_t bytes;
    if (!vn__shape_bytes(&shape, dtype, &bytes) || first > INT64_MAX / 16 || n > INT64_MAX / 16 - first)
        return vn__arrow_bad(c, VN_E_SHAPE, "too many rows"), NULL;
    if (!n) return vn_zeros(shape, (vn_dtype)dtype);
    const unsigned char *data = c->array->buffers[1];
    if (!data) return vn__arrow_bad(c, VN_E_NULL, "its values are NULL"), NULL;
    if (null >= 0 && !vn__is(dtype, VN_FLOATS)) return vn__arrow_refuse(c, null), NULL;
    if (dtype == VN_BOOL || null >= 0 || (uintptr_t)data % item)
        return copied(c, dtype, shape, first, n, null >= 0 ? c->array->buffers[0] : NULL);
    atomic_fetch_add(&o->refs, 1);
    return vn_wrap(data + (size_t)first * item, (vn_dtype)dtype, shape, release_owner, o);
}

static vn_array *list_of(const vn__arrow *c, owner *o)
{
    char *end;
    const long long n = strtoll(c->schema->format + 3, &end, 10);
    if (*end || n < 1 || n > INT32_MAX) return vn__arrow_bad(c, VN_E_ARG, "a fixed-size list without a size"), NULL;
    if (vn__arrow_check(c, 1, 1)) return NULL;
    if (vn__arrow_null(c) >= 0) return vn__arrow_bad(c, VN_E_ARG, "a list that is null"), NULL;
    vn__arrow inner = {.schema = c->schema->children[0], .array = c->array->children[0], .name = c->name};
    if (!inner.schema || !inner.array || !inner.schema->format) return vn__arrow_bad(c, VN_E_NULL, "a list without values"), NULL;
    if (__builtin_mul_overflow(c->array->offset + c->first, (int64_t)n, &inner.first) ||
        __builtin_mul_overflow(c->rows, (int64_t)n, &inner.rows))
        return vn__arrow_bad(c, VN_E_SHAPE, "too many rows"), NULL;
    return numbers_of(&inner, VN_SHAPE(c->rows, (int64_t)n), o);
}

/* Class numbers of a column of text. */
static vn_array *texts_of(const vn__arrow *c, const vn_column *made, bool with_nulls)
{
    vn_column own = {0};
    if (made && made->codes) own = *made;
    else if (vn__arrow_texts(c, &own)) return NULL;
    for (int64_t i = 0; i < c->rows && !with_nulls; i++)
        if (own.codes[i] < 0) return vn__arrow_refuse(c, i), NULL;
    return vn_from_host(own.codes, VN_I32, VN_SHAPE(c->rows));
}

/* made: the same column of the table; NULL: there is none. */
static vn_array *array_of(const vn__arrow *c, const vn_column *made, owner *o)
{
    if (vn__arrow_is_text(c)) return texts_of(c, made, made != NULL);
    if (!strncmp(c->schema->format, "+w:", 3)) return list_of(c, o);
    const int dtype = vn__arrow_dtype(c->schema->format);
    if (made && made->missing && !vn__is(dtype, VN_FLOATS)) {
        vn_column own = *made;
        if (!own.numbers && vn__arrow_numbers(c, &own)) return NULL; /* all of them are missing */
        return vn_from_host(own.numbers, VN_F64, VN_SHAPE(c->rows));
    }
    return numbers_of(c, VN_SHAPE(c->rows), o);
}

/* ---- a record batch ---- */

/* The name as a key: '/' and '.' separate keys, so they become '_'. */
static int put_column(vn_tree *t, const vn__arrow *c, int64_t i, vn_array *x)
{
    char key[1025];
    if (!x) return vn_status();
    const int code = vn__arrow_name(c, i, key);
    if (code) return code;
    for (char *at = key; *at; at++)
        if (*at == '/' || *at == '.') *at = '_';
    if (vn_tree_has(t, key) && !strcmp(key, c->name)) return vn__arrow_bad(c, VN_E_ARG, "the name occurs twice");
    if (vn_tree_has(t, key))
        return vn__arrow_bad(c, VN_E_ARG, "its key in the tree, with '_' for '/' and '.', is another column's; rename one");
    return vn_tree_set(t, key, x);
}

/* The columns of a batch, or the one that it is, in memory of the innermost scope. */
static int list_columns(const struct ArrowSchema *schema, const struct ArrowArray *a, vn__arrow **to, int64_t *n)
{
    const bool batch = !strcmp(schema->format, "+s");
    const vn__arrow all = {.schema = schema, .array = a, .name = batch ? "the record batch" : "x", .rows = a->length};
    *n = batch ? a->n_children : 1;
    if (*n < 0 || *n > VN__FILE_ENTRIES) return vn__arrow_bad(&all, VN_E_ARG, "too many columns");
    int code = batch ? vn__arrow_check(&all, 1, *n) : VN_OK;
    if (!code && batch && vn__arrow_null(&all) >= 0) code = vn__arrow_bad(&all, VN_E_ARG, "a row that is null");
    if (!code && !(*to = vn__scope_memory(((size_t)*n + 1) * sizeof **to, who))) code = vn_status();
    for (int64_t i = 0; i < *n && !code; i++) {
        (*to)[i] = all;
        if (!batch) continue;
        const struct ArrowSchema *s = schema->children[i];
        (*to)[i] =
            (vn__arrow){.schema = s, .array = a->children[i], .name = s && s->name ? s->name : "", .first = a->offset, .rows = a->length};
        if (!s || !s->format || !a->children[i]) code = vn__arrow_bad(&(*to)[i], VN_E_NULL, "its schema or array is NULL");
    }
    return code;
}

static int take_columns(const vn__arrow *columns, int64_t n, const vn_table *table, owner *o, vn_tree *t)
{
    int code = VN_OK;
    for (int64_t i = 0; i < n && !code; i++)
        code = put_column(t, &columns[i], i, array_of(&columns[i], table ? &table->columns[i] : NULL, o));
    return code;
}

/* The tree, made in a scope of its own; the table, if there is one, is already made. */
static vn_tree *tree_of(const vn__arrow *columns, int64_t n, const vn_table *table, owner *o)
{
    const vn_scope scope = vn_scope_begin();
    if (scope < 0) return NULL;
    vn_tree *all = vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
    if (!all || take_columns(columns, n, table, o, all)) return vn_scope_end(scope), NULL;
    return vn__tree_out(scope, all, who);
}

static int check_structs(const struct ArrowSchema *schema, const struct ArrowArray *array, const vn_table *table)
{
    if (table && vn__check_info(who, "vn_table", table)) return vn_status();
    if (!schema || !array) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, schema ? "array" : "schema");
    if (!schema->release || !array->release)
        return vn__fail(VN_E_FREED, "%s: %s was released or moved", who, schema->release ? "array" : "schema");
    return schema->format ? VN_OK : vn__fail(VN_E_NULL, "%s: the schema has no format", who);
}

vn_tree *vn_from_arrow(struct ArrowSchema *schema, struct ArrowArray *array, vn_table *table)
{
    vn_tree *t = NULL;
    int code = check_structs(schema, array, table);
    owner *o = code ? NULL : vn__calloc(sizeof *o);
    if (!code && !o) code = vn__no_memory(who);
    if (!code) {
        vn__arrow *columns = NULL;
        int64_t n = 0;
        vn_table made = {.size = sizeof made};
        o->array = *array;
        array->release = NULL;
        atomic_store(&o->refs, 1);
        code = list_columns(schema, &o->array, &columns, &n);
        if (!code && table) code = vn__arrow_table(columns, n, o->array.length, &made);
        if (!code) t = tree_of(columns, n, table ? &made : NULL, o);
        if (t && table) VN__GIVE(who, vn_table, table, &made);
        release_owner(o);
    } else if (array && array->release) {
        array->release(array);
    }
    if (schema && schema->release) schema->release(schema);
    return t;
}
