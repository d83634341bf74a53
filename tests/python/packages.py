"""Packages that follow the Array API standard compute with Vinea's arrays, where they are installed, without turning them into NumPy's."""
# ctest: seconds 10
# ctest: frameworks
import importlib
import os
import sys
import unittest

os.environ["SCIPY_ARRAY_API"] = "1"
import vinea as vn

calls = []
_array = vn.Array.__array__


def counted(self, *args, **kwargs):
    calls.append(sys._getframe(1).f_code.co_name)
    return _array(self, *args, **kwargs)


vn.Array.__array__ = counted


def need(test, name):
    try:
        return importlib.import_module(name)
    except ImportError:
        test.skipTest(f"there is no {name}")


class Packages(unittest.TestCase):
    def setUp(self):
        calls.clear()
        self.x = vn.asarray([[1.0, 2.0, 4.0], [3.0, 4.0, -1.0], [0.0, 5.0, 2.0], [2.0, 2.0, 2.0]])

    def tearDown(self):
        self.assertEqual(calls, [], "an array became NumPy's")

    def test_array_api_compat(self):
        compat = need(self, "array_api_compat")
        self.assertTrue(compat.is_array_api_obj(self.x))
        self.assertIs(compat.array_namespace(self.x, self.x), vn.engine("native"))
        self.assertEqual((compat.device(self.x), compat.size(self.x)), ("cpu", 12))

    def test_array_api_extra(self):
        extra = need(self, "array_api_extra")
        self.assertEqual(extra.atleast_nd(self.x, ndim=3).shape, (1, 4, 3))
        self.assertAlmostEqual(float(extra.cov(self.x.T)[0, 0]), 5 / 3, 5)

    def test_einops(self):
        einops = need(self, "einops.array_api")
        self.assertEqual(einops.rearrange(self.x, "a b -> b a").shape, (3, 4))
        self.assertEqual(einops.reduce(self.x, "a b -> b", "sum").tolist(), [6, 13, 7])

    def test_scipy(self):
        special, stats = need(self, "scipy.special"), need(self, "scipy.stats")
        y = special.logsumexp(self.x, axis=1)
        self.assertIsInstance(y, vn.Array)
        self.assertTrue(vn.all(vn.abs(y - vn.logsumexp(self.x, axis=1)) < 1e-5))
        self.assertIsInstance(stats.zscore(self.x), vn.Array)
        self.assertIsInstance(stats.skew(self.x), vn.Array)

    def test_scikit_learn(self):
        sklearn = need(self, "sklearn")
        from sklearn.decomposition import PCA
        from sklearn.metrics import accuracy_score, mean_squared_error
        from sklearn.preprocessing import MinMaxScaler, StandardScaler

        with sklearn.config_context(array_api_dispatch=True):
            scaled = MinMaxScaler().fit_transform(self.x)
            self.assertIsInstance(scaled, vn.Array)
            self.assertEqual((vn.min(scaled).item(), vn.max(scaled).item()), (0, 1))
            parts = PCA(n_components=2, svd_solver="full").fit_transform(self.x)
            self.assertEqual((type(parts), parts.shape), (vn.Array, (4, 2)))
            self.assertAlmostEqual(accuracy_score(vn.asarray([0, 1, 1]), vn.asarray([0, 1, 0])), 2 / 3, 6)
            self.assertEqual(mean_squared_error(self.x[:, 0], self.x[:, 0] + 1), 1)
            self.assertIsInstance(StandardScaler().fit_transform(self.x), vn.Array)


if __name__ == "__main__":
    unittest.main()
