/* SPDX-License-Identifier: Apache-2.0 */
/* registered.h: which ops of TensorFlow have CPU kernels, and for which dtypes. */
#ifndef TENSORFLOW_REGISTERED_H
#define TENSORFLOW_REGISTERED_H

#include <stdint.h>

/* Reads from the loaded TensorFlow which dtypes the CPU kernels of `op` take (its attribute T, or Tparams of GatherV2); 0 if there is no
 * kernel. The result is cached. VN_OK or a code with the error set; *mask is a set of VN_BIT(dtype). */
int registered_find(const char *op, uint32_t *mask);

/* The cached result of registered_find; 0 for an unknown op. Safe from any thread once the engine is open. */
uint32_t registered_dtypes(const char *op);

/* Forgets everything. */
void registered_clear(void);

#endif
