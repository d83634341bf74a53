"""reference.py: a page for each section of the op table: every op in C and in Python, its options, and an example in both languages that was run.

The sections and their introductions are those of docs/ops.md. The examples are case lines (example.py); one C program runs all of them, Python runs them here, and both must print the
same. An op without an example is an error.
"""
import contextlib
import io
import inspect
import pathlib
import re
import subprocess
import tempfile

import example

ROW = re.compile(r"^\| `vn_array \*vn_(\w+)\(.*\)` \| (\w+) \| (.*?) \| (.*) \|$")


SHOW = "static void show(const char *text) { if (text) printf(\"%s\\n\", text); }\n#define puts show\n"  # a failed example prints nothing


def sections(page):
    """(title, introduction, [(op, kind, gradient, doc)]) of each section of docs/ops.md."""
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        title, text = part.split("\n", 1)
        ops = [ROW.match(line).groups() for line in text.splitlines() if ROW.match(line)]
        if ops:
            yield title, text.split("\n| op |")[0].strip(), ops


def slug(title):
    return re.sub(r"\W+", "-", title.lower()).strip("-")


def homes(vn):
    """{op: how Python calls it}"""
    found = {}
    for prefix, module in (("vn.random", vn.random), ("vn.fft", vn.fft), ("vn.linalg", vn.linalg), ("vn", vn)):
        found.update({name: f"{prefix}.{name}" for name in vars(module) if callable(getattr(module, name))})
    return found


def printed_by_python(source, vn):
    """What the lines print, or None if they cannot be called so."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(source, {"vn": vn})
    except Exception:  # another case may read as well and work; an op for which none does is reported
        return None
    return out.getvalue()


def run_c(sources, build, include, compiler):
    """What each of the fragments prints; None for one that fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "examples.c")
        functions = "".join(f"static void run_{i}(void)\n{{\n{source}\n}}\n" for i, source in enumerate(sources))
        calls = "".join(f"    {{ VN_SCOPE; run_{i}(); show(vn_status() ? \"\\f!\" : \"\\f\"); vn_clear(); }}\n" for i in range(len(sources)))
        file.write_text(f"#include <complex.h>\n#include <math.h>\n#include <stdbool.h>\n#include <stdio.h>\n#include <vinea/vinea.h>\n{SHOW}{functions}int main(void)\n{{\n{calls}    return vn_close();\n}}\n")
        program = pathlib.Path(folder, "examples")
        subprocess.run([compiler, "-std=c11", f"-I{include}", str(file), "-o", str(program), f"-L{build}", "-lvinea", "-lm", f"-Wl,-rpath,{build}"], check=True)
        parts = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.split("\f")
    return [None if after.startswith("!") else part.removeprefix("!").removeprefix("\n") for part, after in zip(parts, parts[1:])]


def examples(rows, headers, cases, vn, c):
    """{op: (lines of C, lines of Python, what they print)}: of each op the first case that both languages can write and that prints the same in both."""
    calls, found, tries = homes(vn), {}, 40
    for k in range(tries):
        waiting = {}
        for op in rows.keys() - found.keys():
            if k < len(cases.get(op, ())):
                case = cases[op][k]
                source = example.in_c(case, rows[op], headers.prototypes[op], headers)
                python = example.in_python(case, rows[op], headers.prototypes[op], calls[op], eval(calls[op], {"vn": vn}))
                printed = printed_by_python(python, vn) if source and python else None
                if printed:
                    waiting[op] = source, python, printed
        results = run_c([w[0] for w in waiting.values()], *c) if waiting else []
        found.update({op: w for (op, w), result in zip(waiting.items(), results) if result == w[2]})
    missing = sorted(rows.keys() - found.keys())
    if missing:
        raise SystemExit(f"no case line of these ops can serve as an example: {', '.join(missing)}; add one to conformance/cases that calls the op with a few plain numbers")
    return found


def entry(op, kind, gradient, doc, row, headers, function, shown):
    source, python, printed = shown
    lines = [f"## {op}\n", f"```c\n{headers.prototypes[op]}\n```", f"```python\n{function[0]}{function[1]}\n```\n", doc[0].upper() + doc[1:] + ".\n" if len(doc.split(" ", 1)[0]) > 1 else doc + ".\n"]
    options = [p for p in row["parameters"] if p[1] not in ("array", "arrays")]
    if options:
        lines += ["| option | type | default | |", "|---|---|---|---|"]
        lines += [f"| `{name}` | {'one of ' + ', '.join(f'`{t}`' for t in texts) if texts else type_} | {'' if required or default is None else f'`{default}`'} | {(about or '').replace('|', chr(92) + '|')} |"
                  for name, type_, required, default, texts, about in options]
        lines.append("")
    if len(row["outputs"]) > 1:
        lines.append(f"Results: {', '.join(f'`{o}`' for o in row['outputs'])}.\n")
    lines.append(f"{kind.capitalize()} op. Gradient: {gradient}.\n")
    lines += [f"```c\n{source}\n```", f"```python\n{python}\n```", f"```text\n{printed.rstrip()}\n```\n"]
    return "\n".join(lines)


def write(to, root, build, vn, rows, compiler):
    """Writes the pages; returns their names in order."""
    headers = example.Headers(root / "include/vinea")
    cases = example.candidates(sorted((root / "conformance/cases").glob("*.case")))
    shown = examples(rows, headers, cases, vn, (build, root / "include", compiler))
    calls, names = homes(vn), []
    for title, introduction, ops in sections((root / "docs/ops.md").read_text()):
        function = {op: (calls[op], signature(eval(calls[op], {"vn": vn}))) for op, *_ in ops}
        body = "\n".join(entry(op, kind, gradient, doc, rows[op], headers, function[op], shown[op]) for op, kind, gradient, doc in ops)
        names.append("ops-" + slug(title))
        (to / f"{names[-1]}.md").write_text(f"# {title}\n\n{introduction}\n\n{body}")
    return names


def signature(f):
    try:
        return str(inspect.signature(f)).replace("(/, ", "(")
    except (TypeError, ValueError):
        return "(...)"
