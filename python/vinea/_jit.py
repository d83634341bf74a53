# SPDX-License-Identifier: Apache-2.0
"""jit: functions that are recorded once and then run as programs."""
import collections
import functools
import numbers
import sys
import types

from . import _vinea, tree
from ._vinea import Array, asarray

# ---- where arrays from outside are kept ----

_DEEP, _MANY = 12, 20000  # how far, and at how many objects, the search for them looks
_FEW = 32  # items of a list or dict that are watched although no name leads to them


def _names(code):
    """The names that a function's code, and that of the functions inside it, looks up, and the texts in it, which may be keys."""
    found = {*code.co_names, *(c for c in code.co_consts if isinstance(c, str))}
    return found.union(*(_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def _users(module):
    """Whether a module of that name is one that may keep arrays: not vinea's and not Python's own."""
    root = str(module).partition(".")[0]
    return root != "vinea" and (root not in sys.stdlib_module_names or root == "__main__")


def _classes(cls):
    """The classes among a class and its bases that may keep arrays."""
    return [c for c in cls.__mro__ if c.__flags__ & 1 << 9 and _users(c.__module__)]  # 1 << 9: made by a class statement, not in C


def _attributes(module, names, seen=()):
    """The attributes of an imported module, and of those in it, that a function's code names."""
    for name in names & vars(module).keys():
        value = vars(module)[name]
        yield vars(module).get, (name,), value
        if isinstance(value, types.ModuleType) and value not in seen and _users(value.__name__):
            yield from _attributes(value, names, (*seen, module))


def _of_function(f):
    if not _users(f.__globals__.get("__name__")):  # jit, grad and the like keep their function there
        if hasattr(f, "__wrapped__"):
            yield getattr, (f, "__wrapped__", None), f.__wrapped__
        return
    names = _names(f.__code__)
    variables = [(f.__globals__.get, (name,), f.__globals__[name]) for name in names & f.__globals__.keys()]
    for cell in f.__closure__ or ():
        try:
            variables.append((getattr, (cell, "cell_contents", None), cell.cell_contents))
        except ValueError:  # empty
            pass
    for place in variables:
        yield place
        if isinstance(place[2], types.ModuleType) and _users(place[2].__name__):
            yield from _attributes(place[2], names)
    yield from ((getattr, (f, name), getattr(f, name)) for name in ("__defaults__", "__kwdefaults__", "__wrapped__") if hasattr(f, name))


def _of_object(holder):
    d = getattr(holder, "__dict__", None)
    if isinstance(d, dict):
        yield from ((d.get, (key,), value) for key, value in list(d.items()) if key not in ("_adopted", "_rest"))  # which calls of a Module change
    for cls in _classes(type(holder)):
        slots = [d for d in vars(cls).values() if isinstance(d, types.MemberDescriptorType)]
        yield from ((_slot, (d, holder), _slot(d, holder)) for d in slots)
    yield type, (holder,), type(holder)


_parts = {types.MethodType: ("__func__", "__self__"), functools.partial: ("func", "args", "keywords"), staticmethod: ("__func__",), classmethod: ("__func__",),
          property: ("fget",)}


def _places(holder):
    """What can be reached from an object: (get, key, value), where get(*key) is the value for as long as nothing else is put there."""
    if isinstance(holder, types.FunctionType):
        return _of_function(holder)
    for kind, names in _parts.items():
        if isinstance(holder, kind):
            return ((getattr, (holder, name), getattr(holder, name)) for name in names)
    if isinstance(holder, dict):
        return ((holder.get, (key,), value) for key, value in list(holder.items()))
    if isinstance(holder, (list, tuple, collections.deque)):
        return ((_item, (holder, k), value) for k, value in enumerate(list(holder)))
    if isinstance(holder, type):
        return ((vars(cls).get, (key,), value) for cls in _classes(holder) for key, value in list(vars(cls).items()))
    return _of_object(holder)


def _item(sequence, k):
    return sequence[k] if k < len(sequence) else None


def _slot(descriptor, holder):
    try:
        return descriptor.__get__(holder)
    except AttributeError:  # empty
        return None


def _sized(holder):
    """What grows when something is put into an object in a place that was not there."""
    if isinstance(holder, _containers):
        return [holder]
    if isinstance(holder, types.FunctionType):  # its variables are places by themselves
        return []
    kept = [vars(cls) for cls in _classes(holder)] if isinstance(holder, type) else [getattr(holder, "__dict__", None)]
    return [d for d in kept if d is not None]


_containers = (dict, list, collections.deque)
_plain = (str, bytes, int, float, complex, type(None), types.BuiltinFunctionType, types.ModuleType)


def _is_constant(value):
    """Whether it is a constant of a recorded program, in whose place an array may come."""
    return value is None or isinstance(value, numbers.Number) or any(hasattr(type(value), name) for name in ("__dlpack__", "__array__"))


def _is_named(holder, key, names):
    """Whether a place is one of few, or one that code with these names can name."""
    if isinstance(key[0], types.MemberDescriptorType):
        return key[0].__name__ in names
    name = next((k for k in key if isinstance(k, str)), None)
    return name in names or name == "cell_contents" or (isinstance(holder, _containers) and len(holder) <= _FEW)


class _Ways:
    """The steps that lead from a function, and from objects among its arguments, to arrays that it uses, and the places of numbers that it may use."""

    def __init__(self, roots, arrays):
        wanted, visited, steps, holders, constants, names = {id(x) for x in arrays}, set(), {}, {}, [], set()
        queue = collections.deque((root, ()) for root in roots if not isinstance(root, _plain))
        while queue and len(visited) < (_MANY if wanted else _MANY // 10):  # for numbers alone, near ones
            holder, way = queue.popleft()
            if id(holder) in visited or len(way) > _DEEP:
                continue
            visited.add(id(holder))
            if isinstance(holder, types.FunctionType):
                names |= _names(holder.__code__)
            for place in _places(holder):
                value, step = place[2], way + ((holder, place),)
                if isinstance(value, Array):
                    if id(value) in wanted:
                        steps.update({id(p): p for _, p in step})
                        holders.update({id(at): at for at, _ in step})
                elif isinstance(value, _containers) and not value and isinstance(holder, types.FunctionType):
                    holders[id(value)] = value  # a variable: what comes into it is used at the next call
                elif _is_constant(value):
                    constants.append((holder, place))
                elif not isinstance(value, _plain):
                    queue.append((value, step))
        self._steps = list(steps.values())
        self._constants = [(get, key) for holder, (get, key, _) in constants if _is_named(holder, key, names)]
        self._sized = [s for holder in holders.values() for s in _sized(holder)]
        self._lengths = [*map(len, self._sized)]

    def changed(self):
        """Whether one of them leads elsewhere, something was added or taken away on the way, or a number has become an array."""
        for get, key, value in self._steps:
            if get(*key) is not value:
                return True
        for get, key in self._constants:
            if type(get(*key)) is Array:
                return True
        return [*map(len, self._sized)] != self._lengths if self._sized else False


_KEPT = 1024  # programs of a function: with numbers that change at every call, the oldest go


class _Varies(Exception):
    """The results of a function have another structure than in the calls before."""


class _Program:
    """A function recorded for one structure of its arguments and one set of constants."""

    def __init__(self, fn, shape, constants):
        self._fn, self._shape, self._constants = fn, shape, constants
        self._captured = self._result = None
        self.varies = False

    def _body(self, arrays):
        arrays = iter(arrays)
        args, kwargs = tree.unflatten(self._shape, [next(arrays) if c is Array else c for c in self._constants])
        leaves, result = tree.flatten(self._fn(*args, **kwargs))
        if not leaves:
            raise TypeError("jit: the function returned no array")
        if self._result is not None and self._result != result:
            self.varies = True
            raise _Varies
        self._result = result
        return [_result(x) for x in leaves]

    def _record(self, arrays):
        self._captured = self._result = None  # until it succeeds
        captured = _vinea.Captured(self._body)
        out = captured(arrays)
        self._captured = captured
        self._look()
        return out

    def _look(self):
        """Finds the arrays from outside again."""
        used = self._captured.used
        self._ways, self._known = _Ways((self._fn, *(c for c in self._constants if c is not Array)), used), len(used)

    def _changed(self):
        """Whether something that the function takes from outside is not what was recorded."""
        return self._captured.stale() or self._ways.changed()

    def __call__(self, arrays):
        if self._captured is None or self._changed():
            out = self._record(arrays)
        else:
            out = self._captured(arrays)
            if len(self._captured.used) != self._known:  # recorded again, for other shapes
                self._look()
        return tree.unflatten(self._result, out)


def _result(x):
    try:
        return asarray(x)
    except TypeError:
        raise TypeError(f"jit: a function returns arrays and trees of them, not {x!r}") from None


def _constant(c):
    """A key of a constant: numbers that are equal but not the same, such as 0.0 and -0.0, differ; NaNs do not."""
    if not isinstance(c, numbers.Number) or isinstance(c, numbers.Integral):
        return c
    return repr(c), c if c == c else None


def jit(fn):
    """Records fn once for each combination of shapes, dtypes and engine of its arrays, and then runs the recorded program. Arguments and
    results are trees; arrays of other libraries among the arguments become Vinea's. What is not an array is a constant of the program and must be hashable;
    the programs of the last 1024 combinations of constants are kept, so numbers that change at every call are better given as arrays. Arrays and modules that fn takes from outside
    may change: then it is recorded again, as where a number becomes an array. Numbers from outside are constants. fn must not need values, and
    random numbers inside need a key, which is an argument."""
    if not callable(fn):
        raise TypeError(f"jit: a function is needed, not {fn!r}")
    programs = collections.OrderedDict()

    def program_at(key, shape, constants):
        program = programs.get(key)
        if program is None:
            program = programs[key] = _Program(fn, shape, constants)
            if len(programs) > _KEPT:
                programs.popitem(last=False)
        return program

    def call(program, key, arrays):
        try:
            return program(arrays)
        finally:
            if program._captured is None:  # it failed, and keeps nothing
                programs.pop(key, None)

    @functools.wraps(fn)
    def run(*args, **kwargs):
        leaves, shape = tree.flatten((args, kwargs))
        arrays = [x for x in leaves if type(x) is Array]
        if len(arrays) < len(leaves):  # arrays of other libraries, too: their values may change
            leaves = [asarray(x) if hasattr(type(x), "__dlpack__") else x for x in leaves]
            arrays = [x for x in leaves if type(x) is Array]
        constants = [Array if type(x) is Array else x for x in leaves] if len(arrays) < len(leaves) else [Array] * len(leaves)
        key = (shape, *map(_constant, constants), *map(type, constants)) if len(arrays) < len(leaves) else shape
        if not arrays:  # nothing else says where it computes
            key = key, _vinea.using()
        try:
            program = program_at(key, shape, constants)
        except TypeError as why:
            raise TypeError(f"jit: an argument that is no array is a constant of the program and must be hashable: {why}") from None
        if not program.varies:
            try:
                return call(program, key, arrays)
            except _Varies:
                pass
        key = key, *((x.shape, x.dtype, x.engine) for x in arrays)  # each combination of these has a program of its own
        try:
            return call(program_at(key, shape, constants), key, arrays)
        except _Varies:  # by something else: it is recorded again
            programs.pop(key, None)
            return call(program_at(key, shape, constants), key, arrays)

    return run
