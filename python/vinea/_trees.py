# SPDX-License-Identifier: Apache-2.0
"""The library's functions of trees that are no ops: arithmetic for vinea.tree, derivatives and steps for vinea.nn."""
from . import _vinea
from ._vinea import asarray


def _structure(t):
    from . import tree  # which imports this module

    return tree.structure(t)


def _like(t, leaves):
    from . import tree

    return tree.unflatten(tree.structure(t), leaves)


def _array(name, x, y=None, numbers=()):
    return _vinea.tree_call(name, (x, y), (*numbers, *(0.0,) * (3 - len(numbers))), None)


def _tree(name, x, y=None, numbers=(), key=None):
    return _like(x, _vinea.tree_call(name, (x, y), (*map(float, numbers), *(0.0,) * (3 - len(numbers))), key))


# ---- arithmetic ----


def norm(t, /):
    """The norm of all arrays of a tree together, computed without overflow."""
    return _array("norm", t)


def sum(t, /):
    """The sum of all elements of a tree."""
    return _array("sum", t)


def max(t, /):
    """The largest element of a tree."""
    return _array("max", t)


def min(t, /):
    """The smallest element of a tree."""
    return _array("min", t)


def vdot(a, b, /):
    """The sum of products of two trees of one structure, with a conjugated."""
    return _array("vdot", a, b)


