"""Every engine that is installed, as a namespace, as the current engine, and by moving arrays."""
# ctest: seconds 8
# ctest: frameworks
import unittest

import vinea as vn

names = [name for name, e in vn.engines().items() if e["available"]]


class Namespaces(unittest.TestCase):
    def test_engines(self):
        self.assertIn("native", names)
        for name in names:
            with self.subTest(engine=name):
                xp = vn.engine(name)
                x = xp.arange(6, dtype=vn.float32).reshape(2, 3)
                self.assertEqual({a.engine for a in (x, xp.zeros(2), xp.asarray([1]), xp.eye(2), xp.random.normal(0, 1, (2,)), xp.exp(1.0), xp.full(2, 3), x[0], x + 1)}, {name})
                self.assertIs(x.__array_namespace__(), xp)
                self.assertEqual(vn.using(), "native")
                self.assertAlmostEqual(float(xp.sum(xp.exp(x) @ x.T)), 1440.4543, 2)
                with vn.use(name):
                    self.assertEqual((vn.using(), vn.ones(2).engine), (name, name))
                self.assertEqual(vn.using(), "native")
                y = vn.asarray([1.0, 2.0]).to(name)
                self.assertEqual((y.engine, (y + 1).tolist(), y.to("native").engine, (y + [1, 1]).engine), (name, [2, 3], "native", name))
                x[0, 1:] = 9
                x[x == 3] = -1
                self.assertEqual((x.tolist(), x[[1, 0]].tolist(), x[:, ::-1].tolist()), ([[0, 9, 9], [-1, 4, 5]], [[-1, 4, 5], [0, 9, 9]], [[9, 9, 0], [5, 4, -1]]))
                self.assertEqual(vn.grad(lambda v: xp.sum(v * v))(y).tolist(), [2, 4])
                self.assertEqual(memoryview(y).tolist(), [1, 2])
                self.assertEqual(repr(y), "array([1., 2.])")

    def test_mixed(self):
        if len(names) > 1:
            with self.assertRaises(vn.EngineError):
                vn.engine(names[0]).ones(2) + vn.engine(names[1]).ones(2)

    def test_failed_use(self):
        with self.assertRaises(vn.EngineError):
            vn.use("nowhere")
        self.assertEqual(vn.zeros(1).engine, "native")


if __name__ == "__main__":
    unittest.main()
