/* SPDX-License-Identifier: Apache-2.0 */
/* Engines: chosen for a thread by name. Arrays stay on the engine they were made on; vn_to moves them. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    if (vn_use("no_such_engine")) { /* until one is chosen, or the error is cleared, nothing is made */
        printf("%s\n", vn_code_name(vn_status()));
        vn_clear();
    }
    vn_use("native");
    vn_array *x = vn_exp(vn_arange(0, 3));
    printf("%s on %s\n", vn_text(x), vn_engine_of(x));
    printf("computes matmul: %s\n", vn_engine_computes("native", "matmul", VN_F32) ? "yes" : "no");
    return vn_close();
}

/* prints
VN_E_ENGINE
[1.        2.7182817 7.389056 ] on native
computes matmul: yes
*/
