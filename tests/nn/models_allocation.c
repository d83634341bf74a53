/* SPDX-License-Identifier: Apache-2.0 */
/* models_allocation.c: every allocation fails, once and persistently, while a model is read: no crash, no leak, an error every time. */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"

static int read_model(void)
{
    static const char text[] =
        "{\"input\": \"image\", \"layers\": [{\"type\": \"conv2d\", \"out\": 2, \"kernel\": 2}, {\"type\": \"residual\", \"layers\": "
        "[{\"type\": \"batch_norm2d\"}]}, {\"type\": \"flatten\"}, {\"type\": \"linear\", \"out\": \"outputs\"}]}";
    return vn_model_parse(text, "test", VN_SHAPE(9), 2) != NULL;
}

static int read_wrong_model(void)
{
    vn_module *m = vn_model_parse("{\"layers\": [{\"type\": \"flatten\"}, {\"type\": \"relu\", \"slope\": 1}]}", "test", VN_SHAPE(9), 2);
    return !m && (vn_status() == VN_E_ARG ? (vn_clear(), 1) : 0);
}

int main(void)
{
    FAIL_ALL(read_model);
    FAIL_ALL(read_wrong_model);
    return finish();
}
