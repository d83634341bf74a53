"""Writes python/vinea/*.pyi and python/vinea/nn/*.pyi, the types of the package and of its parts for editors, from the package itself, into a folder. `make stubs` rewrites the files, a test compares them."""
import inspect
import pathlib
import sys
import types

import vinea as vn
from vinea import _namespace, _standard, _trees, _vinea

TYPES = {"array": "ArrayLike", "arrays": "Sequence[ArrayLike]", "shape": "int | Sequence[int]", "axes": "int | Sequence[int] | None",
         "order": "int | Sequence[int]", "list": "int | Sequence[int]", "dtype": "DTypeLike", "flag": "builtins.bool", "int": "int", "float": "float", "text": "str"}
NAMES = {"dtype": "DTypeLike | None", "device": "str | None", "copy": "builtins.bool | None", "axis": "int | Sequence[int] | None", "keepdims": "builtins.bool", "x": "ArrayLike",
         "x1": "ArrayLike", "x2": "ArrayLike", "prediction": "ArrayLike", "target": "ArrayLike", "shape": "int | Sequence[int]", "arrays": "Sequence[ArrayLike]", "fn": "Callable[..., Any]", "argnums": "int | Sequence[int]", "has_aux": "builtins.bool",
         "name": "str", "everywhere": "builtins.bool", "rule": "_F", "func": "_F"}
METHODS = {"__init__": "None", "__exit__": "None", "gradient": "_F"}  # what methods of classes return that are no arrays or networks
RETURNS = {"isdtype": "builtins.bool", "can_cast": "builtins.bool", "result_type": "DType", "dtype": "DType", "using": "str", "engines": "dict[str, dict[str, Any]]", "engine": "Any",
           "broadcast_shapes": "tuple[int, ...]", "broadcast_arrays": "tuple[Array, ...]", "meshgrid": "tuple[Array, ...]", "unstack": "tuple[Array, ...]", "split": "tuple[Array, ...]", "save": "None", "load": "Any", "matmul_precision": "str",
           "nonzero": "tuple[Array, ...]", "eig": "EigResult", "eigh": "EighResult", "qr": "QRResult", "svd": "SVDResult", "unique_all": "UniqueAllResult",
           "unique_counts": "UniqueCountsResult", "unique_inverse": "UniqueInverseResult", "tolist": "Any", "item": "Any", "explain": "str", "seed": "None", "eval": "None", "memory": "dict[str, int]",
           "grad": "Callable[..., Any]", "value_and_grad": "Callable[..., tuple[Any, Any]]", "jacobian": "Callable[..., Any]", "hessian": "Callable[..., Any]", "vjp": "tuple[Any, Any]", "jvp": "tuple[Any, Any]", "jit": "_F"}
NOT_ARRAYS = {"finfo", "iinfo", "to_numpy", "to_torch", "to_jax", "to_tensorflow"}
OPERATORS = {"contains": "(self, value: Any, /) -> builtins.bool", "divmod": "(self, other: Any, /) -> tuple[Array, Array]", "rdivmod": "(self, other: Any, /) -> tuple[Array, Array]",
             "round": "(self, digits: int | None = ..., /) -> Array", "copy": "(self) -> Array", "deepcopy": "(self, memo: Any, /) -> Array", "format": "(self, spec: str, /) -> str",
             "array_ufunc": "(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any", "getitem": "(self, key: Any, /) -> Array", "setitem": "(self, key: Any, value: Any, /) -> None", "iter": "(self) -> Any",
             "buffer": "(self, flags: int, /) -> memoryview", "release_buffer": "(self, view: memoryview, /) -> None"}  # the last two since Python 3.12
PARTS = ("fft", "linalg", "nn", "random", "tensors", "tree")  # modules with types of their own
TREES = {"flatten": "tuple[list[Any], Structure]", "leaves": "list[Any]", "map": "Any", "structure": "Structure", "unflatten": "Any",
         **{f.__name__: "Array" if f.__name__ in ("norm", "sum", "max", "min", "vdot", "allclose") else "Any" for f in _trees.TREE}}
rows = {name: row for _, row in _namespace._rows for name in (row["name"], row["alias"]) if name}

NETWORKS = {"variables": "dict[str, Array]", "buffers": "dict[str, Array]", "parameters": "list[Array]", "dict": "builtins.dict[str, Array]", "training": "builtins.bool", "structure": "str", "summary": "str", "lr": "float",
            "steps": "int", "state": "dict[str, Any]", "fit": "Result", "predict": "Array", "train": "Module", "eval": "Module", "state_dict": "dict[str, Array]", "load_state_dict": "None", "adapt": "None", "eval_params": "Any", "loss_scale": "Array", "save": "None", "load": "None", "freeze": "None", "unfreeze": "None",
            "step": "None", "minimize": "Array", "configure": "Optimizer", "value_and_grad": "tuple[Array, Gradients]", "evaluate": "dict[str, float]", "__call__": "float"}
