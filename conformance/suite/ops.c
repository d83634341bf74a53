/* ops.c: the suite "ops": one test for every op of the table. Its cases in a dtype are first the golden lines of the op and the dtype
 * (conformance/cases), then drawn ones (ops_draw.c) whose truth is agreement (ops_truth.c); derivatives are held against central
 * differences. The same judge as vinea-cases has (conformance/judge.c) decides. */
#include "ops.h"

#include "conformance/table.h"

/* ---- the cases of a test ---- */

/* What belongs to an op. */
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

/* Golden line number k of the dtype; NULL when there are fewer. */
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

/* The quick tier has few cases, for engines that compile pay for each: of float32 two golden lines and a drawn case, of float64 one of
 * both, of other dtypes the one or the other in turn. */
static int quick_number(int all, vn_dtype dtype, int k)
{
    int lines = dtype == VN_F32 ? 2 : dtype == VN_F64 || dtype % 2, manner = dtype == VN_F64 ? 0 : (int)dtype % 4;
    if (lines > all) lines = all;
    if (k < lines) return (int)((int64_t)k * all / lines);
    bool drawn = k == lines && (!lines || dtype == VN_F32 || dtype == VN_F64);
    return drawn ? all + manner : -1; /* float64: ordinary numbers, which have derivatives */
}

/* First the golden lines, then what is drawn; every tier gives a case the same number. */
static int number_at(const conformance_test *row, tier level, int examples, vn_dtype dtype, int k)
{
    subject *s = subject_of(row);
    find_lines(s);
    int all = count_golden(s, dtype), drawn = examples ? examples : level == TIER_SOAK ? 200 : 8;
    if (level == TIER_QUICK && !examples) return quick_number(all, dtype, k);
    return k < all + drawn ? k : -1;
}

/* ---- one case ---- */

/* Which kind of check the judge's words are about. */
static check_kind kind_of(const char *why)
{
    static const struct {
        const char *begins;
        check_kind kind;
    } kinds[] = {{"dtype", CHECK_DTYPE}, {"shape", CHECK_SHAPE}, {"gradient", CHECK_GRADIENT}, {"second", CHECK_SECOND}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (!strncmp(why, kinds[k].begins, strlen(kinds[k].begins))) return kinds[k].kind;
    return CHECK_VALUE;
}

static vn_shape shape_of(const operand *o)
{
    vn_shape s = {.rank = o->rank};
    memcpy(s.dim, o->dims, sizeof s.dim);
    if (is_complex(o->dtype) && s.rank < VN_MAX_RANK) s.dim[s.rank++] = 2; /* both parts */
    return s;
}

/* Tells the trial how far the result is from what is expected. */
static void measure(const test *c, const void *got, void *user)
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
    if (values && want) trial_within(user, CHECK_VALUE, what, values, want, n, &s, c->absolute, c->relative);
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

static void judge(trial *t, test *c, bool derivatives)
{
    counts n = {0};
    judging j = {.engine = t->engine, .together = t->tier != TIER_QUICK, .derivatives = derivatives, .n = &n, .seen = measure, .user = t};
    if (!c->wants_error) {
        VN_SCOPE;
        trial_explain(t, test_compute(c));
        vn_clear();
    }
    remember(t, c);
    test_run(c, &j);
    t->outcome.assertions[CHECK_GRADIENT] += n.gradients;
    t->outcome.assertions[CHECK_SECOND] += n.second;
}

static void run_golden(trial *t, const line *l)
{
    test c;
    char text[TRIAL_TEXT];
    const char *known = lines_known(t->engine, l);
    bool float_line = VN_BIT(t->dtype) & (VN_BIT(VN_F32) | VN_BIT(VN_F64) | VN_COMPLEX);
    trial_outcome before = t->outcome;
    if (test_parse(&c, l->file, l->number, l->text)) judge(t, &c, float_line && t->tier != TIER_QUICK);
    if (known) { /* what the measure said of it does not count */
        t->outcome = before;
        snprintf(text, sizeof text, "%s:%d is listed as a known failure (%s) but passes: take it off the list", l->file, l->number, known);
        trial_expect(t, CHECK_VALUE, c.why != NULL, text);
    } else {
        snprintf(text, sizeof text, "%s:%d: %.180s: %s", l->file, l->number, l->text, c.why ? c.why : "");
        trial_expect(t, kind_of(c.why ? c.why : ""), !c.why, text);
    }
    test_free(&c);
}

static void run_drawn(trial *t, const subject *s, int k)
{
    test c;
    char text[TRIAL_TEXT];
    t->structure = k;
    bool wide = t->dtype == VN_F64 || t->dtype == VN_C128;
    if (ops_draw(t, &s->info, s->gives, s->n_gives, &c) && ops_expect(t, &c)) judge(t, &c, wide && ops_ordinary(t));
    snprintf(text, sizeof text, "%s:%d: %.180s: %s", c.file, c.line, c.text ? c.text : "", c.why ? c.why : "");
    trial_expect(t, kind_of(c.why ? c.why : ""), !c.why, text);
    vn_clear();
    test_free(&c);
}

static void run_op(trial *t)
{
    subject *s = subject_of(t->test);
    find_lines(s);
    if (!trial_expect(t, CHECK_VALUE, !*lines_problem(), lines_problem())) return;
    if (!trial_expect(t, CHECK_VALUE, s->n_gives > 0, "the op has a golden line that gives its result")) return;
    const line *l = golden(s, t->dtype, t->number);
    if (l) run_golden(t, l);
    else run_drawn(t, s, t->number - count_golden(s, t->dtype));
}

/* ---- the two ops that are no call by name ---- */

/* There and back again, with its gradient. */
static void run_to(trial *t)
{
    double x[3], got[3], three[3] = {3, 3, 3};
    draw_reals(t, x, VN_SHAPE(3), -3, 3);
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
    draw_reals(t, x, VN_SHAPE(3), -3, 3);
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
}

static const conformance_test *tests(int *n)
{
    int count = table_ops().count();
    *n = 0;
    if (!rows) {
        rows = calloc((size_t)count, sizeof *rows);
        subjects = calloc((size_t)count, sizeof *subjects);
        for (int k = 0; rows && subjects && k < count; k++) {
            subjects[k].info.size = sizeof subjects[k].info;
            table_ops().at(k, &subjects[k].info);
            fill_row(&rows[k], &subjects[k]);
        }
    }
    if (!rows || !subjects) return NULL;
    *n = count;
    return rows;
}

const suite suite_ops = {"ops", tests};
