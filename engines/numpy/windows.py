"""windows.py: convolution and pooling of x [N, in..., C], tap by tap.

Functions get their op's options, then its inputs. A tap is one place of the window. Where it meets x is a part of x with steps, and the
results that need it are a part of the result: padding is never made. A convolution collects what its taps meet into the rows of a matrix, for
a block of results at a time.
"""
import itertools
import math

import numpy

BLOCK = 1 << 20  # elements of such a matrix


def conv(strides, padding, dilation, groups, x, w):
    if groups > 1 and w.shape[-2] == 1:
        return _depthwise(strides, padding, dilation, x, w)
    window, sizes = w.shape[:-2], _sizes(x.shape[1:-1], w.shape[:-2], strides, padding, dilation)
    y = numpy.empty((x.shape[0], *sizes, w.shape[-1]), x.dtype)
    filters, met, made = _filters(w, groups), _by_group(x, groups), _by_group(y, groups)
    for part, taps, shape in _blocks(x, sizes, window, strides, padding, dilation):
        to = made[(slice(None), *part)]
        to[...] = (_collect(met, taps, shape, math.prod(window)) @ filters).reshape(to.shape)
    return y


def conv_input(strides, padding, dilation, groups, size, ct, w):
    if groups > 1 and w.shape[-2] == 1:
        return _depthwise_input(strides, padding, dilation, groups, size, ct, w)
    x = numpy.zeros((ct.shape[0], *size, w.shape[-2] * groups), ct.dtype)
    filters, ct, by_group = _filters(w, groups).swapaxes(1, 2), _by_group(ct, groups), _by_group(x, groups)
    for part, taps, shape in _blocks(x, ct.shape[2:-1], w.shape[:-2], strides, padding, dilation):
        rows = _rows(ct[(slice(None), *part)]) @ filters
        rows = rows.reshape(groups, *shape, math.prod(w.shape[:-2]), w.shape[-2])
        for tap, xs, ys in taps:
            by_group[(slice(None), *xs)] += rows[(slice(None), *ys)][..., tap, :]
    return x


