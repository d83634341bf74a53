/* SPDX-License-Identifier: Apache-2.0 */
/* Datasets: rows with targets, from arrays, files, tables, folders of images or a function. */
#include <stdio.h>
#include <vinea/vinea.h>

int main(void)
{
    vn_array *x = vn_reshape(vn_arange(0, 20), VN_SHAPE(10, 2));
    vn_array *y = vn_from_host((int64_t[]){0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, VN_I64, VN_SHAPE(10));
    vn_dataset *all = vn_dataset_of(x, y), *train, *held_out;
    vn_dataset_split(all, 3, NULL, &train, &held_out); /* the last three rows */
    vn_dataset_info info = {.size = sizeof info};
    vn_dataset_look(train, &info);
    printf("%lld rows of %lld, %lld classes\n", (long long)info.rows, (long long)info.x.dim[0], (long long)info.classes);
    vn_array *rows, *classes;
    vn_dataset_rows(held_out, (int64_t[]){0, 2}, 2, &rows, &classes);
    printf("%s\n", vn_text(rows));
    printf("%s\n", vn_text(classes));
    if (vn_status()) fprintf(stderr, "%s\n", vn_message());
    return vn_close();
}

/* prints
7 rows of 2, 3 classes
[[14. 15.]
 [18. 19.]]
[1 0]
*/
