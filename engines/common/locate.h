/* locate.h: finds the user's Python and its packages without starting it.
 *
 * Environments are tried in this order: that of the Python this process is, if it is one and not a Python an engine started; VINEA_PYTHON
 * (an interpreter or the folder of an environment; where it is set no other one follows), VIRTUAL_ENV, a folder .venv in one of the folders
 * above the plugin (a build tree), python3 on PATH. Paths are absolute, and what vn_host.trusted does not trust is passed over. Used by
 * every engine whose framework is a Python package. */
#ifndef VN_LOCATE_H
#define VN_LOCATE_H

#include <vinea/engine.h>

/* Writes the path of the first file `relative` (such as "torch/lib/libtorch_cpu.so") found in the packages of those environments.
 * Returns VN_OK, or a code after setting the error for `engine`, with the reason why an environment was passed over. */
int vn_locate_package_file(const vn_host *host, const char *engine, const char *relative, char *path, size_t capacity);

/* Writes the path of the interpreter whose packages contain the folder `package` ("jax"). Returns the same. */
int vn_locate_python(const vn_host *host, const char *engine, const char *package, char *path, size_t capacity);

/* Writes the path of the interpreter that this process is. Returns 1, or 0 when it is none, or one that an engine started. */
#define VN_STARTED_MARK "_vinea_started" /* set in sys by the engine that starts an interpreter */
int vn_locate_running(char *path, size_t capacity);

/* Writes what dlopen needs for the shared library of that interpreter: its path beside the interpreter, or its plain name where only
 * the system's search can tell. Returns 1, or 0 when `python` is no interpreter. */
int vn_locate_libpython(const char *python, char *path, size_t capacity);

#endif
