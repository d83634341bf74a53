/* SPDX-License-Identifier: Apache-2.0 */
/* source.c: a test that is a program, as one C file to compile against the library: its row, and everything of the suites' own sources that
 * the row needs. The command has these sources as text (suite_sources.h). They are read as top-level declarations with the names that each
 * declares; a name in one that is needed makes its declarations needed, too. The suites use no conditional compilation. */
#include "runner.h"

#include "conformance/report/inside.h"
#include "suite_sources.h" /* the files one after the other, each after a line with \f and its name */

#include <ctype.h>

/* A part of a text. */
typedef struct span {
    const char *at;
    size_t n;
} span;

enum { FILES = 160, INCLUDES = 8, ARGUMENTS = 8 };

typedef struct source_file {
    span name, text;
    text expanded; /* the text with tables (.inc) in place of their includes, if there are some */
    int includes[INCLUDES], n_includes;
    bool unit; /* compiled by itself; the others are included */
    bool needed, printed;
} source_file;

/* A top-level declaration, with the comment above it. */
typedef struct declaration {
    int file;
    span text;
    span macro; /* its name, if it is the definition of one */
    bool local; /* other units do not see it */
    bool rows;  /* a list of tests, which is never needed as a whole */
    bool needed;
} declaration;

typedef struct named {
    char *word;
    int declaration;
} named;

typedef struct sources {
    source_file files[FILES];
    declaration *all;
    named *names;
    int n_files, n, room, n_names, names_room;
    bool failed; /* out of memory */
} sources;

/* How the lists of tests begin. */
static const char *const lists[] = {"static const conformance_test rows[] = {", "static const ranks_row list[] = {"};

/* ---- tokens ---- */

static bool is_word(int c)
{
    return isalnum(c) || c == '_';
}

static bool is(span s, const char *what)
{
    return s.n == strlen(what) && !memcmp(s.at, what, s.n);
}

static const char *skip_comment(const char *p, const char *end)
{
    if (end - p < 2 || p[0] != '/' || (p[1] != '*' && p[1] != '/')) return p;
    if (p[1] == '/')
        while (p < end && *p != '\n') p++;
    else
        for (p += 2; p < end && !(p[-1] == '*' && p[0] == '/' && p++);) p++;
    return p;
}

static const char *skip_blank(const char *p, const char *end)
{
    for (const char *q = NULL; p != q;) {
        q = p;
        while (p < end && (isspace((unsigned char)*p) || *p == '\\')) p++;
        p = skip_comment(p, end);
    }
    return p;
}

/* The next word, literal or sign; empty at the end. */
static span next_token(const char **from, const char *end)
{
    const char *p = skip_blank(*from, end);
    span s = {p, 0};
    if (p < end && (*p == '"' || *p == '\'')) {
        const char quote = *p++;
        while (p < end && *p != quote) p += *p == '\\' ? 2 : 1;
        p++;
    } else if (p < end && is_word((unsigned char)*p)) {
        while (p < end && is_word((unsigned char)*p)) p++;
    } else if (p < end) {
        p += end - p > 1 && p[0] == '#' && p[1] == '#' ? 2 : 1;
    }
    s.n = (size_t)(p - s.at);
    *from = p;
    return s;
}

static bool is_name(span s)
{
    return s.n && (isalpha((unsigned char)*s.at) || *s.at == '_');
}

static int depth_after(int depth, span token)
{
    if (token.n != 1) return depth;
    return depth + (strchr("([{", *token.at) != NULL) - (strchr(")]}", *token.at) != NULL);
}

static bool ends_line(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return p == end || *p == '\n';
}

static bool contains(span in, const char *what)
{
    const char *p = in.at, *end = in.at + in.n;
    for (span t = next_token(&p, end); t.n; t = next_token(&p, end))
        if (is(t, what)) return true;
    return false;
}

/* ---- reading declarations ---- */

