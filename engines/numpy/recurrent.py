"""recurrent.py: LSTM and GRU, step by step. Functions get their op's options, then its inputs.

What does not depend on the step before is computed for all steps at once: on the way back that is everything but the cotangents.
"""
import numpy


def lstm_states(reverse, gates, weight, h, c):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    states = numpy.empty((steps, rows, 2 * size), gates.dtype)
    for at in _order(steps, reverse):
        mixed = h @ weight
        mixed += gates[at]
        through, new, out = _gate(mixed[:, : 2 * size]), numpy.tanh(mixed[:, 2 * size : 3 * size]), _gate(mixed[:, 3 * size :])
        last, h, c = c, states[at, :, :size], states[at, :, size:]
        numpy.multiply(through[:, size:], last, c)
        c += through[:, :size] * new
        numpy.multiply(out, numpy.tanh(c), h)
    return states


def lstm_back(reverse, gates, weight, h, c, states, ct):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    mixed = _before(states[..., :size], h, reverse) @ weight
    mixed += gates
    i, f, g, o = (mixed[..., k * size : (k + 1) * size] for k in range(4))
    i, f, g, o, t = _gate(i), _gate(f), numpy.tanh(g), _gate(o), numpy.tanh(states[..., size:])
    by_cell = numpy.stack((g * i * (1 - i), _before(states[..., size:], c, reverse) * f * (1 - f), i * (1 - g * g)), 2)
    by_out, to_cell = t * o * (1 - o), o * (1 - t * t)
    sent = numpy.empty((steps, rows, 5, size), gates.dtype)
    to_h = past = numpy.zeros((rows, size), gates.dtype)
    for at in _order(steps, not reverse):
        dh = ct[at, :, :size] + to_h
        dc = dh * to_cell[at]
        dc += ct[at, :, size:] + past
        numpy.multiply(dc[:, None], by_cell[at], sent[at, :, :3])
        numpy.multiply(dh, by_out[at], sent[at, :, 3])
        past = numpy.multiply(dc, f[at], sent[at, :, 4])
        to_h = sent[at, :, :4].reshape(rows, 4 * size) @ weight.T
    return sent.reshape(steps, rows, 5 * size)


def gru_states(reverse, gates, weight, bias, h):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    states = numpy.empty((steps, rows, size), gates.dtype)
    for at in _order(steps, reverse):
        own = h @ weight
        own += bias
        through = _gate(gates[at, :, : 2 * size] + own[:, : 2 * size])
        reset, keep = through[:, :size], through[:, size:]
        new = reset * own[:, 2 * size :]
        new += gates[at, :, 2 * size :]
        numpy.tanh(new, new)
        last, h = h, states[at]
        numpy.multiply(1 - keep, new, h)
        h += keep * last
    return states


def gru_back(reverse, gates, weight, bias, h, states, ct):
    steps, rows, size = gates.shape[0], gates.shape[1], weight.shape[0]
    before = _before(states, h, reverse)
    own = before @ weight
    own += bias
    through = _gate(gates[..., : 2 * size] + own[..., : 2 * size])
    r, z, v = through[..., :size], through[..., size:], own[..., 2 * size :]
    a = numpy.tanh(gates[..., 2 * size :] + r * v)
    to_new, to_keep = (1 - z) * (1 - a * a), (before - a) * z * (1 - z)
    by_new = numpy.stack((v * r * (1 - r), r), 2)
    sent = numpy.empty((steps, rows, 5, size), gates.dtype)
    to_h = past = numpy.zeros((rows, size), gates.dtype)
    for at in _order(steps, not reverse):
        dh = to_h + past
        dh += ct[at]
        new = numpy.multiply(dh, to_new[at], sent[at, :, 3])
        numpy.multiply(new[:, None], by_new[at], sent[at, :, 0:3:2])
        numpy.multiply(dh, to_keep[at], sent[at, :, 1])
        past = numpy.multiply(dh, z[at], sent[at, :, 4])
        to_h = sent[at, :, :3].reshape(rows, 3 * size) @ weight.T
    return sent.reshape(steps, rows, 5 * size)


def _order(steps, reverse):
    return range(steps - 1, -1, -1) if reverse else range(steps)


def _before(states, first, reverse):
    """The states that each step begins with."""
    if not states.shape[0]:
        return states
    return numpy.concatenate((states[1:], first[None]) if reverse else (first[None], states[:-1]))


def _gate(x):
    """1 / (1 + exp(-x)), into a new array; where exp is infinite, that is 0."""
    y = numpy.negative(x)
    numpy.exp(y, y)
    y += 1
    return numpy.divide(1, y, y)
