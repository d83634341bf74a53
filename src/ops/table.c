/* table.c: the op table at run time, the public functions that come from it, its listing, and vn_call. */
#include "ops/row.h"
#include "base/nearest.h"

/* Dtypes that the table fixes, as in vn__op.in_dtypes. */
#define DTYPE_ 0
#define DTYPE_bool (1 + VN_BOOL)
#define DTYPE_int64 (1 + VN_I64)
#define DTYPE_uint32 (1 + VN_U32)
#define DTYPE_uint64 (1 + VN_U64)
#define DTYPE_float32 (1 + VN_F32)

#include "ops_table.inc"

/* ---- options ---- */

static void put_list(vn__options *o, int32_t n, const int64_t *items)
{
    o->v[o->n].given = true;
    o->v[o->n].n = n;
    for (int k = 0; k < n && k < VN_MAX_RANK; k++) o->v[o->n].is[k] = items[k];
    o->n++;
}

void vn__put_shape(vn__options *o, vn_shape s)
{
    put_list(o, s.rank < 0 ? VN_MAX_RANK + 1 : s.rank, s.dim);
}
void vn__put_order(vn__options *o, vn_axes a)
{
    put_list(o, a.n, a.axis);
}

void vn__put_axes(vn__options *o, vn_axes a)
{
    put_list(o, a.n < 0 ? VN__ALL_AXES : a.n, a.axis);
    vn__put_int(o, a.keep != 0);
}

void vn__put_int(vn__options *o, int64_t i)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.i = i;
}

void vn__put_float(vn__options *o, double f)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.f = f;
}

void vn__put_text(vn__options *o, const char *s)
{
    o->v[o->n].given = true;
    o->v[o->n].n = 1;
    o->v[o->n++].u.s = s;
}

/* ---- texts that options permit ---- */

static const char *text_at(int i, void *texts)
{
    return ((const char *const *)texts)[i];
}

/* The text as the row spells it, whatever its case. NULL, with the error set, where the option has no such text. */
static const char *permitted(const vn__op *op, const vn_op_option *spec, const char *text)
{
    const char *const *texts = spec->texts;
    if (!texts) return text;
    int n = 0;
    for (; texts[n]; n++)
        if (vn__same_word(texts[n], text)) return texts[n];
    vn__text t = {0};
    for (int k = 0; k < n; k++) vn__print(&t, "%s%s", k ? ", " : "", texts[k]);
    const char *near = vn__nearest(text, n, text_at, (void *)(uintptr_t)texts);
    vn__fail(VN_E_ARG, "%s: %s is \"%.40s\"; possible are %s%s%s%s", op->info.name, spec->name, text, t.failed ? "others" : t.text,
             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    vn__free(t.text);
    return NULL;
}

static int not_a_flag(const vn__op *op, const vn_op_option *spec, int64_t value)
{
    return vn__fail(VN_E_ARG, "%s: %s is %lld; it is a flag, 0 or 1", op->info.name, spec->name, (long long)value);
}

/* ---- options as fields of a struct ---- */

/* A struct that is shorter comes from a program built with an older header; one that is longer from a newer one, and may ask for what is
 * not known here. */
static int check_size(const vn__op *op, const char *opts, size_t size)
{
    const char *name = op->info.name;
    if (!size) return vn__fail(VN_E_ARG, "%s: the options' size is 0; make them with VN_OPTS(%s, ...) or VN_INIT(%s)", name, name, name);
    for (size_t k = op->struct_size; k < size; k++) {
        if (opts[k])
            return vn__fail(VN_E_UNSUPPORTED,
                            "%s: its options have fields that this version of the library does not know; they are %zu bytes, "
                            "%zu are known",
                            name, size, op->struct_size);
    }
    return VN_OK;
}

static void put_default(vn__options *o, const vn_op_option *spec)
{
    const vn_option *value = spec->value;
    o->v[o->n].given = true;
    o->v[o->n].n = value->n;
    memcpy(&o->v[o->n++].u, &value->u, sizeof value->u);
}

/* The field that `at` points to. Zero means default, VN_ZERO zero. */
static int put_field(vn__options *o, const vn__op *op, const vn_op_option *spec, const vn__field *f, const char *at)
{
    int flag;
    int64_t i, sizes[3];
    double d;
    const char *text;
    vn_shape list;
    int n = 3;
    switch (f->read) {
    case VN__FIELD_FLAG:
        memcpy(&flag, at, sizeof flag);
        if (flag != 0 && flag != 1) return not_a_flag(op, spec, flag);
        vn__put_int(o, flag);
        return VN_OK;
    case VN__FIELD_INT:
        memcpy(&i, at, sizeof i);
        if (i) vn__put_int(o, i == VN_ZERO ? 0 : i);
        else put_default(o, spec);
        return VN_OK;
    case VN__FIELD_FLOAT:
        memcpy(&d, at, sizeof d);
        if (d != 0) vn__put_float(o, d == (double)VN_ZERO ? 0 : d);
        else put_default(o, spec);
        return VN_OK;
    case VN__FIELD_SIZES:
        memcpy(sizes, at, sizeof sizes);
        while (n && !sizes[n - 1]) n--;
        put_list(o, n, sizes);
        return VN_OK;
    case VN__FIELD_LIST:
        memcpy(&list, at, sizeof list);
        vn__put_shape(o, list);
        return VN_OK;
    default:
        memcpy(&text, at, sizeof text);
        if (!text) return put_default(o, spec), VN_OK;
        text = permitted(op, spec, text);
        if (text) vn__put_text(o, text);
        return text ? VN_OK : VN_E_ARG;
    }
}

int vn__put_fields(vn__options *o, int k, const void *opts)
{
    const vn__op *op = &vn__ops[k];
    const char *bytes = opts;
    size_t size = 0;
    if (opts) {
        memcpy(&size, opts, sizeof size);
        int code = check_size(op, bytes, size);
        if (code) return code;
    }
    const vn__field *f = op->fields;
    for (int j = o->n; j < op->info.n_options; j++, f++) {
        const vn_op_option *spec = &op->info.options[j];
        int code = VN_OK;
        if ((size_t)f->offset + f->bytes > size) put_default(o, spec);
        else code = put_field(o, op, spec, f, bytes + f->offset);
        if (code) return code;
    }
    return VN_OK;
}

#include "ops_api.inc"

/* ---- by name ---- */

uint64_t vn__op_hash(const char *name)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    while (*name) h = (h ^ (unsigned char)*name++) * UINT64_C(0x100000001B3);
    return h;
}

