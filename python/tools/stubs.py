"""Prints python/vinea/__init__.pyi, the types of the package for editors, from the package itself. `make stubs` rewrites the file, a test compares it."""
import inspect
import types

import vinea as vn
from vinea import _namespace

TYPES = {"array": "ArrayLike", "arrays": "Sequence[ArrayLike]", "shape": "int | Sequence[int]", "axes": "int | Sequence[int] | None",
         "order": "int | Sequence[int]", "list": "int | Sequence[int]", "dtype": "DTypeLike", "flag": "builtins.bool", "int": "int", "float": "float", "text": "str"}
NAMES = {"dtype": "DTypeLike | None", "device": "str | None", "copy": "builtins.bool | None", "axis": "int | Sequence[int] | None", "keepdims": "builtins.bool", "x": "ArrayLike",
         "x1": "ArrayLike", "x2": "ArrayLike", "shape": "int | Sequence[int]", "arrays": "Sequence[ArrayLike]"}
RETURNS = {"isdtype": "builtins.bool", "can_cast": "builtins.bool", "result_type": "DType", "dtype": "DType", "using": "str", "engines": "dict[str, dict[str, Any]]", "engine": "Any",
           "broadcast_shapes": "tuple[int, ...]", "broadcast_arrays": "list[Array]", "meshgrid": "list[Array]", "unstack": "tuple[Array, ...]",
           "nonzero": "tuple[Array, ...]", "tolist": "Any", "item": "Any", "explain": "str", "seed": "None", "eval": "None", "memory": "dict[str, int]"}
NOT_ARRAYS = {"grad", "value_and_grad", "jacobian", "hessian", "jit", "vjp", "jvp", "finfo", "iinfo", "to_numpy", "to_torch", "to_jax", "to_tensorflow"}
rows = {name: row for _, row in _namespace._rows for name in (row["name"], row["alias"]) if name}

HEAD = '''# Printed by python/tools/stubs.py (make stubs); the tests compare.
from typing import Any, NamedTuple, Sequence, Union
import builtins
import types

class DType:
    name: str
    itemsize: int

class EngineError(RuntimeError): ...

ArrayLike = Union["Array", builtins.bool, builtins.int, builtins.float, builtins.complex, Sequence[Any], Any]
DTypeLike = Union[DType, str, type, Any]
'''


def parameter(p, kinds):
    text = NAMES.get(p.name, "Any")
    if p.name in kinds:
        text = TYPES[kinds[p.name]]
    if p.default is None and not text.endswith("None"):
        text += " | None"
    text = f"{p.name}: {text}"
    if p.kind is p.VAR_POSITIONAL:
        return "*" + p.name + ": Any"
    if p.kind is p.VAR_KEYWORD:
        return "**" + p.name + ": Any"
    return text if p.default is p.empty else text + " = ..."


def signature(f, name, method=False):
    try:
        s = inspect.signature(f)
    except (ValueError, TypeError):
        return "*args: Any, **kwargs: Any"
    kinds = {p[0]: p[1] for p in rows[name]["parameters"]} if name in rows and isinstance(f, types.BuiltinFunctionType) else {}
    parts, before = [], None
    for p in s.parameters.values():
        if before is p.POSITIONAL_ONLY and p.kind is not before:
            parts.append("/")
        if p.kind is p.KEYWORD_ONLY and before not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            parts.append("*")
        parts.append("self" if method and before is None else parameter(p, kinds))
        before = p.kind
    if before is inspect.Parameter.POSITIONAL_ONLY:
        parts.append("/")
    return ", ".join(parts)


def returned(f, name, method):
    if name in RETURNS and not (method and name == "eval"):  # the method returns the array
        return RETURNS[name]
    if name in NOT_ARRAYS:
        return "Any"
    if name in rows and len(rows[name]["outputs"]) > 1 and isinstance(f, types.BuiltinFunctionType):
        return rows[name]["name"] + "_result"
    return "Any" if name.startswith("unique_") or name in ("eigh", "eig", "qr", "svd") else "Array"


