/* SPDX-License-Identifier: Apache-2.0 */
/* objects.h: layers, initialisers, regularizers, constraints, optimizers, transformations of updates, schedules, losses, metrics; one function per row of src/nn/objects.def.
 * Printed from the table by `make ops`: do not edit. All can be made by name too (nn.h, module.h, train.h). */
/* clang-format off */
#include <vinea/vinea.h>

#ifndef VINEA_OBJECTS_H
#define VINEA_OBJECTS_H

#include <vinea/layers.h>
#include <vinea/optimizers.h>
#include <vinea/losses.h>
#endif
