# Written by python/tools/stubs.py (make stubs); the tests compare.
from typing import Any, Sequence
from . import Array, ArrayLike, DTypeLike

def cp(x: ArrayLike, rank: Any, /, *, iterations: Any = ..., tolerance: Any = ...) -> Any:
    """x as a sum of `rank` products of vectors, one for each axis (CP, PARAFAC): {"weights": (rank), "factors": [(n, rank), ...]} with columns of length 1."""
def random_cp(shape: int | Sequence[int], rank: Any, /, *, dtype: DTypeLike | None = ..., orthogonal: Any = ..., normalize: Any = ..., key: Any | None = ...) -> Any:
    """Random factors of an array of this shape, uniform in [0, 1), as cp has them; orthogonal columns, or columns of length 1 (normalize)."""
def random_parafac2(rows: Any, columns: Any, rank: Any, /, *, dtype: DTypeLike | None = ..., key: Any | None = ...) -> Any:
    """Random factors of matrices (rows[k], columns): {"weights", "factors": [(matrices, rank), (rank, rank), (columns, rank)], "projections": [(rows[0], rank), ...]}."""
def random_tr(shape: int | Sequence[int], ranks: Any, /, *, dtype: DTypeLike | None = ..., key: Any | None = ...) -> Any:
    """Random cores of a ring; the ranks begin with that where it is closed."""
def random_tt(shape: int | Sequence[int], ranks: Any, /, *, dtype: DTypeLike | None = ..., key: Any | None = ...) -> Any:
    """Random cores of an array of this shape, uniform in [0, 1), as tensor_train has them."""
def random_tucker(shape: int | Sequence[int], ranks: Any, /, *, dtype: DTypeLike | None = ..., orthogonal: Any = ..., key: Any | None = ...) -> Any:
    """Random factors of an array of this shape, uniform in [0, 1), as tucker has them; orthogonal columns."""
def tensor_train(x: ArrayLike, ranks: Any, /) -> Any:
    """x (n, n', ...) as a product of cores [(1, n, r), (r, n', r') ... (r, n, 1)] with at most these ranks, or one for all."""
def tt_matrix_to_tensor(cores: Any, /) -> Array:
    """A matrix as a train of cores (r, m, n, r'): the array (m, m', ..., n, n', ...)."""
def tucker(x: ArrayLike, ranks: Any, /, *, iterations: Any = ..., tolerance: Any = ..., modes: Any = ...) -> Any:
    """x as a core multiplied by a matrix with orthogonal columns along each axis: {"core": array, "factors": [(n, rank), ...]}. ranks: one for each axis, or one for all; modes: the axes that get
    a factor, all unless given; iterations=0: the start, by singular vectors of x along each axis."""
