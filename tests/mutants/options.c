/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: prints every option of every op, and of every layer, as a switch: what VINEA_EMPTIED takes, file, line (none), "option" and
 * its name, between tabs. */
#include <stdio.h>
#include <vinea/vinea.h>

static void print_options(const vn_op_info *of, const char *prefix)
{
    for (int j = 0; j < of->n_options; j++) {
        const char *name = of->options[j].name;
        if (of->options[j].kind)
            printf("option:%s%s.%s\tsrc/ops/options.c\t0\toption\t%s%s.%s\n", prefix, of->name, name, prefix, of->name, name);
    }
}

int main(void)
{
    vn_op_info info = {.size = sizeof info};
    for (int k = 0; k < vn_op_count(); k++) {
        if (vn_op_at(k, &info)) return 1;
        print_options(&info, "");
    }
    for (int k = 0; k < vn_object_count("layer"); k++) {
        if (vn_object_at("layer", k, &info)) return 1;
        print_options(&info, "nn_");
    }
    return vn_close() != VN_OK;
}
