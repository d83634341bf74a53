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


def searchsorted(right, x, values):
    return numpy.asarray(numpy.searchsorted(x, values, "right" if right else "left"))


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
    at, inside = _places(index.reshape(-1), length)
    y = y.reshape(outer, at.size, inner)
    if not inside.all():
        at, y = at[inside], y[:, inside]
    return x.reshape(outer, length, inner), at, y
