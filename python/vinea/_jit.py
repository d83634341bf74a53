"""jit: functions that are recorded once and then run as programs."""
import functools
import numbers
import types

from . import _vinea, tree
from ._vinea import Array, asarray

# ---- where arrays from outside are kept ----

_DEEP, _MANY = 12, 20000  # how far, and at how many objects, the search for them looks


def _names(code):
    """The names that a function's code, and that of the functions inside it, looks up."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


def _places(holder):
    """What can be reached from an object: (get, key, value), where get(key) is the value for as long as nothing else is put there."""
    if isinstance(holder, types.FunctionType):
        if holder.__module__ is not None and holder.__module__.partition(".")[0] == "vinea":
            return
        for cell in holder.__closure__ or ():
            try:
                yield getattr, (cell, "cell_contents", None), cell.cell_contents
            except ValueError:  # empty
                pass
        names = _names(holder.__code__)
        yield from ((holder.__globals__.get, (name,), holder.__globals__[name]) for name in names if name in holder.__globals__)
        yield from ((getattr, (holder, name), getattr(holder, name)) for name in ("__defaults__", "__kwdefaults__", "__wrapped__") if hasattr(holder, name))
    elif isinstance(holder, types.MethodType):
        yield getattr, (holder, "__func__"), holder.__func__
        yield getattr, (holder, "__self__"), holder.__self__
    elif isinstance(holder, functools.partial):
        yield from ((getattr, (holder, name), getattr(holder, name)) for name in ("func", "args", "keywords"))
    elif isinstance(holder, dict):
        yield from ((holder.get, (key,), value) for key, value in list(holder.items()))
    elif isinstance(holder, (list, tuple)):
        yield from ((_item, (holder, k), value) for k, value in enumerate(list(holder)))
    elif not isinstance(holder, (type, types.ModuleType, _vinea.Module)):
        d = getattr(holder, "__dict__", None)
        if isinstance(d, dict):
            yield from ((d.get, (key,), value) for key, value in list(d.items()))


def _item(sequence, k):
    return sequence[k] if k < len(sequence) else None


_plain = (str, bytes, int, float, complex, type(None), types.BuiltinFunctionType, types.ModuleType, type)


def _ways(fn, arrays):
    """The steps that lead from a function to arrays that it uses: [(get, key, what is there now)]."""
    wanted, steps, visited = {id(x) for x in arrays}, {}, set()
    queue = [(fn, ())]
    while queue and wanted and len(visited) < _MANY:
        holder, way = queue.pop(0)
        if id(holder) in visited or len(way) > _DEEP:
            continue
        visited.add(id(holder))
        for get, key, value in _places(holder):
            step = way + ((get, key, value, id(holder)),)
            if isinstance(value, Array):
                if id(value) in wanted:
                    steps.update({(at, id(v)): (g, k, v) for g, k, v, at in step})
            elif not isinstance(value, _plain):
                queue.append((value, step))
    return list(steps.values())


class _Program:
    """A function recorded for one structure of its arguments and one set of constants."""

    def __init__(self, fn, shape, constants):
        self._fn, self._shape, self._constants = fn, shape, constants
        self._captured = self._result = None

    def _body(self, arrays):
        arrays = iter(arrays)
        args, kwargs = tree.unflatten(self._shape, [next(arrays) if c is Array else c for c in self._constants])
        leaves, out = tree.flatten(self._fn(*args, **kwargs))
        self._result = out, len(leaves)
        return [asarray(x) for x in leaves]

    def _record(self, arrays):
        """The number of results is known once the function has run: the first attempt takes it to be one."""
        self._result = None
        captured = _vinea.Captured(self._body, 1)
        try:
            out = captured(arrays, 1)
        except RuntimeError:
            if not self._result or self._result[1] == 1:
                raise
            if not self._result[1]:
                raise TypeError("jit: the function returned no array") from None
            captured = _vinea.Captured(self._body, self._result[1])
            out = captured(arrays, self._result[1])
        self._captured, self._ways, self._known = captured, _ways(self._fn, captured.used), len(captured.used)
        return out

    def _changed(self):
        """Whether something that the function takes from outside is not what was recorded."""
        return self._captured.stale() or any(get(*key) is not value for get, key, value in self._ways)

    def __call__(self, arrays):
        if self._captured is None or self._changed():
            out = self._record(arrays)
        else:
            out = self._captured(arrays, self._result[1])
            if len(self._captured.used) != self._known:  # recorded again, for other shapes
                self._ways, self._known = _ways(self._fn, self._captured.used), len(self._captured.used)
        return tree.unflatten(self._result[0], out)


def _constant(c):
    """A key of a constant: numbers that are equal but not the same, such as 0.0 and -0.0, differ; NaNs do not."""
    if not isinstance(c, numbers.Number) or isinstance(c, numbers.Integral):
        return c
    return repr(c), c if c == c else None


def jit(fn):
    """Records fn once for each combination of shapes, dtypes and engine of its arrays, and then runs the recorded program. Arguments and
    results are trees. What is not an array is a constant of the program and must be hashable. Arrays and modules that fn takes from outside
    may change: then it is recorded again. Numbers from outside are constants. fn must not need values, and random numbers inside need a key,
    which is an argument."""
    programs = {}

    @functools.wraps(fn)
    def run(*args, **kwargs):
        leaves, shape = tree.flatten((args, kwargs))
        constants = tuple(Array if isinstance(x, Array) else x for x in leaves)
        key = shape, tuple(map(_constant, constants)), tuple(map(type, constants))
        program = programs.get(key)
        if program is None:
            program = programs[key] = _Program(fn, shape, constants)
        try:
            return program([x for x in leaves if isinstance(x, Array)])
        finally:
            if program._captured is None:  # it failed, and keeps nothing
                programs.pop(key, None)

    return run
