# SPDX-License-Identifier: Apache-2.0
"""arrange.py: shapes, slices, indexing and sorting."""
import functools
import operator

import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import OPS, nothing, wide


def concat(out, *inputs, axis):
    return lax.concatenate(inputs, axis)


def stride(out, x, *, steps):
    return lax.slice(x, (0,) * x.ndim, x.shape, steps) if x.ndim else x


def starts(start, x, block):
    """The start per axis of a block inside of x. JAX counts negative starts from the end, and XLA, which clamps large ones, merges slices of slices
    as if it did not."""
    return [jnp.clip(start[i], 0, x.shape[i] - block[i]) for i in range(x.ndim)]


def slice_(out, x, start):
    return lax.dynamic_slice(x, starts(start, x, out.shape), out.shape) if x.ndim else x


def slice_set(out, x, y, start):
    return lax.dynamic_update_slice(x, y, starts(start, x, y.shape)) if x.ndim else y


def slice_set_apart(out, x, y, start):
    """slice_set where y is computed from x: XLA may compute y while it writes it into the memory of x (jaxlib 0.10 and 0.11)."""
    if not x.ndim:
        return y
    first = starts(start, x, y.shape)
    within = functools.reduce(operator.and_, (
        (lax.broadcasted_iota(k.dtype, x.shape, i) >= k) & (lax.broadcasted_iota(k.dtype, x.shape, i) < k + y.shape[i]) for i, k in enumerate(first)))
    return jnp.where(within, lax.dynamic_update_slice(jnp.zeros_like(x), y, first), x)


slice_set.apart = slice_set_apart


# ---- indexing


def nearby(index, size):
    """Clamps positions, keeping those out of range out of range, to fit the 32 bits that JAX may use."""
    return jnp.clip(index, -size - 1, size)


def take(out, x, index, *, axis):
    missing = jnp.nan if jnp.issubdtype(x.dtype, jnp.inexact) else 0
    if not x.shape[axis]:
        return jnp.full(out.shape, missing, out.dtype)
    return jnp.take(x, nearby(index, x.shape[axis]), axis, mode="fill", fill_value=missing)


def index_add(out, x, index, y, *, axis):
    """Half precision accumulates in float32 and is rounded once."""
    if not x.size or not y.size:
        return x
    at = (slice(None),) * axis + (nearby(index, x.shape[axis]),)
    return x.astype(wide(out.dtype)).at[at].add(y.astype(wide(out.dtype)), mode="drop").astype(out.dtype)


def index_set(out, x, index, y, *, axis):
    """XLA does not specify which of repeated positions wins: all but the last are moved out of range first."""
    if not x.size or not y.size:
        return x
    size = x.shape[axis]
    index = nearby(index.reshape(-1), size)
    index = jnp.where(index < 0, index + size, index)
    index = jnp.where(index < 0, size, index)
    order = jnp.arange(index.size)
    last = jnp.full(size + 1, -1, order.dtype).at[index].max(order)
    index = jnp.where(last[index] == order, index, size)
    rows = y.reshape(x.shape[:axis] + index.shape + x.shape[axis + 1:])
    return x.at[(slice(None),) * axis + (index,)].set(rows, mode="drop")


def segments_of(out, id, none):
    """An array of what an empty segment gets, at the segments that id names; those outside are left out."""
    size = out.shape[0]
    at = jnp.where((id >= 0) & (id < size), id, size).astype(jnp.int64)
    return jnp.full(out.shape, none, out.dtype).at[at]


def segment_max(out, x, id):
    lowest = -jnp.inf if jnp.issubdtype(x.dtype, jnp.inexact) else jnp.iinfo(x.dtype).min
    return segments_of(out, id, lowest).max(x, mode="drop")


def segment_min(out, x, id):
    highest = jnp.inf if jnp.issubdtype(x.dtype, jnp.inexact) else jnp.iinfo(x.dtype).max
    return segments_of(out, id, highest).min(x, mode="drop")


# ---- sorting


def keys(x):
    """Unsigned keys in the order of x: -0 equals 0, NaN is the largest. Computed from the bits, so that subnormal numbers keep their order."""
    if x.dtype == jnp.bool_:
        return x.astype(jnp.uint8)
    if jnp.issubdtype(x.dtype, jnp.unsignedinteger):
        return x
    width = x.dtype.itemsize * 8
    unsigned = jnp.dtype(f"uint{width}")
    bits = lax.bitcast_convert_type(x, unsigned)
    minus = jnp.array(1 << (width - 1), unsigned)
    if jnp.issubdtype(x.dtype, jnp.integer):
        return bits ^ minus
    infinite = lax.bitcast_convert_type(jnp.array(jnp.inf, x.dtype), unsigned)
    size = bits & ~minus
    ordered = jnp.where(bits == size, bits | minus, ~bits)
    ordered = jnp.where(size == 0, minus, ordered)
    return jnp.where(size > infinite, ~jnp.zeros((), unsigned), ordered)


