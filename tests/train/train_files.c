/* SPDX-License-Identifier: Apache-2.0 */
/* train_files.c: a training's output: logs, checkpoints, the report, progress; and the errors for wrong options and for full or
 * read-only disks. */
/* ctest: sanitize */
#include "folder.h"
#include "os/clock.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static vn_dataset *points(int classes)
{
    vn_seed(7);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(50, 3)), *s = vn_sum(x, VN_AXES(1));
    return vn_dataset_of(x, classes ? vn_cast(vn_greater(s, vn_scalar(0)), VN_I64) : s, NULL);
}

static vn_module *network(int64_t out)
{
    vn_seed(1);
    return vn_nn_linear(3, out, NULL);
}

static char *text_of(const char *path)
{
    bytes b = read_bytes(path);
    b.data[b.size] = 0;
    return (char *)b.data;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, word)); p += strlen(word)) n++;
    return n;
}

/* ---- options ---- */

static vn_array *vector(vn_array *prediction, vn_array *target, void *user)
{
    (void)target, (void)user;
    return prediction;
}
static vn_array *nothing(vn_array *prediction, vn_array *target, void *user)
{
    (void)prediction, (void)target, (void)user;
    return NULL;
}
static int breaks(const vn_fit_event *e, void *user)
{
    (void)user;
    if (e->moment == VN_FIT_EPOCH) vn_zeros(VN_SHAPE(-1), VN_F32);
    return 0;
}

static vn_fit_opts saving(void)
{
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 2);
    o.checkpoint = in_folder("run.ckpt");
    return o;
}

/* In a process of another user: root may write everywhere. */
static int denied(void)
{
    vn_fit_opts o = saving();
    if (vn_fit(network(2), points(1), &o, NULL)) return 1;
    bytes before = read_bytes(o.checkpoint);
    if (chmod(folder, 0555) || chmod(o.checkpoint, 0444) || (!geteuid() && setuid(65534))) return 2;
    int code = vn_fit(network(2), points(1), &o, NULL);
    if (code != VN_E_IO || !strstr(vn_message(), "run.ckpt: ") || !strstr(vn_message(), "Permission denied")) return 3;
    bytes after = read_bytes(o.checkpoint);
    return before.size == after.size && !memcmp(before.data, after.data, after.size) && folder_count() == 1 ? 0 : 4;
}

/* The first test: the child is to be the only user of the library. */
TEST(forbidden)
{
    pid_t child = fork();
    if (child == 0) _exit(denied());
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    chmod(folder, 0700);
    folder_empty();
}

