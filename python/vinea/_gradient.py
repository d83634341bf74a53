# SPDX-License-Identifier: Apache-2.0
"""Gradients of functions of trees, custom gradients."""
import contextlib
import functools
import math
import operator
import threading

from . import __dict__ as _vn
from . import _vinea, tree
from ._dtypes import isdtype
from ._vinea import Array, asarray

_state = threading.local()  # .depth: how many gradients are being computed around this call


def _input(x, nested):
    """An array that derivatives can be taken by. Inside another gradient it stays connected with x."""
    try:
        x = asarray(x)
    except TypeError:
        raise TypeError(f"gradients are taken by arrays or trees of them, not by {x!r}: what is none comes from around the function, or is another argument") from None
    if not isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError(f"gradients are taken by float or complex arrays, not by {x.dtype.name}")
    return x + _vn["variable"](_vn["zeros_like"](x)) if nested else _vn["variable"](x)


def _positions(argnums, args):
    """Whether there are several arguments that derivatives are taken by, and their positions from 0."""
    several = not hasattr(argnums, "__index__")
    try:
        positions = [operator.index(k) for k in (argnums if several else (argnums,))]
    except TypeError:
        raise TypeError(f"argnums is an integer or a tuple of integers, not {argnums!r}") from None
    for k in positions:
        if not -len(args) <= k < len(args):
            raise ValueError(f"argnums: there is no argument {k}; the function got {len(args)} by position")
    positions = [k % len(args) for k in positions]
    if len(set(positions)) < len(positions):
        raise ValueError(f"argnums: {argnums} names an argument twice")
    return several, positions


def _differentiate(fn, argnums, has_aux, args, kwargs):
    several, positions = _positions(argnums, args)
    depth, off = getattr(_state, "depth", 0), getattr(_state, "off", 0)
    nested = 0 if off else depth  # in a block of no_grad, gradients around it do not go through these
    _state.off = 0
    _vinea.grad_mode(1)
    try:
        return _differentiated(fn, several, positions, nested, has_aux, args, kwargs)
    finally:
        _state.depth, _state.off = depth, off
        _vinea.grad_mode(-1)


def _differentiated(fn, several, positions, nested, has_aux, args, kwargs):
    args, leaves, shapes = list(args), [], []
    for k in positions:
        xs, shape = tree.flatten(args[k])
        xs = [_input(x, nested) for x in xs]
        args[k] = tree.unflatten(shape, [x[...] for x in xs])  # objects of its own, which fn may assign to
        shapes.append((shape, len(xs)))
        leaves += xs
    _state.depth = nested + 1
    y = fn(*args, **kwargs)
    if has_aux and not (isinstance(y, (tuple, list)) and len(y) == 2):
        raise TypeError(f"has_aux: the function returns a pair, (loss, anything), not {type(y)}")
    loss, aux = y if has_aux else (y, None)
    if not isinstance(loss, Array) or loss.size != 1:
        raise ValueError("the function must return a scalar, of which gradients are taken" + ("" if isinstance(loss, Array) else f", not {type(loss)}"))
    grads = _vinea.grads(loss, leaves, bool(nested))
    if not nested:  # outside, nothing is left of the history
        loss = _vn["stop_gradient"](loss)
        aux = tree.map(lambda x: _vn["stop_gradient"](x) if isinstance(x, Array) else x, aux)
    trees = []
    for shape, n in shapes:
        trees.append(tree.unflatten(shape, grads[:n]))
        grads = grads[n:]
    return (loss, aux) if has_aux else loss, tuple(trees) if several else trees[0]


def value_and_grad(fn, argnums=0, has_aux=False):
    """A function that returns fn's value, a scalar, and its gradients by arguments: a tree of the structure of the argument, a tuple for
    several. With has_aux, fn returns (loss, anything)."""

    @functools.wraps(fn)
    def run(*args, **kwargs):
        return _differentiate(fn, argnums, has_aux, args, kwargs)

    return run