NETWORK_PARTS = {"losses": ("loss", "Array"), "metrics": ("metric", "float"), "updates": ("transformation", "Optimizer")}  # their families, and what their functions return
FIRST = "# Written by python/tools/stubs.py (make stubs); the tests compare.\n"

HEAD = FIRST + '''from typing import Any, Callable, NamedTuple, Sequence, TypeVar, Union
import builtins
import types

_F = TypeVar("_F", bound=Callable[..., Any])  # jit and other decorators return a function of the same type

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
        text = TYPES.get(kinds[p.name], "Any")
    if p.default is None and not text.endswith("None"):
        text += " | None"
    text = f"{p.name}: {text}"
    if p.kind is p.VAR_POSITIONAL:
        return "*" + p.name + ": Any"
    if p.kind is p.VAR_KEYWORD:
        return "**" + p.name + ": Any"
    return text if p.default is p.empty else text + " = ..."


def signature(f, name, method=False, rows=rows):
    try:
        s = inspect.signature(f)
    except (ValueError, TypeError):
        return "*args: Any, **kwargs: Any"
    of_row = isinstance(f, types.BuiltinFunctionType) or rows is not globals()["rows"]
    kinds = {p[0]: p[1] for p in rows[name]["parameters"]} if name in rows and of_row else {}
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
    text = ", ".join(parts)
    return text.replace(NAMES["fn"], "_F") if name == "jit" else text


def returned(f, name, method):
    if name in RETURNS and not (method and name == "eval"):  # the method returns the array
        return RETURNS[name]
    if name in NOT_ARRAYS:
        return "Any"
    if name in rows and len(rows[name]["outputs"]) > 1 and isinstance(f, types.BuiltinFunctionType):
        return rows[name]["name"] + "_result"
    return "Array"


def describe(f, indent):
    doc = "" if getattr(f, "__name__", "") == "__init__" else (inspect.getdoc(f) or "").replace("\\", "\\\\").replace('"""', "'''")
    if not doc:
        return " ..."
    return f'\n{indent}    """' + doc.replace("\n", "\n" + indent + "    ").replace("\n" + indent + "    \n", "\n\n") + '"""'


def function(f, name, indent="", method=False, kind=None, rows=rows):
    return f"{indent}def {name}({signature(f, name, method, rows)}) -> {kind or returned(f, name, method)}:{describe(f, indent)}\n"


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
        lines.append(f"    def __{name}__(self, other: Any, /) -> Array: ...{'  # type: ignore[override]' if name in ('eq', 'ne') else ''}\n")
    for name, kind in (("neg", "Array"), ("pos", "Array"), ("abs", "Array"), ("invert", "Array"), ("bool", "builtins.bool"), ("int", "builtins.int"),
                       ("float", "builtins.float"), ("complex", "builtins.complex"), ("index", "builtins.int"), ("len", "builtins.int")):
        lines.append(f"    def __{name}__(self) -> {kind}: ...\n")
    lines += [f"    def __{name}__{rest}: ...\n" for name, rest in OPERATORS.items()]
    lines += ["    __hash__: None  # type: ignore[assignment]\n", "    __array_priority__: int\n"]
    return "".join(lines)


def part(module):
    """The types of linalg, fft or random."""
    functions = [(name, getattr(module, name)) for name in module.__all__]
    kinds = {kind for name, f in functions if (kind := returned(f, name, False)).lower().endswith("result")}
    names = ", ".join(["Array", "ArrayLike", "DTypeLike", *sorted(kinds)])
    return f"{FIRST}import builtins\nfrom typing import Any, Callable, Sequence\nfrom . import {names}\n\n" + "".join(function(f, name) for name, f in functions)


def network_class(name, kind):
    """A class of vinea.nn with what it adds to the one that it is derived from."""
    base = "Array" if name == "Parameter" else "dict[str, Any]" if name == "Result" else "Module" if issubclass(kind, vn.nn.Module) and name != "Module" else ""
    own = {n: f for k in reversed(kind.__mro__[:-1]) if not base or k is kind for n, f in vars(k).items() if n[0] != "_" or n in ("__call__", "__init__")}
    lines = [f"class {name}({base}):" if base else f"class {name}:", describe(kind, "") if kind.__doc__ else "" if own else " ...", "\n"]
    for n in sorted(own):
        if n == "forward":  # of any arguments in a class derived from it
            lines.append("    def forward(self, *args: Any, **kwargs: Any) -> Any: ...\n")
        elif callable(own[n]):
            kind_of = "None" if n == "__init__" else "Any" if n == "__call__" and name != "Schedule" else NETWORKS.get(n, "Any")
            lines.append(function(own[n], n, "    ", True, kind_of))
        else:
            lines.append(f"    {n}: {NETWORKS.get(n, 'Any')}\n")
    if name == "Module":
        lines.append("    def __getattr__(self, name: str) -> Any: ...\n")
    return "".join(lines)


