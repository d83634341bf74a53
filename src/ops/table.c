/* SPDX-License-Identifier: Apache-2.0 */
/* table.c: the op table at run time: the op list and vn_call. functions.c has the functions of ops. */
/* compiled for speed */
#include "ops/row.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "core/options.h"
#include <math.h>

/* Fixed dtypes, as in vn_op_info.input_dtypes. */
#define DTYPE_ VN_NO_DTYPE
#define DTYPE_bool VN_BOOL
#define DTYPE_int64 VN_I64
#define DTYPE_int32 VN_I32
#define DTYPE_uint32 VN_U32
#define DTYPE_uint64 VN_U64
#define DTYPE_float32 VN_F32

#include "ops_table.inc"

/* ---- by name ---- */

uint64_t vn__op_hash(const char *name)
{
    return vn__hash_text(name);
}

int vn__op_of_hash(uint64_t hash)
{
    int low = 0, high = sizeof by_hash / sizeof *by_hash;
    while (low < high) {
        const int middle = low + (high - low) / 2, op = by_hash[middle];
        if (vn__ops[op].hash == hash) return op;
        if (vn__ops[op].hash < hash) low = middle + 1;
        else high = middle;
    }
    for (size_t k = 0; k < sizeof aliases / sizeof *aliases; k++)
        if (aliases[k].hash == hash) return aliases[k].op;
    return -1;
}

int vn__op_find(const char *name)
{
    int k = vn__op_of_hash(vn__op_hash(name));
    const vn__op_facts *info = k < 0 ? NULL : &vn__ops[k].info;
    return info && (!strcmp(info->name, name) || (info->alias && !strcmp(info->alias, name))) ? k : -1;
}

static int wrong_room(int k, int n_out, int needed)
{
    return vn__fail(VN_E_ARG, "%s: room for %d results, it has %d", vn__ops[k].info.name, n_out, needed);
}

int vn__op_call(int k, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    const vn__op *op = &vn__ops[k];
    const char *name = op->info.name;
    int n = op->info.any_number ? n_in : op->info.n_inputs;
    if (n_in < op->info.n_required || n_in > n)
        return vn__fail(VN_E_ARG, "%s: %d inputs given, %d needed", name, n_in, n_in > n ? n : op->info.n_required);
    if ((op->info.any_number || n_out < 1 || n_out > op->info.n_outputs) && n_out != vn__results(k, n))
        return wrong_room(k, n_out, vn__results(k, n));
    vn__options o;
    int code = op->info.n_options || n_options ? vn__take_named(&o, name, op->info.n_options, op->info.options, n_options, options) : VN_OK;
    if (code) return code;
    if (op->info.any_number) return vn__apply_lists(k, n, in, &o, out);
    vn_array *all[VN__MAX_IN], **more[VN__MAX_OUT];
    for (int j = 0; j < n && n_in < n; j++) all[j] = j < n_in ? in[j] : VN_NONE;
    for (int j = 1; j < op->n_results; j++) more[j - 1] = j < n_out ? &out[j] : NULL;
    vn_array *z = vn__apply(k, n, n_in < n ? all : in, &o, more);
    if (!z) return vn_status();
    out[0] = z;
    return VN_OK;
}

/* The names, then the aliases. */
static const char *listed_name(int k, void *unused)
{
    (void)unused;
    return k < vn__op_public ? vn__ops[k].info.name : vn__ops[k - vn__op_public].info.alias;
}

int vn__op_unknown(const char *who, const char *name)
{
    char near[128];
    return vn__fail(VN_E_ARG, "%s: there is no op \"%.80s\"%s (vn_op_at lists them)", who, name,
                    vn__did_you_mean(name, 2 * vn__op_public, listed_name, NULL, near));
}

/* The number of a listed op; -1 with the error set. */
static int number_of(const char *who, const char *name)
{
    if (!name) return vn__fail(VN_E_NULL, "%s: the op's name is NULL", who), -1;
    int k = vn__op_find(name);
    return k >= 0 && k < vn__op_public ? k : (vn__op_unknown(who, name), -1);
}

