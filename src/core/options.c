/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: reads option structs of callers. Everything that takes one asks here, so that none is ignored in silence. */
/* compiled for speed */
#include "core/options.h"
#include "base/minmax.h"
#include "core/state.h"
#include <string.h>

enum { LARGEST_GROWTH = 4096 }; /* no later version adds more; a struct that was not initialised says anything */

static int without_size(const char *name, size_t size)
{
    return vn__fail(VN_E_ARG, "%s: the options' size is %zu; make them with VN_OPTS(%s, ...) or VN_INIT(%s)", name, size, name, name);
}

int vn__opts_size(const char *name, const void *opts, size_t known, size_t *size)
{
    const char *bytes = opts;
    memcpy(size, opts, sizeof *size);
    if (*size < sizeof *size || *size > known + LARGEST_GROWTH) return without_size(name, *size);
    for (size_t k = known; k < *size; k++) {
        if (bytes[k])
            return vn__fail(VN_E_UNSUPPORTED,
                            "%s: its options have fields that this version of the library does not know; they are %zu bytes, "
                            "%zu are known",
                            name, *size, known);
    }
    return VN_OK;
}

int vn__take(void *to, size_t size, const void *opts, const char *name)
{
    size_t given = size;
    int code = opts ? vn__opts_size(name, opts, size, &given) : VN_OK;
    if (code) return code;
    if (opts && given % _Alignof(size_t))
        return vn__fail(VN_E_ARG, "%s: the options' size is %zu, which ends inside a field; VN_OPTS and VN_INIT set it", name, given);
    if (opts) memcpy(to, opts, vn__min(given, size));
    memcpy(to, &size, sizeof size); /* as a struct of this version, which may be passed on */
    return VN_OK;
}

int vn__check_objects(const void *opts, int n, const void *const *objects)
{
    const vn_code before = opts && vn__peek() ? vn__peek()->code : VN_OK;
    for (int k = 0; k < n && before; k++)
        if (!objects[k]) return before;
    return VN_OK;
}

int vn__check_info(const char *who, const char *type, const void *info)
{
    size_t size = 0;
    if (!info) return vn__fail(VN_E_NULL, "%s: info is NULL", who);
    memcpy(&size, info, sizeof size);
    return size < sizeof size ? vn__fail(VN_E_ARG, "%s: size is %zu; it must be sizeof(%s)", who, size, type) : VN_OK;
}

int vn__give(const char *who, const char *type, void *info, const void *from, size_t size)
{
    size_t wanted;
    int code = vn__check_info(who, type, info);
    if (code) return code;
    memcpy(&wanted, info, sizeof wanted);
    if (wanted < size) size = wanted;
    memcpy(info, from, size);
    memcpy(info, &size, sizeof size); /* how much of it is filled */
    return VN_OK;
}

int vn__check_flags(const char *name, int n, const vn__flag *flags)
{
    for (int k = 0; k < n; k++) {
        if (flags[k].value != 0 && flags[k].value != 1)
            return vn__fail(VN_E_ARG, "%s: %s is %d; it is a flag, 0 or 1", name, flags[k].name, flags[k].value);
    }
    return VN_OK;
}
