/* SPDX-License-Identifier: Apache-2.0 */
/* casefile.c: the file of a failing case: the original and the minimised input, bit for bit, and their results. The choices are
 * needed to run it again; the arrays are for readers. */
#include "runner.h"

#include "conformance/report/inside.h"

void put_number(text *t, double x)
{
    if (isnan(x)) text_add(t, "\"nan\"");
    else if (isinf(x)) text_add(t, x > 0 ? "\"inf\"" : "\"-inf\"");
    else text_add(t, "%.17g", x);
}

static void put_array(text *t, const trial_array *a)
{
    text_add(t, "{\"name\": ");
    text_json(t, a->name);
    text_add(t, ", \"dtype\": \"%s\", \"shape\": [", vn_dtype_name(a->dtype));
    for (int k = 0; k < a->shape.rank; k++) text_add(t, "%s%lld", k ? ", " : "", (long long)a->shape.dim[k]);
    text_add(t, "],\n      \"hex\": [");
    for (int64_t i = 0; i < a->count; i++) text_add(t, "%s\"%a\"", i ? ", " : "", a->values[i]);
    text_add(t, "],\n      \"values\": [");
    for (int64_t i = 0; i < a->count; i++) {
        if (i) text_add(t, ", ");
        put_number(t, a->values[i]);
    }
    text_add(t, "]}");
}

static void put_trial(text *t, const trial *from)
{
    const worst *w = &from->outcome.worst;
    text_add(t, "{\n    \"choices\": [");
    for (int i = 0; i < from->n_choices; i++) text_add(t, "%s\"%a\"", i ? ", " : "", from->choices[i].value);
    text_add(t, "],\n    \"inputs\": [");
    for (int i = 0; i < from->n_inputs; i++) {
        text_add(t, "%s\n     ", i ? "," : "");
        put_array(t, &from->inputs[i]);
    }
    text_add(t, "],\n    \"message\": ");
    text_json(t, *from->outcome.message ? from->outcome.message : from->outcome.strict_message);
    if (w->any) {
        text_add(t, ",\n    \"worst\": {\"check\": \"%s\", \"what\": ", check_kind_names[w->check]);
        text_json(t, w->what);
        text_add(t, ", \"index\": ");
        text_json(t, w->index);
        const struct {
            const char *name;
            double value;
        } numbers[] = {{"expected", w->expected}, {"got", w->got}, {"abs", w->abs}, {"rel", w->rel}, {"ulp", w->ulp}};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
            text_add(t, ", \"%s\": ", numbers[i].name);
            put_number(t, numbers[i].value);
        }
        text_add(t, "}");
    }
    text_add(t, "}");
}

bool case_path(const conformance_test *test, const char *engine, const char *ending, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "cases/%s-%s%s", test->id, engine, ending);
    for (char *s = to + strlen("cases/"); used < room && *s; s++)
        if (strchr("/:", *s)) *s = '-';
    return used < room;
}

static bool make_folder(const plan *p)
{
    report_problem problem;
    char folder[4096];
    return p->out && snprintf(folder, sizeof folder, "%s/cases", p->out) < (int)sizeof folder && !folder_make(folder, &problem);
}

bool case_write(const plan *p, const char *path, const trial *first, const trial *smallest)
{
    text t = {0};
    report_problem problem;
    if (!make_folder(p)) return false;
    text_add(&t, "{\n  \"schema\": \"vinea-case/1\", \"test\": ");
    text_json(&t, first->test->id);
    text_add(&t, ", \"engine\": ");
    text_json(&t, first->engine);
    text_add(&t, ", \"case\": %d, \"seed\": %llu, \"dtype\": \"%s\", \"reason\": \"%s\",\n  \"first\": ", first->number,
             (unsigned long long)first->seed, vn_dtype_name(first->dtype), trial_reason(first));
    put_trial(&t, first);
    text_add(&t, ",\n  \"smallest\": ");
    put_trial(&t, smallest);
    text_add(&t, "\n}\n");
    return !file_write(p->out, path, &t, &problem);
}

