# SPDX-License-Identifier: Apache-2.0
"""indexing.py: indexing and sorting.

Functions get the options that their rows name, then its inputs. Positions (int64) below 0 count from the end of an axis. Out of range, reads give NaN, or 0
where the dtype has none, and writes do nothing.
"""
import math

import numpy


def take(axis, x, index):
    try:
        return numpy.asarray(numpy.take(x, index, axis))
    except IndexError:
        return _take_what_is_there(axis, x, index)


def index_add(axis, x, index, y):
    """Adds into x, in order for repeated positions. numpy.add.at is fast only on vectors, so x is one."""
    columns, at, y = _columns(axis, x, index, y)
    outer, length, inner = columns.shape
    if outer * inner != 1:
        at = (numpy.arange(outer)[:, None, None] * length + at[:, None]) * inner + numpy.arange(inner)
    numpy.add.at(x.reshape(-1), at.reshape(-1), y.reshape(-1))


def index_set(axis, x, index, y):
    """Writes into x; the last one wins for repeated positions."""
    columns, at, y = _columns(axis, x, index, y)
    columns[:, at] = y


def concat(axis, *xs):
    return numpy.concatenate(xs, axis)


def argsort(axis, descending, x):
    """Stable; NaN is the largest. Descending order is the reversed order of the reversed elements."""
    if not descending:
        return numpy.argsort(x, axis, "stable")
    order = numpy.flip(numpy.argsort(numpy.flip(x, axis), axis, "stable"), axis)
    return numpy.subtract(x.shape[axis] - 1, order, order)


def sort(axis, descending, x):
    """As argsort orders them. Of equal elements only 0 and -0 can be told apart, so that without -0 any order of equal ones will do."""
    minus_0 = x.dtype.kind == "f" and (x.view(f"u{x.itemsize}") == 1 << (8 * x.itemsize - 1)).any()
    kind = "stable" if minus_0 or x.itemsize <= 2 else None  # of small dtypes it is the faster one
    return numpy.flip(numpy.sort(numpy.flip(x, axis), axis, kind), axis) if descending else numpy.sort(x, axis, kind)


def bincount(length, x):
    """Numbers that are not in 0 ... length - 1 are not counted."""
    x = x.reshape(-1)
    if x.size and (x.min() < 0 or x.max() >= length):
        x = x[(x >= 0) & (x < length)]
    return numpy.bincount(x, minlength=length)


def segment_max(segments, x, index):
    return _segment_extreme(numpy.maximum, -1, segments, x, index)


def segment_min(segments, x, index):
    return _segment_extreme(numpy.minimum, 1, segments, x, index)


def searchsorted(right, x, values):
    return numpy.asarray(numpy.searchsorted(x, values, "right" if right else "left"))


def _segment_extreme(ufunc, sign, segments, x, index):
    """Slices of x along its first axis by the segment each belongs to; of none the number that every other is more extreme than."""
    limits = None if x.dtype.kind == "f" else numpy.iinfo(x.dtype)
    none = sign * numpy.inf if limits is None else limits.max if sign > 0 else limits.min
    result = numpy.full((segments,) + x.shape[1:], none, x.dtype)
    inside = (index >= 0) & (index < segments)
    if not inside.all():
        index, x = index[inside], x[inside]
    inner = math.prod(x.shape[1:])
    at = index if inner == 1 else index[:, None] * inner + numpy.arange(inner)
    ufunc.at(result.reshape(-1), at.reshape(-1), x.reshape(-1))
    return result


def _places(index, length):
    """Nonnegative positions, and which of them are in range."""
    at = numpy.where(index < 0, index + length, index)
    return at, (at >= 0) & (at < length)


def _take_what_is_there(axis, x, index):
    at, inside = _places(index, x.shape[axis])
    result = numpy.empty(x.shape[:axis] + index.shape + x.shape[axis + 1 :], x.dtype)
    if x.shape[axis]:
        numpy.take(x, numpy.where(inside, at, 0), axis, result, "wrap")
    result[(slice(None),) * axis + (~inside,)] = 0 if x.dtype.kind in "biu" else numpy.nan
    return result


def _columns(axis, x, index, y):
    """x as (outer, length, inner), a view; the positions in range; y's columns for them, (outer, positions, inner)."""
    outer, length, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    at = index.reshape(-1)
    y = y.reshape(outer, at.size, inner)
    if at.size and not (at.min() >= 0 and at.max() < length):
        at, inside = _places(at, length)
        at, y = at[inside], y[:, inside]
    return x.reshape(outer, length, inner), at, y
