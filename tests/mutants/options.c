/* options.c: prints every option of every op as op.option, one on each line. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    for (int k = 0; k < vn_op_count(); k++) {
        vn_op_info op = {.size = sizeof op};
        if (vn_op_at(k, &op)) return 1;
        for (int j = 0; j < op.n_options; j++) printf("%s.%s\n", op.name, op.options[j].name);
    }
    return vn_close() != VN_OK;
}