def describe(f, indent):
    doc = (inspect.getdoc(f) or "").replace("\\", "\\\\").replace('"""', "'''")
    if not doc:
        return " ..."
    return f'\n{indent}    """' + doc.replace("\n", "\n" + indent + "    ") + '"""'


def function(f, name, indent="", method=False):
    return f"{indent}def {name}({signature(f, name, method)}) -> {returned(f, name, method)}:{describe(f, indent)}\n"


def array_class():
    lines = ['class Array:\n    """' + vn.Array.__doc__ + '"""\n']
    for name in sorted(vn.Array.__dict__):
        f = vn.Array.__dict__[name]
        if name.startswith("__") and name[2:-2] not in ("dlpack", "dlpack_device", "array_namespace", "array"):
            continue
        if name.startswith("_") and not name.startswith("__"):
            continue
        if isinstance(f, (property, types.GetSetDescriptorType)):
            kind = {"shape": "tuple[int, ...]", "ndim": "int", "size": "int", "nbytes": "int", "itemsize": "int", "dtype": "DType", "engine": "str",
                    "device": "str", "is_ready": "builtins.bool"}.get(name, "Any" if name == "at" else "Array")
            lines.append(f"    @property\n    def {name}(self) -> {kind}: ...\n")
        elif callable(f):
            of_table = vn.__dict__.get(name)  # a method of the table's has its function's signature
            of_table = of_table if name in rows and isinstance(of_table, types.BuiltinFunctionType) else f
            lines.append(function(of_table, name, "    ", True))
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"):
        for prefix in ("", "r", "i"):
            lines.append(f"    def __{prefix}{name}__(self, other: Any, /) -> Array: ...\n")
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        lines.append(f"    def __{name}__(self, other: Any, /) -> Array: ...  # type: ignore[override]\n")
    for name, kind in (("neg", "Array"), ("pos", "Array"), ("abs", "Array"), ("invert", "Array"), ("bool", "builtins.bool"), ("int", "builtins.int"),
                       ("float", "builtins.float"), ("complex", "builtins.complex"), ("index", "builtins.int"), ("len", "builtins.int")):
        lines.append(f"    def __{name}__(self) -> {kind}: ...\n")
    lines += ["    def __getitem__(self, key: Any, /) -> Array: ...\n", "    def __setitem__(self, key: Any, value: Any, /) -> None: ...\n",
              "    def __iter__(self) -> Any: ...\n"]
    return "".join(lines)


def text():
    parts = [HEAD]
    for name in sorted({row["name"] for _, row in _namespace._rows if len(row["outputs"]) > 1}):
        fields = "".join(f"    {o}: Array\n" for o in rows[name]["outputs"])
        parts.append(f"class {name}_result(NamedTuple):\n{fields}")
    parts.append(array_class())
    for name in vn.__all__:
        f = vn.__dict__[name]
        if name in ("Array", "DType", "EngineError"):
            continue
        if isinstance(f, vn.DType):
            parts.append(f"{name}: DType\n")
        elif isinstance(f, types.ModuleType):
            parts.append(f"{name}: Any\n" if f.__name__ != "vinea.tree" else "from . import tree as tree\n")
        elif isinstance(f, type):
            methods = ["__init__(self, *args: Any, **kwargs: Any) -> None", *(f"{m}(self, *args: Any) -> Any" for m in ("__enter__", "__exit__", "__call__", "gradient")
                                                                            if hasattr(f, m))]
            parts.append(f"class {name}:\n" + "".join(f"    def {m}: ...\n" for m in methods))
        elif callable(f):
            parts.append(function(f, name))
        else:
            parts.append(f"{name}: {type(f).__name__ if f is not None else 'None'}\n")
    parts.append("__version__: str\n")
    return "".join(parts)


if __name__ == "__main__":
    print(text(), end="")
