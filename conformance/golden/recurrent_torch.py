#!/usr/bin/env python3
"""Prints conformance/cases/recurrent.case and attention.case, from PyTorch in float64.

Run by hand: python3 conformance/golden/recurrent_torch.py [folder], default conformance/cases. Layers are torch.lstm and torch.gru, gradients are torch's, of loops over steps; attention is written
out and compared with scaled_dot_product_attention.
"""
import os
import sys

import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(7)
TOLERANCE = {"f64": "", "f32": " ~ 2e-6", "f16": " ~ 4e-3", "bf16": " ~ 3e-2"}


def some(*shape):
    return torch.round(torch.rand(shape) * 200 - 100) / 100


def text(x, dtype="f64"):
    if isinstance(x, str):
        return x
    dtype = "bool" if x.dtype == torch.bool else dtype
    digits = 17 if dtype == "f64" else 9
    numbers = " ".join(("%d" if dtype == "bool" else "%%.%dg" % digits) % v for v in x.reshape(-1).tolist())
    numbers = " ".join(repr(float(n)) if dtype == "f64" else n for n in numbers.split())
    return "%s(%s)[%s]" % (dtype, ",".join(map(str, x.shape)), numbers)


def line(op, inputs, result, options="", dtype="f64", result_dtype=None):
    print(op, " ".join(text(x, dtype) for x in inputs), options, "=", text(result.detach(), result_dtype or dtype) + TOLERANCE[dtype])


def error(op, inputs, code, options=""):
    print(op, " ".join(text(x, "f32") for x in inputs), options, "!", code)


# ---- recurrent layers: weights as the ops have them, the transposes of torch's ----


def layer(kind, x, states, w, u, b=None, c=None):
    weights = [w.T, u.T]
    if b is not None or c is not None:
        zero = torch.zeros(w.shape[1])
        weights += [zero if b is None else b, zero if c is None else c]
    state = tuple(s[None] for s in states) if kind == "lstm" else states[0][None]
    result = getattr(torch, kind)(x, state, weights, len(weights) == 4, 1, 0.0, False, False, False)
    return [result[0]] + [s[0] for s in result[1:]]


def backwards(kind, x, *rest):
    result = layer(kind, x.flip(0), *rest)
    return [result[0].flip(0)] + result[1:]


def split(x, n):
    return x.chunk(n, -1)


def numbered(op, inputs, results, options="", dtype="f64"):
    """A line for each of the results."""
    for k, result in enumerate(results):
        line(op + (".%d" % k if k else ""), inputs, result, options, dtype)


def lstm_sequence(gates, u, h, c, order):
    """h, c and the gates after their functions, of all steps."""
    steps = [None] * len(order)
    for t in order:
        i, f, g, o = split(gates[t] + h @ u, 4)
        i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
        c = f * c + i * g
        h = o * c.tanh()
        steps[t] = h, c, torch.cat([i, f, g, o], -1)
    return [torch.stack(result) for result in zip(*steps)]


def lstm_backward(gates, u, h, c, order, *cts):
    leaves = [x.clone().requires_grad_() for x in (gates, h, c)]
    made = lstm_sequence(leaves[0], u, *leaves[1:], order)
    return torch.autograd.grad(made[: len(cts)], leaves, cts)


def gru_sequence(gates, u, h, b, order):
    """h of all steps; r, z, n and the recurrent part of n; the recurrent parts of all gates."""
    steps = [None] * len(order)
    for t in order:
        own = h @ u + b
        (x, y, a), (r, z, v) = split(gates[t], 3), split(own, 3)
        r, z = (x + r).sigmoid(), (y + z).sigmoid()
        n = (a + r * v).tanh()
        h = (1 - z) * n + z * h
        steps[t] = h, torch.cat([r, z, n, v], -1), own
    hs, residuals, own = zip(*steps)
    return torch.stack(hs), torch.stack(residuals), own


def gru_backward(gates, u, h, b, order, ct):
    leaves = [x.clone().requires_grad_() for x in (gates, h)]
    hs, _, own = gru_sequence(leaves[0], u, leaves[1], b, order)
    grads = torch.autograd.grad(hs, [*leaves, *own], ct)
    return grads[0], torch.stack(grads[2:]), grads[1]


