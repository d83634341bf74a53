"""The Array API standard: what its version 2025.12 adds, older versions by name, and values that its own tests found wrong once."""
# ctest: seconds 1
# ctest: sanitize
import cmath
import inspect
import math
import pickle
import unittest

import vinea as vn

inf, nan = math.inf, math.nan


class Version(unittest.TestCase):
    def test_versions(self):
        x = vn.zeros(1)
        self.assertEqual(vn.__array_api_version__, "2025.12")
        self.assertIs(x.__array_namespace__(), x.__array_namespace__(api_version="2025.12"))
        for version in ("2021.12", "2022.12", "2023.12", "2024.12"):
            self.assertEqual(x.__array_namespace__(api_version=version).__array_api_version__, version)
        with self.assertRaises(ValueError):
            x.__array_namespace__(api_version="2020.12")

    def test_tuples_were_lists(self):
        x = vn.asarray([1, 2])
        for xp, kind in ((vn, tuple), (x.__array_namespace__(), tuple), (x.__array_namespace__(api_version="2024.12"), list)):
            self.assertIs(type(xp.meshgrid(x, x)), kind)
            self.assertIs(type(xp.broadcast_arrays(x, x)), kind)
            self.assertEqual(xp.__array_namespace_info__().devices(), kind(["cpu"]))
            self.assertEqual([y.tolist() for y in xp.meshgrid(x, x, indexing="ij")], [[[1, 1], [2, 2]], [[1, 2], [1, 2]]])


    def test_signatures(self):
        """Every method, function and conversion says what it takes."""
        special = ("abs", "array_namespace", "bool", "complex", "dlpack", "dlpack_device", "float", "getitem", "index", "int", "invert", "matmul", "neg", "setitem", "radd", "iadd")
        for name in (*(f"__{name}__" for name in special), *(name for name in dir(vn.Array) if not name.startswith("_"))):
            f = getattr(vn.Array, name)
            if callable(f):
                inspect.signature(f)


