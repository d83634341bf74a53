"""The notebooks of docs/notebooks run, and show what is stored in them."""
# ctest: seconds 3
# ctest: frameworks
import importlib.util
import json
import pathlib
import sys
import unittest

for name in ("numpy", "scipy", "jax"):
    if not importlib.util.find_spec(name):
        print(f"skipped: there is no {name}")
        sys.exit(77)
root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "python/tools"))
import notebooks  # noqa: E402


def shown(book):
    """What the cells show, as texts; of a report, whose times differ, only that it is one."""
    for cell in book["cells"]:
        for output in cell.get("outputs", ()):
            page = "".join(output.get("data", {}).get("text/html", ""))
            if page.startswith("<iframe"):
                yield "a report" if "srcdoc" in page and len(page) > 10000 else page
            else:
                yield "".join(output.get("text") or output["data"]["text/plain"])
                yield page


class Notebooks(unittest.TestCase):
    def test_notebooks(self):
        files = sorted((root / "docs/notebooks").glob("*.ipynb"))
        self.assertGreaterEqual(len(files), 3)
        for file in files:
            with self.subTest(notebook=file.name):
                stored = json.loads(file.read_text(encoding="utf-8"))
                self.assertEqual((stored["nbformat"], all("id" in cell for cell in stored["cells"])), (4, True))
                self.assertEqual(list(shown(notebooks.run(file))), list(shown(stored)), "run `make notebooks` if that is right")


if __name__ == "__main__":
    unittest.main()
