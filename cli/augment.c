/* SPDX-License-Identifier: Apache-2.0 */
/* augment.c: `vinea train --augment`: random changes of images as the first layers of a model's text, so that the checkpoint has them too. They
 * do nothing in evaluation. */
#include "training.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *layer, *option; /* option: what stands in brackets */
} kinds[] = {{"flip", "random_flip", "prob"},
             {"crop", "random_crop", "part"},
             {"rotate", "random_rotation", "degrees"},
             {"shift", "random_translation", "part"},
             {"zoom", "random_zoom", "part"},
             {"brightness", "random_brightness", "part"},
             {"contrast", "random_contrast", "part"},
             {"saturation", "random_saturation", "part"},
             {"hue", "random_hue", "part"}};
enum { N_KINDS = sizeof kinds / sizeof *kinds, FIRST_COLOUR = 5 };

const char *const augment_words[] = {"flip",     "crop",       "rotate", "shift",  "zoom", "brightness",
                                     "contrast", "saturation", "hue",    "colour", NULL};

static void print_layer(FILE *to, int k, const char *value)
{
    fprintf(to, "{\"type\": \"%s\"", kinds[k].layer);
    if (value) fprintf(to, ", \"%s\": %s", kinds[k].option, value);
    fputs("},\n    ", to);
}

/* One word of the list, n characters long: "flip", "rotate(20)"; "colour" is all changes of colours. */
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
        const int colour = k >= FIRST_COLOUR && vn__same_word(name, "colour");
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
