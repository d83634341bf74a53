/* SPDX-License-Identifier: Apache-2.0 */
/* schedule_text.c: schedules as text, as optimizers, model files and the command line have them: those of the table, "cosine(0.1, 0, 100)", and
 * compositions, whose parts are texts too:
 *
 *     warm_up(SCHEDULE, steps)            join(SCHEDULE, step, SCHEDULE, step, SCHEDULE)      piecewise(rate, step, rate ..., between=1)
 *     product(SCHEDULE, ...)              sum(...), mean(...)
 *
 * A schedule is plain data that points at its parts. All parts of a text lie in one block, which a scope or an optimizer owns. */
#include "nn/optim.h"
#include "base/base.h"
#include "base/nearest.h"
#include "core/text.h"
#include <math.h>

enum { ROOM = 1024, DEEP = 16, MAX_ITEMS = 128 }; /* bytes of a text, brackets inside brackets, items in one */

typedef struct {
    const char *who;
    char *at, *end; /* of the block */
    int depth;
} reading;

static int of_text(reading *r, const char *text, vn_schedule *to);

static void *take(reading *r, size_t bytes)
{
    const size_t step = (bytes + 15) / 16 * 16;
    void *room = r->at;
    return (size_t)(r->end - r->at) < step ? NULL : (r->at += step, room);
}

/* What the parts of a text take at most. */
static size_t block_size(const char *text)
{
    size_t items = 1;
    for (; *text; text++) items += *text == ',' || *text == '(';
    return items * (sizeof(vn_schedule) + sizeof(vn_pieces) + sizeof(vn_joined) + sizeof(int64_t) + sizeof(double) + 64);
}

/* ---- compositions ---- */

typedef struct {
    int n;
    char *item[MAX_ITEMS];
} items;

static int number_at(const reading *r, const char *name, const char *item, bool whole, double *to)
{
    if (vn__number_parse(item, strlen(item), to) && (!whole || (*to == floor(*to) && fabs(*to) < 0x1p53))) return VN_OK;
    return vn__fail(VN_E_ARG, "%s: %s: \"%.40s\" is no %snumber", r->who, name, item, whole ? "whole " : "");
}

static int warm_up(reading *r, const items *i, int how, vn_schedule *to)
{
    double steps;
    (void)how;
    if (i->n != 2) return vn__fail(VN_E_ARG, "%s: warm_up takes a schedule and a number of steps, not %d items", r->who, i->n);
    if (of_text(r, i->item[0], to) || number_at(r, "warm_up", i->item[1], true, &steps)) return vn_status();
    *to = vn_warm_up(*to, steps ? (int64_t)steps : (int64_t)VN_ZERO);
    return vn__check_made(r->who, "the schedule", to->kind);
}

static int join(reading *r, const items *i, int how, vn_schedule *to)
{
    const int n = (i->n + 1) / 2;
    (void)how;
    if (i->n % 2 == 0)
        return vn__fail(VN_E_ARG, "%s: join takes schedules with the step between two: join(A, 100, B), not %d items", r->who, i->n);
    vn_joined *j = take(r, sizeof *j);
    vn_schedule *parts = j ? take(r, (size_t)n * sizeof *parts) : NULL;
    int64_t *from = parts ? take(r, (size_t)n * sizeof *from) : NULL;
    if (!from) return vn__no_memory(r->who);
    for (int k = 0; k < n; k++) {
        double step = 0;
        if (of_text(r, i->item[2 * k], &parts[k]) || (k + 1 < n && number_at(r, "join", i->item[2 * k + 1], true, &step)))
            return vn_status();
        from[k] = (int64_t)step;
    }
    *j = (vn_joined){.size = sizeof *j, .n = n, .parts = parts, .from = from};
    *to = vn_join_schedules(j);
    return vn__check_made(r->who, "the schedule", to->kind);
}

static int piecewise(reading *r, const items *i, int how, vn_schedule *to)
{
    static const char between[] = "between=";
    const bool named = i->n > 1 && !strncmp(i->item[i->n - 1], between, sizeof between - 1);
    const int all = i->n - named, n = (all + 1) / 2;
    double kind = 0;
    (void)how;
    if (all % 2 == 0)
        return vn__fail(VN_E_ARG, "%s: piecewise takes rates with the step between two: piecewise(0.1, 100, 0.01), not %d items", r->who,
                        all);
    if (named && number_at(r, "piecewise", i->item[all] + sizeof between - 1, true, &kind)) return vn_status();
    vn_pieces *p = take(r, sizeof *p);
    double *rates = p ? take(r, (size_t)n * sizeof *rates) : NULL;
    int64_t *from = rates ? take(r, (size_t)n * sizeof *from) : NULL;
    if (!from) return vn__no_memory(r->who);
    for (int k = 0; k < n; k++) {
        double step = 0;
        if (number_at(r, "piecewise", i->item[2 * k], false, &rates[k]) ||
            (k + 1 < n && number_at(r, "piecewise", i->item[2 * k + 1], true, &step)))
            return vn_status();
        from[k] = (int64_t)step;
    }
    *p = (vn_pieces){.size = sizeof *p, .n = n, .rates = rates, .from = from, .between = kind >= 0 && kind <= 2 ? (int)kind : -1};
    *to = vn_piecewise(p);
    return vn__check_made(r->who, "the schedule", to->kind);
}