static void *grown(sources *s, void *list, int n, int *room, size_t size)
{
    if (n < *room) return list;
    void *more = realloc(list, (size_t)(2 * n + 256) * size);
    if (more) *room = 2 * n + 256;
    else s->failed = true;
    return more ? more : list;
}

static void add_name(sources *s, span prefix, span word, int at)
{
    s->names = grown(s, s->names, s->n_names, &s->names_room, sizeof *s->names);
    char *copy = s->failed ? NULL : malloc(prefix.n + word.n + 1);
    if (!copy) {
        s->failed = true;
        return;
    }
    if (prefix.n) memcpy(copy, prefix.at, prefix.n);
    memcpy(copy + prefix.n, word.at, word.n);
    copy[prefix.n + word.n] = 0;
    s->names[s->n_names++] = (named){copy, at};
}

static declaration *add_declaration(sources *s, int file, const char *from)
{
    s->all = grown(s, s->all, s->n, &s->room, sizeof *s->all);
    if (s->failed) return NULL;
    s->all[s->n] = (declaration){.file = file, .text = {from, 0}};
    return &s->all[s->n++];
}

/* A line of the preprocessor and those that continue it. Only definitions are kept: those of guards are never needed. */
static const char *read_directive(sources *s, int file, const char *from, const char *p, const char *end)
{
    const char *line = p++;
    while (p < end && !(*p == '\n' && p[-1] != '\\')) p++;
    const char *at = line + 1;
    if (!is(next_token(&at, p), "define")) return p;
    const span name = next_token(&at, p);
    declaration *d = add_declaration(s, file, from);
    if (!d) return p;
    d->macro = name, d->local = true, d->text.n = (size_t)(p - from);
    add_name(s, (span){0}, name, s->n - 1);
    return p;
}

/* The names that `macro(argument, ...)` declares: those that its definition makes with ##, otherwise its first argument. */
static void add_pasted(sources *s, int at, span macro, const span *arguments, int n)
{
    const int before = s->n_names;
    for (int k = 0; k < before; k++) {
        const declaration *d = &s->all[s->names[k].declaration];
        if (d->file != s->all[at].file || d->macro.n != macro.n || memcmp(d->macro.at, macro.at, macro.n) != 0) continue;
        const char *p = d->macro.at + macro.n + 1, *end = d->text.at + d->text.n;
        span parameters[ARGUMENTS], last = {0};
        int n_parameters = 0;
        for (span t = next_token(&p, end); t.n && *t.at != ')'; t = next_token(&p, end))
            if (is_name(t) && n_parameters < ARGUMENTS) parameters[n_parameters++] = t;
        if (n && !contains(d->text, "##")) add_name(s, (span){0}, arguments[0], at);
        for (span t = next_token(&p, end); t.n; last = t, t = next_token(&p, end)) {
            if (!is(t, "##")) continue;
            const span word = next_token(&p, end);
            for (int j = 0; j < n_parameters && j < n; j++)
                if (word.n == parameters[j].n && !memcmp(word.at, parameters[j].at, word.n)) add_name(s, last, arguments[j], at);
            t = word;
        }
    }
}

/* A list of tests, or one of such lists. */
static bool is_list(const char *code)
{
    static const char *const parts[] = {"const nn_part ", "const ranks_part "};
    for (int k = 0; k < 2; k++)
        if (!strncmp(code, lists[k], strlen(lists[k])) || !strncmp(code, parts[k], strlen(parts[k]))) return true;
    return false;
}

