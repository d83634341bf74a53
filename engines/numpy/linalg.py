# SPDX-License-Identifier: Apache-2.0
"""linalg.py: linear algebra by numpy.linalg, with the results and signs the op table defines. Functions get the options that their rows name, for an
op with several results which of them are used, then its inputs.

numpy.linalg raises for a whole batch if one matrix is bad, and handles non-finite numbers differently. Such matrices are
recomputed in plain steps that give inf and NaN where the definition does. LU and triangular systems, which NumPy lacks, are computed by recursive
halving, so that most of the work is matrix products. Everything is in single or double precision.
"""
import numpy

TRIANGLE = 64  # largest triangle passed to numpy.linalg.solve
COLUMNS = 16  # columns of an LU that are processed one by one


def cholesky(upper, x):
    (result,) = _each(lambda x: (numpy.linalg.cholesky(x),), x, _nan(x.shape, x.dtype))
    positive = numpy.isfinite(numpy.diagonal(result, 0, -2, -1)).all(-1)
    if not positive.all():
        result[~positive] = _nan((), x.dtype)
    return _adjoint(result) if upper else result


def solve_triangular(upper, transpose, unit, a, b):
    x = b.copy()
    if transpose:
        a = a.swapaxes(-1, -2)
    if upper != transpose:
        _solve_upper(a, x, unit)
    else:
        _solve_lower(a, x, unit)
    return x


def solve(a, b):
    try:
        x = numpy.linalg.solve(a, b)
        bad = ~numpy.isfinite(x).all((-2, -1))
    except numpy.linalg.LinAlgError:
        x, bad = numpy.empty(b.shape, b.dtype), numpy.ones(b.shape[:-2], bool)
    if bad.any():
        x[bad] = _eliminated(a[bad], b[bad])
    return x


def lu_factor(used, x):
    n = x.shape[-1]
    factors, permutation, sign = x.copy(), numpy.empty(x.shape[:-1], numpy.int64), numpy.ones(x.shape[:-2], x.dtype)
    permutation[...] = numpy.arange(n)
    if x.size:
        _eliminate((factors.reshape(-1, n, n), permutation.reshape(-1, n), sign.reshape(-1)), 0, n)
    return factors, permutation, sign


def qr(complete, used, x):
    x, given = _only_finite(x), x
    if used[0] or complete or given is not x:
        q, r = numpy.linalg.qr(x, "complete" if complete else "reduced")
    else:
        q, r = None, numpy.linalg.qr(x, "r")
    if given is not x:
        for at in map(tuple, numpy.argwhere(_not_finite(given))):
            q[at], r[at] = _reflected(given[at], q.shape[-1])
    columns = x.shape[-1]
    phases = _phases(numpy.diagonal(r, 0, -2, -1))
    r[..., :columns, :] *= phases[..., None]
    r = numpy.triu(r)  # 0 below the diagonal, not -0
    if q is not None:
        q[..., :columns] *= phases[..., None, :].conj()
    return q, r


def eigh(used, x):
    return _finite_only(_eigh if used[1] else _eigvalsh, numpy.tril(x), _nan(x.shape[:-1], x.real.dtype), _nan(x.shape, x.dtype))


def eig_unordered(used, x):
    made = numpy.result_type(x.dtype, numpy.complex64)
    return _finite_only(_eig if used[1] else _eigvals, x, _nan(x.shape[:-1], made), _nan(x.shape, made))


def svd(used, x):
    batch, n = x.shape[:-2], x.shape[-1]
    failed = _nan(x.shape, x.dtype), _nan((*batch, n), x.real.dtype), _nan((*batch, n, n), x.dtype)
    return _finite_only(_svd if used[0] or used[2] else _svdvals, x, *failed)


# ---- batches


