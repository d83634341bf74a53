/* SPDX-License-Identifier: Apache-2.0 */
/* layers_activation.c: layers that are an op: a function for each, on vn_nn_activation. */
#include "nn/objects.h"

#define FUNCTIONS_activation
#include "objects_table.inc"
