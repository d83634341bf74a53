"""The Array API standard: what its version 2025.12 adds, older versions by name, and values that its own tests found wrong once."""
# ctest: seconds 1
import cmath
import math
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
