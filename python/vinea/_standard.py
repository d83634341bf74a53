# SPDX-License-Identifier: Apache-2.0
"""The functions of the Python Array API standard whose signatures differ from the op table's, in terms of the table's functions.

This is the only place that knows both. Arguments that the standard wants by keyword may also be given by position, as in NumPy. Everything that is the same by name and arguments comes straight from the table (_namespace.py).
"""
import builtins
import collections
import math
import operator

from . import _vinea
from ._dtypes import all as _dtype_of, dtype as _dtype, finfo as _finfo, iinfo as _iinfo, isdtype as _isdtype, result_type
from ._vinea import Array

# Results are named as their types are, so that pickle finds them.
EigResult = collections.namedtuple("EigResult", ["eigenvalues", "eigenvectors"])
EighResult = collections.namedtuple("EighResult", ["eigenvalues", "eigenvectors"])
QRResult = collections.namedtuple("QRResult", ["Q", "R"])
SVDResult = collections.namedtuple("SVDResult", ["U", "S", "Vh"])
UniqueAllResult = collections.namedtuple("UniqueAllResult", ["values", "indices", "inverse_indices", "counts"])
UniqueCountsResult = collections.namedtuple("UniqueCountsResult", ["values", "counts"])
UniqueInverseResult = collections.namedtuple("UniqueInverseResult", ["values", "inverse_indices"])
_inexact = ("real floating", "complex floating")


def _is_inexact(x):
    """Whether x is an array that derivatives can be taken by."""
    return isinstance(x, Array) and _isdtype(x.dtype, _inexact)


def _axes(axis, ndim):
    """An axis, several, or None for all, as a tuple of numbers from 0."""
    try:
        axes = range(ndim) if axis is None else (axis,) if hasattr(axis, "__index__") else axis
        axes = [operator.index(a) for a in axes]
    except TypeError:
        raise TypeError(f"axis is an integer or a sequence of integers, not {axis!r}") from None
    for a in axes:
        if not -ndim <= a < ndim:
            raise ValueError(f"axis {a} is out of range for {ndim} axes")
    return tuple(a % ndim for a in axes)


def _axis(axis, ndim):
    """One axis as a number from 0."""
    if not hasattr(axis, "__index__"):
        raise TypeError(f"axis is an integer, not {axis!r}")
    return _axes(axis, ndim)[0]


def _host(device):
    if device not in (None, "cpu"):
        raise ValueError(f"device: all arrays are on 'cpu', not {device!r}")


