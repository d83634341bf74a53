/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack.c: tensors of every layout come in and go out: strided, without strides, empty, aliased and copied. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"

/* As the format defines them. */
typedef struct {
    void *data;
    struct {
        int32_t type, id;
    } where;
    int32_t ndim;
    struct {
        uint8_t code, bits;
        uint16_t lanes;
    } dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} tensor;
struct DLManagedTensor {
    tensor dl;
    void *manager;
    void (*deleter)(struct DLManagedTensor *self);
};
struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    tensor dl;
};

static int deleted;
static void versioned_deleted(struct DLManagedTensorVersioned *self)
{
    (void)self;
    deleted++;
}
static void old_deleted(struct DLManagedTensor *self)
{
    (void)self;
    deleted++;
}

static struct DLManagedTensorVersioned given;
static struct DLManagedTensor given_old;
static int64_t shape[4], strides[4];
static char odd[64]; /* for data that is not aligned */

/* A float32 tensor on the host. */
static struct DLManagedTensorVersioned *versioned(void *data, int ndim, bool with_strides)
{
    given = (struct DLManagedTensorVersioned){.major = 1, .deleter = versioned_deleted};
    given.dl = (tensor){.data = data, .where = {1, 0}, .ndim = ndim, .dtype = {2, 32, 1}, .shape = shape};
    given.dl.strides = with_strides ? strides : NULL;
    return &given;
}
static struct DLManagedTensor *old(void *data, int ndim, bool with_strides)
{
    given_old = (struct DLManagedTensor){.dl = versioned(data, ndim, with_strides)->dl, .deleter = old_deleted};
    return &given_old;
}

