/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers: from the thread's key (vn_seed), or from keys of one's own. The same bits on every engine, level and number of threads. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_seed(7);
    printf("%s\n", vn_text(vn_random_normal(0, 1, VN_SHAPE(3))));
    printf("%s\n", vn_text(vn_random_randint(0, 10, VN_SHAPE(5))));
    printf("%s\n", vn_text(vn_random_permutation(6)));
    vn_seed(7); /* the same again */
    printf("%s\n", vn_text(vn_random_normal(0, 1, VN_SHAPE(3))));
    vn_array *key = vn_random_named(vn_random_key_of(7), "weights"); /* depends on seed and name alone */
    printf("%s\n", vn_text(vn_uniform(key, vn_scalar(0), vn_scalar(1), VN_SHAPE(3), VN_F32)));
    return vn_close();
}

/* prints
[-1.2623725 -0.8700994 -0.4719341]
[8 8 7 6 8]
[1 3 2 0 4 5]
[-1.2623725 -0.8700994 -0.4719341]
[0.06598049 0.45756733 0.02523929]
*/
