/* SPDX-License-Identifier: Apache-2.0 */
/* minimise.c: minimises a failing program: fewer outputs and steps, inputs instead of computed values, smaller sizes, simpler numbers. A
 * change is kept if the program still fails. Each try runs in its own process, since programs may crash. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "os/clock.h"

/* ---- a child process ---- */

bool open_engine(const settings *s, const char *isa, int threads)
{
    char text[16];
    snprintf(text, sizeof text, "%d", threads);
    if (threads > 0) setenv("VINEA_THREADS", text, 1);
    else unsetenv("VINEA_THREADS");
    if (isa) setenv("VINEA_ISA", isa, 1);
    else unsetenv("VINEA_ISA");
    return vn_use(s->engine) == VN_OK;
}

/* The lazy run again with other threads and levels: the same bits. */
static void other_settings(const program *p, const settings *s, findings *j)
{
    static const char *const levels[] = {"baseline", "avx2", "avx512", NULL}; /* NULL: the best one */
    static const int threads[] = {1, 2, 3, 8};
    const uint64_t hash = j->hash;
    for (int l = 0; l < 4; l++)
        for (int t = 0; t < 4 && j->verdict != WRONG; t++) {
            inputs in;
            outcome o;
            vn_close();
            if (!open_engine(s, levels[l], threads[t])) {
                vn_clear();
                break;
            }
            if (!inputs_make(p, NULL, &in)) return;
            run_programs(&p, &in, 1, LAZY, &o);
            if (outcome_hash(&o) != hash && same_at_level(p, levels[l])) {
                j->verdict = WRONG;
                snprintf(j->what, sizeof j->what, "%s, %d threads: other bits than before", levels[l] ? levels[l] : "best level", threads[t]);
            }
            outcome_free(&o);
            inputs_free(&in);
        }
}

static void check_here(const program *p, const settings *s, findings *j)
{
    const bool native = !strcmp(s->engine, "native");
    *j = (findings){.verdict = FINE};
    if (!open_engine(s, s->isa, s->threads)) {
        j->verdict = WRONG;
        snprintf(j->what, sizeof j->what, "%s", vn_message());
        return;
    }
    check_program(p, NULL, native, j);
    if (native && s->all_settings && j->verdict != WRONG) other_settings(p, s, j);
    vn_close();
}

verdict check_in_child(const program *p, const settings *s, char *what, size_t room)
{
    findings *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return FINE;
    fflush(NULL);
    const pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(3);
        check_here(p, s, shared);
        _exit(0);
    }
    const double end = vn__clock() + s->seconds;
    int status = 0;
    pid_t done = 0;
    while (pid > 0 && (done = waitpid(pid, &status, WNOHANG)) == 0 && vn__clock() < end) usleep(500);
    verdict v = FINE;
    if (pid > 0 && done == 0) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        v = HUNG;
        snprintf(what, room, "no end after %d seconds", s->seconds);
    } else if (pid > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        v = CRASHED;
        if (WIFSIGNALED(status)) snprintf(what, room, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
        else snprintf(what, room, "exit code %d", WEXITSTATUS(status));
    } else {
        v = shared->verdict;
        snprintf(what, room, "%s", shared->what);
    }
    munmap(shared, sizeof *shared);
    return v;
}

/* ---- smaller programs ---- */

typedef struct search {
    program best;
    const settings *s;
    double end;
    int tried;
    bool refused; /* the library refuses it: a failure only if the original was refused too */
} search;

/* Keeps p if it is a program and still fails. */
static bool try_program(search *f, program *p)
{
    char what[600];
    program_clean(p);
    if (vn__clock() > f->end || !program_infer(p) || !program_valid(p)) return false;
    f->tried++;
    const verdict v = check_in_child(p, f->s, what, sizeof what);
    if (v != WRONG && v != CRASHED && v != HUNG) return false;
    if (!strncmp(what, "VN_E_", 5) && !f->refused) return false;
    f->best = *p;
    return true;
}

static bool fewer_outputs(search *f, program *p)
{
    bool any = false;
    for (int k = 0; k < f->best.n; k++) { /* this one alone */
        *p = f->best;
        if (!p->steps[k].output || program_outputs(p) == 1) continue;
        for (int i = 0; i < p->n; i++) p->steps[i].output = i == k;
        if (try_program(f, p)) return true;
    }
    for (int k = 0; k < f->best.n; k++) { /* all but this one */
        *p = f->best;
        if (!p->steps[k].output || program_outputs(p) == 1) continue;
        p->steps[k].output = false;
        if (try_program(f, p)) any = true, k = -1;
    }
    return any;
}