def grad(fn, argnums=0, has_aux=False):
    """A function that returns the gradients of fn, a scalar, by arguments; with has_aux, (gradients, anything)."""

    @functools.wraps(fn)
    def run(*args, **kwargs):
        value, grads = _differentiate(fn, argnums, has_aux, args, kwargs)
        return (grads, value[1]) if has_aux else grads

    return run


# ---- derivatives inside another gradient, which may go through them: by recorded gradients, where the library's own end the history ----


def _rows(y, v):
    """The derivatives of y by v, one row for each element of y."""
    rows = [_vinea.grads(element, [v], True)[0] for element in (y.reshape(-1)[k] for k in range(y.size))]
    return (_vn["stack"](rows) if rows else _vn["zeros"]((0, *v.shape), v.dtype)).reshape(*y.shape, *v.shape)


def _jacobian(f, x):
    v = _input(x, True)
    return _rows(f(v), v)


def _hessian(f, x):
    v = _input(x, True)
    y = f(v)
    if not isinstance(y, Array) or y.size != 1:
        raise ValueError("hessian: the function must return a scalar")
    return _rows(_vinea.grads(y, [v], True)[0], v)


def _pulled(y, v, ct):
    """The vector-Jacobian product as the library defines it, also for complex numbers."""
    product = _vn["sum"](y * _vn["conj"](ct))
    return _vinea.grads(_vn["real"](product) if isdtype(product.dtype, "complex floating") else product, [v], True)[0]


def _vjp(f, x, ct):
    v = _input(x, True)
    y = f(v)
    return y, _pulled(y, v, ct)


def _jvp(f, x, tangent):
    v = _input(x, True)
    y = f(v)
    u = _vn["variable"](_vn["zeros_like"](y))
    return y, _pulled(_pulled(y, v, u), u, tangent)


def _transform(name, *args):
    """One of the above inside another gradient, or the library's own."""
    nested = getattr(_state, "depth", 0)
    with _inside():
        return globals()["_" + name](*args) if nested else getattr(_vinea, name)(*args)


@contextlib.contextmanager
def _inside():
    _state.depth = getattr(_state, "depth", 0) + 1
    try:
        yield
    finally:
        _state.depth -= 1


class _Packed:
    """A tree of float arrays, packed into one vector: the library's derivatives are by one array."""

    def __init__(self, value, who):
        leaves, self.structure = tree.flatten(value)
        self.leaves = [asarray(x) for x in leaves]
        if not leaves:
            raise TypeError(f"{who}: there is no array to take derivatives by")
        for x in self.leaves:
            if not isdtype(x.dtype, ("real floating", "complex floating")):
                raise TypeError(f"{who}: derivatives are taken by float or complex arrays, not by {x.dtype.name}")
        self.common = _vn["result_type"](*self.leaves)
        self.alone = len(leaves) == 1 and leaves[0] is value

    def pack(self, leaves):
        return leaves[0] if self.alone else _vn["concat"]([x.astype(self.common, copy=False).reshape(-1) for x in leaves])

    def unpack(self, vector):
        if self.alone:
            return vector
        return tree.unflatten(self.structure, [x.reshape(like.shape).astype(like.dtype, copy=False) for x, like in zip(self.cut(vector, 0), self.leaves)])

    def cut(self, packed, axis):
        """The parts of an axis that belong to the leaves."""
        at, parts = 0, []
        for x in self.leaves:
            parts.append(packed[(slice(None),) * axis + (slice(at, at + x.size),)])
            at += x.size
        return parts

    def vector(self):
        return self.pack(self.leaves)


def _result(y, who):
    """A function's result as it is packed: any tree of float arrays."""
    if not tree.leaves(y) or not all(isinstance(x, Array) for x in tree.leaves(y)):
        raise TypeError(f"{who}: the function must return arrays, or a tree of them")
    return _Packed(y, who)