int vn__op_of_hash(uint64_t hash)
{
    int low = 0, high = sizeof by_hash / sizeof *by_hash;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (by_hash[middle].hash == hash) return by_hash[middle].op;
        if (by_hash[middle].hash < hash) low = middle + 1;
        else high = middle;
    }
    return -1;
}

int vn__op_find(const char *name)
{
    int k = vn__op_of_hash(vn__op_hash(name));
    const vn_op_info *info = k < 0 ? NULL : &vn__ops[k].info;
    return info && (!strcmp(info->name, name) || (info->alias && !strcmp(info->alias, name))) ? k : -1;
}

static void list_options(const vn__op *op, vn__text *t)
{
    if (!op->info.n_options) vn__print(t, "it has none");
    for (int k = 0; k < op->info.n_options; k++) vn__print(t, "%s%s", k ? ", " : "", op->info.options[k].name);
}

static int unknown_option(const vn__op *op, const char *name)
{
    vn__text t = {0};
    list_options(op, &t);
    int code = vn__fail(VN_E_ARG, "%s: unknown option \"%s\"; options: %s", op->info.name, name ? name : "(NULL)", t.failed ? "?" : t.text);
    vn__free(t.text);
    return code;
}

static int wrong_kind(const vn__op *op, const vn_op_option *spec, int kind)
{
    return vn__fail(VN_E_ARG, "%s: option %s is of kind %d, %d is needed (%s)", op->info.name, spec->name, kind, spec->kind, spec->type);
}

static int take_list(const vn__op *op, const vn_op_option *spec, const vn_option *from, vn__options *to, int k)
{
    if (from->n < 0 || from->n > VN_MAX_RANK)
        return vn__fail(VN_E_ARG, "%s: option %s has %d items, at most %d are possible", op->info.name, spec->name, from->n, VN_MAX_RANK);
    if (from->n && !from->u.is) return vn__fail(VN_E_NULL, "%s: option %s is NULL", op->info.name, spec->name);
    to->v[k].n = from->n;
    for (int j = 0; j < from->n; j++) to->v[k].is[j] = from->u.is[j];
    return VN_OK;
}

