/* SPDX-License-Identifier: Apache-2.0 */
/* report.c: the dashboard: what its reader refuses and the messages, histories, comparisons, tables and badges. With `make FOLDER` it
 * writes and renders the synthetic reports that tests/browser/report_page.py uses. */
/* ctest: sanitize */
/* ctest: links vinea_report */
#include "conformance/report/report.h"
#include "folder.h"
#include "report_make.h"
#include <sys/wait.h>

static char *made_bytes; /* a valid report, to be corrupted */
static size_t made_size;
static report_problem problem;

static const char seeds_csv[] = VN_TEST_DATA "/../../conformance/seeds/seed_matrix.csv";

static void make_good(void)
{
    made_write(in_folder("good.json"), &(made){.tests = 6, .seed = seeds_csv, .day = 3});
    bytes b = read_bytes(in_folder("good.json"));
    made_bytes = (char *)b.data;
    made_size = b.size;
    made_bytes[made_size] = 0;
}

/* ---- reading ---- */

TEST(reads)
{
    report *r = report_read(in_folder("good.json"), &problem);
    CHECK(r);
    if (!r) {
        fprintf(stderr, "%s\n", problem.text);
        return;
    }
    CHECK(r->n_tests == 56 && r->n_engines == 5);
    CHECK(!strcmp(r->engines[0].name, "native") && !strcmp(r->engines[1].name, "torch") && !strcmp(r->engines[4].name, "tensorflow"));
    CHECK(!strcmp(r->tests[0].id, "000/bind_custom_gradient_function") && r->tests[0].n_cells == 5);
    CHECK(r->tests[0].cells[4].engine == &r->engines[4] && !strcmp(r->run.vinea, "0.1.0"));
    int64_t sum = 0;
    for (int s = 0; s < REPORT_STATES; s++) sum += r->totals[s];
    CHECK(sum == 280);
    report_free(r);
}

/* The valid report with the first `from` replaced is refused, with a message that contains `says`. */
static void refuses(const char *from, const char *to, const char *says)
{
    const char *at = strstr(made_bytes, from);
    if (!at) exit(fprintf(stderr, "the made report does not hold %s\n", from));
    size_t size = made_size - strlen(from) + strlen(to), before = (size_t)(at - made_bytes);
    char *spoiled = malloc(size + 1);
    if (!spoiled) exit(1);
    memcpy(spoiled, made_bytes, before);
    memcpy(spoiled + before, to, strlen(to));
    memcpy(spoiled + before + strlen(to), at + strlen(from), made_size - before - strlen(from));
    problem.text[0] = 0;
    report *r = report_parse(spoiled, size, "spoiled.json", &problem);
    CHECK(!r);
    CHECK(strstr(problem.text, says) && !strncmp(problem.text, "spoiled.json", 12));
    if (!strstr(problem.text, says)) fprintf(stderr, "  got '%s', not '%s'\n", problem.text, says);
    report_free(r);
    free(spoiled);
}

