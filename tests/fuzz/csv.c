/* csv.c: tables of numbers, as an array and as a dataset. */
#include "target.h"

static void read_file(const char *path)
{
    vn_array *table = vn_read_csv(path, VN_F32, NULL);
    must(table ? !vn_status() : vn_status() == VN_E_FORMAT || vn_status() == VN_E_MEM);
    vn_clear();
    vn_dataset *d = vn_dataset_load(path, NULL);
    must(d ? !vn_status() : vn_status() != VN_OK);
}
