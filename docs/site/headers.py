"""headers.py: a header of include/vinea as a page: its comments are the text, its banners the headings, its declarations the code."""
import re
import textwrap

BANNER = re.compile(r"^/\* -+ (.+?) -+ \*/$")


def blocks(text):
    """("text", comment) and ("code", lines) in order; comments at the left margin are text, all others belong to the code."""
    lines, code = iter(line for line in text.splitlines() if "SPDX-License-Identifier" not in line), []
    for line in lines:
        if not line.startswith("/*") or "clang-format" in line or not line.rstrip().endswith("*/") and re.search(r"\*/.", line):
            code.append(line)
            continue
        comment = [line]
        while "*/" not in comment[-1]:
            comment.append(next(lines))
        if "".join(code).strip():
            yield "code", "\n".join(code).strip("\n")
        code = []
        yield "text", "\n".join(comment)
    if "".join(code).strip():
        yield "code", "\n".join(code).strip("\n")


def prose(comment):
    """A comment as Markdown: paragraphs, and what is indented as code."""
    lines = comment.removeprefix("/*").removesuffix("*/").splitlines()
    lines = [lines[0].strip()] + [re.sub(r"^ \* ?", "", line).rstrip() for line in lines[1:]]
    out, code = [], []
    for line in lines + [""]:
        if line.startswith("    ") and (code or not out or not out[-1] or out[-1].endswith(":")):
            code.append(line)
            continue
        if code:
            out += ["", "```text", *textwrap.dedent("\n".join(code)).splitlines(), "```", ""]
            code = []
        out.append(escaped(line))
    return "\n".join(out).strip()


def escaped(line):
    """Markdown's own signs as letters, names of the API as code."""
    line = re.sub(r"([\\*<>|$\[\]])", r"\\\1", line)
    return re.sub(r"(?<![`\w])((?:vn|VN|vinea)_\w+(?:\(\))?)(?![`\w])", r"`\1`", line) if "`" not in line else line


def without_guards(code):
    """Declarations without the preprocessor's frame."""
    lines = [line for line in code.splitlines() if not re.match(r"#(ifndef V\w+_H|ifndef __cplusplus|define V\w+_H$|define vn_\w+\(|include|ifdef __cplusplus|endif|pragma)|extern \"C\"|^[{}]$", line)]
    return with_defaults(re.sub(r"\bVN_API ", "", re.sub(r" VN_UNSET\b", "", "\n".join(lines)))).strip("\n")


def with_defaults(declaration):
    """What a call may leave out, as C++ writes it: opts VN_OR(NULL) is opts = NULL."""
    return re.sub(r"(?<!#define) VN_OR\(([^()]*)\)", r" = \1", declaration)


def page(path):
    title, parts = path.name, []
    for kind, text in blocks(path.read_text()):
        if kind == "code":
            code = without_guards(text)
            if code.strip():
                parts.append(f"```c\n{code}\n```")
        elif BANNER.match(text):
            parts.append(f"## {BANNER.match(text)[1]}")
        else:
            parts.append(prose(text))
    return f"# {title}\n\n" + "\n\n".join(parts) + "\n"