def placed(key, axis):
    """The positions that sort keys of up to 32 bits: each key is packed with its position into one number, which XLA sorts several times
    faster than pairs."""
    both = key.astype(jnp.uint64) << 32 | lax.broadcasted_iota(jnp.uint64, key.shape, axis)
    return lax.sort(both, axis, is_stable=False) & 0xFFFFFFFF


def argsort(out, x, *, axis, descending):
    key = keys(x)
    if descending:
        key = ~key
    if x.shape[axis] >= 1 << 32:
        return lax.sort((key, lax.broadcasted_iota(out.dtype, x.shape, axis)), axis, num_keys=1)[1]
    if key.dtype.itemsize <= 4:
        return placed(key, axis).astype(out.dtype)
    by_low = placed(key & 0xFFFFFFFF, axis).astype(out.dtype)  # by the low 32 bits, then, stably, by the high 32 bits
    by_high = placed(jnp.take_along_axis(key >> 32, by_low, axis), axis).astype(out.dtype)
    return jnp.take_along_axis(by_low, by_high, axis)


FEW = 16  # top_k is faster than sorting for at most one element in so many


def as_numbers(x, smallest):
    """float32 numbers in the order of x, or the reverse one, for x that float32 holds. top_k orders them by their bits: -NaN is below -inf, and
    NaN above inf."""
    bits = lax.bitcast_convert_type(x.astype(jnp.float32), jnp.uint32)
    sign = jnp.uint32(1 << 31)
    size = bits & ~sign
    ordered = jnp.where(size == 0, 0, jnp.where(size > 0x7F800000, 0x7FC00000, bits)).astype(jnp.uint32)
    return lax.bitcast_convert_type(ordered ^ sign if smallest else ordered, jnp.float32)


def topk(out, x, *, k, axis, smallest):
    if not out[0].size:
        return tuple(map(nothing, out))
    small = x.dtype in (jnp.float32, jnp.float16, jnp.bfloat16) or x.dtype.itemsize < 4
    if small and k * FEW <= x.shape[axis]:
        at = lax.top_k(jnp.moveaxis(as_numbers(x, smallest), axis, -1), k)[1]
        at = jnp.moveaxis(at, -1, axis).astype(out[1].dtype)
    else:
        at = lax.slice_in_dim(argsort(out[1], x, axis=axis, descending=not smallest), 0, k, axis=axis)
    return jnp.take_along_axis(x, at, axis), at


def searchsorted(out, x, values, *, right):
    if not x.size or not values.size:
        return nothing(out)
    return jnp.searchsorted(keys(x), keys(values), side="right" if right else "left").astype(out.dtype)


def cast(out, x):
    """float64 goes to half precision through float32, which would be rounded twice (on processors without instructions for it). Rounding to
    odd keeps what the second rounding needs: toward zero, and the last bit set if digits were lost."""
    if x.dtype != jnp.float64 or out.dtype not in (jnp.float16, jnp.bfloat16):
        return x.astype(out.dtype)
    near = x.astype(jnp.float32)
    back = near.astype(jnp.float64)
    bits = lax.bitcast_convert_type(near, jnp.uint32)
    odd = (bits - (jnp.abs(back) > jnp.abs(x)).astype(jnp.uint32)) | 1
    return lax.bitcast_convert_type(jnp.where(back == x, bits, odd), jnp.float32).astype(out.dtype)


def bitcast(out, x):
    """Of another size, the last axis is divided into the parts of an element, or its elements are joined."""
    if not out.size:
        return nothing(out)
    return x.view(out.dtype).reshape(out.shape)


OPS.update({
    "bitcast": ("numeric", bitcast),
    "flip": ("any", lambda out, x, *, axes: jnp.flip(x, axes)),
    "reshape": ("any", lambda out, x: jnp.reshape(x, out.shape)),
    "broadcast_to": ("any", lambda out, x: jnp.broadcast_to(x, out.shape)),
    "permute_dims": ("any", lambda out, x, *, axes: jnp.transpose(x, axes)),
    "cast": ("any", cast),
    "concat": ("any", concat),
    "stride": ("any", stride),
    "slice": ("any", slice_),
    "slice_set": ("any", slice_set),
    "take": ("any", take),
    "index_add": ("numeric", index_add),
    "index_set": ("any", index_set),
    "segment_max": ("real", segment_max),
    "segment_min": ("real", segment_min),
    "argsort": ("ordered", argsort),
    "topk": ("ordered", topk),
    "searchsorted": ("ordered", searchsorted),
})
