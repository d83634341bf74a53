/* SPDX-License-Identifier: Apache-2.0 */
/* layer_rows.c: the table of layers. */
#include "nn/objects.h"
#include <math.h>
#include <stddef.h>

#define ROWS_layer
#include "objects_table.inc"
