/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c: every op of the table with random arguments: ranks up to more than there may be, sizes 0, 1, small, huge and impossible,
 * every dtype, weak numbers, NaN and infinities, absent, NULL and freed handles, options of any value, too few and too many of everything.
 * An op must either return all its results (small ones are computed), or set an error that names it and return none; some results are
 * differentiated. The sanitizers find crashes, leaks and invalid reads.
 *
 *     arguments [ENGINE [CALLS [FIRST]]]      call n has the same arguments in every run */
/* ctest: engines */
/* ctest: sanitize */
/* ctest: part 5 on sanitizers */
#include "check.h"

#ifndef CALLS_NATIVE
#define CALLS_NATIVE 20000
#define CALLS_OTHER 300
#endif
enum { MAX_IN = 10, MAX_OUT = 9, MAX_OPTIONS = 10, SMALL = 1 << 12 };

static uint64_t state;

static uint64_t roll(void)
{
    state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = state;
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static bool one_in(uint64_t n)
{
    return roll() % n == 0;
}

/* ---- inputs ---- */

static double number(void)
{
    static const double special[] = {0, 1, -1, .5, 2, -2.5, 3, 1e20, -1e20, 1e-20, 255, 65536, INFINITY, -INFINITY, NAN};
    return special[roll() % (sizeof special / sizeof *special)];
}

/* Sizes, mostly with a small product. */
static vn_shape shape(void)
{
    vn_shape s = {.rank = one_in(8) ? (int32_t)(roll() % (VN_MAX_RANK + 2)) : (int32_t)(roll() % 5)};
    int64_t room = 256;
    for (int k = 0; k < s.rank && k < VN_MAX_RANK; k++) {
        int64_t d = one_in(12) ? 0 : one_in(3) ? 1 : (int64_t)(2 + roll() % 3);
        if (d > room) d = 1;
        if (d) room /= d;
        s.dim[k] = d;
    }
    return s;
}

static vn_dtype dtype(void)
{
    static const vn_dtype usual[] = {VN_F32, VN_F32, VN_F64, VN_I64, VN_I32, VN_BOOL, VN_F16};
    return one_in(2) ? (vn_dtype)(roll() % VN_DTYPE_END) : usual[roll() % (sizeof usual / sizeof *usual)];
}

static int64_t whole(void)
{
    static const int64_t special[] = {-1, 0, 1, 2, 3, 4, -2, 7, 64, -100, INT32_MAX, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
    return special[one_in(4) ? roll() % (sizeof special / sizeof *special) : roll() % 5];
}

static vn_array *freed;
static uint64_t recorded, computed, differentiated;

/* A small array with arbitrary values. `huge` is set if it must not be computed. */
static vn_array *array(bool *huge)
{
    vn_shape s = shape();
    int64_t n = 1;
    for (int k = 0; k < s.rank && k < VN_MAX_RANK; k++) n *= s.dim[k];
    vn_array *x = NULL;
    if (one_in(3)) { /* any bits */
        uint64_t bits[2 * 256];
        for (int k = 0; k < 2 * 256; k++) bits[k] = roll();
        x = vn_from_host(bits, one_in(4) ? VN_I64 : VN_F32, s);
    } else {
        double data[256];
        for (int64_t k = 0; k < n; k++) data[k] = one_in(6) ? number() : (double)(int64_t)(roll() % 9) - 3;
        x = vn_from_host(data, VN_F64, s);
        vn_dtype d = dtype();
        vn_array *cast = vn_is_ready(x) && d != VN_F64 ? vn_cast(x, d) : NULL;
        if (cast) x = cast;
    }
    if (x && one_in(4)) x = vn_variable(x);
    if (x && one_in(30)) {
        *huge = true;
        vn_array *flat = vn_sum(x, VN_ALL);
        x = vn_broadcast_to(flat, one_in(2) ? VN_SHAPE(INT64_C(1) << 40) : VN_SHAPE(1 << 15, 3, 1 << 15, 5));
    }
    return x;
}

static vn_array *input(bool *huge)
{
    vn_array *x = NULL;
    switch (roll() % 24) {
    case 0: return NULL;
    case 1: return VN_NONE;
    case 2: return freed;
    case 3: return vn_scalar(number());
    case 4:
        return one_in(2) ? vn_scalar_int(whole()) : one_in(2) ? vn_scalar_uint((uint64_t)whole()) : vn_scalar_complex(number(), number());
    default:
        vn_error_push();
        x = array(huge);
        vn_error_pop();
    }
    return x;
}

/* ---- options ---- */

static const char *const words[] = {"",           "constant", "edge",  "reflect",    "ij,jk->ik", "ij->",    "...i,i",
                                    "a b -> b a", "ii",       "fro",   "inf",        "1",         "i,j",     "->",
                                    ",,,,",       "wrap",     "(a b)", "ij,jk->ik ", "%n",        "a=2 b=3", "a b->(a b)"};

static void option(const vn_op_info *op, vn_option *o, int64_t *list)
{
    const vn_op_option *spec = op->n_options && !one_in(60) ? &op->options[roll() % (uint64_t)op->n_options] : NULL;
    *o = (vn_option){.name = spec ? spec->name : one_in(2) ? "axis" : NULL, .kind = spec ? spec->kind : VN_OPT_INT, .n = 1};
    if (one_in(60)) o->kind = (int32_t)(roll() % 7);
    if (o->kind == VN_OPT_FLOAT && one_in(3)) o->kind = VN_OPT_INT; /* serves as a float */
    switch (o->kind) {
    case VN_OPT_FLOAT: o->u.f = number(); break;
    case VN_OPT_STRING: o->u.s = one_in(30) ? NULL : words[roll() % (sizeof words / sizeof *words)]; break;
    case VN_OPT_INTS:
        o->n = one_in(30) ? (int32_t)(roll() % 40) - 5 : (int32_t)(roll() % 5);
        for (int k = 0; k < 34; k++) list[k] = whole();
        o->u.is = one_in(40) ? NULL : list;
        break;
    default: o->u.i = spec && !strcmp(spec->type, "dtype") && !one_in(8) ? (int64_t)dtype() : whole();
    }
}

/* ---- one call ---- */

/* Small results are computed; any values are fine, but evaluation must succeed. */
static void compute(const vn_op_info *op, vn_array *z, uint64_t n, bool huge)
{
    CHECK(vn_rank(z) >= 0 && vn_rank(z) <= VN_MAX_RANK && vn_size(z) >= 0);
    if (huge || vn_size(z) > SMALL) return;
    int code = vn_eval(1, &z);
    if (code && code != VN_E_MEM && code != VN_E_UNSUPPORTED) {
        fprintf(stderr, "call %llu, %s: evaluation: %s\n", (unsigned long long)n, op->name, vn_message());
        CHECK(!"what was recorded can be computed");
    }
    CHECK(code ? vn_status() != VN_OK : vn_is_ready(z));
    computed += !code;
}

static void differentiate(vn_array *z, vn_array *const *in, int n_in, bool huge)
{
    vn_error_push();
    vn_array *loss = vn_sum(z, VN_ALL);
    for (int k = 0; k < n_in; k++) {
        if (!in[k] || in[k] == freed || in[k] == VN_NONE || !vn_is_variable(in[k])) continue;
        vn_array *g = vn_grad(loss, in[k]);
        if (g && !huge && vn_size(g) <= SMALL && vn_size(z) <= SMALL) vn_eval(1, &g);
        differentiated += g != NULL;
        if (!g && !vn_status()) CHECK(!"a missing gradient sets an error");
        break;
    }
    vn_error_pop();
}

static void call(uint64_t n)
{
    VN_SCOPE;
    state = n * UINT64_C(0xD1B54A32D192ED03);
    vn_op_info op = {.size = sizeof op};
    vn_op_at((int)(roll() % (uint64_t)vn_op_count()), &op);
    bool huge = false, looks = !strcmp(op.name, "nonzero") || !strcmp(op.name, "mask") || !strcmp(op.name, "unique"); /* at values */
    vn_array *in[MAX_IN], *out[MAX_OUT] = {NULL};
    int n_in = one_in(20) ? (int)(roll() % MAX_IN) : op.any_number ? (int)(roll() % 4) + 1 : op.n_inputs, n_out = op.n_outputs;
    if (one_in(100)) n_out = (int)(roll() % 4);
    for (int k = 0; k < n_in; k++) in[k] = k && one_in(3) ? in[k - 1] : input(&huge);
    vn_option options[MAX_OPTIONS];
    int64_t lists[MAX_OPTIONS][34];
    int n_options = op.n_options ? (int)(roll() % (uint64_t)(op.n_options + 1)) + (int)one_in(3) : (int)one_in(30);
    for (int k = 0; k < n_options; k++) option(&op, &options[k], lists[k]);
    vn_clear();
    if (huge && looks) return; /* they would evaluate arrays that are far too large */
    const bool by_number = one_in(2);
    int code = by_number
                   ? vn_call_number(one_in(200) ? -(int)(roll() % 9) : vn_op_number(op.name), in, n_in, options, n_options, out, n_out)
                   : vn_call(one_in(200) ? "no_such_op" : op.name, in, n_in, options, n_options, out, n_out);
    CHECK(code == (int)vn_status());
    CHECK(!code || vn_message()[0]);
    recorded += !code;
    for (int k = 0; k < n_out && k < op.n_outputs; k++) {
        if ((code == VN_OK) != (out[k] != NULL)) fprintf(stderr, "call %llu, %s: result %d\n", (unsigned long long)n, op.name, k);
        CHECK((code == VN_OK) == (out[k] != NULL));
        if (!code && out[k]) compute(&op, out[k], n, huge);
    }
    if (!code && n_out && one_in(3)) differentiate(out[0], in, n_in, huge);
    for (int k = 0; k < n_out && !code && by_number; k++) vn_drop(out[k]);
    vn_clear();
}

int main(int argc, char **argv)
{
    check_name = "random arguments";
    use_engine(argc, argv);
    bool native = argc < 2 || !strcmp(argv[1], "native");
    uint64_t calls = argc > 2 ? strtoull(argv[2], NULL, 10) : native ? CALLS_NATIVE / check_part() : CALLS_OTHER;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    CHECK(vn_memory_limit(INT64_C(256) << 20) == VN_OK);
    {
        VN_SCOPE;
        freed = vn_scalar(1);
    }
    for (uint64_t n = first; n < first + calls && check_failures < 20; n++) call(n);
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    CHECK(m.handles < 8 && m.nodes < 8);
    printf("%llu calls, %llu recorded, %llu results computed, %llu differentiated\n", (unsigned long long)calls,
           (unsigned long long)recorded, (unsigned long long)computed, (unsigned long long)differentiated);
    CHECK(recorded && computed && (calls < 1000 || differentiated));
    return finish();
}
