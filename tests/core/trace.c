/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c: VINEA_TRACE: what was evaluated is in the file as a Chrome trace, as soon as it happened; a file that cannot be written disturbs
 * nothing. (package.settings reads a whole trace as JSON.) */
/* ctest: sanitize */
#include "folder.h"

static void trace_to(const char *path)
{
    vn_close();
    setenv("VINEA_TRACE", path, 1);
}

static bool computes(void)
{
    VN_SCOPE;
    return vn_item(vn_sum(vn_exp(vn_zeros(VN_SHAPE(3), VN_F32)), VN_ALL)) == 3;
}

static int times(const char *path, const char *word)
{
    bytes b = read_bytes(path);
    int n = 0;
    char *text = calloc(1, b.size + 1);
    if (text) memcpy(text, b.data, b.size);
    for (const char *at = text; at && (at = strstr(at, word)); at++) n++;
    free(text);
    free(b.data);
    return n;
}

TEST(events)
{
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("trace.json"));
    trace_to(path);
    CHECK(computes() && computes());
    CHECK(times(path, "\"name\":\"execute\"") == 2 && times(path, "\"name\":\"compile\"") == 1 && times(path, "]") == 0);
    vn_close();
    CHECK(times(path, "[") == 1 && times(path, "]") == 1 && times(path, "\"engine\":\"native\"") >= 4);
    trace_to(path); /* a new opening writes a new trace */
    CHECK(computes());
    CHECK(times(path, "\"name\":\"execute\"") == 1);
}

TEST(no_file)
{
    trace_to(in_folder("nowhere/trace.json"));
    CHECK(computes() && vn_status() == VN_OK);
    trace_to("/dev/full");
    CHECK(computes() && vn_status() == VN_OK);
    trace_to("");
    CHECK(computes());
}

int main(void)
{
    folder_make();
    run_tests();
    trace_to("");
    folder_remove();
    return finish();
}
