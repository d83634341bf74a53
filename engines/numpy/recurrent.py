# SPDX-License-Identifier: Apache-2.0
"""recurrent.py: LSTM and GRU, step by step. Functions get the options that their rows name, which results are used, then its inputs.

Work that does not depend on the previous step is done for all steps at once: in the backward pass that is everything but the cotangents.
"""
import numpy


def lstm_sequence(reverse, used, gates, weight, h, c):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    hs, cs = (numpy.empty((steps, rows, size), gates.dtype) for _ in range(2))
    residuals = numpy.empty((steps if used[2] else 1, rows, 4 * size), gates.dtype)
    for at in _order(steps, reverse):
        mixed = residuals[at if used[2] else 0]
        numpy.matmul(h, weight, mixed)
        mixed += gates[at]
        i, f, g, o = _parts(mixed, 4)
        _gate(mixed[:, : 2 * size])
        numpy.tanh(g, g)
        _gate(o)
        last, h, c = c, hs[at], cs[at]
        numpy.multiply(f, last, c)
        c += i * g
        numpy.multiply(o, numpy.tanh(c), h)
    return hs, cs, residuals if used[2] else None


def lstm_backward(reverse, used, weight, c, cs, residuals, ct_h, ct_c=None):
    steps, rows, size = cs.shape
    (i, f, g, o), t = _parts(residuals, 4), numpy.tanh(cs)
    by_cell = numpy.stack((g * i * (1 - i), _before(cs, c, reverse) * f * (1 - f), i * (1 - g * g)), 2)
    by_out, to_cell = t * o * (1 - o), o * (1 - t * t)
    sent = numpy.empty((steps, rows, 4, size), cs.dtype)
    h_ct, c_ct = numpy.zeros((2, rows, size), cs.dtype)
    for at in _order(steps, not reverse):
        dh = ct_h[at] + h_ct
        dc = dh * to_cell[at]
        dc += c_ct
        if ct_c is not None:
            dc += ct_c[at]
        numpy.multiply(dc[:, None], by_cell[at], sent[at, :, :3])
        numpy.multiply(dh, by_out[at], sent[at, :, 3])
        c_ct = dc * f[at]
        h_ct = sent[at].reshape(rows, 4 * size) @ weight.T
    return sent.reshape(steps, rows, 4 * size), h_ct, c_ct


def gru_sequence(reverse, used, gates, weight, h, bias):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    hs = numpy.empty((steps, rows, size), gates.dtype)
    residuals = numpy.empty((steps if used[1] else 1, rows, 4 * size), gates.dtype)
    for at in _order(steps, reverse):
        made = residuals[at if used[1] else 0]
        r, z, n, own_n = _parts(made, 4)
        own = h @ weight
        own += bias
        numpy.add(gates[at, :, : 2 * size], own[:, : 2 * size], made[:, : 2 * size])
        _gate(made[:, : 2 * size])
        own_n[...] = own[:, 2 * size :]
        numpy.multiply(r, own_n, n)
        n += gates[at, :, 2 * size :]
        numpy.tanh(n, n)
        last, h = h, hs[at]
        numpy.multiply(1 - z, n, h)
        h += z * last
    return hs, residuals if used[1] else None


def gru_backward(reverse, used, weight, h, hs, residuals, ct):
    steps, rows, size = hs.shape
    r, z, n, own_n = _parts(residuals, 4)
    to_n = (1 - z) * (1 - n * n)
    by_dh = numpy.stack((to_n * own_n * r * (1 - r), (_before(hs, h, reverse) - n) * z * (1 - z), to_n * r), 2)
    sent, n_ct, h_ct = numpy.empty_like(by_dh), numpy.empty_like(hs), numpy.zeros((rows, size), hs.dtype)
    for at in _order(steps, not reverse):
        dh = ct[at] + h_ct
        numpy.multiply(dh[:, None], by_dh[at], sent[at])
        numpy.multiply(dh, to_n[at], n_ct[at])
        h_ct = sent[at].reshape(rows, 3 * size) @ weight.T
        h_ct += dh * z[at]
    sent = sent.reshape(steps, rows, 3 * size)
    return numpy.concatenate((sent[..., : 2 * size], n_ct), 2) if used[0] else None, sent, h_ct


def _order(steps, reverse):
    return range(steps - 1, -1, -1) if reverse else range(steps)


def _parts(x, n):
    """n equal parts of the last axis, as views."""
    size = x.shape[-1] // n
    return [x[..., k * size : (k + 1) * size] for k in range(n)]


def _before(states, first, reverse):
    """The state before each step."""
    if not states.shape[0]:
        return states
    return numpy.concatenate((states[1:], first[None]) if reverse else (first[None], states[:-1]))


def _gate(x):
    """x = 1 / (1 + exp(-x)), in place; 0 where exp is infinite. Avoids numpy.negative, which is wrong for elements 16 bytes apart (NumPy 2.4)."""
    numpy.multiply(x, -1, x)
    numpy.exp(x, x)
    x += 1
    numpy.divide(1, x, x)