/* One that ends with ; or }, or a macro that makes some. */
static const char *read_code(sources *s, int file, const char *from, const char *p, const char *end)
{
    declaration *d = add_declaration(s, file, from);
    if (!d) return end;
    const int at = s->n - 1;
    int depth = 0, n_arguments = 0;
    span first = {0}, last = {0}, arguments[ARGUMENTS];
    bool listing = false; /* an enum's names */
    for (span t = next_token(&p, end); t.n; t = next_token(&p, end)) {
        const char *after = p;
        const span next = next_token(&after, end);
        if (!first.n) first = t;
        if (is(t, "enum") && !depth) listing = true;
        if (is(t, "=")) listing = listing && depth;
        const bool invoked = t.at == first.at && isupper((unsigned char)*t.at); /* a macro */
        if (is_name(t) && !depth && !invoked && next.n && strchr("([=;,", *next.at)) add_name(s, (span){0}, t, at);
        else if (is_name(t) && !depth && (is(last, "struct") || is(last, "enum"))) add_name(s, (span){0}, t, at);
        else if (is_name(t) && depth == 1 && listing && (is(last, "{") || is(last, ","))) add_name(s, (span){0}, t, at);
        else if (depth == 1 && (is(last, "(") || is(last, ",")) && n_arguments < ARGUMENTS) arguments[n_arguments++] = t;
        depth = depth_after(depth, t);
        last = t;
        if (depth) continue;
        if (is(t, ";") || (is(t, "}") && ends_line(p, end))) break;
        if (is(t, ")") && isupper((unsigned char)*first.at) && ends_line(p, end)) {
            add_pasted(s, at, first, arguments, n_arguments);
            break;
        }
    }
    s->all[at].text.n = (size_t)(p - from);
    s->all[at].rows = is_list(first.at);
    s->all[at].local =
        is(first, "static") || is(first, "typedef") || is(first, "enum") || is(first, "struct") || isupper((unsigned char)*first.at);
    return p;
}

static span base_name(span path)
{
    for (size_t k = path.n; k--;)
        if (path.at[k] == '/') return (span){path.at + k + 1, path.n - k - 1};
    return path;
}

static int find_file(const sources *s, span name)
{
    name = base_name(name);
    for (int k = 0; k < s->n_files; k++)
        if (s->files[k].name.n == name.n && !memcmp(s->files[k].name.at, name.at, name.n)) return k;
    return -1;
}

/* Puts tables into the text of the file where it includes them. */
static void expand(sources *s, source_file *f)
{
    static const char include[] = "#include \"";
    const char *end = f->text.at + f->text.n, *done = f->text.at;
    for (const char *p = f->text.at; (p = strstr(p, include)) && p < end;) {
        const char *name = p + sizeof include - 1;
        const span what = {name, strcspn(name, "\"")};
        p = name + what.n + 1;
        const int table = what.n > 4 && !memcmp(name + what.n - 4, ".inc", 4) ? find_file(s, what) : -1;
        if (table < 0) continue;
        text_put(&f->expanded, done, (size_t)(name - (sizeof include - 1) - done));
        text_put(&f->expanded, s->files[table].text.at, s->files[table].text.n);
        done = p;
    }
    if (f->expanded.data) text_put(&f->expanded, done, (size_t)(end - done));
    s->failed |= f->expanded.failed;
}

static void read_file(sources *s, int file)
{
    source_file *f = &s->files[file];
    expand(s, f);
    const char *p = f->expanded.data ? f->expanded.data : f->text.at, *end = p + (f->expanded.data ? f->expanded.size : f->text.n),
               *from = NULL;
    while (p < end && !s->failed) {
        while (p < end && isspace((unsigned char)*p)) from = *p++ == '\n' && p < end && *p == '\n' ? NULL : from; /* a blank line */
        if (p == end) break;
        const char *code = skip_comment(p, end);
        if (code != p) {
            if (!from) from = p;
            p = code;
            continue;
        }
        p = (*p == '#' ? read_directive : read_code)(s, file, from ? from : p, p, end);
        from = NULL;
        if (p < end && *p != '\n') /* a comment behind it */
            while (p < end && *p != '\n') p++;
    }
}