TEST(options)
{
    vn_dataset *d = points(1), *numbers = points(0);
    vn_module *m = network(2), *one = network(1);
    CHECK_FAILS(vn_fit(NULL, d, NULL, NULL), VN_E_NULL, "m");
    CHECK_FAILS(vn_fit(m, NULL, NULL, NULL), VN_E_NULL, "data");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .epochs = -1), NULL), VN_E_ARG, "epochs is -1");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .min_delta = NAN), NULL), VN_E_ARG, "min_delta");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .resume = 1), NULL), VN_E_ARG, "resume needs");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .drop_last = 2), NULL), VN_E_ARG, "fit: drop_last is 2; it is a flag, 0 or 1");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .no_shuffle = -1), NULL), VN_E_ARG, "fit: no_shuffle is -1");
    CHECK_FAILS(vn_dataset_of(vn_ones(VN_SHAPE(2), VN_F32), VN_NONE, VN_OPTS(dataset, .allow_nonfinite = 2)), VN_E_ARG,
                "dataset: allow_nonfinite is 2");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .restore_best = 1), NULL), VN_E_ARG, "restore_best needs");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .best = "a", .checkpoint = "a"), NULL), VN_E_ARG, "same path");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .validation_split = 1), NULL), VN_E_ARG, "validation_split is 1");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .validation_rows = 50), NULL), VN_E_ARG, "50 of 50");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .validation_rows = 5, .validation_split = .5), NULL), VN_E_ARG, "one of them is enough");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .validation = numbers), NULL), VN_E_ARG, "those of the validation numbers");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .loss = "l1"), NULL), VN_E_ARG, "no loss \"l1\"");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .loss = "mse"), NULL), VN_E_ARG, "mse needs numbers");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .metrics = "accuracy,speed"), NULL), VN_E_ARG, "no metric \"speed\"");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .metrics = "accuracy,accuracy"), NULL), VN_E_ARG, "given twice");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .metrics = "top3"), NULL), VN_E_ARG, "top_k_accuracy: k is 3, 1 to 2 are allowed");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .metrics = "mae"), NULL), VN_E_ARG, "mae needs numbers");
    CHECK_FAILS(vn_fit(one, numbers, VN_OPTS(fit, .metrics = "f1"), NULL), VN_E_ARG, "f1 needs classes");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .monitor = "val_loss"), NULL), VN_E_ARG, "the scores are loss, accuracy");
    CHECK_FAILS(vn_fit(one, d, NULL, NULL), VN_E_SHAPE, "bce takes one number");
    CHECK_FAILS(vn_fit(network(1), numbers, VN_OPTS(fit, .loss = "cross_entropy"), NULL), VN_E_ARG, "needs classes");
    CHECK_FAILS(vn_fit(network(3), numbers, NULL, NULL), VN_E_SHAPE, "network gives 32x3 for targets 32");
    vn_own_metric own = {.name = "a b", .fn = vector};
    vn_fit_opts o = *VN_OPTS(fit, .own_metrics = &own, .n_own_metrics = 1, .epochs = 1);
    CHECK_FAILS(vn_fit(m, d, &o, NULL), VN_E_ARG, "\"a b\" is not a valid name");
    own.name = "own";
    CHECK_FAILS(vn_fit(m, d, &o, NULL), VN_E_NOT_SCALAR, "metric own: it gives 64 numbers");
    own.fn = nothing;
    CHECK_FAILS(vn_fit(m, d, &o, NULL), VN_E_CALLBACK, "metric own");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .loss_fn = vector), NULL), VN_E_NOT_SCALAR, "loss function gives 64");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .loss_fn = vector, .loss = "bce"), NULL), VN_E_ARG, "one of them");
    CHECK_FAILS(vn_fit(m, d, VN_OPTS(fit, .watch = breaks, .epochs = 1), NULL), VN_E_SHAPE, "fit: callback");
    CHECK_FAILS(vn_fit(network(1), numbers, VN_OPTS(fit, .optim = vn_sgd(1e30, NULL)), NULL), VN_E_ARG, "a smaller learning rate");
    CHECK_FAILS(vn_fit(m, d, NULL, &(vn_fit_result){0}), VN_E_ARG, "sizeof");
    vn_dataset *bare = vn_dataset_of(vn_zeros(VN_SHAPE(4, 3), VN_F32), VN_NONE, NULL);
    CHECK_FAILS(vn_fit(m, bare, NULL, NULL), VN_E_ARG, "no target");
    CHECK_FAILS(vn_evaluate(m, bare, NULL, &(vn_evaluation){.size = sizeof(vn_evaluation)}), VN_E_ARG, "no target");
    CHECK_FAILS(vn_evaluate(m, d, NULL, NULL), VN_E_NULL, "result");
    CHECK_FAILS(vn_predict(m, d, -1), VN_E_ARG, "batch of -1");
    CHECK(vn_predict(m, bare, 0) != NULL);
}

/* ---- logs ---- */

TEST(logs)
{
    CHECK(vn_fit(network(2), points(1),
                 VN_OPTS(fit, .epochs = 3, .validation_rows = 10, .log_csv = in_folder("a.csv"), .log_jsonl = in_folder("a.jsonl")),
                 NULL) == VN_OK);
    char *csv = text_of(in_folder("a.csv")), *json = text_of(in_folder("a.jsonl"));
    CHECK(strstr(csv, "epoch,step,loss,accuracy,val_loss,val_accuracy,lr,seconds\n1,2,0.") == csv && count(csv, "\n") == 4);
    CHECK(strstr(json, "{\"epoch\": 1, \"step\": 2, \"loss\": 0.") == json && count(json, "}\n") == 3 &&
          count(json, "\"lr\": 0.001, \"seconds\": ") == 3);
    free(csv);
    free(json);
    CHECK(!mkfifo(in_folder("pipe"), 0600));
    alarm(60); /* a pipe without a reader is an error at once */
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .log_csv = in_folder("pipe")), NULL), VN_E_IO, "without a reader");
    alarm(0);
    CHECK(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .log_csv = in_folder("a.csv")), NULL) ==
          VN_OK); /* a new run begins anew */
    csv = text_of(in_folder("a.csv"));
    CHECK(count(csv, "\n") == 2);
    free(csv);
    folder_empty();
}

