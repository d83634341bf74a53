"""Gradients of functions of trees, captured functions, custom gradients."""
import contextlib
import functools
import math
import numbers
import threading

from . import __dict__ as _vn
from . import _vinea, tree
from ._dtypes import isdtype
from ._vinea import Array, asarray

_state = threading.local()  # .depth: how many gradients are being computed around this call


def _input(x, nested):
    """An array that derivatives can be taken by. Inside another gradient it stays connected with x."""
    x = asarray(x)
    if not isdtype(x.dtype, ("real floating", "complex floating")):
        raise TypeError(f"gradients are taken by float or complex arrays, not by {x.dtype.name}")
    return x + _vn["variable"](_vn["zeros_like"](x)) if nested else _vn["variable"](x)


def _differentiate(fn, argnums, has_aux, args, kwargs):
    several = not isinstance(argnums, int)
    positions = tuple(argnums) if several else (argnums,)
    nested = getattr(_state, "depth", 0)
    args, leaves, shapes = list(args), [], []
    for k in positions:
        xs, shape = tree.flatten(args[k])
        xs = [_input(x, nested) for x in xs]
        args[k] = tree.unflatten(shape, [x[...] for x in xs])  # objects of its own, which fn may assign to
        shapes.append((shape, len(xs)))
        leaves += xs
    _state.depth = nested + 1
    try:
        y = fn(*args, **kwargs)
        loss, aux = y if has_aux else (y, None)
        if not isinstance(loss, Array) or loss.size != 1:
            raise ValueError("the function must return a scalar, of which gradients are taken" + ("" if isinstance(loss, Array) else f", not {type(loss)}"))
        grads = _vinea.grads(loss, leaves, bool(nested))
    finally:
        _state.depth = nested
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


def _one(x, name):
    """The only array that a function is differentiated by; several would become one without a word."""
    if isinstance(x, (list, tuple)) and any(isinstance(leaf, Array) for leaf in tree.leaves(x)):
        raise TypeError(f"{name}: one array is needed, not a {type(x).__name__} of arrays; concat or stack joins several, and grad takes them as they are")
    return asarray(x)


def _of_one(transform):
    def make(fn):
        @functools.wraps(fn)
        def run(x, *rest, **kwargs):
            x = _one(x, transform.__name__)
            with _inside():
                return transform(lambda v: fn(v, *rest, **kwargs), x)

        return run

    return make


@contextlib.contextmanager
def _inside():
    _state.depth = getattr(_state, "depth", 0) + 1
    try:
        yield
    finally:
        _state.depth -= 1


def jacobian(fn):
    """A function that returns the derivatives of fn's result by its first argument: shape y.shape + x.shape."""
    return _of_one(_vinea.jacobian)(fn)


def hessian(fn):
    """A function that returns the second derivatives of a scalar fn by its first argument: shape x.shape + x.shape."""
    return _of_one(_vinea.hessian)(fn)


def vjp(fn, x, cotangent):
    """fn(x), and the cotangent times the Jacobian of fn at x."""
    x, cotangent = _one(x, "vjp: x"), _one(cotangent, "vjp: cotangent")
    with _inside():
        return _vinea.vjp(fn, x, cotangent)


def jvp(fn, x, tangent):
    """fn(x), and the Jacobian of fn at x times the tangent."""
    x, tangent = _one(x, "jvp: x"), _one(tangent, "jvp: tangent")
    with _inside():
        return _vinea.jvp(fn, x, tangent)


