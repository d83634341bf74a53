/* SPDX-License-Identifier: Apache-2.0 */
/* parse.c: parses a line of a case file into a test.
 *
 *     op  inputs  options  = expected [~ tolerance]      or      ! VN_E_CODE ["part of the message"]
 *
 * Inputs and the expected result:
 *     [1 2] [[1 2] [3 4]]     float32, with the shape as written
 *     i8[1 2]                 another dtype: bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128
 *     c64[1+2j 3 -0.5j]       complex numbers
 *     f32(2,0)[] i8(2,2)[1 2 3 4]   the shape given, the elements in row-major order; "..." at the end repeats them
 *     f64{2}                  0-d
 *     0.5                     a weak number (inputs only); 7i an integer, 1+2j a complex number
 *     null                    NULL (inputs only)
 *     none                    VN_NONE, an absent input (inputs only)
 * For an op with several results, op.1 is the second. Numbers are as strtod reads them: 1e3 inf -inf nan -0 0x1p-24. Options are name=1,
 * name=0,1 (a list), name= (an empty list), name (a switch) and name=float16. `~ 1e-3` replaces relative and absolute tolerance, `~ 1e-3
 * rel` has no absolute one, and with `~ 1e-3 signed` the sign of every zero counts (that of -0 always does). # begins a comment. */
#include "case.h"
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int dtype;
} prefixes[] = {{"bool", VN_BOOL}, {"i8", VN_I8},     {"i16", VN_I16}, {"i32", VN_I32}, {"i64", VN_I64},
                {"u8", VN_U8},     {"u16", VN_U16},   {"u32", VN_U32}, {"u64", VN_U64}, {"f16", VN_F16},
                {"f32", VN_F32},   {"bf16", VN_BF16}, {"f64", VN_F64}, {"c64", VN_C64}, {"c128", VN_C128}};
enum { n_prefixes = sizeof prefixes / sizeof *prefixes };

/* ---- tests ---- */

void test_checks(test *t, test_part part)
{
    if (!t->why) t->part = part;
}

bool test_fail(test *t, const char *format, ...)
{
    if (t->why) return false;
    va_list a;
    va_start(a, format);
    if (vasprintf(&t->why, format, a) < 0) t->why = strdup("");
    va_end(a);
    return false;
}

bool test_library_failed(test *t, const char *what)
{
    return test_fail(t, "%s: %s: %s", what, vn_code_name(vn_status()), vn_message());
}

bool test_memory(test *t, const void *memory)
{
    return memory ? true : test_fail(t, "out of memory");
}

static void operand_free(operand *o)
{
    free(o->numbers);
    free(o->data);
}

void test_free(test *t)
{
    for (int k = 0; k < t->n_in; k++) operand_free(&t->in[k]);
    operand_free(&t->expected);
    free(t->text);
    free(t->message);
    free(t->why);
}

static const char *skip(const char *s)
{
    while (isspace((unsigned char)*s)) s++;
    return s;
}

static bool ends(const char *s)
{
    return !*s || isspace((unsigned char)*s);
}

/* ---- arrays ---- */

/* The operand while it is parsed. */
typedef struct {
    operand *o;
    int64_t room;
    bool given[VN_MAX_RANK]; /* sizes set by a first row */
    bool repeat;             /* "..." ended the list */
} filling;

static bool push(test *t, filling *f, const char **s)
{
    operand *o = f->o;
    int parts = parts_of(o->dtype);
    if (o->count == f->room) {
        int64_t room = f->room ? 4 * f->room : 16;
        double *numbers = realloc(o->numbers, (size_t)(room * parts) * sizeof *numbers);
        if (!test_memory(t, numbers)) return false;
        o->numbers = numbers;
        void *data = realloc(o->data, (size_t)(room * parts) * 8);
        if (!test_memory(t, data)) return false;
        o->data = data;
        f->room = room;
    }
    const char *at = *s, *wrong = number_parse(s, o->dtype, o->data, o->count, &o->numbers[o->count * parts]);
    if (wrong) return test_fail(t, "malformed: %s at \"%.20s\"", wrong, at);
    o->count++;
    return true;
}

