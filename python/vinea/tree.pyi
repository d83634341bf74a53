# Written by python/tools/stubs.py (make stubs); the tests compare.
from typing import Any

class Structure(tuple[Any, ...]):
    """What is left of a tree without its leaves. Structures can be compared, hashed and pickled if the keys of their dicts can."""
def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree in order, and its structure. None is an empty tree, everything else that is no container is a leaf."""
def leaves(tree: Any) -> list[Any]:
    """The leaves of a tree, in order."""
def map(f: Any, tree: Any, *others: Any) -> Any:
    """f of each leaf, and of the leaves at the same places of other trees of the same structure; dicts may have their keys in another order."""
def structure(tree: Any) -> Structure:
    """The structure of a tree."""
def unflatten(structure: Any, leaves: Any) -> Any:
    """The tree of that structure with these leaves."""