def networks():
    """The types of nn. A Parameter is an attribute of a module, where it is the array."""
    classes = {name: kind for name, kind in sorted(vars(vn.nn).items()) if isinstance(kind, type) and kind.__module__ == "vinea.nn" and name[0] != "_"}
    parts = [f"{FIRST}import builtins\nfrom typing import Any, Callable, Sequence\nfrom .. import Array, ArrayLike, DTypeLike\n\n", *(network_class(name, kind) for name, kind in classes.items())]
    parts += [made(vn.nn, family, kind) for family, kind in (("layer", "Module"), ("optimizer", "Optimizer"), ("schedule", "Schedule"))]
    parts += [function(f, f.__name__, kind="Array" if f.__name__ in ("fenchel_young_loss", "feature_distance", "scale_gradient") else "Any") for f in _trees.NN]
    parts += [f"from . import {name} as {name}\n" for name in NETWORK_PARTS]
    return "".join(parts)


def made(module, family, kind):
    """The functions of a module that make objects of a family of the library's, or compute by them."""
    of_family = {row["name"]: row for _, row in _vinea.objects(family)}
    return "".join(function(getattr(module, name), name, kind=kind, rows=of_family) for name in sorted(of_family))


def network_part(name):
    """The types of nn.losses, nn.metrics or nn.updates."""
    family, kind = NETWORK_PARTS[name]
    return f"{FIRST}import builtins\nfrom typing import Any, Callable, Sequence\nfrom .. import Array, ArrayLike, DTypeLike\nfrom . import Optimizer\n\n" + made(getattr(vn.nn, name), family, kind)


def trees():
    """The types of tree."""
    functions = (function(getattr(vn.tree, name), name, kind=kind) for name, kind in TREES.items())
    return f"{FIRST}import builtins\nfrom typing import Any\nfrom . import Array\n\nclass Structure(tuple[Any, ...]):{describe(vn.tree.Structure, '')}\n" + "".join(functions)


def files():
    """The text of each file."""
    tensors = FIRST + "from typing import Any, Sequence\nfrom . import Array, ArrayLike, DTypeLike\n\n" + "".join(
        function(getattr(vn.tensors, name), name, kind="Array" if name == "tt_matrix_to_tensor" else "Any") for name in vn.tensors.__all__)
    return {"__init__.pyi": text(), "tree.pyi": trees(), "tensors.pyi": tensors, "nn/__init__.pyi": networks(), **{f"nn/{name}.pyi": network_part(name) for name in NETWORK_PARTS}, **{name + ".pyi": part(getattr(vn, name)) for name in ("fft", "linalg", "random")}}


def block_class(name, kind):
    """A class for `with` or for decorators. One that decorates any function returns one of the same type."""
    own = {n: f for k in reversed(kind.__mro__[:-1]) for n, f in vars(k).items() if n[0] != "_" or n in ("__init__", "__enter__", "__exit__", "__call__")}
    of = lambda n: name if n == "__enter__" else METHODS.get(n) or ("_F" if "func" in inspect.signature(own[n]).parameters else "Any")
    return f"class {name}:{describe(kind, '')}\n" + "".join(f"    def {n}({signature(own[n], n, True)}) -> {of(n)}: ...\n" for n in sorted(own))


def result(name, fields):
    """The type of several results. Every tuple has methods called index and count, which fields of that name hide."""
    lines = (f"    {field}: Array{'  # type: ignore[assignment]' if hasattr(tuple, field) else ''}\n" for field in fields)
    return f"class {name}(NamedTuple):\n" + "".join(lines)


def text():
    parts = [HEAD]
    parts += [result(name, kind._fields) for name, kind in sorted(vars(_standard).items()) if hasattr(kind, "_fields")]
    parts += [result(name + "_result", rows[name]["outputs"]) for name in sorted({row["name"] for _, row in _namespace._rows if len(row["outputs"]) > 1})]
    parts.append(array_class())
    for name in vn.__all__:
        f = vn.__dict__[name]
        if name in ("Array", "DType", "EngineError"):
            continue
        if isinstance(f, vn.DType):
            parts.append(f"{name}: DType\n")
        elif isinstance(f, types.ModuleType):
            parts.append(f"from . import {name} as {name}\n" if name in PARTS else f"{name}: Any\n")
        elif isinstance(f, type):
            parts.append(block_class(name, f))
        elif callable(f):
            parts.append(function(f, name))
        else:
            parts.append(f"{name}: {type(f).__name__ if f is not None else 'None'}\n")
    parts.append("__version__: str\n")
    return "".join(parts)


if __name__ == "__main__":
    for name, content in files().items():
        path = pathlib.Path(sys.argv[1], name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
