"""attention.py: softmax(scale q k^T + mask) v, and its way back. Functions get their op's options, then its inputs.

Scores of places not attended to are -inf, whatever they were. Keys nobody attends to have no part in anything, not even as 0 times NaN, nor
have queries that attend to nothing.
"""
import math

import numpy

SCORES = 1 << 22  # at once: queries go in blocks


def attention(scale, causal, q, k, v, mask=None):
    allowed = _allowed(q, k, causal, mask)
    v, parts = _attended(v, allowed, -2), []
    for block in _blocks(q, k):
        weights, total = _weights(scale, q[..., block, :], k, _rows(mask, block), _rows(allowed, block))
        parts.append(weights @ v)
        parts[-1] /= total
    return numpy.concatenate(parts, -2)


def attention_back(scale, causal, q, k, v, out, ct, mask=None):
    """What has a row for each query is divided by its sum and multiplied by the scale, not the weights and slopes, which are larger."""
    allowed = _allowed(q, k, causal, mask)
    attended, attending, v = _attended(k, allowed, -2), _attended(q, allowed, -1) * scale, v.swapaxes(-1, -2)
    to_q, to_k, to_v = numpy.empty(q.shape, q.dtype), 0, 0
    for block in _blocks(q, k):
        weights, total = _weights(scale, q[..., block, :], k, _rows(mask, block), _rows(allowed, block))
        sent = ct[..., block, :] / total
        slopes = sent @ v
        slopes -= (sent * out[..., block, :]).sum(-1, keepdims=True)
        slopes *= weights
        if allowed is not None:
            slopes[weights == 0] = 0
        numpy.multiply(slopes @ attended, scale, to_q[..., block, :])
        to_k = slopes.swapaxes(-1, -2) @ attending[..., block, :] + to_k
        to_v = weights.swapaxes(-1, -2) @ sent + to_v
    return numpy.concatenate((to_q.reshape(-1), to_k.reshape(-1), to_v.reshape(-1)))


def _blocks(q, k):
    """Slices of queries, one at least."""
    lead = math.prod(numpy.broadcast_shapes(q.shape[:-2], k.shape[:-2]))
    step = max(1, SCORES // max(1, lead * k.shape[-2]))
    return [slice(first, first + step) for first in range(0, max(1, q.shape[-2]), step)]


def _rows(x, block):
    """Some queries of an array, or of one that serves all of them."""
    return x if x is None or x.ndim < 2 or x.shape[-2] == 1 else x[..., block, :]


def _allowed(q, k, causal, mask):
    """Where to attend, of two axes at least; None: everywhere."""
    allowed = None
    if mask is not None:
        allowed = numpy.atleast_2d(mask if mask.dtype == bool else mask != -numpy.inf)
    if causal:
        queries, keys = q.shape[-2], k.shape[-2]
        reached = numpy.tri(queries, keys, keys - queries, bool)
        allowed = reached if allowed is None else allowed & reached
    return allowed


def _weights(scale, q, k, mask, allowed):
    """What each query takes of each key, and their sums, by which they are still to be divided; 1 where there are none."""
    scores = (q * scale) @ k.swapaxes(-1, -2)
    if mask is not None and mask.dtype != bool:
        scores = scores + mask
    if allowed is not None:
        scores = numpy.where(allowed, scores, numpy.array(-numpy.inf, scores.dtype))
    top = scores.max(-1, keepdims=True, initial=-numpy.inf)
    top[top == -numpy.inf] = 0
    scores -= top
    numpy.exp(scores, scores)
    total = scores.sum(-1, keepdims=True)
    total[total == 0] = 1
    return scores, total


def _attended(x, allowed, axis):
    """x, with zeros in the rows of which nothing is allowed along an axis of `allowed`."""
    if allowed is None:
        return x
    some = allowed.any(axis, keepdims=True)
    if some.all():
        return x
    return numpy.where(some if axis == -1 else some.swapaxes(-1, -2), x, numpy.zeros((), x.dtype))