def _each(function, x, *failed):
    """function(x), a tuple; if it fails for the batch, matrix by matrix, with what `failed` has for those that fail."""
    try:
        return function(x)
    except numpy.linalg.LinAlgError:
        results = [result.copy() for result in failed]
    for at in numpy.ndindex(x.shape[:-2]):
        try:
            for result, made in zip(results, function(x[at])):
                if made is not None:
                    result[at] = made
        except numpy.linalg.LinAlgError:
            pass
    return tuple(results)


def _finite_only(function, x, *failed):
    """_each, with what `failed` has for matrices with non-finite elements too."""
    results, bad = _each(function, _only_finite(x), *failed), _not_finite(x)
    for result, value in zip(results, failed):
        if result is not None and bad.any():
            result[bad] = value[bad]
    return results


def _nan(shape, dtype):
    """Both parts of complex numbers are NaN."""
    value = complex(numpy.nan, numpy.nan) if dtype.kind == "c" else numpy.nan
    return numpy.broadcast_to(numpy.array(value, dtype), shape)


def _not_finite(x):
    return ~numpy.isfinite(x).all((-2, -1))


def _only_finite(x):
    """x with zeros for matrices with non-finite elements; x itself if there are none."""
    bad = _not_finite(x)
    return numpy.where(bad[..., None, None], numpy.zeros((), x.dtype), x) if bad.any() else x


# ---- eigenvalues and singular values


def _eigvalsh(x):
    return numpy.linalg.eigvalsh(x), None


def _eigh(x):
    values, vectors = numpy.linalg.eigh(x)
    return values, vectors * _main_phases(vectors, -2)


def _eigvals(x):
    return numpy.linalg.eigvals(x).astype(numpy.result_type(x.dtype, numpy.complex64)), None


def _eig(x):
    return tuple(result.astype(numpy.result_type(x.dtype, numpy.complex64)) for result in numpy.linalg.eig(x))


def _svdvals(x):
    return None, numpy.linalg.svd(x, compute_uv=False), None


def _svd(x):
    u, values, vh = numpy.linalg.svd(x, False)
    phases = _main_phases(vh, -1)
    return u * _adjoint(phases), values, vh * phases


def _main_phases(vectors, axis):
    """The factors of vectors along the axis that make their first components of (nearly) the largest magnitude positive."""
    if not vectors.size:
        return numpy.ones_like(vectors.sum(axis, keepdims=True))
    sizes = numpy.absolute(vectors)
    first = (sizes >= sizes.max(axis, keepdims=True) * 0.999).argmax(axis, keepdims=True)
    return _phases(numpy.take_along_axis(vectors, first, axis))


def _phases(x):
    """The numbers of absolute value 1 whose products with x are not negative."""
    if x.dtype.kind != "c":
        return numpy.where(x < 0, -1, 1).astype(x.dtype)
    size = numpy.absolute(x)
    return numpy.where(size > 0, x.conj() / numpy.where(size > 0, size, 1), 1).astype(x.dtype)


def _adjoint(x):
    return x.swapaxes(-1, -2).conj()


# ---- triangular systems: x = a^-1 x, in place; only the triangle is read


def _solve_lower(a, x, unit):
    _solve_upper(a[..., ::-1, ::-1], x[..., ::-1, :], unit)


def _solve_upper(a, x, unit):
    n = a.shape[-1]
    if n <= TRIANGLE:
        _solve_at_once(a, x, unit)
        return
    half = n // 2
    _solve_upper(a[..., half:, half:], x[..., half:, :], unit)
    x[..., :half, :] -= a[..., :half, half:] @ x[..., half:, :]
    _solve_upper(a[..., :half, :half], x[..., :half, :], unit)


def _solve_at_once(a, x, unit):
    """LU elimination does nothing to an upper triangle. Its products with 0 may give inf and NaN: then row by row."""
    triangle = numpy.triu(a, 1) + numpy.eye(a.shape[-1], dtype=a.dtype) if unit else numpy.triu(a)
    try:
        solved = numpy.linalg.solve(triangle, x)
    except numpy.linalg.LinAlgError:
        solved = None
    if solved is not None and numpy.isfinite(solved).all():
        x[...] = solved
        return
    for row in range(a.shape[-1] - 1, -1, -1):
        x[..., row, :] -= (a[..., row, None, row + 1 :] @ x[..., row + 1 :, :])[..., 0, :]
        if not unit:
            x[..., row, :] /= a[..., row, row, None]


