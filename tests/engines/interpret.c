/* SPDX-License-Identifier: Apache-2.0 */
/* interpret.c: programs that run kernel by kernel (src/engine/interpret.c), on a test engine (plugins/actor.c): memory of operands is
 * reused once they are dead, kernels keep what they prepared, results that are not used are released, kernels fail, several threads
 * run one program, every allocation fails. */
/* ctest: seconds 2 */
/* ctest: sanitize */
#include "failing.h"
#include "folder.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

static struct {
    atomic_int prepared, unprepared, in_place, inside, hold;
} * counts;

static char logged[2000];

static void remember(const char *text, void *user)
{
    (void)user;
    snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static vn_array *ones(double scale)
{
    return vn_mul(vn_full(vn_scalar(scale), VN_SHAPE(5), VN_F32), vn_full(vn_scalar(1), VN_SHAPE(5), VN_F32));
}

static bool all_are(vn_array *x, float expected)
{
    const float *data = vn_data(x);
    for (int k = 0; data && k < 5; k++)
        if (data[k] != expected) return false;
    return data != NULL;
}

TEST(operands_in_place)
{
    const int before = counts->in_place;
    CHECK(all_are(vn_add(ones(2), ones(3)), 5) && counts->in_place == before + 1); /* a product that only the sum needs */
    vn_array *x = ones(2);
    CHECK(all_are(vn_add(x, x), 4) && counts->in_place == before + 1); /* both operands are one value */
    vn_array *y = vn_add(x, ones(1)), *z = vn_mul(x, y), *both[] = {y, z};
    CHECK(vn_eval(2, both) == VN_OK && all_are(y, 3) && all_are(z, 6) && counts->in_place == before + 1); /* x is needed again */
    vn_array *kept = ones(7), *sum = vn_add(kept, ones(1)), *all[] = {kept, sum};
    CHECK(vn_eval(2, all) == VN_OK && all_are(kept, 7) && all_are(sum, 8) && counts->in_place == before + 1); /* x is a result */
}

TEST(prepared_calls)
{
    const int before = counts->prepared;
    for (int k = 0; k < 3; k++) CHECK(all_are(vn_add(vn_add(ones(1), ones(2)), ones(4)), 7));
    CHECK(counts->prepared == before + 2); /* once for each of the program's two sums */
}

TEST(several_results)
{
    vn_array *x = vn_mul(vn_from((float[]){3, 9, 1, 7, 5}, VN_SHAPE(5)), vn_full(vn_scalar(1), VN_SHAPE(5), VN_F32)), *index;
    vn_array *values = vn_topk(x, 2, -1, NULL, &index), *pair[] = {values, index};
    CHECK(vn_eval(2, pair) == VN_OK);
    const float *v = vn_data(values);
    const int64_t *i = vn_data(index);
    CHECK(v && v[0] == 9 && v[1] == 7 && i && i[0] == 1 && i[1] == 3);
    values = vn_topk(vn_mul(x, x), 2, -1, NULL, NULL); /* the places are computed for nothing */
    v = vn_data(values);
    CHECK(v && v[0] == 81 && v[1] == 49);
    vn_topk(vn_add(x, x), 3, -1, NULL, &index);
    i = vn_data(index);
    CHECK(i && i[0] == 1 && i[2] == 4);
}

/* Kernels get the options that their rows name, in the rows' order; a row that names one that the op lacks, or one twice, is left out. */
TEST(options_by_name)
{
    VN_SCOPE;
    vn_array *x = vn_from((float[]){5, 6, 7, 8, 9, 4, 5, 6}, VN_SHAPE(2, 4)), *flat = vn_from((float[]){5, 6, 7}, VN_SHAPE(3));
    const float *told = vn_data(vn_cumulative_sum(x, 1, VN_OPTS(cumulative_sum, .reverse = 1)));
    CHECK(told && told[0] == 1 && told[1] == 1 && told[2] == 2 && told[7] == 2);
    told = vn_data(vn_cumulative_sum(x, 0, NULL));
    CHECK(told && told[0] == 0 && told[1] == 0 && told[2] == 2);
    told = vn_data(vn_flip(flat, VN_AXES(0)));
    CHECK(told && told[0] == 0 && told[2] == 0); /* it names none */
    told = vn_data(vn_permute_dims(x, VN_AXES(1, 0)));
    CHECK(told && told[0] == 5 && told[1] == 9 && told[2] == 6); /* as native has it */
    told = vn_data(vn_concat(2, (vn_array *[]){flat, flat}, 0));
    CHECK(told && told[0] == 5 && told[3] == 5);
    CHECK(strstr(logged, "its kernel for \"permute_dims\" reads \"axes, axis\"") && strstr(logged, "\"concat\" reads \"axis axis\""));
}

TEST(failing_kernels)
{
    vn_array *x = ones(2), *y = vn_sub(vn_add(x, ones(3)), x), *z = vn_div(vn_add(x, ones(3)), x);
    CHECK_FAILS(vn_eval(1, &y), VN_E_ENGINE, "sub: kernels returned no result");
    CHECK_FAILS(vn_eval(1, &z), VN_E_ENGINE, "no div today");
    CHECK(all_are(vn_add(x, x), 4)); /* and others work */
}

static void *one_thread(void *unused)
{
    VN_SCOPE;
    if (vn_use("kernels") || !all_are(vn_add(ones(2), ones(5)), 7)) return vn_close(), unused;
    vn_close();
    return NULL;
}

/* Threads that are inside of the same program at once have their own values. */
TEST(one_program_in_several_threads)
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    for (int round = 0; round < 3; round++) {
        counts->hold = 1;
        for (int k = 0; k < THREADS; k++) CHECK(!pthread_create(&threads[k], NULL, one_thread, counts));
        for (int k = 0; k < 5000 && counts->inside < THREADS; k++) usleep(1000);
        CHECK(counts->inside == THREADS);
        counts->hold = 0;
        for (int k = 0; k < THREADS; k++) {
            void *failed = counts;
            CHECK(!pthread_join(threads[k], &failed) && !failed);
        }
    }
}

/* ---- failing allocations ---- */

static int a_program(void)
{
    if (vn_use("kernels")) return 0;
    vn_array *x = ones(2), *index, *values = vn_topk(vn_add(x, ones(1)), 2, -1, NULL, &index), *pair[] = {values, index};
    const bool right = vn_eval(2, pair) == VN_OK && vn_item(vn_sum(vn_to(values, "native"), VN_ALL)) == 6;
    vn_use("native");
    return right;
}

int main(void)
{
    folder_make();
    bytes actor = read_bytes(VN_TEST_PLUGINS "/actor.so");
    write_bytes(in_folder("kernels.so"), actor.data, actor.size);
    free(actor.data);
    setenv("VINEA_ENGINE_PATH", folder, 1);
    vn_set_log(remember, NULL);
    if (vn_use("kernels")) exit(fprintf(stderr, "%s\n", vn_message()));
    void *plugin = dlopen(in_folder("kernels.so"), RTLD_NOW | RTLD_NOLOAD);
    counts = plugin ? dlsym(plugin, "actor_counts") : NULL;
    if (!counts) exit(fprintf(stderr, "actor_counts: %s\n", dlerror()));
    run_tests();
    vn_close();
    CHECK(counts->prepared > 0 && counts->prepared == counts->unprepared); /* all of it is given back */
    FAIL_ALL(a_program);
    dlclose(plugin);
    folder_remove();
    return finish();
}
