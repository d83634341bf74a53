/* SPDX-License-Identifier: Apache-2.0 */
/* isa_levels.h: the native engine's instruction-set levels on all processors, for tests that try each (VINEA_ISA). vn_use fails at one that this
 * processor or build does not have; the baseline is always there. */
#ifndef VN_TESTS_ISA_LEVELS_H
#define VN_TESTS_ISA_LEVELS_H

static const char *const isa_levels[] = {"baseline", "avx2", "avx512", "amx", "neon"};
enum { ISA_LEVELS = sizeof isa_levels / sizeof *isa_levels };

/* For tests of check.h: all of them at each level, on each number of threads. */
static inline void run_tests_at_levels(int n, const char *const *threads)
{
    for (int l = 0; l < ISA_LEVELS; l++)
        for (int t = 0; t < n; t++) {
            setenv("VINEA_ISA", isa_levels[l], 1);
            setenv("VINEA_THREADS", threads[t], 1);
            if (vn_use("native")) { /* not on this processor or in this build */
                CHECK(strstr(vn_message(), isa_levels[l]) && l > 0);
                vn_clear();
            } else {
                run_tests();
            }
            vn_close();
        }
}

#define TEST_MAIN_AT_EVERY_LEVEL_ON(...)                                       \
    int main(void)                                                             \
    {                                                                          \
        static const char *const threads[] = {__VA_ARGS__};                    \
        run_tests_at_levels((int)(sizeof threads / sizeof *threads), threads); \
        return finish();                                                       \
    }
#define TEST_MAIN_AT_EVERY_LEVEL TEST_MAIN_AT_EVERY_LEVEL_ON("1", "2", "3")

#endif