/* Calls `each` with the text between the quotes or brackets of every include of the file. */
static void each_include(const source_file *f, void (*each)(void *user, span what, char mark), void *user)
{
    static const char word[] = "\n#include ";
    const char *end = f->text.at + f->text.n;
    for (const char *p = f->text.at; (p = strstr(p, word)) && p < end;) {
        p += sizeof word - 1;
        each(user, (span){p + 1, strcspn(p + 1, "\">")}, *p);
    }
}

typedef struct including {
    sources *s;
    source_file *by;
    text *to;
} including;

static void link_include(void *user, span what, char mark)
{
    const including *i = user;
    const int k = mark == '"' ? find_file(i->s, what) : -1;
    if (k >= 0 && i->by->n_includes < INCLUDES) i->by->includes[i->by->n_includes++] = k;
}

static void free_sources(sources *s)
{
    for (int k = 0; k < s->n_names; k++) free(s->names[k].word);
    for (int k = 0; k < s->n_files; k++) text_free(&s->files[k].expanded);
    free(s->names);
    free(s->all);
    free(s);
}

static sources *read_sources(void)
{
    sources *s = calloc(1, sizeof *s);
    for (const char *p = s ? strchr(suite_sources, '\f') : NULL; p && s->n_files < FILES;) {
        const char *line = strchr(p, '\n'), *next = strchr(line, '\f');
        source_file *f = &s->files[s->n_files++];
        f->name = base_name((span){p + 1, (size_t)(line - p - 1)});
        f->text = (span){line, next ? (size_t)(next - line) : strlen(line)};
        f->unit = f->name.at[f->name.n - 1] == 'c' && f->name.at[f->name.n - 2] == '.';
        p = next;
    }
    for (int k = 0; s && k < s->n_files; k++) {
        each_include(&s->files[k], link_include, &(including){s, &s->files[k], NULL});
        read_file(s, k);
    }
    if (s && s->failed) free_sources(s), s = NULL;
    return s;
}

/* ---- what is needed ---- */

static bool includes(const sources *s, int file, int other)
{
    bool found = file == other;
    for (int k = 0; k < s->files[file].n_includes && !found; k++) found = includes(s, s->files[file].includes[k], other);
    return found;
}

/* Those that a use of the word in the file refers to: the file's own, or all that it sees. */
static void need(sources *s, span word, int file)
{
    bool own = false;
    for (int pass = 0; pass < 2 && !own; pass++) {
        for (int k = 0; k < s->n_names; k++) {
            if (strncmp(s->names[k].word, word.at, word.n) != 0 || s->names[k].word[word.n]) continue;
            declaration *d = &s->all[s->names[k].declaration];
            const bool mine = d->file == file && d->local;
            own = own || mine;
            if (!d->rows && (mine || (pass && (includes(s, file, d->file) || (!d->local && s->files[d->file].unit))))) d->needed = true;
        }
    }
}

static void need_words(sources *s, span of, int file)
{
    const char *p = of.at, *end = of.at + of.n;
    for (span t = next_token(&p, end), last = {0}, before = {0}; t.n; before = last, last = t, t = next_token(&p, end)) {
        const bool member = is(last, ".") || (is(before, "-") && is(last, ">"));
        const bool options = is(last, "(") && (is(before, "VN_OPTS") || is(before, "VN_INIT")); /* of an op of that name */
        if (is_name(t) && !member && !options) need(s, t, file);
    }
}

static int count_needed(const sources *s)
{
    int n = 0;
    for (int k = 0; k < s->n; k++) n += s->all[k].needed;
    return n;
}

static void need_all(sources *s)
{
    for (int before = -1; before != count_needed(s);) {
        before = count_needed(s);
        for (int k = 0; k < s->n; k++)
            if (s->all[k].needed) s->files[s->all[k].file].needed = true, need_words(s, s->all[k].text, s->all[k].file);
    }
}