class New(unittest.TestCase):
    def test_broadcast_shapes(self):
        for shapes, want in (((), ()), (((),), ()), (((2, 1), (3,), ()), (2, 3)), (((0, 1), (1, 5)), (0, 5)), (((1,) * 32, (7,)), (1,) * 31 + (7,))):
            self.assertEqual(vn.broadcast_shapes(*shapes), want)
        for shapes in (((2,), (3,)), ((0,), (2,)), ((-2,), (1,))):
            with self.assertRaises(ValueError):
                vn.broadcast_shapes(*shapes)

    def test_isin(self):
        x = vn.asarray([[1, 3], [5, 3]])
        self.assertEqual(vn.isin(x, vn.asarray([3, 4])).tolist(), [[False, True], [False, True]])
        self.assertEqual(vn.isin(x, 3, invert=True).tolist(), [[True, False], [True, False]])
        self.assertEqual(vn.isin(3, x).tolist(), True)
        self.assertEqual(vn.isin(4, x, invert=True).shape, ())
        with self.assertRaises(TypeError):
            vn.isin(x, x, True)

    def test_axes(self):
        x = vn.reshape(vn.arange(6), (2, 3))
        self.assertEqual(vn.expand_dims(x, axis=(0, -1)).shape, (1, 2, 3, 1))
        self.assertEqual(vn.expand_dims(x, axis=()).shape, (2, 3))
        self.assertEqual(vn.permute_dims(x, (-1, 0)).tolist(), [[0, 3], [1, 4], [2, 5]])
        with self.assertRaises(ValueError):
            vn.expand_dims(x, axis=(0, -4))
        with self.assertRaises(IndexError):
            vn.expand_dims(x, axis=(0, 4))
        with self.assertRaises(ValueError):
            vn.permute_dims(x, (0, -2))

    def test_axis_of_an_array(self):
        """What has an __index__ is an integer, also an array with no axes."""
        x = vn.asarray([[1, 2], [3, 4]])
        self.assertEqual((vn.sum(x, axis=vn.asarray(1)).tolist(), vn.max(x, axis=vn.asarray(-1)).tolist()), ([3, 7], [2, 4]))
        for bad in (vn.asarray([1]), vn.asarray(1.0)):
            with self.assertRaises(TypeError):
                vn.sum(x, axis=bad)

    def test_names_of_numpy(self):
        """Names and positions of arguments that packages write for NumPy and the libraries like it."""
        x = vn.asarray([1, 4, 9, 16])
        self.assertEqual(vn.diff(x, 2).tolist(), [2, 2])
        self.assertEqual(vn.tensordot(x, x, 1).item(), 354)
        self.assertEqual(vn.searchsorted(x, 4, "right").item(), 2)
        self.assertEqual(vn.fft.fftfreq(2, 0.5).tolist(), [0, -1])
        self.assertEqual([y.tolist() for y in vn.where(x > 3)], [[1, 2, 3]])
        self.assertEqual(vn.where(x > 3, x, 0).tolist(), [0, 4, 9, 16])
        self.assertEqual(vn.ones((2, 2)).ravel().shape, (4,))
        with self.assertRaises(TypeError):
            vn.where(x > 3, x)

    def test_bincount(self):
        x = vn.asarray([1, 3, 3])
        self.assertEqual(vn.bincount(x).tolist(), [0, 1, 0, 2])
        self.assertEqual(vn.bincount(x, minlength=6).tolist(), [0, 1, 0, 2, 0, 0])
        self.assertEqual(vn.bincount(x, None, 2).tolist(), [0, 1, 0, 2])
        self.assertEqual(vn.bincount(x, vn.asarray([0.5, 1.0, 2.0]), minlength=5).tolist(), [0, 0.5, 0, 3, 0])
        self.assertEqual(x.bincount(length=2).tolist(), [0, 1])
        self.assertEqual(vn.bincount(vn.asarray([], dtype="int64")).shape, (0,))
        self.assertEqual(vn.bincount([0, 1, 1]).tolist(), [1, 2])
        self.assertEqual(vn.jit(lambda v: vn.bincount(v, length=4))(x).tolist(), [0, 1, 0, 2])
        for error, bad in ((TypeError, lambda: vn.bincount(x, minlength=1, length=1)), (ValueError, lambda: vn.bincount(x, minlength=-1)), (TypeError, lambda: vn.bincount(vn.ones(2))),
                           (ValueError, lambda: vn.bincount(vn.asarray([2**62])))):
            self.assertRaises(error, bad)

    def test_bincount_of_negatives(self):
        with self.assertRaisesRegex(ValueError, "bincount: x contains -2"):
            vn.bincount(vn.asarray([1, -2, 3]))
        self.assertEqual(vn.bincount(vn.asarray([1, -2, 1]), length=3).tolist(), [0, 2, 0])
        self.assertEqual(vn.bincount(vn.zeros(0, dtype="int64")).tolist(), [])

    def test_clip_of_integers(self):
        """Between floats they become floats, as by maximum and minimum."""
        x = vn.asarray([0, 1, 5])
        for bounds, values, dtype in (((0.5, 2.5), [0.5, 1, 2.5], vn.float32), ((None, 2.5), [0, 1, 2.5], vn.float32), ((1, 2), [1, 1, 2], vn.int64), ((vn.asarray(0.5), None), [0.5, 1, 5], vn.float32)):
            y = vn.clip(x, *bounds)
            self.assertEqual((y.tolist(), y.dtype), (values, dtype))

    def test_results_are_pickled(self):
        for result in (vn.linalg.qr(vn.eye(2)), vn.linalg.svd(vn.eye(2)), vn.linalg.eigh(vn.eye(2)), vn.linalg.eig(vn.eye(2)), vn.linalg.slogdet(vn.eye(2)), vn.unique_all(vn.asarray([1, 1])),
                       vn.unique_counts(vn.asarray([1, 1])), vn.unique_inverse(vn.asarray([1, 1])), vn.linalg.lstsq(vn.eye(2), vn.ones(2))):
            again = pickle.loads(pickle.dumps(result))
            self.assertEqual((type(again), [x.tolist() for x in again]), (type(result), [x.tolist() for x in result]))

    def test_put_along_axis(self):
        x = vn.asarray([[1.0, 2.0], [3.0, 4.0]])
        at = vn.asarray([[1], [0]])
        self.assertEqual(vn.put_along_axis(x, at, 9).tolist(), [[1, 9], [9, 4]])
        self.assertEqual(vn.put_along_axis(x, vn.asarray([[1, 0]]), y=9, axis=0, add=True).tolist(), [[1, 11], [12, 4]])
        self.assertEqual(x.tolist(), [[1, 2], [3, 4]])
        before = x[...]
        self.assertIs(vn.put_along_axis(x, at, values=9, axis=1), x)  # as in NumPy, x changes
        self.assertEqual((x.tolist(), before.tolist()), ([[1, 9], [9, 4]], [[1, 2], [3, 4]]))
        for bad in (lambda: vn.put_along_axis(x, at), lambda: vn.put_along_axis(x, at, 1, values=2), lambda: vn.put_along_axis([1.0], [0], values=2)):
            self.assertRaises(TypeError, bad)

    def test_lstsq(self):
        a = vn.asarray([[1.0, 0.0], [0.0, 1e-5]])
        for cut, rank in ((dict(rcond=1e-3), 1), (dict(rtol=1e-3), 1), (dict(rcond=-1), 2), ({}, 2)):
            self.assertEqual(vn.linalg.lstsq(a, vn.ones(2), **cut).rank.item(), rank)
        self.assertEqual(vn.linalg.lstsq(a, vn.ones(2), 1e-3).rank.item(), 1)
        self.assertEqual(vn.lstsq([[2.0]], [1.0], rcond=-1).solution.tolist(), [0.5])
        self.assertRaises(TypeError, vn.linalg.lstsq, a, vn.ones(2), rcond=1e-3, rtol=1e-3)

    def test_matrix_norm(self):
        x = vn.asarray([[3.0, 0.0], [0.0, -4.0]])
        for order, want in ((2, 4), (2.0, 4), (-2.0, 3), (1.0, 4), (inf, 4), (-inf, 3), ("fro", 5), (None, 5), ("nuc", 7)):
            self.assertAlmostEqual(vn.linalg.matrix_norm(x, ord=order).item(), want, 5)
        with self.assertRaisesRegex(ValueError, "possible are fro, nuc, 1"):
            vn.linalg.matrix_norm(x, ord=2.5)

    def test_scalars(self):
        x = vn.asarray([1, 2, 2, 3])
        self.assertEqual([vn.searchsorted(x, 2, side=side).item() for side in ("left", "right")], [1, 3])
        self.assertEqual(vn.searchsorted(vn.asarray([1.0, 2]), 1.5).shape, ())
        self.assertEqual(vn.clip(vn.asarray([1, 5, 9], dtype="int8"), 2, 6).dtype, vn.int8)
        y = vn.zeros(2)
        y[0] = vn.asarray(7, dtype="int8")
        self.assertEqual((y.tolist(), y.dtype), ([7, 0], vn.float32))


