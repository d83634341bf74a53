/* lines.c: reads the golden lines once, and which of them are known to fail. They stand in the source tree or, where the command is
 * installed, in share/vinea/conformance. */
#include "lines.h"
#include "runner.h"

#include "conformance/report/inside.h"

#include <dirent.h>
#include <unistd.h>

enum { OWN = 2048, PLACE = 4096 }; /* letters of a path: this program's, any */

static const char *given;
static line *lines;
static int n_lines, room_lines;
static char problem[TRIAL_TEXT];

void lines_from(const char *folder)
{
    given = folder;
}

const char *lines_problem(void)
{
    return problem;
}

/* The path of a file or folder that belongs to the lines. */
static const char *path_of(const char *name, char *to, size_t room)
{
    char here[OWN];
    ssize_t n = readlink("/proc/self/exe", here, sizeof here - 1);
    here[n > 0 ? n : 0] = 0;
    char *last = strrchr(here, '/');
    if (last) *last = 0;
    if (given) {
        snprintf(to, room, "%s/%s", given, name);
        return to;
    }
    snprintf(to, room, "%s/../share/vinea/conformance/%s", here, name);
    if (access(to, R_OK)) snprintf(to, room, "%s/%s", VINEA_CONFORMANCE, name);
    return to;
}

/* ---- one line ---- */

/* The dtype a line is about: that of the result if an input has it too, else of the first input the op takes, else float32. */
static vn_dtype home_of(const test *t)
{
    uint32_t takes = t->info.name ? t->info.dtypes : 0;
    int first = -1, result = t->wants_error ? -1 : t->expected.dtype;
    bool draws = t->info.name && t->info.n_inputs && !strcmp(t->info.inputs[0], "key");
    for (int k = 0; k < t->n_in; k++) {
        if (t->in[k].kind != ARRAY || !(takes & VN_BIT(t->in[k].dtype))) continue;
        if (t->in[k].dtype == result) return (vn_dtype)result;
        if (first < 0 && !(draws && !k)) first = t->in[k].dtype;
    }
    if (first >= 0) return (vn_dtype)first;
    if (result >= 0 && takes & VN_BIT(result)) return (vn_dtype)result;
    int lowest = 0;
    while (takes && !(takes & VN_BIT(lowest))) lowest++;
    return takes & VN_BIT(VN_F32) || !takes ? VN_F32 : (vn_dtype)lowest;
}

static bool is_small(const test *t)
{
    bool small = t->expected.count <= TRIAL_ROOM;
    for (int k = 0; k < t->n_in; k++) small &= t->in[k].count <= TRIAL_ROOM;
    return small;
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
    if (t.info.name && t.out >= t.info.n_outputs) { /* a result that the public function does not show: for vinea-cases */
        test_free(&t);
        free(l->file), free(l->text);
        return true;
    }
    l->gives = l->readable && !t.wants_error;
    l->dtype = home_of(&t);
    l->small = is_small(&t);
    memcpy(l->op, t.op, sizeof l->op);
    test_free(&t);
    n_lines++;
    return l->file && l->text;
}

/* ---- files ---- */

static bool read_file(const char *folder, const char *name)
{
    char path[PLACE];
    size_t size = 0;
    report_problem why = {""};
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) path[0] = 0;
    char *whole = file_read(path, (size_t)64 << 20, &size, &why), *rest = whole;
    if (!whole) snprintf(problem, sizeof problem, "%.*s", (int)sizeof problem - 1, why.text);
    bool fine = whole != NULL;
    for (int number = 1; fine && rest && *rest; number++) {
        char *row = strsep(&rest, "\n");
        const char *start = row + strspn(row, " \t\r");
        row[strcspn(row, "\r")] = 0;
        if (*start && *start != '#' && !(fine = add_line(name, number, row))) snprintf(problem, sizeof problem, "out of memory");
    }
    free(whole);
    return fine;
}

static int is_case(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && !strcmp(dot, ".case");
}

static void read_all(void)
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
    if (!read) read_all();
    read = true;
    *n = *problem ? 0 : n_lines;
    return *problem ? NULL : lines;
}

/* ---- known failures ---- */

/* The list of the engine in use, "" when it has none. */
static const char *known_list(const char *engine)
{
    static char *list, of[64];
    char path[PLACE], name[96];
    if (list && !strcmp(of, engine)) return list;
    free(list);
    snprintf(of, sizeof of, "%s", engine);
    snprintf(name, sizeof name, "known/%s.txt", of);
    size_t size = 0;
    report_problem why = {""};
    if (access(path_of(name, path, sizeof path), R_OK) || !(list = file_read(path, (size_t)1 << 20, &size, &why))) list = calloc(1, 1);
    return list ? list : "";
}

const char *lines_known(const char *engine, const line *l)
{
    static char reason[256];
    char place[128];
    int n = snprintf(place, sizeof place, "%s:%d ", l->file, l->number);
    for (const char *row = known_list(engine); *row; row += strcspn(row, "\n"), row += *row == '\n') {
        if (strncmp(row, place, (size_t)n) != 0) continue;
        snprintf(reason, sizeof reason, "%.*s", (int)strcspn(row + n, "\n"), row + n);
        return reason;
    }
    return NULL;
}