static int check_number(const char *who, int k)
{
    if (k >= 0 && k < vn__op_public) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: there is no op %d, the table has %d", who, k, vn__op_public);
}

/* A call of a listed op, with the results that its public function shows. */
static int call(int k, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    if ((n_in && !in) || (n_options && !options) || (n_out && !out))
        return vn__fail(VN_E_NULL, "%s: a list of inputs, options or results is NULL", vn__ops[k].info.name);
    for (int j = 0; j < n_out; j++) out[j] = NULL;
    if (n_out > vn__ops[k].info.n_outputs) return wrong_room(k, n_out, vn__ops[k].info.n_outputs);
    return vn__op_call(k, in, n_in, options, n_options, out, n_out);
}

int vn_call(const char *name, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    int k = number_of("call", name);
    if (k < 0 && out)
        for (int j = 0; j < n_out; j++) out[j] = NULL;
    return k < 0 ? (int)vn_status() : call(k, in, n_in, options, n_options, out, n_out);
}

int vn_call_number(int op, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    vn__state *s = vn__enter();
    if (!s) return VN_E_MEM;
    const size_t before = s->n_entries;
    int code = check_number("call_number", op);
    if (!code) code = call(op, in, n_in, options, n_options, out, n_out);
    else if (out)
        for (int j = 0; j < n_out; j++) out[j] = NULL;
    vn__scope_own(s, before, code ? 0 : n_out, out);
    return code;
}

/* All ops with all results, for the conformance suites (conformance/lines/table.h). */
static int all_count(void)
{
    return vn__op_count;
}

static int call_any(const char *name, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    int k = vn__op_find(name);
    if (k < 0 || vn__ops[k].kind == VN__OP_MOVE || vn__ops[k].kind == VN__OP_TIED) return vn__op_unknown("call", name);
    return vn__op_call(k, in, n_in, options, n_options, out, n_out);
}

static int at_any(int i, vn_op_info *info)
{
    int code = vn__op_at(i, info);
    if (!code) info->n_outputs = vn__ops[i].n_results;
    return code;
}

static int results_of(const char *name, int n_in)
{
    int k = vn__op_find(name);
    return k < 0 ? 0 : vn__results(k, n_in);
}

VN_API const vn__op_access vn__all_ops = {all_count, at_any, call_any, results_of};

int vn_op_count(void)
{
    return vn__op_public;
}

static int give(const char *who, int i, vn_op_info *info)
{
    const vn__op_facts *f = &vn__ops[i].info;
    const vn_op_info known = {.size = sizeof known,
                              .option_size = sizeof(vn_op_option),
                              .name = f->name,
                              .kind = f->kind,
                              .doc = f->doc,
                              .section = f->section,
                              .no_gradient = f->no_gradient,
                              .alias = f->alias,
                              .n_inputs = f->n_inputs,
                              .n_required = f->n_required,
                              .n_options = f->n_options,
                              .n_outputs = f->n_outputs,
                              .any_number = f->any_number,
                              .differentiable = f->differentiable,
                              .inputs = f->inputs,
                              .outputs = f->outputs,
                              .input_dtypes = f->input_dtypes,
                              .options = f->options,
                              .dtypes = f->dtypes,
                              .traits = f->traits};
    return VN__GIVE(who, vn_op_info, info, &known);
}

int vn__op_at(int i, vn_op_info *info)
{
    return give("op_at", i, info);
}

int vn_op_at(int i, vn_op_info *info)
{
    int code = check_number("op_at", i);
    return code ? code : vn__op_at(i, info);
}

int vn_op_number(const char *name)
{
    return number_of("op_number", name);
}

int vn_op_named(const char *name, vn_op_info *info)
{
    int k = number_of("op_named", name);
    return k < 0 ? (int)vn_status() : give("op_named", k, info);
}
