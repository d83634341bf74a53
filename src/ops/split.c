/* SPDX-License-Identifier: Apache-2.0 */
/* split.c: functions with a number of results chosen by the caller: split, unstack, meshgrid, broadcast_arrays. On failure every result is
 * NULL. */
#include "ops/row.h"
#include "core/options.h"

/* The end of every function here. */
static int finish(int n, vn_array **out, bool ok)
{
    if (ok) return VN_OK;
    for (int k = 0; k < n; k++) out[k] = NULL;
    return vn_status();
}

static int check_lists(const char *who, int n, const void *in, const void *out)
{
    if (n < 0) return vn__fail(VN_E_ARG, "%s: %d arrays", who, n);
    if (n && (!in || !out)) return vn__fail(VN_E_NULL, "%s: %s is NULL", who, in ? "out" : "the list of inputs");
    return VN_OK;
}

static int normal_axis(const char *who, const vn_array *x, int64_t *axis)
{
    int rank = vn_rank(x);
    if (*axis < -rank || *axis >= rank) return vn__fail(VN_E_ARG, "%s: axis %lld is outside the rank %d of x", who, (long long)*axis, rank);
    if (*axis < 0) *axis += rank;
    return VN_OK;
}

int vn_split(vn_array *x, int n, const int64_t *sizes, int64_t axis, vn_array **out)
{
    static const char who[] = "split";
    int code = check_lists(who, n, sizes, out);
    if (code) return code;
    if (!vn__check(x, VN__ARRAY, who, "x") || normal_axis(who, x, &axis)) return finish(n, out, false);
    int64_t left = vn_dim(x, (int)axis), all = left;
    bool fits = true;
    for (int k = 0; k < n && fits; k++) {
        fits = sizes[k] >= 0 && sizes[k] <= left;
        left -= fits ? sizes[k] : 0;
    }
    if (!fits || left) {
        vn__fail(VN_E_SHAPE, "%s: the %d sizes do not add up to %lld, the size of axis %lld", who, n, (long long)all, (long long)axis);
        return finish(n, out, false);
    }
    bool ok = true;
    int64_t from = 0;
    for (int k = 0; k < n && ok; from += sizes[k++]) ok = (out[k] = vn__piece(x, (int)axis, from, sizes[k])) != NULL;
    return finish(n, out, ok);
}

int vn_unstack(vn_array *x, int n, int64_t axis, vn_array **out)
{
    static const char who[] = "unstack";
    int code = check_lists(who, n, x, out);
    if (code) return code;
    if (!vn__check(x, VN__ARRAY, who, "x") || normal_axis(who, x, &axis)) return finish(n, out, false);
    if (vn_dim(x, (int)axis) != n) {
        vn__fail(VN_E_SHAPE, "%s: room for %d arrays, axis %lld has size %lld", who, n, (long long)axis, (long long)vn_dim(x, (int)axis));
        return finish(n, out, false);
    }
    bool ok = true;
    for (int k = 0; k < n && ok; k++) ok = (out[k] = vn_squeeze(vn__piece(x, (int)axis, k, 1), VN_AXES(axis))) != NULL;
    return finish(n, out, ok);
}

/* Vector k along axis `at` of the full shape. */
static vn_array *spanned(vn_array *x, int at, vn_shape full)
{
    vn_shape s = full;
    for (int k = 0; k < s.rank; k++) {
        if (k != at) s.dim[k] = 1;
    }
    return vn_broadcast_to(vn_reshape(x, s), full);
}

int vn_meshgrid(int n, vn_array *const *xs, const vn_meshgrid_opts *opts, vn_array **out)
{
    static const char who[] = "meshgrid";
    static const char *const texts[] = {"xy", "ij", NULL};
    static const vn_op_option indexing = {.name = "indexing", .kind = VN_OPT_STRING, .type = "text", .texts = texts};
    int code = check_lists(who, n, xs, out);
    if (code) return code;
    vn_meshgrid_opts o = {0};
    bool ok = !vn__take(&o, sizeof o, opts, who);
    if (!o.indexing) o.indexing = texts[0];
    ok = ok && !vn__check_text(who, &indexing, &o.indexing);
    const bool columns = o.indexing == texts[0];
    if (ok && n > VN_MAX_RANK) ok = (vn__fail(VN_E_SHAPE, "%s: %d vectors, at most %d are allowed", who, n, VN_MAX_RANK), false);
    vn_shape full = {.rank = n > VN_MAX_RANK ? 0 : n};
    for (int k = 0; k < n && ok; k++) { /* "xy" swaps the first two axes */
        ok = vn__check(xs[k], VN__ARRAY, who, "xs");
        if (ok && vn_rank(xs[k]) > 1)
            ok = (vn__fail(VN_E_SHAPE, "%s: array %d has rank %d, a vector is needed", who, k, vn_rank(xs[k])), false);
        if (ok) full.dim[columns && n > 1 && k < 2 ? 1 - k : k] = vn_size(xs[k]);
    }
    for (int k = 0; k < n && ok; k++) ok = (out[k] = spanned(xs[k], columns && n > 1 && k < 2 ? 1 - k : k, full)) != NULL;
    return finish(n, out, ok);
}

/* Broadcasts `s` with the shape of x. */
static bool widen_shape(vn_shape *s, const vn_array *x, int number, const char *who)
{
    if (!vn__check(x, VN__ARRAY, who, "xs")) return false;
    vn_shape old = *s, t = vn_shape_of(x);
    s->rank = vn__max(old.rank, t.rank);
    for (int k = 0; k < s->rank; k++) {
        int ka = k - s->rank + old.rank, kb = k - s->rank + t.rank;
        int64_t a = ka < 0 ? 1 : old.dim[ka], b = kb < 0 ? 1 : t.dim[kb];
        char p[128], q[128];
        if (a != b && a != 1 && b != 1)
            return vn__fail(VN_E_SHAPE, "%s: shape %s of array %d does not broadcast with %s", who, vn__shape_text(t.rank, t.dim, p),
                            number, vn__shape_text(old.rank, old.dim, q)),
                   false;
        s->dim[k] = a == 1 ? b : a;
    }
    return true;
}

int vn_broadcast_arrays(int n, vn_array *const *xs, vn_array **out)
{
    static const char who[] = "broadcast_arrays";
    int code = check_lists(who, n, xs, out);
    if (code) return code;
    vn_shape s = {.rank = 0};
    bool ok = true;
    for (int k = 0; k < n && ok; k++) ok = widen_shape(&s, xs[k], k, who);
    for (int k = 0; k < n && ok; k++) ok = (out[k] = vn_broadcast_to(xs[k], s)) != NULL;
    return finish(n, out, ok);
}
