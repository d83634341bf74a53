/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h: the memory that training needs. */
#ifndef MEMORY_H
#define MEMORY_H

#include <vinea/vinea.h>

double memory_of_adam(void); /* a step's memory over that of parameters, moments, gradients and activations; -1: the error is set */

#endif
