"""example.py: an example of every op, in C and in Python, from the case lines that the tests compare on every engine.

A case line (conformance/lines/parse.c describes them) is a call with its inputs, so it can be written down as the call that a user would write. `choose` takes the line of an op that
reads best; `in_c` and `in_python` write it; the caller runs both and compares what they print.
"""
import inspect
import math
import re

from headers import with_defaults

DTYPES = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16",
          "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}
OPERAND = re.compile(rf"(?P<dtype>{'|'.join(sorted(DTYPES, key=len, reverse=True))})?(?:\((?P<shape>[\d,]*)\))?(?P<body>\[.*\]|\{{.*\}})$")
NUMBER = re.compile(r"[-+]?(\d|\.\d|inf|nan)[^=]*$")
FEW = 5
HOST_TYPES = {"bool": "bool", "float32": "float", "float64": "double", "complex64": "float _Complex", "complex128": "double _Complex"}


class Array:
    """An input: dtype, shape, and its elements in row-major order, as texts."""

    def __init__(self, dtype, shape, elements):
        self.dtype, self.shape, self.elements = dtype, shape, elements


class Case:
    """A call: `inputs` are Arrays, texts of numbers, or None for an absent one; `options` {name: text}."""

    def __init__(self, op, inputs, options):
        self.op, self.inputs, self.options = op, inputs, options


def words(line):
    """The words of a line, brackets kept together; a comment ends it."""
    found, depth, word = [], 0, ""
    for c in line.split(" #")[0].strip():
        depth += (c in "[({") - (c in "])}")
        if c.isspace() and not depth:
            found, word = found + [word] * bool(word), ""
        else:
            word += c
    return found + [word] * bool(word)


def nested_shape(body):
    """The shape of numbers in brackets, as "[[1 2] [3 4]]" shows it."""
    shape, depth, counts = [], 0, {}
    for token in re.findall(r"[\[\]]|[^\s\[\]]+", body):
        if token == "]":
            counts.setdefault(depth, []).append(shape.pop())
            depth -= 1
            continue
        if shape:
            shape[-1] += 1
        if token == "[":
            depth += 1
            shape.append(0)
    return tuple(counts[d][0] for d in sorted(counts))


def operand(word):
    """An input; raises ValueError for what a user would not write."""
    if word == "none":
        return None
    match = OPERAND.match(word)
    if match:
        elements = re.sub(r"[\[\]{}]", " ", match["body"]).split()
        if elements[-1:] == ["..."]:  # the elements repeated, to fill vectors and several threads: a few of them show as much
            if "," in (match["shape"] or ","):
                raise ValueError(word)
            return Array(DTYPES[match["dtype"] or "f32"], (min(len(elements) - 1, FEW),), elements[: min(len(elements) - 1, FEW)])
        shape = () if match["body"][0] == "{" else tuple(map(int, filter(None, match["shape"].split(",")))) if match["shape"] is not None else nested_shape(match["body"])
        if math.prod(shape) != len(elements):
            raise ValueError(word)
        return Array(DTYPES[match["dtype"] or "f32"], shape, elements)
    if NUMBER.match(word) and not word.endswith(("i", "j")):
        return word
    raise ValueError(word)


def read(line):
    """The call of a case line, or None if it shows an error or something unusual."""
    found = words(line)
    if "=" not in found or found[0].partition(".")[2] not in ("", "0"):
        return None
    inputs, options = [], {}
    try:
        for word in found[1 : found.index("=")]:
            name = re.match(r"[a-z_]\w*(?==|$)", word)
            if name and word != "none":
                options[name[0]] = word[len(name[0]) + 1 :] if "=" in word else "1"
            else:
                inputs.append(operand(word))
    except ValueError:
        return None
    return Case(found[0].partition(".")[0], inputs, options)


def awkwardness(case):
    """How little a case says to a reader: 0 is best."""
    arrays = [x for x in case.inputs if isinstance(x, Array)]
    elements = [e for x in arrays for e in x.elements]
    points = abs(sum(map(len, elements)) - 14) / 4 + 3 * len(case.options)
    points += 8 * any(re.search("inf|nan|0x|e[-+]?\\d\\d", e) for e in elements) + 25 * any(not x.elements for x in arrays)
    points += 4 * sum(x.dtype in ("float16", "bfloat16") or x.dtype.startswith("complex") for x in arrays) + sum(x.dtype not in ("float32", "bool", "int64") for x in arrays)
    points += 4 * (len(elements) < 3) + 6 * (len(set(elements)) < 2) + 2 * sum(x.shape == () for x in arrays) + 3 * sum(x is None for x in case.inputs[-1:])
    points += sum(3 * max(0, len(x.shape) - 2) + 4 * (x.dtype == "bool") for x in arrays)
    return points + 2 * any(max(x.shape, default=1) == 1 for x in arrays)


