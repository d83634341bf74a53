/* SPDX-License-Identifier: Apache-2.0 */
/* write.c: atomic file replacement (os/output.c) with the library's errors. */
#include "files/files.h"
#include "core/state.h"

static int failed(const vn__writer *w, int error)
{
    return vn__io_failed(w->who, w->path, w->output.what, error);
}

int vn__write_begin(vn__writer *w, const char *path, const char *who)
{
    *w = (vn__writer){.output = {.fd = -1, .folder = -1}, .who = who, .path = path};
    if (!path || !*path) return vn__fail(path ? VN_E_ARG : VN_E_NULL, "%s: the path is %s", who, path ? "empty" : "NULL");
    int error = vn__output_begin(&w->output, path);
    return error ? failed(w, error) : VN_OK;
}

int vn__write(vn__writer *w, const void *data, size_t bytes)
{
    int error = vn__output_write(&w->output, data, bytes);
    w->done += bytes;
    return error ? failed(w, error) : VN_OK;
}

int vn__write_end(vn__writer *w, int code)
{
    int error = vn__output_end(&w->output, code, true);
    return code || !error ? code : failed(w, error);
}

int vn__write_whole(const char *path, const void *data, size_t bytes, const char *who)
{
    vn__writer w;
    int code = vn__write_begin(&w, path, who);
    if (!code) code = vn__write(&w, data, bytes);
    return vn__write_end(&w, code);
}
