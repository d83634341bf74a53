# SPDX-License-Identifier: Apache-2.0
"""Tensor decompositions.

    parts = vn.tensors.tucker(x, (3, 3, 2))
    parts["core"], parts["factors"]        # x is about the core multiplied by factors[k] along axis k
"""
from . import _namespace, _vinea
from ._vinea import asarray

__all__ = ["cp", "random_cp", "random_parafac2", "random_tr", "random_tt", "random_tucker", "tensor_train", "tt_matrix_to_tensor", "tucker"]


def _listed(parts):
    """Numbered parts as lists."""
    if not isinstance(parts, dict):
        return parts
    items = [_listed(x) for x in parts.values()]
    return items if list(parts) == [str(k) for k in range(len(parts))] else dict(zip(parts, items))


def tucker(x, ranks, /, *, iterations=100, tolerance=1e-4, modes=()):
    """x as a core multiplied by a matrix with orthogonal columns along each axis: {"core": array, "factors": [(n, rank), ...]}. ranks: one for each axis, or one for all; modes: the axes that get
    a factor, all unless given; iterations=0: the start, by singular vectors of x along each axis."""
    return _listed(_vinea.tucker(asarray(x), ranks, iterations, tolerance, modes))


def cp(x, rank, /, *, iterations=100, tolerance=1e-8):
    """x as a sum of `rank` products of vectors, one for each axis (CP, PARAFAC): {"weights": (rank), "factors": [(n, rank), ...]} with columns of length 1."""
    return _listed(_vinea.cp(asarray(x), rank, iterations, tolerance))


def tensor_train(x, ranks, /):
    """x (n, n', ...) as a product of cores [(1, n, r), (r, n', r') ... (r, n, 1)] with at most these ranks, or one for all."""
    return _listed(_vinea.tensor_train(asarray(x), ranks))


def tt_matrix_to_tensor(cores, /):
    """A matrix as a train of cores (r, m, n, r'): the array (m, m', ..., n, n', ...)."""
    return _vinea.tt_matrix_to_tensor([asarray(c) for c in cores])


def _factors(name, shape, ranks, dtype, key, columns=0, orthogonal=False, normalize=False):
    return _listed(_vinea.random_factors(name, key, shape, ranks, columns, dtype or "float32", orthogonal, normalize))


def random_cp(shape, rank, /, *, dtype=None, orthogonal=False, normalize=False, key=None):
    """Random factors of an array of this shape, uniform in [0, 1), as cp has them; orthogonal columns, or columns of length 1 (normalize)."""
    return _factors("cp", shape, rank, dtype, key, orthogonal=orthogonal, normalize=normalize)


def random_tucker(shape, ranks, /, *, dtype=None, orthogonal=False, key=None):
    """Random factors of an array of this shape, uniform in [0, 1), as tucker has them; orthogonal columns."""
    return _factors("tucker", shape, ranks, dtype, key, orthogonal=orthogonal)


def random_tt(shape, ranks, /, *, dtype=None, key=None):
    """Random cores of an array of this shape, uniform in [0, 1), as tensor_train has them."""
    return _factors("tt", shape, ranks, dtype, key)


def random_tr(shape, ranks, /, *, dtype=None, key=None):
    """Random cores of a ring; the ranks begin with that where it is closed."""
    return _factors("tr", shape, ranks, dtype, key)


def random_parafac2(rows, columns, rank, /, *, dtype=None, key=None):
    """Random factors of matrices (rows[k], columns): {"weights", "factors": [(matrices, rank), (rank, rank), (columns, rank)], "projections": [(rows[0], rank), ...]}."""
    return _factors("parafac2", rows, rank, dtype, key, columns=columns)


__getattr__ = _namespace.missing(__name__, __all__)


def __dir__():
    return list(__all__)
