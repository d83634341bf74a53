# SPDX-License-Identifier: Apache-2.0
"""Trees: nested dicts, lists, tuples and dataclasses with arrays as their leaves.

    leaves, structure = vn.tree.flatten({"w": w, "layers": [a, b]})
    vn.tree.unflatten(structure, [2 * x for x in leaves])
    vn.tree.map(lambda x: 2 * x, params)
"""
import dataclasses
import functools
import inspect
import operator

from . import _trees
from ._vinea import Array

__all__ = ["Structure", "flatten", "leaves", "map", "structure", "unflatten", *(f.__name__ for f in _trees.TREE)]


class _Leaf:
    """The kind of a leaf."""


class Structure(tuple):
    """What is left of a tree without its leaves. Structures can be compared, hashed and pickled if the keys of their dicts can."""

    kind, keys, children = (property(operator.itemgetter(k)) for k in range(3))
    factory = property(operator.itemgetter(3))  # of a defaultdict
    derived = False  # a dataclass that has attributes besides its fields, which __post_init__ makes
    state = {}  # attributes that a container has besides its children

    def __repr__(self):
        if self.kind is _Leaf:
            return "*"
        names = [f"{k}: " for k in self.keys] or [""] * len(self.children)
        return f"{getattr(self.kind, '__name__', self.kind)}({', '.join(n + repr(c) for n, c in zip(names, self.children))})"


class _Stateful(Structure):
    """One of a container with attributes of its own. Structures with other attributes differ: a captured function may compute with them."""

    def __eq__(self, other):
        mine, theirs = self.state, getattr(other, "state", None)
        return tuple.__eq__(self, other) is True and mine.keys() == theirs.keys() and all(_same(v, theirs[name]) for name, v in mine.items())

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


def _same(a, b):
    """Whether attributes are equal; arrays only if they are one."""
    try:
        return a is b or (not isinstance(a, Array) and bool(a == b))
    except (TypeError, ValueError):
        return False


_leaf = Structure((_Leaf, (), (), None))
_none = Structure((None, (), (), None))


