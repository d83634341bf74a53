/* SPDX-License-Identifier: Apache-2.0 */
/* Files: trees as safetensors or npz, arrays as npy. A file is replaced only when the new one is complete. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_tree *p = vn_tree_of("w", vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2)), "b", vn_zeros(VN_SHAPE(2), VN_F32), NULL);
    vn_save("files.safetensors", p);
    vn_tree *q = vn_load("files.safetensors"); /* mapped, not copied */
    printf("%s\n", vn_text(vn_tree_get(q, "w")));
    vn_save_array("files.npy", vn_tree_get(q, "b")); /* for NumPy */
    printf("%s\n", vn_text(vn_load_array("files.npy")));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    remove("files.safetensors"), remove("files.npy");
    return vn_close();
}

/* prints
[[1. 2.]
 [3. 4.]]
[0. 0.]
*/
