/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: a model as a JSON file, for images of 8 x 8 and ten classes. */
#include "target.h"

static void read_file(const char *path)
{
    vn_module *m = vn_model(path, VN_SHAPE(64), 10);
    must(m ? !vn_status() : vn_status() != VN_OK);
}
