/* print.c: vn_text writes arrays as numpy does. The arrays and numpy's texts are rows of print.expected, which print_numpy.py makes; the
 * test itself needs no numpy. */
/* ctest: sanitize */
/* ctest: valgrind */
#include "check.h"

typedef struct row {
    uint32_t dtypes;
    int line; /* of print.expected */
    vn_shape shape;
    const char *elements, *text;
} row;

#define SIZES(...)  \
    {               \
        __VA_ARGS__ \
    }
#define ROW(dtypes, rank, sizes, elements, text) {dtypes, __LINE__, {rank, SIZES sizes}, elements, text},
enum {
    BOOL = VN_BIT(VN_BOOL),
    I8 = VN_BIT(VN_I8),
    I16 = VN_BIT(VN_I16),
    I32 = VN_BIT(VN_I32),
    I64 = VN_BIT(VN_I64),
    U8 = VN_BIT(VN_U8),
    U16 = VN_BIT(VN_U16),
    U32 = VN_BIT(VN_U32),
    U64 = VN_BIT(VN_U64),
    F16 = VN_BIT(VN_F16),
    BF16 = VN_BIT(VN_BF16),
    F32 = VN_BIT(VN_F32),
    F64 = VN_BIT(VN_F64),
    C64 = VN_BIT(VN_C64),
    C128 = VN_BIT(VN_C128),
};
static const row rows[] = {
#include "print.expected"
};
enum { n_rows = sizeof rows / sizeof *rows };

/* bfloat16: the upper half of a float32, rounded to nearest even. */
static uint16_t bfloat16(double v)
{
    float f = (float)v;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return (uint16_t)(isnan(v) ? 0x7fc0 : (u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* float16 of a number that is one, or of a ramp's, rounded to nearest even. */
static uint16_t float16(double v)
{
    uint16_t sign = signbit(v) ? 0x8000 : 0;
    double a = fabs(v);
    int e;
    if (isnan(v)) return 0x7e00;
    if (a >= 65520) return sign | 0x7c00;
    frexp(a, &e);
    e = e < -13 ? -13 : e; /* a < 2^e; subnormal numbers have the step of the smallest normal ones */
    return (uint16_t)(sign + (uint16_t)((a > 0 ? e + 13 : 0) << 10) + (uint16_t)nearbyint(ldexp(a, 11 - e)));
}

static void put(void *data, int64_t i, vn_dtype dtype, double v, uint64_t n)
{
    switch (dtype) {
    case VN_F64: ((double *)data)[i] = v; break;
    case VN_F32: ((float *)data)[i] = (float)v; break;
    case VN_F16: ((uint16_t *)data)[i] = float16(v); break;
    case VN_BF16: ((uint16_t *)data)[i] = bfloat16(v); break;
    case VN_BOOL: ((uint8_t *)data)[i] = v != 0; break;
    default:
        if (vn_dtype_size(dtype) == 8) ((uint64_t *)data)[i] = n;
        else if (vn_dtype_size(dtype) == 4) ((uint32_t *)data)[i] = (uint32_t)n;
        else if (vn_dtype_size(dtype) == 2) ((uint16_t *)data)[i] = (uint16_t)n;
        else ((uint8_t *)data)[i] = (uint8_t)n;
    }
}

/* The row's elements; NULL when there are not as many as its shape has. */
static void *elements(const row *r, vn_dtype of)
{
    bool complex = of == VN_C64 || of == VN_C128;
    vn_dtype dtype = !complex ? of : of == VN_C64 ? VN_F32 : VN_F64; /* of the parts */
    int64_t count = complex ? 2 : 1, i = 0;
    for (int k = 0; k < r->shape.rank; k++) count *= r->shape.dim[k];
    void *data = calloc((size_t)count + 1, vn_dtype_size(dtype));
    double first, step;
    const char *s = r->elements;
    if (data && sscanf(s, "@ %lf %lf", &first, &step) == 2) {
        for (; i < count; i++) put(data, i, dtype, first + step * (double)i, (uint64_t)(int64_t)(first + step * (double)i));
        return data;
    }
    for (char *end; data && *s && i < count; s = end) {
        double v = strtod(s, &end);
        uint64_t n = *s == '-' ? (uint64_t)strtoll(s, NULL, 10) : strtoull(s, NULL, 10);
        long times = *end == '*' ? strtol(end + 1, &end, 10) : 1;
        while (times-- > 0 && i < count) put(data, i++, dtype, v, n);
        if (*end == ' ') end++;
    }
    if (data && !*s && i == count) return data;
    free(data);
    return NULL;
}

static void check_row(const row *r, vn_dtype dtype)
{
    VN_SCOPE;
    void *data = elements(r, dtype);
    CHECK(data != NULL);
    if (!data) return;
    const char *text = vn_text(vn_from_host(data, dtype, r->shape));
    check_count++;
    if (!text || strcmp(text, r->text) != 0) {
        check_failures++;
        fprintf(stderr, "print.expected:%d: %s, elements %.60s\nexpected:\n%s\ngot:\n%s\n\n", r->line, vn_dtype_name(dtype), r->elements,
                r->text, text ? text : vn_message());
    }
    free(data);
}

TEST(as_numpy)
{
    for (int k = 0; k < n_rows; k++)
        for (int d = 0; d < VN_DTYPE_COUNT; d++)
            if (rows[k].dtypes & VN_BIT(d)) check_row(&rows[k], (vn_dtype)d);
}

/* The text goes to a stream with a line's end, and a pending array is computed for it. */
TEST(to_a_stream)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    CHECK(f != NULL);
    if (!f) return;
    CHECK(vn_fprint(f, vn_add(vn_ones(VN_SHAPE(2), VN_F32), vn_scalar(.5))) == VN_OK);
    fclose(f);
    CHECK(!strcmp(text, "[1.5 1.5]\n"));
    free(text);
    CHECK_FAILS(vn_fprint(NULL, vn_scalar(1)), VN_E_NULL, "fprint");
    CHECK_FAILS(vn_fprint(stdout, NULL), VN_E_NULL, "x");
    CHECK_FAILS(vn_text(NULL), VN_E_NULL, "text");
    FILE *full = fopen("/dev/full", "w"); /* writing to it fails */
    if (!full) return;
    setvbuf(full, NULL, _IONBF, 0);
    CHECK_FAILS(vn_fprint(full, vn_scalar(1)), VN_E_IO, "fprint");
    fclose(full);
}

TEST_MAIN