def _traced(fn, packed, who):
    """fn as a function of the packed argument, and where the structure of its result will be found."""
    found = []

    def run(vector):
        found[:] = [_result(fn(packed.unpack(vector)), who)]
        return found[0].vector()

    return run, found


def _blocks(d, rows, columns):
    """Derivatives of packed results by packed arguments as a tree of results, in each place a tree of arguments."""
    if rows.alone and columns.alone:
        return d
    lead = 1 if not rows.alone else rows.leaves[0].ndim
    out = []
    for y, part in zip(rows.leaves, [d] if rows.alone else rows.cut(d, 0)):
        line = [part] if columns.alone else columns.cut(part, lead)
        line = [b.reshape(*y.shape, *x.shape).astype(_vn["result_type"](y, x), copy=False) for b, x in zip(line, columns.leaves)]
        out.append(line[0] if columns.alone else tree.unflatten(columns.structure, line))
    return out[0] if rows.alone else tree.unflatten(rows.structure, out)


def _by(fn, argnums, args, kwargs):
    """The argument, or the tuple of several, that derivatives are taken by, and fn as a function of it alone."""
    several, positions = _positions(argnums, args)

    def of(value):
        full = list(args)
        for k, v in zip(positions, value if several else (value,)):
            full[k] = v
        return fn(*full, **kwargs)

    return tuple(args[k] for k in positions) if several else args[positions[0]], of


def jacobian(fn, argnums=0):
    """A function that returns the derivatives of fn's result by an argument: an array of shape y.shape + x.shape. For trees, the tree of
    the result with the tree of the argument in each place; for several arguments, a tuple."""

    @functools.wraps(fn)
    def run(*args, **kwargs):
        x, of = _by(fn, argnums, args, kwargs)
        x = _Packed(x, "jacobian")
        f, y = _traced(of, x, "jacobian")
        d = _transform("jacobian", f, x.vector())
        return _blocks(d, y[0], x)

    return run


def hessian(fn, argnums=0):
    """A function that returns the second derivatives of a scalar fn by an argument: an array of shape x.shape + x.shape. For a tree, the
    tree of the argument with the same tree in each place."""

    @functools.wraps(fn)
    def run(*args, **kwargs):
        x, of = _by(fn, argnums, args, kwargs)
        x = _Packed(x, "hessian")
        d = _transform("hessian", lambda vector: of(x.unpack(vector)), x.vector())
        return _blocks(d, x, x)

    return run


def _like(value, packed, who, what):
    """Another tree of the structure and shapes of the first."""
    given = _Packed(value, who)
    leaves = tree.reordered(given.leaves, given.structure, packed.structure)
    if leaves is None or [x.shape for x in leaves] != [x.shape for x in packed.leaves]:
        shapes = [", ".join(str(x.shape) for x in p.leaves) for p in (given, packed)]
        raise ValueError(f"{who}: the {what} has the structure {given.structure} and the shapes {shapes[0]}; {packed.structure} and {shapes[1]} are needed")
    return packed.pack(leaves)


def vjp(fn, x, cotangent):
    """fn(x), and the cotangent, a tree as fn(x), times the Jacobian of fn at x: a tree as x."""
    x = _Packed(x, "vjp")
    f, y = _traced(fn, x, "vjp")
    if not (x.alone and isinstance(cotangent, Array)):  # the structure of the result must be known before
        with no_grad():
            f(x.vector())
        cotangent = _like(cotangent, y[0], "vjp", "cotangent")
    value, d = _transform("vjp", f, x.vector(), cotangent)
    return y[0].unpack(value), x.unpack(d)


def jvp(fn, x, tangent):
    """fn(x), and the Jacobian of fn at x times the tangent, a tree as x: a tree as fn(x)."""
    x = _Packed(x, "jvp")
    f, y = _traced(fn, x, "jvp")
    value, d = _transform("jvp", f, x.vector(), _like(tangent, x, "jvp", "tangent"))
    return y[0].unpack(value), y[0].unpack(d)


