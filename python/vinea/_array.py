# SPDX-License-Identifier: Apache-2.0
"""Methods of arrays that need no C: text, NumPy's methods, updates, exchange, pickling."""
import inspect
import math
import operator
import os
import types
import warnings

from . import _namespace, _vinea
from . import __dict__ as _vn  # the functions of the package, filled before this module is imported
from ._vinea import Array, EngineError, asarray

# ---- text, as NumPy writes it ----

_plain = {"bool", "int64", "float32", "complex64"}  # the dtypes of Python numbers are not shown


_WIDTH, _ALL = 75, 1000  # of a line; elements of the largest array that is written in full, as in vn_text


def _elements(self):
    """The elements as NumPy's repr writes them; one number as in a list of one, array(1.), not as Python does, 1.0."""
    return self._as_list() if self.ndim else self.reshape(1)._as_list()[1:-1].strip()


def _repr(self):
    text = "array(" + (_elements(self) if self.size else "[]")
    unseen = []  # what the elements do not show
    if self.size > _ALL or (not self.size and self.ndim != 1):
        unseen.append(f"shape={self.shape}")
    if not self.size or self.dtype.name not in _plain:
        unseen.append(f"dtype={self.dtype.name}")
    if not unseen:
        return text + ")"
    unseen = ", ".join(unseen) + ")"
    last = len(text) - text.rfind("\n")  # of its last line, with a comma
    return text + ("," if last + len(unseen) < _WIDTH else ",\n     ") + " " + unseen


def _repr_html_(self):
    import html

    head = f"array of shape {self.shape}, {self.dtype.name}, on {self.engine}"
    return f"<div><small>{html.escape(head)}</small><pre>{html.escape(str(self))}</pre></div>"


def _format(self, spec):
    if not self.ndim:
        return format(self.item(), spec)
    try:
        return format(str(self), spec)
    except ValueError:
        raise ValueError(f"format {spec!r} is one for numbers, which 0-d arrays have; this one has the shape {self.shape}") from None


# ---- updates ----


_folds = {"maximum": "segment_max", "minimum": "segment_min", "multiply": "segment_prod", "mul": "segment_prod", "divide": "segment_prod", "div": "segment_prod"}


class _At:
    """x.at[key]: new arrays with some elements changed. Where positions repeat, add, subtract, multiply, divide, min and max take all their values, as
    numpy.add.at and its kin do; set, apply and other functions take the last."""

    def __init__(self, x, key=None):
        self._x, self._key = x, key

    def __getitem__(self, key):
        return _At(self._x, key)

    def get(self):
        return self._x[self._key]

    def set(self, y):
        return self._x._updated(self._key, y, False)

    def add(self, y):
        return self._x._updated(self._key, y, True)

    def subtract(self, y):
        return self.add(_vn["negative"](self._array(y)))

    sub = subtract

    def min(self, y):
        return self.minimum(y)

    def max(self, y):
        return self.maximum(y)

    def apply(self, f):
        return self.set(f(self.get()))

    def _array(self, y):
        return asarray(y, dtype=self._x.dtype if isinstance(y, (bool, int, float, complex)) else None, engine=self._x.engine)

    def _folded(self, y, fold):
        """y with one value for each position, at all places where the position stands."""
        parts = self._key if isinstance(self._key, tuple) else (self._key,)
        if all(p is None or p is ... or isinstance(p, (slice, int)) for p in parts):  # none can repeat
            return y
        at = self._x._positions(self._key)
        y = self._array(y)
        more = y.ndim - at.ndim  # axes of size 1 in front are dropped, as by set
        y = _vn["broadcast_to"](y.reshape(y.shape[more:]) if more > 0 and {*y.shape[:more]} == {1} else y, at.shape)
        flat = at.reshape(-1)
        group = _vn["searchsorted"](_vn["sort"](flat), flat)  # equal positions have the same number
        return _vn[fold](y.reshape(-1), group, at.size)[group].reshape(at.shape) if at.size else y

    def __getattr__(self, name):
        f = _vn.get(name)
        if f is None or name.startswith("_"):
            raise AttributeError(name)
        if name in _folds:
            return lambda y: self.set(f(self.get(), self._folded(y, _folds[name])))
        return lambda *args: self.set(f(self.get(), *args))