/* A log may have lines of epochs whose checkpoint was lost; resuming drops them. */
TEST(log_of_the_killed)
{
    vn_fit_opts o = *VN_OPTS(fit, .epochs = 2, .resume = 1, .config = "{\"width\": 3}");
    o.checkpoint = in_folder("run.ckpt"), o.log_csv = in_folder("run.csv");
    vn_module *m = network(2);
    CHECK(vn_fit(m, points(1), &o, NULL) == VN_OK);
    FILE *f = fopen(o.log_csv, "a");
    fprintf(f, "3,6,1,1,1,1\n4,8,1"); /* the last one in the middle of a line */
    fclose(f);
    o.epochs = 4, o.config = NULL;
    CHECK(vn_fit(m, points(1), &o, NULL) == VN_OK);
    char *csv = text_of(o.log_csv);
    CHECK(count(csv, "\n") == 5 && count(csv, "\n3,6,") == 1 && !strstr(csv, "1,1,1"));
    free(csv);
    vn_checkpoint c = {.size = sizeof c};
    CHECK(vn_checkpoint_load(o.checkpoint, &c) == VN_OK && c.config && !strcmp(c.config, "{\"width\": 3}")); /* it was kept */
    folder_empty();
}

/* ---- failing disks ---- */

/* Every failing write reports the system's error, and the old file is still there. */
TEST(full)
{
    vn_fit_opts o = saving();
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .log_csv = "/dev/full"), NULL), VN_E_IO, "No space left");
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .log_jsonl = "/dev/full"), NULL), VN_E_IO, "No space left");
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .report = "/dev/full"), NULL), VN_E_IO, "/dev/full");
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .best = "/dev/full"), NULL), VN_E_IO, "/dev/full");
    CHECK_FAILS(vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .checkpoint = "/no such folder/a"), NULL), VN_E_IO, "No such file");
    CHECK(vn_fit(network(2), points(1), &o, NULL) == VN_OK);
    bytes before = read_bytes(o.checkpoint);
    struct rlimit old, tiny;
    getrlimit(RLIMIT_FSIZE, &old);
    tiny = old;
    tiny.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tiny);
    CHECK_FAILS(vn_fit(network(2), points(1), &o, NULL), VN_E_IO, "run.ckpt: cannot write: File too large");
    setrlimit(RLIMIT_FSIZE, &old);
    bytes after = read_bytes(o.checkpoint);
    CHECK(before.size == after.size && !memcmp(before.data, after.data, after.size) && folder_count() == 1);
    free(before.data);
    free(after.data);
    folder_empty();
}

/* ---- the report ---- */

TEST(report)
{
    const vn_note notes[] = {{"<script>alert(1)</script>", "a & b \"c\" 'd'"}};
    CHECK(vn_fit(network(2), points(1),
                 VN_OPTS(fit, .epochs = 4, .validation_rows = 10, .report = in_folder("r.html"), .title = "</title><b>x", .notes = notes,
                         .n_notes = 1),
                 NULL) == VN_OK);
    char *page = text_of(in_folder("r.html"));
    CHECK(!strncmp(page, "<!doctype html>", 15) && count(page, "class=\"chart\"") == 2 && count(page, "<script>") == 1 &&
          !strstr(page, "<b>x"));
    CHECK(strstr(page, "&#60;script&#62;alert(1)&#60;/script&#62;") && strstr(page, "a &#38; b &#34;c&#34; &#39;d&#39;"));
    CHECK(!strstr(page, "href=") && !strstr(page, "src=") && !strstr(page, "@import") && !strstr(page, "url("));
    CHECK(strstr(page, "Confusion matrix") && count(page, "<td style=\"--s:") == 4 &&
          strstr(page, "Validation data after epoch 4: 10 rows"));
    free(page);
    CHECK(vn_fit(network(1), points(0), VN_OPTS(fit, .epochs = 1, .report = in_folder("r.html")), NULL) == VN_OK);
    page = text_of(in_folder("r.html"));
    CHECK(!strstr(page, "Confusion matrix") && strstr(page, "Training data after epoch 1: 50 rows") && count(page, "r=\"2.5\"") == 2 &&
          count(page, "<rect") == 24 && count(page, "r=\"3\"") == 50);
    free(page);
    /* Without data, and with NaN. */
    CHECK(vn_report_save(in_folder("r.html"), &(vn_report){.size = sizeof(vn_report)}) == VN_OK);
    vn_score odd[3] = {{"x", NAN}, {"x", INFINITY}, {"x", -1e308}};
    vn_epoch epochs[3] = {{1, 1, 0, 0, &odd[0], 1}, {2, 2, 0, 0, &odd[1], 1}, {3, 3, 0, 0, &odd[2], 1}};
    vn_fit_result r = {.size = sizeof r, .history = epochs, .n_history = 3, .epochs = 3};
    CHECK(vn_report_save(in_folder("r.html"), &(vn_report){.size = sizeof(vn_report), .result = &r}) == VN_OK);
    r.n_history = 0;
    CHECK(vn_report_save(in_folder("r.html"), &(vn_report){.size = sizeof(vn_report), .result = &r}) == VN_OK);
    page = text_of(in_folder("r.html"));
    CHECK(strstr(page, "No epoch was finished"));
    free(page);
    CHECK_FAILS(vn_report_save(NULL, &(vn_report){.size = sizeof(vn_report)}), VN_E_NULL, "path");
    CHECK_FAILS(vn_report_save("x", NULL), VN_E_NULL, "report");
    CHECK_FAILS(vn_report_save("x", &(vn_report){0}), VN_E_ARG, "size");
    CHECK_FAILS(vn_report_save("x", &(vn_report){.size = sizeof(vn_report), .notes = &(vn_note){0}, .n_notes = 1}), VN_E_NULL, "note 0");
    folder_empty();
}

