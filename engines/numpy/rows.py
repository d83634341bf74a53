# SPDX-License-Identifier: Apache-2.0
"""rows.py: softmax, layer norm and running reductions; the first two block by block, so that intermediate results stay in cache. Functions get the
options that their rows name, then the op's inputs; half precision arrives as float32.
"""
import numpy

BLOCK = 1 << 16  # elements at once


def softmax(axis, x):
    out = numpy.empty(x.shape, x.dtype)
    for block in _blocks(x, axis):
        part = _less_largest(x[block], axis, out[block])
        numpy.exp(part, part)
        part /= part.sum(axis, keepdims=True)
    return out


def log_softmax(axis, x):
    out = numpy.empty(x.shape, x.dtype)
    for block in _blocks(x, axis):
        part = _less_largest(x[block], axis, out[block])
        part -= numpy.log(numpy.exp(part).sum(axis, keepdims=True))
    return out


def layer_norm(axes, epsilon, x, weight=None, bias=None):
    out, axes = numpy.empty(x.shape, x.dtype), tuple(axes)
    for block in _blocks(x, axes[0]) if axes[0] else [...]:
        part = numpy.subtract(x[block], x[block].mean(axes, keepdims=True), out[block])
        part /= numpy.sqrt(numpy.square(part).mean(axes, keepdims=True) + x.dtype.type(epsilon))
        if weight is not None:
            part *= weight
        if bias is not None:
            part += bias
    return out


def cummax(axis, reverse, used, x):
    return _running(numpy.maximum, axis, reverse, used, x)


def cummin(axis, reverse, used, x):
    return _running(numpy.minimum, axis, reverse, used, x)


def _running(ufunc, axis, reverse, used, x):
    """The extreme so far, and its position: the last one where an element was as extreme, or NaN."""
    x = numpy.flip(x, axis) if reverse else x
    values, indices = ufunc.accumulate(x, axis), None
    if used[1]:
        n = x.shape[axis]
        hit = numpy.equal(x, values)
        if x.dtype.kind == "f":
            hit |= numpy.isnan(x)
        places = numpy.arange(n).reshape([n if k == axis else 1 for k in range(x.ndim)])
        indices = numpy.maximum.accumulate(numpy.where(hit, places, 0), axis)
        indices = numpy.flip(n - 1 - indices, axis) if reverse else indices
    return (numpy.flip(values, axis) if reverse else values), indices


def logcumsumexp(axis, reverse, x):
    x = numpy.flip(x, axis) if reverse else x
    sums = numpy.logaddexp.accumulate(x, axis, numpy.float64)
    return numpy.flip(sums, axis) if reverse else sums


def _less_largest(x, axis, out):
    return numpy.subtract(x, x.max(axis, keepdims=True), out)


def _blocks(x, axis):
    """Blocks of indices along the first axis, or along the last one if the op works along the first; a single block if that is
    the only axis.
    """
    if x.size == 0:
        return []
    if x.ndim == 1:
        return [...]
    along = x.shape[0 if axis else -1]
    step = max(1, BLOCK * along // x.size)
    slices = [slice(first, first + step) for first in range(0, along, step)]
    return slices if axis else [(..., block) for block in slices]