TEST(empty_tensors)
{
    static const int64_t shapes[][3] = {{0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {0, 0, 0}};
    void *const places[] = {NULL, odd, odd + 1}; /* anything goes: there is nothing to read */
    for (int k = 0; k < 4 * 3 * 4; k++) {
        memcpy(shape, shapes[k % 4], sizeof shapes[0]);
        memcpy(strides, (int64_t[]){6, 3, 1}, 24);
        void *data = places[k / 4 % 3];
        const int how = k / 12;
        deleted = 0;
        {
            VN_SCOPE;
            vn_array *x = how == 0   ? vn_from_dlpack(versioned(data, 3, k & 1))
                          : how == 1 ? vn_from_dlpack_old(old(data, 3, k & 1))
                          : how == 2 ? vn_from_dlpack_copy(versioned(data, 3, k & 1))
                                     : vn_from_dlpack_old_copy(old(data, 3, k & 1));
            CHECK(x && vn_rank(x) == 3 && vn_size(x) == 0 && vn_dtype_of(x) == VN_F32);
            vn_array *y = x ? vn_add(x, vn_scalar(1)) : NULL;
            CHECK(vn_eval(1, &y) == VN_OK);
            struct DLManagedTensorVersioned *out = vn_to_dlpack(y), *copy = vn_to_dlpack_copy(y);
            CHECK(out && copy && out->dl.ndim == 3 && !memcmp(out->dl.shape, shape, 24));
            vn_array *back = vn_from_dlpack(out), *again = vn_from_dlpack_copy(copy);
            CHECK(back && again && vn_size(back) == 0 && vn_size(again) == 0);
        }
        vn_array *flush = vn_neg(vn_ones(VN_SHAPE(2), VN_F32)); /* engines with an interpreter lock release at their next call */
        vn_eval(1, &flush);
        CHECK(deleted == 1);
    }
    vn_array *x = vn_from_host(NULL, VN_F64, VN_SHAPE(0, 3)); /* and from nothing at all */
    CHECK(x && vn_from_dlpack(vn_to_dlpack(x)) && vn_from_dlpack_old(vn_to_dlpack_old(x)));
}

/* Tensors without a deleter. The tensors are this test's own: an engine may hold them until later. */
TEST(no_deleter)
{
    static float data[] = {1, 2, 3, 4};
    VN_SCOPE;
    memcpy(shape, (int64_t[]){2, 2}, 16);
    static struct DLManagedTensorVersioned a;
    static struct DLManagedTensor b;
    a = *versioned(data, 2, false), b = *old(data, 2, false);
    a.deleter = NULL, b.deleter = NULL;
    CHECK(vn_item(vn_sum(vn_from_dlpack(&a), VN_ALL)) == 10 && vn_item(vn_sum(vn_from_dlpack_copy(&a), VN_ALL)) == 10);
    CHECK(vn_item(vn_sum(vn_from_dlpack_old(&b), VN_ALL)) == 10 && vn_item(vn_sum(vn_from_dlpack_old_copy(&b), VN_ALL)) == 10);
}

TEST(a_copy_has_memory_of_its_own)
{
    float data[] = {0, 1, 2, 3, 4, 5, 6, 7};
    memcpy(shape, (int64_t[]){2, 2}, 16);
    memcpy(strides, (int64_t[]){4, 2}, 16);
    for (int k = 0; k < 4; k++) {
        deleted = 0;
        data[0] = 0;
        const bool strided = k & 1;
        vn_array *x = k / 2 ? vn_from_dlpack_old_copy(old(data, 2, strided)) : vn_from_dlpack_copy(versioned(data, 2, strided));
        CHECK(deleted == 1); /* at once: nothing of the tensor is held */
        data[0] = 99;
        const float expected[2][4] = {{0, 1, 2, 3}, {0, 2, 4, 6}};
        CHECK(x && !memcmp(vn_data(x), expected[strided], 16));
    }
    vn_array *x = vn_from((float[]){1, 2}, VN_SHAPE(2));
    struct DLManagedTensorVersioned *out = vn_to_dlpack_copy(x);
    CHECK(out && out->flags == 2 && !memcmp(out->dl.data, (float[]){1, 2}, 8)); /* copied, not read-only */
    if (out) *(float *)out->dl.data = 7;
    CHECK(((const float *)vn_data(x))[0] == 1);
    if (out) out->deleter(out);
}

TEST(refused_tensors)
{
    float data[4] = {0};
    shape[0] = 4;
    deleted = 0;
    versioned(data, 1, false)->dl.where.type = 2;
    CHECK_FAILS(vn_from_dlpack_copy(&given), VN_E_UNSUPPORTED, "from_dlpack: device type 2");
    versioned(data, 1, false)->dl.dtype.bits = 24;
    CHECK_FAILS(vn_from_dlpack_copy(&given), VN_E_DTYPE, "24 bits");
    CHECK_FAILS(vn_from_dlpack_copy(versioned(NULL, 1, false)), VN_E_NULL, "no data");
    versioned(data, 1, false)->major = 2;
    CHECK_FAILS(vn_from_dlpack_copy(&given), VN_E_UNSUPPORTED, "newer");
    versioned(data, 33, false);
    CHECK_FAILS(vn_from_dlpack(&given), VN_E_SHAPE, "rank 33");
    versioned(data, -1, false);
    CHECK_FAILS(vn_from_dlpack(&given), VN_E_SHAPE, "rank -1");
    versioned(data, 1, false)->dl.shape = NULL;
    CHECK_FAILS(vn_from_dlpack(&given), VN_E_SHAPE, "no shape");
    versioned(data, 1, false)->dl.dtype.lanes = 4;
    CHECK_FAILS(vn_from_dlpack(&given), VN_E_DTYPE, "4 lanes");
    CHECK(deleted == 8); /* a tensor is always consumed */
    CHECK_FAILS(vn_from_dlpack_copy(NULL), VN_E_NULL, "tensor is NULL");
    CHECK_FAILS(vn_from_dlpack_old_copy(NULL), VN_E_NULL, "tensor is NULL");
    CHECK_FAILS(vn_to_dlpack_copy(NULL), VN_E_NULL, "to_dlpack: x is NULL");
}

static void released(void *user)
{
    ++*(int *)user;
}

/* Sizes, strides and offsets that no memory can have are refused before anything is read. */
TEST(hostile_sizes)
{
    static const int64_t cases[][4] = {/* shape, strides */
                                       {2, 2, INT64_MAX, 1},     {2, 2, INT64_MIN, 1},        {3, 1, INT64_MAX / 2 + 1, 1},
                                       {2, 2, INT64_MAX - 1, 2}, {2, 2, INT64_C(1) << 61, 1}, {2, 1, -(INT64_C(1) << 61), 1}};
    float data[4] = {1, 2, 3, 4};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(shape, cases[k], 16);
        memcpy(strides, cases[k] + 2, 16);
        deleted = 0;
        CHECK_FAILS(vn_from_dlpack(versioned(data, 2, true)), VN_E_ARG, "outside of memory");
        CHECK_FAILS(vn_from_dlpack_copy(versioned(data, 2, true)), VN_E_ARG, "outside of memory");
        CHECK(deleted == 2);
    }
    shape[0] = 4;
    versioned(data, 1, false)->dl.byte_offset = UINT64_MAX - 64;
    CHECK_FAILS(vn_from_dlpack(&given), VN_E_ARG, "byte offset 18446744073709551551");
    memcpy(shape, (int64_t[]){INT64_MAX, 2}, 16);
    CHECK_FAILS(vn_from_dlpack(versioned(data, 2, false)), VN_E_SHAPE, "too large");
    memcpy(shape, (int64_t[]){-4, 2}, 16);
    CHECK_FAILS(vn_from_dlpack(versioned(data, 2, false)), VN_E_SHAPE, "-4");
    memcpy(shape, (int64_t[]){0, 4, 4}, 24); /* an empty tensor may have any strides */
    memcpy(strides, (int64_t[]){INT64_MAX, INT64_MIN, INT64_MAX}, 24);
    CHECK(vn_size(vn_from_dlpack(versioned(data, 3, true))) == 0);
    /* backwards: the last element first */
    memcpy(shape, (int64_t[]){4}, 8);
    memcpy(strides, (int64_t[]){-1}, 8);
    vn_array *x = vn_from_dlpack(versioned(data + 3, 1, true));
    CHECK(x && !memcmp(vn_data(x), (float[]){4, 3, 2, 1}, 16));
}

