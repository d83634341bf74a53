# SPDX-License-Identifier: Apache-2.0
"""Namespaces made from the run-time listing of the op table: vinea itself, and vinea.engine(name) for each engine."""
import ast
import collections
import contextvars
import functools
import inspect
import math
import re
import sys
import types

from . import _dtypes, _standard, _vinea

_rows = _vinea.listing()


def _default(kind, text):
    """A default of the listing as it is written in Python."""
    if text in ("none", "all", "nan", "input", "sequence"):
        return "None"
    if kind == "flag":
        return "True" if text == "1" else "False"
    try:
        ast.literal_eval(text)
        return text if kind not in ("text", "dtype") else repr(text)
    except (SyntaxError, ValueError):
        return repr(text)


def default(kind, text):
    """A default of the listing as a value."""
    return ast.literal_eval(_default(kind, text))


def signature(row):
    """The parameters as Python writes them; options become keyword-only where a required one follows an optional one."""
    parts, optional, starred = [], False, False
    for name, kind, required, default, _, _ in row["parameters"]:
        if required and optional and not starred:
            at = max(next(i for i, p in enumerate(row["parameters"]) if p[1] not in ("array", "arrays")), next(i for i, p in enumerate(row["parameters"]) if not p[2]))
            parts.insert(at, "*")
            starred = True
        optional = optional or not required
        parts.append(name if required else f"{name}={_default(kind, default) if default is not None else 'None'}")
    return ", ".join(parts)


_c_words = ((r"; VN_ZERO for (class )?0", ""), ("VN_ZERO( in C and 0 by name)?", "0"), ("VN_ALL|VN_NONE", "None"), (r"VN_LIST\((.*?)\)", r"[\1]"))


def _in_python(doc):
    """A line of the listing with Python's words for C's: 0 is given as 0."""
    for c, python in _c_words if "VN_" in doc else ():
        doc = re.sub(c, python, doc)
    return _vinea.in_python(doc) if "vn_" in doc else doc


def _sentence(doc, names):
    """A doc line as a sentence, whose first letter is large unless the line begins with a name: a parameter's, or one with an underscore."""
    first = re.match(r"\w*", doc)[0]
    begins = doc if first in names or "_" in first or (len(first) == 1 and first != "a") else doc[0].upper() + doc[1:]
    return _in_python(begins + ".")


def describe(row):
    """The docstring: what the op does, and its options."""
    lines = [_sentence(row["doc"], {p[0] for p in row["parameters"]})]
    for name, kind, _, _, texts, doc in row["parameters"]:
        if doc or texts:
            lines.append(_in_python(f"    {name}: {doc or kind}{' (' + ', '.join(texts) + ')' if texts else ''}"))
    if len(row["outputs"]) > 1:
        lines.append(f"Returns {', '.join(row['outputs'])}.")
    return "\n".join(lines)


def _result(row):
    """The type of the results of an op with several, an attribute of this module, where pickle finds it."""
    if len(row["outputs"]) < 2:
        return None
    name = row["name"] + "_result"
    return globals().setdefault(name, collections.namedtuple(name, row["outputs"]))


def _table(engine):
    """Every op of the table as a function, under its own name and the standard's."""
    made = {}
    for number, row in _rows:
        for name in filter(None, (row["name"], row["alias"])):
            doc = f"{name}({signature(row)})\n--\n\n{describe(row)}"
            made[name] = _vinea.function(number, name, doc, engine, _result(row))
    return made


def meant(name, known):
    """The end of a message about a name: the known one that is near it, if any."""
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def missing(module, known, spelling=str):
    """The __getattr__ of a module: the error for a name that it does not have, with the one that was meant."""

    def __getattr__(name):
        raise AttributeError(f"module {module!r} has no attribute {name!r}{meant(spelling(name), known)}")

    return __getattr__


def _section(made, *titles):
    return {name: made[name] for _, row in _rows if row["section"] in titles for name in filter(None, (row["name"], row["alias"]))}


def _module(name, doc, content):
    module = types.ModuleType(name, doc)
    module.__dict__.update(content)
    module.__all__ = sorted(content)
    return module


VERSION = "2025.12"  # of the Array API standard


def _before_2025(content):
    """What older versions of the standard return as lists."""

    def listed(f):
        return functools.wraps(f)(lambda *args, **kwargs: list(f(*args, **kwargs)))

    class info(_dtypes.info):
        def devices(self):
            return list(super().devices())

    content.update({name: listed(content[name]) for name in ("broadcast_arrays", "meshgrid")}, __array_namespace_info__=info)


def _only_none(others):
    """Whether these are what NumPy's functions pass when they call methods, numpy.sum(x): nothing by name."""
    return all(name in ("out", "dtype") and value is None for name, value in others.items())


def _suggesting(f):
    """f, with the message that the table's functions have for an argument that they do not know.

    It is compiled with the parameters of f and one for all others: passing on *args and **kwargs would make every call slower."""
    parameters = inspect.signature(f).parameters.values()
    possible = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if not possible:
        return f
    passed = [f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else str(p) if p.kind is p.VAR_POSITIONAL else p.name for p in parameters]
    others = inspect.Parameter("_others", inspect.Parameter.VAR_KEYWORD)
    text = (f"def {f.__name__}{inspect.Signature([*parameters, others])}:\n"
            f"    if _others and not _only_none(_others):\n"
            f"        raise TypeError(_no_argument({f.__name__!r}, next(iter(_others)), {possible}))\n"
            f"    return _f({', '.join(passed)})\n")
    made = {"_f": f, "_no_argument": _vinea.no_argument, "_only_none": _only_none}
    exec(text, made)
    return functools.wraps(f)(made[f.__name__])