/* One given option into its place. An integer serves as a float. */
static int take(const vn__op *op, const vn_option *from, vn__options *to)
{
    int k = 0;
    while (k < op->info.n_options && (!from->name || strcmp(op->info.options[k].name, from->name) != 0)) k++;
    if (k == op->info.n_options) return unknown_option(op, from->name);
    const vn_op_option *spec = &op->info.options[k];
    if (to->v[k].given) return vn__fail(VN_E_ARG, "%s: option %s is given twice", op->info.name, spec->name);
    to->v[k].given = true;
    to->v[k].n = 1;
    if (from->kind == VN_OPT_INT && spec->kind == VN_OPT_FLOAT) {
        to->v[k].u.f = (double)from->u.i;
        return VN_OK;
    }
    if (from->kind != spec->kind) return wrong_kind(op, spec, from->kind);
    if (spec->kind == VN_OPT_INTS) return take_list(op, spec, from, to, k);
    memcpy(&to->v[k].u, &from->u, sizeof from->u);
    if (spec->kind == VN_OPT_STRING) {
        if (!from->u.s) return vn__fail(VN_E_NULL, "%s: option %s is NULL", op->info.name, spec->name);
        to->v[k].u.s = permitted(op, spec, from->u.s);
        return to->v[k].u.s ? VN_OK : VN_E_ARG;
    }
    return !strcmp(spec->type, "flag") && from->u.i != 0 && from->u.i != 1 ? not_a_flag(op, spec, from->u.i) : VN_OK;
}

static int fill_default(const vn__op *op, int k, vn__options *to)
{
    const vn_op_option *spec = &op->info.options[k];
    if (!spec->value) return vn__fail(VN_E_ARG, "%s: option %s (%s) must be given", op->info.name, spec->name, spec->type);
    vn__options one = {.n = 0};
    put_default(&one, spec);
    to->v[k] = one.v[0];
    return VN_OK;
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
        return vn__fail(VN_E_ARG, "%s: %d inputs given, %d needed", name, n_in, n_in < n ? op->info.n_required : n);
    if (n_out != vn__results(k, n) && (op->info.any_number || n_out != op->info.n_outputs)) return wrong_room(k, n_out, vn__results(k, n));
    vn__options o = {.n = op->info.n_options};
    for (int j = 0; j < n_options; j++) {
        int code = take(op, &options[j], &o);
        if (code) return code;
    }
    for (int j = 0; j < op->info.n_options; j++) {
        int code = o.v[j].given ? VN_OK : fill_default(op, j, &o);
        if (code) return code;
    }
    if (op->info.any_number) return vn__apply_lists(k, n, in, &o, out);
    vn_array *all[VN__MAX_IN], **more[VN__MAX_OUT];
    for (int j = 0; j < n; j++) all[j] = j < n_in ? in[j] : VN_NONE;
    for (int j = 1; j < op->n_results; j++) more[j - 1] = j < n_out ? &out[j] : NULL;
    vn_array *z = vn__apply(k, n, all, &o, more);
    if (!z) return vn_status();
    out[0] = z;
    return VN_OK;
}

/* Ops that are called by name: not those that others are made of, nor those with functions of their own. */
static bool is_listed(int k)
{
    return k >= 0 && k < vn__op_public && vn__ops[k].kind != VN__OP_MOVE && vn__ops[k].kind != VN__OP_TIED;
}

int vn_call(const char *name, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    if (!name || (n_in && !in) || (n_options && !options) || (n_out && !out))
        return vn__fail(VN_E_NULL, "call: the op's name or a list is NULL");
    int k = vn__op_find(name);
    if (!is_listed(k)) return vn__fail(VN_E_ARG, "call: there is no op \"%.80s\"; vn_op_at lists them", name);
    if (n_out > vn__ops[k].info.n_outputs) return wrong_room(k, n_out, vn__ops[k].info.n_outputs);
    return vn__op_call(k, in, n_in, options, n_options, out, n_out);
}

/* All ops with all results, for the conformance suites (conformance/lines/table.h). */
static int all_count(void)
{
    return vn__op_count;
}

static int call_any(const char *name, vn_array *const *in, int n_in, const vn_option *options, int n_options, vn_array **out, int n_out)
{
    int k = vn__op_find(name);
    if (k < vn__op_public && !is_listed(k)) return vn_call(name, in, n_in, options, n_options, out, n_out);
    return vn__op_call(k, in, n_in, options, n_options, out, n_out);
}

static int at_any(int i, vn_op_info *info)
{
    vn__op_at(i, info);
    info->n_outputs = vn__ops[i].n_results;
    return VN_OK;
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

int vn__op_at(int i, vn_op_info *info)
{
    size_t known = info->size && info->size < sizeof *info ? info->size : sizeof *info;
    memcpy(info, &vn__ops[i].info, known);
    info->size = known;
    return VN_OK;
}

int vn_op_at(int i, vn_op_info *info)
{
    if (!info) return vn__fail(VN_E_NULL, "op_at: info is NULL");
    if (i < 0 || i >= vn__op_public) return vn__fail(VN_E_ARG, "op_at: there is no op %d, the table has %d", i, vn__op_public);
    return vn__op_at(i, info);
}