/* The element of the file's list of rows in which the line is. */
static span row_at(const source_file *f, int line)
{
    const char *end = f->text.at + f->text.n, *from = NULL, *seen = f->text.at, *p = end;
    for (int k = 0; k < 2; k++) {
        const char *list = strstr(f->text.at, lists[k]);
        if (list && list < end) p = list + strlen(lists[k]) - 1; /* { */
    }
    int depth = 0, now = 0; /* the text of a file begins with the newline before its first line */
    for (span t = next_token(&p, end); t.n; t = next_token(&p, end)) {
        const bool ended = depth == 1 && from && (is(t, ",") || is(t, "}"));
        for (; seen < t.at; seen++) now += *seen == '\n';
        if (ended && now >= line) return (span){from, (size_t)(t.at - from)};
        if (ended) from = NULL;
        else if (depth == 1 && !from) from = t.at;
        depth = depth_after(depth, t);
    }
    return (span){0};
}

/* ---- printing ---- */

static void print_include(void *user, span what, char mark)
{
    const including *i = user;
    char line[128];
    if (mark != '<' || snprintf(line, sizeof line, "#include <%.*s>\n", (int)what.n, what.at) >= (int)sizeof line) return;
    if (!i->to->data || !strstr(i->to->data, line)) text_add(i->to, "%s", line);
}

static void print_includes(sources *s, text *to, int file, bool *seen)
{
    if (seen[file]) return;
    seen[file] = true;
    each_include(&s->files[file], print_include, &(including){s, &s->files[file], to});
    for (int k = 0; k < s->files[file].n_includes; k++) print_includes(s, to, s->files[file].includes[k], seen);
}

/* Is the local name of a unit also one of another file that the unit does not see? In one file they need different names. */
static bool collides(const sources *s, const named *name)
{
    const declaration *d = &s->all[name->declaration];
    for (int k = 0; k < s->n_names; k++) {
        const declaration *other = &s->all[s->names[k].declaration];
        if (other->needed && !strcmp(s->names[k].word, name->word) && !includes(s, d->file, other->file)) return true;
    }
    return false;
}

static void print_renamed(const sources *s, text *to, int file, bool begins)
{
    const span name = s->files[file].name;
    const char *last = "";
    for (int k = 0; k < s->n_names; k++) {
        const declaration *d = &s->all[s->names[k].declaration];
        if (!d->needed || !d->local || d->file != file || !strcmp(last, s->names[k].word)) continue;
        if (d->macro.n && !begins) text_add(to, "#undef %s\n", s->names[k].word);
        if (d->macro.n || !collides(s, &s->names[k])) continue;
        last = s->names[k].word;
        if (begins) text_add(to, "#define %s %.*s_%s\n", last, (int)name.n - 2, name.at, last);
        else text_add(to, "#undef %s\n", last);
    }
}

static void print_file(sources *s, text *to, int file, int last)
{
    source_file *f = &s->files[file];
    if (f->printed) return;
    f->printed = true;
    for (int k = 0; k < f->n_includes; k++) print_file(s, to, f->includes[k], last);
    if (!f->needed) return;
    text_add(to, "\n/* ---- %.*s ---- */\n\n", (int)f->name.n, f->name.at);
    if (f->unit && file != last) print_renamed(s, to, file, true);
    for (int k = 0; k < s->n; k++)
        if (s->all[k].needed && s->all[k].file == file) {
            const span of = s->all[k].text;
            text_put(to, of.at, of.n);
            text_add(to, memchr(of.at, '\n', of.n) ? "\n\n" : "\n");
        }
    if (f->unit && file != last) print_renamed(s, to, file, false);
}

/* The row of one process, or on several ranks. */
static void print_row(text *to, const trial *t, span row)
{
    if (!t->test->ranks) {
        text_add(to, "static const conformance_test test = %.*s;\n", (int)row.n, row.at);
        return;
    }
    text_add(to, "static const ranks_row row = %.*s;\n", (int)row.n, row.at);
    text_add(to, "static ranked_body body = {.ranks = %d};\n", t->test->ranks);
    text_add(to, "static const conformance_test test = {.id = \"%s\", .rtol = %g, .atol = %g, .run = nn_run, .data = &body};\n",
             t->test->id, t->test->rtol, t->test->atol);
}