TEST(refuses_what_is_no_report)
{
    refuses("vinea-report/1", "vinea-report/2", "'vinea-report/2' cannot be read by this version");
    refuses("\"schema\"", "\"scheme\"", "the file: the field 'schema' is missing");
    refuses("\"utc\": \"2026", "\"utc\": \"26", "run.utc: ");
    refuses("\"seed\": 20240901", "\"seed\": -1", "run.seed: a whole number, 0 or more, was expected");
    refuses("\"threads\": 8", "\"threads\": 1.5", "run.host.threads");
    refuses("\"dirty\": false", "\"dirty\": 0", "run.dirty: true or false was expected, not a number");
    refuses("\"name\": \"torch\"", "\"name\": \"../torch\"", "engines[0].name: '../torch' is not an engine name");
    refuses("\"name\": \"native\"", "\"name\": \"torch\"", "engines[1].name: 'torch' occurs twice");
    refuses("\"suite\": \"seeds/001\"", "\"suite\": \"/etc\"", "tests[1].suite: '/etc' is not a suite name");
    refuses("\"suite\": \"seeds/001\"", "\"suite\": \"README\"", "tests[1].suite");
    refuses("\"id\": \"001/stop_gradient\"", "\"id\": \"002/stop_gradient\"", "tests: the id '002/stop_gradient' occurs twice");
    refuses("\"truth\": \"closed\"", "\"truth\": \"guess\"", "'guess' is none of golden, closed, difference, agreement");
    refuses("\"rtol\": 0.1", "\"rtol\": \"0.1\"", "tests[0].rtol: a number was expected, not a text");
    refuses("\"engine\": \"torch\"", "\"engine\": \"caffe\"", "tests[0].cells[0].engine: 'caffe' is not in the list of engines");
    refuses("\"engine\": \"native\"", "\"engine\": \"torch\"", "tests[0].cells[1]: a second cell of torch");
    refuses("\"state\": \"pass\"", "\"state\": \"good\"", "tests[0].cells[0].state: 'good' is none of pass, fail");
    refuses("\"state\": \"pass\"", "\"state\": \"skipped\"", "tests[0].cells[0]: skipped without a reason");
    refuses("\"assertions\": 150", "\"assertions\": 0", "tests[0].cells[0]: a pass without an assertion");
    refuses("\"repro\"", "\"again\"", "there is no command that runs it again");
    refuses("\"value\": \"pass\"", "\"value\": \"ok\"", "cells[0].checks.value: 'ok' is none of");
    refuses("\"strict_state\": \"pass\"", "\"strict_state\": \"error\"", "strict_state: 'error' is none of pass, fail");
    refuses("cases/made-", "../../made-", "is not a path below the report's folder");
    refuses("\"why\": ", "\"since\": ", "the field 'why' is missing");
    refuses("\"reason\": \"missing_feature\"", "\"reason\": \"\"", "without a reason");
    refuses("\"tests\": [", "\"totals\": {\"torch\": {\"pass\": 1}}, \"tests\": [", "totals.torch.pass: the cells add up to");
    refuses("\"tests\": [", "\"totals\": {\"caffe\": {}}, \"tests\": [", "totals.caffe: there is no such engine");
}

TEST(refuses_what_is_no_json)
{
    refuses("{\"schema\"", "[\"schema\"", ":1:10: ',' or ']' was expected");
    refuses("\"run\"", "\"run", ":2:");
    refuses("\"dirty\": false", "\"dirty\": flase", "a value was expected");
    refuses("81234", "081234", "a number begins with 0");
    refuses("81234", "8.", "not a number");
    refuses("81234", "1e", "not a number");
    refuses("\"commit\": \"", "\"commit\": \"\\ud800", "half a surrogate pair");
    refuses("\"commit\": \"", "\"commit\": \"\\x", "no such escape");
    refuses("\"commit\": \"", "\"commit\": \"\\u0000", "the character 0");
    refuses("\"commit\": \"", "\"commit\": \"\xff", "this is not UTF-8");
    refuses("\"commit\": \"", "\"commit\": \"\n", "a control character");
    refuses("\"dirty\"", "\"commit\"", "the key \"commit\" occurs twice");
    refuses("]}\n", "]} true", "there is more text after the end");
    char deep[400];
    memset(deep, '[', sizeof deep);
    CHECK(!report_parse(deep, sizeof deep, "deep.json", &problem) && strstr(problem.text, "nested more than 64 deep"));
    CHECK(!report_parse("", 0, "none.json", &problem) && strstr(problem.text, "the text ends too early"));
    CHECK(!report_read(in_folder("not there"), &problem) && strstr(problem.text, "No such file"));
    CHECK(!report_read(folder, &problem) && strstr(problem.text, "directory"));
}

/* Whatever is truncated or changed, the reader refuses it or returns a report that can be rendered. */
TEST(survives_anything)
{
    char *spoiled = malloc(made_size + 1);
    if (!spoiled) exit(1);
    int read = 0;
    for (uint32_t i = 0; i < 400; i++) {
        memcpy(spoiled, made_bytes, made_size);
        size_t size = i % 4 ? made_size : made_number(i, 1) % made_size;
        for (uint32_t k = 0; k < 1 + i % 3; k++) spoiled[made_number(i, 2 + k) % made_size] = (char)made_number(i, 9 + k);
        report *r = report_parse(spoiled, size, "spoiled.json", &problem);
        read += r != NULL;
        if (r && read % 8 == 0) CHECK(!report_render(r, folder, NULL, &problem) || strstr(problem.text, "the same file name"));
        report_free(r);
    }
    CHECK(read > 0 && read < 400);
    free(spoiled);
}

