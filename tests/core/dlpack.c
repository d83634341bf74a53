/* dlpack.c: tensors of every layout come in and go out: strided, without strides, empty, aliased and copied. */
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
    CHECK(deleted == 4); /* a tensor is always consumed */
    CHECK_FAILS(vn_from_dlpack_copy(NULL), VN_E_NULL, "tensor is NULL");
    CHECK_FAILS(vn_from_dlpack_old_copy(NULL), VN_E_NULL, "tensor is NULL");
    CHECK_FAILS(vn_to_dlpack_copy(NULL), VN_E_NULL, "to_dlpack: x is NULL");
}

static void released(void *user)
{
    ++*(int *)user;
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
