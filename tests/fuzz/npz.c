/* SPDX-License-Identifier: Apache-2.0 */
/* npz.c: arrays in NumPy's form, in a zip archive. */
#include "arrays.h"
