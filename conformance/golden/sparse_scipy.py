#!/usr/bin/env python3
"""Writes conformance/cases/sparse.case: sparse matrices by SciPy.

Run by hand, with numpy and scipy: python3 conformance/golden/sparse_scipy.py [folder], default conformance/cases.
"""
import numpy as np
from scipy import sparse

import lines
from lines import fails, line, save, title, waves

lines.TOLERANCE.update({"f32": "2e-6", "f64": "1e-12", "f16": "4e-3"})

dense = np.where(waves(1, 4, 5) > 0.35, waves(2, 4, 5), 0)
coo = sparse.coo_matrix(dense)
at = np.stack([coo.row, coo.col], 1)
n = len(at)

title("from dense and back")
for count in -1, n, n + 2, 3:
    want = np.concatenate([at, np.full((2, 2), -1)])[: n if count < 0 else count]
    line("coo_indices", [("f64", np.where(dense == 0, 0, np.inf))], f"count={count}", "i64", want)
line("coo_indices", ["bool[1 0 1]"], "count=2", "i64", np.array([[0], [2]]))
line("coo_indices", ["f32(2,0)[]"], "", "i64", np.zeros((0, 2)))
line("coo_values", [("f64", dense + 2), ("i64", at)], "", "f64", coo.data + 2)
line("coo_values", ["i32[[1 2] [3 4]]", "i8[[1 0] [-1 -1] [0 1] [0 2]]"], "", "i32", np.array([3, 0, 2, 0]))
line("coo_values", ["f32(0,2)[]", "i64[[0 0]]"], "", "f32", np.zeros(1))
line("coo_to_dense", [("i64", at), ("f64", coo.data)], "shape=4,5", "f64", coo.toarray())
line("coo_to_dense", [("i32", at), ("f16", np.float16(coo.data))], "shape=4,5", "f16", coo.toarray())
twice = sparse.coo_matrix(([1.5, 2, 4], ([0, 1, 0], [1, 0, 1])), (2, 2))
line("coo_to_dense", ["i64[[0 1] [1 0] [0 1]]", "[1.5 2 4]"], "shape=2,2", "f32", twice.toarray())
line("coo_to_dense", ["i64[[0 1] [1 0] [2 1] [-1 -1]]", "i8[1 2 3 4]"], "shape=2,2", "i8", np.array([[0, 1], [2, 0]]))
line("coo_to_dense", ["i64(0,3)[]", "f32(0)[]"], "shape=1,2,1", "f32", np.zeros((1, 2, 1)))
fails("coo_indices f32{1} ! VN_E_SHAPE", "coo_indices [1] count=-2 ! VN_E_ARG", "coo_values [1 2] i64[[0 0]] ! VN_E_SHAPE \"(n, 1) is needed\"", "coo_values [1] [[0]] ! VN_E_DTYPE",
      "coo_to_dense i64[[0 0]] [1] shape=3 ! VN_E_SHAPE \"(n, 1)\"", "coo_to_dense i64[[0]] [1 2] shape=3 ! VN_E_SHAPE \"one for each\"", "coo_to_dense i64[0] [1] shape=3 ! VN_E_SHAPE",
      "coo_to_dense [[0]] [1] shape=3 ! VN_E_DTYPE")

title("products")
y = waves(3, 5, 3)
line("coo_matmul", [("i64", at), ("f64", coo.data), ("f64", y)], "rows=4", "f64", coo @ y)
line("coo_matmul", [("i32", at), ("f32", coo.data), ("f32", y[:, 0])], "rows=4", "f32", coo @ y[:, 0])
line("coo_matmul", ["i64[[0 1] [2 0] [0 9] [-1 -1]]", "i32[2 3 4 5]", "i32[10 20]"], "rows=3", "i32", np.array([40, 0, 30]))
line("coo_matmul", ["i64(0,2)[]", "f32(0)[]", "f32[[1 2]]"], "rows=2", "f32", np.zeros((2, 2)))
large = sparse.random(300, 200, 0.05, "coo", random_state=3)
large.data = np.round(large.data, 3)
line("coo_matmul", [("i64", np.stack([large.row, large.col], 1)), ("f64", large.data), ("f64", waves(5, 200))], "rows=300", "f64", large @ waves(5, 200))
fails("coo_matmul i64[[0 0 0]] [1] [1] rows=1 ! VN_E_SHAPE", "coo_matmul i64[[0 0]] [1 2] [1] rows=1 ! VN_E_SHAPE", "coo_matmul i64[[0 0]] [1] f32{1} rows=1 ! VN_E_SHAPE \"one or two axes\"",
      "coo_matmul i64[[0 0]] [1] [1] rows=-1 ! VN_E_ARG", "coo_matmul [[0 0]] [1] [1] rows=1 ! VN_E_DTYPE")

