"""How pip builds the package: scikit-build-core, and a source distribution that contains the library too.

The package stands in python/ of the source tree and is built with the CMake files beside it. A source distribution is that tree, less what the
build does not need, with this folder's pyproject.toml at its top.
"""
import gzip
import io
import pathlib
import re
import tarfile
import tempfile

from scikit_build_core.build import *  # noqa: F401,F403: the hooks that pip calls
from scikit_build_core.build import prepare_metadata_for_build_wheel

CONTENT = ["CMakeLists.txt", "LICENSE", "CHANGELOG.md", "README.md", "cmake", "src", "include", "engines", "groups", "images", "cli", "data", "python", "bench", "tools/gen", "conformance/report",
           "conformance/suite", "conformance/lines", "conformance/seeds", "conformance/cases", "conformance/known"]
SKIPPED = {"__pycache__", "build", "dist", "_skbuild"}


def _files(root):
    for part in map(root.joinpath, CONTENT):
        for path in sorted(part.rglob("*")) if part.is_dir() else [part]:
            if path.is_file() and not SKIPPED.intersection(path.relative_to(root).parts):
                yield path


def _project(text):
    """pyproject.toml with its paths as they are seen from the top of the tree."""
    for here, there in (('"../', '"'), ('source-dir = ".."', 'source-dir = "."'), ('backend-path = ["tools"]', 'backend-path = ["python/tools"]'),
                        ('readme = "README.md"', 'readme = "python/README.md"'), ('wheel.packages = ["vinea"]', 'wheel.packages = ["python/vinea"]')):
        if here not in text:
            raise ValueError(f"pyproject.toml has no {here}")
        text = text.replace(here, there)
    return text


def build_sdist(sdist_directory, config_settings=None):
    package = pathlib.Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        info = prepare_metadata_for_build_wheel(folder, config_settings)
        metadata = pathlib.Path(folder, info, "METADATA").read_text(encoding="utf-8")
    name = "vinea-" + re.search(r"^Version: (.*)$", metadata, re.M)[1]
    if (package / "PKG-INFO").exists():  # inside a source distribution
        root, project = package, (package / "pyproject.toml").read_text(encoding="utf-8")
    else:
        root, project = package.parent, _project((package / "pyproject.toml").read_text(encoding="utf-8"))

    def entry(path, data, mode=0o644):
        item = tarfile.TarInfo(f"{name}/{path}")
        item.size, item.mode = len(data), mode
        archive.addfile(item, io.BytesIO(data))

    made = pathlib.Path(sdist_directory, name + ".tar.gz")
    # Times are 0, so that the same sources give the same file.
    with open(made, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        entry("PKG-INFO", metadata.encode())
        entry("pyproject.toml", project.encode())
        for path in _files(root):
            if path != package / "pyproject.toml":
                entry(path.relative_to(root).as_posix(), path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
    return made.name