/* A bool is the byte 0 or 1, wherever it comes from: others would count as several. */
TEST(odd_bools)
{
    unsigned char data[40] = {0};
    for (int k = 0; k < 40; k++) data[k] = k % 3 == 0;
    CHECK(vn_item(vn_sum(vn_from_host(data, VN_BOOL, VN_SHAPE(40)), VN_ALL)) == 14);
    int times = 0;
    for (int k = 0; k < 40; k++) {
        const unsigned char was = data[k];
        char text[60];
        data[k] = (unsigned char)(k % 2 ? 255 : 2);
        snprintf(text, sizeof text, "element %d is the byte %d; a bool is 0 or 1", k, data[k]);
        CHECK_FAILS(vn_from_host(data, VN_BOOL, VN_SHAPE(40)), VN_E_ARG, text);
        CHECK_FAILS(vn_wrap(data, VN_BOOL, VN_SHAPE(5, 8), released, &times), VN_E_ARG, text);
        shape[0] = 40;
        versioned(data, 1, false)->dl.dtype.code = 6;
        given.dl.dtype.bits = 8;
        deleted = 0;
        CHECK_FAILS(vn_from_dlpack(&given), VN_E_ARG, text);
        CHECK(deleted == 1);
        data[k] = was;
    }
    CHECK(times == 40);
}

/* Nor do bytes that are written after the import count: bools are copied, and the memory is given back at once. */
TEST(bools_that_change)
{
    unsigned char data[40] = {0};
    int times = 0;
    for (int k = 0; k < 40; k++) data[k] = k % 3 == 0;
    vn_array *wrapped = vn_wrap(data, VN_BOOL, VN_SHAPE(40), released, &times);
    shape[0] = 40;
    versioned(data, 1, false)->dl.dtype.code = 6;
    given.dl.dtype.bits = 8;
    deleted = 0;
    vn_array *taken = vn_from_dlpack(&given);
    CHECK(times == 1 && deleted == 1);
    memset(data, 77, sizeof data);
    for (int k = 0; k < 2; k++) {
        vn_array *x = k ? taken : wrapped;
        CHECK(vn_item(vn_sum(x, VN_ALL)) == 14 && vn_item(vn_sum(vn_logical_not(x), VN_ALL)) == 26);
        CHECK(vn_item(vn_count_nonzero(vn_equal(x, vn_logical_not(vn_logical_not(x))), VN_ALL)) == 40);
    }
}

TEST(empty_memory_is_wrapped_wherever_it_points)
{
    int times = 0;
    {
        VN_SCOPE;
        CHECK(vn_size(vn_wrap(odd + 1, VN_F64, VN_SHAPE(0, 4), released, &times)) == 0);
        CHECK(vn_size(vn_wrap(NULL, VN_F64, VN_SHAPE(0), released, &times)) == 0);
        CHECK_FAILS(vn_wrap(odd + 1, VN_F64, VN_SHAPE(1), released, &times), VN_E_ARG, "not aligned");
    }
    vn_array *flush = vn_neg(vn_ones(VN_SHAPE(2), VN_F32));
    vn_eval(1, &flush);
    CHECK(times == 3);
}

TEST_MAIN
