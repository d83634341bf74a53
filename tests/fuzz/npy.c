/* SPDX-License-Identifier: Apache-2.0 */
/* npy.c: one array in NumPy's form. */
#include "arrays.h"
