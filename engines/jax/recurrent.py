# SPDX-License-Identifier: Apache-2.0
"""recurrent.py: recurrent layers as scans over their steps, and attention. Half precision is computed in float32 and rounded once."""
import jax.numpy as jnp
from jax import lax

from _vinea_jax_replay import OPS, nothing, transposed, widen


def parts(x, n):
    return jnp.split(x, n, -1)


def beside(*xs):
    return jnp.concatenate(xs, -1)


def before(first, states, reverse):
    """The state before each step, in storage order."""
    return jnp.concatenate([states[1:], first[None]] if reverse else [first[None], states[:-1]])


def zeros_like(x):
    return jnp.zeros(x.shape, x.dtype)


def lstm_sequence(out, gates, weight, h, c, *, reverse):
    if not out[0].size:
        return tuple(map(nothing, out))

    def step(state, gates):
        h, c = state
        i, f, g, o = parts(gates + h @ weight, 4)
        i, f, g, o = lax.logistic(i), lax.logistic(f), jnp.tanh(g), lax.logistic(o)
        c = f * c + i * g
        h = o * jnp.tanh(c)
        return (h, c), (h, c, beside(i, f, g, o) if out.used[2] else None)

    return lax.scan(step, (h, c), gates, reverse=bool(reverse))[1]


def lstm_backward(out, weight, c, cs, residuals, ct_h, ct_c=None, *, reverse):
    """The scan only propagates gradients from step to step."""
    if not out[0].size:
        return tuple(map(nothing, out))
    (i, f, g, o), t = parts(residuals, 4), jnp.tanh(cs)
    by_dc = g * i * (1 - i), before(c, cs, reverse) * f * (1 - f), i * (1 - g * g), f
    by_dh = t * o * (1 - o), o * (1 - t * t)

    def step(carried, now):
        (h_ct, c_ct), (ct_h, ct_c, (to_i, to_f, to_g, past), (to_o, to_cell)) = carried, now
        dh = ct_h + h_ct
        dc = c_ct + dh * to_cell
        if ct_c is not None:
            dc = dc + ct_c
        sent = beside(dc * to_i, dc * to_f, dc * to_g, dh * to_o)
        return (sent @ weight.T, dc * past), sent

    (h_ct, c_ct), gates_ct = lax.scan(step, (zeros_like(c), zeros_like(c)), (ct_h, ct_c, by_dc, by_dh), reverse=not reverse)
    return gates_ct, h_ct, c_ct


def gru_sequence(out, gates, weight, h, bias, *, reverse):
    if not out[0].size:
        return tuple(map(nothing, out))

    def step(h, gates):
        (x_r, x_z, x_n), (h_r, h_z, h_n) = parts(gates, 3), parts(h @ weight + bias, 3)
        r, z = lax.logistic(x_r + h_r), lax.logistic(x_z + h_z)
        n = jnp.tanh(x_n + r * h_n)
        h = (1 - z) * n + z * h
        return h, (h, beside(r, z, n, h_n) if out.used[1] else None)

    return lax.scan(step, h, gates, reverse=bool(reverse))[1]


def gru_backward(out, weight, h, hs, residuals, ct, *, reverse):
    if not out[0].size:
        return tuple(map(nothing, out))
    r, z, n, own_n = parts(residuals, 4)
    to_n = (1 - z) * (1 - n * n)
    by_dh = to_n * own_n * r * (1 - r), (before(h, hs, reverse) - n) * z * (1 - z), to_n * r, to_n, z

    def step(h_ct, now):
        ct, (to_r, to_z, to_own, to_n, past) = now
        dh = ct + h_ct
        sent = beside(dh * to_r, dh * to_z, dh * to_own)
        return sent @ weight.T + dh * past, (sent, dh * to_n)

    h_ct, (recurrent_ct, n_ct) = lax.scan(step, zeros_like(h), (ct, by_dh), reverse=not reverse)
    return beside(*parts(recurrent_ct, 3)[:2], n_ct), recurrent_ct, h_ct


# ---- attention


def attended(queries, keys, mask, causal):
    """Where queries attend to keys; None for everywhere."""
    allowed = None
    if mask is not None:
        allowed = jnp.atleast_2d(mask if mask.dtype == jnp.bool_ else mask != -jnp.inf)
    if causal:
        earlier = jnp.arange(keys) <= jnp.arange(queries)[:, None] + (keys - queries)
        allowed = earlier if allowed is None else allowed & earlier
    return allowed


def weights(scale, causal, q, k, v, mask):
    """The attention weights, the log-sum-exp of the scores, and q, k and v with zeros for queries and keys without attention.

    Rows without weights stay 0 by arithmetic alone: XLA fuses a softmax with its products, but not across a select. A total is at
    least 1, or 0, so adding the smallest number changes nothing else.
    """
    allowed = attended(q.shape[-2], k.shape[-2], mask, causal)
    if allowed is not None:
        of_queries, of_keys = jnp.any(allowed, -1, keepdims=True), transposed(jnp.any(allowed, -2, keepdims=True))
        q, k, v = jnp.where(of_queries, q, 0), jnp.where(of_keys, k, 0), jnp.where(of_keys, v, 0)
    scores = (q * jnp.array(scale, q.dtype)) @ transposed(k)
    if mask is not None and mask.dtype != jnp.bool_:
        scores = scores + mask.astype(scores.dtype)
    if allowed is not None:
        scores = jnp.where(allowed, scores, -jnp.inf)
    top = jnp.max(scores, -1, keepdims=True)
    numbers = jnp.finfo(scores.dtype)
    top = jnp.maximum(top, numbers.min)
    power = jnp.exp(scores - top)
    total = jnp.sum(power, -1, keepdims=True)
    return power / (total + numbers.tiny), (jnp.log(total) + top)[..., 0], q, k, v


def attention(out, q, k, v, mask=None, *, scale, causal):
    y, sums = out
    if not y.size and not sums.size or not k.shape[-2]:
        return nothing(y), jnp.full(sums.shape, -jnp.inf, sums.dtype)
    p, total, _, _, v = weights(scale, causal, *widen(y, q, k, v), mask)
    return (p @ v).astype(y.dtype), jnp.broadcast_to(total, sums.shape)


def attention_backward(out, q, k, v, result, ct, sums, mask=None, *, scale, causal):
    """The weights are computed as in attention, so XLA computes them once in a program with both; the sums are not needed."""
    if not ct.size or not k.shape[-2]:
        return tuple(nothing(z) for z in out)
    dtype = out[0]
    q, k, v, result, ct = widen(dtype, q, k, v, result, ct)
    p, _, q, k, v = weights(scale, causal, q, k, v, mask)
    slopes = p * (ct @ transposed(v) - jnp.sum(ct * result, -1, keepdims=True)) * jnp.array(scale, p.dtype)
    if mask is not None or causal:  # masked elements may be infinite
        slopes = jnp.where(p == 0, 0, slopes)
    return tuple(z.astype(dtype.dtype) for z in (slopes @ k, transposed(slopes) @ q, transposed(p) @ ct))


OPS.update({
    "lstm_sequence": ("float32 float64", lstm_sequence),
    "lstm_backward": ("float32 float64", lstm_backward),
    "gru_sequence": ("float32 float64", gru_sequence),
    "gru_backward": ("float32 float64", gru_backward),
    "attention": ("floats bool", attention),
    "attention_backward": ("floats bool", attention_backward),
})