# ---- exchange ----


def array(obj, dtype=None, *, copy=True, device=None):
    """A new array of numbers, nested sequences, or an array of any library; the values are copied."""
    return _vn["asarray"](obj, dtype=dtype, copy=copy, device=device)


def to_numpy(x):
    """The values as a NumPy array, read-only and without a copy where NumPy has the dtype. bfloat16 is copied: as the dtype of ml_dtypes where that is
    installed, otherwise as float32."""
    import numpy

    x = _vn["asarray"](x)
    if x.dtype.name == "bfloat16":
        return _bfloat16_to_numpy(x)
    return numpy.asarray(memoryview(x)) if x.size else numpy.empty(x.shape, x.dtype.name)


def _bfloat16_to_numpy(x):
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return to_numpy(x.astype("float32"))
    return to_numpy(_vn["bitcast"](x, "uint16")).view(bfloat16)


def to_torch(x):
    """The values as a torch tensor, without a copy; bools are copied. Torch would write to it although it is read-only: change a clone() of it."""
    import torch

    return torch.from_dlpack(_vn["asarray"](x))


class _Shared:
    """x for libraries whose arrays are never written to, through DLPack of any version; copied if its memory does not begin at a multiple of so many
    bytes. Vinea's own __dlpack__ copies for those that ask for the old one, which cannot say that memory is read-only."""

    def __init__(self, x, multiple=1):
        self._x, self._copy = x, not _vinea.is_aligned(x, multiple)

    def __dlpack__(self, **unused):
        return self._x.__dlpack__(copy=self._copy)

    def __dlpack_device__(self):
        return self._x.__dlpack_device__()


def to_jax(x):
    """The values as a JAX array, without a copy; JAX itself copies memory that is not aligned to 64 bytes (the numpy engine's, mostly)."""
    import jax

    x = _vn["asarray"](x)
    return jax.dlpack.from_dlpack(_Shared(x)) if x.size else jax.numpy.zeros(x.shape, x.dtype.name)


def to_tensorflow(x):
    """The values as a TensorFlow tensor, without a copy where the memory is aligned to 64 bytes, which TensorFlow relies on (the numpy engine's mostly is not)."""
    import tensorflow

    x = _vn["asarray"](x)
    return tensorflow.experimental.dlpack.from_dlpack(_Shared(x, 64).__dlpack__()) if x.size else tensorflow.zeros(x.shape, x.dtype.name)


def _array_(self, dtype=None, copy=None):
    import numpy

    return numpy.array(to_numpy(self), dtype=dtype, copy=copy)


# What NumPy calls differently.
numpy_names = {"concatenate": "concat", "power": "pow", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh", "arccosh": "acosh",
               "arctanh": "atanh", "invert": "bitwise_invert", "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "cumsum": "cumulative_sum",
               "cumprod": "cumulative_prod", "transpose": "permute_dims", "unique": "unique_values", "dot": "matmul", "fabs": "abs", "mod": "remainder", "true_divide": "divide",
               "absolute": "abs", "conjugate": "conj", "ndarray": "Array", "float_": "float64", "bool_": "bool", "append": "concat", "vstack": "concat", "hstack": "concat", "copy": "array"}


def _array_ufunc(self, ufunc, method, *inputs, **options):
    """numpy.sin(x) is vinea.sin(x), and so are the operators of NumPy's arrays beside one of Vinea's; what Vinea does not have, and functions of others
    such as SciPy's, get NumPy's arrays."""
    import numpy

    if not isinstance(ufunc, numpy.ufunc):
        raise TypeError(f"a function of NumPy's is needed, not {ufunc!r}")
    f = _vn.get(numpy_names.get(ufunc.__name__, ufunc.__name__))
    if method == "__call__" and not options and callable(f) and getattr(numpy, ufunc.__name__, None) is ufunc:
        return f(*inputs)
    return getattr(ufunc, method)(*(to_numpy(x) if isinstance(x, Array) else x for x in inputs), **options)


