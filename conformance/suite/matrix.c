/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c: the verdicts of the seed dashboards (seeds/seed_matrix.csv). */
#include "runner.h"

#include "seed_matrix_csv.h"

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
