/* SPDX-License-Identifier: Apache-2.0 */
/* args.c: parses a command line from its command's declaration. */
#include "command.h"
#include "base/nearest.h"
#include <vinea/vinea.h>

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- messages ---- */

int misuse(const command *c, const char *format, ...)
{
    char usage[200], text[800];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    usage_line(c, usage, sizeof usage);
    complain("%s: %s (usage: vinea %s; see `vinea %s --help`)", c->name, text, usage, c->name);
    return EXIT_USAGE;
}

static const char *name_at(int i, void *names)
{
    return ((const char *const *)names)[i];
}

/* With what is written before every name. */
static const char *suggestion(const char *before, const char *word, const char *const *names, char to[static 100])
{
    int n = 0;
    while (names[n]) n++;
    const char *near = vn__nearest(word, n, name_at, (void *)names);
    if (near && strcmp(near, word) != 0) snprintf(to, 100, "; did you mean '%s%s'?", before, near);
    else *to = 0;
    return to;
}

const char *did_you_mean(const char *word, const char *const *names, char to[static 100])
{
    return suggestion("", word, names, to);
}

/* ---- values ---- */

int parse_number(const char *text, double *x)
{
    static locale_t c_locale;
    if (!c_locale) c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    char *end;
    *x = strtod(text, &end);
    if (c_locale) uselocale(before);
    return end != text && !*end && isfinite(*x) && !strpbrk(text, "xX \t\n");
}

static int is_count(const command_option *o, const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (!digits || text[digits] || digits > 18) return 0;
    int64_t v = strtoll(text, NULL, 10);
    return !o->high || (v >= o->low && v <= o->high);
}

/* The choice that is meant, in any case; NULL: none. */
static const char *choice_of(const command_option *o, const char *value)
{
    for (int i = 0; o->choices[i]; i++) {
        if (vn__same_word(o->choices[i], value)) return o->choices[i];
    }
    return NULL;
}

/* The name at the start of "top5", "top(5)" or "mse, mae", without its number. */
static const char *plain_name(const char *text, char to[static 64])
{
    size_t n = strcspn(text, ",(");
    while (n && (text[n - 1] == ' ' || (text[n - 1] >= '0' && text[n - 1] <= '9'))) n--;
    snprintf(to, 64, "%.*s", n < 63 ? (int)n : 63, text);
    return to;
}

/* What follows the first item of a list: commas inside brackets belong to it. */
static const char *after_item(const char *list)
{
    for (int depth = 0; *list && (*list != ',' || depth > 0); list++) depth += (*list == '(') - (*list == ')');
    return list + strspn(list, " ,");
}

/* Are all names of a list choices, with or without their number? `word` is the first that is not. */
static int are_choices(const command_option *o, const char *value, char word[static 64])
{
    for (const char *at = value + strspn(value, " ,"); *at; at = after_item(at)) {
        char choice[64];
        int known = vn__same_word(plain_name(at, word), "none");
        for (int i = 0; o->choices[i] && !known; i++) known = vn__same_word(plain_name(o->choices[i], choice), word);
        if (!known) return 0;
    }
    return 1;
}

/* "a, b or c" */
static const char *choices_text(const command_option *o, char *to, size_t room)
{
    *to = 0;
    for (int i = 0; o->choices[i]; i++) {
        size_t used = strlen(to);
        snprintf(to + used, room - used, "%s%s", !i ? "" : o->choices[i + 1] ? ", " : " or ", o->choices[i]);
    }
    return to;
}

