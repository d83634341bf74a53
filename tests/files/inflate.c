/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.c: deflated data (src/files/inflate.c), written bit by bit: every kind of block, every code that is not one, and data that ends
 * at each bit. */
/* ctest: faults */
/* ctest: sanitize */
#include "check.h"
#include "files/files.h"

/* ---- a stream in the making ---- */

static unsigned char stream[4096];
static unsigned n_bits;

static void begin(void)
{
    memset(stream, 0, sizeof stream);
    n_bits = 0;
}

/* Numbers have their lowest bit first. */
static void number(unsigned value, unsigned bits)
{
    for (unsigned k = 0; k < bits; k++, n_bits++) stream[n_bits / 8] |= (unsigned char)((value >> k & 1) << n_bits % 8);
}

/* Codes have their highest bit first. */
static void code(unsigned value, unsigned bits)
{
    while (bits-- > 0) number(value >> bits & 1, 1);
}

static void block(int last, int kind)
{
    number((unsigned)last, 1), number((unsigned)kind, 2);
}

static void stored(const char *text, unsigned length, unsigned check)
{
    n_bits = (n_bits + 7) / 8 * 8;
    number(length, 16), number(check, 16);
    for (; *text; text++) number((unsigned char)*text, 8);
}

static size_t n_bytes(void)
{
    return (n_bits + 7) / 8;
}

/* The problem that reading `size` bytes has; NULL: none. */
static const char *problem(size_t size)
{
    static unsigned char out[70000];
    memset(out, 0, sizeof out);
    unsigned char *exact = malloc(n_bytes() + 1), *to = malloc(size + 1); /* sanitizers see their ends */
    memcpy(exact, stream, n_bytes());
    unsigned char *in = realloc(exact, n_bytes() ? n_bytes() : 1);
    const char *why = vn__inflate(in, n_bytes(), to, size, false);
    memcpy(out, to, size < sizeof out ? size : sizeof out);
    free(in);
    free(to);
    return why;
}

static bool inflates_to(const char *text)
{
    unsigned char out[256] = {0};
    const size_t size = strlen(text);
    return !vn__inflate(stream, n_bytes(), out, size, false) && !memcmp(out, text, size);
}

static bool fails(size_t size, const char *text)
{
    const char *why = problem(size);
    if (!why || strcmp(why, text) != 0) fprintf(stderr, "\"%s\" instead of \"%s\"\n", why ? why : "no problem", text);
    return why && !strcmp(why, text);
}

static const char too_short[] = "the compressed data ends early", too_long[] = "there is more compressed data than its size says";

/* ---- stored blocks ---- */

TEST(stored_blocks)
{
    begin(), block(0, 0), stored("Hello, ", 7, 0xffff ^ 7), block(1, 0), stored("world", 5, 0xffff ^ 5);
    CHECK(inflates_to("Hello, world"));
    while (n_bits > 8) { /* cut at every byte */
        n_bits -= 8;
        CHECK(fails(12, too_short));
    }
    begin(), block(1, 0), stored("abc", 3, 0xffff ^ 2);
    CHECK(fails(3, "the length of a stored block contradicts itself"));
    begin(), block(1, 0), stored("abc", 3, 0xffff ^ 3);
    CHECK(fails(2, too_long));
    CHECK(fails(4, "the data is shorter than its size says"));
    unsigned char part[2];
    CHECK(!vn__inflate(stream, n_bytes(), part, 2, true) && part[0] == 'a' && part[1] == 'b'); /* the beginning is enough */
    number(0, 8);
    CHECK(fails(3, "bytes are left over after the compressed data"));
    begin(), block(1, 0), stored("", 0, 0xffff); /* nothing */
    CHECK(!problem(0));
    begin(), block(1, 3);
    CHECK(fails(0, "unknown block type"));
    begin();
    CHECK(fails(0, too_short));
}

/* ---- fixed codes ---- */

static void fixed_literal(unsigned char c) /* below 144 */
{
    code(0x30u + c, 8);
}