void program_write(const plan *p, const conformance_test *test, const char *engine, const char *program)
{
    text t = {0};
    report_problem problem;
    char path[sizeof((cell *)0)->case_file];
    if (!program || !make_folder(p) || !case_path(test, engine, ".c", path, sizeof path)) return;
    text_put(&t, program, strlen(program));
    file_write(p->out, path, &t, &problem);
}

char *program_read(const plan *p, const conformance_test *test, const char *engine)
{
    size_t size = 0;
    report_problem problem;
    char name[sizeof((cell *)0)->case_file], path[4096];
    if (!p->out || !case_path(test, engine, ".c", name, sizeof name)) return NULL;
    if (snprintf(path, sizeof path, "%s/%s", p->out, name) >= (int)sizeof path) return NULL;
    return file_read(path, (size_t)1 << 20, &size, &problem);
}

/* ---- reading ---- */

static bool is_text(const json *object, const char *key, const char *wanted)
{
    const json *v = json_at(object, key);
    return v && v->kind == VN__JSON_TEXT && !strcmp(v->text, wanted);
}

static bool is_number(const json *object, const char *key, double wanted)
{
    const json *v = json_at(object, key);
    return v && v->kind == VN__JSON_NUMBER && v->number == wanted;
}

static bool take_choices(const json *list, trial *t)
{
    if (!list || list->kind != VN__JSON_LIST || t->choices) return false;
    t->choices = calloc((size_t)list->n + 1, sizeof *t->choices);
    if (!t->choices) return false;
    t->room = list->n + 1;
    for (const json *c = list->first; c; c = c->next) {
        char *end = NULL;
        if (c->kind != VN__JSON_TEXT) return false;
        t->choices[t->n_given++].value = strtod(c->text, &end);
        if (end == c->text || *end) return false;
    }
    return true;
}

bool case_read(const char *path, trial *t, char *problem, size_t room)
{
    report_problem p = {""};
    size_t size = 0;
    char *data = file_read(path, (size_t)64 << 20, &size, &p);
    json *root = data ? json_parse(data, size, path, &p) : NULL;
    bool fits = root && root->kind == VN__JSON_OBJECT && is_text(root, "schema", "vinea-case/1") && is_text(root, "test", t->test->id) &&
                is_text(root, "dtype", vn_dtype_name(t->dtype)) && is_number(root, "case", t->number) &&
                is_number(root, "seed", (double)t->seed);
    const json *smallest = fits ? json_at(root, "smallest") : NULL;
    bool fine = smallest && smallest->kind == VN__JSON_OBJECT && take_choices(json_at(smallest, "choices"), t);
    if (fine) *problem = 0;
    else if (*p.text) snprintf(problem, room, "%s", p.text);
    else
        snprintf(problem, room, "%s: not case %d of %s in %s with seed %llu", path, t->number, t->test->id, vn_dtype_name(t->dtype),
                 (unsigned long long)t->seed);
    if (root) json_free(root);
    free(data);
    return fine;
}

/* ---- as text ---- */

void case_text(const trial *t, char *to, size_t room)
{
    size_t used = 0;
    *to = 0;
    for (int i = 0; i < t->n_inputs && used < room; i++) {
        const trial_array *a = &t->inputs[i];
        used += (size_t)snprintf(to + used, room - used, "%s%s = %s(", i ? "\n" : "", a->name, vn_dtype_name(a->dtype));
        for (int k = 0; k < a->shape.rank && used < room; k++)
            used += (size_t)snprintf(to + used, room - used, "%s%lld", k ? ", " : "", (long long)a->shape.dim[k]);
        if (used < room) used += (size_t)snprintf(to + used, room - used, ") {");
        for (int64_t k = 0; k < a->count && used < room; k++)
            used += (size_t)snprintf(to + used, room - used, "%s%.17g", k ? ", " : "", a->values[k]);
        if (used < room) used += (size_t)snprintf(to + used, room - used, "}");
    }
    if (used >= room && room > 4) memcpy(to + room - 4, "...", 4);
}
