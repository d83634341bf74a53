"""Trees: nested dicts, lists, tuples and dataclasses with arrays as their leaves.

    leaves, structure = vn.tree.flatten({"w": w, "layers": [a, b]})
    vn.tree.unflatten(structure, [2 * x for x in leaves])
    vn.tree.map(lambda x: 2 * x, params)
"""
import dataclasses
import operator

from ._vinea import Array

__all__ = ["Structure", "flatten", "leaves", "map", "structure", "unflatten"]


class _Leaf:
    """The kind of a leaf."""


class Structure(tuple):
    """What is left of a tree without its leaves. Structures can be compared, hashed and pickled if the keys of their dicts can."""

    kind, keys, children = (property(operator.itemgetter(k)) for k in range(3))
    factory = property(operator.itemgetter(3))  # of a defaultdict
    derived = False  # a dataclass that has attributes besides its fields, which __post_init__ makes

    def __repr__(self):
        if self.kind is _Leaf:
            return "*"
        names = [f"{k}: " for k in self.keys] or [""] * len(self.children)
        return f"{getattr(self.kind, '__name__', self.kind)}({', '.join(n + repr(c) for n, c in zip(names, self.children))})"


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
    kind, factory, derived = type(node), None, False
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
        derived = not isinstance(node, (dict, list, tuple)) and len(getattr(node, "__dict__", ())) > len(keys)
    if id(node) in around:
        raise ValueError("tree: a container contains itself")
    children = tuple([_walk(child, leaves, (*around, id(node))) for child in parts]) if parts else ()
    structure = Structure((kind, keys, children, factory))
    if derived:
        structure.derived = True
    return structure


def _dataclass(s, values):
    """A dataclass with these fields. Its __init__, which may check them or take others, is called only where it makes more than the fields."""
    given = {f.name: values[f.name] for f in dataclasses.fields(s.kind) if f.init and f.name in values}
    node = s.kind(**given) if s.derived else s.kind.__new__(s.kind)
    for name, value in values.items():
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
            return s.kind(zip(s.keys, children)) if s.factory is None else s.kind(s.factory, zip(s.keys, children))
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


def __dir__():
    return list(__all__)
