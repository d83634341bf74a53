# Written by python/tools/stubs.py (make stubs); the tests compare.
import builtins
from typing import Any, Callable, Sequence
from . import Array, ArrayLike, DTypeLike, EigResult, EighResult, QRResult, SVDResult, slogdet_result

def cholesky(x: ArrayLike, upper: builtins.bool = ...) -> Array:
    """The lower triangular l with l l^H = x, or its adjoint when upper; only x's lower triangle is read and gets a gradient; NaN for a matrix that is not positive definite.
    upper: the upper factor"""
def cross(x: ArrayLike, y: ArrayLike, axis: int = ...) -> Array:
    """The cross product of vectors of 3 elements along an axis of the result; the other axes broadcast."""
def det(x: ArrayLike) -> Array:
    """Determinants; 0 for singular matrices, where the gradient is NaN."""
def diagonal(x: ArrayLike, offset: int = ...) -> Array:
    """Diagonal number offset of the last two axes, as the last axis."""
def eig(x: ArrayLike, /) -> EigResult:
    """Eigenvalues and eigenvectors, as columns, of square matrices, complex for real matrices too; ascending by real part, then by imaginary part; vectors have length 1, and the first component of largest magnitude is positive; NaN if an element is not finite; the gradient needs distinct eigenvalues.
    Returns eigenvalues, eigenvectors."""
def eigh(x: ArrayLike, /) -> EighResult:
    """Eigenvalues, ascending, and orthonormal eigenvectors, as columns, of symmetric or Hermitian matrices, of which the lower triangle is read and gets the gradient; in each vector the first component of largest magnitude is positive; NaN if an element is not finite.
    Returns values, vectors."""
def eigvals(x: ArrayLike) -> Array:
    """Eigenvalues of square matrices, complex for real matrices too; ascending by real part, then by imaginary part."""
def eigvalsh(x: ArrayLike) -> Array:
    """Eigenvalues of symmetric or Hermitian matrices, ascending; only the lower triangle is read."""
def einsum(xs: Any, /, *more: Any, equation: Any | None = ...) -> Array:
    """Sums of products: einsum([x, y], "ij,jk->ik"), or as in NumPy einsum("ij,jk->ik", x, y)."""
def inv(x: ArrayLike) -> Array:
    """The inverse of matrices; inf or NaN for singular ones."""
def kron(x: ArrayLike, y: ArrayLike) -> Array:
    """The Kronecker product: y times each element of x, axis by axis; the lower rank has ones before it."""
def lstsq(a: Any, b: Any, rcond: Any | None = ..., *, rtol: Any | None = ...) -> Array:
    """The x of smallest length for which a x is nearest to b, a vector or matrices; the sums of squares of b - a x; the rank of a; its singular
    values, of which those up to rtol times the largest count as 0. NumPy calls it rcond; below 0 that is the dtype's epsilon."""
def matmul(x: ArrayLike, y: ArrayLike) -> Array:
    """Matrix product over the last two axes, batch axes broadcast; vectors as in the Array API standard."""
def matrix_norm(x: ArrayLike, /, *, keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
    """Norms of matrices: fro (Frobenius), nuc (sum of singular values), 1 and -1 (largest and smallest sum of a column's absolute values), inf and -inf (of a row's), 2 and -2 (largest and smallest singular value); of empty matrices 0, or inf for the negative ones.
    order: which norm (fro, nuc, 1, -1, inf, -inf, 2, -2)
    keepdims: the last two axes stay, with size 1"""
def matrix_power(x: ArrayLike, n: int) -> Array:
    """x multiplied n times by itself; of the inverse where n is negative, the identity where it is 0."""
def matrix_rank(x: ArrayLike, /, *, rtol: Any | None = ...) -> Array:
    """How many singular values are above rtol, a number or one for each matrix, times the largest (the larger size times the dtype's epsilon unless given)."""
def matrix_transpose(x: ArrayLike) -> Array:
    """x with its last two axes exchanged."""
def outer(x: ArrayLike, y: ArrayLike) -> Array:
    """All products of an element of the vector x and one of the vector y."""
def pinv(x: ArrayLike, /, rtol: Any | None = ...) -> Array:
    """The pseudoinverse; singular values up to rtol, a number or one for each matrix, times the largest count as 0 (the larger size times the dtype's epsilon unless given); the gradient needs distinct singular values."""
def qr(x: ArrayLike, /, mode: Any = ...) -> QRResult:
    """x = q r, q with orthonormal columns (m, k), r upper triangular (k, n) with no negative number on its diagonal; k is the smaller of m and n, or m when complete, which has a gradient only for m <= n.
        complete: q is square
    Returns q, r."""
def slogdet(x: ArrayLike) -> slogdet_result:
    """Sign (of absolute value 1, if complex) and logarithm of the absolute value of determinants; 0 and -inf for singular matrices.
    Returns sign, logabsdet."""
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """x with a x = b, b a vector or matrices, batch axes broadcast; inf or NaN where a is singular."""
def solve_triangular(a: ArrayLike, b: ArrayLike, upper: builtins.bool = ..., transpose: builtins.bool = ..., unit: builtins.bool = ...) -> Array:
    """x with a x = b (a^T x = b when transpose), a one triangle of which is read, without its diagonal of ones when unit; batch axes broadcast; a zero on the diagonal gives inf or NaN.
    upper: a is an upper triangle
    transpose: solve with a transposed
    unit: the diagonal counts as ones and is not read"""
def svd(x: ArrayLike, /, full_matrices: Any = ...) -> SVDResult:
    """x = u diag(s) vh with orthonormal columns of u (m, k) and rows of vh (k, n), s descending, k the smaller of m and n; in each vector of the square factor (vh if m >= n) the first component of largest magnitude is positive; NaN if an element is not finite.
        full_matrices: u and vh are square: vectors that complete a basis follow; the longer of both has no gradient then
    Returns u, s, vh."""
def svdvals(x: ArrayLike) -> Array:
    """Singular values, descending."""
def tensordot(x1: ArrayLike, x2: ArrayLike, /, axes: Any = ...) -> Array:
    """Sum of products over x_axes of x and y_axes of y, pair by pair; the other axes of x, then those of y remain."""
def trace(x: ArrayLike, /, offset: Any = ..., dtype: DTypeLike | None = ...) -> Array:
    """The sum of diagonal number offset of the last two axes; small integers sum to int64 or uint64."""
def vecdot(x1: ArrayLike, x2: ArrayLike, /, axis: int | Sequence[int] | None = ...) -> Array:
    """Sum of products along an axis, of conjugates of x if it is complex; other axes broadcast; where ranks differ the axis counts from the end."""
def vector_norm(x: ArrayLike, /, *, axis: int | Sequence[int] | None = ..., keepdims: builtins.bool = ..., ord: Any = ...) -> Array:
    """The norm of the vectors over axes, sum(|x|^order)^(1/order), without overflow; order 0 counts what is not 0, inf and -inf are the extremes; of no elements 0, or inf for a negative order; its derivative at 0 is 0."""
