# SPDX-License-Identifier: Apache-2.0
"""Parts of this package that belong to another one: imported with that one, whichever comes first, and never without it."""
import contextlib
import importlib.util
import sys


def _bring(part):
    with contextlib.suppress(ImportError, AttributeError):  # a release that has changed: it does not know our arrays, and works
        importlib.import_module(part)


class _After:
    """A finder that imports a part once a package has been imported."""

    def __init__(self, package, part):
        self._package, self._part, self._searching = package, part, False

    def find_spec(self, name, path=None, target=None):
        if name != self._package or self._searching:
            return None
        self._searching = True
        try:
            spec = importlib.util.find_spec(name)  # of the other finders
        finally:
            self._searching = False
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                _bring(self._part)

            spec.loader.exec_module = exec_module
        return spec


def imported_with(package, part):
    """Imports a part of this package as soon as the other package has been imported."""
    if package in sys.modules:
        _bring(part)
    else:
        sys.meta_path.insert(0, _After(package, part))
