/* SPDX-License-Identifier: Apache-2.0 */
/* layer_make.c: layers by name. */
#include "nn/objects.h"
#include "core/state.h"

#define MAKERS_layer
#include "objects_table.inc"

vn_module *vn_nn_make(const char *name, const vn_option *options, int n)
{
    vn_module *m = NULL;
    return vn__object_make("nn_make", &vn__makers_layer, name, options, n, &m) ? NULL : m;
}