def layers():
    T, B, I, H = 2, 2, 2, 3
    x, h, c = some(T, B, I), some(B, H), some(B, H)
    w, u, b = some(I, 4 * H), some(H, 4 * H), some(4 * H)
    print("# lstm and gru, with their recurrences and backward passes. Printed by recurrent_torch.py.\n\n# ---- lstm ----")
    result = layer("lstm", x, [h, c], w, u, b)
    for k in range(3):
        line("lstm" + (".%d" % k if k else ""), [x, h, c, w, u, b], result[k])
    for k in range(3):
        line("lstm" + (".%d" % k if k else ""), [x, h, c, w, u], backwards("lstm", x, [h, c], w, u)[k], "reverse")
    for dtype in ("f32", "f16", "bf16"):
        line("lstm", [x, h, c, w, u, b], result[0], "", dtype)
        line("lstm.2", [x, h, c, w, u, b], result[2], "", dtype)
    line("lstm", [x, h, c, w, u, "none"], layer("lstm", x, [h, c], w, u)[0])
    print("# x = 0.5 -1, 0.25 0.75: known values")
    print("lstm f64(2,1,2)[.5 -1 .25 .75] f64[[.1]] f64[[.2]] f64[[.1 .2 .3 .4] [.5 .6 .7 .8]] f64[[.9 .8 .7 .6]] f64[.06 .08 .1 .12] = "
          "f64(2,1,1)[-0.028180824 0.20992796] ~ 1e-7")
    print("# no steps: the states as they were; no rows; no features; no states")
    line("lstm", [x[:0], h, c, w, u, b], result[0][:0])
    line("lstm.1", [x[:0], h, c, w, u, b], h)
    line("lstm.2", [x[:0], h, c, w, u, b], c, "reverse")
    line("lstm", [x[:, :0], h[:0], c[:0], w, u, b], result[0][:, :0])
    line("lstm.1", [x[:, :0], h[:0], c[:0], w, u, b], h[:0])
    line("lstm", [x[..., :0], h, c, w[:0], u, b], lstm_sequence(b.expand(T, B, 4 * H), u, h, c, range(T))[0])
    line("lstm", [x, h[:, :0], c[:, :0], w[:, :0], u[:0, :0], b[:0]], result[0][..., :0])
    x1, h1, c1 = some(1, 1, I), some(1, H), some(1, H)
    line("lstm.2", [x1, h1, c1, w, u, b], layer("lstm", x1, [h1, c1], w, u, b)[2])
    T = 3
    gates, cts = some(T, B, 4 * H), split(some(T, B, 2 * H), 2)
    for options, order in (("", range(T)), ("reverse", range(T - 1, -1, -1))):
        made = lstm_sequence(gates, u, h, c, order)
        numbered("lstm_sequence", [gates, u, h, c], made, options)
        numbered("lstm_backward", [u, c, *made[1:], *cts], lstm_backward(gates, u, h, c, order, *cts), options)
    numbered("lstm_backward", [u, c, *made[1:], cts[0]], lstm_backward(gates, u, h, c, order, cts[0]), "reverse")
    print("# in float32; without steps; infinities and NaN")
    numbered("lstm_sequence", [gates, u, h, c], made, "reverse", "f32")
    numbered("lstm_backward", [u, c, *made[1:], *cts], lstm_backward(gates, u, h, c, order, *cts), "reverse", "f32")
    none = [result[:0] for result in made]
    numbered("lstm_sequence", [gates[:0], u, h, c], none)
    numbered("lstm_backward", [u, c, *none[1:], cts[0][:0]], [gates[:0], torch.zeros(B, H), torch.zeros(B, H)])
    print("lstm_sequence f32(1,1,4)[inf -inf inf inf] f32[[0 0 0 0]] f32[[1]] f32[[3]] = f32(1,1,1)[0.76159416]")
    print("lstm_sequence.1 f32(1,1,4)[inf -inf inf inf] f32[[0 0 0 0]] f32[[1]] f32[[3]] = f32(1,1,1)[1]")
    print("lstm_sequence.2 f32(1,1,4)[inf -inf inf inf] f32[[0 0 0 0]] f32[[1]] f32[[3]] = f32(1,1,4)[1 0 1 1]")
    print("lstm_sequence f32(1,1,4)[nan 0 0 0] f32[[0 0 0 0]] f32[[1]] f32[[3]] = f32(1,1,1)[nan]")
    error("lstm", [x[0], h, c, w, u], "VN_E_SHAPE")
    error("lstm", [x, h[0], c, w, u], "VN_E_SHAPE")
    error("lstm", [x, h, c[:1], w, u], "VN_E_SHAPE")
    error("lstm", [x, h, c, w[:1], u], "VN_E_SHAPE")
    error("lstm", [x, h, c, w, u[:, :9]], "VN_E_SHAPE")
    error("lstm", [x, h, c, w, u[0]], "VN_E_SHAPE")
    error("lstm", [x, h, c, w, u, b[:4]], "VN_E_SHAPE")
    error("lstm", [x, h, c, w, "null"], "VN_E_NULL")
    error("lstm", [x, h, c, w], "VN_E_ARG")
    print("lstm i32(1,1,1)[1] i32[[1]] i32[[1]] i32[[1 1 1 1]] i32[[1 1 1 1]] ! VN_E_DTYPE")
    error("lstm_sequence", [gates[0], u, h, c], "VN_E_SHAPE")
    error("lstm_sequence", [gates, u, h[:1], c], "VN_E_SHAPE")
    error("lstm_sequence", [gates[..., :8], u, h, c], "VN_E_SHAPE")
    error("lstm_sequence", [gates, u, h, c[:, :2]], "VN_E_SHAPE")
    print("lstm_sequence f16(1,1,4)[0 0 0 0] f16[[0 0 0 0]] f16[[1]] f16[[3]] ! VN_E_DTYPE")
    error("lstm_backward", [u[0], c, *made[1:], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u[:, :3], c, *made[1:], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u, c[:1], *made[1:], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u, c, made[1][0], made[2], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u, c, made[1][..., :2], made[2], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u, c, made[1], made[2][:1], *cts], "VN_E_SHAPE")
    error("lstm_backward", [u, c, *made[1:], cts[0][..., :2]], "VN_E_SHAPE")
    error("lstm_backward", [u, c, *made[1:], cts[0], cts[1][:2]], "VN_E_SHAPE")
    one_bias = [x, h, c, w, u, torch.tensor([0.5])]
    print("\n# ---- gru ----")
    w, u, b, c = some(I, 3 * H), some(H, 3 * H), some(3 * H), some(3 * H)
    result = layer("gru", x, [h], w, u, b, c)
    for k in range(2):
        line("gru" + (".%d" % k if k else ""), [x, h, w, u, b, c], result[k])
        line("gru" + (".%d" % k if k else ""), [x, h, w, u], backwards("gru", x, [h], w, u)[k], "reverse")
    line("gru", [x, h, w, u, b], layer("gru", x, [h], w, u, b)[0])
    line("gru", [x, h, w, u, "none", c], layer("gru", x, [h], w, u, None, c)[0])
    for dtype in ("f32", "f16", "bf16"):
        line("gru", [x, h, w, u, b, c], result[0], "", dtype)
    line("gru", [x[:0], h, w, u, b, c], result[0][:0])
    line("gru.1", [x[:0], h, w, u, b, c], h)
    line("gru", [x[:, :0], h[:0], w, u], result[0][:, :0])
    line("gru", [x, h[:, :0], w[:, :0], u[:0, :0]], result[0][..., :0])
    gates, ct = some(T, B, 3 * H), some(T, B, H)
    for options, order in (("", range(T)), ("reverse", range(T - 1, -1, -1))):
        made = gru_sequence(gates, u, h, b, order)[:2]
        numbered("gru_sequence", [gates, u, h, b], made, options)
        numbered("gru_backward", [u, h, *made, ct], gru_backward(gates, u, h, b, order, ct), options)
    numbered("gru_sequence", [gates, u, h, b], made, "reverse", "f32")
    numbered("gru_backward", [u, h, *made, ct], gru_backward(gates, u, h, b, order, ct), "reverse", "f32")
    numbered("gru_sequence", [gates[:0], u, h, b], [result[:0] for result in made])
    numbered("gru_backward", [u, h, made[0][:0], made[1][:0], ct[:0]], [gates[:0], gates[:0], torch.zeros(B, H)])
    error("gru", [x[0], h, w, u], "VN_E_SHAPE")
    error("gru", [x, h[0], w, u], "VN_E_SHAPE")
    error("gru", [x, h, w[:1], u], "VN_E_SHAPE")
    error("gru", [x, h, w, u[:2]], "VN_E_SHAPE")
    error("gru", [x, h, w, u, b[:2]], "VN_E_SHAPE")
    error("gru", [x, h, w, u, b, c[:2]], "VN_E_SHAPE")
    print("gru i32(1,1,1)[1] i32[[1]] i32[[1 1 1]] i32[[1 1 1]] ! VN_E_DTYPE")
    error("gru_sequence", [gates, u, h, b[:1]], "VN_E_SHAPE")
    error("gru_sequence", [gates, u, h[:, :1], b], "VN_E_SHAPE")
    print("gru_sequence f16(1,1,3)[0 0 0] f16[[0 0 0]] f16[[1]] f16[0 0 0] ! VN_E_DTYPE")
    error("gru_backward", [u, h, *made, ct[:1]], "VN_E_SHAPE")
    error("gru_backward", [u, h, made[0], made[1][..., :9], ct], "VN_E_SHAPE")
    print("\n# A bias has a number for every gate, and is not repeated.")
    error("lstm", one_bias, "VN_E_SHAPE")


