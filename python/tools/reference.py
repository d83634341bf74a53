"""Prints docs/python-api.md, the reference of the Python package, from the package itself. `make stubs` rewrites the page, a test compares it."""
import inspect
import types

import vinea as vn
from vinea import _namespace, _trees

HEAD = """# Python API

Printed from the package by `make stubs`; the functions come from the op table and the tables of layers, optimizers and schedules, as they do in C. [Python](python.md) shows how they are used. Each function of an op is
also a function of `vn.engine(name)`, where arrays are made on that engine; functions whose first argument is an array `x` are methods of arrays too.
"""


def signature(f):
    try:
        return str(inspect.signature(f))
    except (TypeError, ValueError):
        return "(...)"


def line(name, f):
    doc = (inspect.getdoc(f) or "").strip().split("\n")
    first = doc[0]
    for more in doc[1:]:  # a first sentence may take several lines
        if first.endswith((".", ":")) or not more.strip():
            break
        first += " " + more.strip()
    options = [text.strip() for text in doc[1:] if text.startswith("    ")] if isinstance(f, types.BuiltinFunctionType) else []
    first = first.rstrip(":").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
    return f"* `{name}{signature(f).replace('(self, ', '(').replace('(self)', '()').replace('(/)', '()').replace('(/, ', '(')}`" + (f": {first}" if first else "") + (f" Options: {'; '.join(options)}.".replace("<", "&lt;") if options else "") + "\n"


def functions(title, prefix, names, home):
    return [f"\n## {title}\n\n"] + [line(prefix + n, home[n]) for n in names]


def text():
    parts, done = [HEAD], set()
    sections = {}
    for _, row in _namespace._rows:
        for name in filter(None, (row["alias"], row["name"])):
            sections.setdefault(row["section"], []).append(name)
    groups = {"linalg": vn.linalg, "fft": vn.fft, "random": vn.random}
    for title, names in sections.items():
        home = [n for n in names if n in vn._content and callable(vn._content[n])]
        if home:
            parts += functions(title, "vn.", home, vn.__dict__)
            done.update(home)
    for group, module in groups.items():
        parts += functions(f"vn.{group}", f"vn.{group}.", [n for n in module.__all__ if callable(getattr(module, n))], module.__dict__)
    rest = [n for n in vn.__all__ if n not in done and n not in groups and callable(getattr(vn, n)) and not isinstance(getattr(vn, n), (vn.DType, type)) and not isinstance(getattr(vn, n), types.ModuleType)]
    parts += functions("The standard's other functions, gradients, engines, exchange", "vn.", rest, vn.__dict__)
    parts += ["\n## Classes\n\n"] + [line("vn." + n, getattr(vn, n)).replace("(...)", "") for n in vn.__all__ if isinstance(getattr(vn, n), type) and n != "DType"]
    parts += ["\n## Dtypes and constants\n\n", ", ".join(f"`vn.{n}`" for n in vn.__all__ if isinstance(getattr(vn, n), (vn.DType, float)) or n == "newaxis"), "\n"]
    own = [n for n in sorted(vars(vn.Array)) if not n.startswith("_") and n not in vn._content]
    parts += ["\n## Arrays\n\n"] + [line("x." + n, getattr(vn.Array, n)) if callable(getattr(vn.Array, n)) else
                                    f"* `x.{n}`: {inspect.getdoc(getattr(vn.Array, n))}\n" for n in own]
    parts += functions("Trees", "vn.tree.", [n for n in vn.tree.__all__ if n != "Structure"], vn.tree.__dict__)
    parts += functions("Tensor decompositions", "vn.tensors.", vn.tensors.__all__, vn.tensors.__dict__)
    for family, title in (("layer", "Layers"), ("optimizer", "Optimizers"), ("schedule", "Schedules")):
        parts += functions(title, "vn.nn.", [row["name"] for _, row in vn._vinea.objects(family)], vn.nn.__dict__)
    parts += functions("Gradients, second derivatives, meta-learning", "vn.nn.", [f.__name__ for f in _trees.NN], vn.nn.__dict__)
    parts += functions("vn.nn.losses", "vn.nn.losses.", vn.nn.losses.__all__, vars(vn.nn.losses)) + functions("vn.nn.metrics", "vn.nn.metrics.", vn.nn.metrics.__all__, vars(vn.nn.metrics))
    parts += functions("vn.nn.updates", "vn.nn.updates.", vn.nn.updates.__all__, vars(vn.nn.updates))
    methods = [n for n in dir(vn.nn.Module) if not n.startswith("_")]
    parts += ["\n## Modules\n\n", line("vn.nn.Module", vn.nn.Module), line("vn.nn.Sequential", vn.nn.Sequential), line("vn.nn.Parameter", vn.nn.Parameter)]
    parts += [line("module." + n, getattr(vn.nn.Module, n)) if callable(getattr(vn.nn.Module, n)) else f"* `module.{n}`: {inspect.getdoc(getattr(vn.nn.Module, n))}\n" for n in methods]
    parts += [line("optimizer." + n, getattr(vn.nn.Optimizer, n)) if callable(getattr(vn.nn.Optimizer, n)) else f"* `optimizer.{n}`: {inspect.getdoc(getattr(vn.nn.Optimizer, n))}\n"
              for n in dir(vn.nn.Optimizer) if not n.startswith("_")]
    return "".join(parts)


if __name__ == "__main__":
    print(text(), end="")
