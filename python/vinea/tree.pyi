# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any
from . import Array

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
def norm(t: Any, /) -> Array:
    """The norm of all arrays of a tree together, computed without overflow."""
def sum(t: Any, /) -> Array:
    """The sum of all elements of a tree."""
def max(t: Any, /) -> Array:
    """The largest element of a tree."""
def min(t: Any, /) -> Array:
    """The smallest element of a tree."""
def vdot(a: Any, b: Any, /) -> Array:
    """The sum of products of two trees of one structure, with a conjugated."""
def allclose(a: Any, b: Any, /, *, rtol: Any = ..., atol: Any = ..., equal_nan: Any = ...) -> Array:
    """Whether all elements of two trees of one structure are close, as vn.allclose has it."""
def cast_like(t: Any, like: Any, /) -> Any:
    """A tree in the dtypes of another."""
def reshape_like(t: Any, like: Any, /) -> Any:
    """A tree in the shapes of another, which hold as many elements."""
def add_scale(a: Any, by: Any, b: Any, /) -> Any:
    """a + by b, where by is a number."""
def split_key_like(t: Any, /, *, key: Any | None = ...) -> Any:
    """A random key for each array of a tree."""
def random_like(t: Any, /, *, key: Any | None = ...) -> Any:
    """Standard normal numbers of the shapes and dtypes of a tree."""
def update_moment(g: Any, m: Any, decay: Any, order: Any, /) -> Any:
    """decay m + (1 - decay) g^order."""
def update_moment_per_elem_norm(g: Any, m: Any, decay: Any, order: Any, /) -> Any:
    """decay m + (1 - decay) |g|^order."""
def update_infinity_moment(g: Any, m: Any, decay: Any, epsilon: Any, /) -> Any:
    """The larger of |g| + epsilon and decay m."""
def bias_correction(m: Any, decay: Any, count: Any, /) -> Any:
    """m / (1 - decay^count)."""
def incremental_update(new: Any, old: Any, step: Any, /) -> Any:
    """step new + (1 - step) old, for target networks."""
def periodic_update(new: Any, old: Any, steps: Any, period: Any, /) -> Any:
    """The new tree in every period-th step, the old one in the others."""
