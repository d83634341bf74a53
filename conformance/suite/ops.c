/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: the suite "ops": one test for every op of the table. Its cases in a dtype are the case lines of the op and the dtype
 * (conformance/cases), then random ones (ops_random.c), which are compared with a reference (ops_truth.c); derivatives are compared with
 * central differences. conformance/lines computes and compares, many cases as one program or each alone. */
#include "base/hash.h"
#include "ops.h"
#include "base/minmax.h"
#include "conformance/lines/table.h"
#include "runner.h"

_Static_assert((int)LINE_SMALL <= (int)TRIAL_ROOM, "a small line fits into a trial");

/* ---- the cases of a test ---- */

/* Data of an op. */
typedef struct subject {
    vn_op_info info;
    char table[32], id[96], name[96]; /* of its row */
    const line **lines;               /* all of them, in the order of the files */
    const line **gives;               /* those that give a result */
    int n_lines, n_gives;
} subject;

/* One of each for every op of the table. */
static conformance_test *rows;
static subject *subjects;

static subject *subject_of(const conformance_test *row)
{
    return &subjects[row - rows];
}

/* Finds the op's lines, once. */
static void find_lines(subject *s)
{
    int n = 0;
    const line *all = lines_all(&n);
    if (s->lines || !all) return;
    s->lines = calloc((size_t)n + 1, sizeof *s->lines);
    s->gives = calloc((size_t)n + 1, sizeof *s->gives);
    for (int k = 0; s->lines && s->gives && k < n; k++) {
        if (strcmp(all[k].op, s->info.name) != 0) continue;
        s->lines[s->n_lines++] = &all[k];
        if (all[k].gives) s->gives[s->n_gives++] = &all[k];
    }
}

/* Case line k of the dtype; NULL if there are fewer. */
static const line *golden(const subject *s, vn_dtype dtype, int k)
{
    for (int i = 0; s->lines && i < s->n_lines; i++)
        if (s->lines[i]->dtype == dtype && !k--) return s->lines[i];
    return NULL;
}

static int count_golden(const subject *s, vn_dtype dtype)
{
    int n = 0;
    for (int i = 0; s->lines && i < s->n_lines; i++) n += s->lines[i]->dtype == dtype;
    return n;
}

static uint64_t name_hash(const char *name)
{
    const uint64_t h = vn__hash_text(name);
    return h ^ h >> 32;
}

/* First all case lines, in every tier (a brief plan takes every second one), then random cases; a case has the same number in every plan.
 * The quick tier has one random case per dtype, in float64 with ordinary numbers, which have derivatives. */
static int number_at(const conformance_test *row, const plan *p, vn_dtype dtype, int k)
{
    subject *s = subject_of(row);
    find_lines(s);
    int all = count_golden(s, dtype), lines = p->brief ? (all + 1) / 2 : all;
    int sampled = p->examples ? p->examples : p->tier == TIER_SOAK ? 200 : 8;
    if (k < lines) return p->brief ? (int)vn__min(2 * k + second_half(), all - 1) : k;
    if (lines_are_few() || !is_sampled(p, name_hash(s->info.name) + (uint64_t)dtype)) return -1;
    k += all - lines;
    if (p->tier == TIER_QUICK && !p->examples) return k == all ? all + (dtype == VN_F64 ? 0 : (int)dtype % 4) : -1;
    return k < all + sampled ? k : -1;
}

/* ---- one case ---- */

/* What a trial runs: a case line or a random call. */
typedef struct subcase {
    trial *t;
    const line *line; /* NULL: sampled */
    char known[256];  /* why the line is known to fail; "" if it is not */
    test c;
    bool ready; /* it could be parsed or sampled */
} subcase;

static vn_shape shape_of(const operand *o)
{
    vn_shape s = {.rank = o->rank};
    memcpy(s.dim, o->dims, sizeof s.dim);
    if (is_complex(o->dtype) && s.rank < VN_MAX_RANK) s.dim[s.rank++] = 2; /* both parts */
    return s;
}

