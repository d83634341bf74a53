# SPDX-License-Identifier: Apache-2.0
"""attention.py: softmax(scale q k^T + mask) v, and its backward pass. Functions get the options that their rows name, which results are used, then the
inputs. The backward pass recomputes the weights from attention's softmax statistics: the log-sum-exp of the scores of each query.

Masked scores are -inf, whatever they were. Keys that no query attends to, and queries that attend to nothing, contribute nothing, not even
as 0 times NaN.
"""
import numpy

SCORES = 1 << 19  # elements of a block, which stays in cache between steps


def attention(scale, causal, used, q, k, v, mask=None):
    lead = numpy.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    scores = (*lead, q.shape[-2], k.shape[-2])
    allowed = _allowed(scores, causal, mask)
    q, k, v = _spread(q, lead), _spread(k, lead), _spread(_attended(v, allowed, -2), lead)
    mask, forbidden = _masks(scores, mask, allowed)
    y = _room(scores, (*scores[:-1], v.shape[-1]), q.dtype)
    sums = numpy.full(scores[:-1], -numpy.inf, q.dtype) if used[1] else None
    scratch = _scratch(scores, q.dtype)
    for rows, keys, _ in _blocks(scores):
        weights = _scores(scale, q[rows], k[keys], _part(mask, rows), _part(forbidden, rows), scratch)
        top = weights.max(-1, keepdims=True, initial=-numpy.inf)
        top[top == -numpy.inf] = 0
        weights -= top
        numpy.exp(weights, weights)
        total = weights.sum(-1, keepdims=True)
        if used[1]:
            sums[rows] = (numpy.log(total) + top)[..., 0]
        total[total == 0] = 1
        part = y[rows]
        numpy.matmul(weights, v[keys], part)
        part /= total
    return y, sums


def attention_backward(scale, causal, used, q, k, v, out, ct, sums, mask=None):
    scores = (*q.shape[:-1], k.shape[-2])
    allowed = _allowed(scores, causal, mask)
    attended, attending = _attended(k, allowed, -2), _attended(q, allowed, -1)
    mask, forbidden = _masks(scores, mask, allowed)
    to_q, to_k, to_v = (_room(scores, x.shape, q.dtype) if is_used else None for x, is_used in zip((q, k, v), used))
    sums = numpy.where(sums == -numpy.inf, sums.dtype.type(0), sums)[..., numpy.newaxis]
    scratch, more = _scratch(scores, q.dtype), _scratch(scores, q.dtype)
    for rows, keys, first in _blocks(scores):
        weights = _scores(scale, q[rows], k[keys], _part(mask, rows), _part(forbidden, rows), scratch)
        weights -= sums[rows]
        numpy.exp(weights, weights)
        sent = ct[rows]
        if used[2]:
            _add_product(weights, sent, to_v[keys], first)
        if not used[0] and not used[1]:
            continue
        slopes = numpy.matmul(sent, v[keys].swapaxes(-1, -2), more[: len(sent)])
        slopes -= (sent * out[rows]).sum(-1, keepdims=True)
        slopes *= weights
        if allowed is not None:
            numpy.copyto(slopes, 0, where=weights == 0)
        if used[0]:  # scale the smaller arrays with one row per query, not the derivatives
            numpy.multiply(slopes @ attended[keys], scale, to_q[rows])
        if used[1]:
            _add_product(slopes, attending[rows] * scale, to_k[keys], first)
    return to_q, to_k, to_v


def _add_product(x, y, to, first):
    """Adds x^T y to a sum, or starts it."""
    x = x.swapaxes(-1, -2)
    if first:
        numpy.matmul(x, y, to)
    else:
        to += x @ y


def _room(scores, shape, dtype):
    """Zeros if there are no scores."""
    return numpy.zeros(shape, dtype) if 0 in scores else numpy.empty(shape, dtype)


def _blocks(scores):
    """Blocks of at most SCORES scores (leading axes, queries, keys), or of one query: indices of their queries and keys, and whether they
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
    """Where to attend, with at least two axes; None for everywhere."""
    allowed = None
    if mask is not None:
        allowed = numpy.atleast_2d(mask if mask.dtype == bool else mask != -numpy.inf)
    if causal:
        queries, keys = scores[-2:]
        reached = numpy.tri(queries, keys, keys - queries, bool)
        allowed = reached if allowed is None else allowed & reached
    return allowed


def _masks(scores, mask, allowed):
    """What to add to the scores, and where they are -inf, with all axes of the scores; None if not needed."""
    added = numpy.broadcast_to(mask, scores) if mask is not None and mask.dtype != bool else None
    return added, None if allowed is None else numpy.broadcast_to(~allowed, scores)


def _scratch(scores, dtype):
    """Reusable memory for a block: allocating takes as long as the product that fills it. The first block is the largest."""
    for rows, _, _ in _blocks(scores):
        return numpy.empty(numpy.broadcast_to(dtype.type(0), scores)[rows].shape, dtype)


def _scores(scale, q, k, mask, forbidden, into):
    scores = numpy.matmul(q * scale, k.swapaxes(-1, -2), into[: len(q)])
    if mask is not None:
        scores += mask
    if forbidden is not None:
        numpy.copyto(scores, -numpy.inf, where=forbidden)
    return scores


def _attended(x, allowed, axis):
    """x with zeros in rows where nothing is allowed along an axis of `allowed`."""
    if allowed is None:
        return x
    some = allowed.any(axis, keepdims=True)
    if some.all():
        return x
    return numpy.where(some if axis == -1 else some.swapaxes(-1, -2), x, numpy.zeros((), x.dtype))
