/* SPDX-License-Identifier: Apache-2.0 */
/* runs.c: what a training left, read back: checkpoint and logs say the same; files that are no runs; the page that compares several. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"
#include <math.h>

static void train(const char *name, int64_t epochs, double lr)
{
    char checkpoint[64], csv[64], jsonl[64];
    snprintf(checkpoint, sizeof checkpoint, "%s.safetensors", name);
    snprintf(csv, sizeof csv, "%s.csv", name);
    snprintf(jsonl, sizeof jsonl, "%s.jsonl", name);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(40, 3)), *y = vn_argmax(x, VN_AXES(-1));
    const vn_fit_opts o = {.size = sizeof o,
                           .epochs = epochs,
                           .validation_rows = 10,
                           .seed = 7,
                           .config = "mine",
                           .optim = vn_adam(lr, NULL),
                           .checkpoint = in_folder(checkpoint),
                           .log_csv = in_folder(csv),
                           .log_jsonl = in_folder(jsonl)};
    CHECK(!vn_fit(vn_nn_linear(3, 3, NULL), vn_dataset_of(x, y, NULL), &o, NULL));
}

static const char *note_of(const vn_run *r, const char *key)
{
    for (int i = 0; i < r->n_notes; i++)
        if (!strcmp(r->notes[i].key, key)) return r->notes[i].value;
    return "";
}

TEST(same_from_all_files)
{
    VN_SCOPE;
    static const char *const names[] = {"a.safetensors", "a.csv", "a.jsonl"};
    train("a", 5, .05);
    vn_run runs[3];
    for (int k = 0; k < 3; k++) {
        runs[k] = (vn_run){.size = sizeof runs[k]};
        CHECK(!vn_run_load(in_folder(names[k]), &runs[k]));
        const vn_fit_result *r = runs[k].result;
        CHECK(r && r->n_history == 5 && r->epochs == 5 && r->steps == 5 && r->best_epoch >= 1 && r->best_epoch <= 5);
        if (!r || r->n_history != 5) return;
        CHECK(r->best_epoch == runs[0].result->best_epoch && r->history[4].n_scores == 4);
        for (int e = 0; e < 5; e++) {
            CHECK(r->history[e].epoch == e + 1 && r->history[e].lr == .05 && r->history[e].seconds > 0);
            for (int i = 0; i < 4; i++) {
                const vn_epoch *first = &runs[0].result->history[e];
                CHECK(vn_score_of(r->history[e].scores, r->history[e].n_scores, first->scores[i].name) == first->scores[i].value);
            }
        }
    }
    CHECK(!strcmp(runs[0].config, "mine") && !runs[1].config && !strcmp(note_of(&runs[0], "rows"), "30"));
    CHECK(!strcmp(note_of(&runs[0], "seed"), "7") && !strcmp(note_of(&runs[0], "batch"), "30") && runs[1].n_notes == 0);
}

TEST(loading_does_not_change_random_numbers)
{
    VN_SCOPE;
    train("b", 1, .1);
    vn_seed(3);
    const double expected = vn_item(vn_random_normal(0, 1, VN_0D));
    vn_seed(3);
    vn_run r = {.size = sizeof r};
    CHECK(!vn_run_load(in_folder("b.safetensors"), &r));
    CHECK(vn_item(vn_random_normal(0, 1, VN_0D)) == expected);
}

static void refuse(const char *text, const char *words)
{
    VN_SCOPE;
    vn_run r = {.size = sizeof r};
    write_bytes(in_folder("bad"), text, strlen(text));
    CHECK_FAILS(vn_run_load(in_folder("bad"), &r), VN_E_FORMAT, words);
}

TEST(no_runs)
{
    VN_SCOPE;
    vn_run r = {.size = sizeof r};
    refuse("", "a run is a checkpoint of a training, or its log");
    refuse("<!doctype html>", "it is no run");
    refuse("epoch,step,loss\n1,1,0.5\n3,2,0.25\n", "its epochs do not follow one another");
    refuse("epoch,step,loss\n1,1,good\n", "not numbers");
    refuse("epoch,step,lr\n1,1,0.5\n", "no scores");
    refuse("epoch,step,loss\n1,1\n", "fields");
    refuse("{\"epoch\": 1, \"loss\": 1}\n{\"epoch\": 2}\n", "the same numbers");
    refuse("{\"epoch\": 1, \"loss\": 1}\n{\"epoch\": 2, \"los\": 1}\n", "the same numbers");
    refuse("{\"epoch\": 1, \"loss\": [1]}\n", "");
    refuse("{\"epoch\": 1, \"loss\": 1", "no object of JSON");
    vn_checkpoint own = {.size = sizeof own, .step = 3};
    CHECK(!vn_checkpoint_save(in_folder("own.safetensors"), &own));
    CHECK_FAILS(vn_run_load(in_folder("own.safetensors"), &r), VN_E_FORMAT, "a checkpoint, but not of a training");
    CHECK_FAILS(vn_run_load(in_folder("none"), &r), VN_E_IO, "none");
    CHECK_FAILS(vn_run_load(NULL, &r), VN_E_NULL, "the path is NULL");
    CHECK_FAILS(vn_run_load("x", NULL), VN_E_NULL, "the run is NULL");
    CHECK_FAILS(vn_run_load("x", &(vn_run){.name = "x"}), VN_E_ARG, "sizeof(vn_run)");
}

/* A log with nulls and an epoch whose loss is not finite can be shown; so can a run that has not finished an epoch. */
TEST(odd_runs)
{
    VN_SCOPE;
    static const char log[] = "{\"epoch\": 4, \"step\": 8, \"loss\": null, \"lr\": 0.1, \"seconds\": 1}\n"
                              "{\"epoch\": 5, \"step\": 10, \"loss\": 0.5, \"lr\": 0.1, \"seconds\": 1}\n";
    vn_run r[2] = {{.size = sizeof *r}, {.size = sizeof *r}};
    write_bytes(in_folder("odd"), log, sizeof log - 1);
    CHECK(!vn_run_load(in_folder("odd"), &r[0]));
    CHECK(r[0].result->history[0].epoch == 4 && isnan(r[0].result->history[0].scores[0].value) && r[0].result->best_epoch == 5);
    write_bytes(in_folder("short.csv"), "epoch,step,loss,lr,seconds\n", 27);
    CHECK(!vn_run_load(in_folder("short.csv"), &r[1]) && r[1].result->n_history == 0);
    CHECK(!vn_report_runs(in_folder("odd.html"), r, 2, NULL));
}

