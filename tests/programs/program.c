/* SPDX-License-Identifier: Apache-2.0 */
/* program.c: a program's types, and its text. One line a step, results numbered in order; a file with such lines reproduces a run:
 *
 *     x0 = input float32 (8,16,32,32) normal 17 donated
 *     x1 = square x0
 *     x2 = sum x1 axes=0,2,3 keepdims=1
 *     x3 = number 0.5
 *     x4 = topk.1 x0 k=3 axis=1
 *     out x2 x4
 *
 * Inputs say what they hold and a seed of their own; an index also its limit: index:100. */
#include "program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *const data_names[DATA_KINDS] = {"normal", "uniform", "positive", "whole", "ones", "sparse", "index", "bits", "special"};

/* ---- types ---- */

int64_t count_of(const type *t)
{
    int64_t n = 1;
    for (int a = 0; a < t->rank; a++)
        if (__builtin_mul_overflow(n, t->dims[a], &n)) return INT64_MAX;
    return n;
}

bool same_shape(const type *x, const type *y)
{
    return x->rank == y->rank && !memcmp(x->dims, y->dims, (size_t)x->rank * sizeof *x->dims);
}

type type_of(int dtype, int rank, const int64_t *dims)
{
    type t = {.dtype = dtype, .rank = rank};
    if (rank > 0) memcpy(t.dims, dims, (size_t)rank * sizeof *dims);
    t.count = count_of(&t);
    return t;
}

bool broadcast_types(type *z, const type *x)
{
    type wide = x->rank > z->rank ? *x : *z;
    for (int a = 1; a <= wide.rank; a++) {
        const int64_t m = a <= z->rank ? z->dims[z->rank - a] : 1, n = a <= x->rank ? x->dims[x->rank - a] : 1;
        if (m != n && m != 1 && n != 1) return false;
        wide.dims[wide.rank - a] = m == 1 ? n : m;
    }
    memcpy(z->dims, wide.dims, sizeof z->dims);
    z->rank = wide.rank;
    z->count = count_of(z);
    return true;
}

const type *operand_type(const program *p, const step *s, int k)
{
    return &p->steps[s->in[k]].type;
}

/* ---- settings ---- */

const setting *setting_named(const step *s, const char *name)
{
    for (int k = 0; k < s->n_settings; k++)
        if (!strcmp(s->settings[k].name, name)) return &s->settings[k];
    return NULL;
}

int64_t whole_setting(const step *s, const char *name, int64_t fallback)
{
    const setting *o = setting_named(s, name);
    return o && o->kind == VN_OPT_INT ? o->ints[0] : fallback;
}

double real_setting(const step *s, const char *name, double fallback)
{
    const setting *o = setting_named(s, name);
    return o && o->kind == VN_OPT_FLOAT ? o->real : fallback;
}

static setting *new_setting(step *s, const char *name, int kind)
{
    static setting none;
    setting *o = s->n_settings < MAX_SETTINGS ? &s->settings[s->n_settings++] : &none;
    *o = (setting){.kind = kind, .n = 1};
    snprintf(o->name, sizeof o->name, "%.*s", MAX_TEXT - 1, name);
    return o;
}

void set_whole(step *s, const char *name, int64_t value)
{
    new_setting(s, name, VN_OPT_INT)->ints[0] = value;
}
void set_real(step *s, const char *name, double value)
{
    new_setting(s, name, VN_OPT_FLOAT)->real = value;
}
void set_list(step *s, const char *name, int n, const int64_t *values)
{
    setting *o = new_setting(s, name, VN_OPT_INTS);
    o->n = vn__min(n, MAX_LIST);
    for (int k = 0; k < o->n; k++) o->ints[k] = values[k];
}

/* ---- the program ---- */

const family families[] = {{element_ops, 38}, {reduce_ops, 17},  {view_ops, 12},
                           {piece_ops, 8},    {index_ops, 7},    {product_ops, 9},
                           {norm_ops, 6},     {spectrum_ops, 3}, {0}};

const op *op_named(const char *name)
{
    for (const family *f = families; f->ops; f++)
        for (const op *o = f->ops; o->name; o++)
            if (!strcmp(o->name, name)) return o;
    return strcmp(name, gradient_op.name) ? NULL : &gradient_op;
}

bool program_infer(program *p)
{
    for (int k = 0; k < p->n; k++) {
        step *s = &p->steps[k];
        if (!s->op) {
            s->type.count = count_of(&s->type);
        } else {
            s->type = (type){.dtype = VN_F32};
            for (int i = 0; i < s->n_in; i++)
                if (s->in[i] < 0 || s->in[i] >= k) return false;
            if (!s->op->infer(p, s)) return false;
            s->type.count = count_of(&s->type);
        }
        if (s->type.count < 0 || s->type.count > INT64_C(1) << 26) return false;
    }
    return true;
}

