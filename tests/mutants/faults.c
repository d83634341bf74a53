/* SPDX-License-Identifier: Apache-2.0 */
/* faults.c: samples small faults for a C file: `faults SEED FILE` prints them, each line with file, line, offset, length, kind and what
 * stands there instead, between tabs. Kinds are sampled first, then one of the places where such a fault fits, so that a kind with few
 * places is as frequent as one with many. The list depends on the seed and the file (name and text) alone, and is long enough that faults
 * which do not compile, or compile to the same object, can be passed over.
 *
 * Texts, comments, messages of errors and constants that only tune speed are left alone: those of an enum, and how arrays grow. */
#include "source.h"
#include <stdint.h>

enum { MAX_TEXT = 400, MAX_FAULTS = 4000 };

static const char *const kind_names[] = {"operator", "negation", "constant", "statement", "bound", "op", "arguments", "axis"};
enum { OPERATOR, NEGATION, CONSTANT, STATEMENT, BOUND, OP, ARGUMENTS, AXIS, N_KINDS };

typedef struct site {
    const source *in;
    size_t at, length;
    char text[MAX_TEXT];
    bool used;
} site;

typedef struct group {
    site *sites[N_KINDS];
    size_t n[N_KINDS];
} group;

static uint64_t state;

static size_t sample(size_t n) /* xorshift64*: below n */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (size_t)((state * 2685821657736338717u >> 33) % n);
}

static void add(group *g, int kind, const source *s, size_t at, size_t length, const char *text)
{
    if (strlen(text) >= MAX_TEXT || strchr(text, '\n') || strchr(text, '\t')) return;
    const size_t n = g->n[kind];
    if (!(n & (n + 1))) { /* room for the next power of two */
        site *more = realloc(g->sites[kind], (2 * n + 2) * sizeof *more);
        if (!more) exit(2);
        g->sites[kind] = more;
    }
    site *x = &g->sites[kind][g->n[kind]++];
    *x = (site){.in = s, .at = at, .length = length};
    strcpy(x->text, text);
}

/* ---- the kinds: each looks whether a fault of it fits at a place ---- */

/* The first of a pair becomes the second, and the other way round where both are listed. */
static void exchange(group *g, int kind, const source *s, size_t at, const char *const (*pairs)[2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        if (source_at(s, at, pairs[k][0])) add(g, kind, s, at, strlen(pairs[k][0]), pairs[k][1]);
    }
}

static void operators(group *g, const source *s, size_t at)
{
    static const char *const pairs[][2] = {{" + ", " - "},   {" - ", " + "},   {" * ", " / "},   {" / ", " * "},   {" < ", " <= "},
                                           {" <= ", " < "},  {" > ", " >= "},  {" >= ", " > "},  {" == ", " != "}, {" != ", " == "},
                                           {" && ", " || "}, {" || ", " && "}, {" += ", " -= "}, {" -= ", " += "}};
    exchange(g, OPERATOR, s, at, pairs, sizeof pairs / sizeof *pairs);
}

static void ops(group *g, const source *s, size_t at)
{
    static const char *const pairs[][2] = {
        {"vn_add(", "vn_sub("},
        {"vn_sub(", "vn_add("},
        {"vn_mul(", "vn_div("},
        {"vn_div(", "vn_mul("},
        {"vn_neg(", "("},
        {"vn_sum(", "vn_mean("},
        {"vn_mean(", "vn_sum("},
        {"vn_maximum(", "vn_minimum("},
        {"vn_minimum(", "vn_maximum("},
        {"vn_square(", "("},
        {"vn_less(", "vn_less_equal("},
        {"vn_greater(", "vn_greater_equal("},
        {"vn_less_equal(", "vn_less("},
        {"vn_sin(", "vn_cos("},
        {"vn_cos(", "vn_sin("},
        {"vn_exp(", "vn_expm1("},
        {"vn_matrix_transpose(", "("},
        {"vn_log(", "vn_log1p("},
        {"vn_sqrt(", "("},
        {"vn__widen(", "("},
        {"vn_logical_and(", "vn_logical_or("},
        {"vn__transpose(", "("},
        {"vn__sum_to(", "vn_mul("},
        {"vn_abs(", "("},
    };
    exchange(g, OP, s, at, pairs, sizeof pairs / sizeof *pairs);
}

