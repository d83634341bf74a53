/* SPDX-License-Identifier: Apache-2.0 */
/* thresholds.h: the sections of thresholds.def that the including file asked for (#define THRESHOLDS_...), as enumerators. */
enum {
#define THRESHOLD(name, value, unit, ops, what) name = value,
#include "thresholds.def"
#undef THRESHOLD
};