int program_outputs(const program *p)
{
    int n = 0;
    for (int k = 0; k < p->n; k++) n += p->steps[k].output;
    return n;
}

bool program_valid(const program *p)
{
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].output && p->steps[k].type.weak) return false;
    return program_outputs(p) > 0;
}

void program_clean(program *p)
{
    bool needed[MAX_STEPS] = {false};
    int place[MAX_STEPS], n = 0;
    for (int k = p->n - 1; k >= 0; k--) {
        needed[k] |= p->steps[k].output;
        for (int i = 0; needed[k] && i < p->steps[k].n_in; i++) needed[p->steps[k].in[i]] = true;
    }
    for (int k = 0; k < p->n; k++) {
        if (!needed[k]) continue;
        place[k] = n;
        p->steps[n] = p->steps[k];
        for (int i = 0; i < p->steps[n].n_in; i++) p->steps[n].in[i] = place[p->steps[n].in[i]];
        n++;
    }
    p->n = n;
}

int64_t program_elements(const program *p)
{
    int64_t most = 0;
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].type.count > most) most = p->steps[k].type.count;
    return most;
}

bool program_has(const program *p, unsigned trait)
{
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].op && (p->steps[k].op->traits & trait)) return true;
    return false;
}

/* ---- text ---- */

static void print_input(FILE *to, const step *s)
{
    if (s->type.weak) {
        fprintf(to, "number %.17g", s->number);
        return;
    }
    fprintf(to, "input %s (", vn_dtype_name((vn_dtype)s->type.dtype));
    for (int a = 0; a < s->type.rank; a++) fprintf(to, a ? ",%lld" : "%lld", (long long)s->type.dims[a]);
    fprintf(to, ") %s", data_names[s->data]);
    if (s->data == INDEX) fprintf(to, ":%lld", (long long)s->limit);
    fprintf(to, " %llu%s%s", (unsigned long long)s->seed, s->donated ? " donated" : "", s->wrapped ? " wrapped" : "");
}

static void print_setting(FILE *to, const setting *o)
{
    fprintf(to, " %s=", o->name);
    if (!strcmp(o->name, "dtype")) fprintf(to, "%s", vn_dtype_name((vn_dtype)o->ints[0]));
    else if (o->kind == VN_OPT_FLOAT) fprintf(to, "%.17g", o->real);
    else if (o->kind == VN_OPT_STRING) fprintf(to, "%s", o->text);
    else if (o->kind == VN_OPT_INTS && o->n == 0) fprintf(to, "none");
    else
        for (int k = 0; k < o->n; k++) fprintf(to, k ? ",%lld" : "%lld", (long long)o->ints[k]);
}

void program_print(FILE *to, const program *p)
{
    for (int k = 0; k < p->n; k++) {
        const step *s = &p->steps[k];
        fprintf(to, "x%d = ", k);
        if (!s->op) {
            print_input(to, s);
        } else {
            fprintf(to, s->part ? "%s.%d" : "%s", s->op->name, s->part);
            for (int i = 0; i < s->n_in; i++) fprintf(to, " x%d", s->in[i]);
            for (int i = 0; i < s->n_settings; i++) print_setting(to, &s->settings[i]);
        }
        fputc('\n', to);
    }
    fprintf(to, "out");
    for (int k = 0; k < p->n; k++)
        if (p->steps[k].output) fprintf(to, " x%d", k);
    fputc('\n', to);
}

/* The next word of a line, or an empty one. */
static void next_word(const char **s, char *word, size_t room)
{
    size_t n = 0;
    while (**s == ' ' || **s == '\t') ++*s;
    for (; **s && !isspace((unsigned char)**s); ++*s)
        if (n + 1 < room) word[n++] = **s;
    word[n] = 0;
}

static bool read_list(const char *text, int64_t *to, int most, int *n)
{
    for (*n = 0; *text && *text != ')'; text += *text == ',') {
        char *end;
        if (*n == most) return false;
        to[(*n)++] = strtoll(text, &end, 10);
        if (end == text) return false;
        text = end;
    }
    return true;
}

static int dtype_named(const char *name)
{
    for (int d = 1; d < VN_DTYPE_END; d++)
        if (!strcmp(name, vn_dtype_name((vn_dtype)d))) return d;
    return -1;
}