/* Records the error of the result in the trial. */
static void measure(test *c, const void *got)
{
    const operand *e = &c->expected;
    char what[128];
    vn_shape s = shape_of(e);
    snprintf(what, sizeof what, "%s, %s:%d", c->op, c->file, c->line);
    int64_t n = e->count * parts_of(e->dtype);
    double *values = malloc(((size_t)n + 1) * sizeof *values), *want = malloc(((size_t)n + 1) * sizeof *want);
    for (int64_t i = 0; values && want && i < n; i++) {
        values[i] = number_get(got, i, part_dtype(e->dtype));
        want[i] = number_get(e->data, i, part_dtype(e->dtype));
    }
    if (values && want) trial_within(c->user, CHECK_VALUE, what, values, want, n, &s, c->absolute, c->relative);
    free(values);
    free(want);
}

static void remember(trial *t, const test *c)
{
    for (int k = 0; k < c->n_in; k++) {
        const operand *o = &c->in[k];
        const char *name = c->info.name && k < c->info.n_inputs ? c->info.inputs[k] : "x";
        if (o->kind == ARRAY) trial_remember(t, name, o->numbers, shape_of(o), (vn_dtype)part_dtype(o->dtype));
    }
}

/* Of lines with the same derivatives, only the first one that is not known to fail checks them. */
static bool is_first(const subject *s, const line *l, const char *engine)
{
    int k = 0;
    while (s->gives[k] != l && (s->gives[k]->key != l->key || lines_known(engine, s->gives[k]))) k++;
    return s->gives[k] == l;
}

static void prepare_line(subcase *of, const subject *s)
{
    const line *l = of->line;
    const char *engine = of->t->engine, *known = lines_known(engine, l);
    snprintf(of->known, sizeof of->known, "%s", known ? known : "");
    of->ready = test_parse(&of->c, l->file, l->number, l->text);
    of->c.derivatives = l->gives && is_first(s, l, engine) && is_sampled(of->t->plan, l->key ^ l->key >> 32);
}

static void prepare_random(subcase *of, const subject *s)
{
    trial *t = of->t;
    t->structure = t->number - count_golden(s, t->dtype);
    of->ready = ops_sample(t, &s->info, s->gives, s->n_gives, &of->c) && ops_expect(t, &of->c);
    of->c.derivatives = (t->dtype == VN_F64 || t->dtype == VN_C128) && ops_ordinary(t);
    vn_clear();
}

/* False: nothing to run, and the trial has the reason. */
static bool prepare(subcase *of, trial *t)
{
    subject *s = subject_of(t->test);
    find_lines(s);
    *of = (subcase){.t = t};
    if (!trial_expect(t, CHECK_VALUE, !*lines_problem(), lines_problem())) return false;
    if (!lines_are_few() && !trial_expect(t, CHECK_VALUE, s->n_gives > 0, "the op has a case line with a result")) return false;
    of->line = golden(s, t->dtype, t->number);
    if (of->line) prepare_line(of, s);
    else prepare_random(of, s);
    of->c.user = t;
    if (of->ready) remember(t, &of->c);
    return true;
}

/* Reports the outcome. */
static void conclude(subcase *of)
{
    trial *t = of->t;
    const test *c = &of->c;
    char text[TRIAL_TEXT];
    const char *why = c->why ? c->why : "";
    static const check_kind kinds[] = {
        [OF_VALUE] = CHECK_VALUE,       [OF_DTYPE] = CHECK_DTYPE,  [OF_SHAPE] = CHECK_SHAPE,  [OF_SUM] = CHECK_VALUE,
        [OF_GRADIENT] = CHECK_GRADIENT, [OF_CUT] = CHECK_GRADIENT, [OF_SECOND] = CHECK_SECOND};
    t->outcome.assertions[CHECK_GRADIENT] += c->gradients;
    t->outcome.assertions[CHECK_SECOND] += c->seconds;
    if (*of->known) { /* the error of its result does not count */
        t->outcome = (trial_outcome){.fell_back = t->outcome.fell_back};
        snprintf(text, sizeof text, "%s:%d is listed as a known failure (%s) but passes: remove it from the list", c->file, c->line,
                 of->known);
        trial_expect(t, CHECK_VALUE, c->why != NULL, text);
    } else {
        snprintf(text, sizeof text, "%s:%d: %.180s: %s", c->file, c->line, c->text ? c->text : "", why);
        trial_expect(t, kinds[c->part], !c->why, text);
    }
    if (t->outcome.failing && !t->program && of->ready) t->program = line_program(t, c);
    test_free(&of->c);
}

