# SPDX-License-Identifier: Apache-2.0
"""windows.py: convolution and pooling of x [N, in..., C], tap by tap.

Functions get the options that their rows name, then its inputs. A tap is one element of the window. Its elements of x are a strided slice, and so are the
results that use it. A convolution copies the windows of a block of results into the rows of a matrix; padding is applied per block.
"""
import itertools
import math

import numpy
from numpy.lib.stride_tricks import as_strided

BLOCK = 1 << 18  # elements of such a matrix, which stays in cache until its product


def conv(strides, padding, dilation, groups, x, w):
    if groups > 1 and w.shape[-2] == 1:
        return _depthwise(strides, padding, dilation, x, w)
    window, sizes = w.shape[:-2], _sizes(x.shape[1:-1], w.shape[:-2], strides, padding, dilation)
    y = numpy.empty((x.shape[0], *sizes, w.shape[-1]), x.dtype)
    filters = _filters(w, groups)
    for part, shape, low in _blocks(x, sizes, window, strides, padding):
        met, to = _collect(x, groups, part[0], shape, window, strides, low, dilation), _by_group(y[part], groups)
        if groups == 1:
            numpy.matmul(met, filters, _rows(to))
        else:
            to[...] = (met @ filters).reshape(to.shape)
    return y


def conv_input(strides, padding, dilation, groups, size, ct, w):
    if groups > 1 and w.shape[-2] == 1:
        return _depthwise_input(strides, padding, dilation, groups, size, ct, w)
    x = numpy.zeros((ct.shape[0], *size, w.shape[-2] * groups), ct.dtype)
    filters, ct, by_group = _filters(w, groups).swapaxes(1, 2), _by_group(ct, groups), _by_group(x, groups)
    for part, shape, low in _blocks(x, ct.shape[2:-1], w.shape[:-2], strides, padding):
        rows = _rows(ct[(slice(None), *part)]) @ filters
        rows = rows.reshape(groups, *shape, math.prod(w.shape[:-2]), w.shape[-2])
        for tap, xs, ys in _taps(size, shape[1:], w.shape[:-2], strides, low, dilation, part[0]):
            by_group[(slice(None), *xs)] += rows[(slice(None), *ys)][..., tap, :]
    return x


