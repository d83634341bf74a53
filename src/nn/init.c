/* SPDX-License-Identifier: Apache-2.0 */
/* init.c: initialisers. An initialiser is plain data; random numbers come from the thread's key. */
#include "nn/nn.h"
#include "base/minmax.h"
#include "nn/objects.h"
#include "core/state.h"
#include "core/dtype.h"
#include "program/node.h"
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <vinea/module.h>

enum { FAN_IN, FAN_OUT, FAN_SUM, FAN_AVG }; /* as the texts of OPTIONS(init_fan) */
enum { CONSTANT = 1, UNIFORM, NORMAL, NORMAL_BY_FAN, TRUNCATED, ORTHOGONAL, IDENTITY, SPARSE };

static const vn_init none = {.kind = VN__NOT_MADE}; /* what a wrong option makes; it fails where it is used */

/* The numbers of an initialiser, checked; `all` of them. */
#define TAKE(name, all) vn__take_numbers(&vn__family_initialiser, name, (int)(sizeof(all) / sizeof *(all)), all)

static vn_init constant(double value)
{
    return (vn_init){.kind = CONSTANT, .mean = value};
}
vn_init vn_init_constant(double value)
{
    double all[] = {value};
    return TAKE("constant", all) ? constant(all[0]) : none;
}
vn_init vn_init_zeros(void)
{
    return constant(0);
}
vn_init vn_init_ones(void)
{
    return constant(1);
}
static vn_init uniform(double numerator, int fan, double power, double gain)
{
    return (vn_init){.kind = UNIFORM, .fan = fan, .scale = numerator, .power = power, .gain = gain};
}
vn_init vn_init_normal(double mean, double std)
{
    double all[] = {mean, std};
    return TAKE("normal", all) ? (vn_init){.kind = NORMAL, .mean = all[0], .scale = all[1]} : none;
}
vn_init vn_init_truncated_normal(double mean, double std)
{
    double all[] = {mean, std};
    return TAKE("truncated_normal", all) ? (vn_init){.kind = TRUNCATED, .mean = all[0], .scale = all[1]} : none;
}

vn_init vn_init_orthogonal(double gain)
{
    double all[] = {gain};
    return TAKE("orthogonal", all) ? (vn_init){.kind = ORTHOGONAL, .gain = all[0]} : none;
}

vn_init vn_init_identity(double gain)
{
    double all[] = {gain};
    return TAKE("identity", all) ? (vn_init){.kind = IDENTITY, .gain = all[0]} : none;
}

vn_init vn_init_sparse(double part, double mean, double std)
{
    double all[] = {part, mean, std};
    return TAKE("sparse", all) ? (vn_init){.kind = SPARSE, .power = all[0], .mean = all[1], .scale = all[2]} : none;
}

/* A normal law with the standard deviation sqrt(numerator / fan). */
static vn_init normal_by_fan(double mean, int fan, double numerator)
{
    return (vn_init){.kind = NORMAL_BY_FAN, .fan = fan, .mean = mean, .scale = numerator, .power = .5, .gain = 1};
}

/* The fan that options name; -1, with the error set, if they are wrong. */
static int fan_of(const char *who, const vn_init_fan_opts *opts)
{
    vn_init_fan_opts o;
    int fan = -1;
    if (!vn__take_options(who, &vn__struct_init_fan, &o, opts)) return fan;
    const char *const *names = vn__struct_init_fan.options[0].texts;
    while (strcmp(names[++fan], o.fan) != 0) continue;
    return fan;
}

vn_init vn_init_uniform(double numerator, double power, double gain, const vn_init_fan_opts *opts)
{
    const int fan = fan_of("init_uniform", opts);
    double all[] = {numerator, power, gain};
    return fan < 0 || !TAKE("uniform", all) ? none : uniform(all[0], fan, all[1], all[2]);
}
vn_init vn_init_kaiming_uniform(double slope, const vn_init_fan_opts *opts)
{
    const int fan = fan_of("init_kaiming_uniform", opts);
    double all[] = {slope};
    return fan < 0 || !TAKE("kaiming_uniform", all) ? none : uniform(6 / (1 + all[0] * all[0]), fan, .5, 1);
}
vn_init vn_init_kaiming_normal(double mean, double slope, const vn_init_fan_opts *opts)
{
    const int fan = fan_of("init_kaiming_normal", opts);
    double all[] = {mean, slope};
    return fan < 0 || !TAKE("kaiming_normal", all) ? none : normal_by_fan(all[0], fan, 2 / (1 + all[1] * all[1]));
}
vn_init vn_init_glorot_uniform(void)
{
    return uniform(6, FAN_SUM, .5, 1);
}
vn_init vn_init_glorot_normal(void)
{
    return normal_by_fan(0, FAN_SUM, 2);
}
vn_init vn_init_lecun_uniform(void)
{
    return uniform(3, FAN_IN, .5, 1);
}
vn_init vn_init_lecun_normal(void)
{
    return normal_by_fan(0, FAN_IN, 1);
}
vn_init vn_init_first_layer_siren(void)
{
    return uniform(1, FAN_IN, 1, 1);
}
vn_init vn_init_siren(double w0)
{
    double all[] = {w0};
    return TAKE("siren", all) ? uniform(6, FAN_IN, .5, 1 / all[0]) : none;
}

