"""notebook.py: a notebook with its stored outputs as a page."""
import json


def output(item):
    if item["output_type"] == "stream":
        return f"```text\n{''.join(item['text']).rstrip()}\n```"
    data = item["data"]
    if "text/html" in data:
        return "```{raw} html\n" + "".join(data["text/html"]) + "\n```"
    return f"```text\n{''.join(data['text/plain']).rstrip()}\n```"


def page(path):
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        source = "".join(cell["source"])
        parts += [source] if cell["cell_type"] == "markdown" else [f"```python\n{source}\n```", *map(output, cell["outputs"])]
    return "\n\n".join(parts) + "\n"