class custom_gradient:
    """A function of arrays with a gradient of your own:

        @vn.custom_gradient
        def clamp(x):
            return vn.clip(x, -1, 1)

        @clamp.gradient
        def _(x, y, ct):          # input, output, derivative of the loss by the output
            return ct             # in the shape of x

    A function of several arrays has a rule that takes all of them, then output and derivative, and returns a tuple: a gradient or None for each. An
    argument may be a tree, and then so is its gradient.
    """

    def __init__(self, fn):
        functools.update_wrapper(self, fn)
        self._fn, self._rule, self._made = fn, None, {}

    def gradient(self, rule):
        self._rule, self._made = rule, {}
        return rule

    def __call__(self, *args):
        if self._rule is None:
            raise TypeError("custom_gradient: the function has no gradient yet; @f.gradient defines it")
        args = [x if isinstance(x, dict) or any(isinstance(leaf, Array) for leaf in tree.leaves(x)) else asarray(x) for x in args]
        if len(args) == 1 and isinstance(args[0], Array):
            return self._make(None, lambda: (self._fn, self._rule))(args[0])
        leaves, shape = tree.flatten(args)
        arrays = [asarray(x) for x in leaves]
        if not arrays or not all(isdtype(x.dtype, "real floating") for x in arrays):
            raise TypeError(f"custom_gradient: {self.__name__} takes float arrays, not {', '.join(x.dtype.name for x in arrays) or 'nothing'}; other values come from around it")
        forms = tuple((x.shape, x.dtype) for x in arrays)
        common = _vn["result_type"](*arrays)
        pack = lambda xs: _vn["concat"]([x.astype(common).reshape(-1) for x in xs])
        return self._make((shape, forms), lambda: _packed(self._fn, self._rule, self.__name__, shape, forms, pack))(pack(arrays))

    def _make(self, key, functions):
        """The library's custom gradients have one array, so several are packed into one; an object for each combination of structures, shapes and dtypes."""
        if key not in self._made:
            self._made[key] = _vinea.Custom(*functions())
        return self._made[key]


def _packed(fn, rule, name, structure, forms, pack):
    """A function of several arrays, and its rule, as those of one array. They do not refer to the object that keeps them, which could not be freed then."""

    def unpack(packed):
        arrays, at = [], 0
        for shape, dtype in forms:
            n = math.prod(shape)
            arrays.append(packed[at:at + n].reshape(shape).astype(dtype))
            at += n
        return tree.unflatten(structure, arrays)

    def of_packed(packed, y, ct):
        args = unpack(packed)
        grads = rule(*args, y, ct)
        grads = [grads] if len(args) == 1 else grads
        if not isinstance(grads, (tuple, list)) or len(grads) != len(args):
            raise ValueError(f"the gradient of {name} returns {len(args)} gradients, one for each argument, or None")
        return pack([g for x, given in zip(args, grads) for g in _gradients(name, x, given)])

    return lambda packed: fn(*unpack(packed)), of_packed


def _gradients(name, x, given):
    """The gradients by the leaves of one argument."""
    leaves, structure = tree.flatten(x)
    if given is None:
        return [_vn["zeros_like"](leaf) for leaf in leaves]
    grads = tree.reordered(*tree.flatten(given), structure)
    if grads is None:
        raise ValueError(f"a gradient of {name} has the structure {tree.structure(given)}; its argument has {structure}")
    grads = [asarray(g) for g in grads]
    for g, leaf in zip(grads, leaves):
        if g.shape != leaf.shape:
            raise ValueError(f"a gradient of {name} has the shape {g.shape}; its argument has {leaf.shape}")
    return grads


class no_grad(contextlib.ContextDecorator):
    """Inside the block, or the decorated function, ops record no history."""

    def __enter__(self):
        _vinea.grad_mode(0)
        _state.off = getattr(_state, "off", 0) + 1
        return self

    def __exit__(self, *unused):
        _state.off -= 1
        _vinea.grad_mode(-1)