def functions(op, engine):
    """The standard's functions by name, for a namespace whose table is `op`; those of its linalg and fft parts in dicts of their own."""

    # ---- creation ----

    def asarray(obj, /, dtype=None, device=None, copy=None):
        """An array of numbers, of nested sequences, or of an array of any library, which is not copied unless it must be."""
        _host(device)
        return _vinea.asarray(obj, dtype, copy, engine)

    def _array(x):
        """What the table's functions make of an argument: the array itself, or one of numbers, sequences and arrays of other libraries."""
        return x if isinstance(x, Array) else _vinea.asarray(x, None, None, engine)

    def from_dlpack(other, /, device=None, copy=None):
        """An array over the memory of another library's, without a copy unless asked for."""
        _host(device)
        if not hasattr(other, "__dlpack__"):
            raise TypeError(f"from_dlpack: {type(other)} has no __dlpack__")
        return _vinea.asarray(other, None, copy, engine)

    def arange(start, /, stop=None, step=1, dtype=None, device=None):
        _host(device)
        start, stop = (0, start) if stop is None else (start, stop)
        numbers = [x.item() if isinstance(x, Array) else x for x in (start, stop, step)]
        y = op.arange(*numbers, result_type(*numbers) if dtype is None else dtype)
        if not _isdtype(y.dtype, _inexact) or not any(_is_inexact(x) for x in (start, step)):
            return y
        first, step = (op.cast(asarray(x), y.dtype) for x in (start, step))  # derivatives pass
        return first + op.arange(0, y.size, 1, y.dtype) * step

    def full(shape, fill_value, dtype=None, device=None):
        value = asarray(fill_value, dtype=dtype, device=device)
        return op.broadcast_to(value, shape)

    def full_like(x, /, fill_value, dtype=None, device=None):
        x = _array(x)
        return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device)

    def zeros(shape, dtype=None, device=None):
        _host(device)
        return op.zeros(shape, dtype)

    def ones(shape, dtype=None, device=None):
        _host(device)
        return op.ones(shape, dtype)

    def empty(shape, dtype=None, device=None):
        """Zeros: every array has defined values."""
        return zeros(shape, dtype=dtype, device=device)

    def zeros_like(x, /, dtype=None, device=None):
        return op.zeros_like(x) if dtype is None else zeros(_array(x).shape, dtype=dtype, device=device)

    def ones_like(x, /, dtype=None, device=None):
        return op.ones_like(x) if dtype is None else ones(_array(x).shape, dtype=dtype, device=device)

    def empty_like(x, /, dtype=None, device=None):
        """Zeros of the shape of x."""
        return zeros_like(x, dtype=dtype, device=device)

    def eye(n_rows, n_cols=None, /, k=0, dtype=None, device=None):
        _host(device)
        n_cols = n_rows if n_cols is None else n_cols
        return op.eye(n_rows, n_cols, builtins.max(-n_rows, builtins.min(k, n_cols)), dtype)  # beyond these it is all zeros

    def _between(start, stop, num, dtype, endpoint):
        """linspace of arrays, through which derivatives pass."""
        ends = [asarray(x) for x in (start, stop)]
        wanted = dtype or ("complex64" if any(_isdtype(x.dtype, "complex floating") for x in ends) else "float32")
        a, b = (op.reshape(op.cast(x, wanted), ()) for x in ends)
        t = op.linspace(0, 1, num, wanted, not endpoint)
        return a * (1 - t) + b * t

    def linspace(start, stop, /, num, dtype=None, device=None, endpoint=True):
        _host(device)
        if any(_is_inexact(x) for x in (start, stop)):
            return _between(start, stop, num, dtype, endpoint)
        values = [x if isinstance(x, (int, float, complex)) else _array(x).item() for x in (start, stop)]
        wanted = _dtype(dtype) if dtype is not None else _dtype_of["complex64" if any(isinstance(x, complex) for x in values) else "float32"]
        real, imag = ([getattr(x, name) for x in values] for name in ("real", "imag"))
        return op.linspace(*real, num, wanted, not endpoint, *imag)

    def meshgrid(*arrays, indexing="xy"):
        """Vectors as arrays of as many axes, each along one of them."""
        if indexing not in ("xy", "ij"):
            raise ValueError("meshgrid: indexing is 'xy' or 'ij'")
        n, order = len(arrays), list(range(len(arrays)))
        if indexing == "xy" and n > 1:
            order[:2] = 1, 0
        placed = [op.reshape(op.flatten(x), [-1 if a == order[k] else 1 for a in range(n)]) for k, x in enumerate(arrays)]
        return broadcast_arrays(*placed)

    # ---- dtypes and shapes ----

    def astype(x, dtype, /, copy=True, device=None):
        _host(device)
        return x if not copy and isinstance(x, Array) and x.dtype == dtype else op.cast(x, dtype)

    def broadcast_shapes(*shapes):
        """The shape that arrays of these shapes broadcast to."""
        out = []
        for sizes in zip(*([1] * (builtins.max(map(len, shapes), default=0) - len(s)) + list(s) for s in shapes)):
            rest = {n for n in sizes if n != 1}
            if len(rest) > 1 or builtins.min(sizes) < 0:
                raise ValueError(f"shapes {shapes} do not broadcast")
            out.append(rest.pop() if rest else 1)
        return tuple(out)

    def broadcast_arrays(*arrays):
        """All arrays broadcast to their common shape."""
        arrays = [_array(x) for x in arrays]
        shape = broadcast_shapes(*(x.shape for x in arrays))
        return tuple(op.broadcast_to(x, shape) for x in arrays)

    def concat(arrays, /, axis=0):
        return op.concat([op.flatten(x) for x in arrays], 0) if axis is None else op.concat(arrays, axis)

    def expand_dims(x, /, axis=0):
        x = _array(x)
        axes = (axis,) if hasattr(axis, "__index__") or not hasattr(axis, "__len__") else axis
        n = x.ndim + len(axes)
        try:
            new = _axes(axes, n)
        except ValueError as e:
            raise IndexError(f"expand_dims: {e}") from None
        if len(set(new)) < len(new):
            raise ValueError("expand_dims: an axis is named twice")
        sizes = iter(x.shape)
        return op.reshape(x, [1 if k in new else next(sizes) for k in range(n)])

    def squeeze(x, /, axis=None):
        x = _array(x)
        return op.squeeze(x, [k for k, n in enumerate(x.shape) if n == 1] if axis is None else _axes(axis, x.ndim))

    def flip(x, /, axis=None):
        x = _array(x)
        return op.flip(x, _axes(axis, x.ndim)) if x.ndim else x

    def moveaxis(x, source, destination, /):
        return op.moveaxis(x, source, destination)

    def repeat(x, repeats, /, axis=None):
        if axis is None:
            x, axis = op.flatten(x), 0
        if isinstance(repeats, int):
            return op.repeat(x, repeats, axis)
        return op.repeat_counts(x, repeats, axis)

    def reshape(x, /, shape, copy=None):
        y = op.reshape(x, shape)
        return asarray(y, copy=True) if copy else y

    def roll(x, /, shift, axis=None):
        if axis is None:
            x = _array(x)
            return op.reshape(op.roll(op.flatten(x), shift, 0), x.shape)
        return op.roll(x, shift, axis)

    def tile(x, repetitions, /):
        return op.tile(x, repetitions)

    def split(x, parts, /, axis=0):
        """x cut along an axis into so many equal parts, or into parts of these sizes, as a tuple."""
        x = _array(x)
        axis = _axis(axis, x.ndim)
        n, sizes = x.shape[axis], parts
        if hasattr(parts, "__index__"):
            count = operator.index(parts)
            if count < 1 or n % count:
                raise ValueError(f"split: {n} elements along axis {axis} are not {count} equal parts")
            sizes = [n // count] * count
        sizes = [operator.index(size) for size in sizes]
        if builtins.sum(sizes) != n or builtins.min(sizes, default=0) < 0:
            raise ValueError(f"split: parts of {sizes} are not the {n} elements along axis {axis}")
        ends = [builtins.sum(sizes[:k]) for k in range(len(sizes) + 1)]
        return tuple(x[(slice(None),) * axis + (slice(a, b),)] for a, b in zip(ends, ends[1:]))

    def unstack(x, /, axis=0):
        """The parts of x along an axis, as a tuple."""
        x = _array(x)
        axis = _axis(axis, x.ndim)
        return tuple(x[(slice(None),) * axis + (k,)] for k in range(x.shape[axis]))

    # ---- elements ----

    def clip(x, /, min=None, max=None):
        if isinstance(x, Array) and _isdtype(x.dtype, "integral"):  # a bound beyond the dtype is none
            least, most = _iinfo(x.dtype).min, _iinfo(x.dtype).max
            min = None if type(min) is int and min < least else min
            max = None if type(max) is int and max > most else max
        y = op.clip(x, min, max) if min is not None or max is not None else op.positive(x)
        if not isinstance(x, Array) or y.dtype == x.dtype or (_is_inexact(y) and not _is_inexact(x)):  # integers between floats become floats
            return y
        return op.cast(y, x.dtype)

    def where(condition, x=None, y=None):
        """x where the condition holds, y elsewhere; of the condition alone, as in NumPy, the positions where it holds: nonzero(condition)."""
        return nonzero(condition) if x is None and y is None else op.where(condition, x, y)

    def take(x, indices, /, axis=None):
        """The parts of x at these positions of an axis, or of the flattened x."""
        indices = asarray(indices)
        if axis is None:
            return op.flatten(x)[indices]
        x = _array(x)
        return x[(slice(None),) * _axis(axis, x.ndim) + (indices,)]

    def take_along_axis(x, indices, /, axis=-1):
        return op.take_along_axis(x, indices, axis)

    def put_along_axis(x, index, y=None, axis=-1, add=False, *, values=None):
        """x with the elements that take_along_axis would read replaced by y, or y added to them; out of range nothing happens. With NumPy's
        keyword, put_along_axis(x, index, values=y, axis=axis), x itself gets the new value, as by assignment, and is returned."""
        if (y is None) == (values is None):
            raise TypeError("put_along_axis: y, for a new array, or values, which changes x, is needed")
        if values is None:
            return op.put_along_axis(x, index, y, axis, add)
        if not isinstance(x, Array):
            raise TypeError(f"put_along_axis: values changes x, which must be an array, not {x!r}")
        x[...] = op.put_along_axis(x, index, values, axis, add)
        return x

    def bincount(x, weights=None, minlength=None, *, length=None):
        """How often each of 0, 1, 2 ... occurs in x, or the sum of the weights, of x's shape, where it does. As
        long as the largest number needs and at least minlength, which computes x at once, and numbers below 0 are a ValueError; or of a length,
        and numbers below 0 or beyond it are not counted."""
        if minlength is not None and length is not None:
            raise TypeError("bincount: minlength or length is possible, not both")
        if length is not None:
            return op.bincount(x, weights, length=length)
        counts = op.bincount(x, weights, length=0 if minlength is None else minlength, grow=True)
        x = _array(x)
        if x.size and (least := op.min(x).item()) < 0:
            raise ValueError(f"bincount: x contains {least}; without length, which leaves such numbers out, all are 0 or more")
        return counts

    def nonzero(x, /):
        """The positions of the elements that are not zero: one array for each axis."""
        x = _array(x)
        if not x.ndim:
            raise ValueError("nonzero: x has no axes")
        at = op.nonzero(x)
        return tuple(at[:, k] for k in range(x.ndim))

    def searchsorted(x1, x2, /, side="left", sorter=None):
        if side not in ("left", "right"):
            raise ValueError("searchsorted: side is 'left' or 'right'")
        return op.searchsorted(x1, x2, sorter, side == "right")

    def argsort(x, /, axis=-1, descending=False, stable=True):
        x = _array(x)
        return op.argsort(x, axis, descending) if x.ndim else op.zeros_like(op.cast(x, "int64"))

    def sort(x, /, axis=-1, descending=False, stable=True):
        x = _array(x)
        return op.sort(x, axis, descending) if x.ndim else x

    def isin(x1, x2, /, *, invert=False):
        if isinstance(x2, (bool, int, float, complex)):
            return _array(x1) != x2 if invert else _array(x1) == x2
        return op.isin(x1, x2, invert)

    def unique_all(x, /):
        """The distinct elements; where each comes first; for each element its place among them; how often each occurs."""
        u = op.unique(_array(x))
        return UniqueAllResult(u.values, u.indices, u.inverse, u.counts)

    def unique_counts(x, /):
        """The distinct elements and how often each occurs."""
        u = op.unique_counts(_array(x))
        return UniqueCountsResult(u.values, u.counts)

    def unique_inverse(x, /):
        """The distinct elements and for each element of x its place among them."""
        u = op.unique_inverse(_array(x))
        return UniqueInverseResult(u.values, u.inverse)

    def unique_values(x, /):
        """The distinct elements."""
        return op.unique_values(_array(x))

    # ---- reductions ----

    def sum(x, /, axis=None, dtype=None, keepdims=False):
        return op.sum(x, axis, keepdims) if dtype is None else op.cast(op.sum(op.cast(x, dtype), axis, keepdims), dtype)

    def prod(x, /, axis=None, dtype=None, keepdims=False):
        return op.prod(x, axis, keepdims) if dtype is None else op.cast(op.prod(op.cast(x, dtype), axis, keepdims), dtype)

    def std(x, /, axis=None, keepdims=False, correction=0.0, *, ddof=None):
        return op.std(x, axis, keepdims, correction if ddof is None else ddof)  # NumPy's name for it

    def var(x, /, axis=None, keepdims=False, correction=0.0, *, ddof=None):
        return op.var(x, axis, keepdims, correction if ddof is None else ddof)

    def _cumulative(f, x, axis, dtype, include_initial):
        x = _array(x)
        if axis is None and x.ndim != 1:
            raise ValueError(f"{f.__name__}: axis is needed, since x has {x.ndim} axes")
        axis = 0 if axis is None else axis
        y = f(x if dtype is None else op.cast(x, dtype), axis, include_initial=include_initial)
        return y if dtype is None else op.cast(y, dtype)

    def cumulative_sum(x, /, axis=None, dtype=None, include_initial=False):
        return _cumulative(op.cumulative_sum, x, axis, dtype, include_initial)

    def cumulative_prod(x, /, axis=None, dtype=None, include_initial=False):
        return _cumulative(op.cumulative_prod, x, axis, dtype, include_initial)

    def diff(x, /, n=1, axis=-1, prepend=None, append=None):
        return op.diff(x, prepend, append, axis, n)

    # ---- linear algebra ----

    def tensordot(x1, x2, /, axes=2):
        if hasattr(axes, "__index__"):
            n = _array(x1).ndim
            axes = list(range(n - axes, n)), list(range(axes))
        elif not hasattr(axes, "__len__") or len(axes) != 2:
            raise TypeError(f"tensordot: axes is a number of axes, or the axes of x1 and those of x2, not {axes!r}")
        return op.tensordot(x1, x2, list(axes[0]), list(axes[1]))

    def einsum(xs, /, *more, equation=None):
        """Sums of products: einsum([x, y], "ij,jk->ik"), or as in NumPy einsum("ij,jk->ik", x, y)."""
        if isinstance(xs, str):
            xs, equation = list(more), xs
        elif equation is None and len(more) == 1:
            equation = more[0]
        elif more or equation is None:
            raise TypeError("einsum: the arrays and an equation are needed, einsum([x, y], 'ij,jk->ik') or einsum('ij,jk->ik', x, y)")
        return op.einsum(xs, equation)

    def vecdot(x1, x2, /, axis=-1):
        return op.cast(op.vecdot(x1, x2, axis), result_type(x1, x2))

    def eig(x, /):
        return EigResult(*op.eig(x))

    def eigh(x, /):
        return EighResult(*op.eigh(x))

    def qr(x, /, mode="reduced"):
        if mode not in ("reduced", "complete"):
            raise ValueError("qr: mode is 'reduced' or 'complete'")
        return QRResult(*op.qr(x, mode == "complete"))

    def svd(x, /, full_matrices=True):
        return SVDResult(*op.svd(x, full_matrices))

    def matrix_norm(x, /, *, keepdims=False, ord="fro"):
        if isinstance(ord, float):
            ord = int(ord) if ord.is_integer() else str(ord)  # "inf" and "-inf" are called so
        return op.matrix_norm(x, "fro" if ord is None else str(ord), keepdims)

    def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
        return op.norm(x, axis, keepdims, ord)

    def matrix_rank(x, /, *, rtol=None):
        x = _array(x)
        if x.ndim < 2:
            raise ValueError("matrix_rank: x has at least two axes")
        return op.matrix_rank(x, rtol)

    def pinv(x, /, rtol=None):
        return op.pinv(x, rtol)

    def lstsq(a, b, rcond=None, *, rtol=None):
        """The x of smallest length for which a x is nearest to b, a vector or matrices; the sums of squares of b - a x; the rank of a; its singular
        values, of which those up to rtol times the largest count as 0. NumPy calls it rcond; below 0 that is the dtype's epsilon."""
        if rcond is not None and rtol is not None:
            raise TypeError("lstsq: rcond and rtol are the same; one of them is possible")
        if isinstance(rcond, (int, float)) and rcond < 0:
            rcond = _finfo(result_type(a, b, 1.0)).eps
        return op.lstsq(a, b, rtol if rcond is None else rcond)

    def trace(x, /, offset=0, dtype=None):
        return op.trace(x, offset) if dtype is None else op.cast(op.trace(op.cast(x, dtype), offset), dtype)

    # ---- Fourier transforms ----

    def fftfreq(n, /, d=1.0, dtype=None, device=None):
        _host(device)
        return op.fftfreq(n, d, dtype)

    def rfftfreq(n, /, d=1.0, dtype=None, device=None):
        _host(device)
        return op.rfftfreq(n, d, dtype)

    fft = dict(fftfreq=fftfreq, rfftfreq=rfftfreq)
    linalg = dict(tensordot=tensordot, vecdot=vecdot, lstsq=lstsq, eig=eig, eigh=eigh, qr=qr, svd=svd, matrix_norm=matrix_norm, vector_norm=vector_norm,
                  matrix_rank=matrix_rank, pinv=pinv, trace=trace, matrix_transpose=op.matrix_transpose, diagonal=op.diagonal)
    main = {name: f for name, f in locals().items() if not name.startswith("_") and name not in ("op", "engine", *fft)}
    return main