def _open(tree):
    """The keys and children of a node; None for a leaf."""
    if isinstance(tree, dict):
        return tuple(tree), list(tree.values())
    if isinstance(tree, (list, tuple)):
        return (), list(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = tuple(f.name for f in dataclasses.fields(tree) if hasattr(tree, f.name))
        return names, [getattr(tree, n) for n in names]
    return None


def flatten(tree):
    """The leaves of a tree in order, and its structure. None is an empty tree, everything else that is no container is a leaf."""
    leaves = []
    return leaves, _walk(tree, leaves, ())


def _walk(node, leaves, around):
    kind, factory, derived, state = type(node), None, False, None
    if kind is Array:  # the usual cases first
        leaves.append(node)
        return _leaf
    if kind is tuple or kind is list:
        keys, parts = (), node
    elif kind is dict:
        keys, parts = tuple(node), node.values()
    elif node is None:
        return _none
    else:
        opened = _open(node)
        if opened is None:
            leaves.append(node)
            return _leaf
        keys, parts = opened
        factory = getattr(node, "default_factory", None) if isinstance(node, dict) else None
        state = None if isinstance(node, (list, tuple)) else _state(node, keys)
        if state and not isinstance(node, dict) and not _takes_more(kind):
            derived = True
            state = {name: value for name, value in state.items() if not any(isinstance(x, Array) for x in flatten(value)[0])}  # __init__ makes those of arrays
    if id(node) in around:
        raise ValueError("tree: a container contains itself")
    children = tuple([_walk(child, leaves, (*around, id(node))) for child in parts]) if parts else ()
    structure = (_Stateful if state else Structure)((kind, keys, children, factory))
    if derived:
        structure.derived = True
    if state:
        structure.state = state
    return structure


def _state(node, keys):
    """The attributes of a dict or dataclass, in __dict__ and in slots, that are not its children."""
    state = object.__getstate__(node)
    parts = state if isinstance(state, tuple) else (state,)
    fields = () if isinstance(node, dict) else keys
    return {name: value for part in parts if part for name, value in part.items() if name not in fields}


@functools.lru_cache
def _takes_more(kind):
    """Whether the __init__ of a dataclass takes more than its fields: InitVars."""
    return not {*inspect.signature(kind).parameters} <= {f.name for f in dataclasses.fields(kind)}


def _new(kind):
    try:
        return kind.__new__(kind)
    except TypeError as why:
        raise TypeError(f"tree: a {kind.__name__} cannot be made again with other leaves: {why}") from None


def _dict(s, items):
    """A dict of a class of one's own, whose __init__ may take anything and is not called."""
    node = _new(s.kind)
    if s.factory is not None:
        node.default_factory = s.factory
    for name, value in s.state.items():
        object.__setattr__(node, name, value)
    for key, value in items:
        node[key] = value
    return node


def _dataclass(s, values):
    """A dataclass with these fields. Its __init__, which may check them or take others, is called only where it makes more than the fields; attributes
    that are no arrays stay what they were."""
    given = {f.name: values[f.name] for f in dataclasses.fields(s.kind) if f.init and f.name in values}
    node = s.kind(**given) if s.derived else _new(s.kind)
    for name, value in (*s.state.items(), *values.items()):
        object.__setattr__(node, name, value)  # also where it is frozen
    return node


def unflatten(structure, leaves):
    """The tree of that structure with these leaves."""
    if not isinstance(structure, Structure):
        raise TypeError(f"tree.unflatten: a structure that flatten returned is needed, not {structure!r}")
    if structure is _leaf and len(leaves) == 1:
        return leaves[0]
    rest = iter(leaves)

    def build(s):
        if s.kind is _Leaf:
            return next(rest)
        if s.kind is None:
            return None
        children = [build(child) for child in s.children]
        if issubclass(s.kind, dict):
            return dict(zip(s.keys, children)) if s.kind is dict else _dict(s, zip(s.keys, children))
        if issubclass(s.kind, tuple) and hasattr(s.kind, "_fields"):
            return s.kind(*children)
        if issubclass(s.kind, (list, tuple)):
            return s.kind(children)
        return _dataclass(s, dict(zip(s.keys, children)))

    try:
        tree = build(structure)
    except StopIteration:
        raise ValueError("tree: fewer leaves than the structure has") from None
    if next(rest, _leaf) is not _leaf:
        raise ValueError("tree: more leaves than the structure has")
    return tree


def reordered(leaves, have, want):
    """The leaves of a tree of one structure in the order of another, whose dicts may have the same keys in another order; None if they differ otherwise."""
    rest = iter(leaves)

    def walk(h, w):
        if (h.kind, h.factory, len(h.children)) != (w.kind, w.factory, len(w.children)) or {*h.keys} != {*w.keys}:
            raise LookupError
        if h.kind is _Leaf:
            return [next(rest)]
        places = dict(zip(w.keys or range(len(w.children)), w.children))
        found = {key: walk(child, places[key]) for key, child in zip(h.keys or range(len(h.children)), h.children)}
        return [leaf for key in places for leaf in found[key]]

    if have == want:
        return leaves
    try:
        return walk(have, want)
    except LookupError:
        return None


def leaves(tree):
    """The leaves of a tree, in order."""
    return flatten(tree)[0]


def structure(tree):
    """The structure of a tree."""
    return flatten(tree)[1]


def map(f, tree, *others):
    """f of each leaf, and of the leaves at the same places of other trees of the same structure; dicts may have their keys in another order."""
    first, shape = flatten(tree)
    rest = []
    for other in others:
        more, other_shape = flatten(other)
        rest.append(reordered(more, other_shape, shape))
        if rest[-1] is None:
            raise ValueError(f"tree.map: the trees have the structures {shape} and {other_shape}")
    return unflatten(shape, [f(*xs) for xs in zip(first, *rest)])


for _f in _trees.TREE:  # arithmetic: norm, vdot, add_scale ...
    _f.__module__ = __name__
    globals()[_f.__name__] = _f


def __dir__():
    return list(__all__)
