/* SPDX-License-Identifier: Apache-2.0 */
/* optim_rows.c: the tables of optimizers and of transformations. */
#include "nn/objects.h"
#include <math.h>
#include <stddef.h>

#define ROWS_optimizer
#define ROWS_transformation
#include "objects_table.inc"
