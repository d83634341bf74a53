"""The committed types of the package are those that python/tools/stubs.py prints."""
# ctest: seconds 1
import pathlib
import sys
import unittest

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python/tools"))
import stubs  # noqa: E402


class Stubs(unittest.TestCase):
    def test_up_to_date(self):
        self.assertEqual((root / "python/vinea/__init__.pyi").read_text(), stubs.text(), "run `make stubs`")

    def test_valid(self):
        compile(stubs.text(), "vinea.pyi", "exec")


if __name__ == "__main__":
    unittest.main()
