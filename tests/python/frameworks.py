"""NumPy, PyTorch, JAX and TensorFlow in the same process, where they can be imported: arrays in and out, and their own engines."""
# ctest: seconds 10
# ctest: frameworks
import importlib
import sys
import unittest

import vinea as vn

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
                if name in pointer and np is not None:
                    self.assertEqual(np.asarray(x).ctypes.data, pointer[name](theirs), "the memory is shared")

    def test_engines(self):
        for name in found:
            with self.subTest(engine=name):
                xp = vn.engine(name)
                x = xp.asarray(vn.asarray([1.0, 2.0]))
                self.assertEqual((x.engine, (x * x).tolist()), (name, [1, 4]))


if __name__ == "__main__":
    unittest.main()
