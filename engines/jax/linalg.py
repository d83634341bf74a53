"""linalg.py: factorisations by LAPACK. What is not unique about them is settled by the rows' rules afterwards; matrices that LAPACK must
not see (numbers that are not finite) are replaced before and their results after. Halves are computed in float32."""
import jax.numpy as jnp
from jax import lax

from _vinea_replay import OPS, nothing, widen


def turned(x):
    return jnp.swapaxes(x, -1, -2)


def diagonal(x):
    return jnp.diagonal(x, axis1=-2, axis2=-1)


def cholesky(out, options, x):
    if not out.size:
        return nothing(out)
    low = lax.linalg.cholesky(*widen(out, x), symmetrize_input=False)
    good = jnp.all(jnp.isfinite(diagonal(low)), -1)[..., None, None]
    low = jnp.where(good, jnp.tril(low), jnp.nan)
    return (turned(low) if options[0] else low).astype(out.dtype)


def triangular(a, b, lower, transpose=False, unit=False):
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=bool(lower), transpose_a=bool(transpose), unit_diagonal=bool(unit))


def solve_triangular(out, options, a, b):
    return triangular(*widen(out, a, b), *options).astype(out.dtype) if out.size else nothing(out)


def qr_packed(out, options, x):
    """No negative number on r's diagonal: q's columns and r's rows change their signs together. r is NaN from the first column on that
    holds a number that is not finite."""
    if not out.size:
        return nothing(out)
    (x,) = widen(out, x)
    m, n = x.shape[-2:]
    q, r = lax.linalg.qr(x, full_matrices=bool(options[0]))
    spoilt = jnp.cumsum(jnp.any(~jnp.isfinite(x), -2, keepdims=True), -1) > 0
    r = jnp.where(spoilt, jnp.nan, r[..., :n, :])
    minus = diagonal(r) < 0
    r = jnp.where(minus[..., :, None], -r, r)
    q = jnp.where(jnp.pad(minus, [(0, 0)] * (minus.ndim - 1) + [(0, q.shape[-1] - n)])[..., None, :], -q, q)
    r = jnp.pad(jnp.triu(r), [(0, 0)] * (r.ndim - 2) + [(0, m - n), (0, 0)])
    return jnp.concatenate([q, r], -1)


def lu_packed(out, options, x):
    if not out.size:
        return nothing(out)
    factors, pivots, order = lax.linalg.lu(*widen(out, x))
    swaps = jnp.where(pivots == jnp.arange(pivots.shape[-1], dtype=pivots.dtype), 1, -1)
    rows = [y[..., None, :].astype(out.dtype) for y in (order, swaps)]
    return jnp.concatenate([factors, *rows], -2)


def solve(out, options, a, b):
    """NaN where a holds one: how far it gets otherwise is up to the pivots that LAPACK takes beside it."""
    if not out.size:
        return nothing(out)
    a, b = widen(out, a, b)
    factors, _, order = lax.linalg.lu(a)
    x = jnp.take_along_axis(b, order[..., None], -2)
    x = triangular(factors, triangular(factors, x, True, unit=True), False)
    return jnp.where(jnp.any(jnp.isnan(a), (-2, -1), keepdims=True), jnp.nan, x).astype(out.dtype)


def finite(x):
    """x with zeros for the matrices that hold a number that is not finite, and which are without."""
    good = jnp.all(jnp.isfinite(x), (-2, -1), keepdims=True)
    return jnp.where(good, x, 0), good


def signs(vectors):
    """The sign, for each of the columns, of its first component of (nearly) the largest magnitude."""
    size = jnp.abs(vectors)
    first = jnp.argmax(size >= jnp.max(size, -2, keepdims=True) * 0.999, -2, keepdims=True)
    return jnp.where(jnp.take_along_axis(vectors, first, -2) < 0, -1, 1).astype(vectors.dtype)


def eigh_packed(out, options, x):
    if not out.size:
        return nothing(out)
    x, good = finite(jnp.tril(*widen(out, x)))
    vectors, values = lax.linalg.eigh(x, lower=True, symmetrize_input=False)
    packed = values[..., None, :]
    if options[0]:
        packed = jnp.concatenate([packed, vectors * signs(vectors)], -2)
    return jnp.where(good, packed, jnp.nan)


def svd_packed(out, options, x):
    if not out.size:
        return nothing(out)
    x, good = finite(*widen(out, x))
    if options[0]:
        u, values, vh = lax.linalg.svd(x, full_matrices=False)
        sign = signs(turned(vh))
        packed = jnp.concatenate([u * sign, values[..., None, :], vh * turned(sign)], -2)
    else:
        packed = lax.linalg.svd(x, full_matrices=False, compute_uv=False)[..., None, :]
    return jnp.where(good, packed, jnp.nan)


OPS.update({
    "cholesky": cholesky,
    "solve_triangular": solve_triangular,
    "qr_packed": qr_packed,
    "lu_packed": lu_packed,
    "solve": solve,
    "eigh_packed": eigh_packed,
    "svd_packed": svd_packed,
})