/* A list at a depth: of lists, or of numbers, for the last axis. */
static bool parse_list(test *t, filling *f, const char **s, int depth, int *rank)
{
    int64_t n = 0;
    if (depth == VN_MAX_RANK) return test_fail(t, "malformed: brackets deeper than %d", VN_MAX_RANK);
    for (*s = skip(*s + 1); **s != ']'; *s = skip(*s)) {
        if (!**s) return test_fail(t, "malformed: a bracket is not closed");
        bool list = **s == '[';
        if (*rank >= 0 && list != (depth + 1 < *rank)) return test_fail(t, "malformed: numbers and lists are mixed at \"%.20s\"", *s);
        if (!list) *rank = depth + 1;
        if (list ? !parse_list(t, f, s, depth + 1, rank) : !push(t, f, s)) return false;
        n++;
    }
    ++*s;
    if (*rank < 0) *rank = depth + 1; /* an empty list */
    if (f->given[depth] && f->o->dims[depth] != n)
        return test_fail(t, "malformed: rows of %lld and %lld elements", (long long)f->o->dims[depth], (long long)n);
    f->given[depth] = true;
    f->o->dims[depth] = n;
    return true;
}

/* (2,3): the shape. */
static bool parse_shape(test *t, operand *o, const char **s)
{
    for (++*s; **s != ')';) {
        char *end;
        errno = 0;
        long long d = strtoll(*s, &end, 10);
        if (end == *s || errno || d < 0 || (*end != ',' && *end != ')'))
            return test_fail(t, "malformed: a size was expected at \"%.20s\"", *s);
        if (o->rank == VN_MAX_RANK) return test_fail(t, "malformed: more than %d sizes", VN_MAX_RANK);
        o->dims[o->rank++] = d;
        *s = end + (*end == ',');
    }
    ++*s;
    return true;
}

/* [1 2 ...]: elements of a known shape; with dots repeated until it is full. */
static bool parse_flat(test *t, filling *f, const char **s)
{
    operand *o = f->o;
    int64_t count = 1;
    for (int k = 0; k < o->rank; k++) {
        if (__builtin_mul_overflow(count, o->dims[k], &count) || count > 1 << 24) return test_fail(t, "malformed: too many elements");
    }
    for (*s = skip(*s + 1); **s != ']'; *s = skip(*s)) {
        if (!**s) return test_fail(t, "malformed: a bracket is not closed");
        if (o->count && !strncmp(*s, "...", 3)) {
            *s = skip(*s + 3);
            if (**s != ']') return test_fail(t, "malformed: ... is not at the end of the list");
            f->repeat = true;
        } else if (!push(t, f, s)) {
            return false;
        }
    }
    ++*s;
    if (o->count != count && !(f->repeat && o->count < count))
        return test_fail(t, "malformed: %lld elements given, the shape has %lld", (long long)o->count, (long long)count);
    if (o->count == count) return true;
    size_t item = vn_dtype_size((vn_dtype)o->dtype);
    int64_t parts = parts_of(o->dtype), given = o->count;
    double *numbers = realloc(o->numbers, (size_t)(count * parts) * sizeof *numbers);
    if (!test_memory(t, numbers)) return false;
    o->numbers = numbers;
    char *data = realloc(o->data, (size_t)(count * parts) * 8);
    if (!test_memory(t, data)) return false;
    o->data = data;
    for (int64_t i = given * parts; i < count * parts; i++) numbers[i] = numbers[i - given * parts];
    for (int64_t i = given; i < count; i++) memcpy(data + (size_t)i * item, data + (size_t)(i - given) * item, item);
    o->count = count;
    return true;
}

/* From the prefix on. */
static bool parse_array(test *t, operand *o, const char **s)
{
    filling f = {.o = o};
    o->kind = ARRAY;
    o->dtype = VN_F32;
    for (int k = 0; k < n_prefixes; k++) {
        size_t n = strlen(prefixes[k].name);
        if (strncmp(*s, prefixes[k].name, n) != 0 || !strchr("[({", (*s)[n])) continue;
        o->dtype = prefixes[k].dtype;
        *s += n;
        break;
    }
    int rank = -1;
    bool fine;
    if (**s == '(') {
        fine = parse_shape(t, o, s) && (**s == '[' ? parse_flat(t, &f, s) : test_fail(t, "malformed: elements in [] must follow a shape"));
    } else if (**s == '{') {
        *s = skip(*s + 1);
        fine = push(t, &f, s);
        *s = skip(*s);
        if (fine && *(*s)++ != '}') fine = test_fail(t, "malformed: one number in {} was expected");
    } else {
        fine = parse_list(t, &f, s, 0, &rank);
        if (fine) o->rank = rank;
    }
    if (fine && !ends(*s)) fine = test_fail(t, "malformed: a blank was expected at \"%.20s\"", *s);
    return fine;
}

