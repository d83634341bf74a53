"""The committed types and the reference of the package are those that python/tools prints."""
# ctest: seconds 1
import inspect
import pathlib
import sys
import unittest

import vinea as vn

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python/tools"))
import reference  # noqa: E402
import stubs  # noqa: E402


class Stubs(unittest.TestCase):
    def test_up_to_date(self):
        for name, text in stubs.files().items():
            self.assertEqual((root / "python/vinea" / name).read_text(), text, "run `make stubs`")

    def test_parts_are_whole(self):
        """Every function and class of a part is in its file, every operator of arrays in the class."""
        files = stubs.files()
        for part in ("fft", "linalg", "nn", "random", "tree"):
            for name in getattr(vn, part).__all__:
                self.assertRegex(files.get(part + ".pyi") or files[part + "/__init__.pyi"], rf"(?m)^(def {name}\(|class {name}\b|{name}: |from \. import {name} )")
        for part in ("losses", "metrics", "updates"):
            for name in getattr(vn.nn, part).__all__:
                self.assertRegex(files[f"nn/{part}.pyi"], rf"(?m)^def {name}\(")
        array = files["__init__.pyi"].split("\nclass Array:")[1].split("\nclass ")[0]
        for name in vars(vn.Array):
            if name.startswith("__") and name not in dir(object) and name not in ("__delitem__", "__module__"):  # an element cannot be deleted
                self.assertRegex(array, rf"(?m)^    (def {name}\(|{name}: )")

    def test_classes(self):
        """A class of the package has the methods there that it has here, with their parameters."""
        for name in vn.__all__:
            kind = getattr(vn, name)
            if isinstance(kind, type) and kind not in (vn.Array, vn.DType, vn.EngineError):
                text = stubs.files()["__init__.pyi"].split(f"\nclass {name}:")[1].split("\ndef ")[0]
                for method in ("__init__", "__enter__", "__exit__", "__call__", "gradient"):
                    own = next((vars(k)[method] for k in kind.__mro__[:-1] if method in vars(k)), None)
                    self.assertEqual(f"def {method}(" in text, own is not None, f"{name}.{method}")
                    for parameter in inspect.signature(own).parameters if own else ():
                        self.assertRegex(text, rf"def {method}\([^\n]*\b{parameter}\b")

    def test_docs_speak_of_python(self):
        """Every function has a text, without names of C in it, and one that begins with a name leaves it as it is written."""
        parts = {"vn": vn, "nn": vn.nn, **{name: getattr(vn, name) for name in ("fft", "linalg", "random", "tree")}, **{name: getattr(vn.nn, name) for name in ("losses", "metrics", "updates")}}
        for where, module in parts.items():
            for name in module.__all__:
                f = getattr(module, name)
                if callable(f):
                    with self.subTest(name=f"{where}.{name}"):
                        self.assertTrue(f.__doc__)
                        self.assertNotRegex(f.__doc__, r"(?i)\bvn_|VN_(?!$)")
                        self.assertNotRegex(f.__doc__, r"^[A-Z][a-z]*_")

    def test_reference_up_to_date(self):
        self.assertEqual((root / "docs/python-api.md").read_text(), reference.text(), "run `make stubs`")

    def test_reference_is_whole(self):
        text = (root / "docs/python-api.md").read_text()
        for name in vn.__all__:
            if callable(getattr(vn, name)) and name != "DType":
                self.assertIn(f"`vn.{name}", text)

    def test_valid(self):
        for name, text in stubs.files().items():
            compile(text, name, "exec")


if __name__ == "__main__":
    unittest.main()
