"""The library's functions of trees, tensor decompositions, private gradients, second derivatives and meta-learning; every function of the toolbox's headers is in the package."""
# ctest: seconds 2
# ctest: sanitize
import math
import pathlib
import re
import unittest

import vinea as vn


def close(x, y, tolerance=1e-5):
    return bool(vn.all(vn.abs(vn.asarray(x) - vn.asarray(y)) <= tolerance))


class Decompositions(unittest.TestCase):
    def setUp(self):
        vn.random.seed(3)
        a, b, c = (vn.random.normal(0, 1, (n, 2)) for n in (4, 5, 6))
        self.x = vn.einsum("ir,jr,kr->ijk", a, b, c)

    def test_tucker(self):
        parts = vn.tensors.tucker(self.x, 2)
        self.assertEqual([f.shape for f in parts["factors"]], [(4, 2), (5, 2), (6, 2)])
        self.assertTrue(close(vn.einsum("abc,ia,jb,kc->ijk", parts["core"], *parts["factors"]), self.x, 1e-4))
        for f in parts["factors"]:
            self.assertTrue(close(f.T @ f, vn.eye(2)))
        one = vn.tensors.tucker(self.x, (2,), modes=(1,))
        self.assertEqual((one["core"].shape, len(one["factors"])), ((4, 2, 6), 1))
        self.assertEqual(vn.tensors.tucker(self.x, (2, 3, 2), iterations=0)["core"].shape, (2, 3, 2))
        self.assertRaisesRegex(ValueError, "rank", vn.tensors.tucker, self.x, (2, 2))

    def test_cp(self):
        parts = vn.tensors.cp(self.x, 2, iterations=500)
        self.assertTrue(close(vn.einsum("r,ir,jr,kr->ijk", parts["weights"], *parts["factors"]), self.x, 1e-2))
        for f in parts["factors"]:
            self.assertTrue(close(vn.sum(f * f, axis=0), vn.ones(2), 1e-4))

    def test_trains(self):
        cores = vn.tensors.tensor_train(self.x, (3, 3))
        self.assertTrue(close(vn.einsum("aib,bjc,ckd->ijk", *cores), self.x, 1e-4))
        m = [vn.random.normal(0, 1, shape) for shape in ((1, 2, 3, 2), (2, 4, 5, 1))]
        self.assertTrue(close(vn.tensors.tt_matrix_to_tensor(m), vn.einsum("aijb,bklc->ikjl", *m)))

    def test_random(self):
        shapes = lambda parts: [x.shape for x in parts]
        self.assertEqual(shapes(vn.tensors.random_cp((3, 4), 2)["factors"]), [(3, 2), (4, 2)])
        t = vn.tensors.random_tucker((3, 4), (2, 2), orthogonal=True, dtype=vn.float64)
        self.assertTrue(close(t["factors"][1].T @ t["factors"][1], vn.eye(2)) and t["core"].dtype == vn.float64)
        self.assertEqual(shapes(vn.tensors.random_tt((3, 4), (2,))), [(1, 3, 2), (2, 4, 1)])
        self.assertEqual(shapes(vn.tensors.random_tr((3, 4), (2, 5))), [(2, 3, 5), (5, 4, 2)])
        self.assertEqual(shapes(vn.tensors.random_parafac2((3, 4), 5, 2)["projections"]), [(3, 2), (4, 2)])
        key = vn.random.key(5)
        a, b = (vn.tensors.random_cp((3, 4), 2, key=key) for _ in range(2))
        self.assertTrue(close(a["factors"][0], b["factors"][0], 0))