_formats = {"bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "float16": "f",
            "bfloat16": "f", "float32": "f", "float64": "d", "complex64": "f", "complex128": "d"}  # half precision is stored as float32


def _rebuild(data, dtype, shape, engine):
    """An array from the bytes of its elements, for pickle."""
    try:
        return _from_bytes(data, dtype, shape, engine)
    except EngineError as why:  # in a process where the engine does not work; raising here would make a multiprocessing.Pool wait for ever
        warnings.warn(f"an array that was pickled on {engine} is on native here: {why}", RuntimeWarning, stacklevel=2)
        return _from_bytes(data, dtype, shape, "native")


def _from_bytes(data, dtype, shape, engine):
    if not data:
        return _namespace.engine(engine).zeros(shape, dtype=dtype)
    x = asarray(memoryview(data).cast(_formats[dtype]), copy=True, engine=engine)
    if dtype.startswith("complex"):
        parts = x.reshape(-1, 2)
        x = _vn["complex"](parts[:, 0], parts[:, 1])
    return x.reshape(shape).astype(dtype)


def _reduce(self):
    x = self.astype("float32") if self.dtype.name in ("float16", "bfloat16") else self
    return _rebuild, (memoryview(x).tobytes() if x.size else b"", self.dtype.name, self.shape, self.engine)


def save(path, tree):
    """Writes an array, or nested dicts, lists and tuples of arrays, to a file: .npz and .npy as NumPy reads them, with any other ending safetensors."""
    os.stat(os.path.dirname(os.path.abspath(os.fsdecode(path))))  # raises FileNotFoundError, as open does
    _vinea.save(path, tree)


def load(path, copy=False):
    """What is in a safetensors or npz file as nested dicts of arrays, in a .npy file the array. Values are read when they are used, so the file must not change
    until then, but may be replaced; with copy they are read now."""
    path = os.fsdecode(path)
    os.stat(path)  # raises FileNotFoundError and the like
    tree = _vinea.load(path, copy)
    return tree["x"] if path.endswith(".npy") and [*tree] == ["x"] else tree


def memory(limit=None):
    """What Vinea holds: bytes used, at the peak, cached; arrays (handles) and recorded ops (nodes) alive. A limit of bytes, 0 for none, stays: what exceeds it
    is a MemoryError."""
    return _vinea.memory(limit)


def matmul_precision(mode=None):
    """How exactly this thread computes float32 products from now on: "exact", the default, "split", "fast", "tf32" or "bf16", as far as its engines have it.
    Returns the mode before; None changes nothing."""
    return _vinea.matmul_precision(mode)


class autocast:
    """Mixed precision in a block, `with vn.autocast("bfloat16"):`: matrix products, convolutions, attention and recurrent layers compute in bfloat16 or float16 and take
    float32 inputs in it; losses, norms, softmax, sums and their kin take half precision as float32; all else computes in the dtype of its inputs. Parameters
    and their gradients stay float32. None switches it off in the block."""

    def __init__(self, dtype):
        self._dtype, self._before = dtype, []
        _vinea.autocast(_vinea.autocast(dtype))  # an error here, not when the block begins

    def __enter__(self):
        self._before.append(_vinea.autocast(self._dtype))
        return self

    def __exit__(self, *unused):
        _vinea.autocast(self._before.pop())


# ---- the standard's attributes ----


def _to_device(self, device, /, *, stream=None):
    """The array itself: the only device is 'cpu'."""
    if device != "cpu":
        raise ValueError(f"to_device: all arrays are on 'cpu', not {device!r} (x.to moves arrays between engines)")
    return self


def _array_namespace(self, /, *, api_version=None):
    if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f"there is no Array API standard {api_version!r}")
    return _namespace.engine(self.engine, api_version or _namespace.VERSION)


def _transposed(self):
    return _vn["permute_dims"](self, tuple(reversed(range(self.ndim))))


