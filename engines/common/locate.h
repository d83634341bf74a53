/* SPDX-License-Identifier: Apache-2.0 */
/* locate.h: finds the user's Python and its packages without starting it.
 *
 * Environments are tried in this order: that of the running Python, if this process is one that no engine started; VINEA_PYTHON
 * (an interpreter or the folder of an environment; if set, no other is tried), VIRTUAL_ENV, a folder .venv in one of the folders
 * above the plugin (a build tree), python3 on PATH. Paths are absolute, and what vn_host.trusted does not trust is skipped. Used by
 * every engine whose framework is a Python package. */
#ifndef VN_LOCATE_H
#define VN_LOCATE_H

#include <vinea/engine.h>

/* Writes the path of the first file `relative` (such as "torch/lib/libtorch_cpu.so") found in the packages of those environments.
 * Returns VN_OK, or a code after setting the error for `engine`, with the reason why an environment was skipped. */
int vn_locate_package_file(const vn_host *host, const char *engine, const char *relative, char *path, size_t capacity);

/* Writes the path of the interpreter whose packages contain the folder `package` ("jax"). Returns the same. */
int vn_locate_python(const vn_host *host, const char *engine, const char *package, char *path, size_t capacity);

/* Writes the path of the running interpreter. Returns 1, or 0 if this process is not a Python or an engine started it. */
#define VN_STARTED_MARK "_vinea_started" /* set in sys by the engine that starts an interpreter */
int vn_locate_running(char *path, size_t capacity);

/* Writes the dlopen name of that interpreter's shared library: its path next to the interpreter, or its plain name for the
 * system's search. Returns 1, or 0 if `python` is not an interpreter. */
int vn_locate_libpython(const char *python, char *path, size_t capacity);

#endif
