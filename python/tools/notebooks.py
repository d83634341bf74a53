"""notebooks.py FILE...: runs notebooks and stores what their cells print, as Jupyter would; `make notebooks`. The tests run them with `run` and compare.

Cells of a notebook share one namespace. What a cell prints is a stream; its last expression is shown as text, and as HTML where it has _repr_html_.
"""
import ast
import contextlib
import io
import json
import os
import sys
import tempfile


def execute(code, names):
    """The outputs of one cell."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    outputs = []
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(True)}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = value._repr_html_().splitlines(True)
        outputs.append({"data": data, "metadata": {}, "output_type": "execute_result"})
    return outputs


def run(path):
    """The notebook with new outputs. Its cells run in a temporary folder."""
    with open(path, encoding="utf-8") as file:
        book = json.load(file)
    names, count, before = {"__name__": "__main__"}, 0, os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for cell in book["cells"]:
                if cell["cell_type"] != "code":
                    continue
                count += 1
                cell["execution_count"], cell["outputs"] = count, execute("".join(cell["source"]), names)
                for output in cell["outputs"]:
                    if output["output_type"] == "execute_result":
                        output["execution_count"] = count
        finally:
            os.chdir(before)
    return book


if __name__ == "__main__":
    for name in sys.argv[1:]:
        made = run(name)
        with open(name, "w", encoding="utf-8") as file:
            json.dump(made, file, indent=1, ensure_ascii=False)
            file.write("\n")
