/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack.c: import and export through DLPack, the exchange format of array libraries. Import aliases and keeps the owner alive through the
 * node; export holds a reference to the value, so that nothing overwrites it, and is read-only. The structs below are the format's. */
#include "core/memory.h"
#include "core/object.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include "engine/engine.h"

typedef struct {
    int32_t type, id;
} device;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} element;
typedef struct {
    void *data;
    device where;
    int32_t ndim;
    element dtype;
    int64_t *shape, *strides; /* strides NULL: row-major */
    uint64_t byte_offset;
} tensor;
struct DLManagedTensor {
    tensor dl;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
};
struct DLManagedTensorVersioned {
    struct {
        uint32_t major, minor;
    } version;
    void *manager;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    tensor dl;
};
enum { CPU = 1, READ_ONLY = 1, IS_COPIED = 2, MAJOR = 1, MINOR = 0 };
enum { INT = 0, UINT = 1, FLOAT = 2, BFLOAT = 4, COMPLEX = 5, BOOL = 6 };

static const struct {
    uint8_t code, bits;
} elements[VN_DTYPE_END] = {
    [VN_BOOL] = {BOOL, 8},    [VN_I8] = {INT, 8},     [VN_I16] = {INT, 16},   [VN_I32] = {INT, 32},     [VN_I64] = {INT, 64},
    [VN_U8] = {UINT, 8},      [VN_U16] = {UINT, 16},  [VN_U32] = {UINT, 32},  [VN_U64] = {UINT, 64},    [VN_F16] = {FLOAT, 16},
    [VN_BF16] = {BFLOAT, 16}, [VN_F32] = {FLOAT, 32}, [VN_F64] = {FLOAT, 64}, [VN_C64] = {COMPLEX, 64}, [VN_C128] = {COMPLEX, 128},
};

/* ---- in ---- */

/* The elements must have addresses: those of the first and the last in memory are computed without overflow. The sizes are not 0. */
static int check_places(const tensor *t, size_t item)
{
    int64_t low = 0, high = 0, far, step = 1;
    bool bad = false;
    for (int k = t->ndim; k-- > 0;) {
        bad |= __builtin_mul_overflow(t->shape[k] - 1, t->strides ? t->strides[k] : step, &far);
        bad |= far < 0 ? __builtin_add_overflow(low, far, &low) : __builtin_add_overflow(high, far, &high);
        step *= t->shape[k]; /* the product of all sizes was checked */
    }
    bad |= __builtin_mul_overflow(low, (int64_t)item, &low) || __builtin_add_overflow(high, 1, &high) ||
           __builtin_mul_overflow(high, (int64_t)item, &high);
    uintptr_t first, last;
    bad |= __builtin_add_overflow((uintptr_t)t->data, t->byte_offset, &first);
    bad |= __builtin_add_overflow(first, high, &last) || first < 0 - (uintptr_t)low;
    return bad ? vn__fail(VN_E_ARG, "from_dlpack: strides or the byte offset %llu lead outside of memory",
                          (unsigned long long)t->byte_offset)
               : VN_OK;
}

static int check_tensor(const tensor *t, int *dtype, size_t *bytes)
{
    if (t->where.type != CPU)
        return vn__fail(VN_E_UNSUPPORTED, "from_dlpack: device type %d; only host memory (1) can be taken", t->where.type);
    if (t->ndim < 0 || t->ndim > VN_MAX_RANK || (t->ndim && !t->shape))
        return vn__fail(VN_E_SHAPE, "from_dlpack: rank %d, or no shape", t->ndim);
    *dtype = VN_NO_DTYPE;
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (elements[d].bits && elements[d].code == t->dtype.code && elements[d].bits == t->dtype.bits && t->dtype.lanes == 1) *dtype = d;
    }
    if (!*dtype)
        return vn__fail(VN_E_DTYPE, "from_dlpack: dtype code %d with %d bits and %d lanes is not supported", t->dtype.code, t->dtype.bits,
                        t->dtype.lanes);
    int64_t count;
    int code = vn__count("from_dlpack", t->ndim, t->shape, *dtype, &count);
    if (code) return code;
    *bytes = (size_t)count * vn_dtype_size((vn_dtype)*dtype);
    if (*bytes && !t->data) return vn__fail(VN_E_NULL, "from_dlpack: the tensor has no data");
    return *bytes ? check_places(t, vn_dtype_size((vn_dtype)*dtype)) : VN_OK; /* an empty tensor has none, and any strides */
}

/* Of a tensor that is not empty. */
static bool row_major(const tensor *t)
{
    int64_t expected = 1;
    for (int k = t->ndim; t->strides && k-- > 0;) {
        if (t->shape[k] != 1 && t->strides[k] != expected) return false;
        expected *= t->shape[k];
    }
    return true;
}

/* Copies a strided tensor to row-major order. */
static void gather(const tensor *t, size_t item, char *to, const char *from)
{
    int64_t at[VN_MAX_RANK] = {0};
    for (;;) {
        int64_t offset = 0;
        for (int k = 0; k < t->ndim; k++) offset += at[k] * t->strides[k];
        memcpy(to, from + offset * (int64_t)item, item);
        to += item;
        int k = t->ndim - 1;
        while (k >= 0 && ++at[k] == t->shape[k]) at[k--] = 0;
        if (k < 0) return;
    }
}

