"""Every engine that is installed, as a namespace, as the current engine, and by moving arrays."""
# ctest: seconds 8
# ctest: frameworks
import asyncio
import contextvars
import pickle
import subprocess
import sys
import threading
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
                keys = xp.random.key(), xp.random.key(3)
                self.assertEqual([a.engine for a in (*keys, xp.random.normal(0, 1, (2,), key=keys[1]))], [name] * 3)
                self.assertEqual(xp.random.normal(0, 1, (2,), key=keys[1]).tolist(), vn.random.normal(0, 1, (2,), key=vn.random.key(3)).tolist())
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

    def test_tasks(self):
        """Tasks of asyncio that take turns keep their engines, as threads do."""
        taken = {}

        async def compute(name):
            seen = taken[name] = set()
            with vn.use(name):
                for _ in range(3):
                    await asyncio.sleep(0)
                    x = vn.ones((2, 2))
                    seen.update((vn.using(), x.engine, vn.asarray([1]).engine, vn.random.normal(0, 1, (2,)).engine, vn.nn.linear(2, 2)([[1.0, 2.0]]).engine, (x + 1).engine))
                    seen.add(await asyncio.to_thread(lambda: vn.ones(1).engine))
            await asyncio.sleep(0)
            seen.add("after it " + vn.using())

        async def all_of_them():
            await asyncio.gather(*map(compute, names))

        asyncio.run(all_of_them())
        self.assertEqual(taken, {name: {name, "after it native"} for name in names})
        self.assertEqual(vn.using(), "native")

    def test_pickles(self):
        """Functions of every namespace and its parts, also in another process and of an older version of the standard."""
        for name in names:
            xp = vn.engine(name)
            for f in (xp.add, xp.sum, xp.asarray, xp.linalg.svd, xp.linalg.cholesky, xp.fft.fft, xp.fft.fftfreq, xp.random.normal, xp.random.key, vn.engine(name, "2024.12").meshgrid):
                self.assertIs(pickle.loads(pickle.dumps(f)), f)
        code = "import pickle, sys; print(pickle.load(sys.stdin.buffer)(3).engine)"
        done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(vn.engine(names[-1]).zeros), capture_output=True)
        self.assertEqual(done.stdout.decode().strip(), names[-1], done.stderr[-500:])

    def test_no_memory(self):
        """The message names what is too large, also where an engine keeps a broadcast array as a view and only reading it fails."""
        for name in names:
            x = vn.engine(name).broadcast_to(vn.engine(name).ones(1), (2**44,))
            for f in (x.tolist, lambda: vn.engine(name).zeros(2**44).eval(), lambda: (x + 1).eval()):
                self.assertRaisesRegex(MemoryError, r"(reading|(add|broadcast_to) makes) 17592186044416 of float32|zeros: no memory for 70368744177664 bytes", f)

    def test_use(self):
        def elsewhere():
            found = []
            thread = threading.Thread(target=lambda: found.append(vn.using()))
            thread.start()
            thread.join()
            return found[0]

        for name in names:
            with vn.use(name), vn.use("native"), vn.use(name):
                self.assertEqual((vn.using(), elsewhere()), (name, "native"))
            self.assertRaises(vn.EngineError, vn.use, "nowhere")
            with vn.use(name, everywhere=True):
                self.assertEqual((vn.using(), elsewhere()), (name, name))
                with vn.use("native"):
                    self.assertEqual((vn.using(), elsewhere(), vn.engine(name).ones(1).engine, vn.using()), ("native", name, name, "native"))
                self.assertEqual(vn.using(), name)
            self.assertEqual((vn.using(), elsewhere()), ("native", "native"))
        for wrong in (None, 3, object()):
            self.assertRaises(TypeError, vn.use, wrong)
            self.assertRaises(TypeError, vn.use, wrong, everywhere=True)

    def test_use_again(self):
        """One object serves several blocks, also inside one another."""

        def blocks(name, everywhere):
            u = vn.use(name, everywhere=everywhere)
            self.assertEqual(vn.using(), name)
            for _ in range(2):
                with u:
                    with u:
                        self.assertEqual(vn.using(), name)
                    self.assertEqual(vn.using(), name)
                self.assertEqual(vn.using(), "native")
            vn.use(name, everywhere=everywhere)
            with vn.use("native", everywhere=everywhere), u:
                self.assertEqual(vn.using(), name)
            self.assertEqual(vn.using(), name)
            vn.use("native", everywhere=everywhere)

        for name in names:
            for everywhere in (False, True):
                contextvars.copy_context().run(blocks, name, everywhere)
        self.assertEqual(vn.using(), "native")

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

    def test_keys_and_updates_stay_on_the_arrays_engine(self):
        for engine in [e for e in ("numpy", "torch") if vn.engines()[e]["available"]]:
            x, i = vn.arange(1000.0).reshape(10, 10, 10).to(engine), [1, 2, 2]  # the thread's engine is another one
            for y, want in ((x[i, :, i][0, :3], [101, 111, 121]), (x[i, i, i], [111, 222, 222]), (x.at[i, i, i].multiply([2.0, 2.0, 3.0])[2, 2, 2:4], [1332, 223]), (x.at[i, 0, i].max(500.0)[1, 0, :2], [100, 500]),
                            (x.at[i, i, i].subtract([1.0, 1.0, 1.0])[2, 2, 1:3], [221, 220])):
                self.assertEqual((y.tolist(), y.engine), (want, engine))
            x[i, :2, i] = [[7.0, 8.0]]
            self.assertEqual((x[2, :3, 2].tolist(), x.engine), ([7, 8, 222], engine))

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