static int contains(const char *name, const char *text)
{
    bytes b = read_bytes(in_folder(name));
    const int found = memmem(b.data, b.size, text, strlen(text)) != NULL;
    free(b.data);
    return found;
}

TEST(page)
{
    VN_SCOPE;
    train("c", 3, .05);
    train("d", 6, .01);
    vn_run r[25] = {{.size = sizeof *r}, {.size = sizeof *r}};
    CHECK(!vn_run_load(in_folder("c.safetensors"), &r[0]) && !vn_run_load(in_folder("d.safetensors"), &r[1]));
    r[0].name = "<one>", r[1].name = "two";
    CHECK(!vn_report_runs(in_folder("page.html"), r, 2, "A & B"));
    CHECK(contains("page.html", "A &#38; B") && contains("page.html", "&#60;one&#62;") && !contains("page.html", "<one>"));
    CHECK(contains("page.html", "No setting that is known differs"));
    r[1].notes = (const vn_note[]){{"batch", "16"}, {"own", "yes"}}, r[1].n_notes = 2;
    CHECK(!vn_report_runs(in_folder("page.html"), r, 2, NULL));
    CHECK(contains("page.html", "<th scope=\"row\">batch</th><td>30</td><td>16</td>"));
    CHECK(contains("page.html", "<th scope=\"row\">own</th><td>&ndash;</td><td>yes</td>"));
    CHECK_FAILS(vn_report_runs(in_folder("page.html"), r, 0, NULL), VN_E_ARG, "1 to 24");
    CHECK_FAILS(vn_report_runs(in_folder("page.html"), r, 25, NULL), VN_E_ARG, "1 to 24");
    CHECK_FAILS(vn_report_runs(in_folder("page.html"), r, 3, NULL), VN_E_ARG, "run 2");
    CHECK_FAILS(vn_report_runs(in_folder("page.html"), NULL, 1, NULL), VN_E_NULL, "runs is NULL");
    CHECK_FAILS(vn_report_runs(in_folder("no/page.html"), r, 2, NULL), VN_E_IO, "page.html");
    r[0].result = NULL;
    CHECK_FAILS(vn_report_runs(in_folder("page.html"), r, 2, NULL), VN_E_NULL, "run 0 has no result");
}

