/* SPDX-License-Identifier: Apache-2.0 */
/* augment.c: `vinea train --augment`: random changes of images as the first layers of a model's text, so that the checkpoint has them too. They
 * do nothing in evaluation. */
#include "training.h"

#include "base/nearest.h"
#include "objects_words.inc"

#include <stdlib.h>
#include <string.h>

#define KIND(word, layer, option) {word, layer, option},
static const struct {
    const char *word, *layer, *option; /* option: what stands in brackets */
} kinds[] = {AUGMENT_LAYERS(KIND) KIND("rotate", "random_rotation", "degrees") KIND("shift", "random_translation", "part")};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

#define WORD(word, layer, option) word,
const char *const augment_words[] = {AUGMENT_LAYERS(WORD) "rotate", "shift", "colour", NULL};

/* "colour" stands for these. */
static int is_colour(const char *word)
{
    static const char *const colours[] = {"brightness", "contrast", "saturation", "hue"};
    for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
        if (!strcmp(word, colours[k])) return 1;
    return 0;
}

static void print_layer(FILE *to, int k, const char *value)
{
    fprintf(to, "{\"type\": \"%s\"", kinds[k].layer);
    if (value) fprintf(to, ", \"%s\": %s", kinds[k].option, value);
    fputs("},\n    ", to);
}

/* One word of the list, n characters long: "flip", "rotate(20)"; "colour" is four changes of colours. */
static int print_word(FILE *to, const command_args *args, const char *word, size_t n)
{
    char name[64];
    double x;
    while (*word == ' ' && n) word++, n--;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    char *value = strchr(name, '('), *end = value ? strchr(value, ')') : NULL;
    if (value) *value++ = 0;
    if (end) *end = 0;
    if (value && (!end || !parse_number(value, &x)))
        return misuse(args->command, "--augment %.*s: a number is needed in brackets", (int)n, word);
    for (int k = 0; k < N_KINDS; k++) { /* all words are among them: args.c has looked */
        const int colour = vn__same_word(name, "colour") && is_colour(kinds[k].word);
        if (colour || vn__same_word(name, kinds[k].word)) print_layer(to, k, colour ? NULL : value);
    }
    return EXIT_GOOD;
}

/* The end of a JSON string that begins at its first quote. */
static const char *after_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* Where the first layer of a model stands; NULL: the text has no list of layers, which its reader will say. */
static const char *first_layer(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at;) {
        if (*at == '"') {
            const char *end = after_string(at);
            const int layers = depth == 1 && !strncmp(at, "\"layers\"", 8);
            at = end;
            const char *list = end + strspn(end, " \t\r\n:");
            if (layers && *list == '[') return list + 1;
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    }
    return NULL;
}

char *augmented_model(const command_args *args, const char *text)
{
    const char *list = text_of(args, "augment", ""), *first = first_layer(text);
    char *result = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&result, &size);
    if (!to) return complain("out of memory"), NULL;
    int code = EXIT_GOOD;
    fprintf(to, "%.*s", first ? (int)(first - text) : 0, text);
    while (*list && first && !code) {
        const size_t n = strcspn(list, ",");
        code = print_word(to, args, list, n);
        list += n + (list[n] == ',');
    }
    fputs(first ? first : text, to);
    const int failed = ferror(to);
    if (!fclose(to) && !failed && !code) return result;
    free(result);
    if (!code) complain("out of memory");
    return NULL;
}