class custom_gradient:
    """A function of arrays with a gradient of your own:

        @vn.custom_gradient
        def clamp(x):
            return vn.clip(x, -1, 1)

        @clamp.gradient
        def _(x, y, ct):          # input, output, derivative of the loss by the output
            return ct             # in the shape of x

    A function of several arrays has a rule that takes all of them, then output and derivative, and returns a tuple: a gradient or None for each.
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
        arrays = [asarray(x) for x in args]
        if len(arrays) == 1:
            return self._make(None, lambda: (self._fn, self._rule))(arrays[0])
        if not arrays or not all(isdtype(x.dtype, "real floating") for x in arrays):
            raise TypeError(f"custom_gradient: {self.__name__} takes float arrays, not {', '.join(x.dtype.name for x in arrays) or 'nothing'}; other values come from around it")
        forms = tuple((x.shape, x.dtype) for x in arrays)
        common = _vn["result_type"](*arrays)
        pack = lambda xs: _vn["concat"]([x.astype(common).reshape(-1) for x in xs])
        return self._make(forms, lambda: self._packed(forms, pack))(pack(arrays))

    def _make(self, key, functions):
        """The library's custom gradients have one array, so several are packed into one; an object for each combination of shapes and dtypes."""
        if key not in self._made:
            self._made[key] = _vinea.Custom(*functions())
        return self._made[key]

    def _packed(self, forms, pack):
        def unpack(packed):
            arrays, at = [], 0
            for shape, dtype in forms:
                n = math.prod(shape)
                arrays.append(packed[at:at + n].reshape(shape).astype(dtype))
                at += n
            return arrays

        def rule(packed, y, ct):
            grads = self._rule(*unpack(packed), y, ct)
            if not isinstance(grads, (tuple, list)) or len(grads) != len(forms):
                raise ValueError(f"the gradient of {self.__name__} returns {len(forms)} arrays, one for each argument, or None")
            grads = [_vn["zeros"](shape, dtype) if g is None else asarray(g) for g, (shape, dtype) in zip(grads, forms)]
            for g, (shape, _) in zip(grads, forms):
                if g.shape != shape:
                    raise ValueError(f"a gradient of {self.__name__} has the shape {g.shape}; its argument has {shape}")
            return pack(grads)

        return lambda packed: self._fn(*unpack(packed)), rule


class no_grad(contextlib.ContextDecorator):
    """Inside the block, or the decorated function, ops record no history."""

    def __enter__(self):
        _vinea.grad_mode(0)
        return self

    def __exit__(self, *unused):
        _vinea.grad_mode(-1)


def _constant(c):
    """A key of a constant: numbers that are equal but not the same, such as 0.0 and -0.0, differ; NaNs do not."""
    if not isinstance(c, numbers.Number) or isinstance(c, numbers.Integral):
        return c
    return repr(c), c if c == c else None


def jit(fn):
    """Records fn once for each combination of shapes, dtypes and engine of its arrays, and then runs the recorded program. Arguments and
    results are trees. What is not an array is a constant of the program and must be hashable. fn must not need values, and random numbers
    inside need a key, which is an argument."""
    captured = {}

    def capture(shape, constants):
        result = []

        def body(arrays):
            arrays = iter(arrays)
            args, kwargs = tree.unflatten(shape, [next(arrays) if c is Array else c for c in constants])
            leaves, out = tree.flatten(fn(*args, **kwargs))
            result[:] = [out, len(leaves)]
            return [asarray(x) for x in leaves]

        return body, result

    @functools.wraps(fn)
    def run(*args, **kwargs):
        leaves, shape = tree.flatten((args, kwargs))
        constants = tuple(Array if isinstance(x, Array) else x for x in leaves)
        arrays = [x for x in leaves if isinstance(x, Array)]
        key = shape, tuple(map(_constant, constants)), tuple(map(type, constants))
        if key not in captured:
            body, result = capture(shape, constants)
            one = _vinea.Captured(body, 1)
            try:
                out = one(arrays, 1)
                captured[key] = one, result
                return tree.unflatten(result[0], out)
            except RuntimeError:
                if not result or result[1] == 1:
                    raise
            captured[key] = _vinea.Captured(body, result[1]), result
        program, result = captured[key]
        out = program(arrays, result[1])
        return tree.unflatten(result[0], out)

    return run