/* Does an array begin here? */
static bool array_ahead(const char *s)
{
    if (*s == '[') return true;
    for (int k = 0; k < n_prefixes; k++) {
        size_t n = strlen(prefixes[k].name);
        if (!strncmp(s, prefixes[k].name, n) && s[n] && strchr("[({", s[n])) return true;
    }
    return false;
}

/* ---- options ---- */

static int dtype_named(const char *name)
{
    for (int d = 1; d < VN_DTYPE_END; d++) {
        if (!strcmp(name, vn_dtype_name((vn_dtype)d))) return d;
    }
    return -1;
}

/* An integer for an option of type "number" is handed over as one. */
static int kind_wanted(const test *t, const char *name, bool whole)
{
    for (int k = 0; k < t->info.n_options; k++) {
        const vn_op_option *o = &t->info.options[k];
        if (!strcmp(o->name, name)) return whole && !strcmp(o->type, "number") ? VN_OPT_INT : o->kind;
    }
    return 0;
}

/* An integer from 2^63 on for such an option. */
static bool is_high(const test *t, setting *o)
{
    char *end;
    errno = 0;
    const uint64_t u = isdigit((unsigned char)*o->text) ? strtoull(o->text, &end, 10) : 0;
    if (u <= INT64_MAX || errno || *end || kind_wanted(t, o->name, true) != VN_OPT_INT) return false;
    o->whole = (int64_t)u;
    return kind_wanted(t, o->name, false) == VN_OPT_FLOAT;
}

/* "0,1" into the list; false when it is none. */
static bool parse_numbers(setting *o)
{
    const char *s = o->text;
    for (o->n = 0; *s; s += *s == ',') {
        char *end;
        errno = 0;
        long long i = strtoll(s, &end, 10);
        if (end == s || errno || o->n == MAX_LIST || (*end && *end != ',')) return false;
        o->list[o->n++] = i;
        s = end;
    }
    return true;
}

/* Parses the option as the kind the op expects. Otherwise it is passed on as what it looks like, for the library to refuse. */
static bool parse_option(test *t, const char *word)
{
    if (t->n_options == MAX_OPTIONS) return test_fail(t, "malformed: more than %d options", MAX_OPTIONS);
    setting *o = &t->options[t->n_options];
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    if (!n || n >= NAME || (equals && strlen(equals + 1) >= NAME) || (!isalpha((unsigned char)*word) && *word != '_'))
        return test_fail(t, "malformed: \"%.40s\" is neither array, number nor option", word);
    memcpy(o->name, word, n);
    strcpy(o->text, equals ? equals + 1 : "1");
    const bool list = parse_numbers(o);
    const int wanted = kind_wanted(t, o->name, list && o->n == 1), dtype = dtype_named(o->text);
    char *end;
    o->real = strtod(o->text, &end);
    bool number = *o->text && !*end;
    o->whole = dtype >= 0 ? dtype : list && o->n ? o->list[0] : 0;
    if (is_high(t, o)) o->kind = VN_OPT_UINT;
    else if (wanted == VN_OPT_STRING) o->kind = VN_OPT_STRING;
    else if (list && (wanted == VN_OPT_INTS || o->n != 1)) o->kind = VN_OPT_INTS;
    else if (wanted == VN_OPT_FLOAT && number) o->kind = VN_OPT_FLOAT;
    else if (list || dtype >= 0) o->kind = VN_OPT_INT;
    else o->kind = number ? VN_OPT_FLOAT : VN_OPT_STRING;
    t->n_options++;
    return true;
}

/* ---- the line ---- */

/* "7i", an integer, or "1+2j": numbers that are exact. */
static bool parse_exact(operand *o, const char *word, double number[2])
{
    char *end, *last;
    errno = 0;
    o->dtype = VN_I64;
    o->whole = *word == '-' ? strtoll(word, &end, 10) : (int64_t)strtoull(word, &end, 10);
    number[0] = *word == '-' || o->whole >= 0 ? (double)o->whole : (double)(uint64_t)o->whole;
    if (end > word && !strcmp(end, "i") && !errno) return true;
    o->dtype = VN_C128;
    number[0] = strtod(word, &end);
    number[1] = strtod(end, &last);
    return end > word && last > end && !strcmp(last, "j");
}