def _rounded(self, digits=0):
    """round(x, 2): to so many decimals, below 0 to tens, hundreds ...; ties round to even. Integers stay exact and keep their dtype."""
    digits = 0 if digits is None else operator.index(digits)
    if _vn["isdtype"](self.dtype, "integral"):
        return _rounded_integers(self, -digits)
    if not digits:
        return _vn["round"](self)
    most = int(math.log10(_vn["finfo"](self.dtype).max)) if _vn["isdtype"](self.dtype, ("real floating", "complex floating")) else 38
    if abs(digits) > most:  # the power of ten is beyond the dtype, and the rounded number as near to x, or to 0, as it gets
        return _copied(self) if digits > 0 else _vn["zeros_like"](self)
    if digits < 0:
        return _vn["round"](self / 10.0**-digits) * 10.0**-digits
    y = _vn["round"](self * 10.0**digits) / 10.0**digits
    return _vn["where"](_vn["isfinite"](y), y, self)  # what is too large to be multiplied has no such decimals


def _rounded_integers(x, zeros):
    """Integers to a multiple of a power of ten, which ends in so many zeros; 0 where the dtype has no such power."""
    unit = 10 ** max(zeros, 0) if zeros < 20 else math.inf
    if unit == 1:
        return _copied(x)
    if unit > _vn["iinfo"](x.dtype).max:
        return _vn["zeros_like"](x)
    times = x // unit
    rest = x - times * unit
    up = (rest > unit // 2) | ((rest == unit // 2) & (times % 2 == 1))
    return (times + up.astype(x.dtype)) * unit


def _copied(self):
    """The same values in memory of their own."""
    return asarray(self, copy=True)


def _transpose(self, *axes):
    """The axes in another order; reversed if none is given."""
    return _vn["permute_dims"](self, axes[0] if len(axes) == 1 else axes) if axes else _transposed(self)


def _method(f):
    def method(self, *args, **kwargs):
        return f(self, *args, **kwargs)

    method.__name__, method.__doc__ = f.__name__, f.__doc__
    return method


def _reshape(self, *shape, **options):
    return _vn["reshape"](self, shape[0] if len(shape) == 1 and "shape" not in options else shape, **options)


def _setup():
    first = {name: row["parameters"][0][0] for _, row in _namespace._rows if row["parameters"] for name in filter(None, (row["name"], row["alias"]))}
    for name, f in _vn["_content"].items():
        standard = isinstance(f, types.FunctionType) and inspect.unwrap(f).__code__.co_varnames[:1] == ("x",)
        if not name.startswith("_") and not hasattr(Array, name) and (standard or (first.get(name) == "x" and callable(f))):
            setattr(Array, name, f if isinstance(f, types.FunctionType) else _method(f))
    Array.reshape = _reshape
    Array.copy, Array.transpose, Array.ravel = _copied, _transpose, Array.flatten
    Array.T = property(_transposed, doc="the axes in reverse order")
    Array.mT = property(lambda self: _vn["matrix_transpose"](self), doc="the last two axes exchanged")
    Array.at = property(_At, doc="x.at[key].set(y), .add(y) ...: new arrays with some elements changed")
    Array.device = property(lambda self: "cpu", doc="the device: 'cpu'")
    Array.nbytes = property(lambda self: self.size * self.dtype.itemsize, doc="bytes of all elements")
    Array.itemsize = property(lambda self: self.dtype.itemsize, doc="bytes of an element")
    Array.real = property(lambda self: _vn["real"](self), doc="the real part")
    Array.imag = property(lambda self: _vn["imag"](self), doc="the imaginary part")
    Array.__repr__, Array._repr_html_, Array.__format__ = _repr, _repr_html_, _format
    Array.__array__, Array.__array_namespace__, Array.to_device = _array_, _array_namespace, _to_device
    Array.__reduce__ = _reduce
    Array.__copy__ = lambda self: asarray(self[...])
    Array.__deepcopy__ = lambda self, memo: asarray(self, copy=True)
    Array.__contains__ = lambda self, value: bool(_vn["any"](self == value))
    Array.__divmod__ = lambda self, other: (self // other, self % other)
    Array.__rdivmod__ = lambda self, other: (other // self, other % self)
    Array.__round__ = _rounded
    Array.__array_ufunc__ = _array_ufunc
    Array.__array_priority__ = 1000
    Array.__module__ = "vinea"


_setup()