TEST(takes_numbers_json_lacks)
{
    static const char text[] =
        "{\"schema\":\"vinea-report/"
        "1\",\"run\":{\"utc\":\"2024-09-01T10:00:00Z\",\"commit\":\"a\",\"vinea\":\"0.1.0\",\"seed\":1,\"duration_ms\":\"inf\"},"
        "\"engines\":[{\"name\":\"native\",\"present\":true}],\"tests\":[{\"suite\":\"s\",\"id\":\"i\",\"name\":\"n\",\"truth\":\"closed\","
        "\"what\":\"\",\"rtol\":1e-3,\"atol\":0,"
        "\"cells\":[{\"engine\":\"native\",\"state\":\"fail\",\"reason\":\"value\",\"cases\":1,\"assertions\":1,\"duration_ms\":1,\"max_"
        "abs\":\"nan\",\"max_rel\":\"-inf\",\"repro\":\"r\"}]}]}";
    report *r = report_parse(text, strlen(text), "text", &problem);
    CHECK(r && isinf(r->run.duration_ms) && isnan(r->tests[0].cells[0].max_abs) && r->tests[0].cells[0].max_rel < 0 &&
          isnan(r->tests[0].cells[0].max_ulp));
    report_free(r);
}

/* ---- history and comparisons ---- */

static report *made_report(const made *m)
{
    made_write(in_folder("report.json"), m);
    report *r = report_read(in_folder("report.json"), &problem);
    if (!r) exit(fprintf(stderr, "%s\n", problem.text));
    return r;
}

TEST(compares)
{
    report *a = made_report(&(made){.seed = seeds_csv, .day = 3}), *b = made_report(&(made){.seed = seeds_csv, .day = 3, .clean = true});
    verdicts *before = verdicts_of(a, &problem), *after = verdicts_of(b, &problem);
    int bad = (int)(250 - a->totals[REPORT_PASS] - a->totals[REPORT_SKIPPED]);
    report_changes c;
    CHECK(!report_compare(before, after, REPORT_EVERYTHING, NULL, &c) && c.fixed == bad && !c.broken &&
          c.added == a->totals[REPORT_SKIPPED]);
    CHECK(!report_compare(after, before, REPORT_EVERYTHING, NULL, &c) && c.broken == bad && !c.fixed &&
          c.gone == a->totals[REPORT_SKIPPED]);
    CHECK(!report_compare(after, after, REPORT_EVERYTHING, NULL, &c) && c.same == 250 && !c.broken);
    CHECK(verdicts_at(after, "002/lars_update", "torch")->letter == 'p' && verdicts_at(after, "002/lars_update", "caffe")->letter == '-' &&
          verdicts_at(after, "none", "torch")->letter == '-');
    after->rows[0].states[0] = '-'; /* a cell less */
    CHECK(!report_compare(before, after, REPORT_EVERYTHING, NULL, &c) && c.gone == 1);
    CHECK(!report_compare(before, after, REPORT_CELLS, NULL, &c) && c.gone == 0);
    CHECK(!report_compare(before, after, REPORT_ENGINES, NULL, &c) && c.gone == 1);
    CHECK(!report_compare(before, after, REPORT_GROUPS, NULL, &c) && c.gone == 1);
    after->n_engines = 2; /* a run of two engines, against a baseline of five */
    CHECK(!report_compare(before, after, REPORT_CELLS, NULL, &c) && c.gone == 0 && c.same + c.fixed + c.added == 99);
    CHECK(!report_compare(before, after, REPORT_EVERYTHING, NULL, &c) && c.gone > 100);
    CHECK(!report_compare(before, after, REPORT_ENGINES, NULL, &c) && c.gone == 1); /* the cell of above */
    after->n_engines = 5;
    verdicts_free(before);
    verdicts_free(after);
    report_free(a);
    report_free(b);
}

TEST(remembers)
{
    char path[320];
    snprintf(path, sizeof path, "%s", in_folder("history.jsonl"));
    for (int day = 1; day <= 60; day += 2) {
        report *r = made_report(&(made){.tests = 12, .day = day});
        CHECK(!report_history_append(r, folder, &problem));
        report_free(r);
    }
    FILE *f = fopen(path, "a");
    if (!f) exit(1);
    fputs("{\"schema\":\"vinea-verdicts/1\",\"utc\":\"2026-", f); /* a truncated line */
    fclose(f);
    report *r = made_report(&(made){.tests = 12, .day = 61});
    CHECK(!report_history_append(r, folder, &problem));
    verdicts *last = verdicts_read(path, &problem);
    CHECK(last && !strcmp(last->utc, r->run.utc) && last->n_rows == 12 && last->n_engines == 5);
    verdicts_free(last);
    bytes b = read_bytes(path);
    int lines = 0;
    for (size_t i = 0; i < b.size; i++) lines += b.data[i] == '\n';
    CHECK(lines == 32);
    free(b.data);
    CHECK(!report_publish(folder, NULL, &problem));
    b = read_bytes(in_folder("index.html"));
    b.data[b.size] = 0;
    CHECK(strstr((char *)b.data, "\"skipped\":1") && strstr((char *)b.data, "\"changes\":[["));
    free(b.data);
    report_free(r);
    CHECK(report_publish(in_folder("none"), NULL, &problem) && strstr(problem.text, "No such file"));
}

