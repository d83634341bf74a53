"""Every engine that is installed, as a namespace, as the current engine, and by moving arrays."""
# ctest: seconds 8
# ctest: frameworks
import subprocess
import sys
import unittest

import vinea as vn

try:
    import numpy as np
except ImportError:
    np = None
names = [name for name, e in vn.engines().items() if e["available"]]


class Namespaces(unittest.TestCase):
    def test_imports(self):
        """The parts of the package can be imported as modules, in a process that has imported nothing yet."""
        for line in ("from vinea.linalg import svd", "from vinea.fft import rfft", "from vinea.random import normal", "import vinea.linalg as part", "from vinea.nn import linear, losses",
                     "from vinea.nn.losses import huber", "from vinea.nn.metrics import accuracy", "from vinea.tree import map", "from vinea import *"):
            done = subprocess.run([sys.executable, "-c", line], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), line)
        import vinea.linalg

        self.assertIs(vinea.linalg, vn.linalg)

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

    @unittest.skipUnless(np, "there is no numpy")
    def test_nothing_is_copied(self):
        """NumPy's memory is that of the array, on every engine, and the array's that of NumPy, DLPack and the native engine."""
        for name in names:
            with self.subTest(engine=name):
                room = np.zeros(64 * 4 + 64, np.uint8)
                host = room[-room.ctypes.data % 64:][:256].view(np.float32)  # JAX shares only memory that is aligned to 64 bytes
                host[:] = range(64)
                x = vn.engine(name).asarray(host)
                self.assertEqual(vn.to_numpy(x).ctypes.data, host.ctypes.data)
                y = (x + 1).eval()
                at = vn.to_numpy(y).ctypes.data
                self.assertEqual({vn.to_numpy(y).ctypes.data, np.from_dlpack(y).ctypes.data, np.asarray(memoryview(y)).ctypes.data, vn.to_numpy(y.to("native")).ctypes.data}, {at})

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
