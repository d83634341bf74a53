"""The committed types and the reference of the package are those that python/tools prints."""
# ctest: seconds 1
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
        self.assertEqual((root / "python/vinea/__init__.pyi").read_text(), stubs.text(), "run `make stubs`")

    def test_reference_up_to_date(self):
        self.assertEqual((root / "docs/python-api.md").read_text(), reference.text(), "run `make stubs`")

    def test_reference_is_whole(self):
        text = (root / "docs/python-api.md").read_text()
        for name in vn.__all__:
            if callable(getattr(vn, name)) and name != "DType":
                self.assertIn(f"`vn.{name}", text)

    def test_valid(self):
        compile(stubs.text(), "vinea.pyi", "exec")


if __name__ == "__main__":
    unittest.main()
