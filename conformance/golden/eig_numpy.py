#!/usr/bin/env python3
"""Prints conformance/cases/eig.case: eigenvalues of general matrices and least squares, from numpy.

Run by hand: python3 conformance/golden/eig_numpy.py > conformance/cases/eig.case
"""
import numpy as np
from complex_linalg_numpy import both, case, phases, title

rng = np.random.default_rng(29)


def some(*shape):
    return rng.integers(-12, 13, shape) / 4


def complex_some(*shape):
    return some(*shape) + 1j * some(*shape)


def eig_of(x):
    """In ascending order, with vectors of length 1 whose main component is positive."""
    values, vectors = np.linalg.eig(x.astype(complex))
    if not np.iscomplexobj(x):
        values, vectors = np.linalg.eig(x)
    order = np.lexsort((values.imag, values.real))
    values, vectors = np.take_along_axis(values, order, -1), np.take_along_axis(vectors, order[..., None, :], -1)
    return values.astype(complex), (vectors * phases(vectors, -2)).astype(complex)


def eigenvalues():
    title("eig, eigvals: complex numbers, also of real matrices")
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])
    for x in (some(3, 3), turn, some(2, 2, 2), some(4, 4), complex_some(3, 3), complex_some(2, 2, 2), complex_some(4, 4), np.triu(some(3, 3) + np.diag([1, 5, 9]))):
        values, vectors = eig_of(x)
        both("eigvals", [x], values)
        both("eig", [x], values)
        both("eig.1", [x], vectors)
    print("eig f64[[-3]] = c128[-3]\neig.1 f32[[-3]] = c64[[1]]\neigvals c128[[2j]] = c128[2j]\neigvals f16[[2]] = c64[2]\neig.1 bf16[[2]] = c64[[1]]")
    print("eigvals f32(0,0)[] = c64(0)[]\neig.1 f64(2,0,0)[] = c128(2,0,0)[]\neigvals c64(0,2,2)[] = c64(0,2)[]")
    print("eigvals [[nan 0] [0 1]] = c64[nan+nanj nan+nanj]\neig c128[[1 0] [infj 1]] = c128[nan+nanj nan+nanj]\neig.1 f64[[-inf]] = c128[[nan+nanj]]")
    print("eigvals f64(2,2,2)[inf 0 0 1 2 0 0 3] = c128(2,2)[nan+nanj nan+nanj 2 3]")
    for dtype, result in (("f32", "c64"), ("f64", "c128"), ("c64", "c64"), ("c128", "c128")):  # of matrices with one order and one vector
        print(f"eig_unordered {dtype}(3,1,1)[2 -0.5 7] = {result}(3,1)[2 -0.5 7]\neig_unordered.1 {dtype}(2,1,1)[2 -0.5] = {result}(2,1,1)[1 1]")
    print("eig_unordered f32(2,0,0)[] = c64(2,0)[]\neig_unordered [1 2] ! VN_E_SHAPE\neig_unordered f16[[1]] ! VN_E_DTYPE")
    for op in ("eig", "eigvals"):
        print(f"{op} [1 2] ! VN_E_SHAPE\n{op} [[1 2 3] [4 5 6]] ! VN_E_SHAPE\n{op} i32[[1]] ! VN_E_DTYPE\n{op} null ! VN_E_NULL")


def lstsq_of(a, b):
    x, _, rank, s = np.linalg.lstsq(a, b)
    return x, np.sum(np.abs(b - a @ x) ** 2, 0), rank, s


def least_squares():
    title("lstsq")
    low = some(4, 2) @ some(2, 3)
    for make, a, b in ((some, some(4, 2), some(4, 2)), (some, some(2, 4), some(2, 3)), (some, some(3, 3), some(3)), (some, some(5, 3), some(5)),
                       (complex_some, complex_some(4, 2), complex_some(4, 2)), (complex_some, complex_some(2, 3), complex_some(2)), (complex_some, complex_some(3, 2), some(3, 1))):
        x, squares, rank, s = lstsq_of(a, b)
        both("lstsq", [a, b], x)
        both("lstsq.1", [a, b], squares)
        case("lstsq.2", [a, b], np.int64(rank))
        both("lstsq.3", [a, b], s)
    a, b = some(2, 3, 2), some(2, 3, 2)
    parts = [lstsq_of(m, n) for m, n in zip(a, b)]
    for k in range(2):
        case(f"lstsq.{k}" if k else "lstsq", [a, b], np.stack([p[k] for p in parts]))
    shared = some(3, 1)
    case("lstsq", [a, shared], np.stack([lstsq_of(m, shared)[0] for m in a]))
    case("lstsq", [a, shared[:, 0]], np.stack([lstsq_of(m, shared[:, 0])[0] for m in a]))
    cut = np.diag([4.0, 1.0, 0.5])
    case("lstsq", [cut, np.array([4.0, 1.0, 1.0]), np.array(0.2)], np.array([1.0, 1.0, 0.0]))
    case("lstsq.2", [cut, np.array([4.0, 1.0, 1.0]), np.array(0.2)], np.int64(2))
    case("lstsq.2", [low, some(4, 1)], np.int64(2))
    print("lstsq f32(0,2)[] f32(0,3)[] = f32(2,3)[0 0 0 0 0 0]\nlstsq.1 f32(2,0)[] [3 4] = f32{25}\nlstsq.2 f64(0,2,2)[] f64(2)[1 2] = i64(0)[]\nlstsq f16[[2]] f16[4] = f16[2]")
    print("lstsq [[nan]] [1] = [nan]\nlstsq [1 2] [1 2] ! VN_E_SHAPE\nlstsq [[1 2]] [1 2] ! VN_E_SHAPE \"b has 2 elements, 1 are needed\"\nlstsq [[1] [2]] [[1]] ! VN_E_SHAPE\nlstsq i32[[1]] i32[1] ! VN_E_DTYPE")
    print("lstsq [[1]] [1] c64{1} ! VN_E_DTYPE\nlstsq [[1]] [1] [1 2] ! VN_E_SHAPE\nlstsq [[1]] null ! VN_E_NULL")


print("# Eigenvalues of general matrices, least squares. Printed by eig_numpy.py.")
eigenvalues()
least_squares()
