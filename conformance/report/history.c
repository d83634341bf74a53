/* history.c: history.jsonl, a line per run. Lines are added whole by one write under a lock; a line that cannot be read (a disk that was
 * full, an editor) is passed over and counted, so that one bad line does not take the others with it. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- appending ---- */

/* What was cut off by a crash must not spoil the new line. */
static bool ends_inside_a_line(int fd)
{
    char last;
    struct stat st;
    return !fstat(fd, &st) && st.st_size > 0 && pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n';
}

/* All of it, or the file keeps its old size. The file is locked. */
static int append(int fd, const text *line)
{
    struct stat st;
    if (fstat(fd, &st)) return errno;
    size_t done = 0;
    while (done < line->size) {
        ssize_t n = write(fd, line->data + done, line->size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        done += (size_t)n;
    }
    int error = done < line->size ? errno : 0;
    if (error && ftruncate(fd, st.st_size)) return error; /* half a line stays, which readers pass over */
    return error;
}

int report_history_append(const report *r, const char *folder, report_problem *p)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/history.jsonl", folder) >= (int)sizeof path)
        return report_says(p, "%.400s: the path is too long", folder);
    verdicts *v = verdicts_of(r, p);
    if (!v) return 1;
    int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666), error = fd < 0 ? errno : 0;
    text line = {0};
    if (!error && flock(fd, LOCK_EX)) error = errno; /* before looking: another run may be in the middle of its line */
    if (!error && ends_inside_a_line(fd)) text_put(&line, "\n", 1);
    verdicts_print(&line, v, r, false);
    text_put(&line, "\n", 1);
    if (!error) error = line.failed ? ENOMEM : append(fd, &line);
    if (fd >= 0 && close(fd) && !error) error = errno;
    text_free(&line);
    verdicts_free(v);
    return error ? report_says(p, "%s: cannot write: %s", path, strerror(error)) : 0;
}

/* ---- reading ---- */

/* Notes where the verdict of a cell changed; cells that were not run say nothing. `last` holds the letters seen so far. */
static bool note_changes(history *h, const report *r, const verdicts *v, char *last)
{
    for (int i = 0; i < r->n_tests; i++) {
        for (int e = 0; e < r->n_engines; e++) {
            size_t at = (size_t)i * (size_t)r->n_engines + (size_t)e;
            char now = verdicts_at(v, r->tests[i].id, r->engines[e].name), before = last[at];
            if (now == '-' || now == 'n') continue;
            last[at] = now;
            if (!before || now == before) continue;
            last_change *c = &h->changes[at];
            free(c->utc);
            free(c->commit);
            *c = (last_change){strdup(v->utc), strdup(v->commit), before};
            if (!c->utc || !c->commit) return false;
        }
    }
    return true;
}

static void keep(history *h, verdicts *v)
{
    if (h->n == HISTORY_SHOWN) {
        verdicts_free(h->runs[0]);
        memmove(h->runs, h->runs + 1, (HISTORY_SHOWN - 1) * sizeof *h->runs);
        h->n--;
    }
    h->runs[h->n++] = v;
}

/* One line: kept when it is of a run before r. False: out of memory. */
static bool take_line(history *h, const report *r, char *line, size_t size, char *last)
{
    report_problem ignored;
    json *root = json_parse(line, size, "", &ignored);
    verdicts *v = root ? verdicts_parse(root, "", &ignored) : NULL;
    json_free(root);
    if (!v) return h->skipped++, true;
    if (strcmp(v->utc, r->run.utc) >= 0) return verdicts_free(v), true; /* the run itself, or a later one */
    bool good = note_changes(h, r, v, last);
    keep(h, v);
    return good;
}

/* Letters of the cells so far, and room for the changes. */
static char *prepare(history *h, const report *r)
{
    size_t n = (size_t)r->n_tests * (size_t)r->n_engines + 1;
    *h = (history){.changes = calloc(n, sizeof *h->changes)};
    h->n_changes = h->changes ? n - 1 : 0;
    return calloc(n, 1);
}

static bool read_lines(history *h, const report *r, FILE *f, char *last)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool good = true;
    while (good && (n = getline(&line, &room, f)) >= 0) {
        if (n > 1) good = take_line(h, r, line, (size_t)n, last);
    }
    free(line);
    return good && !ferror(f);
}

int history_read(history *h, const report *r, const char *path, report_problem *p)
{
    char *last = prepare(h, r);
    FILE *f = fopen(path, "rb");
    int error = !last || !h->changes ? ENOMEM : !f && errno != ENOENT ? errno : 0;
    if (!error && f && !read_lines(h, r, f, last)) error = errno ? errno : ENOMEM;
    verdicts *now = error ? NULL : verdicts_of(r, p);
    if (!error && (!now || !note_changes(h, r, now, last))) error = ENOMEM;
    verdicts_free(now);
    if (f) fclose(f);
    free(last);
    return error ? report_says(p, "%s: cannot read: %s", path, strerror(error)) : 0;
}

void history_free(history *h)
{
    for (int i = 0; i < h->n; i++) verdicts_free(h->runs[i]);
    for (size_t i = 0; i < h->n_changes; i++) {
        free(h->changes[i].utc);
        free(h->changes[i].commit);
    }
    free(h->changes);
    *h = (history){0};
}