/* ---- checkpoints that were changed ---- */

static vn_dataset *rows_of_classes(void)
{
    return vn_dataset_of(vn_from((float[]){1, 2, 3, 4}, VN_SHAPE(4, 1)), vn_from_host((int64_t[]){0, 1, 0, 1}, VN_I64, VN_SHAPE(4)), NULL);
}

/* A training of two epochs with a matrix, counts and moments in its checkpoint; `o` has what differs. */
static int resumed(const vn_fit_opts *o)
{
    vn_fit_opts all = *o;
    all.size = sizeof all, all.epochs = 2, all.checkpoint = in_folder("r"), all.resume = 1, all.seed += 7;
    if (!all.metrics) all.metrics = "f1, calibration_error(4)";
    all.optim = vn_sgd(.01);
    return vn_fit(vn_nn_linear(1, 2), rows_of_classes(), &all, NULL);
}

/* Its checkpoint with one thing in `extra` changed: to a number, an array, or nothing. */
static void change(const char *chain, double number, vn_array *x)
{
    vn_module *m = vn_nn_linear(1, 2);
    vn_optim *optim = vn_sgd(.01);
    vn_checkpoint c = {.size = sizeof c, .module = m, .optim = optim};
    CHECK(vn_checkpoint_load(in_folder("whole"), &c) == VN_OK);
    if (!c.extra) return;
    if (x) vn_tree_set(c.extra, chain, x);
    else if (isnan(number)) vn_tree_set_null(c.extra, chain);
    else vn_tree_set_number(c.extra, chain, number);
    c.module = m, c.optim = optim;
    CHECK(vn_checkpoint_save(in_folder("r"), &c) == VN_OK);
}

static void first_part(void)
{
    remove(in_folder("r"));
    CHECK(resumed(VN_OPTS(fit, .validation_rows = 1)) == VN_OK);
    remove(in_folder("whole"));
    CHECK(rename(in_folder("r"), in_folder("whole")) == 0);
}

