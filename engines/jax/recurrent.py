"""recurrent.py: recurrent layers, as scans over their steps, and attention. Half precision is computed in float32 and rounded once."""
import jax.numpy as jnp
from jax import lax

from _vinea_replay import OPS, nothing, widen


def parts(x, n):
    return jnp.split(x, n, -1)


def beside(*xs):
    return jnp.concatenate(xs, -1)


def before(first, states, reverse):
    """The state before each step, in the order of time."""
    return jnp.concatenate([states[1:], first[None]] if reverse else [first[None], states[:-1]])


def lstm_states(out, options, *inputs):
    if not out.size:
        return nothing(out)
    gates, weight, h, c = widen(out, *inputs)

    def step(state, gates):
        h, c = state
        i, f, g, o = parts(gates + h @ weight, 4)
        c = lax.logistic(f) * c + lax.logistic(i) * jnp.tanh(g)
        h = lax.logistic(o) * jnp.tanh(c)
        return (h, c), beside(h, c)

    return lax.scan(step, (h, c), gates, reverse=bool(options[0]))[1].astype(out.dtype)


def lstm_back(out, options, *inputs):
    """Only what one step sends to the one before is left to the scan."""
    if not out.size:
        return nothing(out)
    gates, weight, h, c, states, ct = widen(out, *inputs)
    reverse = bool(options[0])
    all_h, all_c = parts(states, 2)
    i, f, g, o = parts(gates + before(h, all_h, reverse) @ weight, 4)
    i, f, g, o, t = lax.logistic(i), lax.logistic(f), jnp.tanh(g), lax.logistic(o), jnp.tanh(all_c)
    by_dc = g * i * (1 - i), before(c, all_c, reverse) * f * (1 - f), i * (1 - g * g), f
    by_dh = t * o * (1 - o), o * (1 - t * t)

    def step(carried, now):
        (to_h, to_c), (ct, (to_i, to_f, to_g, past), (to_o, to_cell)) = carried, now
        ct_h, ct_c = parts(ct, 2)
        dh = ct_h + to_h
        dc = ct_c + to_c + dh * to_cell
        sent, past = beside(dc * to_i, dc * to_f, dc * to_g, dh * to_o), dc * past
        return (sent @ weight.T, past), beside(sent, past)

    none = jnp.zeros(h.shape, h.dtype)
    return lax.scan(step, (none, none), (ct, by_dc, by_dh), reverse=not reverse)[1].astype(out.dtype)


def gru_gates(gates, own):
    """r, z and n of a GRU; own: what comes from the state, the bias included."""
    (x_r, x_z, x_n), (h_r, h_z, h_n) = parts(gates, 3), parts(own, 3)
    r, z = lax.logistic(x_r + h_r), lax.logistic(x_z + h_z)
    return r, z, jnp.tanh(x_n + r * h_n)


def gru_states(out, options, *inputs):
    if not out.size:
        return nothing(out)
    gates, weight, bias, h = widen(out, *inputs)

    def step(h, gates):
        _, z, n = gru_gates(gates, h @ weight + bias)
        h = (1 - z) * n + z * h
        return h, h

    return lax.scan(step, h, gates, reverse=bool(options[0]))[1].astype(out.dtype)


def gru_back(out, options, *inputs):
    if not out.size:
        return nothing(out)
    gates, weight, bias, h, states, ct = widen(out, *inputs)
    reverse = bool(options[0])
    h0 = before(h, states, reverse)
    own = h0 @ weight + bias
    r, z, n = gru_gates(gates, own)
    to_n = (1 - z) * (1 - n * n)
    by_dh = to_n * parts(own, 3)[2] * r * (1 - r), (h0 - n) * z * (1 - z), to_n * r, to_n, z

    def step(carried, now):
        ct, (to_r, to_z, to_own, to_n, past) = now
        dh = ct + carried
        sent, past = beside(dh * to_r, dh * to_z, dh * to_own), dh * past
        return sent @ weight.T + past, beside(sent, dh * to_n, past)

    return lax.scan(step, jnp.zeros(h.shape, h.dtype), (ct, by_dh), reverse=not reverse)[1].astype(out.dtype)


# ---- attention


def transposed(x):
    return jnp.swapaxes(x, -1, -2)


def attended(queries, keys, mask, causal):
    """Where queries attend to keys; None: everywhere."""
    allowed = None
    if mask is not None:
        allowed = jnp.atleast_2d(mask if mask.dtype == jnp.bool_ else mask != -jnp.inf)
    if causal:
        earlier = jnp.arange(keys) <= jnp.arange(queries)[:, None] + (keys - queries)
        allowed = earlier if allowed is None else allowed & earlier
    return allowed


def weights(options, q, k, v, mask):
    """What each query takes of each key, the logarithms of the sums of e^score, and q, k and v with zeros for queries and keys that have no
    part in anything.

    Rows without any weight stay 0 by arithmetic alone: XLA fuses a softmax with its products, but not around a selection. A total is 1 at
    least, or 0, so the least number changes nothing else.
    """
    scale, causal = options
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


def attention(out, options, q, k, v, mask=None):
    y, sums = out
    if not y.size and not sums.size or not k.shape[-2]:
        return nothing(y), jnp.full(sums.shape, -jnp.inf, sums.dtype)
    p, total, _, _, v = weights(options, *widen(y, q, k, v), mask)
    return (p @ v).astype(y.dtype), jnp.broadcast_to(total, sums.shape)


def attention_backward(out, options, q, k, v, result, ct, sums, mask=None):
    """The weights are computed as in attention, of which they are a common subexpression in a program with both; the sums are not needed."""
    if not ct.size or not k.shape[-2]:
        return tuple(nothing(z) for z in out)
    dtype = out[0]
    q, k, v, result, ct = widen(dtype, q, k, v, result, ct)
    p, _, q, k, v = weights(options, q, k, v, mask)
    slopes = p * (ct @ transposed(v) - jnp.sum(ct * result, -1, keepdims=True)) * jnp.array(options[0], p.dtype)
    if mask is not None or options[1]:  # what is kept out may be infinite
        slopes = jnp.where(p == 0, 0, slopes)
    return tuple(z.astype(dtype.dtype) for z in (slopes @ k, transposed(slopes) @ q, transposed(p) @ ct))


OPS.update({
    "lstm_states": lstm_states,
    "lstm_back": lstm_back,
    "gru_states": gru_states,
    "gru_back": gru_back,
    "attention": attention,
    "attention_backward": attention_backward,
})
