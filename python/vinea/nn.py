# SPDX-License-Identifier: Apache-2.0
"""Networks: modules, layers, optimizers, schedules, training.

    net = vn.nn.Sequential(vn.nn.linear(4, 16), vn.nn.relu(), vn.nn.linear(16, 3))
    net.fit(x, y, epochs=20, optimizer=vn.nn.adam(1e-2))

    class Net(vn.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = vn.nn.linear(4, 16)
            self.scale = vn.nn.Parameter(vn.ones(16))

        def forward(self, x):
            return vn.tanh(self.first(x)) * self.scale

Layers, optimizers and schedules are functions made from the library's listing, with its options.
"""
import collections
import contextlib
import dataclasses
import functools
import html
import inspect
import os
import re
import sys
import types

from . import _namespace, _trees, _vinea, tree
from ._dtypes import isdtype
from ._vinea import Array, EngineError, Gradients, Optimizer, Schedule, asarray


class Parameter:
    """An array that belongs to a module: self.w = Parameter(vn.zeros(3)); then self.w is the array."""

    def __init__(self, value):
        self.value = asarray(value, copy=True)  # training changes this copy only


def _progress(event):
    """One line that is rewritten after every step, and stays after every epoch."""
    moment, done, total = event["moment"], event["batch"], max(event["batches"], 1)
    if moment not in ("step", "epoch"):
        return
    if moment == "epoch":
        done = total
    bar = "█" * (24 * done // total)
    scores = "  ".join(f"{name} {value:.4g}" for name, value in event["scores"].items())
    sys.stderr.write(f"\repoch {event['epoch']}/{event['epochs']} |{bar:<24}| {done}/{total}  {event['speed']:.0f}/s  {scores}  ")
    if moment == "epoch":
        sys.stderr.write("\n")
    sys.stderr.flush()


class _Methods:
    """What layers and modules of one's own have in common."""

    def __call__(self, x, **named):
        """named: a layer's other arguments, such as context, mask, lengths or h; None is not given. Several results, as of lstm(x, h=None), are a dict."""
        return self._call(x, named) if named else self._run(x)

    def _call(self, x, named):
        results = self._run_tree({"x": asarray(x), **{name: asarray(v) for name, v in named.items() if v is not None}})
        return results["y"] if list(results) == ["y"] else results

    def parameters(self):
        """The variables as a list of arrays."""
        return list(self.variables().values())

    def train(self, training=True):
        """Training mode, for dropout and running means; returns the module."""
        self._train(training)
        return self

    def eval(self):
        """Evaluation mode; returns the module."""
        return self.train(False)

    def freeze(self, path=""):
        """Variables at or below a path get no gradients."""
        self.variables()  # builds the module
        self._freeze(path, True)

    def unfreeze(self, path=""):
        self.variables()
        self._freeze(path, False)

    def save(self, path):
        """Writes variables and buffers to a file."""
        self.variables()
        try:
            self._file(path, False)
        except OSError:
            folder = os.path.dirname(os.path.abspath(os.fspath(path)))
            os.stat(folder)  # raises FileNotFoundError, as open does
            raise

    def load(self, path):
        """Reads what save wrote, into this module."""
        with open(path, "rb"):  # raises FileNotFoundError and the like
            pass
        self.variables()
        self._file(path, True)

    def state_dict(self):
        """Copies of variables and buffers by their paths."""
        return {path: asarray(x, copy=True) for arrays in (self.variables(), self.buffers()) for path, x in arrays.items()}

    def load_state_dict(self, state):
        """Gives variables and buffers the values that state_dict returned, of this module or another one like it, or arrays of any library; all or none of them."""
        if not isinstance(state, dict):
            raise TypeError(f"load_state_dict: a dict of arrays by their paths is needed, not {state!r}")
        own = {**self.variables(), **self.buffers()}
        if own.keys() != {*state}:
            parts = [f"{what} {', '.join(map(repr, names))}" for what, names in (("lacks", [k for k in own if k not in state]), ("has", [k for k in state if k not in own])) if names]
            raise ValueError(f"load_state_dict: the state {' and '.join(parts)}; {type(self).__name__} has {', '.join(own)}")
        values = {path: asarray(value, dtype=own[path].dtype) for path, value in state.items()}
        for path, x in own.items():
            if x.shape != values[path].shape:
                raise ValueError(f"load_state_dict: {path!r} has the shape {values[path].shape}; {x.shape} is needed")
        for path, x in own.items():
            x[...] = values[path]

    def fit(self, x, y, *, progress=None, callbacks=(), **options):
        """Trains the module on rows x and targets y: class numbers or numbers. Returns a dict with the history.

        Options: epochs=10, batch=32, drop_last=False, shuffle=True, seed; validation=(x, y), validation_rows or validation_split; optimizer (or its name, or a text: "chain(clip_by_global_norm(1), adam(0.01))"),
        loss (a name or a function of prediction and target), metrics ("accuracy, top5", or a list); monitor, patience and min_delta (early stopping); checkpoint, checkpoint_every=1, best, restore_best=False, resume=False
        and config (a text for these files); report, title, log_csv, log_jsonl, tensorboard (a folder); average (the decay of a moving average of the weights, which validation and the result have);
        plateau_patience, plateau_factor=0.1, plateau_cooldown, min_lr; allow_nonfinite=False (whether x may contain NaN and infinity), sample_weights (a number for each row, by which its loss is multiplied),
        class_weights (one for each class), balance=False (weights that give every class the same total), micro_batches (equal parts of a batch, each computed by itself).
        Callbacks (one, or several in a list) get a dict about every step and epoch; one that returns something true stops the training. A text names one of the library's:
        "reduce_on_plateau(0.5, patience=3), early_stopping(10)"."""
        watchers = [callbacks] if callable(callbacks) or isinstance(callbacks, str) else list(callbacks) if hasattr(callbacks, "__iter__") else [callbacks]
        named = [w for w in watchers if isinstance(w, str)]
        watchers = [w for w in watchers if not isinstance(w, str)]
        for w in watchers:
            if not callable(w):
                raise TypeError(f"fit: callbacks are functions of a dict, or texts, not {w!r}")
        if sys.stderr is not None and (progress or (progress is None and sys.stderr.isatty())):
            watchers.insert(0, _progress)
        watch = (lambda event: any([w(event) for w in watchers])) if watchers else None
        options = {name: os.fspath(v) if isinstance(v, os.PathLike) else v for name, v in options.items()}
        if isinstance(options.get("optimizer"), str):
            text = options["optimizer"]
            options["optimizer"] = globals()["chain"](text) if "(" in text else _named("optimizer", text)()
        if isinstance(options.get("metrics"), (list, tuple)):
            options["metrics"] = ", ".join(options["metrics"])
        if named:
            options["callbacks"] = ", ".join(named)
        result = self._fit(x, y, watch=watch, **options)
        return Result(result, report=options.get("report"))

    def __reduce__(self):
        """For pickle and copy: a layer of the library's is made again with its options and gets its values."""
        state = self.__getstate__()
        engine = next((x.engine for x in (*state["variables"].values(), *state["buffers"].values())), None)
        return _made_again, (*self._made, engine), state

    def __getstate__(self):
        return {"variables": self.variables(), "buffers": self.buffers(), "frozen": self._frozen(), "training": self.training}

    def __setstate__(self, state):
        for arrays, saved in ((self.variables(), state["variables"]), (self.buffers(), state["buffers"])):
            for path, value in saved.items():
                arrays[path][...] = value
        for path in state["frozen"]:
            self._freeze(path, True)
        self._train(state["training"])

    def __repr__(self):
        try:
            text = self.structure()
        except (RuntimeError, ValueError):  # a module in a container cannot become part of it: the others
            text = _vinea.Module.structure(self)
        return text.rstrip("\n")

    def _repr_html_(self):
        """The structure, and what it consists of; only the structure while that cannot be known."""
        structure = f"<pre>{html.escape(repr(self))}</pre>"
        try:
            parts = {"parameter": self.variables(), "buffer": self.buffers()}
        except (RuntimeError, ValueError):
            return structure
        rows = [(name, " x ".join(map(str, x.shape)) or "-", x.dtype.name, kind, f"{x.size:,}") for kind, arrays in parts.items() for name, x in arrays.items()]
        rows.append(("all parameters", "", "", "", f"{sum(x.size for x in parts['parameter'].values()):,}"))
        line = lambda cell, row: "<tr>" + "".join(f'<{cell} style="text-align:{"right" if k == 4 else "left"}">{html.escape(text)}</{cell}>' for k, text in enumerate(row)) + "</tr>"
        return f"<div>{structure}<table>{line('th', ('name', 'shape', 'dtype', 'kind', 'elements'))}{''.join(line('td', row) for row in rows)}</table></div>"


class Result(dict):
    """The result of a training; in a notebook it shows the report, if one was written."""

    def __init__(self, values, report=None):
        super().__init__(values)
        self.report = report

    def _repr_html_(self):
        if not self.report:
            return f"<pre>{html.escape(repr(dict(self)))}</pre>"
        with open(self.report, encoding="utf-8") as f:
            return f'<iframe style="width:100%;height:600px;border:0" srcdoc="{html.escape(f.read())}"></iframe>'


def _made_again(name, options, engine=None):
    """A layer or schedule as it was pickled, a layer on its engine if that works in this process; if not, the arrays of its state say so."""
    with contextlib.ExitStack() as block:
        if engine is not None:
            with contextlib.suppress(EngineError):
                block.enter_context(_namespace.use(engine))
        made = globals()[name](**options)
        if engine is not None:
            made.variables()
        return made


def _optimizer(text, settings):
    """An optimizer as it was pickled; its state follows."""
    return _vinea.optimizer(text).configure(**settings)


def _describe_schedule(self):
    name, options = self._made
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})"


