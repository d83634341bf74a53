/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: reads the case lines and the known failures, once. They are in the source tree or, for an installed command, in
 * share/vinea/conformance. */
#include "case.h"
#include "base/minmax.h"
#include "lines.h"
#include "table.h"

#include "conformance/report/inside.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWN = 2048, PLACE = 4096, TEXT = 480 }; /* letters of a path: this program's, any; of a message */

static const char *given;
static struct {
    char folder[PLACE], name[PLACE];
    int number; /* 0: all of them */
} only;
static line *lines;
static int n_lines, room_lines;
static char problem[TEXT];

void lines_from(const char *folder)
{
    given = folder;
}

void lines_only(const char *place)
{
    const char *slash = strrchr(place, '/'), *name = slash ? slash + 1 : place, *colon = strrchr(name, ':');
    size_t n = colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")] ? (size_t)(colon - name) : strlen(name);
    snprintf(only.folder, sizeof only.folder, "%.*s", slash ? (int)(slash - place) : 1, slash ? place : ".");
    snprintf(only.name, sizeof only.name, "%.*s", (int)n, name);
    only.number = name[n] ? atoi(name + n + 1) : 0;
}

bool lines_are_few(void)
{
    return *only.name;
}

const char *lines_problem(void)
{
    return problem;
}

/* The path of a file or folder of the case lines. */
static const char *path_of(const char *name, char *to, size_t room)
{
    char here[OWN];
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    here[vn__max(n, 0)] = 0;
    char *last = strrchr(here, '/');
    if (last) *last = 0;
    if (lines_are_few()) snprintf(to, room, "%s/../%s", only.folder, name);
    else if (given) snprintf(to, room, "%s/%s", given, name);
    else snprintf(to, room, "%s/../share/vinea/conformance/%s", here, name);
    if (!lines_are_few() && !given && access(to, R_OK)) /* the command in its build folder */
        snprintf(to, room, "%s/share/vinea/conformance/%s", here, name);
    return to;
}

/* ---- one line ---- */

/* The dtype of a line: the result's if an input has it too, otherwise the first input's, otherwise float32. */
static vn_dtype home_of(const test *t)
{
    uint32_t takes = t->info.name ? t->info.dtypes : 0;
    int first = -1, result = t->wants_error ? -1 : t->expected.dtype;
    bool samples = t->info.name && t->info.traits & VN_OP_RANDOM;
    for (int k = 0; k < t->n_in; k++) {
        if (t->in[k].kind != ARRAY || !(takes & VN_BIT(t->in[k].dtype))) continue;
        if (t->in[k].dtype == result) return (vn_dtype)result;
        if (first < 0 && !(samples && !k)) first = t->in[k].dtype;
    }
    if (first >= 0) return (vn_dtype)first;
    if (result >= 0 && takes & VN_BIT(result)) return (vn_dtype)result;
    int lowest = 0;
    while (takes && !(takes & VN_BIT(lowest))) lowest++;
    return takes & VN_BIT(VN_F32) || !takes ? VN_F32 : (vn_dtype)lowest;
}

static bool add_line(const char *file, int number, const char *words)
{
    if (n_lines == room_lines) {
        int room = room_lines ? 2 * room_lines : 1024;
        line *more = realloc(lines, (size_t)room * sizeof *more);
        if (!more) return false;
        lines = more;
        room_lines = room;
    }
    test t;
    line *l = &lines[n_lines];
    *l = (line){.number = number, .file = strdup(file), .text = strdup(words)};
    l->readable = test_parse(&t, file, number, words);
    l->gives = l->readable && !t.wants_error;
    l->dtype = home_of(&t);
    l->small = test_largest(&t) <= LINE_SMALL;
    l->key = l->gives ? derivatives_key(&t) : 0;
    memcpy(l->op, t.op, sizeof l->op);
    test_free(&t);
    n_lines++;
    return l->file && l->text;
}

/* ---- files ---- */

static bool read_file(const char *folder, const char *name)
{
    char path[2 * PLACE + 1];
    size_t size = 0;
    report_problem why = {""};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *whole = file_read(path, (size_t)64 << 20, &size, &why), *rest = whole;
    if (!whole) snprintf(problem, sizeof problem, "%.470s", why.text);
    bool fine = whole != NULL;
    int before = n_lines;
    for (int number = 1; fine && rest && *rest; number++) {
        char *row = strsep(&rest, "\n");
        const char *start = row + strspn(row, " \t\r");
        row[strcspn(row, "\r")] = 0;
        if (!*start || *start == '#' || (only.number && number != only.number)) continue;
        if (!(fine = add_line(name, number, row))) snprintf(problem, sizeof problem, "out of memory");
    }
    if (fine && n_lines == before && !only.number) snprintf(problem, sizeof problem, "%.400s has no lines", path);
    if (fine && n_lines == before && only.number) snprintf(problem, sizeof problem, "%.400s has no case in line %d", path, only.number);
    free(whole);
    return fine;
}

