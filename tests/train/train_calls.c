/* SPDX-License-Identifier: Apache-2.0 */
/* train_calls.c: system calls of a training fail, one in STEP for each error, once and persistently: checkpoints and log lines are
 * complete, the error names the file, and the resumed training ends with the same bits as an undisturbed one. */
/* ctest: seconds 3 */
/* ctest: sanitize-address */
/* ctest: env VINEA_THREADS=1 */
#include "failing_calls.h"

#ifndef STEP
#define STEP 6
#endif
enum { EPOCHS = 2 };
static double expected[4], weights[4];

static vn_module *network(void)
{
    vn_seed(1);
    return vn_nn_linear(3, 1, NULL);
}

static vn_dataset *points(void)
{
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(12, 3));
    return vn_dataset_of(x, vn_sum(x, VN_AXES(1)), NULL);
}

static void read_weights(vn_module *m)
{
    for (int i = 0, k = 0; i < vn_tree_leaves(vn_module_v(m)); i++) {
        vn_array *x = vn_tree_leaf(vn_module_v(m), i);
        const float *p = vn_data(x);
        for (int64_t j = 0; j < vn_size(x) && k < 4; j++) weights[k++] = p ? p[j] : NAN;
    }
}

static int fit(void)
{
    char paths[5][320];
    static const char *const names[] = {"run.ckpt", "best.ckpt", "log.csv", "log.jsonl", "report.html"};
    for (int i = 0; i < 5; i++) snprintf(paths[i], sizeof paths[i], "%s", in_folder(names[i]));
    vn_module *net = network();
    int code = vn_fit(net, points(),
                      VN_OPTS(fit, .epochs = EPOCHS, .batch = 6, .checkpoint = paths[0], .resume = 1, .best = paths[1], .restore_best = 1,
                              .log_csv = paths[2], .log_jsonl = paths[3], .report = paths[4]),
                      NULL);
    if (!code) read_weights(net);
    return code;
}

static void empty(void)
{
    folder_empty();
}

/* A checkpoint that is there can be loaded. */
static bool loads(const char *name)
{
    VN_SCOPE;
    vn_module *m = network();
    vn_checkpoint c = {.size = sizeof c, .module = m, .optim = vn_adam(1e-3, NULL)};
    bool good = access(in_folder(name), F_OK) || !vn_checkpoint_load(in_folder(name), &c);
    vn_clear();
    return good;
}

static bool whole_lines(const char *name)
{
    if (access(in_folder(name), F_OK)) return true;
    bytes b = read_bytes(in_folder(name));
    bool good = !b.size || b.data[b.size - 1] == '\n';
    free(b.data);
    return good;
}

static bool files_whole(int code)
{
    if (!loads("run.ckpt") || !loads("best.ckpt")) return false;
    if (fault.kind != SYS_ftruncate && (!whole_lines("log.csv") || !whole_lines("log.jsonl"))) return false;
    return code || (!memcmp(weights, expected, sizeof weights) && !access(in_folder("report.html"), F_OK));
}

int main(void)
{
#ifdef NO_REGISTERS
    return 77;
#else
    folder_make_fast();
    {
        VN_SCOPE;
        CHECK(fit() == VN_OK);
        memcpy(expected, weights, sizeof expected);
    }
    if (watch_calls(fault_handle)) {
        puts("this system has no filters");
        _exit(77);
    }
    long faults = fault_all(&(faulty){"fit", empty, fit, files_whole, false, STEP, 0}, fault_says);
    faults += fault_all(&(faulty){"fit, named", empty, fit, files_whole, true, STEP, 0}, fault_says);
    printf("%ld system calls failed\n", faults);
    folder_remove();
    finish_watched();
#endif
}
