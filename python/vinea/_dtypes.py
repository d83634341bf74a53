# SPDX-License-Identifier: Apache-2.0
"""Dtypes: objects, limits, promotion, kinds."""
import builtins
from dataclasses import dataclass

from . import _vinea
from ._vinea import Array, DType

all = {d.name: d for d in _vinea.dtypes}
globals().update(all)


def _kinds(dtype):
    name = dtype.name
    if name == "bool":
        return {"bool"}
    if name.startswith("int"):
        return {"signed integer", "integral", "numeric"}
    if name.startswith("uint"):
        return {"unsigned integer", "integral", "numeric"}
    return {"complex floating" if name.startswith("complex") else "real floating", "numeric"}


def dtype(spec):
    """The dtype of that name, of a NumPy or torch dtype, or of a Python type (bool, int, float, complex)."""
    return spec if isinstance(spec, DType) else _vinea.asarray([], dtype=spec).dtype


_as_dtype = dtype


def isdtype(dtype, kind):
    """Whether a dtype is of a kind: a dtype, 'bool', 'signed integer', 'unsigned integer', 'integral', 'real floating', 'complex floating',
    'numeric', or a tuple of these."""
    if not isinstance(dtype, DType):
        dtype = _as_dtype(dtype)
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        known = {"bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"}
        if kind not in known:
            raise ValueError(f"isdtype: there is no kind {kind!r}; possible are {', '.join(sorted(known))}")
        return kind in _kinds(dtype)
    return dtype == kind


result_type, can_cast = _vinea.result_type, _vinea.can_cast


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
    return finfo_object(*_vinea.finfo(type))


def iinfo(type, /):
    """Limits of an integer dtype."""
    return iinfo_object(*_vinea.iinfo(type))


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
        return ("cpu",)


names = ["dtype", "isdtype", "result_type", "can_cast", "finfo", "iinfo", *all]