# ---- LU with partial pivoting. lu: factors (batch, n, n), permutation (batch, n), sign (batch), all changed in place


def _eliminated(a, b):
    """a^-1 b by LU, for systems that numpy.linalg.solve refuses."""
    factors, permutation, _ = lu_factor(None, a)
    x = numpy.take_along_axis(b, permutation[..., None], -2)
    _solve_lower(factors, x, True)
    _solve_upper(factors, x, False)
    return x


def _eliminate(lu, first, end):
    """Columns first ... end, recursively: the left half, then the right."""
    factors = lu[0]
    if end - first <= COLUMNS:
        for column in range(first, end):
            _exchange(*lu, column)
            _eliminate_column(factors, column, end)
        return
    middle = (first + end) // 2
    _eliminate(lu, first, middle)
    right = factors[:, first:middle, middle:end]
    _solve_lower(factors[:, first:middle, first:middle], right, True)
    factors[:, middle:, middle:end] -= factors[:, middle:, first:middle] @ right
    _eliminate(lu, middle, end)


def _exchange(factors, permutation, sign, column):
    """Swaps up the row with the largest element of the column. Comparisons with NaN are false."""
    sizes = numpy.absolute(factors[:, column:, column])
    sizes[sizes != sizes] = -1
    sizes[:, 0][numpy.isnan(factors[:, column, column])] = numpy.inf
    best = sizes.argmax(1) + column
    (changed,) = numpy.nonzero(best != column)
    best = best[changed]
    if not changed.size:
        return
    for rows in (factors, permutation):
        kept = rows[changed, column]
        rows[changed, column] = rows[changed, best]
        rows[changed, best] = kept
    sign[changed] *= -1


def _eliminate_column(p, column, end):
    """Skips a column of zeros."""
    some = p[:, column, column] != 0
    if some.all():
        _subtract_column(p, column, end)
    elif some.any():
        p[some] = _subtract_column(p[some], column, end)


def _subtract_column(p, column, end):
    p[:, column + 1 :, column] /= p[:, column, None, column]
    p[:, column + 1 :, column + 1 : end] -= p[:, column + 1 :, column, None] * p[:, column, None, column + 1 : end]
    return p


# ---- QR of a matrix with numbers that are not finite


def _reflected(x, size):
    """q with `size` columns and r with `size` rows, by Householder reflections, whose product is I - v s v^H."""
    rows, columns = x.shape
    r, v, s = x.copy(), numpy.zeros_like(x), numpy.zeros((columns, columns), x.dtype)
    for k in range(columns):
        v[k:, k], factor = _reflection(r[k:, k])
        r[k:, k + 1 :] -= numpy.outer(v[k:, k], factor.conj() * (v[k:, k].conj() @ r[k:, k + 1 :]))
        s[:k, k] = s[:k, :k] @ (v[:, :k].conj().T @ v[:, k]) * -factor
        s[k, k] = factor
    return numpy.eye(rows, size, dtype=x.dtype) - v @ (s @ v[:size].conj().T), r[:size]


def _reflection(column):
    """v, whose first element is 1, and the factor of the reflection I - factor v v^H, whose adjoint is applied to the column."""
    v = numpy.zeros_like(column)
    v[0] = 1
    if not column[1:].any() and column[0].imag == 0:
        return v, v.dtype.type(0)
    first, largest = column[0], numpy.fmax.reduce(numpy.absolute(column))
    norm = largest * numpy.sqrt(numpy.square(numpy.absolute(column / largest)).sum())
    to = norm if first.real < 0 else -norm
    v[1:] = column[1:] / (first - to)
    column[0], column[1:] = to, 0
    return v, (to - first) / to