def _minimize(self, loss, parameters, /):
    """One step by a loss, a function of the parameters, a tree whose arrays get new values; returns the loss before it. Line searches (backtracking, zoom)
    evaluate it several times."""
    structure = tree.structure(parameters)
    return self._minimize(lambda leaves: loss(tree.unflatten(structure, leaves)), parameters)


def _eval_params(self, parameters, /):
    """Of schedule_free: the average of what the parameters, a tree or a module, went through, which is to be used and evaluated; of a module {path: array}."""
    if isinstance(parameters, _vinea.Module):
        return dict(zip(parameters.variables(), self._eval_params(parameters)))
    return tree.unflatten(tree.structure(parameters), self._eval_params(parameters))


Optimizer.minimize, Optimizer.eval_params = _minimize, _eval_params
Optimizer.__reduce__ = lambda self: (_optimizer, (str(self), self._settings), self.state)
Optimizer.__setstate__ = lambda self, state: setattr(self, "state", state)
Schedule.__reduce__ = lambda self: (_made_again, self._made)
Schedule.__repr__ = _describe_schedule


for _name, _f in vars(_Methods).items():
    if not _name.startswith("__") or _name in ("__call__", "__repr__", "__reduce__", "__getstate__", "__setstate__"):
        setattr(_vinea.Module, _name, _f)