static void negations(group *g, const source *s, size_t at)
{
    const char *c = s->text + at;
    const bool follows = source_word(c[1]) || c[1] == '(';
    size_t before = at;
    while (before && s->text[before - 1] == ' ') before--;
    const bool unary = before && strchr("(,=?:[{", s->text[before - 1]);
    if ((*c == '!' || (*c == '-' && unary)) && follows) add(g, NEGATION, s, at, 1, "");
}

/* Whether a line says how an array grows: `capacity ? 2 * capacity : 16`. */
static bool grows(const source *s, size_t at)
{
    while (at && s->text[at - 1] != '\n') at--;
    const char *line = s->text + at, *twice = memmem(line, strcspn(line, "\n"), " ? 2 * ", 7);
    const size_t n = twice ? strcspn(twice + 7, " \n") : 0;
    return n && (size_t)(twice - line) > n && !strncmp(twice - n, twice + 7, n);
}

static void constants(group *g, const source *s, size_t at)
{
    const char *c = s->text + at;
    if (!isdigit((unsigned char)*c) || (at && (source_word(s->text[at - 1]) || s->text[at - 1] == '.'))) return;
    size_t n = 0;
    if (grows(s, at)) return;
    const bool hex = c[0] == '0' && (c[1] | 32) == 'x';
    while (source_word(c[n]) || c[n] == '.' || ((c[n] == '-' || c[n] == '+') && strchr(hex ? "pP" : "eE", c[n - 1]))) n++;
    char text[MAX_TEXT];
    if (n > 60) return;
    if (memchr(c, '.', n)) snprintf(text, sizeof text, "(%.*s * 1.25f)", (int)n, c);
    else if (n == 1 && *c <= '1') snprintf(text, sizeof text, "%d", *c == '0' ? 1 : 2 * (int)sample(2));
    else snprintf(text, sizeof text, "(%.*s + 1)", (int)n, c);
    add(g, CONSTANT, s, at, n, text);
}

static bool begins(const char *c, const char *const *words)
{
    for (; *words; words++) {
        const size_t n = strlen(*words);
        if (!strncmp(c, *words, n) && !source_word(c[n])) return true;
    }
    return false;
}

/* A statement of one line that is a call, an assignment or a test that leaves the function. Giving back memory is left alone. */
static void statements(group *g, const source *s, size_t at)
{
    static const char *const others[] = {"return", "else",   "for",      "while",   "do",          "case",   "default",
                                         "goto",   "break",  "continue", "typedef", "static",      "const",  "free",
                                         "fclose", "va_end", "enum",     "struct",  "vn__release", "sizeof", NULL};
    const char *c = s->text + at;
    if (!islower((unsigned char)*c) || (at && s->text[at - 1] != ' ')) return;
    for (size_t k = at; k && s->text[k - 1] != '\n'; k--) {
        if (s->text[k - 1] != ' ') return;
    }
    size_t name = 0, n = strcspn(c, "\n");
    if (n >= MAX_TEXT || c[n - 1] != ';' || begins(c, others)) return;
    while (source_word(c[name])) name++;
    const char *rest = c + name;
    const bool condition = !strncmp(c, "if (", 4), call = *rest == '(',
               assigns = *rest == '[' || *rest == '.' || !strncmp(rest, "->", 2) || !strncmp(rest, " = ", 3) ||
                         (*rest == ' ' && rest[1] && rest[2] == '=');
    int depth = 0;
    for (size_t k = 0; k < n; k++) depth += c[k] == '(' ? 1 : c[k] == ')' ? -1 : 0;
    if (!depth && (condition || call || assigns)) add(g, STATEMENT, s, at, n, ";");
}

static void bounds(group *g, const source *s, size_t at)
{
    const char *c = s->text + at, *first = NULL, *second = NULL;
    const size_t n = strcspn(c, "\n");
    if (!source_at(s, at, "for (") || !(first = memchr(c, ';', n)) || !(second = memchr(first + 1, ';', n - (size_t)(first + 1 - c))))
        return;
    if (memmem(first, (size_t)(second - first), " < ", 3)) add(g, BOUND, s, (size_t)(second - s->text), 0, " - 1");
}

static void axes(group *g, const source *s, size_t at)
{
    if (source_at(s, at, "axis") && at && strchr("([ .>", s->text[at - 1]) && s->text[at + 4] && strchr(")],", s->text[at + 4]))
        add(g, AXIS, s, at + 4, 0, " ^ 1");
}