static int check(const vn_init *i, int64_t fan_in, int64_t fan_out, vn_dtype dtype)
{
    static const char who[] = "init_array";
    if (vn__check_made(who, "the initialiser", i->kind)) return vn_status();
    if (i->kind < CONSTANT || i->kind > SPARSE) return vn__fail(VN_E_ARG, "%s: not a valid initialiser", who);
    if (!vn__is_dtype(dtype)) return vn__refuse_dtype(who, dtype);
    if (!vn__is(dtype, VN_FLOATS)) return vn__fail(VN_E_DTYPE, "%s: a float dtype is needed", who);
    if (!isfinite(i->mean) || !isfinite(i->scale) || !isfinite(i->power) || !isfinite(i->gain))
        return vn__fail(VN_E_ARG, "%s: an initialiser's number is not finite", who);
    if (i->kind != CONSTANT && i->scale < 0) return vn__fail(VN_E_ARG, "%s: the width %g is negative", who, i->scale);
    if (i->kind != UNIFORM && i->kind != NORMAL_BY_FAN) return VN_OK;
    if (i->fan < FAN_IN || i->fan > FAN_AVG) return vn__fail(VN_E_ARG, "%s: %d is no fan", who, i->fan);
    bool in = i->fan != FAN_OUT, out = i->fan != FAN_IN;
    if ((in && fan_in < 1) || (out && fan_out < 1))
        return vn__fail(VN_E_ARG, "%s: fan in %lld, fan out %lld: this initialiser needs more than 0", who, (long long)fan_in,
                        (long long)fan_out);
    return VN_OK;
}

/* gain (numerator / fan)^power */
static double width(const vn_init *i, double in, double out)
{
    const double fan[] = {[FAN_IN] = in, [FAN_OUT] = out, [FAN_SUM] = in + out, [FAN_AVG] = (in + out) / 2};
    return i->gain * pow(i->scale / fan[i->fan], i->power);
}

static vn_array *normal(double mean, double std, vn_shape shape, vn_dtype dtype)
{
    return vn_normal(vn_random_key(), vn_scalar(mean), vn_scalar(std), shape, dtype);
}

static vn_array *truncated(double mean, double std, vn_shape shape, vn_dtype dtype)
{
    vn_array *z = vn_truncated_normal(vn_random_key(), vn_scalar(-2), vn_scalar(2), shape, dtype);
    return vn_add(vn_mul(z, vn_scalar(std)), vn_scalar(mean));
}

/* q of a matrix of normal numbers: uniformly distributed, since r's diagonal is not negative. */
static vn_array *orthogonal(double gain, vn_shape shape, vn_dtype dtype)
{
    const bool matrix = shape.rank >= 2 && shape.rank <= VN_MAX_RANK;
    const int64_t columns = matrix ? shape.dim[shape.rank - 1] : 0;
    int64_t rows = 1;
    bool fits = columns > 0;
    for (int k = 0; k < shape.rank - 1 && fits; k++) fits = shape.dim[k] > 0 && !__builtin_mul_overflow(rows, shape.dim[k], &rows);
    if (!fits) {
        char s[128];
        vn__fail(VN_E_SHAPE, "init_array: orthogonal: shape %s; two axes or more, none of size 0, are needed",
                 vn__shape_text(vn__min(shape.rank, VN_MAX_RANK), shape.dim, s));
        return NULL;
    }
    const bool wide = rows < columns;
    vn_array *r, *x = normal(0, 1, wide ? VN_SHAPE(columns, rows) : VN_SHAPE(rows, columns), dtype == VN_F64 ? VN_F64 : VN_F32);
    vn_array *q = vn_qr(x, NULL, &r);
    return vn_cast(vn_mul(vn_reshape(wide ? vn_matrix_transpose(q) : q, shape), vn_scalar(gain)), dtype);
}

