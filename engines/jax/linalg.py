"""linalg.py: factorisations by LAPACK. Signs are normalised afterwards as the op table specifies; matrices with non-finite elements are
replaced before LAPACK and their results set to NaN after. Everything is float32 or
float64."""
import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import OPS, nothing, transposed


def diagonal(x):
    return jnp.diagonal(x, axis1=-2, axis2=-1)


def cholesky(out, options, x):
    if not out.size:
        return nothing(out)
    low = lax.linalg.cholesky(x, symmetrize_input=False)
    good = jnp.all(jnp.isfinite(diagonal(low)), -1)[..., None, None]
    low = jnp.where(good, jnp.tril(low), jnp.nan)
    return transposed(low) if options[0] else low


def triangular(a, b, lower, transpose=False, unit=False):
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=bool(lower), transpose_a=bool(transpose), unit_diagonal=bool(unit))


def solve_triangular(out, options, a, b):
    upper, transpose, unit = options
    return triangular(a, b, not upper, transpose, unit) if out.size else nothing(out)


def qr(out, options, x):
    """Makes r's diagonal non-negative by negating q's columns and r's rows together. r is NaN from the first column with a
    non-finite element on."""
    if not x.size:
        return jnp.broadcast_to(jnp.eye(*out[0].shape[-2:], dtype=x.dtype), out[0].shape), nothing(out[1])
    n = x.shape[-1]
    q, r = lax.linalg.qr(x, full_matrices=bool(options[0]))
    spoilt = jnp.cumsum(jnp.any(~jnp.isfinite(x), -2, keepdims=True), -1) > 0
    r = jnp.triu(jnp.where(spoilt, jnp.nan, r))
    minus = diagonal(r) < 0
    minus = jnp.pad(minus, [(0, 0)] * (minus.ndim - 1) + [(0, q.shape[-1] - n)])
    return jnp.where(minus[..., None, :], -q, q), jnp.triu(jnp.where(minus[..., :, None], -r, r))  # 0 below the diagonal, not -0


def lu_factor(out, options, x):
    if not x.size:
        return nothing(out[0]), nothing(out[1]), jnp.ones(out[2].shape, x.dtype)
    factors, pivots, order = lax.linalg.lu(x)
    swaps = jnp.where(pivots == jnp.arange(pivots.shape[-1], dtype=pivots.dtype), 1, -1)
    return factors, order.astype(out[1].dtype), jnp.prod(swaps, -1).astype(x.dtype)


def solve(out, options, a, b):
    """NaN if a contains one: otherwise how far it spreads would depend on LAPACK's pivots."""
    if not out.size:
        return nothing(out)
    factors, _, order = lax.linalg.lu(a)
    x = jnp.take_along_axis(b, order[..., None], -2)
    x = triangular(factors, triangular(factors, x, True, unit=True), False)
    return jnp.where(jnp.any(jnp.isnan(a), (-2, -1), keepdims=True), jnp.nan, x)


def finite(x):
    """x with zeros for matrices with non-finite elements, and which matrices have none: (batch...)"""
    good = jnp.all(jnp.isfinite(x), (-2, -1))
    return jnp.where(good[..., None, None], x, 0), good


def marked(good, *results):
    """The results, a vector or matrix per matrix, with NaN for the bad ones."""
    return tuple(jnp.where(good.reshape(good.shape + (1,) * (y.ndim - good.ndim)), y, jnp.nan) for y in results)


def signs(vectors):
    """The sign, for each of the columns, of its first component of (nearly) the largest magnitude."""
    size = jnp.abs(vectors)
    first = jnp.argmax(size >= jnp.max(size, -2, keepdims=True) * 0.999, -2, keepdims=True)
    return jnp.where(jnp.take_along_axis(vectors, first, -2) < 0, -1, 1).astype(vectors.dtype)


def eigh(out, options, x):
    if not x.size:
        return tuple(map(nothing, out))
    x, good = finite(jnp.tril(x))
    vectors, values = lax.linalg.eigh(x, lower=True, symmetrize_input=False)
    return marked(good, values, vectors * signs(vectors))


def svd(out, options, x):
    if not x.size:
        return tuple(map(nothing, out))
    x, good = finite(x)
    if not (out.used[0] or out.used[2]):
        (values,) = marked(good, lax.linalg.svd(x, full_matrices=False, compute_uv=False))
        return None, values, None
    u, values, vh = lax.linalg.svd(x, full_matrices=False)
    sign = signs(transposed(vh))
    return marked(good, u * sign, values, vh * transposed(sign))


OPS.update({
    "cholesky": ("float32 float64", cholesky),
    "solve_triangular": ("float32 float64", solve_triangular),
    "qr": ("float32 float64", qr),
    "lu_factor": ("float32 float64", lu_factor),
    "solve": ("float32 float64", solve),
    "eigh": ("float32 float64", eigh),
    "svd": ("float32 float64", svd),
})