/* Does the value have the option's kind? */
static int check_value(const command *c, const command_option *o, const char *value)
{
    double x;
    char words[1600], hint[100], word[64];
    if (o->kind == OPTION_COUNT && !is_count(o, value))
        return o->high ? misuse(c, "--%s %.100s: a whole number from %lld to %lld is needed", o->name, value, (long long)o->low,
                                (long long)o->high)
                       : misuse(c, "--%s %.100s: a whole number, 0 or more, is needed", o->name, value);
    if (o->kind == OPTION_NUMBER && !parse_number(value, &x))
        return misuse(c, "--%s %.100s: a number such as 0.001 is needed", o->name, value);
    if (o->kind == OPTION_CHOICE && !choice_of(o, value))
        return misuse(c, "--%s %.100s: it can be %s%s", o->name, value, choices_text(o, words, sizeof words),
                      did_you_mean(value, o->choices, hint));
    if (o->kind == OPTION_TEXT && o->choices && !o->composed && !are_choices(o, value, word))
        return misuse(c, "--%s %.100s: it can be %s%s", o->name, value, choices_text(o, words, sizeof words),
                      did_you_mean(word, o->choices, hint));
    if (!*value) return misuse(c, "--%s has an empty value", o->name);
    return EXIT_GOOD;
}

/* ---- the line ---- */

static int count_options(const command *c)
{
    int n = 0;
    while (c->options && c->options[n].name) n++;
    return n;
}

static int count_values(const command_option *o)
{
    return o->n_values ? o->n_values : 1;
}

/* The index of option `at`'s values among those of all options. */
static int place_of(const command *c, int at)
{
    int place = 0;
    for (int i = 0; i < at; i++) place += count_values(&c->options[i]);
    return place;
}

/* The index of the option in a word; -1 if there is none. *value: the text after '=', or NULL. */
static int find_option(const command *c, const char *word, const char **value)
{
    const char *equals = strchr(word, '=');
    size_t n = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : NULL;
    for (int i = 0; i < count_options(c); i++) {
        if (strlen(c->options[i].name) == n && !strncmp(c->options[i].name, word, n)) return i;
    }
    return -1;
}

/* The index of the option "-n", a letter; -1 if there is none. */
static int find_letter(const command *c, const char *word)
{
    for (int i = 0; i < count_options(c); i++)
        if (c->options[i].letter && c->options[i].letter == word[1] && !word[2]) return i;
    return -1;
}

static int no_option(const command *c, const char *word)
{
    const char *names[64] = {"help"};
    char hint[100], plain[64];
    if (word[1] != '-') return misuse(c, "there is no option '%.100s'", word);
    for (int i = 0, n = 1; i < count_options(c) && n < 63; i++)
        if (!c->options[i].hidden) names[n++] = c->options[i].name;
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    return misuse(c, "there is no option '%.100s'%s", word, suggestion("--", plain, names, hint));
}

typedef struct reading {
    const command *c;
    const char **words, **values;
    int n;
} reading;

/* Parses the option at argv[*i] and its values; the first may follow a '=', the others are the next words. */
static int read_option(reading *r, int argc, char **argv, int *i)
{
    const char *value = NULL;
    int at = argv[*i][1] == '-' ? find_option(r->c, argv[*i] + 2, &value) : find_letter(r->c, argv[*i]), code = EXIT_GOOD;
    if (at < 0) return no_option(r->c, argv[*i]);
    const command_option *o = &r->c->options[at];
    const char **to = r->values + place_of(r->c, at);
    if (o->kind == OPTION_SWITCH) {
        *to = "";
        return value ? misuse(r->c, "--%s takes no value", o->name) : EXIT_GOOD;
    }
    for (int k = 0; k < count_values(o) && !code; k++, value = NULL) {
        if (!value && *i + 1 >= argc)
            return count_values(o) > 1 ? misuse(r->c, "--%s needs %d values", o->name, count_values(o))
                                       : misuse(r->c, "--%s needs a value", o->name);
        to[k] = value ? value : argv[++*i];
        code = check_value(r->c, o, to[k]);
        if (!code && o->kind == OPTION_CHOICE) to[k] = choice_of(o, to[k]);
    }
    return code;
}

