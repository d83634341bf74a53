/* SPDX-License-Identifier: Apache-2.0 */
/* onednn.c: incomplete AMX, which crashes oneDNN (engines/common/onednn.h). Such machines are rare, so
 * every combination of its features and the highest CPUID leaf is simulated. Then the engine is opened: oneDNN gets the setting this
 * processor needs, and a user's setting is respected. */
/* ctest: faults */
/* ctest: shared */
/* ctest: engines */
#include "../../engines/common/onednn.c"
#include "check.h"

static const char *const names[] = {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"};

static void forget(void)
{
    for (int k = 0; k < 2; k++) unsetenv(names[k]);
}

static bool is(const char *name, const char *value)
{
    const char *now = getenv(name);
    return value ? now && strcmp(now, value) == 0 : !now;
}

TEST(every_processor)
{
    static const unsigned bits[] = {1u << 22, 1u << 24, 1u << 25}; /* AMX-BF16, AMX-TILE, AMX-INT8 */
    static const unsigned leaves[] = {0, 7, 0xD, 0x14, 0x1C, 0x1D, 0x1E, 0x20, 0x24};
    const unsigned amx = bits[0] | bits[1] | bits[2];
    for (size_t leaf = 0; leaf < sizeof leaves / sizeof *leaves; leaf++)
        for (unsigned some = 0; some < 16; some++) {
            unsigned features = some & 8 ? ~amx : 0; /* with all else, or nothing else */
            for (unsigned k = 0; k < 3; k++) features |= some >> k & 1 ? bits[k] : 0;
            bool wanted = (some & 7) && leaves[leaf] < 0x1D;
            vn_processor p = {features, leaves[leaf]};
            CHECK(vn_processor_hides_tiles(p) == wanted);
            forget();
            CHECK(vn_onednn_cap(p) == wanted && is(names[0], wanted ? "AVX512_CORE_FP16" : NULL) && is(names[1], NULL));
            CHECK(!vn_onednn_cap(p)); /* set once */
        }
}

TEST(the_users_choice)
{
    const vn_processor incomplete = {1 << 24, 0x1C};
    static const char *const values[] = {"AVX2", ""};
    for (int k = 0; k < 2; k++)
        for (int v = 0; v < 2; v++) {
            forget();
            setenv(names[k], values[v], 1);
            CHECK(!vn_onednn_cap(incomplete) && is(names[k], values[v]) && is(names[!k], NULL));
        }
    forget();
}

int main(int argc, char **argv)
{
    const char *engine = argc > 1 ? argv[1] : "native";
    run_tests();
    use_engine(argc, argv);
    check_name = "the engine's own doing";
    bool asks = strcmp(engine, "torch") == 0 || strcmp(engine, "tensorflow") == 0;
    CHECK(is(names[0], asks && vn_processor_hides_tiles(vn_processor_here()) ? "AVX512_CORE_FP16" : NULL) && is(names[1], NULL));
    return finish();
}
