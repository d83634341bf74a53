/* SPDX-License-Identifier: Apache-2.0 */
/* everywhere.c: the engine of the process serves all threads that chose none, whenever they began; a thread's own choice comes first. */
/* ctest: engines */
/* ctest: sanitize */
#include "check.h"
#include <pthread.h>

static const char *engine;

static bool new_arrays_are_on(const char *name)
{
    VN_SCOPE;
    vn_array *made[] = {vn_ones(VN_SHAPE(2), VN_F32), vn_scalar(1), vn_from((float[]){1}, VN_SHAPE(1)),
                        vn_full(vn_scalar_int(2), VN_SHAPE(3), VN_I64)};
    bool all = !strcmp(vn_using(), name);
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) all &= made[k] && !strcmp(vn_engine_of(made[k]), name);
    return all;
}

static void *chose_none(void *unused)
{
    (void)unused;
    CHECK(new_arrays_are_on(engine));
    CHECK(vn_use("native") == VN_OK && new_arrays_are_on("native"));
    CHECK(vn_use(NULL) == VN_OK && new_arrays_are_on(engine));
    CHECK(vn_close() == VN_OK);
    return NULL;
}

static _Atomic bool over;

static void *switches(void *unused)
{
    (void)unused;
    while (!over) CHECK(vn_use_everywhere("native") == VN_OK && vn_use_everywhere(engine) == VN_OK);
    CHECK(vn_close() == VN_OK);
    return NULL;
}

static void in_thread(void *(*run)(void *))
{
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, run, NULL) && !pthread_join(thread, NULL));
}

int main(int argc, char **argv)
{
    engine = argc > 1 ? argv[1] : "native";
    use_engine(argc, argv);
    CHECK(vn_use(NULL) == VN_OK && new_arrays_are_on("native")); /* until it is called */
    CHECK(vn_use_everywhere(engine) == VN_OK && new_arrays_are_on(engine));
    in_thread(chose_none);
    CHECK_FAILS(vn_use_everywhere("warp-drive"), VN_E_ENGINE, "there is no engine \"warp-drive\"");
    CHECK(new_arrays_are_on(engine)); /* a failure changes nothing */
    pthread_t thread;
    CHECK(!pthread_create(&thread, NULL, switches, NULL));
    for (int k = 0; k < 2000; k++) {
        VN_SCOPE;
        const char *now = vn_engine_of(vn_ones(VN_SHAPE(2), VN_F32));
        CHECK(!strcmp(now, engine) || !strcmp(now, "native"));
    }
    over = true;
    CHECK(!pthread_join(thread, NULL));
    CHECK(vn_use_everywhere("") == VN_OK && new_arrays_are_on("native"));
    CHECK(vn_use_everywhere(engine) == VN_OK && vn_close() == VN_OK);
    CHECK(new_arrays_are_on("native")); /* the last close forgot it */
    return finish();
}