class Trees(unittest.TestCase):
    def test_arithmetic(self):
        p = {"w": vn.asarray([3.0, -4.0]), "b": [vn.asarray(12.0)]}
        self.assertEqual([float(f(p)) for f in (vn.tree.norm, vn.tree.sum, vn.tree.max, vn.tree.min)], [13, 11, 12, -4])
        self.assertEqual(float(vn.tree.vdot(p, p)), 169)
        self.assertTrue(vn.tree.allclose(p, p) and not vn.tree.allclose(p, vn.tree.add_scale(p, 0.1, p)))
        self.assertTrue(vn.tree.allclose(p, vn.tree.add_scale(p, 0.1, p), rtol=0.2))
        self.assertEqual(vn.tree.add_scale(p, 2, p)["b"][0].tolist(), 36)
        self.assertEqual(vn.tree.cast_like(p, vn.tree.map(lambda x: x.astype("float64"), p))["w"].dtype, vn.float64)
        self.assertEqual(vn.tree.reshape_like(p, {"w": vn.zeros((2, 1)), "b": [vn.zeros(())]})["w"].shape, (2, 1))
        self.assertEqual(vn.tree.random_like(p)["w"].shape, (2,))
        self.assertEqual(len(vn.tree.leaves(vn.tree.split_key_like(p, key=vn.random.key(1)))), 2)
        self.assertTrue(close(vn.tree.update_moment(p, p, 0.9, 2)["w"], [0.9 * 3 + 0.1 * 9, 0.9 * -4 + 0.1 * 16]))
        self.assertTrue(close(vn.tree.update_moment_per_elem_norm(p, p, 0.9, 1)["w"], [0.9 * 3 + 0.1 * 3, 0.9 * -4 + 0.1 * 4]))
        self.assertTrue(close(vn.tree.update_infinity_moment(p, p, 0.5, 0.25)["w"], [3.25, 4.25]))
        self.assertTrue(close(vn.tree.bias_correction(p, 0.5, 2)["w"], [4, -4 / 0.75]))
        self.assertTrue(close(vn.tree.incremental_update(p, vn.tree.map(vn.zeros_like, p), 0.25)["w"], [0.75, -1]))
        self.assertEqual(vn.tree.periodic_update(p, vn.tree.map(vn.zeros_like, p), 3, 2)["w"].tolist(), [0, 0])
        self.assertRaises(ValueError, vn.tree.vdot, p, {"w": vn.zeros(2)})
        self.assertRaises(TypeError, vn.tree.norm, "text")

    def test_private_gradients(self):
        vn.random.seed(1)
        x, y = vn.random.normal(0, 1, (8, 3)), vn.random.normal(0, 1, (8,))
        loss = vn.grad(lambda p, x, y: (vn.sum(p["w"] * x) + p["b"] - y) ** 2)
        each = [loss({"w": vn.ones(3), "b": vn.asarray(0.5)}, x[k], y[k]) for k in range(8)]
        stacked = vn.tree.map(lambda *g: vn.stack(g), *each)
        scales = [min(1, 0.7 / float(vn.tree.norm(g))) for g in each]
        want = sum(s * g["w"] for s, g in zip(scales, each))
        self.assertTrue(close(vn.nn.clip_per_example(stacked, 0.7)["w"], want))
        self.assertTrue(close(vn.nn.private_gradients(stacked, 0.7, 0.0)["w"], want / 8))
        key = vn.random.key(4)
        noisy = [vn.nn.private_gradients(stacked, 0.7, 2.0, key=key)["w"] for _ in range(2)]
        self.assertTrue(close(*noisy, 0) and not close(noisy[0], want / 8))
        by_layer = sum(min(1, 0.7 / math.sqrt(2) / float(vn.tree.norm(g["w"]))) * g["w"] for g in each)
        self.assertTrue(close(vn.nn.clip_per_example(stacked, 0.7, by_layer=True)["w"], by_layer))
        self.assertTrue(close(vn.nn.clip_by_norm({"w": vn.asarray([3.0, 4.0])}, 1.0)["w"], [0.6, 0.8]))
        self.assertTrue(close(vn.nn.clip_by_value({"w": vn.asarray([3.0, -4.0])}, 1.0)["w"], [1, -1]))
        self.assertRaises(ValueError, vn.nn.private_gradients, stacked, -1.0, 1.0)

    def test_derivatives(self):
        p, v = {"w": vn.asarray([1.0, 2.0])}, {"w": vn.asarray([1.0, -1.0])}
        loss = lambda p: p["w"][0] ** 3 + p["w"][0] * p["w"][1] ** 2  # Hessian [[6 a, 2 b], [2 b, 2 a]]
        self.assertEqual(vn.nn.hvp(loss, p, v)["w"].tolist(), [6 - 4, 4 - 2])
        self.assertEqual(vn.nn.hessian_diag(loss, p)["w"].tolist(), [6, 2])
        self.assertEqual(vn.nn.fisher_diag(loss, p)["w"].tolist(), [(3 + 4) ** 2, 4 ** 2])
        estimate = vn.nn.hutchinson_diag(loss, p, key=vn.random.key(0))["w"].tolist()
        self.assertIn(estimate, ([6 + 4, 2 + 4], [6 - 4, 2 - 4]))
        f = vn.grad(lambda x: vn.sum(vn.nn.scale_gradient(x, 0.5) ** 2))
        self.assertEqual(f(vn.asarray([3.0])).tolist(), [3])
        self.assertRaisesRegex(ZeroDivisionError, "", vn.nn.hvp, lambda p: 1 / 0, p, v)

    def test_meta_learning(self):
        """Loss (w - task)^2: an inner step goes to w - 2 lr (w - task)."""
        p, loss = {"w": vn.asarray(4.0)}, lambda p, task, outer: (p["w"] - task) ** 2
        left = [0.8 * (4 - task) for task in range(3)]
        value, g = vn.nn.maml_step(loss, p, 3, lr=0.1)
        self.assertTrue(close(value, sum(x * x for x in left) / 3) and close(g["w"], sum(2 * 0.8 * x for x in left) / 3))
        self.assertTrue(close(vn.nn.fomaml_step(loss, p, 3, lr=0.1)[1]["w"], sum(2 * x for x in left) / 3))
        self.assertTrue(close(vn.nn.reptile_step(loss, p, 3, lr=0.1)[1]["w"], sum(2 * (4 - task) for task in range(3)) / 3))
        self.assertRaisesRegex(ValueError, "reptile_step: 3 tasks, 0 steps at a rate of 0;", vn.nn.reptile_step, loss, p, 3, lr=0, steps=0)
        self.assertRaisesRegex(ValueError, "at a rate of nan;", vn.nn.maml_step, loss, p, 3, lr=float("nan"))

    def test_losses(self):
        x, target = vn.asarray([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), vn.asarray([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
        loss = lambda x: vn.nn.fenchel_young_loss(x, target, lambda x: vn.logsumexp(x, axis=-1))
        self.assertTrue(close(loss(x), -vn.sum(target * vn.log_softmax(x, axis=-1), axis=-1)))
        self.assertTrue(close(vn.grad(lambda x: vn.sum(loss(x)))(x), vn.softmax(x, axis=-1) - target))
        self.assertTrue(close(vn.nn.fenchel_young_loss(x, target, lambda x: vn.max(x, axis=-1)), [0, 1]))

    def test_features(self):
        class Features(vn.nn.Module):
            def forward(self, x):
                return {"a": x, "b": 2 * x}

        x, y = vn.random.uniform(0, 1, (2, 4, 4, 3)), vn.random.uniform(0, 1, (2, 4, 4, 3))
        self.assertTrue(close(vn.nn.feature_distance(Features(), x, x), 0))
        self.assertEqual(vn.nn.feature_distance(Features(), x, y, kind="gram", each=True).shape, (2,))
        self.assertRaisesRegex(ValueError, "lpips, dists, gram", vn.nn.feature_distance, Features(), x, y, kind="other")

    def test_line_search_in_fit(self):
        vn.random.seed(1)
        x = vn.random.normal(0, 1, (64, 3))
        net = vn.nn.linear(3, 1)
        net.fit(x, x @ vn.asarray([[1.0], [-2.0], [0.5]]), epochs=8, batch=64, optimizer=vn.nn.zoom(vn.nn.lbfgs(1.0)))
        self.assertTrue(close(net.variables()["w"].reshape(-1), [1, -2, 0.5], 1e-2))


ELSEWHERE = {  # functions of C that are something else in Python
    r"init_\w+": "texts of layers' options",
    r"(regularizer|constraint)_\w+": "texts of module.regularize and module.constrain",
    r"causal_mask": "an option of attention",
    r"projected_attention": "the layer multi_head_attention",
    r"optim_\w+": "methods and attributes of optimizers, options of configure",
    r"schedule_\w+|join_schedules|piecewise|combine_schedules|warm_up": "texts of configure(schedule=...)",
    r"running_\w+": "arithmetic of Python",
    r"tree_dtype": "x.dtype of the leaves",
    r"dataset_\w+|\w+_(make|value|of)|fit_callbacks|fit_stop_name|stop_\w+|progress_\w+|report_\w+|run_load": "arrays, arguments and results of fit",
}
OTHERS = "bindings calls cplusplus decoder engine files group model module ranks tree types vinea"  # headers of the language itself, which python.md compares


class Reach(unittest.TestCase):
    def test_all_functions(self):
        homes = [vn, vn.linalg, vn.random, vn.fft, vn.nn, vn.nn.updates, vn.nn.losses, vn.nn.metrics, vn.tree, vn.tensors, vn.nn.Optimizer, vn.nn.Module]
        known = {name for home in homes for name in (*dir(home), *vars(home))}
        root = pathlib.Path(__file__).resolve().parents[2]
        page, functions, missing = (root / "docs" / "python-api.md").read_text(), 0, []
        for header in sorted((root / "include" / "vinea").glob("*.h")):
            if header.stem in OTHERS.split():
                continue
            for name in re.findall(r"^VN_API [^(]*?\bvn_(\w+)\(", header.read_text(), re.M):
                functions += 1
                short = next((n for n in (name, *(name[len(p):] for p in ("nn_", "random_", "loss_", "metric_", "tree_", "update_") if name.startswith(p))) if n in known), None)
                if short is None and not any(re.fullmatch(p, name) for p in ELSEWHERE):
                    missing.append(f"{header.name}: {name}")
                elif short is not None and not re.search(rf"\b{short}\b", page):
                    missing.append(f"docs/python-api.md: {name}")
        self.assertEqual("\n".join(missing), "")
        self.assertGreater(functions, 900)


if __name__ == "__main__":
    unittest.main()