_unnamed = (collections.deque, set, frozenset)  # containers without names for what they hold that stay the same


def _held(value, names=(), around=()):
    """The modules, parameters and arrays that an attribute is or contains, at any depth, each with the names on the way to it; None for one without."""
    if isinstance(value, (_vinea.Module, Parameter, Array)):
        yield names, value
        return
    keys, parts = ((None,) * len(value), list(value)) if isinstance(value, _unnamed) else tree._open(value) or ((), ())
    if any(value is container for container in around) or not any(map(_may_hold, set(map(type, parts)))):
        return
    for key, part in zip(keys or map(str, range(len(parts))), parts):
        yield from _held(part, (*names, key if key is None else str(key)), (*around, value))


def _may_hold(kind):
    return issubclass(kind, (_vinea.Module, Parameter, Array, dict, list, tuple, *_unnamed)) or dataclasses.is_dataclass(kind)


def _trainable(value):
    """Whether it is an array that training could change."""
    return isinstance(value, Array) and isdtype(value.dtype, ("real floating", "complex floating"))


def _is_array(value):
    """Whether it is an array, of any library."""
    return isinstance(value, Array) or any(hasattr(type(value), name) for name in ("__dlpack__", "__array__", "__array_interface__"))


_own = ("_parameters", "_modules", "_adopted", "_rest")  # attributes that a Module has for itself


