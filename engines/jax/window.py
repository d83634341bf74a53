"""window.py: convolution and pooling. Arrays are (batch, spatial axes, channels)."""
import jax
import jax.numpy as jnp
from jax import lax

from _vinea_replay import OPS, nothing, widen

UNROLLED = 16  # elements of a window along an axis that are met one by one; more are met in a loop


# ---- convolution


def conv_by(options):
    """The convolution with these options, as a function of x and w."""
    strides, padding, dilation, groups = options[:4]
    axes = "HWD"[:len(strides)]

    def conv(x, w):
        return lax.conv_general_dilated(x, w, strides, list(zip(padding[::2], padding[1::2])), rhs_dilation=dilation,
                                        dimension_numbers=(f"N{axes}C", f"{axes}IO", f"N{axes}C"), feature_group_count=groups)

    return conv


def conv(out, options, x, w):
    if not out.size or not x.size or not w.size:
        return nothing(out)
    return conv_by(options)(*widen(out, x, w)).astype(out.dtype)


def conv_input(out, options, ct, w):
    """A convolution is linear in x: its transpose carries ct back."""
    if not out.size or not ct.size or not w.size:
        return nothing(out)
    ct, w = widen(out, ct, w)
    back = jax.linear_transpose(lambda x: conv_by(options)(x, w), jax.ShapeDtypeStruct(out.shape, ct.dtype))
    return back(ct)[0].astype(out.dtype)


def conv_filter(out, options, x, ct):
    if not out.size or not ct.size or not x.size:
        return nothing(out)
    x, ct = widen(out, x, ct)
    back = jax.linear_transpose(lambda w: conv_by(options)(x, w), jax.ShapeDtypeStruct(out.shape, ct.dtype))
    return back(ct)[0].astype(out.dtype)


# ---- pooling: one axis after the other, from the last to the first, so that a window of m x n elements takes m + n steps


def axes_of(options):
    """(axis, window, stride, low and high padding, dilation) of each spatial axis."""
    window, strides, padding, dilation = options[:4]
    return [(k + 1, window[k], strides[k], padding[2 * k], padding[2 * k + 1], dilation[k]) for k in range(len(window))]


def padded(x, axis, value, low, high, interior=0):
    amounts = [(0, 0, 0)] * x.ndim
    amounts[axis] = low, high, interior
    return lax.pad(x, jnp.array(value, x.dtype), amounts)


def windows(x, axis, window, stride, dilation):
    """How many windows an axis has, and a function that gives element t of them all."""
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


def max_pool(out, options, x):
    if not out.size or not x.size:
        return jnp.full(out.shape, lowest(out.dtype), out.dtype)
    for axis, window, stride, low, high, dilation in reversed(axes_of(options)):
        x = pooled(padded(x, axis, lowest(x.dtype), low, high), axis, window, stride, dilation, jnp.maximum)
    return x


def sum_pool(out, options, x):
    if not out.size or not x.size:
        return nothing(out)
    (x,) = widen(out, x)
    for axis, window, stride, low, high, dilation in reversed(axes_of(options)):
        x = pooled(padded(x, axis, 0, low, high), axis, window, stride, dilation, jnp.add)
    return x.astype(out.dtype)


def spread(y, size, axis, window, stride, low, dilation, filler=0):
    """y, of windows, laid out so that windows of it, one apart, hold for each of `size` elements what the windows had in which it was,
    the last of them first."""
    reach = (window - 1) * dilation
    length = (y.shape[axis] - 1) * stride + 1
    return padded(y, axis, filler, reach - low, size + low - length, stride - 1)


def sum_pool_scatter(out, options, ct):
    if not out.size or not ct.size:
        return nothing(out)
    (ct,) = widen(out, ct)
    for axis, window, stride, low, _, dilation in axes_of(options):
        ct = pooled(spread(ct, out.shape[axis], axis, window, stride, low, dilation), axis, window, 1, dilation, jnp.add)
    return ct.astype(out.dtype)


def chosen(x, axis, window, stride, low, high, dilation):
    """The largest element of each window along an axis, and which it is: the first of equal ones, and -1 in padding alone."""
    count, element = windows(padded(x, axis, 0, low, high), axis, window, stride, dilation)
    place = lax.broadcasted_iota(jnp.int64, [count if k == axis else 1 for k in range(x.ndim)], axis) * stride - low

    def step(t, carry):
        best, choice = carry
        y, at = element(t), place + t * dilation
        wins = (at >= 0) & (at < x.shape[axis]) & ((choice < 0) | (y > best) | ((y != y) & (best == best)))
        return jnp.where(wins, y, best), jnp.where(wins, jnp.array(t, choice.dtype), choice)

    shape = x.shape[:axis] + (count,) + x.shape[axis + 1:]
    return each(0, window, step, (jnp.zeros(shape, x.dtype), jnp.full(shape, -1, jnp.int32)))


def max_pool_gather(out, options, x, u):
    if not out.size or not x.size:
        return nothing(out)
    for axis, window, stride, low, high, dilation in reversed(axes_of(options)):
        x, choice = chosen(x, axis, window, stride, low, high, dilation)
        _, element = windows(padded(u, axis, 0, low, high), axis, window, stride, dilation)
        u = each(0, window, lambda t, z: jnp.where(choice == t, element(t), z), jnp.zeros(choice.shape, u.dtype))
    return u


def max_pool_scatter(out, options, x, ct):
    if not out.size or not ct.size:
        return nothing(out)
    choices = []
    for axis, window, stride, low, high, dilation in reversed(axes_of(options)):
        x, choice = chosen(x, axis, window, stride, low, high, dilation)
        choices.append(choice)
    (ct,) = widen(out, ct)
    for axis, window, stride, low, _, dilation in axes_of(options):
        size, choice = out.shape[axis], choices.pop()
        _, number = windows(spread(choice, size, axis, window, stride, low, dilation, -1), axis, window, 1, dilation)
        _, element = windows(spread(ct, size, axis, window, stride, low, dilation), axis, window, 1, dilation)
        add = lambda t, z: z + jnp.where(number(t) == window - 1 - t, element(t), jnp.zeros((), z.dtype))
        shape = ct.shape[:axis] + (size,) + ct.shape[axis + 1:]
        ct = each(0, window, add, jnp.zeros(shape, ct.dtype))
    return ct.astype(out.dtype)


OPS.update({
    "conv": conv,
    "conv_input": conv_input,
    "conv_filter": conv_filter,
    "max_pool": max_pool,
    "max_pool_scatter": max_pool_scatter,
    "max_pool_gather": max_pool_gather,
    "sum_pool": sum_pool,
    "sum_pool_scatter": sum_pool_scatter,
})
