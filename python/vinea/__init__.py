"""Vinea: one machine-learning API, many engines.

    import vinea as vn
    x = vn.random.normal(0, 1, (256, 3))
    print(vn.mean(vn.tanh(x * 2 + 1)))

Functions have the names of the Python Array API standard and of Vinea's op table. Arrays are computed when their values are needed; they are
values: x[0] = 1 gives x a new value, and arrays taken from x before keep theirs. vinea.use("torch") selects the engine of new arrays,
vinea.engine("torch") is a namespace whose arrays are always there.
"""
from . import _vinea
from ._vinea import Array, DType, EngineError
from ._dtypes import dtype
from . import _namespace
from ._namespace import engine, engines, use, using

_content = _namespace.fill(globals())

from . import _array
from ._array import array, eval, memory, to_jax, to_numpy, to_tensorflow, to_torch
from . import nn, tree
from ._gradient import custom_gradient, grad, hessian, jacobian, jit, jvp, no_grad, value_and_grad, vjp

__version__ = _vinea.version()
__all__ = sorted({"Array", "DType", "EngineError", "array", "dtype", "engine", "engines", "eval", "memory", "use", "using", "to_jax", "to_numpy",
                  "to_tensorflow", "to_torch", "nn", "tree", "custom_gradient", "grad", "hessian", "jacobian", "jit", "jvp", "no_grad", "value_and_grad",
                  "vjp"} | {n for n in _content if not n.startswith("_")})
