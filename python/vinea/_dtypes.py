"""Dtypes: objects, limits, promotion, kinds."""
import builtins
import functools
from dataclasses import dataclass

from . import _vinea
from ._vinea import Array, DType

all = {d.name: d for d in _vinea.dtypes}
globals().update(all)

_float_bits = {"float16": (10, 5), "bfloat16": (7, 8), "float32": (23, 8), "float64": (52, 11)}  # of fraction and exponent
_parts = {"complex64": "float32", "complex128": "float64"}


def _kinds(dtype):
    name = dtype.name
    if name == "bool":
        return {"bool"}
    if name.startswith("int"):
        return {"signed integer", "integral", "numeric"}
    if name.startswith("uint"):
        return {"unsigned integer", "integral", "numeric"}
    return {"complex floating" if name in _parts else "real floating", "numeric"}


def dtype(spec):
    """The dtype of that name, of a NumPy or torch dtype, or of a Python type (bool, int, float, complex)."""
    return spec if isinstance(spec, DType) else _vinea.asarray([], dtype=spec).dtype


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating',
    'numeric', or a tuple of these."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        known = {"bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"}
        if kind not in known:
            raise ValueError(f"isdtype: there is no kind {kind!r}; possible are {', '.join(sorted(known))}")
        return kind in _kinds(dtype)
    return dtype == kind


@functools.cache
def _promoted(dtypes):
    empty = [_vinea.asarray([], dtype=d) for d in dtypes]
    return _concat(empty).dtype


def _concat(arrays):
    from . import concat

    return concat(arrays)


def result_type(*arrays_and_dtypes):
    """The dtype that an operation on these arrays, dtypes and Python numbers has."""
    strong = {x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes if not isinstance(x, (builtins.bool, int, float, complex))}
    strong = {dtype(d) for d in strong}
    numbers = [x for x in arrays_and_dtypes if isinstance(x, (builtins.bool, int, float, complex))]
    if not strong and not numbers:
        raise ValueError("result_type: at least one array or dtype is needed")
    found = _promoted(tuple(sorted(strong, key=str))) if strong else None
    for x in numbers:
        if found is None:
            found = dtype(type(x))
        elif isinstance(x, complex) and not isdtype(found, "complex floating"):
            found = all["complex128"] if found.name == "float64" else all["complex64"]
        elif isinstance(x, float) and not isdtype(found, ("real floating", "complex floating")):
            found = all["float32"]
        elif isinstance(x, int) and not isinstance(x, builtins.bool) and found.name == "bool":
            found = all["int64"]
    return found


def can_cast(from_, to, /):
    """Whether every value of a dtype, or of an array's, is one of another by the promotion rules."""
    source = from_.dtype if isinstance(from_, Array) else dtype(from_)
    if source == to:
        return True
    order = ["bool", "integral", "real floating", "complex floating"]
    rank = [next(i for i, k in enumerate(order) if isdtype(d, k)) for d in (source, dtype(to))]
    if rank[0] != rank[1] and (rank[0] < 2 or rank[1] < 2):
        return False
    try:
        return result_type(source, to) == to
    except (TypeError, ValueError):
        return False


@dataclass(frozen=True)
class finfo_object:
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


@dataclass(frozen=True)
class iinfo_object:
    bits: int
    max: int
    min: int
    dtype: DType


def finfo(type, /):
    """Limits of a float dtype; of a complex dtype those of its parts."""
    d = type.dtype if isinstance(type, Array) else dtype(type)
    d = all[_parts.get(d.name, d.name)]
    if d.name not in _float_bits:
        raise ValueError(f"finfo: {d.name} is no float dtype")
    fraction, exponent = _float_bits[d.name]
    bias = 2 ** (exponent - 1) - 1
    most = (2.0 - 2.0**-fraction) * 2.0**bias
    return finfo_object(8 * d.itemsize, 2.0**-fraction, most, -most, 2.0 ** (1 - bias), d)


def iinfo(type, /):
    """Limits of an integer dtype."""
    d = type.dtype if isinstance(type, Array) else dtype(type)
    if not isdtype(d, "integral"):
        raise ValueError(f"iinfo: {d.name} is no integer dtype")
    bits, signed = 8 * d.itemsize, isdtype(d, "signed integer")
    return iinfo_object(bits, 2 ** (bits - signed) - 1, -(2 ** (bits - 1)) if signed else 0, d)


class info:
    """What __array_namespace_info__() returns."""

    def capabilities(self):
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 32}

    def default_device(self):
        return "cpu"

    def default_dtypes(self, *, device=None):
        return {"real floating": all["float32"], "complex floating": all["complex64"], "integral": all["int64"], "indexing": all["int64"]}

    def dtypes(self, *, device=None, kind=None):
        standard = {n: d for n, d in all.items() if n not in ("float16", "bfloat16")}
        return standard if kind is None else {n: d for n, d in standard.items() if isdtype(d, kind)}

    def devices(self):
        return ["cpu"]


names = ["dtype", "isdtype", "result_type", "can_cast", "finfo", "iinfo", *all]
