/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c: a program whose allocations fail: each one once, and each one and all later ones. Every run ends with the right bits or with
 * VN_E_MEM, and nothing leaks. */
#include <stdlib.h>

#include "program.h"

static struct {
    int64_t at, when, alive; /* allocations so far; the one that fails, 0: none; live blocks */
    bool on;                 /* all later ones too */
} fault;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    fault.at++;
    if (fault.when && (fault.on ? fault.at >= fault.when : fault.at == fault.when)) return NULL;
    void *m = malloc(bytes);
    fault.alive += m != NULL;
    return m;
}

static void release(void *memory, void *user)
{
    (void)user;
    fault.alive--;
    free(memory);
}

static void find(findings *j, int64_t n, const char *what, const char *message)
{
    j->verdict = WRONG;
    snprintf(j->what, sizeof j->what, "allocation %lld fails %s: %s%s", (long long)n, fault.on ? "and all later ones" : "once", what,
             message);
}

/* One run in which allocation n fails; 0: none. Returns how many there were. */
static int64_t run_once(const program *p, const inputs *in, const settings *s, int64_t n, uint64_t *right, findings *j)
{
    static const vn_allocator own = {allocate, release, NULL};
    outcome o = {0};
    fault.at = fault.alive = 0;
    fault.when = n;
    if (vn_set_allocator(&own)) return find(j, n, "the library is still open: ", vn_message()), 0;
    if (open_engine(s, s->isa, 1)) run_programs(&p, in, 1, fault.on ? MIXED : LAZY, &o);
    else o.code = (int)vn_status();
    vn_clear();
    const int64_t made = fault.at;
    const uint64_t bits = outcome_hash(&o);
    vn_close();
    if (fault.alive) find(j, n, "a block leaked", "");
    else if (!n && o.code) find(j, n, "the program fails without it: ", o.message);
    else if (!n) *right = bits;
    else if (!o.code && bits != *right) find(j, n, "other bits and no error", "");
    else if (o.code && o.code != VN_E_MEM) find(j, n, "another error: ", o.message);
    outcome_free(&o);
    return made;
}

int64_t fail_allocations(const program *p, const settings *s, findings *j)
{
    int64_t faults = 0;
    uint64_t right = 0;
    inputs in;
    *j = (findings){.worst = ""};
    vn_close();
    if (!inputs_make(p, NULL, &in)) return 0;
    for (int on = 0; on < 2; on++) {
        fault.on = on != 0;
        for (int64_t n = 0; j->verdict == FINE && run_once(p, &in, s, n, &right, j) >= n; n++) faults += n > 0;
    }
    inputs_free(&in);
    vn_set_allocator(NULL);
    return faults;
}