/* A call with two arguments, in a function's body. */
static void arguments(group *g, const source *s, size_t at)
{
    static const char *const symmetric[] = {"vn_add",         "vn_mul",        "vn_maximum", "vn_minimum", "vn_equal", "vn_not_equal",
                                            "vn_logical_and", "vn_logical_or", "strcmp",     "fmax",       "fmin",     "least",
                                            "most",           "smaller",       "larger",     "if",         "for",      "while",
                                            "switch",         "sizeof",        "return",     NULL};
    size_t name = at;
    if (s->text[at] != '(') return;
    while (name && source_word(s->text[name - 1])) name--;
    if (name == at || !islower((unsigned char)s->text[name]) || !name || s->text[name - 1] == '\n' || begins(s->text + name, symmetric))
        return;
    const size_t close = source_close(s, at);
    size_t comma = 0, commas = 0;
    int depth = 0;
    for (size_t k = at; k < close; k++) {
        depth += strchr("([{", s->text[k]) ? 1 : strchr(")]}", s->text[k]) ? -1 : 0;
        if (s->text[k] == ',' && depth == 1 && s->code[k]) comma = k, commas++;
    }
    if (commas != 1 || close - at > 160) return;
    const int first = (int)(comma - at - 1), second = (int)(close - comma - 2);
    if (first == second && !strncmp(s->text + at + 1, s->text + comma + 2, (size_t)first)) return;
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "%.*s, %.*s", second, s->text + comma + 2, first, s->text + at + 1);
    add(g, ARGUMENTS, s, at + 1, close - at - 1, text);
}

/* ---- where ---- */

static void forget(source *s, size_t from, size_t to)
{
    for (size_t k = from; k < to && k < s->n; k++) s->code[k] = false;
}

/* What no fault is put into: what is included or chosen by the preprocessor, heads of functions, tuning, room for texts, and the making of
 * messages. */
static void leave_out(source *s)
{
    static const char *const lines[] = {"#include",    "#if",    "#el",   "#endif",  "#undef",
                                        "#define VN_", "enum {", "char ", "assert(", "_Static_assert"};
    static const char *const calls[] = {"FAIL(", "vn__fail(", "vn__native_fail(", "snprintf(", "vn__shape_text("};
    for (size_t k = 0; k < s->n; k++) {
        if (!s->code[k]) continue;
        if (islower((unsigned char)s->text[k]) && (!k || s->text[k - 1] == '\n')) forget(s, k, k + strcspn(s->text + k, "\n"));
        for (size_t j = 0; j < sizeof lines / sizeof *lines; j++) {
            if (source_at(s, k, lines[j])) forget(s, k, k + strcspn(s->text + k, "\n"));
        }
        for (size_t j = 0; j < sizeof calls / sizeof *calls; j++) {
            if (source_at(s, k, calls[j])) forget(s, k, source_close(s, k + strlen(calls[j]) - 1));
        }
    }
}

static void look(group *g, const source *s)
{
    for (size_t at = 0; at < s->n; at++) {
        if (!s->code[at]) continue;
        operators(g, s, at);
        negations(g, s, at);
        constants(g, s, at);
        statements(g, s, at);
        bounds(g, s, at);
        ops(g, s, at);
        arguments(g, s, at);
        axes(g, s, at);
    }
}

static bool print_one(group *g)
{
    for (int tries = 0; tries < 1000; tries++) {
        const size_t kind = sample(N_KINDS);
        site *x = g->n[kind] ? &g->sites[kind][sample(g->n[kind])] : NULL;
        if (!x || x->used) continue;
        x->used = true;
        return printf("%s\t%ld\t%zu\t%zu\t%s\t%s\n", x->in->path, source_line(x->in, x->at), x->at, x->length, kind_names[kind], x->text) >
               0;
    }
    return false;
}

int main(int argc, char **argv)
{
    group g = {0};
    source s;
    if (argc != 3) return fputs("usage: faults SEED FILE\n", stderr), 2;
    if (!source_read(&s, argv[2])) return 2;
    state = strtoull(argv[1], NULL, 10);
    for (const char *c = argv[2]; *c; c++) state = (state ^ (unsigned char)*c) * 0x9e3779b97f4a7c15u; /* files differ in their samples */
    state |= 1;
    leave_out(&s);
    look(&g, &s);
    for (int k = 0; k < MAX_FAULTS && print_one(&g); k++) {
    }
    return fflush(stdout) != 0;
}
