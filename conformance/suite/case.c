/* SPDX-License-Identifier: Apache-2.0 */
/* case.c: one case: sets up a trial, runs it, reports why it failed. */
#include "runner.h"

void trial_open(trial *t, const conformance_test *test, const plan *p, const char *engine, int number, vn_dtype dtype)
{
    int structures = p->tier == TIER_QUICK || test->fixed ? (test->cases ? test->cases : 4) : number + 1;
    *t = (trial){.test = test,
                 .plan = p,
                 .seed = p->seed,
                 .number = number,
                 .structure = number % structures,
                 .dtype = dtype,
                 .tier = p->tier,
                 .engine = engine,
                 .strict = p->strict,
                 .failed = example_failed};
}

static void forget_inputs(trial *t)
{
    while (t->n_inputs) free(t->inputs[--t->n_inputs].values);
    free(t->program);
    t->program = NULL;
}

static void begin(trial *t)
{
    forget_inputs(t);
    t->sampled = t->n_choices = 0;
    t->outcome = (trial_outcome){.code = VN_OK};
    vn_clear();
    vn_seed(t->seed + (uint64_t)t->number);
}

/* An error of the library that was not cleared, here; the test itself sets that of another process. */
static void end(trial *t)
{
    if (vn_status()) t->outcome.code = vn_status(), snprintf(t->outcome.message, sizeof t->outcome.message, "%s", vn_message());
}

void trial_run(trial *t)
{
    VN_SCOPE;
    begin(t);
    t->test->run(t);
    end(t);
    vn_clear();
}

void trials_run(trial *const *t, int n)
{
    VN_SCOPE;
    for (int k = 0; k < n; k++) begin(t[k]);
    t[0]->test->run_many(t, n);
    for (int k = 0; k < n; k++) end(t[k]);
    vn_clear();
}

void trial_name(const trial *t, char *to, size_t room)
{
    if (t->test->name_case) t->test->name_case(t, to, room);
    else snprintf(to, room, "case %d", t->number);
}

void trial_close(trial *t)
{
    forget_inputs(t);
    free(t->choices);
    t->choices = NULL;
}

const char *trial_reason(const trial *t)
{
    static const char *const reasons[CHECK_KINDS] = {
        [CHECK_VALUE] = "value",     [CHECK_DTYPE] = "dtype",    [CHECK_SHAPE] = "shape",     [CHECK_GRADIENT] = "gradient",
        [CHECK_SECOND] = "gradient", [CHECK_TREE] = "structure", [CHECK_OUT] = "out_identity"};
    const trial_outcome *o = &t->outcome;
    if (o->code == VN_E_UNSUPPORTED) return "missing_feature";
    if (o->code == VN_E_MEM) return "memory";
    if (o->code) return "exception";
    if (!o->failing) return "";
    return o->nonfinite ? "nonfinite" : reasons[o->first];
}
