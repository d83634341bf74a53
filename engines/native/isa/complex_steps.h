/* SPDX-License-Identifier: Apache-2.0 */
/* complex_steps.h: the loops of complex.def, and their entries in the table of elementwise.c, whose macros they use. */
#include "complex.h"

#define C vn__c64
#define R float
#define TAG c64
#define PARTS f32
#define F(f) f##_c64
#include "complex_type.h"
#define C vn__c128
#define R double
#define TAG c128
#define PARTS f64
#define F(f) f##_c128
#include "complex_type.h"