/* ---- progress ---- */

/* What a training of two epochs shows; the caller frees it. */
static char *shown(int style, int columns)
{
    vn_terminal t = {.style = style, .columns = columns};
    t.to = fopen(in_folder("shown"), "w+");
    CHECK(vn_fit(network(2), points(1),
                 VN_OPTS(fit, .epochs = 2, .batch = 5, .validation_rows = 10, .progress = vn_progress_terminal, .progress_user = &t),
                 NULL) == VN_OK);
    fclose(t.to);
    return text_of(in_folder("shown"));
}

TEST(progress)
{
    double begin = vn__clock();
    char *lines = shown(0, 0), *bar = shown(1, 100);
    int most = 2 + (int)((vn__clock() - begin) * 10) + 1; /* each epoch at once, then ten times a second */
    CHECK(count(lines, "\n") == 2 && !strchr(lines, '\r') && strstr(lines, "epoch 1/2  loss 0.") && strstr(lines, "  val_accuracy "));
    CHECK(count(bar, "\n") == 2 && strstr(bar, "\repoch 1/2 [") && strstr(bar, "rows/s") && strstr(bar, " left") &&
          count(bar, "\repoch") <= most + 2);
    free(lines);
    free(bar);
    for (int columns = 1; columns < 60; columns++) { /* nothing is wider than the terminal, and something is always there */
        bar = shown(1, columns);
        size_t widest = 0;
        for (const char *p = bar; *p;) {
            size_t n = strcspn(p, "\r\n");
            bool drawn = p > bar && p[-1] == '\r' && p[n] == '\r';
            if (drawn && n > widest) widest = n;
            p += n + (p[n] != 0);
        }
        CHECK(widest < (size_t)columns || columns == 1);
        CHECK(columns < 12 || strstr(bar, "epoch 1/2"));
        free(bar);
    }
    char *quiet = shown(3, 0);
    CHECK(!*quiet);
    free(quiet);
    CHECK_FAILS(vn_progress_terminal(NULL, NULL), VN_E_NULL, "event");
    folder_empty();
}

/* A real terminal of 40 columns: a bar without being asked for, with colours or, by NO_COLOR, without; and lines where TERM says that it is a
 * dumb one. */
TEST(real_terminal)
{
    enum { COLOURED, PLAIN, DUMB };
    for (int kind = COLOURED; kind <= DUMB; kind++) {
        char text[4096] = "";
        int master = posix_openpt(O_RDWR | O_NOCTTY);
        struct winsize size = {.ws_row = 24, .ws_col = 40};
        CHECK(master >= 0 && !grantpt(master) && !unlockpt(master) && !ioctl(master, TIOCSWINSZ, &size));
        vn_terminal t = {.to = fopen(ptsname(master), "r+")};
        setenv("TERM", kind == DUMB ? "dumb" : "xterm", 1);
        setenv("NO_COLOR", kind == PLAIN ? "1" : "", 1);
        CHECK(t.to && vn_fit(network(2), points(1), VN_OPTS(fit, .epochs = 1, .progress = vn_progress_terminal, .progress_user = &t),
                             NULL) == VN_OK);
        CHECK(read(master, text, sizeof text - 1) > 0);
        size_t drawn = text[0] == '\r' ? strcspn(text + 1, "\r\n") : 0;
        if (kind == DUMB) CHECK(!strncmp(text, "epoch 1/1  loss", 15));
        if (kind == PLAIN) CHECK(drawn > 20 && drawn < 40 && !strncmp(text, "\repoch 1/1 ", 11));
        if (kind == COLOURED) CHECK(drawn > 40 && !strncmp(text, "\r\033[1mepoch 1/1\033[0m", 18));
        fclose(t.to);
        close(master);
    }
}

FOLDER_TEST_MAIN
