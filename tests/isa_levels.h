/* SPDX-License-Identifier: Apache-2.0 */
/* isa_levels.h: the native engine's instruction-set levels on all processors, for tests that try each (VINEA_ISA). vn_use fails at one that this
 * processor or build does not have; the baseline is always there. */
#ifndef VN_TESTS_ISA_LEVELS_H
#define VN_TESTS_ISA_LEVELS_H

static const char *const isa_levels[] = {"baseline", "avx2", "avx512", "amx", "neon"};
enum { ISA_LEVELS = sizeof isa_levels / sizeof *isa_levels };

#endif
