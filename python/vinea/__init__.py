# SPDX-License-Identifier: Apache-2.0
"""Vinea: one machine-learning API, many engines.

    import vinea as vn
    x = vn.random.normal(0, 1, (256, 3))
    print(vn.mean(vn.tanh(x * 2 + 1)))

Functions have the names of the Python Array API standard and of Vinea's op table. Arrays are computed when their values are needed; they are
values: x[0] = 1 gives x a new value, and arrays taken from x before keep theirs. vinea.use("torch") selects the engine of new arrays,
vinea.engine("torch") is a namespace whose arrays are always there.
"""
import atexit as _atexit

from . import _vinea
from ._vinea import Array, DType, EngineError, eval
from ._dtypes import dtype
from . import _namespace
from ._namespace import engine, engines, on as _on, use, using

_content = _namespace.fill(globals())

from . import _array
from ._array import array, autocast, load, matmul_precision, memory, save, to_jax, to_numpy, to_tensorflow, to_torch
from . import nn, tensors, tree
from ._gradient import custom_gradient, grad, hessian, jacobian, jvp, no_grad, value_and_grad, vjp
from ._jit import jit
from . import _companions

_companions.imported_with("einops", "vinea._einops")
__version__ = _vinea.version()
_atexit.register(_vinea.exit_begins)
__all__ = sorted({"Array", "DType", "EngineError", "array", "autocast", "dtype", "engine", "engines", "eval", "load", "matmul_precision", "memory", "save", "use", "using", "to_jax", "to_numpy",
                  "to_tensorflow", "to_torch", "nn", "tensors", "tree", "custom_gradient", "grad", "hessian", "jacobian", "jit", "jvp", "no_grad", "value_and_grad",
                  "vjp"} | {n for n in _content if not n.startswith("_")})

__getattr__ = _namespace.missing(__name__, __all__, lambda name: _array.numpy_names.get(name, name))
