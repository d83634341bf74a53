"""pages.py BUILD TO: prepares the Markdown of the documentation site in the folder TO, from docs/, the headers, the op table and the notebooks.

docs/README.md is the front page; the links of its sections are the tree of the sidebar. A link to a file that is no page becomes the name of that file.
"""
import os
import pathlib
import re
import shutil
import sys

root = pathlib.Path(__file__).resolve().parents[2]
build, to = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(build / "python"))

import headers
import notebook
import objects
import reference
import vinea as vn
from vinea import _namespace

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]*)(#[^)\s]*)?\)")
TOP = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")  # pages of the repository's first folder
RESULTS = "conformance/results/index.html"
CPP = ("cplusplus.h",)  # the C macros again, for C++


def page_of(file):
    """Where a file of the repository is in the site, or None."""
    name = file.as_posix()
    if name == "docs/README.md":
        return "index.md"
    if name in TOP:
        return f"about/{file.name.lower()}"
    if name.startswith("docs/") and file.suffix in (".md", ".png", ".svg"):
        return name.removeprefix("docs/")
    if name.startswith("docs/notebooks/"):
        return f"notebooks/{file.stem}.md"
    if name.startswith("include/vinea/") and name not in printed:
        return f"headers/{file.stem}{'-cpp' if file.suffix == '.hpp' else ''}.md"
    if name in printed:
        return "ops.md"
    return "conformance/index.html" if name == RESULTS else None


def linked(text, source):
    """The text with its links as they are in the site."""
    here = pathlib.Path(page_of(source)).parent

    def replace(match):
        mark, label, target, anchor = match.groups()
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        file = pathlib.Path(os.path.normpath(source.parent / target))
        page = page_of(file)
        if page is None:
            if not (root / file).exists():
                raise SystemExit(f"{source}: {target} does not exist")
            return label if mark or label.startswith("`") or label.startswith("[") else f"{label} (`{file}`)" if file.name not in label else f"`{label}`"
        address = os.path.relpath(page, here) + (anchor or "")
        return f'<a href="{address}">{label}</a>' if page.endswith(".html") else f"{mark}[{label}]({address})"

    text = re.sub(r"\[!\[[^\]]*\]\([^)]*/badges/[^)]*\)\]\([^)]*\)\s*", "", text)  # the site has the page that badges sum up
    return LINK.sub(replace, text).replace("```csv", "```text")


def write(name, text):
    file = to / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def tree(caption, pages):
    return f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(page.removesuffix(".md") for page in pages) + "\n```\n"


def front(text, ops, api):
    """The front page: docs/README.md with the sidebar's trees."""
    trees, seen = "", set()
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        links = [m[3] for m in LINK.finditer(part) if m[3].endswith(".md") and m[3] not in seen]
        links = [page for page in links if page != "ops.md" and not page.startswith("headers/")]
        seen.update(links)
        trees += tree(part.split("\n", 1)[0], links)
    trees += tree("Objects", ["reference/objects.md"])
    trees += tree("Ops", ["ops.md", *(f"reference/{name}.md" for name in ops)])
    trees += tree("Headers", api)
    trees += tree("About", [f"about/{name.lower()}" for name in TOP])
    welcome = re.search(r"^# Vinea\n\n(.*?)\n\n```c", (root / "README.md").read_text(), re.S)[1]
    return re.sub(r"^# .*$", lambda _: f"# Vinea\n\n{welcome}\n\n## Documentation, in reading order", text, count=1, flags=re.M) + trees


if to.exists():
    shutil.rmtree(to)
families = re.findall(r"HEADER\((\w+)\)", "".join(f.read_text() for f in (root / "src/ops/table").glob("*.def")))
printed = {f"include/vinea/{name}" for name in ["ops.h", "ops.hpp", *(f"{f}.h" for f in families)]}
(to / "reference").mkdir(parents=True)
rows = {row["name"]: row for _, row in _namespace._rows}
ops = reference.write(to / "reference", root, build, vn, rows, os.environ.get("CC", "cc"))
write("reference/objects.md", objects.page(root / "examples/objects"))
api = []
for file in sorted((root / "include/vinea").glob("*.h*"), key=lambda f: (f.name != "vinea.h", f.name)):
    name = file.relative_to(root)
    if name.as_posix() not in printed and file.name not in CPP:
        api.append(page_of(name))
        write(api[-1], headers.page(file))
for file in sorted([*(root / "docs").rglob("*.md"), *(root / name for name in TOP)]):
    name = file.relative_to(root)
    if "site" not in name.parts:
        text = linked(file.read_text(), name)
        write(page_of(name), front(text, ops, api) if name.as_posix() == "docs/README.md" else text)
for file in (root / "docs/notebooks").glob("*.ipynb"):
    write(page_of(file.relative_to(root)), linked(notebook.page(file), file.relative_to(root)))
shutil.copytree(root / "docs/pictures", to / "pictures")
(to / "extra/conformance").mkdir(parents=True)
shutil.copy(root / RESULTS, to / "extra/conformance/index.html")
shutil.copy(root / "docs/site/conf.py", to / "conf.py")
(to / "VERSION").write_text(vn.__version__ + "\n")