static const char *parse_input(step *s, const char **line)
{
    char word[128];
    next_word(line, word, sizeof word);
    s->type.dtype = dtype_named(word);
    if (s->type.dtype < 0) return "an input of no dtype there is";
    next_word(line, word, sizeof word);
    if (*word != '(' || !read_list(word + 1, s->type.dims, MAX_AXES, &s->type.rank)) return "an input of no shape";
    next_word(line, word, sizeof word);
    char *colon = strchr(word, ':');
    if (colon) *colon = 0, s->limit = strtoll(colon + 1, NULL, 10);
    while (s->data < DATA_KINDS && strcmp(word, data_names[s->data]) != 0) s->data++;
    if (s->data == DATA_KINDS) return "an input that does not say what it holds";
    next_word(line, word, sizeof word);
    s->seed = strtoull(word, NULL, 10);
    for (next_word(line, word, sizeof word); *word; next_word(line, word, sizeof word)) {
        if (!strcmp(word, "donated")) s->donated = true;
        else if (!strcmp(word, "wrapped")) s->wrapped = true;
        else return "an input with an unknown word at its end";
    }
    return NULL;
}

static const char *parse_setting(step *s, char *word)
{
    char *equals = strchr(word, '='), *end;
    if (!equals || s->n_settings == MAX_SETTINGS) return "neither a value nor a setting";
    *equals++ = 0;
    setting *o = new_setting(s, word, VN_OPT_INT);
    vn_op_info info = {.size = sizeof info};
    int kind = VN_OPT_INT;
    for (int k = 0; k < table_ops().count(); k++) {
        if (table_ops().at(k, &info) || strcmp(info.name, s->op->name) != 0) continue;
        for (int i = 0; i < info.n_options; i++)
            if (!strcmp(info.options[i].name, word)) kind = info.options[i].kind;
    }
    o->kind = kind;
    if (!strcmp(word, "dtype")) o->ints[0] = dtype_named(equals);
    else if (kind == VN_OPT_FLOAT) o->real = strtod(equals, &end);
    else if (kind == VN_OPT_STRING) snprintf(o->text, sizeof o->text, "%.*s", MAX_TEXT - 1, equals);
    else if (!strcmp(equals, "none")) o->n = 0;
    else if (!read_list(equals, o->ints, MAX_LIST, &o->n)) return "a setting that is no list of numbers";
    return NULL;
}

static const char *parse_op(program *p, step *s, char *name, const char **line)
{
    char word[256], *dot = strchr(name, '.');
    if (dot) *dot = 0, s->part = atoi(dot + 1);
    s->op = op_named(name);
    if (!s->op) return "an op the generator does not know";
    for (next_word(line, word, sizeof word); *word; next_word(line, word, sizeof word)) {
        const char *why = NULL;
        if (*word == 'x' && isdigit((unsigned char)word[1]) && !strchr(word, '=')) {
            if (s->n_in == MAX_IN) return "too many operands";
            s->in[s->n_in++] = atoi(word + 1);
            if (s->in[s->n_in - 1] >= p->n) return "a value that comes later";
        } else {
            why = parse_setting(s, word);
        }
        if (why) return why;
    }
    return NULL;
}

static const char *parse_line(program *p, const char *line)
{
    char word[256];
    next_word(&line, word, sizeof word);
    if (!*word || *word == '#') return NULL;
    if (!strcmp(word, "out")) {
        for (next_word(&line, word, sizeof word); *word; next_word(&line, word, sizeof word)) {
            const int k = *word == 'x' ? atoi(word + 1) : -1;
            if (k < 0 || k >= p->n) return "an output that is no value";
            p->steps[k].output = true;
        }
        return NULL;
    }
    if (p->n == MAX_STEPS) return "too many steps";
    if (*word != 'x' || atoi(word + 1) != p->n) return "values are numbered x0, x1, ...";
    step *s = &p->steps[p->n];
    *s = (step){.type = {.dtype = VN_F32}};
    next_word(&line, word, sizeof word);
    if (strcmp(word, "=") != 0) return "= was expected";
    next_word(&line, word, sizeof word);
    const char *why = NULL;
    if (!strcmp(word, "number")) {
        s->type.weak = true;
        s->number = strtod(line, NULL);
    } else {
        why = strcmp(word, "input") ? parse_op(p, s, word, &line) : parse_input(s, &line);
    }
    p->n++;
    return why;
}

const char *program_parse(program *p, const char *text)
{
    memset(p, 0, sizeof *p);
    for (const char *at = text; *at;) {
        const char *end = strchr(at, '\n');
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        char line[1024];
        if (n >= sizeof line) return "a line is too long";
        memcpy(line, at, n);
        line[n] = 0;
        const char *why = parse_line(p, line);
        if (why) return why;
        at += n + (end != NULL);
    }
    if (!program_infer(p)) return "shapes or dtypes do not fit";
    return program_valid(p) ? NULL : "there is no output";
}

const char *program_read(program *p, const char *file)
{
    FILE *f = fopen(file, "r");
    if (!f) return "it cannot be opened";
    static char text[1 << 16];
    const size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    return program_parse(p, text);
}
