"""The Python examples of docs/python.md print what the page says. Blocks of a page run in order; a ```text block shows the output of the one before it."""
# ctest: seconds 3
import contextlib
import io
import pathlib
import re
import unittest

root = pathlib.Path(__file__).resolve().parents[2]


class Docs(unittest.TestCase):
    def test_page(self):
        page = (root / "docs/python.md").read_text()
        names, shown = {"__name__": "page"}, 0
        for mark, code, output in re.findall(r"(<!-- shown -->\n)?```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", page, re.S):
            if mark:
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, "docs/python.md", "exec"), names)
            self.assertEqual(printed.getvalue(), output, code)
            shown += 1
        self.assertGreaterEqual(shown, 5)


if __name__ == "__main__":
    unittest.main()