def conv_filter(strides, padding, dilation, groups, size, x, ct):
    if groups > 1 and x.shape[-1] == groups:
        return _depthwise_filter(strides, padding, dilation, size, x, ct)
    channels, made = x.shape[-1] // groups, ct.shape[-1]
    filters = numpy.zeros((groups, math.prod(size) * channels, made // groups), x.dtype)
    ct = _by_group(ct, groups)
    for part, shape, low in _blocks(x, ct.shape[2:-1], size, strides, padding):
        met = _collect(x, groups, part[0], shape, size, strides, low, dilation)
        filters += met.swapaxes(1, 2) @ _rows(ct[(slice(None), *part)])
    return numpy.moveaxis(filters, 0, 1).reshape(*size, channels, made)


def max_pool(window, strides, padding, dilation, used, x):
    """The maxima and their positions along the spatial axes of x: the first of equal ones, -1 for padding only."""
    shape = _pooled(x, window, strides, padding, dilation)
    taps = list(_taps(x.shape[1:-1], shape[1:-1], window, strides, padding, dilation))
    if taps and x[taps[0][1]].shape == shape:
        y, rest = x[taps[0][1]].copy(), taps[1:]
    else:
        y, rest = numpy.full(shape, _least(x.dtype), x.dtype), taps
    for _, xs, ys in rest:
        numpy.maximum(y[ys], x[xs], out=y[ys])
    return y, _first_maxima(window, strides, padding, dilation, x, y, taps) if used[1] else None


def max_pool_backward(window, strides, padding, dilation, x, y, index, ct):
    """Elements are masked as whole numbers, so that what is not chosen is 0 whatever it was."""
    apart = all(stride > (n - 1) * d for n, stride, d in zip(window, strides, dilation))
    taps = list(_taps(x.shape[1:-1], ct.shape[1:-1], window, strides, padding, dilation))
    tiled = apart and len(taps) * math.prod(ct.shape[1:-1]) == math.prod(x.shape[1:-1])  # every element is in one window
    result = (numpy.empty if tiled and not any(padding) else numpy.zeros)(x.shape, x.dtype)
    whole = numpy.dtype("i%d" % x.itemsize)
    firsts, offsets = _places(x, y, window, strides, padding, dilation)
    for some in _some_images(x):
        behind, bits, part = index[some] - firsts, numpy.ascontiguousarray(ct[some]).view(whole), result[some]
        for tap, xs, ys in taps:
            chosen = (behind[ys] == offsets[tap]).view(numpy.int8)
            if apart:
                numpy.multiply(bits[ys], chosen, out=part.view(whole)[xs])
            else:
                part[xs] += (bits[ys] * chosen).view(x.dtype)
    return result


def sum_pool(window, strides, padding, dilation, x):
    y = numpy.zeros(_pooled(x, window, strides, padding, dilation), x.dtype)
    for _, xs, ys in _taps(x.shape[1:-1], y.shape[1:-1], window, strides, padding, dilation):
        y[ys] += x[xs]
    return y


def sum_pool_backward(window, strides, padding, dilation, size, ct):
    x = numpy.zeros((ct.shape[0], *size, ct.shape[-1]), ct.dtype)
    for _, xs, ys in _taps(size, ct.shape[1:-1], window, strides, padding, dilation):
        x[xs] += ct[ys]
    return x


# ---- where taps meet x


def _sizes(sizes, window, strides, padding, dilation):
    spans = [size + low + high - (n - 1) * d for size, n, d, low, high in zip(sizes, window, dilation, padding[::2], padding[1::2])]
    return [max(0, (span - 1) // stride + 1) for span, stride in zip(spans, strides)]


def _pooled(x, window, strides, padding, dilation):
    return (x.shape[0], *_sizes(x.shape[1:-1], window, strides, padding, dilation), x.shape[-1])


def _axis_taps(size, results, n, stride, low, dilation):
    """The taps along an axis that touch any element: number, slice of x, slice of the results."""
    found = []
    for tap in range(max(0, -(((results - 1) * stride - low) // dilation)), min(n, (low + size - 1) // dilation + 1)):
        offset = tap * dilation - low
        first, end = max(0, -(offset // stride)), min(results, (size - 1 - offset) // stride + 1)
        if first < end:
            start = first * stride + offset
            found.append((tap, slice(start, start + (end - first - 1) * stride + 1, stride), slice(first, end)))
    return found


def _taps(sizes, results, window, strides, padding, dilation, images=slice(None)):
    """The taps that touch any element: number, index into x, index into the results."""
    axes = [_axis_taps(*axis) for axis in zip(sizes, results, window, strides, padding[::2], dilation)]
    steps = [math.prod(window[k + 1 :]) for k in range(len(window))]
    for taps in itertools.product(*axes):
        number = sum(tap * step for (tap, _, _), step in zip(taps, steps))
        yield number, (images, *(xs for _, xs, _ in taps)), (slice(None), *(ys for _, _, ys in taps))


def _least(dtype):
    return numpy.iinfo(dtype).min if dtype.kind in "iu" else -numpy.inf


def _places(x, y, window, strides, padding, dilation):
    """Numbers of places along the spatial axes of x: where the window of each result begins, and how far behind that each tap stands."""
    steps = [math.prod(x.shape[k + 1 : -1]) for k in range(1, x.ndim - 1)]
    firsts = zip(y.shape[1:-1], strides, padding[::2], steps)
    firsts = sum(numpy.ix_(*((numpy.arange(n) * stride - low) * step for n, stride, low, step in firsts)))[..., numpy.newaxis]
    return firsts, sum(numpy.ix_(*(numpy.arange(n) * d * step for n, d, step in zip(window, dilation, steps)))).ravel()


def _first_maxima(window, strides, padding, dilation, x, y, taps):
    """Where y, the maxima of all windows, stand in x. Places are counted back from the end of a window, 0 is none: the first is the largest."""
    firsts, offsets = _places(x, y, window, strides, padding, dilation)
    end = offsets.max(initial=0) + 1
    dtype = numpy.uint8 if end < 1 << 8 else numpy.uint16 if end < 1 << 16 else numpy.int64
    index, with_nan = numpy.empty(y.shape, numpy.int64), x.dtype.kind == "f" and numpy.isnan(y).any()
    for some in _some_images(x):
        back = numpy.zeros(y[some].shape, dtype)
        for tap, xs, ys in taps:
            met = x[some][xs]
            chosen = met == y[some][ys]
            if with_nan:
                chosen |= numpy.isnan(met)
            numpy.maximum(back[ys], chosen.view(numpy.uint8) * dtype(end - offsets[tap]), out=back[ys])
        numpy.subtract(firsts + end, back, out=index[some])
        if any(padding):
            index[some][back == 0] = -1
    return index


def _some_images(x):
    """Slices of the images of x, small enough to stay in cache."""
    step = max(1, BLOCK // max(1, math.prod(x.shape[1:])))
    return (slice(n, n + step) for n in range(0, x.shape[0], step))


# ---- convolutions as products of matrices


def _blocks(x, results, window, strides, padding):
    """Blocks of the results: images, or rows of large images. Index into the results, the block's sizes, and its padding."""
    if not math.prod(results):
        return
    image = math.prod(results) * math.prod(window) * max(1, x.shape[-1])
    images, rows = max(1, BLOCK // image), max(1, results[0] * BLOCK // max(image, BLOCK))
    for n in range(0, x.shape[0], images):
        many = slice(n, min(n + images, x.shape[0]))
        for row in range(0, results[0], rows):
            end = min(row + rows, results[0])
            yield (many, slice(row, end)), (many.stop - n, end - row, *results[1:]), (padding[0] - row * strides[0], *padding[1:])


def _by_group(x, groups):
    """[N, ..., C] as [groups, N, ..., C / groups], a view."""
    return numpy.moveaxis(x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups), -2, 0)


def _filters(w, groups):
    """[window..., C / groups, O] as [groups, window * C / groups, O / groups]."""
    return numpy.moveaxis(w.reshape(math.prod(w.shape[:-1]), groups, w.shape[-1] // groups), 1, 0)


def _rows(x):
    """[groups, N, ..., C] as [groups, rows, C]."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:-1]), x.shape[-1])


def _collect(x, groups, images, shape, window, strides, padding, dilation):
    """The windows of a block of results, 0 outside x: [groups, results, window * channels]."""
    spans = [(n - 1) * stride + (taps - 1) * d + 1 for n, stride, taps, d in zip(shape[1:], strides, window, dilation)]
    x = _seen(x[images], spans, padding[::2])
    by_image, *by_place, by_channel = x.strides
    channels = x.shape[-1] // groups
    steps = [by * stride for by, stride in zip(by_place, strides)]
    taps = [by * d for by, d in zip(by_place, dilation)]
    met = as_strided(x, (groups, *shape, *window, channels), (channels * by_channel, by_image, *steps, *taps, by_channel), writeable=False)
    return met.reshape(groups, math.prod(shape), math.prod(window) * channels)


def _seen(x, spans, before):
    """The part of x of the given sizes that begins `before` positions before x, with zeros outside: a view if it is all inside."""
    firsts = [max(0, -low) for low in before]
    ends = [max(first, min(size, span - low)) for first, size, span, low in zip(firsts, x.shape[1:-1], spans, before)]
    inside = x[(slice(None), *(slice(first, end) for first, end in zip(firsts, ends)))]
    if inside.shape[1:-1] == tuple(spans):
        return inside
    seen = numpy.zeros((x.shape[0], *spans, x.shape[-1]), x.dtype)
    seen[(slice(None), *(slice(first + low, end + low) for first, low, end in zip(firsts, before, ends)))] = inside
    return seen


# ---- convolutions of single channels, image by image: products of elements, with an axis for the results of each channel


def _depthwise(strides, padding, dilation, x, w):
    sizes, channels = _sizes(x.shape[1:-1], w.shape[:-2], strides, padding, dilation), x.shape[-1]
    y = numpy.zeros((x.shape[0], *sizes, w.shape[-1]), x.dtype)
    filters = w.reshape(math.prod(w.shape[:-2]), channels, w.shape[-1] // channels)
    taps = list(_taps(x.shape[1:-1], sizes, w.shape[:-2], strides, padding, dilation))
    for image, to in zip(_singles(x, channels), _singles(y, channels)):
        for tap, xs, ys in taps:
            to[ys] += image[xs] * filters[tap]
    return y


def _depthwise_input(strides, padding, dilation, channels, size, ct, w):
    x = numpy.zeros((ct.shape[0], *size, channels), ct.dtype)
    filters = w.reshape(math.prod(w.shape[:-2]), channels, w.shape[-1] // channels)
    taps = list(_taps(size, ct.shape[1:-1], w.shape[:-2], strides, padding, dilation))
    for image, to in zip(_singles(ct, channels), _singles(x, channels)):
        for tap, xs, ys in taps:
            to[xs] += (image[ys] * filters[tap]).sum(-1, x.dtype, keepdims=True)
    return x


def _depthwise_filter(strides, padding, dilation, size, x, ct):
    channels = x.shape[-1]
    filters = numpy.zeros((math.prod(size), channels, ct.shape[-1] // channels), x.dtype)
    taps = list(_taps(x.shape[1:-1], ct.shape[1:-1], size, strides, padding, dilation))
    for image, ct_image in zip(_singles(x, channels), _singles(ct, channels)):
        for tap, xs, ys in taps:
            filters[tap] += (image[xs] * ct_image[ys]).sum(tuple(range(len(size) + 1)), x.dtype)
    return filters.reshape(*size, 1, ct.shape[-1])


def _singles(x, channels):
    """The images of x one by one, as [1, ..., channels, results of a channel]; views."""
    x = x.reshape(*x.shape[:-1], channels, x.shape[-1] // channels)
    return (x[n : n + 1] for n in range(x.shape[0]))
