# SPDX-License-Identifier: Apache-2.0
"""window.py: convolution and pooling. Arrays are (batch, spatial axes, channels)."""
import itertools
import math

import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import OPS, nothing, widen

FEW = 32  # largest window that a convolution unrolls
UNROLLED = 16  # largest window along an axis that pooling unrolls; longer ones use a loop


# ---- convolution: both gradients are convolutions too, with strides and dilation exchanged. Written out, because JAX derives
# them only for floats.


def convolved(x, w, strides, edges, spread, dilation, groups):
    """Convolves x, padded by `edges` and dilated by `spread`, with the filters w."""
    if by_channel(w.shape, groups):
        return convolved_by_channel(x, w, strides, edges, spread, dilation)
    axes = "HWD"[:len(strides)]
    return lax.conv_general_dilated(x, w, strides, edges, lhs_dilation=spread, rhs_dilation=dilation, feature_group_count=groups,
                                    dimension_numbers=(f"N{axes}C", f"{axes}IO", f"N{axes}C"))


# Depthwise: summing products per window element is a hundred times faster in XLA.


def by_channel(filters, groups):
    return groups > 1 and filters[-2:] == (1, groups) and math.prod(filters) <= FEW * groups


def meetings(x, kernel, strides, edges, spread, dilation):
    """For each element of the window, in row-major order: its position in the window, and that element of all windows."""
    x = lax.pad(x, jnp.zeros((), x.dtype), [(0, 0, 0), *[(*e, s - 1) for e, s in zip(edges, spread)], (0, 0, 0)])
    count = [(n - (k - 1) * d - 1) // s + 1 for n, k, d, s in zip(x.shape[1:], kernel, dilation, strides)]
    for place in itertools.product(*map(range, kernel)):
        first = [t * d for t, d in zip(place, dilation)]
        end = [f + (n - 1) * s + 1 for f, n, s in zip(first, count, strides)]
        yield place, lax.slice(x, (0, *first, 0), (x.shape[0], *end, x.shape[-1]), (1, *strides, 1))


def convolved_by_channel(x, w, strides, edges, spread, dilation):
    return sum(part * w[place][0] for place, part in meetings(x, w.shape[:-2], strides, edges, spread, dilation))


def filter_by_channel(x, ct, size, strides, edges, dilation):
    """Image by image: all elements of the window together, then summed over positions."""

    def add(i, sums):
        image, slope = [lax.dynamic_slice_in_dim(a, i, 1) for a in (x, ct)]
        return tuple(s + part * slope for s, (_, part) in zip(sums, meetings(image, size, strides, edges, (1,) * len(size), dilation)))

    none = jnp.zeros((1, *ct.shape[1:]), ct.dtype)
    sums = lax.fori_loop(0, x.shape[0], add, (none,) * math.prod(size))
    places = tuple(range(ct.ndim - 1))
    return jnp.stack([jnp.sum(s, places, dtype=s.dtype) for s in sums]).reshape(*size, 1, ct.shape[-1])


def conv(out, x, w, *, strides, pads, dilations, groups):
    if not out.size or not x.size or not w.size:
        return nothing(out)
    edges = list(zip(pads[::2], pads[1::2]))
    return convolved(*widen(out, x, w), strides, edges, (1,) * len(strides), dilations, groups).astype(out.dtype)


def conv_input(out, ct, w, *, strides, pads, dilations, groups, size):
    """ct, dilated by the strides, convolved with the flipped filters, from output channels to x's channels."""
    if not out.size or not ct.size or not w.size:
        return nothing(out)
    ct, w = widen(out, ct, w)
    n = len(strides)
    kernel, (inner, outer) = w.shape[:n], w.shape[n:]
    w = jnp.flip(w, tuple(range(n))).reshape(*kernel, inner, groups, outer // groups)
    w = jnp.swapaxes(w, n, n + 2).reshape(*kernel, outer // groups, groups * inner)
    edges = [around(ct.shape[k + 1], size[k], kernel[k], strides[k], pads[2 * k], dilations[k]) for k in range(n)]
    return convolved(ct, w, (1,) * n, edges, strides, dilations, groups).astype(out.dtype)


def conv_filter(out, x, ct, *, strides, pads, dilations, groups, size):
    """x convolved with ct as the filter, with the batch in the role of channels."""
    if not out.size or not ct.size or not x.size:
        return nothing(out)
    x, ct = widen(out, x, ct)
    axes, edges = "HWD"[:len(strides)], []
    for k in range(len(strides)):
        met = (ct.shape[k + 1] - 1) * strides[k] + 1 + (size[k] - 1) * dilations[k]
        edges.append((pads[2 * k], met - x.shape[k + 1] - pads[2 * k]))
    if by_channel(out.shape, groups):
        return filter_by_channel(x, ct, size, strides, edges, dilations).astype(out.dtype)
    return lax.conv_general_dilated(x, ct, dilations, edges, rhs_dilation=strides, batch_group_count=groups,
                                    dimension_numbers=(f"C{axes}N", f"I{axes}O", f"{axes}NC")).astype(out.dtype)


def around(count, size, window, stride, low, dilation):
    """The padding before and after `count` numbers, one per window and dilated by the stride, so that sliding windows over it contain for
    each of `size` elements the numbers of the windows that include it, the last one first."""
    return (window - 1) * dilation - low, size + low - ((count - 1) * stride + 1)


# ---- pooling: one axis at a time, from the last to the first, so that a window of m x n elements takes m + n steps


def axes_of(window, strides, pads, dilations):
    """(axis, window, stride, low and high padding, dilation) of each spatial axis."""
    return [(k + 1, window[k], strides[k], pads[2 * k], pads[2 * k + 1], dilations[k]) for k in range(len(window))]


def padded(x, axis, value, low, high, interior=0):
    amounts = [(0, 0, 0)] * x.ndim
    amounts[axis] = low, high, interior
    return lax.pad(x, jnp.array(value, x.dtype), amounts)


def windows(x, axis, window, stride, dilation):
    """The number of windows along an axis, and a function that returns element t of all of them."""
    count = (x.shape[axis] - (window - 1) * dilation - 1) // stride + 1
    span = (count - 1) * stride + 1

    def element(t):
        if isinstance(t, int):
            return lax.slice_in_dim(x, t * dilation, t * dilation + span, stride, axis)
        return lax.slice_in_dim(lax.dynamic_slice_in_dim(x, t * dilation, span, axis), 0, span, stride, axis)

    return count, element


def each(first, window, step, carry):
    """carry = step(t, carry) for the elements t of a window, from the first on."""
    if window > UNROLLED:
        return lax.fori_loop(first, window, step, carry)
    for t in range(first, window):
        carry = step(t, carry)
    return carry


def pooled(x, axis, window, stride, dilation, combine):
    _, element = windows(x, axis, window, stride, dilation)
    return each(1, window, lambda t, z: combine(z, element(t)), element(0))


def lowest(dtype):
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def max_pool(out, x, *, window, strides, pads, dilations):
    """The maxima and their positions; XLA drops what is not used."""
    y, index = out
    if not y.size or not x.size:
        return jnp.full(y.shape, lowest(y.dtype), y.dtype), jnp.full(index.shape, -1, index.dtype)
    top, axes = x, axes_of(window, strides, pads, dilations)
    for axis, window, stride, low, high, dilation in reversed(axes):
        top = pooled(padded(top, axis, lowest(x.dtype), low, high), axis, window, stride, dilation, jnp.maximum)
    return top, first_maxima(axes, x, index.dtype)


def sum_pool(out, x, *, window, strides, pads, dilations):
    if not out.size or not x.size:
        return nothing(out)
    (x,) = widen(out, x)
    for axis, window, stride, low, high, dilation in reversed(axes_of(window, strides, pads, dilations)):
        x = pooled(padded(x, axis, 0, low, high), axis, window, stride, dilation, jnp.add)
    return x.astype(out.dtype)


def spread(y, size, axis, window, stride, low, dilation, filler=0):
    """y, one per window, expanded to each of `size` elements (see around)."""
    return padded(y, axis, filler, *around(y.shape[axis], size, window, stride, low, dilation), stride - 1)


def sum_pool_backward(out, ct, *, window, strides, pads, dilations):
    if not out.size or not ct.size:
        return nothing(out)
    (ct,) = widen(out, ct)
    for axis, window, stride, low, _, dilation in axes_of(window, strides, pads, dilations):
        ct = pooled(spread(ct, out.shape[axis], axis, window, stride, low, dilation), axis, window, 1, dilation, jnp.add)
    return ct.astype(out.dtype)


def chosen(x, axis, window, stride, low, high, dilation):
    """The largest element of each window along an axis and its index: the first of equal ones, -1 for padding only."""
    count, element = windows(padded(x, axis, 0, low, high), axis, window, stride, dilation)
    place = lax.broadcasted_iota(jnp.int64, [count if k == axis else 1 for k in range(x.ndim)], axis) * stride - low

    def step(t, carry):
        best, choice = carry
        y, at = element(t), place + t * dilation
        wins = (at >= 0) & (at < x.shape[axis]) & ((choice < 0) | (y > best) | ((y != y) & (best == best)))
        return jnp.where(wins, y, best), jnp.where(wins, jnp.array(t, choice.dtype), choice)

    shape = x.shape[:axis] + (count,) + x.shape[axis + 1:]
    return each(0, window, step, (jnp.zeros(shape, x.dtype), jnp.full(shape, -1, jnp.int32)))


def first_maxima(axes, x, dtype):
    """The position of each window's maximum along the spatial axes of x."""
    spatial = x.shape[1:-1]
    place = jnp.broadcast_to(jnp.arange(math.prod(spatial), dtype=dtype).reshape(1, *spatial, 1), x.shape)
    for axis, window, stride, low, high, dilation in reversed(axes):
        x, choice = chosen(x, axis, window, stride, low, high, dilation)
        _, element = windows(padded(place, axis, -1, low, high), axis, window, stride, dilation)
        place = each(0, window, lambda t, z: jnp.where(choice == t, element(t), z), jnp.full(choice.shape, -1, dtype))
    return place


def max_pool_backward(out, x, y, index, ct, *, window, strides, pads, dilations):
    """Recomputed from x, axis by axis: scattering by index is many times slower in XLA."""
    if not out.size or not ct.size:
        return nothing(out)
    choices, axes = [], axes_of(window, strides, pads, dilations)
    for axis, window, stride, low, high, dilation in reversed(axes):
        x, choice = chosen(x, axis, window, stride, low, high, dilation)
        choices.append(choice)
    (ct,) = widen(out, ct)
    for axis, window, stride, low, _, dilation in axes:
        size, choice = out.shape[axis], choices.pop()
        _, number = windows(spread(choice, size, axis, window, stride, low, dilation, -1), axis, window, 1, dilation)
        _, element = windows(spread(ct, size, axis, window, stride, low, dilation), axis, window, 1, dilation)
        add = lambda t, z: z + jnp.where(number(t) == window - 1 - t, element(t), jnp.zeros((), z.dtype))
        shape = ct.shape[:axis] + (size,) + ct.shape[axis + 1:]
        ct = each(0, window, add, jnp.zeros(shape, ct.dtype))
    return ct.astype(out.dtype)


OPS.update({
    "conv": ("real", conv),
    "conv_input": ("real", conv_input),
    "conv_filter": ("real", conv_filter),
    "max_pool": ("real", max_pool),
    "max_pool_backward": ("real", max_pool_backward),
    "sum_pool": ("real", sum_pool),
    "sum_pool_backward": ("real", sum_pool_backward),
})
