/* npy.c: one array in NumPy's form. */
#include "arrays.h"
