/* SPDX-License-Identifier: Apache-2.0 */
/* write.c: report.json (docs/report.md lists its fields). Everything but times is reproducible. */
#include "runner.h"

#include "commit.h"
#include "conformance/report/inside.h"

#include <ctype.h>
#include <sys/utsname.h>
#include <unistd.h>

static void put_text(text *t, const char *name, const char *value)
{
    text_add(t, "\"%s\": ", name);
    if (value) text_json(t, value);
    else text_add(t, "null");
}

static void put_named(text *t, const char *name, double value)
{
    text_add(t, "\"%s\": ", name);
    put_number(t, value);
}

static void put_run(text *t, const run *r)
{
    struct utsname host;
    const plan *p = r->plan;
    static const char *const tiers[] = {[TIER_QUICK] = "quick", [TIER_FULL] = "full", [TIER_SOAK] = "soak"};
    if (uname(&host)) snprintf(host.sysname, sizeof host.sysname, "unknown"), snprintf(host.machine, sizeof host.machine, "unknown");
    for (char *s = host.sysname; *s; s++) *s = (char)tolower((unsigned char)*s);
    text_add(t, "  \"run\": {\"utc\": \"%s\", ", r->utc);
    put_text(t, "commit", SOURCE_COMMIT);
    text_add(t, ", \"dirty\": %s, ", SOURCE_DIRTY ? "true" : "false");
    put_text(t, "vinea", vn_version());
    text_add(t, ", \"seed\": %llu, ", (unsigned long long)p->seed);
    if (p->examples) text_add(t, "\"examples\": %d, ", p->examples);
    text_add(t, "\"tier\": \"%s\", \"strict\": %s,\n    \"host\": {", tiers[p->tier], p->strict ? "true" : "false");
    put_text(t, "os", host.sysname);
    text_add(t, ", ");
    put_text(t, "cpu", host.machine);
    text_add(t, ", \"threads\": %ld}, \"duration_ms\": %.0f},\n", sysconf(_SC_NPROCESSORS_ONLN), 1e3 * r->seconds);
}

static void put_engine(text *t, const engine_run *e)
{
    text_add(t, "    {");
    put_text(t, "name", e->name);
    text_add(t, ", ");
    put_text(t, "version", *e->version ? e->version : NULL);
    text_add(t, ", \"present\": %s, \"device\": \"cpu\", ", e->present ? "true" : "false");
    put_text(t, "load_error", *e->load_error ? e->load_error : *e->failure ? e->failure : NULL);
    text_add(t, "}");
}

static const char *word_of(verdict v)
{
    return v == VERDICT_FAIL ? "fail" : "pass";
}

static void put_verdicts(text *t, const cell *c)
{
    const char *comma = "";
    text_add(t, ",\n       \"checks\": {");
    for (int k = 0; k < CHECK_KINDS; k++) {
        if (c->kinds[k]) text_add(t, "%s\"%s\": \"%s\"", comma, check_kind_names[k], word_of(c->kinds[k])), comma = ", ";
    }
    text_add(t, "}, \"dtypes\": {");
    comma = "";
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (c->dtypes[d]) text_add(t, "%s\"%s\": \"%s\"", comma, vn_dtype_name((vn_dtype)d), word_of(c->dtypes[d])), comma = ", ";
    }
    text_add(t, "}");
}

static void put_worst(text *t, const cell *c)
{
    const worst *w = &c->worst;
    text_add(t, ",\n       \"worst\": {\"case\": %d, \"dtype\": \"%s\", \"check\": \"%s\", ", c->worst_case, vn_dtype_name(c->worst_dtype),
             check_kind_names[w->check]);
    put_text(t, "what", w->what);
    text_add(t, ", ");
    put_text(t, "index", w->index);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"expected", w->expected}, {"got", w->got}, {"abs", w->abs},
                   {"rel", w->rel},           {"ulp", w->ulp}, {"tolerance", w->tolerance}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        text_add(t, ", ");
        put_named(t, numbers[i].name, numbers[i].value);
    }
    text_add(t, "}");
}

static void put_numbers(text *t, const cell *c)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"max_abs", c->max_abs},
                   {"max_rel", c->max_rel},
                   {"max_ulp", c->max_ulp},
                   {"error_ratio", c->ratio},
                   {"strict_ratio", c->strict_ratio}};
    text_add(t, ",\n       ");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (i) text_add(t, ", ");
        put_named(t, numbers[i].name, numbers[i].value);
    }
    text_add(t, ", \"strict_state\": \"%s\"", word_of(c->strict));
    if (*c->strict_message) text_add(t, ", "), put_text(t, "strict_message", c->strict_message);
    put_verdicts(t, c);
    if (c->worst.any) put_worst(t, c);
}

static void put_excluded(text *t, const conformance_test *test, const char *engine)
{
    const char *comma = "";
    text_add(t, ",\n       \"excluded\": [");
    for (int k = 0; k < test->n_excluded; k++) {
        const exclusion *e = &test->excluded[k];
        if (e->engine && strcmp(e->engine, engine) != 0) continue;
        text_add(t, "%s{", comma);
        put_text(t, "what", e->what);
        text_add(t, ", ");
        put_text(t, "why", e->why);
        text_add(t, "}");
        comma = ", ";
    }
    text_add(t, "]");
}

