"""vn_from_arrow takes the columns of pyarrow's record batches, without a copy where that is possible, and pyarrow's memory is freed with the last array. pyarrow
comes from .venv-packages (requirements.txt, which `make test` installs)."""
# ctest: seconds 3
# ctest: frameworks
import ctypes
import gc
import importlib.util
import pathlib
import sys
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path += map(str, (root / ".venv-packages").glob("lib/python3.*/site-packages"))
if not importlib.util.find_spec("pyarrow"):
    print("skipped: there is no pyarrow (make test installs it)")
    sys.exit(77)
import pyarrow as pa

import vinea  # noqa: F401  its folder is in the build folder, beside the library

library = ctypes.CDLL(str(pathlib.Path(vinea.__file__).absolute().parents[2] / "libvinea.so"))
pointer, text = ctypes.c_void_p, ctypes.c_char_p
for name, result, *arguments in (
    ("vn_from_arrow", pointer, pointer, pointer, pointer), ("vn_tree_get", pointer, pointer, text), ("vn_tree_leaves", ctypes.c_int, pointer), ("vn_data", pointer, pointer),
    ("vn_size", ctypes.c_int64, pointer), ("vn_dtype_of", ctypes.c_int, pointer), ("vn_dtype_name", text, ctypes.c_int), ("vn_scope_begin", ctypes.c_int64),
    ("vn_scope_end", None, ctypes.c_int64), ("vn_message", text), ("vn_clear", None), ("vn_dim", ctypes.c_int64, pointer, ctypes.c_int)):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments

TYPES = {"float64": ctypes.c_double, "float32": ctypes.c_float, "int64": ctypes.c_int64, "int32": ctypes.c_int32, "int8": ctypes.c_int8, "uint16": ctypes.c_uint16, "bool": ctypes.c_bool}


def take(batch):
    """The tree of a batch."""
    schema, array = ctypes.create_string_buffer(72), ctypes.create_string_buffer(80)
    batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
    return library.vn_from_arrow(ctypes.addressof(schema), ctypes.addressof(array), None)


def values(tree, name):
    x = library.vn_tree_get(tree, name.encode())
    kind = TYPES[library.vn_dtype_name(library.vn_dtype_of(x)).decode()]
    return list((kind * library.vn_size(x)).from_address(library.vn_data(x)))


class Batches(unittest.TestCase):
    def setUp(self):
        self.scope = library.vn_scope_begin()

    def tearDown(self):
        library.vn_clear()
        library.vn_scope_end(self.scope)

    def test_columns(self):
        batch = pa.record_batch({
            "wide": pa.array([0.5, None, 2.5]), "narrow": pa.array([1.5, 2.5, 3.5], pa.float32()), "whole": pa.array([1, 2, 3]), "small": pa.array([-1, 0, 1], pa.int8()),
            "flag": pa.array([True, False, True]), "species": pa.array(["b", "a", "b"]).dictionary_encode(), "kind": pa.array(["x", "", "y"]), "long": pa.array(["n", "m", "n"], pa.large_string()), "views": pa.array(["n", "a text of more than twelve bytes", "n"], pa.string_view()), "pairs": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int64(), 2))})
        tree = take(batch)
        self.assertTrue(tree, library.vn_message())
        self.assertEqual(library.vn_tree_leaves(tree), 10)
        wide = values(tree, "wide")
        self.assertTrue(wide[0] == 0.5 and wide[1] != wide[1] and wide[2] == 2.5)
        for name, expected in (("narrow", [1.5, 2.5, 3.5]), ("whole", [1, 2, 3]), ("small", [-1, 0, 1]), ("flag", [True, False, True]), ("species", [1, 0, 1]), ("kind", [1, 0, 2]), ("long", [1, 0, 1]), ("views", [1, 0, 1]), ("pairs", [1, 2, 3, 4, 5, 6])):
            self.assertEqual(values(tree, name), expected, name)
        self.assertEqual(library.vn_dim(library.vn_tree_get(tree, b"pairs"), 1), 2)

    def test_slices_and_no_copy(self):
        column = pa.array(range(1000))
        tree = take(pa.record_batch({"x": column, "flag": pa.array([i % 3 == 0 for i in range(1000)])}).slice(100, 50))
        self.assertEqual(values(tree, "x"), list(range(100, 150)))
        self.assertEqual(values(tree, "flag"), [i % 3 == 0 for i in range(100, 150)])
        self.assertEqual(library.vn_data(library.vn_tree_get(tree, b"x")), column.buffers()[1].address + 800)

    def test_memory_is_freed(self):
        before = pa.total_allocated_bytes()
        inner = library.vn_scope_begin()
        tree = take(pa.record_batch({"x": pa.array(range(100000)), "y": pa.array([0.5] * 100000)}))
        gc.collect()
        self.assertGreater(pa.total_allocated_bytes(), before + 1500000)
        self.assertEqual(values(tree, "x")[-1], 99999)
        library.vn_scope_end(inner)
        self.assertEqual(pa.total_allocated_bytes(), before)

    def test_refused(self):
        before = pa.total_allocated_bytes()
        for column, words in ((pa.array(["a", None]), "a null in row 1"), (pa.array([1, None]), "a null in row 1"), (pa.array([1, 2], pa.date32()), "dates"), (pa.array([[1], [2, 3]]), "integers"), (pa.array([10, 20]).dictionary_encode(), "decode it first")):
            self.assertFalse(take(pa.record_batch({"c": column})))
            self.assertIn(words, library.vn_message().decode())
            library.vn_clear()
        del column
        gc.collect()
        self.assertEqual(pa.total_allocated_bytes(), before)


unittest.main()
