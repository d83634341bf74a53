# SPDX-License-Identifier: Apache-2.0
"""linalg.py: factorisations by LAPACK. Signs are normalised afterwards as the op table specifies; matrices with non-finite elements are
replaced before LAPACK and their results set to NaN after. Everything is in
single or double precision."""
import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import OPS, nothing, transposed


def adjoint(x):
    return jnp.conj(transposed(x))


def not_a_number(x):
    """Of x's dtype, with both parts if that is complex."""
    return jnp.array(complex(jnp.nan, jnp.nan) if jnp.iscomplexobj(x) else jnp.nan, x.dtype)


def phases(x):
    """The numbers of absolute value 1 whose products with x are not negative."""
    if not jnp.iscomplexobj(x):
        return jnp.where(x < 0, -1, 1).astype(x.dtype)
    size = jnp.abs(x)
    return jnp.where(size > 0, jnp.conj(x) / jnp.where(size > 0, size, 1), 1).astype(x.dtype)


def diagonal(x):
    return jnp.diagonal(x, axis1=-2, axis2=-1)


def cholesky(out, x, *, upper):
    if not out.size:
        return nothing(out)
    low = lax.linalg.cholesky(x, symmetrize_input=False)
    good = jnp.all(jnp.isfinite(diagonal(low)), -1)[..., None, None]
    low = jnp.where(good, jnp.tril(low), not_a_number(low))
    return adjoint(low) if upper else low


def triangular(a, b, lower, transpose=False, unit=False):
    return lax.linalg.triangular_solve(a, b, left_side=True, lower=bool(lower), transpose_a=bool(transpose), unit_diagonal=bool(unit))


def solve_triangular(out, a, b, *, upper, transpose, unit):
    return triangular(a, b, not upper, transpose, unit) if out.size else nothing(out)


def qr(out, x, *, complete):
    """Makes r's diagonal non-negative by multiplying q's columns and r's rows with conjugate numbers. r is NaN from the first column with a
    non-finite element on."""
    if not x.size:
        return jnp.broadcast_to(jnp.eye(*out[0].shape[-2:], dtype=x.dtype), out[0].shape), nothing(out[1])
    n = x.shape[-1]
    q, r = lax.linalg.qr(x, full_matrices=bool(complete))
    spoilt = jnp.cumsum(jnp.any(~jnp.isfinite(x), -2, keepdims=True), -1) > 0
    r = jnp.triu(jnp.where(spoilt, not_a_number(r), r))
    by = phases(diagonal(r))
    by = jnp.pad(by, [(0, 0)] * (by.ndim - 1) + [(0, q.shape[-1] - n)], constant_values=1)
    return q * jnp.conj(by)[..., None, :], jnp.triu(r * by[..., :, None])  # 0 below the diagonal, not -0


def lu_factor(out, x):
    if not x.size:
        return nothing(out[0]), nothing(out[1]), jnp.ones(out[2].shape, x.dtype)
    factors, pivots, order = lax.linalg.lu(x)
    swaps = jnp.where(pivots == jnp.arange(pivots.shape[-1], dtype=pivots.dtype), 1, -1)
    return factors, order.astype(out[1].dtype), jnp.prod(swaps, -1).astype(x.dtype)


def solve(out, a, b):
    """NaN if a contains one: otherwise how far it spreads would depend on LAPACK's pivots."""
    if not out.size:
        return nothing(out)
    factors, _, order = lax.linalg.lu(a)
    x = jnp.take_along_axis(b, order[..., None], -2)
    x = triangular(factors, triangular(factors, x, True, unit=True), False)
    return jnp.where(jnp.any(jnp.isnan(a), (-2, -1), keepdims=True), not_a_number(x), x)


def finite(x):
    """x with zeros for matrices with non-finite elements, and which matrices have none: (batch...)"""
    good = jnp.all(jnp.isfinite(x), (-2, -1))
    return jnp.where(good[..., None, None], x, 0), good


def marked(good, *results):
    """The results, a vector or matrix per matrix, with NaN for the bad ones."""
    return tuple(jnp.where(good.reshape(good.shape + (1,) * (y.ndim - good.ndim)), y, not_a_number(y)) for y in results)


def main_phases(vectors):
    """The factors of the columns that make their first components of (nearly) the largest magnitude positive."""
    size = jnp.abs(vectors)
    first = jnp.argmax(size >= jnp.max(size, -2, keepdims=True) * 0.999, -2, keepdims=True)
    return phases(jnp.take_along_axis(vectors, first, -2))


def eigh(out, x):
    if not x.size:
        return tuple(map(nothing, out))
    x, good = finite(jnp.tril(x))
    vectors, values = lax.linalg.eigh(x, lower=True, symmetrize_input=False)
    return marked(good, values, vectors * main_phases(vectors))


def scale_of(x):
    """A power of two near the largest element of each matrix: (batch..., 1, 1). 1 for zeros."""
    size = jnp.maximum(jnp.abs(x.real), jnp.abs(x.imag)) if jnp.iscomplexobj(x) else jnp.abs(x)
    largest = jnp.max(size, (-2, -1), keepdims=True)
    most = jnp.finfo(largest.dtype).maxexp - 10  # its inverse is a normal number too
    return jnp.ldexp(jnp.ones_like(largest), jnp.clip(jnp.frexp(largest)[1], -most, most))


def eig_unordered(out, x):
    """By LAPACK, on the CPU. Eigenvalues beyond 1e138 or below 1e-138 would come out scaled."""
    if not x.size:
        return tuple(map(nothing, out))
    x, good = finite(x)
    scale = scale_of(x)
    values, vectors = lax.linalg.eig(x / scale, compute_left_eigenvectors=False)
    return marked(good, values * scale[..., 0], vectors)


def svd(out, x):
    if not x.size:
        return tuple(map(nothing, out))
    x, good = finite(x)
    if not (out.used[0] or out.used[2]):
        (values,) = marked(good, lax.linalg.svd(x, full_matrices=False, compute_uv=False))
        return None, values, None
    u, values, vh = lax.linalg.svd(x, full_matrices=False)
    by = main_phases(transposed(vh))
    return marked(good, u * jnp.conj(by), values, vh * transposed(by))


PRECISE = "float32 float64 complex"

OPS.update({
    "cholesky": (PRECISE, cholesky),
    "solve_triangular": (PRECISE, solve_triangular),
    "qr": (PRECISE, qr),
    "lu_factor": (PRECISE, lu_factor),
    "solve": (PRECISE, solve),
    "eigh": (PRECISE, eigh),
    "eig_unordered": (PRECISE, eig_unordered),
    "svd": (PRECISE, svd),
})