TEST(other_settings)
{
    first_part();
    const struct {
        const char *words;
        vn_fit_opts o;
    } all[] = {{"was saved with seed 7, not 8", {.validation_rows = 1, .seed = 1}},
               {"was saved with rows 3, not 4", {.batch = 0}},
               {"was saved with batch 3, not 2", {.validation_rows = 1, .batch = 2}},
               {"was saved with no_shuffle 0, not 1", {.validation_rows = 1, .no_shuffle = 1}},
               {"was saved with drop_last 0, not 1", {.validation_rows = 1, .drop_last = 1}},
               {"was saved with other weights of classes or rows", {.validation_rows = 1, .balance = 1}},
               {"was saved with 1 micro_batches, not 3", {.validation_rows = 1, .micro_batches = 3}},
               {"was saved with 2 metrics, not 1", {.validation_rows = 1, .metrics = "f1"}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        change("position/seconds", 0, NULL);
        CHECK_FAILS(resumed(&all[k].o), VN_E_ARG, all[k].words);
    }
}

TEST(changed_checkpoints)
{
    first_part();
    vn_array *one = vn_ones(VN_SHAPE(1), VN_F64), *numbers = vn_ones(VN_SHAPE(2, 2), VN_I64);
    const struct {
        const char *chain, *words;
        double number;
        vn_array *x;
    } all[] = {{"seed", "\"extra/seed\" should have 1 numbers", NAN, NULL},
               {"seed", "\"extra/seed\" should have 1 numbers", 0, one},
               {"settings/rows", "there is no \"extra/settings/rows\"", NAN, NULL},
               {"settings/batch", "there is no \"extra/settings/batch\"", -5, NULL},
               {"settings/batch", "there is no \"extra/settings/batch\"", 0, one},
               {"settings/batch", "there is no \"extra/settings/batch\"", 1e300, NULL},
               {"settings/micro_batches", "which are too few for 1 ranks", 0, NULL},
               {"settings/micro_batches", "which are too few for 1 ranks", 1e9, NULL},
               {"running/loss", "\"extra/running/loss\" should have 3 numbers", 0, one},
               {"counts/calibration_error_4", "counts", 0, one},
               {"matrix", "\"extra/matrix\" does not fit", 0, one},
               {"matrix", "\"extra/matrix\" does not fit", 0, vn_ones(VN_SHAPE(1, 1), VN_I64)},
               {"matrix", "\"extra/matrix\" does not fit", 0, vn_ones(VN_SHAPE(300, 300), VN_I64)},
               {"matrix", "\"extra/matrix\" does not fit", 0, vn_ones(VN_SHAPE(2, 3), VN_I64)},
               {"matrix", "\"extra/matrix\" should have 4 numbers", 0, vn_ones(VN_SHAPE(2, 2), VN_F64)},
               {"position/epoch", "there is no \"extra/position/epoch\"", -1, NULL},
               {"position/best", "there is no \"extra/position/best\"", NAN, NULL},
               {"history/loss", "\"extra/history/loss\" should have 2 numbers", NAN, NULL},
               {"history/loss", "\"extra/history/loss\" should have 2 numbers", 0, numbers}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        change(all[k].chain, all[k].number, all[k].x);
        CHECK(resumed(VN_OPTS(fit, .validation_rows = 1)) != VN_OK && strstr(vn_message(), all[k].words));
        vn_clear();
    }
    change("position/epoch", 0, NULL); /* none was finished: its history is not looked at */
    CHECK_FAILS(resumed(VN_OPTS(fit, .validation_rows = 1)), VN_E_STRUCT, "position/best_epoch");
    vn_checkpoint own = {.size = sizeof own, .module = vn_nn_linear(1, 2), .extra = vn_tree_of("a", one, NULL)};
    vn_run run = {.size = sizeof run};
    CHECK(vn_checkpoint_save(in_folder("r"), &own) == VN_OK);
    CHECK_FAILS(vn_run_load(in_folder("r"), &run), VN_E_FORMAT, "a checkpoint, but not of a training");
    CHECK_FAILS(resumed(VN_OPTS(fit, .validation_rows = 1)), VN_E_STRUCT, "\"extra/seed\" should have 1 numbers");
    own.extra = NULL;
    CHECK(vn_checkpoint_save(in_folder("r"), &own) == VN_OK);
    CHECK_FAILS(resumed(VN_OPTS(fit, .validation_rows = 1)), VN_E_STRUCT, "is a checkpoint, but not of vn_fit");
}

/* The same files as runs: what is damaged is refused, what is missing is not shown. */
TEST(changed_runs)
{
    first_part();
    vn_run r = {.size = sizeof r};
    vn_array *const damaged[] = {vn_ones(VN_SHAPE(2), VN_F32), vn_ones(VN_SHAPE(1, 2), VN_F64), vn_ones(VN_SHAPE(3), VN_F64)};
    for (int k = 0; k < 3; k++) {
        change("history/loss", 0, damaged[k]);
        CHECK_FAILS(vn_run_load(in_folder("r"), &r), VN_E_FORMAT, "its history is damaged");
    }
    change("history/loss", 3, NULL);
    CHECK_FAILS(vn_run_load(in_folder("r"), &r), VN_E_FORMAT, "its history is damaged");
    change("seed", 0, vn_ones(VN_SHAPE(2), VN_U64));
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && !*note_of(&r, "seed") && !strcmp(note_of(&r, "batch"), "3"));
    change("seed", 0, vn_ones(VN_SHAPE(1), VN_F32));
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && !*note_of(&r, "seed"));
    change("seed", NAN, NULL);
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && !*note_of(&r, "seed") && r.result->n_history == 2);
    change("position/best_epoch", 9, NULL); /* the smallest loss decides */
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && r.result->best_epoch >= 1 && r.result->best_epoch <= 2);
    change("position/best_epoch", NAN, NULL);
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && r.result->best_epoch >= 1);
    change("history", NAN, NULL);
    CHECK(vn_run_load(in_folder("r"), &r) == VN_OK && r.result->n_history == 0);
}

