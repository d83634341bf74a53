/* safetensors.c: a file of arrays in the safetensors form. */
#include "arrays.h"