def allclose(a, b, /, *, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether all elements of two trees of one structure are close, as vn.allclose has it."""
    return _array("allclose", a, b, (float(rtol), float(atol), float(equal_nan)))


def cast_like(t, like, /):
    """A tree in the dtypes of another."""
    return _tree("cast_like", t, like)


def reshape_like(t, like, /):
    """A tree in the shapes of another, which hold as many elements."""
    return _tree("reshape_like", t, like)


def add_scale(a, by, b, /):
    """a + by b, where by is a number."""
    return _tree("add_scale", a, b, (by,))


def split_key_like(t, /, *, key=None):
    """A random key for each array of a tree."""
    return _tree("split_key_like", t, key=key)


def random_like(t, /, *, key=None):
    """Standard normal numbers of the shapes and dtypes of a tree."""
    return _tree("random_like", t, key=key)


def update_moment(g, m, decay, order, /):
    """decay m + (1 - decay) g^order."""
    return _tree("update_moment", g, m, (decay, order))


def update_moment_per_elem_norm(g, m, decay, order, /):
    """decay m + (1 - decay) |g|^order."""
    return _tree("update_moment_per_elem_norm", g, m, (decay, order))


def update_infinity_moment(g, m, decay, epsilon, /):
    """The larger of |g| + epsilon and decay m."""
    return _tree("update_infinity_moment", g, m, (decay, epsilon))


def bias_correction(m, decay, count, /):
    """m / (1 - decay^count)."""
    return _tree("bias_correction", m, numbers=(decay, count))


def incremental_update(new, old, step, /):
    """step new + (1 - step) old, for target networks."""
    return _tree("incremental_update", new, old, (step,))


def periodic_update(new, old, steps, period, /):
    """The new tree in every period-th step, the old one in the others."""
    return _tree("periodic_update", new, old, (steps, period))


TREE = (norm, sum, max, min, vdot, allclose, cast_like, reshape_like, add_scale, split_key_like, random_like, update_moment, update_moment_per_elem_norm,
        update_infinity_moment, bias_correction, incremental_update, periodic_update)


# ---- gradients ----


def clip_by_norm(gradients, most, /):
    """A tree scaled down to the norm `most` if its norm is larger; vn.tree.norm is the norm."""
    return _tree("clip_by_norm", gradients, numbers=(most,))


def clip_by_value(gradients, most, /):
    """A tree whose elements are clipped to -most ... most."""
    return _tree("clip_by_value", gradients, numbers=(most,))


def clip_per_example(gradients, most, /, *, by_layer=False, by_size=False):
    """The sum of gradients of examples, stacked along a first axis, each scaled down to the norm `most` if it is longer; by_layer: every array by its own
    norm, to most / sqrt(arrays), and with by_size to most sqrt(its part of all numbers)."""
    return _tree("clip_per_example", gradients, numbers=(most, by_layer, by_size))


def private_gradients(gradients, most, noise, /, *, key=None):
    """Differentially private gradients (DP-SGD) of examples, stacked along a first axis: the mean of clip_per_example's sum with normal numbers of deviation most * noise added."""
    return _tree("private_gradients", gradients, numbers=(most, noise), key=key)


def scale_gradient(x, by, /):
    """x itself, through which gradients flow multiplied by a number."""
    return _vinea.scale_gradient(asarray(x), by)


def _curvature(name, loss, p, v=None, key=None):
    structure = _structure(p)
    from . import tree

    return _like(p, _vinea.tree_curvature(name, lambda leaves: loss(tree.unflatten(structure, leaves)), p, v, key))


def hvp(loss, parameters, v, /):
    """The Hessian of a loss, a function of the parameters, times v, a tree like them."""
    return _curvature("hvp", loss, parameters, v)


def hessian_diag(loss, parameters, /):
    """The diagonal of the Hessian of a loss: a backward pass for each number of the parameters."""
    return _curvature("hessian_diag", loss, parameters)


def hutchinson_diag(loss, parameters, /, *, key=None):
    """An estimate of the diagonal of the Hessian of a loss, from one product with random signs."""
    return _curvature("hutchinson_diag", loss, parameters, key=key)


def fisher_diag(loss, parameters, /):
    """The squared gradient of a loss, the diagonal of the empirical Fisher information."""
    return _curvature("fisher_diag", loss, parameters)


def _meta(name, loss, p, tasks, lr, steps):
    structure = _structure(p)
    from . import tree

    value, grads = _vinea.meta_step(name, lambda leaves, task, outer: loss(tree.unflatten(structure, leaves), task, outer), p, tasks, lr, steps)
    return value, _like(p, grads)


def maml_step(loss, parameters, tasks, /, *, lr=0.01, steps=1):
    """The mean outer loss over tasks after inner steps of gradient descent, and its gradient through them (MAML), for a step. loss(parameters, task, outer) is the loss of
    a task: on what it adapts to, or, for outer, on what it is tested by."""
    return _meta("maml", loss, parameters, tasks, lr, steps)


def fomaml_step(loss, parameters, tasks, /, *, lr=0.01, steps=1):
    """maml_step with the gradient where the inner steps end (first order)."""
    return _meta("fomaml", loss, parameters, tasks, lr, steps)


def reptile_step(loss, parameters, tasks, /, *, lr=0.01, steps=1):
    """maml_step with the way that the inner steps went, divided by lr, instead of a gradient (Reptile)."""
    return _meta("reptile", loss, parameters, tasks, lr, steps)


def fenchel_young_loss(x, target, max, /):
    """The Fenchel-Young loss max(x) - sum(target x) over the last axis: with the log-sum-exp of x for max it is cross entropy, with its maximum the perceptron loss. `max` takes x
    and gives an array without its last axis."""
    return _vinea.fenchel_young_loss(asarray(x), asarray(target), max)


def feature_distance(net, x, y, /, *, kind="lpips", each=False, weights=None):
    """The distance of pictures x and y by the features that a network gives of them, a dict of arrays (n, ..., channels): kind is lpips, dists or gram; each: that of each
    pair instead of their mean."""
    kinds = ("lpips", "dists", "gram")
    if kind not in kinds:
        raise ValueError(f"feature_distance: kind is {kind!r}; possible are {', '.join(kinds)}")
    return _vinea.feature_distance(net, asarray(x), asarray(y), kinds.index(kind), bool(each), weights)


NN = (clip_by_norm, clip_by_value, clip_per_example, private_gradients, scale_gradient, hvp, hessian_diag, hutchinson_diag, fisher_diag, maml_step, fomaml_step, reptile_step,
      fenchel_young_loss, feature_distance)
