/* known.c: built-in lists: known failures (known.txt, with reasons) and the verdicts of the seed dashboards
 * (seeds/seed_matrix.csv). */
#include "runner.h"

#include "conformance/report/inside.h"
#include "known_txt.h"
#include "seed_matrix_csv.h"

/* The list in use, as text; NULL with a problem if it cannot be read. The file is read once. */
static const char *list_of(const plan *p, char *problem, size_t room)
{
    static char *given;
    if (!p->known) return known_txt;
    if (!given) {
        report_problem why = {""};
        size_t size = 0;
        given = file_read(p->known, (size_t)1 << 20, &size, &why);
        if (!given) snprintf(problem, room, "%s", why.text);
    }
    return given;
}

/* Lines are "engine id reason"; empty lines and comments (#) are skipped. */
const char *known_failure(const plan *p, const char *engine, const char *id, char *problem, size_t room)
{
    static char reason[256];
    const char *line = list_of(p, problem, room);
    for (int number = 1; line && *line; number++) {
        char name[64], test[128];
        int used = 0;
        size_t length = strcspn(line, "\n");
        char copy[512];
        snprintf(copy, sizeof copy, "%.*s", (int)(length < 511 ? length : 511), line);
        line += length + (line[length] == '\n');
        if (copy[strspn(copy, " \t\r")] == 0 || copy[0] == '#') continue;
        if (sscanf(copy, "%63s %127s %n", name, test, &used) < 2 || !used || !copy[used]) {
            snprintf(problem, room, "known failures, line %d: \"engine id reason\" is expected, not \"%.100s\"", number, copy);
            return NULL;
        }
        if (strcmp(name, engine) != 0 || strcmp(test, id) != 0) continue;
        snprintf(reason, sizeof reason, "%s", copy + used);
        return reason;
    }
    return NULL;
}

/* ---- the seed dashboards ---- */

/* Copies the next field of a line; advances `at` past its comma or to the end of the line. */
static void field(const char **at, char *to, size_t room)
{
    size_t n = strcspn(*at, ",\r\n");
    snprintf(to, room, "%.*s", (int)(n < room ? n : room - 1), *at);
    *at += n + ((*at)[n] == ',');
}

/* The number of an engine's column, -1 when there is none. */
static int column_of(const char *engine)
{
    const char *at = seed_matrix_csv;
    char name[64];
    for (int k = 0; *at && *at != '\n' && *at != '\r'; k++) {
        field(&at, name, sizeof name);
        if (k >= 2 && !strcmp(name, engine)) return k;
    }
    return -1;
}

const char *matrix_verdict(const conformance_test *test, const char *engine)
{
    static char found[32];
    int column = column_of(engine);
    for (const char *line = seed_matrix_csv; column >= 0 && *line;) {
        char table[16], name[96], suite_name[32];
        const char *at = line;
        field(&at, table, sizeof table);
        field(&at, name, sizeof name);
        snprintf(suite_name, sizeof suite_name, "seeds/%s", table);
        if (!strcmp(test->suite, suite_name) && !strcmp(test->name, name)) {
            for (int k = 2; k <= column; k++) field(&at, found, sizeof found);
            return found;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return NULL;
}
