"""linalg.py: linear algebra by numpy.linalg, with the results and signs the op table defines. Functions get their op's options, then its
inputs.

numpy.linalg raises for a whole batch where one matrix is bad, and has its own way with numbers that are not finite. Such matrices are computed
once more, in plain steps that give inf and NaN where the definition does. LU and triangular systems, which NumPy does not have, go by halves,
so that most of their work is matrix products.
"""
import numpy

TRIANGLE = 64  # rows of a triangle that numpy.linalg.solve takes
COLUMNS = 16  # of an LU that go one by one


def cholesky(upper, x):
    result = _each(numpy.linalg.cholesky, x, x.shape[-2:])
    positive = numpy.isfinite(numpy.diagonal(result, 0, -2, -1)).all(-1)
    if not positive.all():
        result[~positive] = numpy.nan
    return result.swapaxes(-1, -2) if upper else result


def solve_triangular(lower, transpose, unit, a, b):
    x = b.copy()
    if transpose:
        a = a.swapaxes(-1, -2)
    if lower == transpose:
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


def lu_packed(x):
    n = x.shape[-1]
    packed = numpy.empty((*x.shape[:-2], n + 2, n), x.dtype)
    packed[..., :n, :] = x
    packed[..., n, :] = numpy.arange(n)
    packed[..., n + 1, :] = 1
    if packed.size:
        _eliminate(packed.reshape(-1, n + 2, n), 0, n)
    return packed


def qr_packed(complete, x):
    x, bad = _only_finite(x), x
    q, r = numpy.linalg.qr(x, "complete" if complete else "reduced")
    packed = numpy.zeros((*x.shape[:-1], q.shape[-1] + r.shape[-1]), x.dtype)
    packed[..., : q.shape[-1]] = q
    packed[..., : r.shape[-2], q.shape[-1] :] = numpy.triu(r)
    if bad is not x:
        wrong = _not_finite(bad)
        packed[wrong] = [_reflected(matrix, q.shape[-1]) for matrix in bad[wrong]]
    columns, r = x.shape[-1], packed[..., q.shape[-1] :]
    signs = numpy.where(numpy.diagonal(r, 0, -2, -1) < 0, -1, 1).astype(x.dtype)
    packed[..., :columns] *= signs[..., None, :]
    r[..., :columns, :] *= signs[..., None]
    return packed


def eigh_packed(vectors, x):
    n = x.shape[-1]
    packed = _each(_eigh if vectors else _eigvalsh, _only_finite(numpy.tril(x)), (n + 1 if vectors else 1, n))
    packed[_not_finite(numpy.tril(x))] = numpy.nan
    return packed


def svd_packed(vectors, x):
    rows, n = x.shape[-2:]
    packed = _each(_svd if vectors else _svdvals, _only_finite(x), (rows + 1 + n if vectors else 1, n))
    packed[_not_finite(x)] = numpy.nan
    return packed


# ---- batches


def _each(function, x, shape):
    """function(x); where it fails for a matrix, one by one, with NaN of this shape for those that fail."""
    try:
        return function(x)
    except numpy.linalg.LinAlgError:
        result = numpy.full((*x.shape[:-2], *shape), numpy.nan, x.dtype)
    for at in numpy.ndindex(x.shape[:-2]):
        try:
            result[at] = function(x[at])
        except numpy.linalg.LinAlgError:
            pass
    return result


def _not_finite(x):
    return ~numpy.isfinite(x).all((-2, -1))


def _only_finite(x):
    """x with zeros for matrices that have an element that is not finite; x itself where there are none."""
    bad = _not_finite(x)
    return numpy.where(bad[..., None, None], numpy.zeros((), x.dtype), x) if bad.any() else x


# ---- eigenvalues and singular values, packed


def _eigvalsh(x):
    return numpy.linalg.eigvalsh(x)[..., None, :]


def _eigh(x):
    values, vectors = numpy.linalg.eigh(x)
    return numpy.concatenate((values[..., None, :], vectors * _signs(vectors, -2)), -2)


def _svdvals(x):
    return numpy.linalg.svd(x, compute_uv=False)[..., None, :]


def _svd(x):
    u, values, vh = numpy.linalg.svd(x, False)
    signs = _signs(vh, -1)
    return numpy.concatenate((u * signs.swapaxes(-1, -2), values[..., None, :], vh * signs), -2)