class Module(_vinea.Module):
    """The base class of networks. Modules and Parameters assigned to attributes become part of it, as do the modules in lists, tuples, dicts and dataclasses, also
    nested ones; forward computes the result. Whether other arrays of floats are to be trained would be a guess, so an attribute that is one is refused unless its name begins with _."""

    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self.__dict__.update(_parameters={}, _modules={}, _adopted={}, _rest=[])
        return self

    def __init__(self):
        pass

    def __setattr__(self, name, value):
        if isinstance(value, Parameter) or (name in self._parameters and _is_array(value)):
            value = value if isinstance(value, Array) else (value if isinstance(value, Parameter) else Parameter(value)).value
            if name in self._parameters and self._is_built():
                self._fits(name, value)
                self._assign(name, value)
            self._replaces(name, self._modules)
            self._parameters[name] = value
        elif isinstance(value, _vinea.Module):
            self._open_to(name)
            self._replaces(name, self._parameters)
            self._add(name, value)
            self._modules[name] = value
        else:
            self._replaces(name, self._parameters)
            self._replaces(name, self._modules)
            self._refuse(name, value)
            super().__setattr__(name, value)

    def _replaces(self, name, known):
        """What is put under a name takes the place of a plain attribute, but not of a part of the network of another kind."""
        if name in known:
            kind = "a parameter, which is replaced by an array" if known is self._parameters else "a module of the network, which is replaced by a module"
            raise TypeError(f"{type(self).__name__}.{name} is {kind} only")
        self.__dict__.pop(name, None)

    def _fits(self, name, value):
        old = getattr(self, name)
        if (value.shape, value.dtype) != (old.shape, old.dtype):
            kind = ValueError if value.shape != old.shape else TypeError
            raise kind(f"{type(self).__name__}.{name} has the shape {old.shape} and is {old.dtype.name}; an array of shape {value.shape}, {value.dtype.name}, cannot be assigned")

    def _refuse(self, name, value):
        """What would not be part of the network in silence."""
        for names, held in _held(value):
            if names and isinstance(held, Parameter):
                raise TypeError(f"{type(self).__name__}.{name} contains a Parameter; parameters are attributes: self.w = Parameter(array)")
            if None in names and isinstance(held, _vinea.Module):
                raise TypeError(f"{type(self).__name__}.{name} contains a module that would not be part of the network; lists, tuples, dicts and dataclasses make it part of it")
            if name[0] != "_" and _trainable(held):
                raise TypeError(f"{type(self).__name__}.{name} would not be trained: vinea.nn.Parameter(array) makes a parameter of it; a name that begins with _ keeps it as it is")

    def __getattr__(self, name):
        d = self.__dict__
        if name in d.get("_parameters", ()):
            return self._variable(name) if self._is_built() else d["_parameters"][name]
        if name in d.get("_modules", ()):
            return d["_modules"][name]
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _check(self):
        """Containers may also get arrays after they were assigned."""
        for name, value in self._plain():
            self._refuse(name, value)

    def _adopt(self):
        """Containers may get modules after they were assigned, so they are looked through before they are needed."""
        parts = None
        for name, value in self._plain():
            for names, module in _held(value):
                path = "_".join((name, *map(str, names)))
                if not isinstance(module, _vinea.Module) or self._adopted.get(path) is module:
                    continue
                parts = parts or {id(m) for m in self._parts()}
                if id(module) in parts:
                    continue
                if path in self._adopted:
                    raise ValueError(f"{type(self).__name__}.{name}: two modules have the name {path}, or one came in the place of another that is part of the network already")
                self._open_to(name)
                self._add(path, module)
                self._adopted[path] = module
                parts.add(id(module))

    def _adopt_below(self, build):
        """The same for all modules below. Those of Python classes are built by their first call, and add their variables to the network then: build does it now."""
        self._adopt()
        for module in (*self._modules.values(), *self._adopted.values()):
            if isinstance(module, Module):
                module._adopt_below(build)
        if build and not self._is_built():
            _vinea.Module.variables(self)

    def _parts(self):
        """The modules of the network that Python knows, itself first."""
        yield self
        for module in (*self._modules.values(), *self._adopted.values()):
            yield from module._parts() if isinstance(module, Module) else (module,)

    def _open_to(self, name):
        if self._is_built():
            raise RuntimeError(f"{type(self).__name__}.{name}: the network has been called or its variables were asked for; modules are assigned before")

    def _plain(self):
        return [(name, value) for name, value in self.__dict__.items() if name not in _own]

    def __reduce__(self):
        return type(self).__new__, (type(self),), self.__getstate__()

    def __getstate__(self):
        return {"attributes": dict(self._plain()), "modules": dict(self._modules),
                "parameters": {name: getattr(self, name) for name in self._parameters}, "frozen": self._frozen() if self._is_built() else [],
                "training": self.training}

    def __setstate__(self, state):
        for name, module in state["modules"].items():
            setattr(self, name, module)
        for name, value in state["parameters"].items():
            setattr(self, name, Parameter(value))
        self.__dict__.update(state["attributes"])
        for path in state["frozen"]:
            self.variables()
            self._freeze(path, True)
        self._train(state["training"])

    def __call__(self, x, *args, **kwargs):
        self._adopt()
        if not args and not kwargs:
            return self._run(x)
        self._rest.append((args, kwargs))
        try:
            return self._run(x)
        finally:
            self._rest.pop()

    def _forward(self, x):
        self._adopt()
        self._check()
        args, kwargs = self._rest[-1] if self._rest else ((), {})
        return self.forward(x, *args, **kwargs)

    def _forward_tree(self, named):
        """The same with several arguments by name, as a cell gets them; the results by name."""
        self._adopt()
        self._check()
        results = self.forward(**named)
        return results if isinstance(results, dict) else {"y": results}

    def forward(self, x):
        raise NotImplementedError(f"{type(self).__name__} has no forward")