def candidates(files):
    """{op: its cases, the one that reads best first}"""
    found = {}
    for file in files:
        for line in file.read_text().splitlines():
            case = read(line) if line and line[0] != "#" else None
            if case:
                found.setdefault(case.op, []).append(case)
    return {op: sorted(cases, key=awkwardness) for op, cases in found.items()}


def nested(array, open_, close):
    """The elements in nested brackets."""

    def level(elements, shape):
        if not shape:
            return elements[0]
        step = len(elements) // shape[0] if shape[0] else 0
        return open_ + ", ".join(level(elements[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + close

    return level(array.elements, array.shape)


def declarations(case, prototype, form, write):
    """A line for each array among the inputs, which names it as the C function does, and {its name: how the input is passed then}."""
    names = re.findall(r"vn_array \*(?!const)(\w+)", prototype.split("(", 1)[1])
    lines, passed = [], {}
    for i, x in enumerate(case.inputs):
        name = names[i] if names else "abcdefghijkl"[i]
        if isinstance(x, Array):
            lines.append(form.format(name, write(x)))
        passed[name] = name if isinstance(x, Array) else write(x)
    return lines, passed


# ---- in Python -----------------------------------------------------------------------------------------------------------------------


def python_number(text):
    return {"nan": "vn.nan", "inf": "vn.inf", "-inf": "-vn.inf"}.get(text, text)


def python_array(x):
    if x is None or isinstance(x, str):
        return python_number(x) if x else "None"
    texts = [{"0": "False", "1": "True"}[e] if x.dtype == "bool" else python_number(e) for e in x.elements]
    if x.dtype.startswith("float") and texts and all(re.fullmatch(r"-?\d+", e) for e in texts):
        texts[0] += "."
    plain = {"float32": "float", "int64": "int", "bool": "bool"}.get(x.dtype)
    dtype = "" if plain and texts and (plain != "float" or any(re.search(r"[.e]|vn", e) for e in texts)) else f", dtype=vn.{x.dtype}"
    return f"vn.asarray({nested(Array(x.dtype, x.shape, texts), '[', ']')}{dtype})"


def python_option(kind, text):
    if kind == "flag":
        return str(text != "0")
    if kind == "dtype":
        return f"vn.{text}"
    if kind in ("text", "string"):
        return repr(text)
    if kind in ("int", "float", "number", "ints", "axis") and re.fullmatch(r"[-+.\deinfa]+", text):
        return python_number(text)
    values = [python_number(v) for v in text.split(",") if v]
    return values[0] if kind in ("axes", "reduce") and len(values) == 1 else f"({', '.join(values)}{',' * (len(values) == 1)})"


# What the functions of the Array API standard call an input or option of the op otherwise.
STANDARD = {"axis": ["axes"], "num": ["n"], "n_rows": ["rows"], "n_cols": ["columns"], "fill_value": ["value"], "x1": ["x"], "x2": ["y", "values"], "arrays": ["xs"], "indices": ["index"]}
# Where they differ in more than names: the last line, with {} for the op's own arguments.
SPECIAL = {"nonzero": "print(vn.stack(vn.nonzero(x), axis=1))", "tensordot": "print(vn.tensordot(x, y, axes=({x_axes}, {y_axes})))"}


def python_arguments(function, inputs, options):
    """Inputs by position as long as none is left out, options by name where the function permits it. None if it lacks a parameter for one of them."""
    given, written, by_position = inputs | options, [], True
    for name, parameter in inspect.signature(function).parameters.items():
        own = next((n for n in [name, *STANDARD.get(name, [])] if n in given), None)
        by_position = by_position and own is not None and (own in inputs or parameter.kind == parameter.POSITIONAL_ONLY)
        if own is not None:
            written.append(given.pop(own) if by_position else f"{name}={given.pop(own)}")
    return None if given else ", ".join(written)


def in_python(case, row, prototype, call, function):
    """The lines of the example, or None if it cannot be written; `call` is how the function is called."""
    kinds = {name: kind for name, kind, *_ in row["parameters"]}
    lines, inputs = declarations(case, prototype, "{} = {}", python_array)
    if "arrays" in kinds.values():
        inputs = {name: f"[{', '.join(inputs.values())}]" for name, kind in kinds.items() if kind == "arrays"}
    options = {name: python_option(kinds.get(name, "int"), text) for name, text in case.options.items()}
    if case.op in SPECIAL:
        return "\n".join([*lines, SPECIAL[case.op].format(**options)])
    arguments = python_arguments(function, inputs, options)
    first = "[0]" if len(row["outputs"]) > 1 else ""
    return None if arguments is None else "\n".join([*lines, f"print({call}({arguments}){first})"])


# ---- in C ----------------------------------------------------------------------------------------------------------------------------

PROTOTYPE = re.compile(r"VN_API (vn_array \*vn_(\w+)\((.*)\));")
STRUCT = re.compile(r"typedef struct (vn_\w+_opts) \{(.*?)\n\} \1;", re.S)
FIELD = re.compile(r"^    ([\w ]+?[ *]+)(\w+)(\[3\])? VN_UNSET;", re.M)


class Headers:
    """The prototypes of ops and the fields of their options, from the headers."""

    def __init__(self, folder):
        texts = [f.read_text() for f in sorted(folder.glob("*.h"))]
        self.prototypes = {m[2]: with_defaults(m[1]) for t in texts for m in PROTOTYPE.finditer(t)}
        self.fields = {m[1]: {f[2]: (f[1].strip() + (f[3] or "")) for f in FIELD.finditer(m[2]) if f[2] != "size" or "size_t" not in f[1]} for t in texts for m in STRUCT.finditer(t)}
        for t in texts:
            for m in re.finditer(r"typedef (vn_\w+_opts) (vn_\w+_opts);", t):
                self.fields[m[2]] = self.fields.get(m[1], {})


def c_number(text):
    return {"nan": "NAN", "inf": "INFINITY", "-inf": "-INFINITY"}.get(text, text)


def c_array(x):
    if x is None:
        return "VN_NONE"
    if isinstance(x, str):
        return f"vn_scalar({c_number(x)})"
    shape = f"VN_SHAPE({', '.join(map(str, x.shape))})" if x.shape else "VN_0D"
    if not x.elements:
        return f"vn_zeros({shape}, {c_dtype(x.dtype)})"
    half = x.dtype in ("float16", "bfloat16")
    host = "float" if half else HOST_TYPES.get(x.dtype, x.dtype + "_t")
    values = ", ".join(c_complex(e) if "Complex" in host else c_number(e) + (("f" if host == "float" else "") if re.search(r"[.e]", e) else "u" if len(e) > 18 else "") for e in x.elements)
    if x.dtype == "float32":
        return f"vn_from((float[]){{{values}}}, {shape})"
    made = f"vn_from_host(({host}[]){{{values}}}, {c_dtype('float32' if half else x.dtype)}, {shape})"
    return f"vn_cast({made}, {c_dtype(x.dtype)})" if half else made


def c_complex(text):
    value = complex(text)
    return f"{value.real!r} + {value.imag!r} * I".replace("+ -", "- ") if value.imag else repr(value.real)


def c_dtype(name):
    short = {"bool": "BOOL", "bfloat16": "BF16"}.get(name)
    return "VN_" + (short or re.sub(r"(u?)(int|float|complex)(\d+)", lambda m: (m[1] or m[2][0]).upper() + m[3], name))


def c_value(kind, text, options):
    """An option as a parameter or field of this C type; None where it is not given."""
    if kind == "vn_dtype":
        return c_dtype(text or "float32")
    if kind == "vn_axes":
        keep = options.get("keepdims", "0") != "0"
        return f"{'VN_KEEP' if keep else 'VN_AXES'}({text.replace(',', ', ')})" if text else "VN_ALL_KEEP" if keep else "VN_ALL"
    if text is None:
        return "VN_DEFAULT" if kind == "vn_shape" else None
    if kind == "vn_shape":
        return f"VN_SHAPE({text.replace(',', ', ')})" if text else "VN_0D"
    if kind.endswith("[3]"):
        return f"{{{text.replace(',', ', ')}}}"
    return f'"{text}"' if "char" in kind else "VN_ZERO" if text in ("0", "0.0") and "[field]" in kind else c_number(text)


def in_c(case, row, prototype, headers):
    """The lines of the example, or None if a parameter has no value."""
    lines, named = declarations(case, prototype, "vn_array *{} = {};", c_array)
    inputs = list(named.values())
    defaults = {name: text for name, kind, _, text, *_ in row["parameters"] if kind not in ("array", "arrays") and text not in (None, "none", "all", "nan")}
    written = []
    for parameter in re.search(r"\((.*)\)", prototype)[1].split(","):
        kind, name = re.match(r"\s*(.*?[ *])(\w+)( = \S+)?$", parameter).groups()[:2]
        kind = kind.strip()
        if kind == "vn_array *":
            written.append(inputs.pop(0) if inputs else "VN_NONE")
        elif kind == "vn_array *const *":
            written.append(f"(vn_array *[]){{{', '.join(inputs)}}}")
        elif kind == "int" and name == "n":
            written.append(str(len(inputs)))
        elif kind == "vn_array **":
            written.append("NULL")
        elif kind.endswith("_opts *"):
            struct = kind.split()[1]
            given = [f".{f} = {c_value(k + ('[field]' if k in ('double', 'int64_t') else ''), case.options[f], {})}" for f, k in headers.fields[struct].items() if f in case.options]
            written.append(f"VN_OPTS({struct[3:-5]}, {', '.join(given)})" if given else "NULL")
        else:
            value = c_value(kind, case.options.get(name, defaults.get(name)), case.options)
            if value is None:
                return None
            written.append(value)
    return "\n".join([*lines, f"puts(vn_text(vn_{case.op}({', '.join(written)})));"])