# ---- attention ----


def attention(q, k, v, mask=None, scale=0, causal=False):
    return attention_and_sums(q, k, v, mask, scale, causal)[0]


def attention_and_sums(q, k, v, mask=None, scale=0, causal=False):
    """The result, and the logarithms of the sums of e^score by query."""
    s = q @ k.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
    allowed = torch.ones(s.shape, dtype=torch.bool)
    if mask is not None:
        allowed = allowed & (mask if mask.dtype == torch.bool else mask > -torch.inf)
        s = s if mask.dtype == torch.bool else s + mask
    if causal:
        allowed = allowed & (torch.arange(k.shape[-2]) <= torch.arange(q.shape[-2])[:, None] + k.shape[-2] - q.shape[-2])
    s = torch.where(allowed, s, -torch.inf)
    sums = s.detach().logsumexp(-1)
    s = torch.where(allowed.any(-1, True), s.softmax(-1) if s.shape[-1] else s, 0.0)
    return torch.nan_to_num(s, 0.0) @ torch.nan_to_num(v, 0.0), sums


def attention_backward(q, k, v, ct, *rest):
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out, sums = attention_and_sums(*leaves, *rest)
    return out, sums, torch.autograd.grad(out, leaves, ct)


def backward_lines(inputs, sums, sent, mask=(), options="", dtype="f64"):
    """Of the three results; sums are float32 at least."""
    sums = text(sums.detach(), "f64" if dtype == "f64" else "f32")
    for number, result in enumerate(sent):
        line("attention_backward.%d" % number, [*inputs, sums, *mask], result, options, dtype)


