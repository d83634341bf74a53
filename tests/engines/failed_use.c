/* SPDX-License-Identifier: Apache-2.0 */
/* failed_use.c: a program that asked for an engine and did not get it makes no arrays on another one. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"

static int released;
static void release(void *user)
{
    (void)user;
    released++;
}

static int two(int n, vn_array *const *in, int n_out, vn_array **out, void *user)
{
    (void)n, (void)in, (void)n_out, (void)user;
    out[0] = vn_ones(VN_SHAPE(2), VN_F32);
    return vn_status();
}

/* Every way to an array from nothing. */
TEST(nothing_is_made)
{
    static const float data[2] = {1, 2};
    vn_array *before = vn_ones(VN_SHAPE(2), VN_F32);
    vn_fn *f = vn_capture(two, 1, NULL);
    CHECK(vn_use("nowhere") == VN_E_ENGINE);
    vn_array *made[] = {vn_zeros(VN_SHAPE(2), VN_F32),
                        vn_from(data, VN_SHAPE(2)),
                        vn_scalar(1),
                        vn_arange(0, 3, 1, VN_F32),
                        vn_linspace(0, 1, 3, VN_F32, NULL),
                        vn_eye(2, 2, 0, VN_F32),
                        vn_random_normal(0, 1, VN_SHAPE(2)),
                        vn_random_key_of(1),
                        vn_wrap(data, VN_F32, VN_SHAPE(2), release, NULL)};
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) CHECK(!made[k]);
    CHECK(released == 1);
    vn_array *out = NULL;
    CHECK(vn_fn_call_many(f, 0, NULL, 1, &out) == VN_E_ENGINE && !out);
    CHECK(strstr(vn_message(), "there is no engine \"nowhere\"")); /* the first error stays */
    CHECK(vn_exp(before) && vn_item(vn_sum(before, VN_ALL)) == 2); /* what there was still computes */
    vn_clear();
    CHECK(vn_zeros(VN_SHAPE(2), VN_F32) && !strcmp(vn_using(), "native"));
}

TEST(another_engine_is_chosen)
{
    vn_use("nowhere");
    CHECK(!vn_zeros(VN_SHAPE(2), VN_F32));
    CHECK(vn_use("native") == VN_OK && vn_zeros(VN_SHAPE(2), VN_F32) && vn_status() == VN_E_ENGINE);
    vn_clear();
}

TEST(fences)
{
    vn_error_push(); /* a try that fails */
    vn_use("nowhere");
    CHECK(vn_error_pop() == VN_E_ENGINE && vn_zeros(VN_SHAPE(2), VN_F32));

    vn_use("nowhere"); /* a fence after the failure does not make up for it */
    vn_error_push();
    CHECK(!vn_zeros(VN_SHAPE(2), VN_F32) && strstr(vn_message(), "no engine is in use, because the last vn_use failed"));
    vn_error_pop();
    CHECK(!vn_zeros(VN_SHAPE(2), VN_F32) && strstr(vn_message(), "nowhere"));

    vn_error_push(); /* one chosen inside it does */
    CHECK(vn_use("native") == VN_OK);
    vn_error_pop();
    CHECK(vn_zeros(VN_SHAPE(2), VN_F32));
    vn_clear();
}

TEST_MAIN