class Values(unittest.TestCase):
    def test_floor_divide(self):
        x, y = vn.asarray([inf, -inf, 1, -1, 1, inf]), vn.asarray([2, 2, -inf, inf, inf, inf])
        for z in (x // y, vn.floor_divide(x, y)):
            self.assertEqual(repr(z.tolist()), "[inf, -inf, -0.0, -0.0, 0.0, nan]")

    def test_complex_zeros(self):
        for name, want in (("expm1", ["0j", "0j", "-0j", "-0j"]), ("sign", ["0j"] * 4)):
            x = vn.asarray([complex(0, 0), complex(-0.0, 0), complex(0, -0.0), complex(-0.0, -0.0)])
            self.assertEqual([repr(z) for z in getattr(vn, name)(x).tolist()], want)
        self.assertEqual(repr(vn.tanh(vn.asarray(complex(inf, 2))).item()), "(1+0j)")
        self.assertTrue(cmath.isnan(vn.atanh(vn.asarray(complex(1e200, nan), dtype="complex128")).item()))

    def test_unique(self):
        x = vn.asarray([[2j, 1], [2j, complex(nan, 1)]])
        u = vn.unique_all(x)
        self.assertEqual(u.values.tolist()[:2], [2j, 1])
        self.assertEqual((u.indices.tolist(), u.inverse_indices.tolist(), u.counts.tolist()), ([0, 1, 3], [[0, 1], [0, 2]], [2, 1, 1]))

    def test_integers(self):
        self.assertEqual(vn.arange(2**64 - 3, 2**64 - 1, dtype="uint64").tolist(), [2**64 - 3, 2**64 - 2])
        self.assertEqual(vn.arange(2**63 + 1, 2**63 - 2, -2, dtype="uint64").tolist(), [2**63 + 1, 2**63 - 1])
        self.assertEqual(vn.full(2, 2**64 - 1, dtype="uint64").tolist(), [2**64 - 1] * 2)
        for start, stop in ((2**65, 2**65 + 1), (-(2**65), 0)):
            with self.assertRaises(OverflowError):
                vn.arange(start, stop)
        self.assertEqual(vn.linspace(1j, 2, 3).tolist(), [1j, 1 + 0.5j, 2])
        self.assertEqual(vn.linspace(0, 1j, 2, dtype="complex128", endpoint=False).tolist(), [0, 0.5j])

    def test_edges(self):
        self.assertEqual(vn.from_dlpack(vn.zeros((0, 3))).shape, (0, 3))
        self.assertEqual(vn.zeros((2, 0))[vn.zeros((2, 0), dtype="bool")].shape, (0,))
        self.assertEqual(vn.zeros((0, 3))[vn.zeros(0, dtype="bool")].shape, (0, 3))
        x = vn.ones((2, 3))
        x[vn.zeros((2, 0), dtype="bool")] = 5
        self.assertEqual((x[vn.zeros((2, 0), dtype="bool")].shape, x[vn.zeros(0, dtype="bool")].shape, x.sum().item()), ((0,), (0, 3), 6))
        with self.assertRaises(IndexError):
            x[vn.zeros((2, 2), dtype="bool")]
        self.assertEqual(vn.linalg.eig(vn.eye(2)).eigenvalues.shape, (2,))
        self.assertEqual(vn.ones((1,) * 31 + (2,))[..., 1].shape, (1,) * 31)
        with self.assertRaises(ValueError):
            vn.ones((1,) * 33)


if __name__ == "__main__":
    unittest.main()
