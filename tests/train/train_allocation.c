/* train_allocation.c: every allocation fails, once and persistently, in a training with all its files, and in
 * datasets: no crash, no leak, an error every time, and no incomplete file. */
/* ctest: seconds 6 */
/* ctest: sanitize */
/* ctest: env VINEA_THREADS=1 */
#include "failing.h"
#include "folder.h"

/* The library's: thousands of short trainings need not wait for the disk. */
__attribute__((visibility("default"))) int fsync(int fd)
{
    (void)fd;
    return 0;
}

static int data(void)
{
    write_bytes(in_folder("t.csv"), "a,b,k\n1,2,0\n3,4,1\n5,6,1\n", 24);
    vn_dataset *d = vn_dataset_load(in_folder("t.csv"), VN_OPTS(dataset, .target = "k")), *a = NULL, *b = NULL;
    vn_dataset_split(d, 1, 1, 3, &a, &b);
    vn_array *x = NULL, *y = NULL;
    return a && b && !vn_dataset_rows(b, (int64_t[]){0}, 1, &x, &y) && vn_dim(x, 1) == 2;
}

static int training(void)
{
    static const float x[] = {1, 0, 0, 1, 1, 1};
    vn_fit_result r = {.size = sizeof r};
    folder_empty();
    vn_seed(1);
    vn_dataset *d = vn_dataset_of(vn_from(x, VN_SHAPE(3, 2)), vn_from_host((int64_t[]){0, 1, 1}, VN_I64, VN_SHAPE(3)), NULL);
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .batch = 2, .validation_rows = 1, .metrics = "f1", .optim = vn_sgd(.1, NULL), .resume = 1);
    o.checkpoint = in_folder("c"), o.log_csv = in_folder("l"), o.report = in_folder("r");
    int code = vn_fit(vn_nn_linear(2, 2, NULL), d, &o, &r);
    o.epochs = 2; /* and once more from the checkpoint */
    if (!code) code = vn_fit(vn_nn_linear(2, 2, NULL), d, &o, &r);
    CHECK(folder_count() <= 3); /* nothing half written is left */
    return !code && r.epochs == 2 && r.resumed == 1;
}

int main(void)
{
    folder_make();
    FAIL_ALL(data);
    FAIL_ALL(training);
    folder_remove();
    return finish();
}