static int is_case(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && !strcmp(dot, ".case");
}

static void read_folder(void)
{
    char folder[PLACE];
    struct dirent **entries = NULL;
    int n = scandir(path_of("cases", folder, sizeof folder), &entries, is_case, alphasort);
    if (n <= 0)
        snprintf(problem, sizeof problem, "there are no case files in %.300s; --cases names the folder that has cases/ and known/", folder);
    for (int k = 0; k < n; k++) {
        if (!*problem) read_file(folder, entries[k]->d_name);
        free(entries[k]);
    }
    free(entries);
}

const line *lines_all(int *n)
{
    static bool read;
    if (!read && lines_are_few()) read_file(only.folder, only.name);
    else if (!read) read_folder();
    read = true;
    *n = *problem ? 0 : n_lines;
    return *problem ? NULL : lines;
}

/* ---- known failures ---- */

/* The list of the current engine, "" if it has none. */
static const char *known_list(const char *engine)
{
    static char *list, of[64];
    char path[2 * PLACE], name[96];
    if (list && !strcmp(of, engine)) return list;
    free(list);
    snprintf(of, sizeof of, "%s", engine);
    snprintf(name, sizeof name, "known/%s.txt", of);
    size_t size = 0;
    report_problem why = {""};
    if (access(path_of(name, path, sizeof path), R_OK) || !(list = file_read(path, (size_t)1 << 20, &size, &why))) list = calloc(1, 1);
    return list ? list : "";
}

/* Copies the next entry, "file.case:LINE reason" or "ID reason", and advances; false at the end. */
static bool next_known(const char **at, char place[static 128], char reason[static 256])
{
    while (**at) {
        const char *row = *at + strspn(*at, " \t");
        size_t length = strcspn(row, "\n"), n = strcspn(row, " \t\n");
        *at = row + length + (row[length] == '\n');
        if (!n || *row == '#') continue;
        const char *why = row + n + strspn(row + n, " \t");
        snprintf(place, 128, "%.*s", (int)vn__min(n, 127), row);
        snprintf(reason, 256, "%.*s", why < row + length ? (int)(row + length - why) : 0, why);
        return true;
    }
    return false;
}

const char *known_failure(const char *engine, const char *what)
{
    static char reason[256];
    char place[128];
    for (const char *at = known_list(engine); next_known(&at, place, reason);)
        if (!strcmp(place, what)) return reason;
    return NULL;
}

static const char *place_of(const line *l, char to[static 128])
{
    snprintf(to, 128, "%s:%d", l->file, l->number);
    return to;
}

const char *lines_known(const char *engine, const line *l)
{
    return known_failure(engine, place_of(l, (char[128]){0}));
}

/* ---- validation ---- */

static bool is_line(const char *place)
{
    int k = 0;
    while (k < n_lines && strcmp(place_of(&lines[k], (char[128]){0}), place) != 0) k++;
    return k < n_lines;
}

static int check_known(const char *engine, bool (*is_test)(const char *id), void (*show)(const char *text))
{
    char place[128], reason[256], words[TEXT];
    int wrong = 0;
    for (const char *at = known_list(engine); next_known(&at, place, reason);) {
        bool there = is_test(place) || is_line(place);
        if (there && *reason) continue;
        snprintf(words, sizeof words, "known failures of %s: %s %s", engine, place,
                 there ? "has no reason" : "is not a line of a case file, or a test");
        show(words);
        wrong++;
    }
    return wrong;
}

int lines_check(const char *const *engines, int n, bool (*is_test)(const char *id), void (*show)(const char *text))
{
    int count = 0, wrong = 0;
    char words[2 * TEXT];
    const line *all = lines_all(&count);
    if (!all) return show(problem), 1;
    for (int k = 0; k < count; k++) {
        if (all[k].readable) continue;
        test t;
        test_parse(&t, all[k].file, all[k].number, all[k].text);
        snprintf(words, sizeof words, "%s:%d: %.300s: %.500s", all[k].file, all[k].number, t.text ? t.text : "",
                 t.why ? t.why : "out of memory");
        test_free(&t);
        show(words);
        wrong++;
    }
    for (int k = 0; k < n && !lines_are_few(); k++) wrong += check_known(engines[k], is_test, show);
    return wrong;
}