static int read_line(reading *r, int argc, char **argv)
{
    int options = 1;
    for (int i = 0; i < argc; i++) {
        int code = EXIT_GOOD;
        if (options && !strcmp(argv[i], "--")) options = 0;
        else if (options && argv[i][0] == '-' && argv[i][1]) code = read_option(r, argc, argv, &i);
        else if (r->c->max_words >= 0 && r->n == r->c->max_words) code = misuse(r->c, "unexpected '%.100s'", argv[i]);
        else r->words[r->n++] = argv[i];
        if (code) return code;
    }
    if (r->n >= r->c->required) return EXIT_GOOD;
    return misuse(r->c, "%s is missing: %s", r->c->words[r->n].name, r->c->words[r->n].about);
}

static int same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) || stat(b, &y)) return !strcmp(a, b);
    return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int check_written(const command_args *args, const char *option, const char *path)
{
    const command *c = args->command;
    for (int w = 0, last = 0; w < args->n; w++, last += c->words[last + 1].name != NULL)
        if (c->words[last].kind == OPTION_FILE && same_file(path, args->words[w]))
            return misuse(c, "--%s %.100s: this is the file %s, which is not overwritten", option, path, c->words[last].name);
    for (int k = 0; k < count_options(c); k++) {
        const char *other = args->values[place_of(c, k)];
        if (other && c->options[k].kind == OPTION_FILE && strcmp(c->options[k].name, option) != 0 && same_file(path, other))
            return misuse(c, "--%s %.100s: this is also the file of --%s", option, path, c->options[k].name);
    }
    return EXIT_GOOD;
}

static int check_all_written(const command_args *args)
{
    for (int i = 0; i < count_options(args->command); i++) {
        const command_option *o = &args->command->options[i];
        const char *path = args->values[place_of(args->command, i)];
        int code = o->writes && path ? check_written(args, o->name, path) : EXIT_GOOD;
        if (code) return code;
    }
    return EXIT_GOOD;
}

static int asks_for_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return 1;
    }
    return 0;
}

int run_command(const command *c, int argc, char **argv)
{
    if (asks_for_help(argc, argv)) {
        print_command_help(c, stdout);
        return EXIT_GOOD;
    }
    int n = place_of(c, count_options(c)), code = EXIT_FAILED;
    reading r = {c, calloc((size_t)argc + 1, sizeof *r.words), calloc((size_t)n + 1, sizeof *r.values), 0};
    if (!r.words || !r.values) complain("out of memory");
    else code = read_line(&r, argc, argv);
    const command_args args = {c, r.n, r.words, r.values, argc, argv};
    if (!code) code = check_all_written(&args);
    if (!code) code = c->run(&args);
    free(r.words);
    free(r.values);
    return code;
}

/* ---- access for commands ---- */

const char *const *texts_of(const command_args *args, const char *option)
{
    const char *none;
    int at = find_option(args->command, option, &none);
    const char *const *values = at < 0 ? NULL : args->values + place_of(args->command, at);
    return values && *values ? values : NULL;
}

vn_dtype dtype_named(const char *name)
{
    int d = 1;
    while (d < VN_DTYPE_END && strcmp(name, vn_dtype_name((vn_dtype)d)) != 0) d++;
    return d < VN_DTYPE_END ? (vn_dtype)d : VN_NO_DTYPE;
}

const char *text_of(const command_args *args, const char *option, const char *fallback)
{
    const char *const *values = texts_of(args, option);
    return values ? *values : fallback;
}

int given(const command_args *args, const char *option)
{
    return text_of(args, option, NULL) != NULL;
}

int64_t count_of(const command_args *args, const char *option, int64_t fallback)
{
    const char *text = text_of(args, option, NULL);
    return text ? strtoll(text, NULL, 10) : fallback;
}

double number_of(const command_args *args, const char *option, double fallback)
{
    const char *text = text_of(args, option, NULL);
    double x;
    return text && parse_number(text, &x) ? x : fallback;
}
