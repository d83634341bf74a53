/* levels.c: the native engine gives the same bits at every instruction-set level and thread count: every elementwise op of the table, a
 * sum, a running sum and random numbers, in float32, float64, complex64 and complex128. (matmul is left out: the baseline has no fused
 * multiply-add.) Each setting runs in a process of its own and prints a hash. */
#include "check.h"

enum { COUNT = 40000 };

static uint64_t hash = 1469598103934665603u;

static void add(vn_array *x)
{
    const unsigned char *p = vn_data(x);
    size_t n = (size_t)vn_size(x) * vn_dtype_size(vn_dtype_of(x));
    CHECK(p != NULL);
    for (size_t k = 0; p && k < n; k++) hash = (hash ^ p[k]) * 1099511628211u;
}

static vn_array *numbers(vn_dtype dtype, double scale)
{
    static double data[COUNT];
    if (dtype == VN_C64) return vn_complex(numbers(VN_F32, scale), numbers(VN_F32, .3 - scale));
    if (dtype == VN_C128) return vn_complex(numbers(VN_F64, scale), numbers(VN_F64, .3 - scale));
    for (int k = 0; k < COUNT; k++) data[k] = scale * sin(k * .37) * pow(10, (k % 7) - 3);
    return vn_cast(vn_from_host(data, VN_F64, VN_SHAPE(COUNT)), dtype);
}

/* NaNs may differ in bits that mean nothing. */
static vn_array *without_nan(vn_array *x)
{
    return vn_dtype_of(x) == VN_BOOL ? x : vn_where(vn_isnan(x), vn_scalar(7), x);
}

static int child(void)
{
    vn_op_info op = {.size = sizeof op};
    int ops = 0;
    static const vn_dtype dtypes[] = {VN_F32, VN_F64, VN_C64, VN_C128};
    for (int d = 0; d < 4; d++) {
        vn_array *in[] = {numbers(dtypes[d], 1), numbers(dtypes[d], -.7)};
        bool complex = d >= 2;
        for (int k = 0; k < vn_op_count(); k++) {
            VN_SCOPE;
            vn_op_at(k, &op);
            if (strcmp(op.kind, "primitive") != 0 || op.n_options || op.n_inputs > 2 || !strcmp(op.name, "matmul")) continue;
            vn_array *z = NULL;
            int code = vn_call(op.name, in, op.n_inputs, NULL, 0, &z, 1);
            if (complex && code == VN_E_DTYPE) { /* an op of real numbers */
                vn_clear();
                continue;
            }
            CHECK(code == VN_OK);
            add(without_nan(z));
            ops++;
        }
        add(vn_sum(in[0], VN_ALL));
        add(vn_cumulative_sum(in[0], 0, 0));
    }
    add(vn_random_uniform(-1, 1, VN_SHAPE(COUNT)));
    add(vn_random_normal(0, 1, VN_SHAPE(COUNT)));
    printf("%016llx %d\n", (unsigned long long)hash, ops);
    vn_close();
    return check_failures != 0;
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) return child();
    static const char *const levels[] = {"baseline", "avx2", "avx512"}, *const threads[] = {"1", "2", "3"};
    char reference[64] = "", self[4096] = "";
    CHECK(realpath("/proc/self/exe", self) != NULL);
    int settings = 0;
    for (int l = 0; l < 3; l++) {
        for (int t = 0; t < 3; t++) {
            char command[4400], line[64] = "";
            setenv("VINEA_ISA", levels[l], 1);
            if (vn_use(NULL)) { /* a level this processor does not have */
                CHECK(strstr(vn_message(), levels[l]) && l > 0);
                vn_clear();
                vn_close();
                break;
            }
            vn_close();
            snprintf(command, sizeof command, "VINEA_ISA=%s VINEA_THREADS=%s '%s' child", levels[l], threads[t], self);
            FILE *f = popen(command, "r");
            CHECK(f && fgets(line, sizeof line, f));
            CHECK(f && pclose(f) == 0);
            if (!settings++) memcpy(reference, line, sizeof line);
            check_name = levels[l];
            CHECK(line[0] && !strcmp(line, reference));
        }
    }
    printf("%d settings, hash and ops: %s", settings, reference);
    return finish();
}