def _after_adopting(name, build):
    method = getattr(_vinea.Module, name)

    @functools.wraps(method)
    def run(self, *args, **kwargs):
        self._adopt_below(build)
        return method(self, *args, **kwargs)

    return run


for _name in ("variables", "buffers", "value_and_grad", "evaluate", "predict", "find_lr", "penalty", "_fit", "_file", "_freeze"):
    setattr(Module, _name, _after_adopting(_name, build=True))
for _name in ("structure", "summary", "regularize", "constrain", "_train"):
    setattr(Module, _name, _after_adopting(_name, build=False))


class Sequential(Module):
    """Modules one after another."""

    def __init__(self, *modules):
        self.layers = list(modules)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Recurrence(Module):
    """A recurrent network over any cell, such as lstm_cell(8, 16): a module that makes {y, states} of x and states, for one step. Called with x [batch, steps, ...] it gives y of
    all steps; called with lengths, or states by name, a dict of y and the states after the last step.

    class Fading(vn.nn.Module):
        def forward(self, x, total=None):
            total = x if total is None else 0.5 * total + x
            return {"y": vn.tanh(total), "total": total}
    """

    def __init__(self, cell, *, last_only=False, reverse=False):
        self.cell = cell
        self._flags = last_only, reverse

    def __call__(self, x, **named):
        self._adopt()
        return self._call(x, named) if named else self._run(x)

    def forward(self, x, **named):
        return self.cell._steps({"x": x, **named}, *self._flags)

    def _forward(self, x):
        return self.forward(x)["y"]