static void check(subcase *const *of, int n, bool with_sums)
{
    test *tests[TRIALS] = {NULL};
    checking how = {.with_sums = with_sums, .seen = measure};
    for (int k = 0; k < n; k++) {
        tests[k] = &of[k]->c;
        how.engine = of[k]->t->engine;
    }
    tests_check(tests, n, &how);
    for (int k = 0; k < n; k++) of[k]->t->outcome.fell_back |= how.fell_back;
}

static void run_op(trial *t)
{
    subcase one, *of = &one;
    if (!prepare(of, t)) return;
    if (of->ready) check(&of, 1, true);
    conclude(of);
}

/* Known failures and large lines are not combined with others. */
static bool sociable(const subcase *of)
{
    return !*of->known && (!of->line || of->line->small);
}

static void show_company(subcase *const *of, int n, int which)
{
    test *tests[TRIALS] = {NULL};
    int m = 0, at = 0;
    for (int k = 0; k < n; k++) {
        if (of[k]->c.wants_error) continue; /* not a part of the program */
        if (k == which) at = m;
        tests[m++] = &of[k]->c;
    }
    if (of[which]->c.why && !of[which]->c.wants_error) of[which]->t->program = lines_program(of[which]->t, tests, m, at);
}

static void run_ops(trial *const *t, int n)
{
    subcase *all = calloc((size_t)n + 1, sizeof *all), *together[2][TRIALS], *alone;
    int prepared = 0, m[2] = {0};
    for (int k = 0; k < n; k++) {
        if (!all) trial_expect(t[k], CHECK_VALUE, false, "there is memory for the cases");
        else if (prepare(&all[prepared], t[k])) prepared++;
    }
    for (int k = 0; k < prepared; k++) {
        const bool large = test_largest(&all[k].c) > TINY;
        if (all[k].ready && sociable(&all[k])) together[large][m[large]++] = &all[k];
    }
    for (int large = 0; large < 2; large++)
        if (m[large]) check(together[large], m[large], false);
    for (int large = 0; large < 2; large++)
        for (int k = 0; k < m[large]; k++)
            if (together[large][k]->t->company) show_company(together[large], m[large], k);
    for (int k = 0; k < prepared; k++) {
        alone = &all[k];
        if (all[k].ready && !sociable(alone)) check(&alone, 1, true);
        conclude(&all[k]);
    }
    free(all);
}

/* Of a case line, also before it has run. */
static char *op_program(trial *t)
{
    subcase of = {.t = t};
    subject *s = subject_of(t->test);
    find_lines(s);
    of.line = golden(s, t->dtype, t->number);
    t->structure = of.line ? t->structure : t->number - count_golden(s, t->dtype);
    of.ready =
        of.line ? test_parse(&of.c, of.line->file, of.line->number, of.line->text) : ops_sample(t, &s->info, s->gives, s->n_gives, &of.c);
    char *program = of.ready ? line_program(t, &of.c) : NULL;
    test_free(&of.c);
    return program;
}

static void name_case(const trial *t, char *to, size_t room)
{
    subject *s = subject_of(t->test);
    find_lines(s);
    const line *l = golden(s, t->dtype, t->number);
    if (l) snprintf(to, room, "%s:%d", l->file, l->number);
    else snprintf(to, room, "sampled case %d", t->number - count_golden(s, t->dtype));
}

/* ---- the two ops that cannot be called by name ---- */

