/* text.h: loads a play as numbers, one per letter, for the text examples. */
#ifndef EXAMPLES_TEXT_H
#define EXAMPLES_TEXT_H

#include <stdio.h>
#include <vinea/vinea.h>

enum { TEXT_MOST = 1 << 20 };                                 /* bytes read of a file at most */

typedef struct {
    vn_array *codes;                                          /* int64, (length): indices into the alphabet */
    int64_t letters;                                          /* how many different ones there are */
    unsigned char alphabet[256];
} text;

/* Reads data/macbeth.txt (from the repository's root). Returns 1, or 0 after printing an error, which may concern the
 * engine. */
static inline int text_load(text *t)
{
    static unsigned char bytes[TEXT_MOST];
    static int64_t codes[TEXT_MOST];
    int64_t code_of[256] = {0};
    *t = (text){0};
    FILE *file = fopen("data/macbeth.txt", "rb");
    if (!file) {
        perror("data/macbeth.txt");
        return 0;
    }
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < length; i++) code_of[bytes[i]] = 1;
    for (int i = 0; i < 256; i++)
        if (code_of[i]) {
            code_of[i] = t->letters;
            t->alphabet[t->letters++] = (unsigned char)i;
        }
    for (size_t i = 0; i < length; i++) codes[i] = code_of[bytes[i]];
    t->codes = vn_from_host(codes, VN_I64, VN_SHAPE((int64_t)length));
    if (vn_status()) fprintf(stderr, "text: %s\n", vn_message());
    return !vn_status();
}

/* n random excerpts (n, length), and for each of their letters the next one. */
static inline void text_batch(const text *t, int64_t n, int64_t length, vn_array **x, vn_array **next)
{
    vn_array *start = vn_random_randint(0, vn_size(t->codes) - length, VN_SHAPE(n, 1));
    vn_array *places = vn_add(start, vn_arange(0, (double)length, 1, VN_I64));
    *x = vn_take(t->codes, places, 0);
    *next = vn_take(t->codes, vn_add(places, vn_scalar(1)), 0);
}

#endif