def _composed(maker, row):
    """The maker of an optimizer that has others as parts: each is an optimizer, of which a new one like it becomes the part, or a text."""
    several = row["parameters"][0][1] == "optims"

    def make(*parts, **options):
        if several:
            return maker(", ".join(map(str, parts)), **options)
        if not parts:  # the part by its name
            first = row["parameters"][0][0]
            if first not in options:
                raise TypeError(f"{row['name']}: {first} is needed, an optimizer or its text")
            parts = (options.pop(first),)
        return maker(str(parts[0]), *parts[1:], **options)

    make.__name__ = make.__qualname__ = row["name"]
    make.__doc__ = _namespace.describe(row)
    kinds = inspect.Parameter
    make.__signature__ = inspect.Signature([kinds("parts", kinds.VAR_POSITIONAL)] if several else [
        kinds(p[0], kinds.POSITIONAL_OR_KEYWORD, **({} if p[2] else {"default": _namespace.default(p[1], p[3])})) for p in row["parameters"]])
    return make


def _makers(*families):
    made = {}
    for family in families or ("layer", "optimizer", "schedule"):
        for number, row in _vinea.objects(family):
            doc = f"{row['name']}({_namespace.signature(row)})\n--\n\n{_namespace.describe(row)}"
            maker = _vinea.maker(family, number, doc)
            made[row["name"]] = _composed(maker, row) if row["parameters"] and row["parameters"][0][1] in ("optim", "optims") else maker
    return made


def _named(family, name):
    """The maker of that name."""
    known = [row["name"] for _, row in _vinea.objects(family)]
    if name.lower() not in known:
        near = _namespace.meant(name.lower(), known)
        raise ValueError(f"there is no {family} {name!r}{near or '; possible are ' + ', '.join(known)}")
    return globals()[name.lower()]


def _score(row, call):
    """A loss or metric of the library's listing as a function."""
    known = [p[0] for p in row["parameters"]]

    def score(prediction, target, **options):
        for name in options:
            if name not in known:
                raise TypeError(_vinea.no_argument(row["name"], name, ["prediction", "target", *known]))
        given = {name: int(v) if isinstance(v, bool) else v for name, v in options.items()}
        values = ", ".join(str(given.get(name, default)) for name, _, _, default, _, _ in row["parameters"])
        return call(f"{row['name']}({values})" if options else row["name"], asarray(prediction), asarray(target))

    score.__name__ = score.__qualname__ = row["name"]
    score.__doc__ = _namespace.describe(row)
    kinds = inspect.Parameter
    score.__signature__ = inspect.Signature([kinds("prediction", kinds.POSITIONAL_OR_KEYWORD), kinds("target", kinds.POSITIONAL_OR_KEYWORD),
                                             *(kinds(p[0], kinds.KEYWORD_ONLY, default=_namespace.default(p[1], p[3])) for p in row["parameters"])])
    return score


def _scores(name, doc, family, call):
    module = types.ModuleType(f"{__name__}.{name}", doc)
    for _, row in _vinea.objects(family):
        score = module.__dict__[row["name"]] = _score(row, call)
        score.__module__ = module.__name__
    module.__all__ = [row["name"] for _, row in _vinea.objects(family)]
    module.__getattr__ = _namespace.missing(module.__name__, module.__all__)
    return sys.modules.setdefault(module.__name__, module)  # so that "from vinea.nn.losses import huber" works


losses = _scores("losses", "Losses: the mean over all elements or rows.", "loss", _vinea.loss_of)
updates = sys.modules.setdefault(f"{__name__}.updates", types.ModuleType(f"{__name__}.updates", "Transformations of updates, for chain()."))
updates.__dict__.update(_makers("transformation"))
updates.__all__ = sorted(_makers("transformation"))
updates.__getattr__ = _namespace.missing(updates.__name__, updates.__all__)
metrics = _scores("metrics", "Metrics: numbers.", "metric", _vinea.metric_of)
globals().update(_makers())
for _f in _trees.NN:  # of gradients, second derivatives, meta-learning
    _f.__module__ = __name__
    globals()[_f.__name__] = _f
__all__ = ["Gradients", "Module", "Optimizer", "Parameter", "Schedule", "Sequential", "losses", "metrics", "updates", *(f.__name__ for f in _trees.NN), *sorted(_makers())]
__getattr__ = _namespace.missing(__name__, __all__, lambda name: re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())


def __dir__():
    return list(__all__)