def _key_on(engine, version):
    def key(seed=None, /):
        return _vinea.key(seed, engine)

    key.__doc__, key.__module__, key.__qualname__ = _vinea.key.__doc__, "vinea", f"_on.{_label(engine, version)}.random.key"
    return key


def fill(to, engine=None, version=VERSION):
    """Puts all functions of a namespace, as a version of the standard has them, into the dict of a module."""
    made = _table(engine)
    standard = _standard.functions(types.SimpleNamespace(**made), engine)
    own = standard.pop("linalg")
    linalg = {name: standard.get(name, f) for name, f in _section(made, "Linear algebra").items()} | own
    fft = {**_section(made, "Fourier transforms"), **standard.pop("fft")}
    random = {**_section(made, "Random numbers"), "seed": _vinea.seed, "key": _key_on(engine, version) if engine else _vinea.key}
    docs = {name: describe(row) for _, row in _rows for name in filter(None, (row["name"], row["alias"]))}
    wrapped = {}
    for group in (standard, linalg, fft):
        for name, f in group.items():
            if isinstance(f, types.FunctionType):
                f.__doc__ = f.__doc__ or docs.get(name)
                f.__module__ = "vinea.fft" if group is fft and engine is None else "vinea"
                f.__qualname__ = name if engine is None else f"_on.{_label(engine, version)}.{'fft.' * (group is fft)}{name}"  # where pickle finds it
                group[name] = wrapped.setdefault(f, _suggesting(f))
    content = {name: f for name, f in made.items() if name not in random and name not in fft}
    content.update({name: getattr(_dtypes, name) for name in _dtypes.names if name != "dtype"})
    content.update(standard)
    content.update(e=math.e, pi=math.pi, inf=math.inf, nan=math.nan, newaxis=None)
    prefix = to["__name__"]
    content["linalg"] = _module(prefix + ".linalg", "Linear algebra.", linalg)
    content["fft"] = _module(prefix + ".fft", "Fourier transforms.", fft)
    content["random"] = _module(prefix + ".random", "Random numbers, equal on every engine. Without a key they come from the thread's state.", random)
    content["__array_namespace_info__"] = _dtypes.info
    content["__array_api_version__"] = version
    if engine is None:  # so that "from vinea.linalg import svd" works
        sys.modules.update({content[part].__name__: content[part] for part in ("linalg", "fft", "random")})
    if version < "2025.12":
        _before_2025(content)
    to.update(content)
    return content


class Namespace(types.ModuleType):
    """Vinea's functions of arrays, making them on one engine."""

    def __init__(self, name, version):
        super().__init__(f"vinea.{name}")
        self.name = name
        self.__all__ = [n for n in fill(self.__dict__, name, version) if not n.startswith("_")]

    def __repr__(self):
        return f"<vinea on {self.name}>"

    def __reduce__(self):
        return engine, (self.name, self.__array_api_version__)


_namespaces = {}


def _label(name, version):
    return name if version == VERSION else f"{name}@{version.replace('.', '_')}"


class _On:
    """The namespaces of engines as attributes, by which functions of theirs are pickled: vinea._on.torch.sum."""

    def __getattr__(self, label):
        if label.startswith("_"):
            raise AttributeError(label)
        name, _, version = label.partition("@")
        return engine(name, version.replace("_", ".") or VERSION)


on = _On()


def engine(name, version=VERSION):
    """The namespace of an engine: vinea's functions, with new arrays on that engine. Raises EngineError if it is not available."""
    if (name, version) not in _namespaces:
        _vinea.open_engine(name)
        _namespaces[name, version] = Namespace(name, version)
    return _namespaces[name, version]


def home(name, function, family):
    """What a pickled function is an attribute of: the namespace of an engine or vinea, or a part of it; makers of a family are in vinea.nn."""
    import vinea

    whole = engine(name) if name else vinea
    parts = [whole, whole.random, whole.fft, whole.linalg] if family is None else [vinea.nn.updates if family == "transformation" else vinea.nn]
    return next(part for part in parts if callable(vars(part).get(function)))


_blocks = contextvars.ContextVar("blocks", default=())  # the blocks that this context is inside of: (use, the engine before)


class use:
    """use(name) makes an engine the current one of this thread, or of this task inside asyncio; as a context manager, until the end of the
    block, any number of times. With everywhere=True it is that of all threads and tasks that selected none."""

    def __init__(self, name, *, everywhere=False):
        self._select, self._restore = (_vinea.use_everywhere,) * 2 if everywhere else (_vinea.use, _vinea.use_again)
        if name is None:
            raise TypeError("use: the name of an engine is needed")
        self._name, self._first = name, (self._select(name),)

    def __enter__(self):
        before = self._select(self._name)
        if self._first and before == self._name:  # with use(name): the call has selected it
            (before,), self._first = self._first, ()
        _blocks.set((*_blocks.get(), (self, before)))
        return self

    def __exit__(self, *unused):
        blocks = list(_blocks.get())
        last = max((k for k, (block, _) in enumerate(blocks) if block is self), default=None)
        if last is not None:
            before = blocks.pop(last)[1]
            _blocks.set(tuple(blocks))
            self._restore(before)


def using():
    """The name of the current engine."""
    return _vinea.using()


def engines():
    """All engines, available or not, as a dict from name to what is known about it. Loads those that can be loaded."""
    return {name: _vinea.engine_info(name) for name in _vinea.engine_names()}