/* Several runs that end at the same time: every line is complete. */
TEST(appends_whole_lines)
{
    enum { WRITERS = 4, LINES = 10 };
    report *r = made_report(&(made){.tests = 40, .day = 3});
    char path[320];
    snprintf(path, sizeof path, "%s", in_folder("history.jsonl"));
    unlink(path);
    pid_t children[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        for (int k = 0; !children[i] && k < LINES; k++) {
            if (report_history_append(r, folder, &problem)) _exit(1);
        }
        if (!children[i]) _exit(0);
    }
    for (int i = 0, status; i < WRITERS; i++) CHECK(waitpid(children[i], &status, 0) == children[i] && !status);
    bytes b = read_bytes(path);
    size_t length = (size_t)((unsigned char *)memchr(b.data, '\n', b.size) - b.data) + 1;
    CHECK(b.size == WRITERS * LINES * length);
    for (size_t at = length; at + length <= b.size; at += length) CHECK(!memcmp(b.data, b.data + at, length));
    free(b.data);
    unlink(path);
    CHECK(!symlink("/dev/full", path));
    CHECK(report_history_append(r, folder, &problem) && strstr(problem.text, "history.jsonl: cannot write: No space left on device"));
    unlink(path);
    report_free(r);
}

/* 1000 runs of 500 tests on 5 engines stay below 20 MB, and the page below 2. */
TEST(stays_small)
{
    report *r = made_report(&(made){.tests = 500, .day = 3});
    unlink(in_folder("history.jsonl"));
    CHECK(!report_history_append(r, folder, &problem));
    struct stat st;
    CHECK(!stat(in_folder("history.jsonl"), &st) && st.st_size * 1000 < 20000000);
    CHECK(!report_render(r, folder, NULL, &problem));
    CHECK(!stat(in_folder("index.html"), &st) && st.st_size < 2000000);
    printf("500 tests on 5 engines: index.html %lld bytes\n", (long long)st.st_size);
    report_free(r);
}

TEST(refuses_names_that_meet)
{
    report *r = made_report(&(made){.tests = 4, .day = 3});
    r->tests[0].suite = "a/b";
    r->tests[1].suite = "a-b";
    CHECK(report_render(r, folder, NULL, &problem) && strstr(problem.text, "the same file name 'a-b"));
    r->tests[1].suite = "all";
    CHECK(report_render(r, folder, NULL, &problem) && strstr(problem.text, "the same file name 'all"));
    CHECK(report_render(r, "/dev/null/x", NULL, &problem) && strstr(problem.text, "cannot create the folder"));
    report_free(r);
}

/* ---- for the browser ---- */

static void publish(const char *base, const char *name, const made *m, int first, int step)
{
    char path[4096], file[4200];
    made run = *m;
    snprintf(path, sizeof path, "%s/%s", base, name);
    snprintf(file, sizeof file, "%s/report.json", path);
    if (mkdir(path, 0777)) exit(fprintf(stderr, "%s cannot be made\n", path));
    for (run.day = first; run.day <= m->day; run.day += step) {
        made_write(file, &run);
        if (report_publish(path, NULL, &problem)) exit(fprintf(stderr, "%s\n", problem.text));
    }
}

static int make(const char *base)
{
    publish(base, "all", &(made){.tests = 20, .seed = seeds_csv, .day = 48}, 25, 1);
    publish(base, "hostile", &(made){.tests = 20, .day = 3, .hostile = true}, 3, 1);
    publish(base, "large", &(made){.tests = 500, .day = 49}, 31, 2);
    return 0;
}

/* Everything the renderer wrote, with the folders below. */
static void remove_all(void)
{
    pid_t child = fork();
    if (!child) execlp("rm", "rm", "-rf", "--", folder, (char *)NULL);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "make")) return make(argv[2]);
    folder_make();
    make_good();
    run_tests();
    free(made_bytes);
    remove_all();
    return finish();
}
