"""attention.py: softmax(scale q k^T + mask) v, and its way back. Functions get their op's options, then its inputs.

Scores of places not attended to are -inf, whatever they were. Keys nobody attends to have no part in anything, not even as 0 times NaN, nor
have queries that attend to nothing.
"""
import numpy


def attention(scale, causal, q, k, v, mask=None):
    allowed = _allowed(q, k, causal, mask)
    weights, total = _weights(scale, q, k, mask, allowed)
    result = weights @ _attended(v, allowed, -2)
    result /= total
    return result


def attention_back(scale, causal, q, k, v, out, ct, mask=None):
    allowed = _allowed(q, k, causal, mask)
    weights, total = _weights(scale, q, k, mask, allowed)
    weights /= total
    slopes = ct @ v.swapaxes(-1, -2)
    slopes -= (ct * out).sum(-1, keepdims=True)
    slopes *= weights
    slopes *= scale
    slopes[weights == 0] = 0
    to_q = slopes @ _attended(k, allowed, -2)
    to_k = slopes.swapaxes(-1, -2) @ _attended(q, allowed, -1)
    to_v = weights.swapaxes(-1, -2) @ ct
    return numpy.concatenate((to_q.reshape(-1), to_k.reshape(-1), to_v.reshape(-1)))


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
