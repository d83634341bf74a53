/* SPDX-License-Identifier: Apache-2.0 */
/* image.c: images, through the plugins for their formats: at their size, and as a small one. */
#include "target.h"

static void read_file(const char *path)
{
    vn_image_info info = {.size = sizeof info};
    const int code = vn_inspect_image(path, &info);
    must(code == (int)vn_status() && (code || (info.height > 0 && info.width > 0)));
    vn_clear();
    if (code || info.height * info.width > 1 << 20) return; /* a larger one takes the fuzzer too long */
    vn_array *x = vn_read_image(path, NULL);
    must(!x == (vn_status() != VN_OK));
    must(!x || (vn_dim(x, 0) == info.height && vn_dim(x, 1) == info.width && vn_dim(x, 2) == info.channels));
    vn_clear();
    x = vn_read_image(path, VN_OPTS(image, .height = 5, .width = 7, .channels = 4 - info.channels));
    must(!x == (vn_status() != VN_OK));
}
