/* SPDX-License-Identifier: Apache-2.0 */
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
    vn_dataset_split(d, 1, VN_OPTS(dataset_split, .random = 1, .seed = 3), &a, &b);
    vn_array *x = NULL, *y = NULL;
    return a && b && !vn_dataset_rows(b, (int64_t[]){0}, 1, &x, &y) && vn_dim(x, 1) == 2;
}

/* Texts, blanks and dates; and the same table again, by the schema of the first. */
static int tables(void)
{
    static const char text[] = "a,colour,day,kind\n1,red,2024-01-01,x\n,blue,2024-01-02,y\n3,,2024-01-03,x\n4,red,2024-01-04,y\n";
    vn_dataset_info i = {.size = sizeof i};
    write_bytes(in_folder("u.csv"), text, sizeof text - 1);
    vn_dataset *d = vn_dataset_load(in_folder("u.csv"), VN_OPTS(dataset, .columns = "-day", .missing = VN_MISSING_DROP, .standardize = 1));
    if (!d || vn_dataset_look(d, &i) || i.rows != 2 || i.n_columns != 3 || i.n_notes != 1) return 0;
    vn_dataset *e = vn_dataset_load(in_folder("u.csv"), VN_OPTS(dataset, .schema = i.schema, .missing = VN_MISSING_FILL));
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .batch = 2, .balance = 1, .optim = vn_sgd(.1, NULL));
    return e && !vn_dataset_look(e, &i) && i.rows == 4 && !strcmp(i.class_names[1], "y") && !vn_fit(vn_nn_linear(3, 2, NULL), e, &o, NULL);
}

static vn_array *distance(vn_array *prediction, vn_array *target, void *user)
{
    (void)user;
    return vn_mean(vn_abs(vn_sub(prediction, vn_cast(target, VN_F32))), VN_ALL);
}

/* With weights of rows, a metric of one's own, the average of the weights, and rows that the page shows as pictures, made smaller. */
static int training(void)
{
    enum { SIDE = 97 };
    static float x[3 * SIDE];
    x[0] = x[SIDE] = x[SIDE + 1] = x[3 * SIDE - 1] = 1;
    const vn_own_metric own = {.name = "distance", .fn = distance};
    vn_fit_result r = {.size = sizeof r};
    folder_empty();
    vn_seed(1);
    vn_dataset *d = vn_dataset_of(vn_from(x, VN_SHAPE(3, SIDE, 1, 1)), vn_from_host((int64_t[]){0, 1, 1}, VN_I64, VN_SHAPE(3)),
                                  VN_OPTS(dataset, .weights = vn_from((float[]){1, 2, 3}, VN_SHAPE(3))));
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .batch = 2, .validation_rows = 1, .metrics = "f1, calibration_error", .own_metrics = &own,
                             .n_own_metrics = 1, .average = .5, .optim = vn_sgd(.1, NULL), .resume = 1);
    o.checkpoint = in_folder("c"), o.log_csv = in_folder("l"), o.report = in_folder("r");
    int code = vn_fit(VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(SIDE, 2)), d, &o, &r);
    o.epochs = 2; /* and once more from the checkpoint */
    if (!code) code = vn_fit(VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(SIDE, 2)), d, &o, &r);
    CHECK(folder_count() <= 3); /* nothing half written is left */
    return !code && r.epochs == 2 && r.resumed == 1;
}

/* Tokens, which are looked at before the first step; those of the second call point outside. */
static int tokens(void)
{
    const vn_tree_spec spec = {.path = "a/w", .shape = VN_SHAPE(2, 2), .init = vn_init_normal(0, 1)};
    vn_tree *p = vn_tree_init(vn_random_key_of(1), 1, &spec, VN_F32);
    vn_array *y = vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(2, 2));
    int code = VN_OK;
    for (int64_t most = 4; most < 6 && !code; most++) {
        vn_dataset *d = vn_dataset_of(vn_from_host((int64_t[]){0, most}, VN_I64, VN_SHAPE(2)), y, NULL);
        vn_error_push();
        code = vn_fit(vn_nn_embedding(5, 2, NULL), d, VN_OPTS(fit, .epochs = 1, .batch = 2, .optim = vn_sgd(.1, NULL)), NULL);
        const bool outside = strstr(vn_message(), "embedding: index[0] is 5") != NULL;
        vn_code inner = vn_error_pop();
        if (most == 5 && outside) return p != NULL;
        if (inner) vn_clear(), vn_exp(NULL); /* any error */
        CHECK(most == 4 || inner);           /* never a training on zeros */
    }
    return 0;
}

int main(void)
{
    folder_make();
    FAIL_ALL(data);
    FAIL_ALL(tables);
    FAIL_ALL(training);
    FAIL_ALL(tokens);
    folder_remove();
    return finish();
}