static bool parse_input(test *t, const char **s)
{
    size_t n = strcspn(*s, " \t");
    char word[256], *end;
    snprintf(word, sizeof word, "%.*s", (int)n, *s);
    operand *o = &t->in[t->n_in];
    double v[2] = {strtod(word, &end)};
    bool array = array_ahead(*s), null = !strcmp(word, "null"), none = !strcmp(word, "none"), number = !*end && end > word;
    operand exact = {0};
    const bool is_exact = !array && !number && parse_exact(&exact, word, v);
    if (!array && !null && !none && !number && !is_exact) {
        *s += n;
        return n < sizeof word ? parse_option(t, word) : test_fail(t, "malformed: an option of %zu letters", n);
    }
    if (t->n_in == MAX_IN) return test_fail(t, "malformed: more than %d inputs", MAX_IN);
    if (t->n_options) return test_fail(t, "malformed: inputs come before options");
    t->n_in++;
    if (array) return parse_array(t, o, s);
    *s += n;
    if (null || none) {
        o->kind = null ? MISSING : ABSENT;
        return true;
    }
    o->kind = WEAK;
    o->dtype = is_exact ? exact.dtype : VN_F64;
    o->whole = exact.whole;
    o->count = 1;
    o->numbers = malloc(sizeof v);
    if (test_memory(t, o->numbers)) memcpy(o->numbers, v, sizeof v);
    return o->numbers != NULL;
}

/* "part of the message", at the end of the line. */
static bool parse_message(test *t, const char *s)
{
    const size_t n = strlen(s);
    if (n < 3 || *s != '"' || s[n - 1] != '"') return test_fail(t, "malformed: \"%.20s\" follows the error; only a text in quotes may", s);
    t->message = strndup(s + 1, n - 2);
    return test_memory(t, t->message);
}

static bool parse_error(test *t, const char *s)
{
    const size_t n = strcspn(s, " \t");
    t->wants_error = true;
    for (int code = 1; code <= VN_E_INDEX && !t->code; code++) {
        const char *name = vn_code_name((vn_code)code);
        if (strlen(name) == n && !strncmp(s, name, n)) t->code = (vn_code)code;
    }
    if (!t->code) return test_fail(t, "malformed: there is no error \"%.40s\"", s);
    return !s[n] || parse_message(t, skip(s + n));
}

static bool parse_expected(test *t, const char *s)
{
    if (!array_ahead(s)) return test_fail(t, "malformed: an array was expected at \"%.20s\"", s);
    if (!parse_array(t, &t->expected, &s)) return false;
    t->relative = t->absolute = number_tolerance(t->expected.dtype);
    s = skip(s);
    if (!*s) return true;
    char *end = NULL;
    double tolerance = *s == '~' ? strtod(s + 1, &end) : 0;
    if (!end || end == s + 1 || !(tolerance >= 0)) return test_fail(t, "malformed: \"~ tolerance\" was expected at \"%.20s\"", s);
    s = skip(end);
    bool only = !strcmp(s, "rel");
    t->signs = !strcmp(s, "signed");
    if (*s && !only && !t->signs) return test_fail(t, "malformed: \"%.20s\" follows the tolerance", s);
    t->relative = tolerance;
    t->absolute = only ? 0 : tolerance;
    return true;
}

static void look_up(test *t)
{
    for (int k = 0; k < table_ops().count(); k++) {
        vn_op_info info = {.size = sizeof info};
        if (table_ops().at(k, &info) == VN_OK && !strcmp(info.name, t->op)) t->info = info;
    }
}

bool test_parse(test *t, const char *file, int number, const char *text)
{
    *t = (test){.file = file, .line = number, .text = strdup(skip(text))};
    if (!test_memory(t, t->text)) return false;
    for (char *c = t->text; *c; c++) { /* removes a comment after a space, and trailing spaces */
        if (*c == '#' && c > t->text && isspace((unsigned char)c[-1])) *c-- = 0;
    }
    for (size_t n = strlen(t->text); n && isspace((unsigned char)t->text[n - 1]);) t->text[--n] = 0;
    const char *s = t->text;
    size_t n = strcspn(s, " \t");
    if (n >= NAME) return test_fail(t, "malformed: the op's name has %zu letters", n);
    memcpy(t->op, s, n);
    char *dot = strchr(t->op, '.');
    if (dot) {
        *dot = 0;
        t->out = atoi(dot + 1);
        if (t->out < 0 || t->out >= MAX_OUT) return test_fail(t, "malformed: result %d", t->out);
    }
    look_up(t);
    if (!t->info.name) return test_fail(t, "there is no op \"%s\" in the table", t->op);
    for (s = skip(s + n); *s; s = skip(s)) {
        if (*s == '=' && ends(s + 1)) return parse_expected(t, skip(s + 1));
        if (*s == '!' && ends(s + 1)) return parse_error(t, skip(s + 1));
        if (!parse_input(t, &s)) return false;
    }
    return test_fail(t, "malformed: there is no \"= expected\" and no \"! error\"");
}