/* Logs whose numbers are odd: counts below 0, without a loss, with a last line that is not ended. */
TEST(odd_logs)
{
    static const struct {
        const char *text;
        double seconds;
        int64_t step, best;
    } all[] = {
        {"{\"epoch\": 1, \"step\": -3, \"loss\": 1, \"seconds\": -1}\n", 0, 0, 1},
        {"{\"epoch\": 1, \"step\": 1e300, \"val_loss\": null, \"seconds\": null}", 0, 0, 0},
        {"{\"epoch\": -1, \"step\": 3, \"accuracy\": 1}\n", 0, 3, 0},
        {"{\"epoch\": 1, \"step\": 3, \"loss\": 2, \"seconds\": 5}\n{\"epoch\": 2, \"step\": 6, \"loss\": 3, \"seconds\": 5}\n", 5, 3, 1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_run r = {.size = sizeof r};
        write_bytes(in_folder("odd"), all[k].text, strlen(all[k].text));
        CHECK(vn_run_load(in_folder("odd"), &r) == VN_OK && r.result->history[0].seconds == all[k].seconds);
        CHECK(r.result->history[0].step == all[k].step && r.result->best_epoch == all[k].best);
    }
    refuse("{\"epoch\": 1, \"loss\": \"a\"}\n", "the same numbers");
    refuse("{\"epoch\": 1}\n{\"epoch\": 2, \"loss\": 1}\n", "the same numbers");
    refuse("{\"epoch\": 1, \"loss\": 1}\n[1]\n", "no object of JSON");
    char *many = malloc((1 << 22) + 20);
    memset(many, '\n', (1 << 22) + 20);
    memcpy(many, "{\"epoch\": 1}", 12);
    write_bytes(in_folder("bad"), many, (1 << 22) + 20);
    free(many);
    CHECK_FAILS(vn_run_load(in_folder("bad"), &(vn_run){.size = sizeof(vn_run)}), VN_E_FORMAT, "it has too many epochs");
}

/* ---- pages of anything ---- */

TEST(odd_pages)
{
    vn_score s[] = {{"loss", 1}, {"height", 2}};
    const vn_epoch history[] = {
        {.epoch = 1, .scores = s, .n_scores = 2}, {.epoch = 2, .scores = s, .n_scores = 1}, {.epoch = 3, .scores = s, .n_scores = 2}};
    vn_fit_result one = {.size = sizeof one, .history = history, .n_history = 3, .best_epoch = 9}, none = {.size = sizeof none};
    const vn_note notes[] = {{"a", "1"}, {"b", "2"}}, odd[] = {{NULL, "1"}, {"a", NULL}};
    vn_run r[2] = {{.size = sizeof *r, .name = "x", .result = &one, .notes = notes, .n_notes = 2},
                   {.size = sizeof *r, .name = "y", .result = &none}};
    CHECK(vn_report_runs(in_folder("p"), r, 2, NULL) == VN_OK && contains("p", ">x<"));
    CHECK(vn_report_runs(in_folder("p"), r, 1, NULL) == VN_OK && contains("p", "<th scope=\"row\">a</th>"));
    r[1] = r[0];
    CHECK(vn_report_runs(in_folder("p"), r, 2, NULL) == VN_OK && contains("p", "2 the same in all runs"));
    CHECK(vn_report_runs(in_folder("p"), &(vn_run){.size = sizeof *r, .name = "y", .result = &none}, 1, NULL) == VN_OK);
    const struct {
        vn_code code;
        const char *words;
        vn_run r;
    } all[] = {{VN_E_NULL, "run 0 has no name", {.size = sizeof *r, .result = &one}},
               {VN_E_NULL, "run 0 has no notes", {.size = sizeof *r, .name = "x", .result = &one, .n_notes = 1}},
               {VN_E_NULL, "run 0 has no notes", {.size = sizeof *r, .name = "x", .result = &one, .n_notes = -1, .notes = notes}},
               {VN_E_NULL, "note", {.size = sizeof *r, .name = "x", .result = &one, .n_notes = 1, .notes = odd}},
               {VN_E_NULL, "note", {.size = sizeof *r, .name = "x", .result = &one, .n_notes = 1, .notes = odd + 1}}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(vn_report_runs(in_folder("p"), &all[k].r, 1, NULL), all[k].code, all[k].words);
}

/* A page of the caller's own: with results, with an evaluation, with odd numbers. */
TEST(own_pages)
{
    vn_score s[3][1] = {{{"loss", INFINITY}}, {{"loss", -1e308}}, {{"loss", 1e308}}};
    const vn_epoch history[] = {{.epoch = 1, .scores = s[0], .n_scores = 1, .lr = 1},
                                {.epoch = 2, .scores = s[1], .n_scores = 1, .lr = .5},
                                {.epoch = 3, .scores = s[2], .n_scores = 1, .lr = .5}};
    vn_fit_result result = {.size = sizeof result, .history = history, .n_history = 3, .best_epoch = 2};
    const int64_t matrix[] = {0, 0, 0, 4};
    const char *const names[] = {"no", NULL};
    vn_evaluation e = {.size = sizeof e, .scores = s[1], .n_scores = 1, .rows = 4, .classes = 2, .confusion = matrix};
    vn_report report = {.size = sizeof report, .result = &result, .test = &e, .classes = names};
    CHECK(vn_report_save(in_folder("o"), &report) == VN_OK && contains("o", "no") && contains("o", "-1e+308"));
    result.n_history = 1; /* not one finite number */
    e.classes = 0;
    CHECK(vn_report_save(in_folder("o"), &report) == VN_OK);
    const vn_note odd[] = {{NULL, "1"}, {"a", NULL}};
    report.n_notes = 1;
    CHECK_FAILS(vn_report_save(in_folder("o"), &report), VN_E_ARG, "1 notes in a list that is NULL");
    report.n_notes = -1, report.notes = odd;
    CHECK_FAILS(vn_report_save(in_folder("o"), &report), VN_E_ARG, "-1 notes in a list that is there");
    report.n_notes = 1;
    CHECK_FAILS(vn_report_save(in_folder("o"), &report), VN_E_NULL, "key or value of note 0 is NULL");
    report.notes = odd + 1;
    CHECK_FAILS(vn_report_save(in_folder("o"), &report), VN_E_NULL, "key or value of note 0 is NULL");
    report.size = 0;
    CHECK_FAILS(vn_report_save(in_folder("o"), &report), VN_E_ARG, "size");
}

FOLDER_TEST_MAIN
