"""Arrays of other libraries in and out: buffers, DLPack, NumPy; without copies where that is possible."""
# ctest: seconds 1
# ctest: sanitize
import array
import ctypes
import gc
import pathlib
import sys
import tempfile
import unittest

import vinea as vn

try:
    import numpy as np
except ImportError:
    np = None
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None


class Exchange(unittest.TestCase):
    def test_buffers(self):
        data = array.array("f", [1, 2, 3])
        x = vn.asarray(data)
        self.assertEqual((x.dtype, x.tolist()), (vn.float32, [1, 2, 3]))
        self.assertRaises(BufferError, data.append, 4)  # x has the memory
        del x
        gc.collect()
        data.append(4)
        view = memoryview(vn.asarray([[1, 2], [3, 4]], dtype="int32"))
        self.assertEqual((view.format, view.shape, view.strides, view.readonly, view.tolist()), ("i", (2, 2), (8, 4), True, [[1, 2], [3, 4]]))
        self.assertEqual(bytes(vn.asarray([1, 2], dtype="uint8")), b"\1\2")
        self.assertRaises(BufferError, memoryview, vn.zeros(2, "bfloat16"))

    @unittest.skipUnless(np, "there is no numpy")
    def test_functions_of_numpy(self):
        """NumPy's own elementwise functions compute with Vinea's, where derivatives pass; others with arrays of NumPy's."""
        x, host = vn.asarray([1.0, 2.0]), np.asarray([3, 4], np.float32)
        for f, want in ((lambda: np.sin(x), vn.sin(x)), (lambda: np.arctan2(x, host), vn.atan2(x, host)), (lambda: np.power(x, 2), x**2), (lambda: host + x, x + host), (lambda: host @ x, x @ vn.asarray(host)),
                        (lambda: np.float32(2) * x, x * 2), (lambda: host <= x, vn.asarray([False, False])), (lambda: np.std(x), vn.std(x)), (lambda: np.var(x, ddof=1), vn.var(x, correction=1)), (lambda: np.mean(x), vn.mean(x))):
            got = f()
            self.assertEqual((type(got), got.dtype, got.tolist()), (vn.Array, want.dtype, want.tolist()))
        for f, want in ((lambda: np.add.reduce(x), 3), (lambda: np.multiply.outer(x, x), [[1, 2], [2, 4]]), (lambda: np.add(x, x, dtype="float64"), [2, 4]), (lambda: np.rint(x), [1, 2]), (lambda: np.dot(x, x), 5)):
            got = f()
            self.assertEqual((type(got).__module__, got.tolist()), ("numpy", want))
        host += x
        self.assertEqual((type(host), host.tolist()), (np.ndarray, [4, 6]))
        self.assertEqual(vn.grad(lambda v: vn.sum(np.square(v) * host))(x).tolist(), [8, 24])
        self.assertRaisesRegex(RuntimeError, "stop_gradient", vn.grad(lambda v: np.add.reduce(v)), x)
        with vn.use("native"):
            self.assertEqual((host + vn.ones(2)).engine, "native")
        self.assertRaises(TypeError, np.add, x, "text")

    def test_files(self):
        tree = {"w": vn.asarray([1.5, 2.0]), "layers": [vn.zeros((0, 2)), {"b": vn.asarray(3, dtype="int8")}], "steps": 4, "none": None}
        as_dicts = {"w": [1.5, 2], "layers": {"0": [], "1": {"b": 3}}, "steps": 4, "none": None}
        lists = lambda t: {k: lists(v) for k, v in t.items()} if isinstance(t, dict) else t.tolist() if isinstance(t, vn.Array) else t
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tree.safetensors")
            vn.save(path, tree)
            for copy in (False, True):
                self.assertEqual(lists(vn.load(path, copy=copy)), as_dicts)
            vn.save(folder + "/one.npy", tree["w"])
            vn.save(folder + "/all.npz", {"w": tree["w"]})
            self.assertEqual((vn.load(folder + "/one.npy").tolist(), lists(vn.load(folder + "/all.npz"))), ([1.5, 2], {"w": [1.5, 2]}))
            if np:
                self.assertEqual((np.load(folder + "/one.npy").tolist(), np.load(folder + "/all.npz")["w"].tolist()), ([1.5, 2], [1.5, 2]))
            path.write_bytes(b"no safetensors" * 9)
            self.assertRaises(ValueError, vn.load, path)
            self.assertRaises(FileNotFoundError, vn.load, folder + "/nothing")
            self.assertRaises(FileNotFoundError, vn.save, folder + "/nowhere/x.npz", tree["w"])
            self.assertRaises(TypeError, vn.save, path, {"a": object()})
            self.assertRaises(TypeError, vn.save, 3, tree)
            tree["self"] = tree
            self.assertRaises(ValueError, vn.save, path, tree)

    def test_dlpack_alone(self):
        x = vn.asarray([[1.0, 2.0]])
        y = vn.from_dlpack(x, copy=True)
        self.assertEqual((y.tolist(), x.__dlpack_device__()), ([[1, 2]], (1, 0)))
        self.assertEqual(vn.from_dlpack(vn.zeros((0, 3))).shape, (0, 3))
        x.__dlpack__()
        x.__dlpack__(max_version=(1, 0))  # capsules that are never taken
        self.assertRaises(TypeError, vn.from_dlpack, 3)
        self.assertRaises(BufferError, lambda: x.__dlpack__(dl_device=(2, 0)))

    @unittest.skipUnless(np, "there is no numpy")
    def test_bools_that_change(self):
        host = np.asarray([True, False, True, True])
        taken = [vn.asarray(host), vn.from_dlpack(host), vn.asarray(memoryview(host))]
        host.view(np.uint8)[:] = 77
        for x in taken:
            self.assertEqual((vn.sum(x).item(), x.tolist()), (3, [True, False, True, True]))
        self.assertRaises(ValueError, vn.asarray, host)  # these are none
        host = np.zeros(4, bool)
        for take in (vn.asarray, vn.from_dlpack):
            with self.assertRaisesRegex(ValueError, "bools need a copy"):
                take(host, copy=False)
        x = vn.asarray([True, False])
        given = np.from_dlpack(x)  # some libraries write to what they got, although it is read-only
        ctypes.memset(given.ctypes.data, 77, 2)
        self.assertEqual(vn.sum(x).item(), 1)

    @unittest.skipUnless(np, "there is no numpy")
    def test_strided_without_copy(self):
        class Old:  # only DLPack
            def __init__(self, x):
                self.x = x

            def __dlpack__(self, **options):
                return self.x.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.x.__dlpack_device__()

        a = np.arange(6.0).reshape(2, 3)
        self.assertEqual(vn.from_dlpack(Old(a), copy=False).tolist(), a.tolist())
        self.assertEqual(vn.from_dlpack(Old(a.T)).tolist(), a.T.tolist())
        self.assertRaises(ValueError, vn.from_dlpack, Old(a.T), copy=False)
        self.assertEqual(vn.from_dlpack(Old(a[:0]), copy=False).shape, (0, 3))

    @unittest.skipUnless(np, "there is no numpy")
    def test_numpy(self):
        for d in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128"):
            host = np.asarray([[0, 1], [1, 1]], dtype=d)
            x = vn.asarray(host)
            self.assertEqual((x.dtype.name, x.tolist()), (d, host.tolist()))
            back = np.asarray(x)
            taken = np.from_dlpack(x)
            self.assertEqual((back.dtype, back.tolist(), taken.dtype, taken.tolist()), (host.dtype, host.tolist(), host.dtype, host.tolist()))
            same = d != "bool"  # which are copied
            self.assertEqual((back.ctypes.data == host.ctypes.data, taken.ctypes.data == host.ctypes.data), (same, same))
            self.assertNotEqual(np.asarray(vn.asarray(host, copy=True)).ctypes.data, host.ctypes.data)
        strided = np.arange(12.0).reshape(3, 4)[:, ::-2]
        self.assertEqual(vn.asarray(strided).tolist(), strided.tolist())
        self.assertRaises(ValueError, vn.asarray, strided, copy=False)
        self.assertEqual(vn.asarray(np.float32(2.5)).tolist(), 2.5)
        self.assertEqual(vn.asarray([np.float64(1), np.asarray([2.0])[0]]).tolist(), [1, 2])
        both = np.asarray([1.0, 2.0]) * vn.asarray([2.0, 3.0])
        self.assertIsInstance(both, vn.Array)
        self.assertEqual((vn.asarray([1.0]) + np.asarray([2.0])).tolist(), [3])
        self.assertEqual(vn.add(np.asarray([1.0]), np.asarray([2.0])).tolist(), [3])
        self.assertRaises(TypeError, vn.asarray, np.asarray(["a"]))
        self.assertEqual(vn.to_numpy(vn.asarray([1, 2], dtype="bfloat16")).tolist(), [1, 2])
        self.assertEqual(vn.to_numpy(vn.zeros((2, 0), dtype="bfloat16")).shape, (2, 0))
        self.assertEqual(vn.zeros(3, np.float64).dtype, vn.float64)
        self.assertEqual(vn.zeros(3, np.dtype("int8")).dtype, vn.int8)

    @unittest.skipUnless(ml_dtypes, "there is no ml_dtypes")
    def test_bfloat16(self):
        a = np.asarray([[1, -2.5, 3e38], [0, np.inf, np.nan]], ml_dtypes.bfloat16)
        x = vn.asarray(a)
        self.assertEqual((x.dtype, x.shape, repr(x.tolist())), (vn.bfloat16, (2, 3), repr(a.tolist())))
        self.assertEqual(vn.from_dlpack(vn.asarray(a, copy=False)).dtype, vn.bfloat16)
        back = np.asarray(x)
        self.assertEqual((back.dtype, vn.to_numpy(x[:, ::2]).dtype), (a.dtype, a.dtype))
        self.assertEqual(back.tobytes(), a.tobytes())
        self.assertEqual(np.asarray(x, dtype="float32").dtype, np.float32)
        self.assertEqual(repr(vn.asarray(a[:, ::-2]).tolist()), repr(a[:, ::-2].tolist()))
        self.assertRaises(ValueError, vn.asarray, a[:, ::-2], copy=False)
        self.assertEqual((vn.asarray(a[0, 1]).tolist(), vn.asarray(a[:0]).shape, vn.zeros(1, a.dtype).dtype), (-2.5, (0, 3), vn.bfloat16))
        a[0, 0] = 7
        self.assertEqual(vn.asarray(a)[0, 0].item(), 7)
        self.assertRaises(TypeError, vn.asarray, a.astype(ml_dtypes.float8_e4m3fn))

    @unittest.skipUnless(np, "there is no numpy")
    def test_byte_orders(self):
        for a in (np.arange(-2, 3, dtype=">i4"), np.asarray([1.5, -2], dtype=">f8"), np.asarray([1 + 2j, -3j], dtype=">c8"), np.asarray([1 + 2j], dtype=">c16"), np.asarray(5, dtype=">i8"),
                  np.arange(6, dtype=">u2").reshape(2, 3)[:, ::2], np.asarray([0.5], dtype=">f2")):
            with self.subTest(dtype=a.dtype):
                x = vn.asarray(a)
                self.assertEqual((str(x.dtype), x.shape, x.tolist()), (a.dtype.newbyteorder("=").name, a.shape, a.tolist()))
                with self.assertRaisesRegex(ValueError, "other byte orders"):
                    vn.asarray(a, copy=False)
        self.assertEqual((vn.ones(2) + np.asarray([1, 2], dtype=">f4")).tolist(), [2, 3])

    @unittest.skipUnless(np, "there is no numpy")
    def test_values_to_be_negated(self):
        """As PyTorch has them: the memory does not hold the values, and DLPack cannot say so."""
        class Marked:
            def __init__(self, negated, conjugated):
                self.marks = negated, conjugated

            def is_neg(self):
                return self.marks[0]

            def is_conj(self):
                return self.marks[1]

            def resolve_neg(self):
                self.marks = False, self.marks[1]
                return self

            def resolve_conj(self):
                self.marks = self.marks[0], False
                return self

            def __dlpack__(self, **options):
                return np.asarray([1.0 if any(self.marks) else 2.0]).__dlpack__()

            def __dlpack_device__(self):
                return 1, 0

        for marks in ((True, False), (False, True), (True, True), (False, False)):
            self.assertEqual(vn.asarray(Marked(*marks)).tolist(), [2])
        with self.assertRaisesRegex(ValueError, "copy=False"):
            vn.asarray(Marked(True, False), copy=False)

    @unittest.skipUnless(np, "there is no numpy")
    def test_numpy_scalars(self):
        """NumPy's scalars have a dtype, also those that are Python floats: as in NumPy, they keep it in arrays and expressions."""
        for value in (np.float64(3.0), np.complex128(1 + 2j), np.float32(1), np.int64(4), np.int8(4), np.bool_(True)):
            self.assertEqual((vn.asarray(value).dtype.name, vn.asarray(value).item()), (value.dtype.name, value.item()))
            self.assertEqual(vn.asarray([value, value]).dtype.name, value.dtype.name)
            if not isinstance(value, np.integer):  # integers beside floats: the standard has no rule, and NumPy's is its own
                self.assertEqual((vn.ones(2) * value).dtype.name, (np.ones(2, "float32") * value).dtype.name, repr(value))
        self.assertEqual((vn.asarray([1.5, np.float64(2)]).dtype, vn.asarray([1j, np.float64(2)]).dtype), (vn.float64, vn.complex128))
        self.assertEqual((vn.asarray(1.5).dtype, vn.asarray([1.5]).dtype, (vn.ones(2) * 1.5).dtype), (vn.float32, vn.float32, vn.float32))
        self.assertEqual((vn.asarray(0.1) + np.float64(0.1)).dtype, vn.float64)
        self.assertEqual(vn.sum(vn.ones((2, 2)), axis=0, keepdims=np.bool_(True)).shape, (1, 2))
        big = np.arange(3000.0)
        self.assertEqual(vn.asarray(list(big)).tolist(), big.tolist())

    @unittest.skipUnless(np, "there is no numpy")
    def test_text_is_numpys(self):
        rng = np.random.default_rng(0)
        for k in range(300):
            x = rng.normal(size=tuple(rng.integers(0, 6, rng.integers(0, 4)))) * 10.0 ** rng.integers(-3, 9)
            x = np.asarray(np.round(x) if k % 5 == 0 else x * 10.0 ** rng.integers(-200, 200) if k % 5 == 1 else x)
            if x.size and k % 5 > 2:
                x.flat[-1] = [np.nan, -np.inf][k % 5 - 3]
            with np.errstate(all="ignore"):
                x = x.astype(["float64", "int64", "bool", "int8", "complex128"][k % 7 % 5])
            self.assertEqual(str(vn.asarray(x)), str(x))
        for x in (np.arange(5000), np.arange(1001) / 7, np.arange(10000).reshape(100, 100), np.zeros((30, 40, 5)), np.arange(40) * 1000000007):
            self.assertEqual(str(vn.asarray(x)), str(x))

    @unittest.skipUnless(np, "there is no numpy")
    def test_memory_lives(self):
        x = vn.asarray(np.arange(1000.0)) + 0
        back = vn.to_numpy(x)
        del x
        gc.collect()
        self.assertEqual(back.sum(), 499500)

    @unittest.skipUnless(np, "there is no numpy")
    def test_memory_changes(self):
        """Shared memory must not change while an array is used. Where it does, results are wrong, and nothing else happens."""

        def wrong(dtype, value, f, n=1000):
            host = np.zeros(n, dtype)
            host[:1] = 1
            z = f(vn.ones(n), vn.asarray(host), n)
            host[:] = value
            try:
                self.assertGreaterEqual(vn.to_numpy(z).size, 0)
            except (ValueError, IndexError, RuntimeError):
                pass

        for value in (10**12, -(10**15)):
            for f in (lambda x, v, n: x[v], lambda x, v, n: vn.index_add(x, v, x, axis=0), lambda x, v, n: vn.index_set(x, v, x, axis=0), lambda x, v, n: vn.take_along_axis(x, v, axis=0),
                      lambda x, v, n: vn.put_along_axis(x, v, x), lambda x, v, n: vn.scatter_nd(x, v.reshape(n, 1), x), lambda x, v, n: vn.embedding(v, x.reshape(n, 1)),
                      lambda x, v, n: vn.bincount(v, length=n), lambda x, v, n: vn.repeat_counts(x, v, axis=0), lambda x, v, n: vn.searchsorted(x, x, sorter=v),
                      lambda x, v, n: vn.slice(x, v[:1], (1,)), lambda x, v, n: vn.cross_entropy(vn.broadcast_to(x[:, None], (n, 2)), v)):
                wrong(np.int64, value, f)
        for value in (True, False):
            for f in (lambda x, v, n: x[v], lambda x, v, n: vn.nonzero(v)[0], lambda x, v, n: vn.where(v, x, 0), lambda x, v, n: vn.unique_values(v)):
                wrong(bool, value, f)
        self.assertEqual((vn.ones(3) + 1).tolist(), [2, 2, 2])

    def test_no_leaks(self):
        def work():
            x = vn.asarray([1.0, 2.0, 3.0])
            y = (x + 1) * x[1:].sum() + vn.exp(x)
            y[0] = 2
            vn.topk(y, 2)
            y.tolist()
            memoryview(y)
            y.__dlpack__(max_version=(1, 0))
            try:
                x @ vn.zeros((2, 2))
            except ValueError:
                pass

        work()
        gc.collect()
        before = vn.memory()
        for _ in range(2000):
            work()
        gc.collect()
        after = vn.memory()
        self.assertLessEqual(after["handles"], before["handles"] + 8)
        self.assertLessEqual(after["nodes"], before["nodes"] + 8)

    def test_copies_are_apart(self):
        """A copy has memory of its own, whatever happens to the memory that the array was made over."""
        for code, kind in (("f", vn.float32), ("d", vn.float64), ("q", vn.int64), ("b", vn.int8)):
            memory = array.array(code, [1, 2, 3])
            x = vn.asarray(memory)
            copies = x.copy(), vn.array(x), vn.asarray(x, copy=True)
            memory[0] = 7
            self.assertEqual([c.tolist() for c in copies], [[1, 2, 3]] * 3)
            self.assertEqual([c.dtype for c in copies], [kind] * 3)
        odd = vn.asarray([-0.0, float("inf"), float("nan")])
        self.assertEqual(str(odd.copy()), str(odd))
        z = vn.asarray([complex(float("inf"), -1)])
        self.assertEqual(z.copy().tolist(), z.tolist())
        self.assertEqual((vn.zeros((0, 2)).copy().shape, vn.asarray(True).copy().item()), ((0, 2), True))


if __name__ == "__main__":
    unittest.main()
