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

FOLDER_TEST_MAIN
