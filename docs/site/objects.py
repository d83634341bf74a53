"""objects.py: the programs of examples/objects as a page: each shows one family of objects. What a program prints stands in its last comment, which the test package.objects
compares with what it does print."""
import re

FORM = re.compile(r"/\* SPDX[^\n]*\n/\* ([^:]+): (.*?) \*/\n(.*?)\n+/\* prints\n(.*)\*/\n", re.S)


def section(file):
    form = FORM.fullmatch(file.read_text())
    if not form:
        raise SystemExit(f"{file}: it must begin with `/* Name: what it shows. */` and end with a comment of what it prints")
    title, about, code, printed = form.groups()
    about = re.sub(r"(?<!\w)((?:vn|VN)_\w+)", r"`\1`", re.sub(r"\s*\n \* ", " ", about))
    return f"## {title}\n\n{about[0].upper()}{about[1:]}\n\n```c\n{code.strip()}\n```\n\n```text\n{printed.rstrip()}\n```\n"


def page(folder):
    sections = [section(file) for file in sorted(folder.glob("*.c"))]
    return "# Objects by example\n\nA small program for each family of objects, with what it prints. They are in `examples/objects`, and the tests run them.\n\n" + "\n".join(sections)
