/* options.c: prints every option of every op, and of every layer type of a model's text, as a switch: what VINEA_EMPTIED takes, file, line
 * (none), "option" and its name, between tabs. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info op = {.size = sizeof op};
        if (vn_op_at(k, &op)) return 1;
        for (int j = 0; j < op.n_options; j++)
            printf("op:%s.%s\tsrc/ops/table.c\t0\toption\t%s.%s\n", op.name, op.options[j].name, op.name, op.options[j].name);
    }
    for (int k = 0; k < vn_layer_count(); k++) {
        vn_layer_info type = {.size = sizeof type};
        if (vn_layer_at(k, &type)) return 1;
        for (int j = 0; j < type.n_options; j++)
            printf("layer:%s.%s\tsrc/nn/model.c\t0\toption\t%s.%s\n", type.name, type.options[j].name, type.name, type.options[j].name);
    }
    return vn_close() != VN_OK;
}