/* Replaces step k with an input, or with one of its operands. */
static bool fewer_steps(search *f, program *p)
{
    bool any = false;
    for (int k = f->best.n - 1; k >= 0; k--) {
        if (k >= f->best.n || !f->best.steps[k].op) continue;
        *p = f->best;
        step *s = &p->steps[k];
        const int dtype = s->type.dtype;
        *s = (step){.type = s->type, .data = dtype == VN_BOOL ? BITS : NORMAL, .output = false, .seed = (uint64_t)k};
        if (program_outputs(p) > 0 && try_program(f, p)) {
            any = true;
            continue;
        }
        for (int i = 0; k < f->best.n && i < f->best.steps[k].n_in; i++) {
            *p = f->best;
            const int x = p->steps[k].in[i];
            if (p->steps[x].type.weak || p->steps[x].type.dtype != p->steps[k].type.dtype ||
                !same_shape(&p->steps[x].type, &p->steps[k].type))
                continue;
            for (int l = k + 1; l < p->n; l++)
                for (int m = 0; m < p->steps[l].n_in; m++)
                    if (p->steps[l].in[m] == k) p->steps[l].in[m] = x;
            if (p->steps[k].output && p->steps[x].op) p->steps[x].output = true;
            p->steps[k].output = false;
            if (try_program(f, p)) {
                any = true;
                break;
            }
        }
    }
    return any;
}

/* Replaces a size everywhere with a smaller one. */
static void replace_size(program *p, int64_t from, int64_t to)
{
    for (int k = 0; k < p->n; k++) {
        step *s = &p->steps[k];
        for (int a = 0; !s->op && a < s->type.rank; a++)
            if (s->type.dims[a] == from) s->type.dims[a] = to;
        if (!s->op && s->limit > to && s->limit == from) s->limit = to;
        for (int i = 0; i < s->n_settings; i++) {
            setting *o = &s->settings[i];
            const bool sizes = !strcmp(o->name, "shape") || !strcmp(o->name, "size") || !strcmp(o->name, "stop");
            for (int a = 0; sizes && a < o->n; a++)
                if (o->ints[a] == from) o->ints[a] = to;
        }
    }
}

static bool smaller_sizes(search *f, program *p)
{
    bool any = false;
    for (int k = 0; k < f->best.n; k++)
        for (int a = 0; k < f->best.n && a < f->best.steps[k].type.rank; a++) {
            const int64_t n = f->best.steps[k].type.dims[a];
            const int64_t to[] = {1, 2, 3, n / 16, n / 4, n / 2, n - n / 4, n - n / 8, n - 1};
            for (size_t i = 0; i < sizeof to / sizeof *to; i++) {
                if (to[i] < 1 || to[i] >= n) continue;
                *p = f->best;
                replace_size(p, n, to[i]);
                if (try_program(f, p)) {
                    any = true;
                    a = -1;
                    break;
                }
            }
        }
    return any;
}

static bool plainer_inputs(search *f, program *p)
{
    bool any = false;
    for (int k = 0; k < f->best.n; k++) {
        const step *s = &f->best.steps[k];
        if (s->op || s->type.weak) continue;
        if (s->data != ONES && s->data != INDEX && s->data != BITS && s->data != WHOLE) {
            *p = f->best;
            p->steps[k].data = WHOLE;
            any |= try_program(f, p);
        }
        if (f->best.steps[k].donated || f->best.steps[k].wrapped) {
            *p = f->best;
            p->steps[k].donated = p->steps[k].wrapped = false;
            any |= try_program(f, p);
        }
    }
    return any;
}

/* Drops settings that are not needed. */
static bool fewer_settings(search *f, program *p)
{
    bool any = false;
    for (int k = 0; k < f->best.n; k++)
        for (int i = 0; k < f->best.n && i < f->best.steps[k].n_settings; i++) {
            *p = f->best;
            step *s = &p->steps[k];
            memmove(&s->settings[i], &s->settings[i + 1], (size_t)(s->n_settings - i - 1) * sizeof *s->settings);
            s->n_settings--;
            if (try_program(f, p)) any = true, i--;
        }
    return any;
}

int minimise(program *p, const settings *s, int seconds)
{
    search *f = calloc(1, sizeof *f);
    program *work = malloc(sizeof *work);
    if (f && work) {
        char what[600] = "";
        *f = (search){.best = *p, .s = s, .end = vn__clock() + seconds};
        check_in_child(p, s, what, sizeof what);
        f->refused = !strncmp(what, "VN_E_", 5);
        for (bool any = true; any && vn__clock() < f->end;) {
            any = fewer_outputs(f, work);
            any |= fewer_steps(f, work);
            any |= smaller_sizes(f, work);
            any |= fewer_settings(f, work);
            any |= plainer_inputs(f, work);
        }
        *p = f->best;
    }
    const int tried = f ? f->tried : 0;
    free(f);
    free(work);
    return tried;
}