def conv_filter(strides, padding, dilation, groups, size, x, ct):
    if groups > 1 and x.shape[-1] == groups:
        return _depthwise_filter(strides, padding, dilation, size, x, ct)
    window, channels, made = math.prod(size), x.shape[-1] // groups, ct.shape[-1]
    filters = numpy.zeros((groups, window * channels, made // groups), x.dtype)
    by_group, ct = _by_group(x, groups), _by_group(ct, groups)
    for part, taps, shape in _blocks(x, ct.shape[2:-1], size, strides, padding, dilation):
        filters += _collect(by_group, taps, shape, window).swapaxes(1, 2) @ _rows(ct[(slice(None), *part)])
    return numpy.moveaxis(filters, 0, 1).reshape(*size, channels, made)


def max_pool(window, strides, padding, dilation, x):
    y = numpy.full(_pooled(x, window, strides, padding, dilation), _least(x.dtype), x.dtype)
    for _, xs, ys in _taps(x.shape[1:-1], y.shape[1:-1], window, strides, padding, dilation):
        numpy.maximum(y[ys], x[xs], y[ys])
    return y


def max_pool_scatter(window, strides, padding, dilation, x, ct):
    result = numpy.zeros_like(x, order="C")
    for xs, ys, chosen in _maxima(window, strides, padding, dilation, x):
        numpy.add(result[xs], ct[ys], result[xs], where=chosen)
    return result


def max_pool_gather(window, strides, padding, dilation, x, u):
    result = numpy.zeros(_pooled(x, window, strides, padding, dilation), u.dtype)
    for xs, ys, chosen in _maxima(window, strides, padding, dilation, x):
        numpy.copyto(result[ys], u[xs], where=chosen)
    return result


def sum_pool(window, strides, padding, dilation, x):
    y = numpy.zeros(_pooled(x, window, strides, padding, dilation), x.dtype)
    for _, xs, ys in _taps(x.shape[1:-1], y.shape[1:-1], window, strides, padding, dilation):
        y[ys] += x[xs]
    return y


def sum_pool_scatter(window, strides, padding, dilation, size, ct):
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
    """The taps along an axis that meet any element: number, slice of x, slice of the results."""
    found = []
    for tap in range(max(0, -(((results - 1) * stride - low) // dilation)), min(n, (low + size - 1) // dilation + 1)):
        offset = tap * dilation - low
        first, end = max(0, -(offset // stride)), min(results, (size - 1 - offset) // stride + 1)
        if first < end:
            start = first * stride + offset
            found.append((tap, slice(start, start + (end - first - 1) * stride + 1, stride), slice(first, end)))
    return found


def _taps(sizes, results, window, strides, padding, dilation, images=slice(None)):
    """Taps that meet any element: number, index into x, index into the results."""
    axes = [_axis_taps(*axis) for axis in zip(sizes, results, window, strides, padding[::2], dilation)]
    steps = [math.prod(window[k + 1 :]) for k in range(len(window))]
    for taps in itertools.product(*axes):
        number = sum(tap * step for (tap, _, _), step in zip(taps, steps))
        yield number, (images, *(xs for _, xs, _ in taps)), (slice(None), *(ys for _, _, ys in taps))


def _least(dtype):
    return numpy.iinfo(dtype).min if dtype.kind in "iu" else -numpy.inf


def _maxima(window, strides, padding, dilation, x):
    """Tap by tap: index into x, index into the results, and where this tap is the first to meet the maximum, or a NaN."""
    top = max_pool(window, strides, padding, dilation, x)
    found = numpy.zeros(top.shape, bool)
    for _, xs, ys in _taps(x.shape[1:-1], top.shape[1:-1], window, strides, padding, dilation):
        met = x[xs]
        chosen = (met == top[ys]) | (met != met)
        chosen &= ~found[ys]
        found[ys] |= chosen
        yield xs, ys, chosen


# ---- convolutions as products of matrices


def _blocks(x, results, window, strides, padding, dilation):
    """Blocks of the results: images and, where one is large, rows of it. Index into the results, taps, and the block's sizes."""
    if not math.prod(results):
        return
    image = math.prod(results) * math.prod(window) * max(1, x.shape[-1])
    images, rows = max(1, BLOCK // image), max(1, results[0] * BLOCK // max(image, BLOCK))
    for n in range(0, x.shape[0], images):
        many = slice(n, min(n + images, x.shape[0]))
        for row in range(0, results[0], rows):
            end = min(row + rows, results[0])
            sizes = (end - row, *results[1:])
            shifted = (padding[0] - row * strides[0], *padding[1:])
            taps = list(_taps(x.shape[1:-1], sizes, window, strides, shifted, dilation, many))
            yield (many, slice(row, end)), taps, (many.stop - n, *sizes)


def _by_group(x, groups):
    """[N, ..., C] as [groups, N, ..., C / groups], a view."""
    return numpy.moveaxis(x.reshape(*x.shape[:-1], groups, x.shape[-1] // groups), -2, 0)


def _filters(w, groups):
    """[window..., C / groups, O] as [groups, window * C / groups, O / groups]."""
    return numpy.moveaxis(w.reshape(math.prod(w.shape[:-1]), groups, w.shape[-1] // groups), 1, 0)


def _rows(x):
    """[groups, N, ..., C] as [groups, rows, C]."""
    return x.reshape(x.shape[0], math.prod(x.shape[1:-1]), x.shape[-1])


def _collect(x, taps, shape, window):
    """What the taps meet, 0 outside of x: [groups, results of the block, window * channels]."""
    groups, channels = x.shape[0], x.shape[-1]
    if window == len(taps) == 1 and x[(slice(None), *taps[0][1])].shape[1:-1] == shape:
        return _rows(x[(slice(None), *taps[0][1])])
    met = numpy.zeros((groups, *shape, window, channels), x.dtype)
    for tap, xs, ys in taps:
        met[(slice(None), *ys)][..., tap, :] = x[(slice(None), *xs)]
    return met.reshape(groups, math.prod(shape), window * channels)



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