def known():
    q, k, v = some(2, 4, 3), some(2, 4, 3), some(2, 4, 5)
    check = torch.nn.functional.scaled_dot_product_attention
    mask = some(4, 4) > 0
    mask[:, 0] = True
    assert torch.allclose(attention(q, k, v), check(q, k, v))
    assert torch.allclose(attention(q, k, v, None, 0, True), check(q, k, v, is_causal=True))
    assert torch.allclose(attention(q, k, v, mask), check(q, k, v, mask))
    added = some(4, 4)
    assert torch.allclose(attention(q, k, v, added, 0.3), check(q, k, v, added, scale=0.3))


def heads():
    known()
    N, M, D, E = 3, 4, 2, 5
    q, k, v = some(2, N, D), some(2, M, D), some(2, M, E)
    some_true = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 0, 1]], dtype=torch.bool)
    added = some(N, M)
    inf = added.clone()
    inf[0, 1] = inf[2, 0] = -torch.inf
    nothing = inf.clone()
    nothing[1] = -torch.inf
    print("# attention and its backward pass. Printed by recurrent_torch.py.\n")
    for dtype in ("f64", "f32", "f16", "bf16"):
        line("attention", [q, k, v], attention(q, k, v), "", dtype)
        line("attention", [q, k, v, some_true], attention(q, k, v, some_true, 0, True), "causal", dtype)
    line("attention", [q, k, v], attention(q, k, v, None, 0.25), "scale=0.25")
    line("attention", [q, k, v], attention(q, k, v, None, -2), "scale=-2", "f32")
    print("# masks: a row without anything, each axis broadcast, added, -inf, nothing left")
    for mask in (some_true, some_true[:1], some_true[:, :1], some_true[0], torch.stack([some_true, ~some_true]), added, added[0]):
        line("attention", [q, k, v, mask], attention(q, k, v, mask))
    line("attention", [q, k, v, "none"], attention(q, k, v))
    line("attention", [q, k, v, added], attention(q, k, v, added, 0.5), "scale=0.5", "f32")
    for mask in (inf, nothing):
        line("attention", [q, k, v, mask], attention(q, k, v, mask), "", "f32")
    print("attention f64(2,3,2)[%s] f64(1,2)[1 2] f64(1,2)[3 4] bool{1} = f64(2,3,2)[3 4 3 4 3 4 3 4 3 4 3 4]" % " ".join("%g" % x for x in q.reshape(-1)))
    print("# causal, with more and with fewer keys than queries; with a mask")
    line("attention", [q, k, v], attention(q, k, v, None, 0, True), "causal")
    line("attention", [k, q, v[:, :N]], attention(k, q, v[:, :N], None, 0, True), "causal")
    line("attention", [q, k, v, added], attention(q, k, v, added, 0, True), "causal")
    print("# leading axes: none, broadcast, two")
    line("attention", [q[0], k[0], v[0]], attention(q[0], k[0], v[0]))
    line("attention", [q[0], k, v[:1]], attention(q[0], k, v[:1]))
    line("attention", [q[:, None], k[None], v[0]], attention(q[:, None], k[None], v[0].expand(2, 2, M, E)))
    line("attention", [q[:, None], k, v, some_true.expand(2, 1, N, M)], attention(q[:, None], k, v.expand(2, 2, M, E), some_true))
    print("# no queries, no keys, no features, no values, an empty batch")
    line("attention", [q[:, :0], k, v], attention(q[:, :0], k, v))
    line("attention", [q, k[:, :0], v[:, :0]], torch.zeros(2, N, E))
    line("attention", [q, k, v[..., :0]], torch.zeros(2, N, 0))
    line("attention", [q[..., :0], k[..., :0], v], v.mean(1, True).expand(2, N, E))
    line("attention", [q[:0], k[:0], v[:0]], torch.zeros(0, N, E))
    print("# NaN and infinities in masked positions; in attended positions; large scores")
    bad_k, bad_v, seen = k.clone(), v.clone(), torch.tensor([[1, 0, 1, 0]] * N, dtype=torch.bool)
    bad_k[:, 1], bad_k[:, 3, 0], bad_v[:, 1, 2], bad_v[:, 3] = torch.nan, torch.inf, torch.nan, -torch.inf
    expected = attention(q, k, v, seen)
    line("attention", [q, bad_k, bad_v, seen], expected, "", "f32")
    line("attention", [q, bad_k, bad_v, torch.where(seen, 0.0, -torch.inf)], expected)
    print("attention [[1]] [[nan] [2]] [[5] [6]] = [[nan]]")
    print("attention [[1]] [[1] [2]] [[nan] [6]] = [[nan]]")
    print("attention [[1]] [[inf] [2]] [[5] [6]] = [[nan]]")
    print("attention [[1]] [[-inf] [2]] [[5] [6]] = [[6]]")
    print("attention [[1]] [[-inf] [-inf]] [[5] [6]] = [[0]]")
    print("attention [[100 100]] [[100 100] [100 99]] [[5] [6]] = [[5]] ~ 1e-6")
    print("attention [[1] [2]] [[1] [nan]] [[5] [6]] causal = [[5] [nan]]")
    print("# many keys, many queries, wide rows: all are the same, so weights are, too")
    for dtype in ("f32", "f64"):
        print(f"attention {dtype}(2,70,3)[1 2 -1 ...] {dtype}(2,1100,3)[1 0 1 ...] {dtype}(2,1100,4)[1 2 3 4 ...] = {dtype}(2,70,4)[1 2 3 4 ...] ~ 1e-5")
        print(f"attention {dtype}(130,3)[1 2 -1 ...] {dtype}(600,3)[1 0 1 ...] {dtype}(600,37)[3 ...] causal = {dtype}(130,37)[3 ...] ~ 1e-5")
    print("\n# ---- the sums of attention, for its backward pass ----")
    for dtype in ("f64", "f32", "f16", "bf16"):
        line("attention.1", [q, k, v], attention_and_sums(q, k, v)[1], "", dtype, "f64" if dtype == "f64" else "f32")
    for mask in (some_true, added, nothing):
        line("attention.1", [q, k, v, mask], attention_and_sums(q, k, v, mask)[1], "", "f32")
    line("attention.1", [q, k, v, some_true], attention_and_sums(q, k, v, some_true, 0.5, True)[1], "scale=0.5 causal")
    line("attention.1", [q[0], k[0], v], attention_and_sums(q[0], k[0], v)[1].expand(2, N))
    line("attention.1", [q[0], k[0], v, some_true], attention_and_sums(q[0], k[0], v, some_true)[1].expand(2, N))
    line("attention.1", [q, k[:, :0], v[:, :0]], torch.full((2, N), -torch.inf))
    line("attention.1", [q, k, v[..., :0]], attention_and_sums(q, k, v)[1])
    line("attention.1", [q[:, :0], k, v], torch.zeros(2, 0))
    print("attention.1 [[1]] [[nan] [2]] [[5] [6]] = [nan]")
    print("attention.1 [[100 100]] [[100 100] [100 99]] [[5] [6]] scale=0.01 = [200.31326169] ~ 1e-4")
    print("\n# ---- attention_backward ----")
    ct = some(2, N, E)
    for rest, options in (((), ""), ((some_true, 0, True), "causal"), ((added, 0.5), "scale=0.5")):
        out, sums, sent = attention_backward(q, k, v, ct, *rest)
        backward_lines([q, k, v, out, ct], sums, sent, rest[:1], options)
    out, sums, sent = attention_backward(q, k, v, ct)
    for dtype in ("f32", "f16", "bf16"):
        backward_lines([q, k, v, out, ct], sums, sent, (), "", dtype)
    zeros = [torch.zeros_like(x) for x in (q, k, v)]
    none = torch.full((2, N), -torch.inf)
    backward_lines([q, k[:, :0], v[:, :0], torch.zeros(2, N, E), ct], none, [zeros[0], zeros[1][:, :0], zeros[2][:, :0]])
    backward_lines([q[:, :0], k, v, out[:, :0], ct[:, :0]], sums[:, :0], [zeros[0][:, :0], zeros[1], zeros[2]])
    backward_lines([q, k, v[..., :0], out[..., :0], ct[..., :0]], sums, [zeros[0], zeros[1], zeros[2][..., :0]])
    masked, sums_masked, sent = attention_backward(q, k, v, ct, seen)
    backward_lines([q, bad_k, bad_v, masked, ct], sums_masked, sent, (seen,))
    idle, sums_idle, sent = attention_backward(q, k, v, ct, nothing)
    backward_lines([q, k, v, idle, ct], sums_idle, [torch.nan_to_num(x, 0.0) for x in sent], (nothing,), "", "f32")
    print("\n# ---- errors ----")
    error("attention", [q[0, 0], k, v], "VN_E_SHAPE")
    error("attention", [q, k[..., :1], v], "VN_E_SHAPE")
    error("attention", [q, k, v[:, :2]], "VN_E_SHAPE")
    error("attention", [q, k, torch.cat([v, v[:1]])], "VN_E_SHAPE")
    error("attention", [q, k, v, added[:2]], "VN_E_SHAPE")
    error("attention", [q, k, v, added.expand(2, 2, N, M)], "VN_E_SHAPE")
    error("attention", [q, k, v], "VN_E_ARG", "scale=inf")
    error("attention", [q, k, "null"], "VN_E_NULL")
    print("attention [[1]] [[1]] [[1]] i32[1] ! VN_E_DTYPE")
    print("attention i32[[1]] i32[[1]] i32[[1]] ! VN_E_DTYPE")
    error("attention_backward", [q[:1], k, v, out, ct, sums], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out[:1], ct, sums], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out, ct[..., :2], sums], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out, ct, sums[:1]], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out, ct, sums[..., None]], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out, ct, sums, added[0, :2]], "VN_E_SHAPE")
    error("attention_backward", [q, k, v, out, ct, "i32(2,3)[1 2 3 4 5 6]"], "VN_E_DTYPE")


folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases")
for name, body in (("recurrent", layers), ("attention", heads)):
    with open(os.path.join(folder, name + ".case"), "w") as sys.stdout:
        body()