TEST(fixed_blocks)
{
    begin(), block(1, 1);
    fixed_literal('a'), fixed_literal('b');
    code(1, 7), code(1, 5); /* length 3, distance 2 */
    code(0, 7);             /* the end */
    CHECK(inflates_to("ababa"));
    CHECK(fails(4, too_long));
    CHECK(fails(1, too_long));
    begin(), block(1, 1), fixed_literal('a'), code(1, 7), code(1, 5), code(0, 7);
    CHECK(fails(4, "a distance reaches before the beginning"));
    begin(), block(1, 1), fixed_literal('a'), code(1, 7), code(30, 5), code(0, 7);
    CHECK(fails(4, "no such distance"));
    begin(), block(1, 1), code(0xc6, 8), code(0, 7); /* the length symbol 286 */
    CHECK(fails(4, "an invalid symbol"));
    /* a length with extra bits, and a distance with some, cut everywhere */
    begin(), block(1, 1);
    for (int k = 0; k < 8; k++) fixed_literal((unsigned char)('a' + k));
    code(9, 7), number(1, 1); /* length 11 + 1 */
    code(4, 5), number(1, 1); /* distance 5 + 1 */
    code(0, 7);
    CHECK(inflates_to("abcdefghcdefghcdefgh"));
    for (unsigned bytes = (unsigned)n_bytes(); bytes-- > 1;) {
        n_bits = bytes * 8;
        const char *why = problem(20); /* bits that are missing may also make a distance that is none */
        CHECK(why == problem(20) && why && (!strcmp(why, too_short) || !strcmp(why, "no such distance")));
    }
}

/* The data ends with a length that has extra bits. */
TEST(length_without_its_bits)
{
    begin(), block(1, 1);
    for (int k = 0; k < 6; k++) code(0x190, 9); /* the byte 144 */
    code(13, 7);                                /* the length symbol 269, two extra bits */
    CHECK(n_bits == 64);
    CHECK(fails(30, too_short));
}

/* ---- codes of their own ---- */

static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

/* The head of a dynamic block, with lengths of the codes of lengths. */
static void head(unsigned literals, unsigned distances, const unsigned char lengths[19])
{
    begin(), block(1, 2), number(literals - 257, 5), number(distances - 1, 5), number(15, 4);
    for (int k = 0; k < 19; k++) number(lengths[order[k]], 3);
}

static const unsigned char plain[19] = {4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}; /* a length is its own code of four bits */
static const unsigned char repeats[19] = {[0] = 2, [1] = 2, [16] = 2, [18] = 2};         /* codes 0, 1, 2, 3 */

static void zeros(unsigned n) /* 11 to 138, with `repeats` */
{
    code(3, 2), number(n - 11, 7);
}

/* 257 literals, of which some have codes, and one distance. */
static void lengths_of(const unsigned char *of, int n, int m)
{
    head((unsigned)n, (unsigned)m, plain);
    for (int k = 0; k < n + m; k++) code(of[k], 4);
}

TEST(dynamic_blocks)
{
    unsigned char l[316] = {0};
    l['a'] = 1, l['b'] = 2, l[256] = 2;
    lengths_of(l, 257, 1);
    code(0, 1), code(2, 2), code(0, 1), code(3, 2);
    CHECK(inflates_to("aba"));
    for (unsigned whole = (unsigned)n_bytes() * 8; whole > 8;) {
        whole -= 8;
        n_bits = whole;
        CHECK(fails(3, too_short));
    }
    /* one code of one bit, and no distance */
    memset(l, 0, sizeof l);
    l[256] = 1;
    lengths_of(l, 257, 1), code(0, 1);
    CHECK(!problem(0));
    lengths_of(l, 257, 1), code(1, 1), number(0, 32);
    CHECK(fails(0, "no such code"));
    lengths_of(l, 257, 1), code(1, 1);
    for (int k = 0; k < 5; k++) number(0, 32);
    CHECK(fails(0, "no such code")); /* much is left */
    lengths_of(l, 257, 1), code(1, 1), number(0, 15);
    CHECK(fails(0, "no such code")); /* enough bits, and the data ends with them */
    lengths_of(l, 257, 1), code(1, 1);
    CHECK(fails(0, too_short));
    memset(l, 0, sizeof l);
    l['a'] = 1, l[256] = 2, l[257] = 2, l[258 + 3] = 1; /* one distance of one bit: 4 */
    lengths_of(l, 258, 4);
    for (int k = 0; k < 4; k++) code(0, 1);
    code(3, 2), code(0, 1), code(2, 2); /* length 3, distance 4 */
    CHECK(inflates_to("aaaaaaa"));
    lengths_of(l, 258, 4), code(0, 1), code(3, 2), code(1, 1), number(0, 32);
    CHECK(fails(7, "no such distance"));
    /* long codes: 11 to 15 bits, past the table */
    memset(l, 0, sizeof l);
    for (int k = 0; k < 14; k++) l['a' + k] = (unsigned char)(k + 1);
    l[256] = l['a' + 14] = 15;
    lengths_of(l, 257, 1);
    code(0x3ffe, 14), code(0x7ffe, 15), code(0, 1), code(0x7fff, 15); /* canonical: 'o' is before 256 */
    CHECK(inflates_to("noa"));
}