/* The trial with its choices, if they are few; otherwise they are sampled again. */
static void print_main(text *to, const trial *t, span row)
{
    enum { MAX_CHOICES = 4096 };
    const int given = t->n_choices <= MAX_CHOICES ? t->n_choices : 0;
    text_add(to, "\n/* ---- the failing case ---- */\n\n");
    print_row(to, t, row);
    if (given) text_add(to, "static const double given[] = {");
    for (int k = 0; k < given; k++) text_add(to, "%s%a", k ? ", " : "", t->choices[k].value);
    if (given) text_add(to, "}; /* what is sampled, minimised */\n");
    text_add(to, "\nint main(void)\n{\n    trial t = {.test = &test, .seed = %lluu, .number = %d, .structure = %d, .dtype = %s,\n",
             (unsigned long long)t->seed, t->number, t->structure, dtype_word(t->dtype));
    text_add(to, "               .tier = (tier)%d, .engine = \"%s\", .strict = %s, .say = true};\n", (int)t->tier, t->engine,
             t->strict ? "true" : "false");
    if (t->test->ranks) text_add(to, "    body.body.run = row.body;\n");
    if (given)
        text_add(to,
                 "    t.n_given = t.room = %d;\n    t.choices = calloc((size_t)t.room, sizeof *t.choices);\n"
                 "    for (int k = 0; k < t.n_given && t.choices; k++) t.choices[k].value = given[k];\n",
                 given);
    text_add(
        to, "    if (!vn_use(t.engine)) {\n        VN_SCOPE;\n        vn_seed(t.seed + (uint64_t)t.number);\n        test.run(&t);\n    }\n"
            "    if (vn_status()) printf(\"error: %%s\\n\", vn_message());\n"
            "    const bool fails = vn_status() || t.outcome.failing;\n"
            "    printf(\"%%s on %%s: %%s\\n\", test.id, t.engine, fails ? \"fail\" : \"pass\");\n"
            "    for (int k = 0; k < t.n_inputs; k++) free(t.inputs[k].values);\n    free(t.choices);\n    vn_close();\n    return "
            "fails;\n}\n");
}

char *source_program(const trial *t)
{
    text to = {0}, code = {0};
    sources *s = t->test->file ? read_sources() : NULL;
    const int file = s ? find_file(s, (span){t->test->file, strlen(t->test->file)}) : -1;
    const span row = file >= 0 ? row_at(&s->files[file], t->test->line) : (span){0};
    if (row.n) {
        bool seen[FILES] = {false};
        print_main(&code, t, row);
        if (code.data) need_words(s, (span){code.data, code.size}, file);
        need_all(s);
        text_add(&to, "/* %s on %s, as a program by itself: cc -std=c11 program.c $(pkg-config --cflags --libs vinea) -lm", t->test->id,
                 t->engine);
        if (t->test->ranks > 1) text_add(&to, "\n * and then: vinea launch -n %d -- ./a.out", t->test->ranks);
        text_add(&to, " */\n#define _GNU_SOURCE /* M_PI */\n");
        for (int k = 0; k < s->n_files; k++)
            if (s->files[k].needed) print_includes(s, &to, k, seen);
        for (int unit = 0; unit < 2; unit++)
            for (int k = 0; k < s->n_files; k++)
                if (s->files[k].unit == unit && k != file && s->files[k].needed) print_file(s, &to, k, file);
        s->files[file].needed = true;
        print_file(s, &to, file, file);
        if (code.data) text_put(&to, code.data, code.size);
    }
    if (s) free_sources(s);
    const bool failed = !row.n || to.failed || code.failed;
    text_free(&code);
    if (failed) text_free(&to);
    return failed ? NULL : to.data;
}
