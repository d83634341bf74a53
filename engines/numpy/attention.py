"""attention.py: softmax(scale q k^T + mask) v, and its way back. Functions get their op's options, what is shared between the two, then the
inputs.

Scores of places not attended to are -inf, whatever they were. Keys nobody attends to have no part in anything, not even as 0 times NaN, nor
have queries that attend to nothing.
"""
import numpy

SCORES = 1 << 19  # of a block, which stays in a cache from one step to the next


def attention(scale, causal, shared, q, k, v, mask=None):
    """The result, and for the way back the weights and their sums if they are to be shared, else None."""
    lead = numpy.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    scores = (*lead, q.shape[-2], k.shape[-2])
    allowed = _allowed(scores, causal, mask)
    q, k, v = _spread(q, lead), _spread(k, lead), _spread(_attended(v, allowed, -2), lead)
    mask, forbidden = _masks(scores, mask, allowed)
    y = _room(scores, (*scores[:-1], v.shape[-1]), q.dtype)
    kept = (numpy.empty(scores, q.dtype), numpy.empty((*scores[:-1], 1), q.dtype)) if shared else None
    for rows, keys, _ in _blocks(scores):
        weights, total = _weights(scale, q[rows], k[keys], _part(mask, rows), _part(forbidden, rows), kept and kept[0][rows])
        if kept:
            kept[1][rows] = total
        part = y[rows]
        numpy.matmul(weights, v[keys], part)
        part /= total
    return y, kept


def attention_back(scale, causal, kept, q, k, v, out, ct, mask=None):
    """What has a row for each query is divided by its sum and multiplied by the scale, not the weights and slopes, which are larger."""
    scores = (*q.shape[:-1], k.shape[-2])
    allowed = _allowed(scores, causal, mask)
    attended, attending = _attended(k, allowed, -2), _attended(q, allowed, -1)
    mask, forbidden = _masks(scores, mask, allowed)
    sent_back = _room(scores, (q.size + k.size + v.size,), q.dtype)
    to_q, to_k, to_v = (part.reshape(x.shape) for part, x in zip(numpy.split(sent_back, (q.size, q.size + k.size)), (q, k, v)))
    scratch = None
    for rows, keys, first in _blocks(scores):
        if kept:
            weights, total = kept[0][rows], kept[1][rows]
        else:
            weights, total = _weights(scale, q[rows], k[keys], _part(mask, rows), _part(forbidden, rows))
        sent = ct[rows] / total
        if scratch is None:  # the first block is as large as any
            scratch = numpy.empty(weights.shape, q.dtype)
        slopes = numpy.matmul(sent, v[keys].swapaxes(-1, -2), scratch[: len(sent)])
        slopes -= (sent * out[rows]).sum(-1, keepdims=True)
        slopes *= weights
        if allowed is not None:
            numpy.copyto(slopes, 0, where=weights == 0)
        numpy.multiply(slopes @ attended[keys], scale, to_q[rows])
        _add_product(slopes, attending[rows] * scale, to_k[keys], first)
        _add_product(weights, sent, to_v[keys], first)
    return sent_back


def _add_product(x, y, to, first):
    """x^T y, the first of those that are added together or another."""
    x = x.swapaxes(-1, -2)
    if first:
        numpy.matmul(x, y, to)
    else:
        to += x @ y


def _room(scores, shape, dtype):
    """Filled with zeros where there are no scores to fill it by."""
    return numpy.zeros(shape, dtype) if 0 in scores else numpy.empty(shape, dtype)


def _blocks(scores):
    """Parts of the scores (leading axes, queries, keys) of at most SCORES, or of one query: indices of their queries and of their keys, and whether they
    are the first for these keys."""
    if 0 in scores:
        return
    axis, size = len(scores) - 1, scores[-1]
    while axis and size * scores[axis - 1] <= SCORES:
        axis -= 1
        size *= scores[axis]
    if not axis:
        yield (), (), True
        return
    step = max(1, SCORES // size)
    for outer in numpy.ndindex(scores[: axis - 1]):
        for first in range(0, scores[axis - 1], step):
            rows = (*outer, slice(first, first + step))
            yield rows, rows[: len(scores) - 2], axis < len(scores) - 1 or not first


def _spread(x, lead):
    return x if x.shape[:-2] == lead else numpy.broadcast_to(x, (*lead, *x.shape[-2:]))


def _part(x, rows):
    return None if x is None else x[rows]


def _allowed(scores, causal, mask):
    """Where to attend, of two axes at least; None: everywhere."""
    allowed = None
    if mask is not None:
        allowed = numpy.atleast_2d(mask if mask.dtype == bool else mask != -numpy.inf)
    if causal:
        queries, keys = scores[-2:]
        reached = numpy.tri(queries, keys, keys - queries, bool)
        allowed = reached if allowed is None else allowed & reached
    return allowed


def _masks(scores, mask, allowed):
    """What is added to the scores, and where they are -inf, with the axes of all scores; None: nothing, nowhere."""
    added = numpy.broadcast_to(mask, scores) if mask is not None and mask.dtype != bool else None
    return added, None if allowed is None else numpy.broadcast_to(~allowed, scores)


def _weights(scale, q, k, mask, forbidden, into=None):
    """What each query takes of each key, and their sums, by which they are still to be divided; 1 where there are none."""
    scores = numpy.matmul(q * scale, k.swapaxes(-1, -2), into)
    if mask is not None:
        scores += mask
    if forbidden is not None:
        numpy.copyto(scores, -numpy.inf, where=forbidden)
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
