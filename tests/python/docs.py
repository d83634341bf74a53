"""The Python examples of the documentation print what the pages say. Blocks of a page run in order; a ```text block shows the output of the one before it."""
# ctest: seconds 3
import contextlib
import io
import pathlib
import re
import types
import unittest

import vinea as vn

root = pathlib.Path(__file__).resolve().parents[2]


class Docs(unittest.TestCase):
    def check(self, name):
        page, names, shown = (root / "docs" / name).read_text(), {"__name__": "page"}, 0
        for mark, code, output in re.findall(r"(<!-- shown -->\n)?```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.S):
            if mark:
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, name, "exec"), names)
            self.assertEqual(printed.getvalue(), output, code)
            shown += 1
        return shown

    def test_names(self):
        """What pages call vn.something is there."""
        for page in (*(root / "docs").glob("*.md"), root / "README.md", root / "python/README.md"):
            for path in set(re.findall(r"(?<![\w.])vn((?:\.[A-Za-z_]\w*)+)", page.read_text())):
                found = vn
                for name in path[1:].split("."):
                    if not isinstance(found, (types.ModuleType, type)):  # an attribute of what a function returns
                        break
                    self.assertTrue(hasattr(found, name), f"{page.name}: vn{path}")
                    found = getattr(found, name)

    def test_pages(self):
        self.assertGreaterEqual(self.check("python.md"), 5)
        for page in ("quick-start.md", "from-numpy.md", "from-pytorch.md", "from-keras.md", "from-ivy.md"):
            with self.subTest(page=page):
                self.assertEqual(self.check(page), 1)


if __name__ == "__main__":
    unittest.main()
