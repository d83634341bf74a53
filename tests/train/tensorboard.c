/* SPDX-License-Identifier: Apache-2.0 */
/* tensorboard.c: event files are, byte for byte, what TensorBoard's own writer makes of the same scores (tensorboard.inc); trainings write them. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"
#include "tensorboard.inc"
#include <math.h>

static vn_dataset *points(void)
{
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(50, 3));
    return vn_dataset_of(x, vn_sum(x, VN_AXES(1)), NULL);
}

static int calls;
static int counting(const vn_fit_event *event, void *user)
{
    (void)event;
    calls++;
    return *(int *)user;
}

TEST(bytes_of_tensorboard)
{
    vn_tensorboard t = {.folder = folder, .now = 1700000000.5};
    vn_score scores[] = {{"loss", .5}, {"val_accuracy", .25}};
    vn_fit_event e = {.size = sizeof e, .moment = VN_FIT_BEGIN, .scores = scores, .lr = .01, .step = 10};
    CHECK(!vn_progress_tensorboard(&e, &t));
    e.n_scores = 2;
    e.moment = VN_FIT_STEP;
    CHECK(!vn_progress_tensorboard(&e, &t));
    e.moment = VN_FIT_EPOCH;
    CHECK(!vn_progress_tensorboard(&e, &t));
    scores[0].value = .125, scores[1].value = INFINITY, e.step = 300, e.lr = .001;
    CHECK(!vn_progress_tensorboard(&e, &t));
    e.moment = VN_FIT_END;
    CHECK(!vn_progress_tensorboard(&e, &t) && !t.file);
    bytes b = read_bytes(in_folder("events.out.tfevents.1700000000.vinea"));
    CHECK(b.size == sizeof tensorboard_file && !memcmp(b.data, tensorboard_file, b.size));
    free(b.data);
    folder_empty();
}

TEST(trainings)
{
    int go_on = 0, stop = 1;
    vn_tensorboard t = {.folder = folder, .now = 5, .next = counting, .next_user = &go_on};
    vn_fit_opts o = {.size = sizeof o, .epochs = 2, .batch = 25, .progress = vn_progress_tensorboard, .progress_user = &t};
    calls = 0;
    CHECK(!vn_fit(vn_nn_linear(3, 1, NULL), points(), &o, NULL) && calls == 1 + 2 * 3 + 1 && !t.file);
    bytes b = read_bytes(in_folder("events.out.tfevents.0000000005.vinea"));
    CHECK(b.size > 200);
    free(b.data);
    t.next_user = &stop;
    vn_fit_result r = {.size = sizeof r};
    CHECK(!vn_fit(vn_nn_linear(3, 1, NULL), points(), &o, &r) && r.stop == VN_STOP_CALLBACK);
    folder_empty();
}

TEST(errors)
{
    vn_tensorboard t = {.folder = in_folder("a/b")};
    vn_fit_event e = {.size = sizeof e, .moment = VN_FIT_BEGIN};
    CHECK_FAILS(vn_progress_tensorboard(&e, &t), VN_E_IO, "cannot make the folder");
    t.folder = NULL;
    CHECK_FAILS(vn_progress_tensorboard(&e, &t), VN_E_ARG, "no folder");
    CHECK_FAILS(vn_progress_tensorboard(&e, NULL), VN_E_NULL, "user");
    CHECK_FAILS(vn_progress_tensorboard(NULL, &t), VN_E_NULL, "event");
    char name[600];
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    vn_score s = {name, 1};
    t = (vn_tensorboard){.folder = folder, .now = 9};
    CHECK(!vn_progress_tensorboard(&e, &t));
    e.moment = VN_FIT_EPOCH, e.scores = &s, e.n_scores = 1;
    CHECK_FAILS(vn_progress_tensorboard(&e, &t), VN_E_ARG, "too long");
    CHECK(!t.file);
    folder_empty();
}

/* Folders that cannot be, and a disk that is full: the file is a link to a device that takes nothing. */
TEST(full)
{
    vn_fit_event begin = {.size = sizeof begin, .moment = VN_FIT_BEGIN}, epoch = {.size = sizeof epoch, .moment = VN_FIT_EPOCH};
    vn_tensorboard t = {.folder = ""};
    CHECK_FAILS(vn_progress_tensorboard(&begin, &t), VN_E_ARG, "no folder is given");
    char name[5000];
    memset(name, 'a', sizeof name - 1), name[sizeof name - 1] = 0;
    t.folder = name;
    CHECK_FAILS(vn_progress_tensorboard(&begin, &t), VN_E_ARG, "the folder's name is too long");
    write_bytes(in_folder("file"), "", 0);
    t.folder = in_folder("file");
    CHECK_FAILS(vn_progress_tensorboard(&begin, &t), VN_E_IO, ": Not a directory");
    CHECK(vn_progress_tensorboard(&epoch, &t) == VN_OK && !t.file); /* which is not open */
    vn_score many[300];
    for (int k = 0; k < 300; k++) many[k] = (vn_score){k ? "score" : "", k};
    for (int n = 0; n <= 300; n += 300) { /* noticed at the end, or by a write */
        t = (vn_tensorboard){.folder = folder, .now = 7};
        unlink(in_folder("events.out.tfevents.0000000007.vinea"));
        CHECK(symlink("/dev/full", in_folder("events.out.tfevents.0000000007.vinea")) == 0);
        CHECK(vn_progress_tensorboard(&begin, &t) == VN_OK);
        epoch.scores = many, epoch.n_scores = n;
        CHECK_FAILS(vn_progress_tensorboard(&epoch, &t), VN_E_IO, "cannot write in");
        CHECK(!t.file);
    }
    CHECK(vn_progress_tensorboard(&begin, &t) == VN_OK);
    begin.moment = VN_FIT_END;
    CHECK_FAILS(vn_progress_tensorboard(&begin, &t), VN_E_IO, "cannot close an event file in");
    folder_empty();
}

FOLDER_TEST_MAIN
