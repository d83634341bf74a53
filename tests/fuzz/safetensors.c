/* SPDX-License-Identifier: Apache-2.0 */
/* safetensors.c: a file of arrays in the safetensors form. */
#include "arrays.h"
