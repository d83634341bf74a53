/* SPDX-License-Identifier: Apache-2.0 */
/* report_calls.c: system calls fail while a report is published, one in STEP for each error, once and persistently: files are complete, the
 * history has complete lines, the problem names a file, and the next try works. */
/* ctest: seconds 3 */
/* ctest: sanitize-address */
/* ctest: links vinea_report */
#include "conformance/report/report.h"
#include "failing_calls.h"
#include "report_make.h"

#ifndef STEP
#define STEP 12
#endif
static report_problem problem;

static void empty_tree(const char *below)
{
    DIR *d = opendir(in_folder(below));
    for (struct dirent *e; d && (e = readdir(d));) {
        char name[288];
        snprintf(name, sizeof name, "%.20s/%s", below, e->d_name);
        if (e->d_name[0] != '.') unlink(in_folder(name));
    }
    if (d) closedir(d);
    rmdir(in_folder(below));
}

static void prepare(void)
{
    empty_tree("md");
    empty_tree("badges");
    folder_empty();
    made_write(in_folder("report.json"), &(made){.tests = 2, .day = 3});
}

static int publish(void)
{
    problem.text[0] = 0;
    return report_publish(folder, &(report_options){0}, &problem);
}

/* Existing files are those of a run without faults, and the history has complete lines. */
static bool published(int code)
{
    static const char *const names[] = {"index.html", "verdicts.json", "md/README.md", "badges/all.svg"};
    static char *reference[4];
    static size_t sizes[4];
    bool good = true;
    for (int i = 0; i < 4; i++) {
        if (access(in_folder(names[i]), F_OK)) {
            good &= code != 0;
            continue;
        }
        bytes b = read_bytes(in_folder(names[i]));
        /* The page tells the runs before it, of which there is none the first time. */
        if (!reference[i] && i) reference[i] = (char *)b.data, sizes[i] = b.size;
        good &= b.size > 100 && (!i || (b.size == sizes[i] && !memcmp(b.data, reference[i], b.size)));
        if (!i) good &= !memcmp(b.data + b.size - 8, "</html>\n", 8);
        if ((char *)b.data != reference[i]) free(b.data);
    }
    if (!access(in_folder("history.jsonl"), F_OK) && fault.kind != SYS_ftruncate) {
        bytes b = read_bytes(in_folder("history.jsonl"));
        good &= !b.size || b.data[b.size - 1] == '\n';
        free(b.data);
    }
    return good;
}

static bool says(int error)
{
    bool good = *problem.text == '/' && (error == SHORT || strstr(problem.text, strerror(error)));
    if (!good) fprintf(stderr, "  %s\n", problem.text);
    return good;
}

int main(void)
{
#ifdef NO_REGISTERS
    return 77;
#else
    folder_make_fast();
    prepare();
    CHECK(!publish() && published(0));
    if (watch_calls(fault_handle)) {
        puts("this system has no filters");
        _exit(77);
    }
    printf("%ld system calls failed\n", fault_all(&(faulty){"publish", prepare, publish, published, false, STEP, 0}, says));
    prepare();
    folder_remove();
    finish_watched();
#endif
}
