"""NumPy, PyTorch, JAX and TensorFlow in the same process, where they can be imported: arrays in and out, and their own engines."""
# ctest: seconds 7
# ctest: frameworks
import gc
import importlib
import os
import pathlib
import subprocess
import sys
import unittest

import vinea as vn

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
vn.engine("native").ones(2)
found = {}
for name in ("numpy", "torch", "jax", "tensorflow"):
    try:
        found[name] = importlib.import_module(name)
    except Exception:  # whatever an incomplete installation raises
        pass
if not found:
    print("skipped: none of the frameworks can be imported")
    sys.exit(77)
np = found.get("numpy")


class Frameworks(unittest.TestCase):
    def test_in_and_out(self):
        make = {"numpy": lambda m: m.arange(6, dtype="float32").reshape(2, 3), "torch": lambda m: m.arange(6.0).reshape(2, 3),
                "jax": lambda m: m.numpy.arange(6, dtype="float32").reshape(2, 3), "tensorflow": lambda m: m.reshape(m.range(6.0), (2, 3))}
        pointer = {"numpy": lambda a: a.ctypes.data, "torch": lambda a: a.data_ptr(), "jax": lambda a: a.unsafe_buffer_pointer()}
        for name, module in found.items():
            with self.subTest(framework=name):
                theirs = make[name](module)
                x = vn.asarray(theirs)
                self.assertEqual((x.dtype, x.tolist()), (vn.float32, [[0, 1, 2], [3, 4, 5]]))
                back = getattr(vn, "to_" + name)(x * 2)
                self.assertEqual([float(v) for v in back[1]], [6, 8, 10])
                self.assertEqual((vn.ones((2, 3)) + theirs).tolist(), [[1, 2, 3], [4, 5, 6]])
                few = {"numpy": np.asarray if np else None, "torch": getattr(module, "tensor", None), "jax": lambda v: module.numpy.asarray(v), "tensorflow": getattr(module, "constant", None)}[name]
                self.assertEqual((vn.arange(3)[few([1, 2])].tolist(), vn.arange(3)[few([True, False, True])].tolist(), vn.arange(3)[few(1)].item()), ([1, 2], [0, 2], 1))
                if name in pointer and np is not None:
                    self.assertEqual(np.asarray(x).ctypes.data, pointer[name](theirs), "the memory is shared")

    @unittest.skipUnless(np, "there is no numpy")
    def test_nothing_is_copied(self):
        """The same memory, by pointers: results of every engine as arrays of every framework. XLA and TensorFlow take only memory aligned to 64 bytes, and other is copied."""
        pointer = {"numpy": lambda a: a.ctypes.data, "torch": lambda a: a.data_ptr(), "jax": lambda a: a.unsafe_buffer_pointer(), "tensorflow": lambda a: a._numpy().ctypes.data}
        shared = 0
        for engine, known in vn.engines().items():
            if not known["available"]:
                continue
            xp = vn.engine(engine)
            for dtype in ("float32", "int32", "uint8", "complex64"):
                for n in (1, 6, 1000):
                    x = (xp.arange(n, dtype=xp.int32) + 1).astype(dtype).eval()
                    at = vn.to_numpy(x).ctypes.data
                    for name in found:
                        theirs = getattr(vn, "to_" + name)(x)
                        if name in ("jax", "tensorflow") and at % 64:
                            continue
                        self.assertEqual(pointer[name](theirs), at, (engine, name, dtype, n))
                        self.assertEqual(vn.to_numpy(vn.asarray(theirs)).ctypes.data, at, (engine, name, dtype, n))  # and back
                        shared += 1
        self.assertGreater(shared, 60 * len(found) // 2)
        for name in found:  # nothing to share
            self.assertEqual(tuple(getattr(vn, "to_" + name)(vn.zeros((0, 3))).shape), (0, 3))

    @unittest.skipUnless(np, "there is no numpy")
    def test_they_compute_with_any_memory(self):
        """Also where it is aligned to 4 bytes only: TensorFlow would end the process."""
        total = {"numpy": lambda t: (t + t).sum(), "torch": lambda t: (t + t).sum(), "jax": lambda t: (t + t).sum(), "tensorflow": lambda t: found["tensorflow"].reduce_sum(t[1:] + t[:-1]) + t[0] + t[-1]}
        room = np.zeros(4 * 40, np.uint8)
        begin = -room.ctypes.data % 64 + 4
        host = room[begin:begin + 4 * 5].view(np.float32)
        host[:] = [1, 2, 3, 4, 5]
        for engine in ("native", *found):
            for x in (vn.asarray(host), vn.engine(engine).asarray(host), vn.engine(engine).asarray(host) + 0, (vn.engine(engine).asarray([0.0, *host]) * 1)[1:]):
                for name in found:
                    self.assertEqual(float(total[name](getattr(vn, "to_" + name)(x))), 30, (engine, name))

    def test_in_any_order(self):
        """Imported before vinea, after it, or some before and some after: arrays go both ways, and one copy of each framework is in the process."""
        test = """
import vinea as vn
for engine in (*names, "native"):
    y = vn.engine(engine).asarray([1.0, 2.0]) * 2
    for name in names:
        assert vn.asarray(getattr(vn, "to_" + name)(y)).tolist() == [2, 4], (engine, name)
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps}
for library in ("libtorch_cpu.so", "libtensorflow_cc.so.2", "libjax_common.so", "_multiarray_umath"):
    assert sum(library in file for file in files) <= 1, library
print("good")
"""
        half = len(found) // 2
        for order in (("vinea", *found), (*found, "vinea"), (*[*found][::-1][:half], "vinea", *[*found][::-1][half:])):
            code = f"names = {[*found]}\n" + "\n".join(f"import {name}" for name in order) + test
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertEqual((done.stdout, done.returncode), ("good\n", 0), (order, done.stderr))

    @unittest.skipUnless(np, "there is no numpy")
    def test_bools_that_change(self):
        """Bytes other than 0 and 1 that are written through shared memory are never computed with, on any engine."""
        for engine, known in vn.engines().items():
            if not known["available"]:
                continue
            with self.subTest(engine=engine):
                xp, host = vn.engine(engine), np.asarray([True, False, True])
                x = xp.asarray(host)
                host.view(np.uint8)[:] = 77
                self.assertEqual((xp.sum(x).item(), (~x).tolist()), (2, [False, True, False]))
                if "torch" in found:  # which writes to memory that is read-only
                    theirs = vn.to_torch(x)
                    theirs.view(found["torch"].uint8).fill_(77)
                    self.assertEqual(xp.sum(x).item(), 2)
                    theirs = found["torch"].tensor([True, False, True])
                    x = xp.asarray(theirs)
                    theirs.view(found["torch"].uint8).fill_(77)
                    self.assertEqual(xp.sum(x).item(), 2)

    @unittest.skipUnless("torch" in found, "PyTorch is not here")
    def test_negated_and_conjugated(self):
        t = found["torch"].tensor([1 + 2j, -3j]).conj()
        self.assertEqual(vn.asarray(t).tolist(), [1 - 2j, 3j])
        self.assertEqual(vn.asarray(t.imag).tolist(), [-2, 3])
        self.assertEqual(vn.from_dlpack(t.imag).tolist(), [-2, 3])

    def test_memory_lives(self):
        """What a framework got keeps the memory."""
        for name in found:
            theirs = getattr(vn, "to_" + name)(vn.ones(5000) + 1)
            gc.collect()
            again = [vn.ones(5000) * k for k in range(8)]
            vn.eval(*again)
            self.assertEqual(float(theirs.sum() if name != "tensorflow" else found[name].reduce_sum(theirs)), 10000)

    @unittest.skipIf({"torch", "tensorflow"} <= set(found), "all of them are here")
    def test_with_all_of_them(self):
        """The same where PyTorch and TensorFlow can be imported, too, where that environment exists (tests/package/python-imports.sh makes it)."""
        python = pathlib.Path(__file__).resolve().parents[2] / ".venv-bench/bin/python"
        if not python.exists():
            self.skipTest("there is no .venv-bench")
        self.assertEqual(subprocess.run([python, "-B", __file__]).returncode, 0)

    def test_engines(self):
        for name in found:
            with self.subTest(engine=name):
                xp = vn.engine(name)
                x = xp.asarray(vn.asarray([1.0, 2.0]))
                self.assertEqual((x.engine, (x * x).tolist()), (name, [1, 4]))


if __name__ == "__main__":
    unittest.main()