def _signs(vectors, axis):
    """-1 for vectors along the axis whose first component of (nearly) the largest magnitude is negative, else 1."""
    if not vectors.size:
        return numpy.ones_like(vectors.sum(axis, keepdims=True))
    sizes = numpy.absolute(vectors)
    first = (sizes >= sizes.max(axis, keepdims=True) * 0.999).argmax(axis, keepdims=True)
    return numpy.where(numpy.take_along_axis(vectors, first, axis) < 0, -1, 1).astype(vectors.dtype)


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
    """Elimination finds nothing to do in an upper triangle. Inf and NaN may come from its products with 0: then row by row."""
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


# ---- LU with partial pivoting, of matrices packed as lu_packed gives them


def _eliminated(a, b):
    """a^-1 b by LU, for systems that numpy.linalg.solve does not take."""
    n = a.shape[-1]
    packed = lu_packed(a)
    x = numpy.take_along_axis(b, packed[..., n, :, None].astype(numpy.int64), -2)
    _solve_lower(packed[..., :n, :], x, True)
    _solve_upper(packed[..., :n, :], x, False)
    return x


def _eliminate(p, first, end):
    """Columns first .. end, the left half before the right one."""
    if end - first <= COLUMNS:
        for column in range(first, end):
            _exchange(p, column)
            _eliminate_column(p, column, end)
        return
    n, middle = p.shape[-1], (first + end) // 2
    _eliminate(p, first, middle)
    right = p[:, first:middle, middle:end]
    _solve_lower(p[:, first:middle, first:middle], right, True)
    p[:, middle:n, middle:end] -= p[:, middle:n, first:middle] @ right
    _eliminate(p, middle, end)


def _exchange(p, column):
    """Brings the row with the largest element of the column up. A NaN is never larger, and nothing is larger than it."""
    n = p.shape[-1]
    sizes = numpy.absolute(p[:, column:n, column])
    sizes[sizes != sizes] = -1
    sizes[:, 0][numpy.isnan(p[:, column, column])] = numpy.inf
    best = sizes.argmax(1) + column
    (changed,) = numpy.nonzero(best != column)
    best = best[changed]
    if not changed.size:
        return
    kept = p[changed, column]
    p[changed, column] = p[changed, best]
    p[changed, best] = kept
    kept = p[changed, n, column]
    p[changed, n, column] = p[changed, n, best]
    p[changed, n, best] = kept
    p[changed, n + 1, column] = -1


def _eliminate_column(p, column, end):
    """A column of zeros is left as it is."""
    some = p[:, column, column] != 0
    if some.all():
        _subtract_column(p, column, end)
    elif some.any():
        p[some] = _subtract_column(p[some], column, end)


def _subtract_column(p, column, end):
    n = p.shape[-1]
    p[:, column + 1 : n, column] /= p[:, column, None, column]
    p[:, column + 1 : n, column + 1 : end] -= p[:, column + 1 : n, column, None] * p[:, column, None, column + 1 : end]
    return p


# ---- QR of a matrix with numbers that are not finite


def _reflected(x, size):
    """q, of `size` columns, beside r, by Householder reflections, which together are I - v s v^T."""
    rows, columns = x.shape
    r, v, s = x.copy(), numpy.zeros_like(x), numpy.zeros((columns, columns), x.dtype)
    for k in range(columns):
        v[k:, k], factor = _reflection(r[k:, k])
        r[k:, k + 1 :] -= numpy.outer(v[k:, k], factor * (v[k:, k] @ r[k:, k + 1 :]))
        s[:k, k] = s[:k, :k] @ (v[:, :k].T @ v[:, k]) * -factor
        s[k, k] = factor
    return numpy.concatenate((numpy.eye(rows, size, dtype=x.dtype) - v @ (s @ v[:size].T), r), 1)


def _reflection(column):
    """v, whose first element is 1, and the factor of I - factor v v^T; the column becomes what that makes of it."""
    v = numpy.zeros_like(column)
    v[0] = 1
    if not column[1:].any():
        return v, v.dtype.type(0)
    first, largest = column[0], numpy.fmax.reduce(numpy.absolute(column))
    norm = largest * numpy.sqrt(numpy.square(column / largest).sum())
    to = norm if first < 0 else -norm
    v[1:] = column[1:] / (first - to)
    column[0], column[1:] = to, 0
    return v, (to - first) / to
