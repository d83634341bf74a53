/* SPDX-License-Identifier: Apache-2.0 */
/* odd_inputs.c: calls of the case lines with one thing changed: the dtype, the rank or a size of an input, an input that is missing, another value of an
 * option. A call gives a result that can be computed, or an error with a message that begins with the op's name; a result comes without an error. */
/* ctest: seconds 2 */
/* ctest: links vinea_suite vinea_base */
/* ctest: shared */
/* ctest: env VINEA_THREADS=1 */
#include "check.h"
#include "conformance/lines/case.h"
#include "conformance/lines/lines.h"

enum { PER_OP = 3, SMALL = 1024 }; /* lines of an op; elements of a result that is computed */

static long calls, errors;

/* The call with these inputs. */
static void call(const test *t, vn_array *const *in, bool compute, const char *what)
{
    VN_SCOPE;
    vn_array *z = test_apply(t, in, false);
    calls++;
    if (z && compute && vn_size(z) <= SMALL) vn_eval(1, &z);
    const vn_code code = vn_status();
    const bool named = !code || strstr(vn_message(), t->info.name) || (t->info.alias && strstr(vn_message(), t->info.alias)),
               sensible = code != VN_E_STRUCT && code != VN_E_CALLBACK && code != VN_E_FREED && code != VN_E_IO && code != VN_E_FORMAT;
    if (!named || !sensible || (!z && !code)) fprintf(stderr, "%s:%d: %s: %s\n", t->file, t->line, what, vn_message());
    CHECK(named && sensible && (z || code));
    errors += code != VN_OK;
    vn_clear();
}

/* ---- inputs ---- */

static vn_array *filled(int dtype, int rank, const int64_t *dims)
{
    vn_shape s = {.rank = rank};
    memcpy(s.dim, dims, (size_t)rank * sizeof *dims);
    return vn_full(vn_scalar_int(1), s, (vn_dtype)dtype);
}

/* in[k] with other dtypes, ranks and sizes. */
static void change_input(const test *t, vn_array **in, int k)
{
    static const int dtypes[] = {VN_BOOL, VN_I8, VN_I64, VN_U64, VN_F16, VN_BF16, VN_F64, VN_C64};
    const operand *o = &t->in[k];
    vn_array *own = in[k];
    const int dtype = o->kind == ARRAY ? o->dtype : VN_F32, rank = o->kind == ARRAY ? o->rank : 0;
    int64_t dims[VN_MAX_RANK + 2] = {0};
    if (o->kind == ARRAY) memcpy(dims, o->dims, (size_t)rank * sizeof *dims);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        in[k] = filled(dtypes[d], rank, dims);
        call(t, in, true, "another dtype");
    }
    in[k] = NULL;
    call(t, in, true, "no input");
    in[k] = VN_NONE;
    call(t, in, true, "VN_NONE");
    in[k] = vn_scalar(1.5);
    call(t, in, true, "a number");
    dims[rank] = 2;
    if (rank < VN_MAX_RANK) in[k] = filled(dtype, rank + 1, dims), call(t, in, true, "an axis more");
    if (rank > 0) in[k] = filled(dtype, rank - 1, dims), call(t, in, true, "the last axis gone");
    if (rank > 1) in[k] = filled(dtype, rank - 1, dims + 1), call(t, in, true, "the first axis gone");
    if (rank > 2) in[k] = filled(dtype, 1, dims), call(t, in, true, "one axis");
    int64_t ones[VN_MAX_RANK];
    for (int a = 0; a < VN_MAX_RANK; a++) ones[a] = 1;
    in[k] = filled(dtype, VN_MAX_RANK, ones);
    call(t, in, true, "as many axes as possible");
    for (int a = 0; a < rank; a++) {
        const int64_t size = dims[a];
        dims[a] = 0, in[k] = filled(dtype, rank, dims), call(t, in, true, "an empty axis");
        dims[a] = size + 1, in[k] = filled(dtype, rank, dims), call(t, in, true, "a longer axis");
        if (size > 1) dims[a] = size - 1, in[k] = filled(dtype, rank, dims), call(t, in, true, "a shorter axis");
        dims[a] = size;
    }
    in[k] = own;
}

/* ---- options ---- */

static void change_option(test *t, vn_array *const *in, int k)
{
    static const int64_t whole[] = {-1, 0, 1, 3, -100, INT64_C(1) << 40, INT64_MAX, INT64_MIN};
    static const double real[] = {-1, 0, 2.5, NAN, INFINITY};
    setting *o = &t->options[k];
    const setting own = *o;
    if (o->kind == VN_OPT_INT)
        for (int v = 0; v < 8; v++) o->whole = whole[v], call(t, in, v < 4, "another number");
    else if (o->kind == VN_OPT_FLOAT)
        for (int v = 0; v < 5; v++) o->real = real[v], call(t, in, v < 3, "another number");
    else if (o->kind == VN_OPT_INTS) {
        for (int i = 0; i < own.n; i++) {
            for (int v = 0; v < 8; v++) o->list[i] = whole[v], call(t, in, v < 4, "another number of a list");
            o->list[i] = own.list[i];
        }
        for (int n = 0; n <= own.n + 1 && n < MAX_LIST; n++)
            o->n = n, o->list[n ? n - 1 : 0] = 1, call(t, in, n > 0, "a list of another length");
        o->n = VN_MAX_RANK + 1;
        for (int i = 0; i < o->n; i++) o->list[i] = 1;
        call(t, in, false, "a list that is too long");
    } else {
        snprintf(o->text, sizeof o->text, "nonsense");
        call(t, in, false, "another word");
    }
    *o = own;
    o->name[0] = '#';
    call(t, in, false, "an option that is none");
    *o = own;
    setting last = t->options[t->n_options - 1];
    t->options[t->n_options - 1] = own, *o = last;
    t->n_options--;
    call(t, in, true, "an option less");
    t->n_options++;
    t->options[t->n_options - 1] = last, *o = own;
}

static void change_all(const line *l)
{
    VN_SCOPE;
    test t;
    vn_array *in[MAX_IN] = {NULL};
    if (!test_parse(&t, l->file, l->number, l->text)) {
        CHECK(!"the line can be read");
        test_free(&t);
        return;
    }
    if (vn_op_number(t.op) < 0) { /* only the library calls it, with inputs that fit */
        vn_clear();
        test_free(&t);
        return;
    }
    for (int k = 0; k < t.n_in; k++) in[k] = operand_array(&t.in[k]);
    CHECK(vn_status() == VN_OK);
    for (int k = 0; k < t.n_in; k++) {
        VN_SCOPE;
        change_input(&t, in, k);
    }
    for (int k = 0; k < t.n_options; k++) change_option(&t, in, k);
    test_free(&t);
}

/* How many lines of an op there were before this one. */
static int before(const char *op)
{
    static struct {
        char op[64];
        int n;
    } seen[4096];
    int k = 0;
    while (seen[k].n && strcmp(seen[k].op, op) != 0) k++;
    snprintf(seen[k].op, sizeof seen[k].op, "%s", op);
    return seen[k].n++;
}

TEST(lines)
{
    int n = 0;
    const line *all = lines_all(&n);
    CHECK(n > 1000);
    for (int k = 0; k < n; k++)
        if (all[k].gives && all[k].small && before(all[k].op) < PER_OP) change_all(&all[k]);
    printf("%ld calls, of which %ld were errors\n", calls, errors);
    CHECK(errors > calls / 10 && errors < calls);
}

int main(int argc, char **argv)
{
    lines_from(VN_TEST_DATA "/../../conformance");
    use_engine(argc, argv);
    run_tests();
    return finish();
}