static int combine(reading *r, const items *i, int how, vn_schedule *to)
{
    vn_combined *c = take(r, sizeof *c);
    vn_schedule *parts = c ? take(r, (size_t)i->n * sizeof *parts) : NULL;
    if (!parts) return vn__no_memory(r->who);
    for (int k = 0; k < i->n; k++)
        if (of_text(r, i->item[k], &parts[k])) return vn_status();
    *c = (vn_combined){.size = sizeof *c, .n = i->n, .parts = parts, .how = how};
    *to = vn_combine_schedules(c);
    return vn__check_made(r->who, "the schedule", to->kind);
}

static const struct {
    const char *name;
    int (*read)(reading *r, const items *i, int how, vn_schedule *to);
    int how;
} compositions[] = {{"warm_up", warm_up, 0},          {"join", join, 0},
                    {"piecewise", piecewise, 0},      {"product", combine, VN_COMBINE_PRODUCT},
                    {"sum", combine, VN_COMBINE_SUM}, {"mean", combine, VN_COMBINE_MEAN}};
enum { COMPOSITIONS = sizeof compositions / sizeof *compositions };

/* Both kinds are possible. */
static int unknown(const reading *r, const char *name)
{
    const vn__family *table = vn__makers_schedule.family;
    vn__object_row rows[64];
    vn__family all = {.name = table->name, .n = 0, .rows = rows};
    for (int k = 0; k < table->n && all.n < 64 - COMPOSITIONS; k++) rows[all.n++] = table->rows[k];
    for (int k = 0; k < COMPOSITIONS; k++) rows[all.n++] = (vn__object_row){.name = compositions[k].name};
    return vn__object_unknown(r->who, &all, name);
}

/* ---- reading ---- */

static int split(const reading *r, char *inside, items *to)
{
    to->n = 0;
    for (char *item; (item = vn__next_item(&inside)); to->item[to->n++] = item)
        if (to->n == MAX_ITEMS) return vn__fail(VN_E_ARG, "%s: more than %d items in one schedule", r->who, MAX_ITEMS);
    return VN_OK;
}

static int of_text(reading *r, const char *text, vn_schedule *to)
{
    char copy[ROOM], *name, *inside;
    if (r->depth == DEEP) return vn__fail(VN_E_ARG, "%s: more than %d schedules inside each other", r->who, DEEP);
    snprintf(copy, sizeof copy, "%s", text);
    if (vn__cut_call(r->who, "schedule", copy, &name, &inside)) return vn_status();
    for (int k = 0; k < COMPOSITIONS; k++) {
        if (!vn__same_word(compositions[k].name, name)) continue;
        items i;
        if (split(r, inside, &i)) return vn_status();
        r->depth++;
        const int code = compositions[k].read(r, &i, compositions[k].how, to);
        r->depth--;
        return code;
    }
    if (!vn__object_named(vn__makers_schedule.family, name)) return unknown(r, name);
    return vn__object_of_text(r->who, &vn__makers_schedule, text, to, NULL);
}

/* The schedule in a block of block_size(text) bytes. */
static int parse(const char *who, const char *text, char *block, vn_schedule *to)
{
    reading r = {.who = who, .at = block, .end = block + block_size(text)};
    return of_text(&r, text, to);
}

static int check_text(const char *who, const char *text)
{
    if (!text) return vn__fail(VN_E_NULL, "%s: the text of a schedule is NULL", who);
    return strlen(text) < ROOM ? VN_OK : vn__fail(VN_E_ARG, "%s: \"%.40s...\" is no schedule: it is too long", who, text);
}

int vn_schedule_parse(const char *text, vn_schedule *to)
{
    static const char who[] = "schedule_parse";
    if (!to) return vn__fail(VN_E_NULL, "%s: to is NULL", who);
    *to = (vn_schedule){.kind = VN__NOT_MADE};
    if (check_text(who, text)) return vn_status();
    char *block = vn__scope_memory(block_size(text), who);
    vn_schedule s;
    const int code = block ? parse(who, text, block, &s) : (int)vn_status();
    if (!code) *to = s;
    return code;
}

/* ---- of an optimizer ---- */

void vn__optim_end_schedule(vn__optimizer *b)
{
    vn__free(b->schedule_text);
    vn__free(b->schedule_block);
    b->schedule_text = b->schedule_block = NULL;
    b->scheduled = false;
}

int vn_optim_schedule_text(vn_optim *o, const char *text)
{
    static const char who[] = "optim_schedule_text";
    if (!vn__check(o, VN__OPTIM, who, "o") || check_text(who, text)) return vn_status();
    vn__optimizer *b = vn__optim_lead(vn__optim_of(o));
    if (!b) return vn__fail(VN_E_ARG, "%s: %s has no learning rate", who, vn__optim_of(o)->rule->name);
    char *block = vn__alloc(block_size(text)), *copy = vn__alloc(strlen(text) + 1);
    vn_schedule s;
    int code = block && copy ? parse(who, text, block, &s) : vn__no_memory(who);
    if (!code) code = vn__schedule_check(&s, who);
    if (code) return vn__free(block), vn__free(copy), code;
    vn__optim_end_schedule(b);
    strcpy(copy, text);
    b->schedule = s, b->scheduled = true, b->schedule_text = copy, b->schedule_block = block;
    return VN_OK;
}