/* To another engine and back, with its gradient. */
static void run_to(trial *t)
{
    double x[3], got[3], three[3] = {3, 3, 3};
    sample_reals(t, x, VN_SHAPE(3), -3, 3);
    vn_array *a = vn_variable(trial_input(t, "x", x, VN_SHAPE(3), t->dtype)), *there = vn_to(a, "native");
    EXPECT(t, CHECK_VALUE, there && !strcmp(vn_engine_of(there), "native"));
    vn_array *back = vn_to(vn_mul(there, vn_scalar(3)), t->engine), *g = vn_grad(vn_sum(back, VN_ALL), a);
    EXPECT(t, CHECK_VALUE, back && !strcmp(vn_engine_of(back), t->engine));
    trial_result(t, "there", there, t->dtype, VN_SHAPE(3), x);
    if (EXPECT(t, CHECK_GRADIENT, number_read(g, got, 3))) trial_compare(t, CHECK_GRADIENT, "gradient", got, three, 3, NULL);
}

static vn_array *doubled(vn_array *x, void *user)
{
    (void)user;
    return vn_mul(x, vn_scalar(2));
}

static vn_array *rule(vn_array *x, vn_array *y, vn_array *upstream, void *user)
{
    (void)user, (void)x;
    return vn_mul(upstream, y);
}

/* The values of the function, the gradient of the rule. */
static void run_custom(trial *t)
{
    double x[3], got[3], want[3];
    sample_reals(t, x, VN_SHAPE(3), -3, 3);
    vn_array *a = vn_variable(trial_input(t, "x", x, VN_SHAPE(3), t->dtype)),
             *y = vn_fn_call(vn_bind_custom_gradient(doubled, rule, NULL), a);
    for (int i = 0; i < 3; i++) want[i] = 2 * x[i];
    vn_array *g = vn_grad(vn_sum(y, VN_ALL), a);
    trial_result(t, "custom", y, t->dtype, VN_SHAPE(3), want);
    if (EXPECT(t, CHECK_GRADIENT, number_read(g, got, 3))) trial_compare(t, CHECK_GRADIENT, "gradient", got, want, 3, NULL);
}

/* ---- rows ---- */

static void fill_row(conformance_test *row, subject *s)
{
    bool moves = !strcmp(s->info.kind, "move"), called = !moves && strcmp(s->info.kind, "tied") != 0;
    snprintf(s->table, sizeof s->table, "ops/%s", s->info.kind);
    snprintf(s->id, sizeof s->id, "ops/%s", s->info.name);
    snprintf(s->name, sizeof s->name, "op_%s", s->info.name);
    *row = (conformance_test){.suite = s->table,
                              .id = s->id,
                              .name = s->name,
                              .function = s->info.name,
                              .what = s->info.doc,
                              .rtol = 1e-5,
                              .atol = 1e-6,
                              .cases = 1};
    row->truth = called ? TRUTH_AGREEMENT : TRUTH_CLOSED;
    row->dtypes = called ? s->info.dtypes : VN_FLOATS;
    row->run = called ? run_op : moves ? run_to : run_custom;
    row->number_at = called ? number_at : NULL;
    row->run_many = called ? run_ops : NULL;
    row->name_case = called ? name_case : NULL;
    row->program = called ? op_program : NULL;
}

/* If only some lines are selected, the ops that have some. */
static bool is_wanted(const char *op)
{
    int n = 0;
    const line *all = lines_are_few() ? lines_all(&n) : NULL;
    for (int k = 0; k < n; k++)
        if (!strcmp(all[k].op, op)) return true;
    return !lines_are_few();
}

static const conformance_test *tests(int *n)
{
    static int wanted;
    int count = table_ops().count();
    *n = 0;
    if (!rows) {
        rows = calloc((size_t)count, sizeof *rows);
        subjects = calloc((size_t)count, sizeof *subjects);
        for (int k = 0; rows && subjects && k < count; k++) {
            vn_op_info info = {.size = sizeof info};
            if (table_ops().at(k, &info) || !is_wanted(info.name)) continue;
            subjects[wanted].info = info;
            fill_row(&rows[wanted], &subjects[wanted]);
            wanted++;
        }
    }
    if (!rows || !subjects) return NULL;
    *n = wanted;
    return rows;
}

const suite suite_ops = {"ops", tests};