title("rows as pointers")
csr = coo.tocsr()
line("csr_pointers", [("i64", at)], "rows=4", "i64", csr.indptr)
line("csr_indices", [("i64", csr.indptr), ("i64", csr.indices)], "", "i64", at)
gaps = sparse.csr_matrix(([1, 2], ([1, 4], [0, 3])), (6, 4))
line("csr_pointers", ["i64[[1 0] [4 3]]"], "rows=6", "i64", gaps.indptr)
line("csr_indices", [("i32", gaps.indptr), ("i32", gaps.indices)], "", "i64", np.array([[1, 0], [4, 3]]))
line("csr_pointers", ["i64(0,2)[]"], "rows=0", "i64", np.zeros(1))
line("csr_indices", ["i64[0 0]", "i64(0)[]"], "", "i64", np.zeros((0, 2)))
fails("csr_pointers i64[0] rows=1 ! VN_E_SHAPE", "csr_pointers i64[[0 0]] rows=-1 ! VN_E_ARG", "csr_pointers i64[[0 0]] rows=9223372036854775807 ! VN_E_SHAPE", "csr_indices i64(0)[] i64[0] ! VN_E_SHAPE",
      "csr_indices [0 1] i64[0] ! VN_E_DTYPE")

title("matrices of pointers")
line("csr_to_dense", [("i64", csr.indptr), ("i64", csr.indices), ("f64", csr.data)], "width=5", "f64", csr.toarray())
line("csr_to_dense", [("i32", gaps.indptr), ("i32", gaps.indices), "i8[1 2]"], "width=4", "i8", gaps.toarray())
line("csr_to_dense", ["i64[0 0 0]", "i64(0)[]", "f32(0)[]"], "width=3", "f32", np.zeros((2, 3)))
line("csr_to_dense", ["i64[0 1 3]", "i64[1 5 -1]", "[2 3 4]"], "width=3", "f32", np.array([[0, 2, 0], [0, 0, 0]]))
line("csr_matmul", [("i64", csr.indptr), ("i64", csr.indices), ("f64", csr.data), ("f64", y)], "", "f64", csr @ y)
line("csr_matmul", [("i32", csr.indptr), ("i64", csr.indices), ("f32", csr.data), ("f32", y[:, 0])], "", "f32", csr @ y[:, 0])
line("csr_matmul", [("i64", gaps.indptr), ("i64", gaps.indices), "i32[1 2]", "i32[10 20 30 40]"], "", "i32", gaps @ np.array([10, 20, 30, 40]))
line("csr_matmul", ["i64[0 0 0]", "i64(0)[]", "f32(0)[]", "f32[[1 2]]"], "", "f32", np.zeros((2, 2)))
wide = large.tocsr()
line("csr_matmul", [("i64", wide.indptr), ("i64", wide.indices), ("f64", wide.data), ("f64", waves(5, 200))], "", "f64", wide @ waves(5, 200))
fails("csr_to_dense i64(0)[] i64[0] [1] width=2 ! VN_E_SHAPE \"(rows + 1), (n) and (n)\"", "csr_to_dense i64[0 1] i64[0] [1 2] width=2 ! VN_E_SHAPE", "csr_to_dense [0 1] i64[0] [1] width=2 ! VN_E_DTYPE",
      "csr_to_dense i64[0 1] i64[0] [1] width=-1 ! VN_E_ARG", "csr_matmul i64[0 1] i64[0] [1 2] [1] ! VN_E_SHAPE \"(rows + 1), (n) and (n)\"",
      "csr_matmul i64[0 1] i64[0] [1] f32{1} ! VN_E_SHAPE \"one or two axes\"", "csr_matmul i64[0 1] [0] [1] [1] ! VN_E_DTYPE")

save("sparse.case", "Sparse matrices, by SciPy.")