void repro_line(const run *r, const engine_run *e, int test, char *to, size_t room)
{
    const cell *c = &e->cells[test];
    const plan *p = r->plan;
    static const char *const ways[] = {[PROGRAMS_ALONE] = "alone", [PROGRAMS_TOGETHER] = "together", [PROGRAMS_BOTH] = "both"};
    bool one = c->failed_case >= 0 && !c->company;
    programs how = c->company ? PROGRAMS_TOGETHER : one ? PROGRAMS_BY_TIER : p->programs;
    size_t used = (size_t)snprintf(to, room, "vinea check --test %s --engine %s", r->tests[test]->id, e->name);
    if (one && used < room) used += (size_t)snprintf(to + used, room - used, " --case %d", c->failed_case);
    if (used < room) used += (size_t)snprintf(to + used, room - used, " --seed %llu", (unsigned long long)p->seed);
    if (one && used < room) used += (size_t)snprintf(to + used, room - used, " --dtype %s", vn_dtype_name(c->failed_dtype));
    if (p->tier != TIER_QUICK && used < room)
        used += (size_t)snprintf(to + used, room - used, " --tier %s", p->tier == TIER_FULL ? "full" : "soak");
    if (how && used < room) used += (size_t)snprintf(to + used, room - used, " --programs %s", ways[how]);
    if (p->strict && used < room) snprintf(to + used, room - used, " --strict");
}

static void put_cell(text *t, const run *r, int test, const engine_run *e)
{
    char repro[512];
    const cell *c = &e->cells[test];
    bool ran = c->cases > 0;
    text_add(t, "      {");
    put_text(t, "engine", e->name);
    text_add(t, ", \"state\": \"%s\"", report_states[c->state].name);
    if (*c->reason) text_add(t, ", "), put_text(t, "reason", c->reason);
    if (*c->message) text_add(t, ", "), put_text(t, "message", c->message);
    text_add(t, ", \"cases\": %lld, \"assertions\": %lld, \"duration_ms\": %.3f", (long long)c->cases, (long long)c->assertions,
             c->milliseconds);
    if (ran) put_numbers(t, c);
    put_excluded(t, r->tests[test], e->name);
    if (ran) text_add(t, ", \"computed_by\": \"%s\"", c->fell_back ? "vinea" : "engine");
    if (*c->input) text_add(t, ", "), put_text(t, "input", c->input);
    char *program = c->state == REPORT_PASS || c->state == REPORT_NOT_RUN ? NULL : program_read(r->plan, r->tests[test], e->name);
    if (program) text_add(t, ", "), put_text(t, "snippet", program);
    free(program);
    if (*c->case_file) text_add(t, ", "), put_text(t, "case_file", c->case_file);
    repro_line(r, e, test, repro, sizeof repro);
    text_add(t, ", ");
    put_text(t, "repro", repro);
    const char *seed = matrix_verdict(r->tests[test], e->name);
    if (seed) text_add(t, ", "), put_text(t, "seed_dashboard", seed);
    text_add(t, "}");
}

static void put_test(text *t, const run *r, int k)
{
    static const char *const truths[] = {
        [TRUTH_CLOSED] = "closed", [TRUTH_GOLDEN] = "golden", [TRUTH_DIFFERENCE] = "difference", [TRUTH_AGREEMENT] = "agreement"};
    const conformance_test *test = r->tests[k];
    const struct {
        const char *name, *value;
    } texts[] = {{"suite", test->suite}, {"id", test->id}, {"name", test->name}, {"function", test->function}, {"what", test->what}};
    text_add(t, "    {");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put_text(t, texts[i].name, texts[i].value);
        text_add(t, ", ");
    }
    text_add(t, "\"truth\": \"%s\", ", truths[test->truth]);
    put_named(t, "rtol", test->rtol);
    text_add(t, ", ");
    put_named(t, "atol", test->atol);
    text_add(t, ", \"strict\": {\"k\": %g, \"depth\": %g},\n     \"cells\": [\n", test->k > 0 ? test->k : 8,
             test->depth > 0 ? test->depth : 1);
    for (int e = 0; e < r->n_engines; e++) {
        put_cell(t, r, k, &r->engines[e]);
        text_add(t, e + 1 < r->n_engines ? ",\n" : "]}");
    }
}

static void put_totals(text *t, const run *r)
{
    text_add(t, "  \"totals\": {");
    for (int e = 0; e < r->n_engines; e++) {
        int64_t counts[REPORT_STATES] = {0};
        for (int k = 0; k < r->n_tests; k++) counts[r->engines[e].cells[k].state]++;
        text_add(t, "%s\n    ", e ? "," : "");
        text_json(t, r->engines[e].name);
        text_add(t, ": {");
        for (int s = 0; s < REPORT_STATES; s++) text_add(t, "%s\"%s\": %lld", s ? ", " : "", report_states[s].name, (long long)counts[s]);
        text_add(t, "}");
    }
    text_add(t, "}\n");
}

bool report_folder(const plan *p, char *problem, size_t room)
{
    report_problem why = {""};
    bool fine = !folder_make(p->out, &why);
    if (!fine) snprintf(problem, room, "%s", why.text);
    return fine;
}

bool report_write(const run *r, char *problem, size_t room)
{
    text t = {0};
    report_problem p = {""};
    text_add(&t, "{\n  \"schema\": \"%s\",\n", REPORT_SCHEMA);
    put_run(&t, r);
    if (r->interrupted || r->stopped) text_add(&t, "  \"partial\": true,\n");
    text_add(&t, "  \"engines\": [\n");
    for (int e = 0; e < r->n_engines; e++) {
        put_engine(&t, &r->engines[e]);
        text_add(&t, e + 1 < r->n_engines ? ",\n" : "],\n");
    }
    text_add(&t, "  \"tests\": [\n");
    for (int k = 0; k < r->n_tests; k++) {
        put_test(&t, r, k);
        text_add(&t, k + 1 < r->n_tests ? ",\n" : "],\n");
    }
    put_totals(&t, r);
    text_add(&t, "}\n");
    bool fine = !file_write(r->plan->out, "report.json", &t, &p);
    if (!fine) snprintf(problem, room, "%s", p.text);
    return fine;
}
