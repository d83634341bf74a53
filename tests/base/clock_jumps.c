/* SPDX-License-Identifier: Apache-2.0 */
/* clock_jumps.c: files and training while the wall clock jumps by years and the monotonic clock leaps ahead, as after a
 * suspend: the same bytes, the same bits, and finite times. */
/* ctest: sanitize */
#include "folder.h"
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

/* ---- the clocks of this program ---- */

static bool jumping;
static long asked;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static const long years[] = {0, 30, -50, 5, -1, 1000, -20};
    int code = (int)syscall(SYS_clock_gettime, clock, t);
    if (!jumping || code) return code;
    asked++;
    bool steady = clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE;
    t->tv_sec += steady ? asked * 3600 : years[asked % 7] * 365 * 86400;
    return 0;
}

time_t time(time_t *to)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (to) *to = t.tv_sec;
    return t.tv_sec;
}

int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
    (void)zone;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    *to = (struct timeval){t.tv_sec, t.tv_nsec / 1000};
    return 0;
}

/* ---- what runs with them ---- */

static vn_module *network(void)
{
    vn_seed(1);
    return vn_nn_linear(3, 1, NULL);
}

static int stop_after_three(const vn_fit_event *e, void *user)
{
    (void)user;
    return e->moment == VN_FIT_STEP && e->step == 3;
}

/* Trains, stopped in the middle and resumed if `twice`, and returns the sum of the weights. */
static double train(const char *name, bool twice)
{
    VN_SCOPE;
    char path[384], log[384], report[384];
    snprintf(path, sizeof path, "%s/%s.ckpt", folder, name);
    snprintf(log, sizeof log, "%s/%s.jsonl", folder, name);
    snprintf(report, sizeof report, "%s/%s.html", folder, name);
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(24, 3));
    vn_dataset *d = vn_dataset_of(x, vn_sum(x, VN_AXES(1)), NULL);
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 3, .batch = 6, .checkpoint = path, .log_jsonl = log, .report = report, .resume = 1);
    vn_module *m = network();
    if (twice) {
        o.watch = stop_after_three;
        CHECK(vn_fit(m, d, &o, NULL) == VN_OK);
        o.watch = NULL;
        m = network();
    }
    vn_fit_result r = {.size = sizeof r};
    CHECK(vn_fit(m, d, &o, &r) == VN_OK && r.n_history == 3);
    for (int64_t i = 0; i < r.n_history; i++) CHECK(isfinite(r.history[i].seconds) && r.history[i].seconds >= 0);
    double sum = 0;
    for (int i = 0; i < 2; i++) sum += vn_item(vn_sum(vn_tree_leaf(vn_module_v(m), i), VN_ALL));
    return sum;
}

static bool same_bytes(const char *a, const char *b)
{
    bytes x = read_bytes(in_folder(a)), y = read_bytes(in_folder(b));
    bool same = x.size == y.size && !memcmp(x.data, y.data, x.size);
    free(x.data);
    free(y.data);
    return same;
}

TEST(trainings)
{
    double steady = train("steady", false);
    jumping = true;
    CHECK(train("jumping", false) == steady && train("resumed", true) == steady);
    jumping = false;
    CHECK(asked > 10);
}

TEST(files)
{
    folder_empty();
    static const char *const names[2][3] = {{"a", "b.npz", "c.ckpt"}, {"d", "e.npz", "f.ckpt"}};
    for (int k = 0; k < 2; k++) {
        jumping = k;
        vn_seed(3);
        vn_tree *t = vn_tree_of("x/y", vn_random_normal(0, 1, VN_SHAPE(100)), NULL);
        vn_checkpoint c = {.size = sizeof c, .weights = t, .step = 5};
        for (int i = 0; i < 3; i++)
            CHECK((i < 2 ? vn_save(in_folder(names[k][i]), t, NULL) : vn_checkpoint_save(in_folder(names[k][i]), &c)) == VN_OK);
    }
    jumping = false;
    for (int i = 0; i < 3; i++) CHECK(same_bytes(names[0][i], names[1][i]));
    CHECK(folder_count() == 6);
}

FOLDER_TEST_MAIN
