"""Packages that follow the Array API standard compute with Vinea's arrays, on every engine, without turning them into NumPy's. They come from
.venv-packages (requirements.txt, which `make test` installs), NumPy and SciPy from .venv."""
# ctest: seconds 20
# ctest: frameworks
import importlib.util
import os
import pathlib
import subprocess
import sys
import unittest

os.environ["SCIPY_ARRAY_API"] = "1"
root = pathlib.Path(__file__).resolve().parents[2]
sys.path += map(str, (root / ".venv-packages").glob("lib/python3.*/site-packages"))
for name in ("array_api_compat", "array_api_extra", "einops", "scipy", "sklearn"):
    if not importlib.util.find_spec(name):
        print(f"skipped: there is no {name} (make test installs it)")
        sys.exit(77)
import vinea as vn

calls = []
convert = vn._array.to_numpy  # what __array__ and NumPy's functions call


def counted(x):
    calls.append(sys._getframe(2).f_code.co_name)
    return convert(x)


vn._array.to_numpy = counted


ENGINES = [name for name, e in vn.engines().items() if e["available"]]


class Packages(unittest.TestCase):
    def setUp(self):
        calls.clear()

    def tearDown(self):
        self.assertEqual(calls, [], "an array became NumPy's")

    def arrays(self):
        """The same numbers on every engine."""
        for name in ENGINES:
            with self.subTest(engine=name):
                yield vn.engine(name), vn.engine(name).asarray([[1.0, 2.0, 4.0], [3.0, 4.0, -1.0], [0.0, 5.0, 2.0], [2.0, 2.0, 2.0]])

    def test_array_api_compat(self):
        import array_api_compat as compat

        for xp, x in self.arrays():
            self.assertTrue(compat.is_array_api_obj(x))
            self.assertIs(compat.array_namespace(x, x), xp)
            self.assertEqual((compat.device(x), compat.size(x)), ("cpu", 12))
            self.assertEqual(compat.to_device(x, "cpu").tolist(), x.tolist())

    def test_array_api_extra(self):
        import array_api_extra as extra

        for xp, x in self.arrays():
            self.assertEqual(extra.atleast_nd(x, ndim=3).shape, (1, 4, 3))
            self.assertAlmostEqual(float(extra.cov(x.T)[0, 0]), 5 / 3, 5)
            self.assertEqual(extra.one_hot(xp.asarray([1, 0]), 3).tolist(), [[0, 1, 0], [1, 0, 0]])
            self.assertEqual(extra.pad(xp.asarray([1, 2]), 1).tolist(), [0, 1, 2, 0])
            self.assertEqual(extra.nunique(xp.asarray([1, 2, 1])).item(), 2)
            self.assertEqual(extra.kron(xp.asarray([1, 2]), xp.asarray([1, 10])).tolist(), [1, 10, 2, 20])
            self.assertEqual(extra.at(xp.asarray([1, 2, 3]))[1].set(9).tolist(), [1, 9, 3])

    def test_einops(self):
        import einops
        import einops.array_api

        for xp, x in self.arrays():
            for e in (einops, einops.array_api):
                self.assertEqual(e.rearrange(x, "a b -> b a").shape, (3, 4))
                self.assertEqual(e.rearrange(x, "(a c) b -> a (c b)", a=2).tolist()[0], [1, 2, 4, 3, 4, -1])
                self.assertEqual(e.reduce(x, "a b -> b", "sum").tolist(), [6, 13, 7])
                self.assertEqual(e.repeat(x, "a b -> a b c", c=2).shape, (4, 3, 2))
                self.assertEqual(e.pack([x, x], "* b")[0].shape, (8, 3))
            self.assertEqual(einops.reduce(x, "a b -> b", "max").engine, x.engine)
            self.assertEqual(einops.reduce(x, "(a c) b -> a b", "mean", c=2).tolist()[0], [2, 3, 1.5])
            self.assertEqual(einops.reduce(x > 0, "a b -> a", "all").tolist(), [True, False, False, True])
            self.assertEqual(einops.einsum(x, x, "a b, c b -> a c").tolist()[0], [21, 7, 18, 14])
            self.assertEqual(einops.rearrange([x, x], "n a b -> a b n").shape, (4, 3, 2))
            self.assertEqual(einops.parse_shape(x, "a _"), {"a": 4})

    def test_einops_in_any_order(self):
        test = "; print(einops.rearrange(vn.ones((2, 3)), 'a b -> b a').shape)"
        for line in ("import einops, vinea as vn", "import vinea as vn, einops", "import vinea as vn, importlib.util as u; u.find_spec('einops'); import einops",
                     "import vinea as vn; from einops.layers import *; import einops"):
            done = subprocess.run([sys.executable, "-c", line + test], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
            self.assertEqual((done.stdout, done.stderr), ("(3, 2)\n", ""), line)
        done = subprocess.run([sys.executable, "-c", "import vinea, sys; print([m for m in sys.modules if 'einops' in m])"], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[]\n", done.stderr)

    def test_scipy(self):
        from scipy import special, stats
        from scipy.cluster import vq
        from scipy.spatial.transform import Rotation

        for xp, x in self.arrays():
            y = special.logsumexp(x, axis=1)
            self.assertEqual((type(y), y.engine), (vn.Array, x.engine))
            self.assertTrue(xp.all(xp.abs(y - xp.logsumexp(x, axis=1)) < 1e-5))
            for f in (stats.zscore, stats.skew, stats.kurtosis, stats.sem, lambda v: stats.moment(v, 3), lambda v: special.softmax(v, axis=0), vq.whiten,
                      lambda v: stats.variation(v + 9), lambda v: stats.gmean(v + 9), lambda v: stats.pmean(v + 9, 2)):
                z = f(x)
                self.assertEqual((type(z), z.engine), (vn.Array, x.engine))
            turned = Rotation.from_rotvec(xp.asarray([[0.0, 0.0, 3.141592653589793 / 2]], dtype=xp.float64)).apply(xp.asarray([[1.0, 0.0, 0.0]], dtype=xp.float64))
            self.assertAlmostEqual(float(turned[0, 1]), 1)

    def test_scipy_siblings(self):
        """Functions that call more than the standard has: put_along_axis(values=), lstsq(rcond=), where of one argument."""
        import numpy as np
        from scipy import signal, stats

        p, t = np.array([0.01, 0.5, 0.02, 0.04, 0.3]), np.array([1.0, 3.0, 2.0, 5.0, 4.0, 6.0, 8.0])
        for xp, _ in self.arrays():
            for f, given in ((stats.false_discovery_control, p), (lambda v: signal.savgol_filter(v, 5, 2), t), (lambda v: signal.savgol_filter(v, 5, 3, deriv=1, mode="nearest"), t), (signal.detrend, t)):
                got = f(xp.asarray(given))
                self.assertEqual((type(got), got.engine), (vn.Array, xp.zeros(1).engine))
                np.testing.assert_allclose(got.tolist(), f(given), atol=1e-6)

    def test_scikit_learn_counts(self):
        """Metrics that count: bincount(minlength=), diff(x, 2), where of one argument."""
        import numpy as np
        import sklearn
        from sklearn import metrics

        truth, guess, scores = np.array([0, 1, 1, 0, 2, 1, 2]), np.array([0, 1, 0, 0, 1, 1, 2]), np.array([0.1, 0.8, 0.4, 0.6, 0.3, 0.9, 0.2])
        both = (truth > 0).astype("int64")
        cases = [(metrics.f1_score, (truth, guess), dict(average=a)) for a in ("macro", "micro", "weighted", None)]
        cases += [(f, (truth, guess), dict(average="macro")) for f in (metrics.precision_score, metrics.recall_score, metrics.jaccard_score)]
        cases += [(f, (truth, guess), {}) for f in (metrics.confusion_matrix, metrics.precision_recall_fscore_support, metrics.balanced_accuracy_score, metrics.cohen_kappa_score,
                                                    metrics.multilabel_confusion_matrix)]
        cases += [(f, (both, scores), {}) for f in (metrics.roc_auc_score, metrics.roc_curve, metrics.precision_recall_curve, metrics.average_precision_score)]
        cases += [(metrics.fbeta_score, (truth, guess), dict(beta=2.0, average="macro")), (metrics.class_likelihood_ratios, (both, scores > 0.35), {})]
        for xp, _ in self.arrays():
            for f, given, options in cases:
                with self.subTest(f=f.__name__, **options), sklearn.config_context(array_api_dispatch=True):
                    got = f(*(xp.asarray(x) for x in given), **options)
                    want = f(*given, **options)
                    for a, b in zip(*((r if isinstance(r, tuple) else (r,)) for r in (got, want))):
                        self.assertTrue(a is b is None or np.allclose(a.tolist() if isinstance(a, vn.Array) else a, b, atol=1e-6))

    def test_scikit_learn(self):
        import sklearn
        from sklearn.decomposition import PCA
        from sklearn.linear_model import Ridge
        from sklearn.metrics import accuracy_score, mean_absolute_error, mean_squared_error, r2_score
        from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances
        from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, Normalizer, StandardScaler

        for xp, x in self.arrays():
            with sklearn.config_context(array_api_dispatch=True):
                scaled = MinMaxScaler().fit_transform(x)
                self.assertEqual((type(scaled), scaled.engine), (vn.Array, x.engine))
                self.assertEqual((xp.min(scaled).item(), xp.max(scaled).item()), (0, 1))
                parts = PCA(n_components=2, svd_solver="full").fit_transform(x)
                self.assertEqual((type(parts), parts.shape), (vn.Array, (4, 2)))
                self.assertAlmostEqual(accuracy_score(xp.asarray([0, 1, 1]), xp.asarray([0, 1, 0])), 2 / 3, 6)
                self.assertEqual(mean_squared_error(x[:, 0], x[:, 0] + 1), 1)
                self.assertEqual(mean_absolute_error(x[:, 0], x[:, 0] + 1), 1)
                for estimator in (StandardScaler(), MaxAbsScaler(), Normalizer()):
                    self.assertIsInstance(estimator.fit_transform(x), vn.Array)
                line = Ridge(alpha=1e-3, solver="svd").fit(x, x[:, 0] * 2 + 1)
                self.assertIsInstance(line.coef_, vn.Array)
                self.assertGreater(r2_score(x[:, 0] * 2 + 1, line.predict(x)), 0.99)
                self.assertIsInstance(euclidean_distances(x), vn.Array)
                self.assertIsInstance(cosine_similarity(x), vn.Array)

    def test_scikit_learn_estimators(self):
        """What estimators predict, with and without dispatch."""
        import numpy as np
        import sklearn
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.decomposition import PCA
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        from sklearn.kernel_approximation import Nystroem
        from sklearn.linear_model import LogisticRegression, RidgeClassifier, RidgeCV
        from sklearn.mixture import GaussianMixture
        from sklearn.model_selection import GridSearchCV, cross_val_predict
        from sklearn.naive_bayes import GaussianNB
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import LabelEncoder, PolynomialFeatures, StandardScaler

        rows = np.random.default_rng(0).normal(size=(40, 3)) + np.repeat([0, 2], 20)[:, None]
        classes, values = np.repeat([0, 1], 20), rows @ [1.0, 2.0, 3.0]
        made = {"predict": [lambda: RidgeCV(), lambda: make_pipeline(StandardScaler(), RidgeCV())],
                "predict_proba": [LinearDiscriminantAnalysis, GaussianNB, LogisticRegression, lambda: GaussianMixture(2, random_state=0, init_params="random", reg_covar=0),
                                  lambda: CalibratedClassifierCV(LinearDiscriminantAnalysis(), method="temperature", cv=2)],
                "decision_function": [lambda: RidgeClassifier(solver="svd")],
                "transform": [PolynomialFeatures, lambda: Nystroem(n_components=5, random_state=0), lambda: PCA(2, svd_solver="covariance_eigh")]}
        cases = [lambda x, y, v, make=make, method=method: getattr(make().fit(x, v if method == "predict" else y), method)(x) for method, makers in made.items() for make in makers]
        cases += [lambda x, y, v: cross_val_predict(RidgeCV(), x, v, cv=3), lambda x, y, v: LabelEncoder().fit_transform(y),
                  lambda x, y, v: GridSearchCV(make_pipeline(StandardScaler(), RidgeClassifier(solver="svd")), {"ridgeclassifier__alpha": [0.1, 1.0]}, cv=2).fit(x, y).predict(x)]
        engines = [e for e in ENGINES if e in ("native", "numpy")]
        for number, case in enumerate(cases):
            want = case(rows, classes, values)
            for engine in engines:
                with self.subTest(case=number, engine=engine), sklearn.config_context(array_api_dispatch=True):
                    got = case(*map(vn.engine(engine).asarray, (rows, classes, values)))
                    self.assertEqual((type(got), got.engine), (vn.Array, engine))
                    np.testing.assert_allclose(vn.to_numpy(got), want, atol=1e-3)


if __name__ == "__main__":
    unittest.main()