static vn_array *import(const tensor *t, bool copy, void (*release)(void *), void *owner)
{
    int dtype = VN_NO_DTYPE;
    size_t bytes = 0;
    if (check_tensor(t, &dtype, &bytes)) return release(owner), NULL;
    const char *data = bytes ? (const char *)t->data + t->byte_offset : NULL; /* an empty tensor may point anywhere */
    vn_shape shape = vn__shape(t->shape, (size_t)t->ndim);
    if (!copy && (!bytes || row_major(t)) && (uintptr_t)data % vn_dtype_size((vn_dtype)vn__part_dtype(dtype)) == 0)
        return vn_wrap(data, (vn_dtype)dtype, shape, release, owner);
    vn_array *x = NULL;
    char *rows = vn__block_alloc(bytes ? bytes : 1);
    if (rows && bytes) {
        tensor full = *t;
        int64_t strides[VN_MAX_RANK], step = 1;
        for (int k = t->ndim; k-- > 0;) strides[k] = step, step *= t->shape[k];
        if (!t->strides) full.strides = strides;
        gather(&full, vn_dtype_size((vn_dtype)dtype), rows, data);
    }
    if (rows) x = vn_from_host(rows, (vn_dtype)dtype, shape);
    else vn__no_memory("from_dlpack");
    vn__block_free(rows);
    release(owner);
    return x;
}

void vn__dlpack_release(struct DLManagedTensorVersioned *t)
{
    if (t->deleter) t->deleter(t);
}

static void delete_versioned(void *p)
{
    vn__dlpack_release(p);
}

static void delete_old(void *p)
{
    struct DLManagedTensor *t = p;
    if (t->deleter) t->deleter(t);
}

static vn_array *import_versioned(struct DLManagedTensorVersioned *t, bool copy)
{
    if (!t) return vn__fail(VN_E_NULL, "from_dlpack: tensor is NULL"), NULL;
    if (t->version.major > MAJOR) { /* only version and deleter have a known layout */
        vn__fail(VN_E_UNSUPPORTED, "from_dlpack: DLPack %u.%u is newer than %d", t->version.major, t->version.minor, MAJOR);
        return delete_versioned(t), NULL;
    }
    return import(&t->dl, copy, delete_versioned, t);
}

static vn_array *import_old(struct DLManagedTensor *t, bool copy)
{
    return t ? import(&t->dl, copy, delete_old, t) : (vn__fail(VN_E_NULL, "from_dlpack: tensor is NULL"), NULL);
}

vn_array *vn_from_dlpack(struct DLManagedTensorVersioned *t)
{
    return import_versioned(t, false);
}
vn_array *vn_from_dlpack_copy(struct DLManagedTensorVersioned *t)
{
    return import_versioned(t, true);
}
vn_array *vn_from_dlpack_old(struct DLManagedTensor *t)
{
    return import_old(t, false);
}
vn_array *vn_from_dlpack_old_copy(struct DLManagedTensor *t)
{
    return import_old(t, true);
}

/* ---- out ---- */

typedef struct {
    union {
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor old;
    } u;
    vn__value *value; /* read-only: shared */
    void *copy;       /* writable: a copy owned by the consumer */
    int64_t shape[VN_MAX_RANK];
} export;

static void end_export(export *e)
{
    vn__value_release(e->value);
    vn__block_free(e->copy);
    vn__free(e);
}

static void end_versioned(struct DLManagedTensorVersioned *t)
{
    end_export(t->manager);
}
static void end_old(struct DLManagedTensor *t)
{
    end_export(t->manager);
}

static export *begin_export(vn_array *x, bool copy, tensor *t)
{
    if (!vn__check(x, VN__ARRAY, "to_dlpack", "x")) return NULL;
    const void *data = vn_data(x);
    vn__node *n = vn__node_of(x);
    if (!data && n->count) return NULL;
    size_t bytes = (size_t)n->count * vn_dtype_size((vn_dtype)n->dtype);
    export *e = vn__calloc(sizeof *e);
    void *own = e && copy ? vn__block_alloc(bytes ? bytes : 1) : NULL;
    if (!e || (copy && !own)) {
        vn__free(e);
        return vn__no_memory("to_dlpack"), NULL;
    }
    if (copy) memcpy(own, data ? data : "", bytes);
    else vn__value_retain(e->value = n->value);
    e->copy = own;
    memcpy(e->shape, vn__node_dims(n), n->rank * sizeof(int64_t));
    union {
        const void *c;
        void *v;
    } plain = {data};
    *t = (tensor){.data = copy ? own : plain.v,
                  .where = {CPU, 0},
                  .ndim = n->rank,
                  .dtype = {elements[n->dtype].code, elements[n->dtype].bits, 1},
                  .shape = e->shape};
    return e;
}

static struct DLManagedTensorVersioned *export_versioned(vn_array *x, bool copy)
{
    tensor t;
    export *e = begin_export(x, copy, &t);
    if (!e) return NULL;
    e->u.versioned = (struct DLManagedTensorVersioned){
        .version = {MAJOR, MINOR}, .manager = e, .deleter = end_versioned, .flags = copy ? IS_COPIED : READ_ONLY, .dl = t};
    return &e->u.versioned;
}

struct DLManagedTensorVersioned *vn_to_dlpack(vn_array *x)
{
    return export_versioned(x, false);
}
struct DLManagedTensorVersioned *vn_to_dlpack_copy(vn_array *x)
{
    return export_versioned(x, true);
}

struct DLManagedTensor *vn_to_dlpack_old(vn_array *x)
{
    tensor t;
    export *e = begin_export(x, true, &t);
    if (!e) return NULL;
    e->u.old = (struct DLManagedTensor){.dl = t, .manager = e, .deleter = end_old};
    return &e->u.old;
}