TEST(codes_that_are_none)
{
    unsigned char l[316] = {0};
    l['a'] = 1;
    lengths_of(l, 257, 1);
    CHECK(fails(0, "there is no code for the end"));
    l['b'] = 1, l[256] = 1; /* three codes of one bit */
    lengths_of(l, 257, 1);
    CHECK(fails(0, "a code is not complete"));
    l['b'] = 0, l[256] = 2; /* a quarter is left */
    lengths_of(l, 257, 1);
    CHECK(fails(0, "a code is not complete"));
    memset(l, 0, sizeof l);
    l[256] = 2; /* one code, but of two bits */
    lengths_of(l, 257, 1);
    CHECK(fails(0, "a code is not complete"));
    l[256] = 1, l[257] = 2, l[258] = 2; /* distances: half of the codes */
    lengths_of(l, 257, 2);
    CHECK(fails(0, "a code is not complete"));
    static const unsigned char incomplete[19] = {[0] = 2, [1] = 2}, one[19] = {[0] = 1};
    head(257, 1, incomplete);
    CHECK(fails(0, "the code of the lengths is not complete"));
    head(257, 1, one);
    CHECK(fails(0, "the code of the lengths is not complete"));
    head(287, 1, plain);
    CHECK(fails(0, "too many symbols"));
    head(257, 31, plain);
    CHECK(fails(0, "too many symbols"));
}

TEST(repeated_lengths)
{
    head(257, 1, repeats), code(2, 2), number(0, 2);
    CHECK(fails(0, "nothing to repeat"));
    head(257, 1, repeats), zeros(138), zeros(118), code(1, 2), code(0, 2), code(0, 1); /* only 256, one bit; no distance */
    CHECK(!problem(0));
    head(257, 1, repeats), zeros(138), zeros(138);
    CHECK(fails(0, "too many lengths of codes"));
    head(257, 1, repeats), zeros(138), zeros(117), code(1, 2), code(2, 2), number(3, 2);
    CHECK(fails(0, "too many lengths of codes"));
    head(257, 3, repeats), zeros(138), zeros(118), code(1, 2), code(2, 2), number(0, 2),
        code(0, 1); /* 256 and all distances: three of one bit */
    CHECK(fails(0, "a code is not complete"));
    for (unsigned bits = 8; bits < 200; bits += 8) { /* ends inside of the lengths */
        head(257, 1, repeats), zeros(138), zeros(118), code(1, 2), code(0, 2), code(0, 1);
        if (bits >= n_bits) break;
        n_bits = bits;
        CHECK(fails(0, too_short));
    }
    for (unsigned extra = 0; extra < 8; extra++) { /* in the extra bits of a repetition */
        head(257, 1, repeats);
        for (unsigned k = 0; k < extra; k++) code(1, 2);
        while (n_bits % 8 > 0 && n_bits % 8 != 6) code(1, 2);
        code(3, 2);
        if (n_bits % 8) continue;
        CHECK(fails(0, too_short));
    }
}

TEST_MAIN
