"""A source distribution has every folder that the build of a wheel reads: it is that of the tree less its tests. package.wheel, of the full run, builds one."""
# ctest: seconds 1
import ast
import pathlib
import re
import unittest

root = pathlib.Path(__file__).resolve().parents[2]


class SourceDistribution(unittest.TestCase):
    def test_folders(self):
        tree = ast.parse((root / "python/tools/backend.py").read_text(encoding="utf-8"))
        content = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "CONTENT")
        for part in content:
            self.assertTrue((root / part).exists(), part)
        files = [f for f in [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")] if f.name != "Tests.cmake"]
        text = "\n".join(line for f in files for line in f.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#"))
        folders = {f.name for f in root.iterdir() if f.is_dir() and (f.name in text)}
        read = {f for f in folders if re.search(rf'(?<![\w/.}}>-]){f}/[\w$]', text)}
        self.assertLessEqual({"src", "engines", "groups", "images", "cmake"}, read)
        missing = {f for f in read if not any(part == f or part.startswith(f + "/") for part in content)}
        self.assertEqual(missing - {"tests", "build"}, set())


if __name__ == "__main__":
    unittest.main()