static bool is_matrix(const char *name, vn_shape shape)
{
    char s[128];
    if (shape.rank == 2) return true;
    vn__fail(VN_E_SHAPE, "init_array: %s: shape %s; two axes are needed", name,
             vn__shape_text(vn__min(vn__max(shape.rank, 0), VN_MAX_RANK), shape.dim, s));
    return false;
}

static vn_array *identity(double gain, vn_shape shape, vn_dtype dtype)
{
    if (!is_matrix("identity", shape)) return NULL;
    return vn_mul(vn_eye(shape.dim[0], shape.dim[1], 0, dtype), vn_scalar(gain));
}

/* In each column the rows whose random numbers are smallest. */
static vn_array *sparse(double part, vn_array *z, vn_shape shape)
{
    if (!is_matrix("sparse", shape) || !z) return NULL;
    const double zeros = ceil(part * (double)shape.dim[0]);
    vn_array *order = vn_argsort(vn_uniform(vn_random_key(), vn_scalar(0), vn_scalar(1), shape, VN_F64), 0, NULL);
    return vn_where(vn_less(vn_argsort(order, 0, NULL), vn_scalar(zeros)), vn_scalar(0), z);
}

/* ---- limits ---- */

static _Thread_local vn__room *limit;

vn__room *vn__init_within(vn__room *room)
{
    vn__room *before = limit;
    limit = room;
    return before;
}

/* Checked before anything is allocated. After a variable was too large, all later ones fail too. */
int vn__take_room(const char *who, vn_shape shape, vn_dtype dtype)
{
    int64_t count = 0, bytes;
    char s[128];
    if (!limit) return VN_OK;
    int code = vn__count(who, shape.rank, shape.dim, (int)dtype, &count);
    bytes = code ? 0 : count * (int64_t)vn_dtype_size(dtype);
    if (!code && !limit->variables) code = vn__fail(VN_E_MEM, "%s: the model has more variables than a model file may have", who);
    if (!code && bytes > limit->left)
        code = vn__fail(VN_E_MEM,
                        "%s: %s of %s takes %lld bytes; the variables of a model may take %lld, and %lld are left. vn_memory_limit (vinea: "
                        "--memory) sets "
                        "another limit",
                        who, vn__shape_text(shape.rank, shape.dim, s), vn_dtype_name(dtype), (long long)bytes, (long long)limit->most,
                        (long long)limit->left);
    limit->variables = code ? 0 : limit->variables - 1;
    limit->left = code ? 0 : limit->left - bytes;
    return code;
}

vn_array *vn_init_array(vn_init init, vn_shape shape, int64_t fan_in, int64_t fan_out, vn_dtype dtype)
{
    if (check(&init, fan_in, fan_out, dtype) || vn__take_room("init_array", shape, dtype)) return NULL;
    VN_SCOPE;
    vn_array *z = NULL;
    double w = init.kind == UNIFORM || init.kind == NORMAL_BY_FAN ? width(&init, (double)fan_in, (double)fan_out) : init.scale;
    switch (init.kind) {
    case CONSTANT: z = vn_full(vn_scalar(init.mean), shape, dtype); break;
    case UNIFORM: z = vn_uniform(vn_random_key(), vn_scalar(-w), vn_scalar(w), shape, dtype); break;
    case TRUNCATED: z = truncated(init.mean, w, shape, dtype); break;
    case ORTHOGONAL: z = orthogonal(init.gain, shape, dtype); break;
    case IDENTITY: z = identity(init.gain, shape, dtype); break;
    case SPARSE: z = sparse(init.power, normal(init.mean, w, shape, dtype), shape); break;
    default: z = normal(init.mean, w, shape, dtype);
    }
    return z ? vn_pass(z) : NULL;
}

/* ---- by name ---- */

#define ROWS_initialiser
#define MAKERS_initialiser
#include "objects_table.inc"

int vn_init_make(const char *name, const vn_option *options, int n, vn_init *to)
{
    if (!to) return vn__fail(VN_E_NULL, "init_make: to is NULL");
    return vn__object_make("init_make", &vn__makers_initialiser, name, options, n, to);
}
