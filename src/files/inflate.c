/* SPDX-License-Identifier: Apache-2.0 */
/* inflate.c: deflated data (RFC 1951) into memory of known size, and the checksum that zip files carry. Strict: codes that are over- or
 * under-subscribed, distances before the beginning, symbols without meaning and bytes that are left over are all errors. */
#include "files/files.h"
#include <pthread.h>
#include <string.h>

enum { LONGEST = 15, LITERALS = 288, DISTANCES = 32, QUICK = 10 };

typedef struct {
    const unsigned char *in;
    size_t n, at;
    uint64_t bits; /* bits read but not yet used, the next one lowest */
    unsigned count;
    unsigned char *out;
    size_t size, done;
} stream;

typedef struct {
    uint16_t count[LONGEST + 1]; /* codes of each length */
    uint16_t symbol[LITERALS];   /* in the order of their codes */
    uint16_t quick[1 << QUICK];  /* by the next bits: symbol * 16 + length; 0: the code is longer, or none */
} code;

/* Fills with as many whole bytes as fit, in one load if eight are left. */
static void refill(stream *s)
{
    if (s->n - s->at >= 8) {
        unsigned bytes = (63 - s->count) / 8;
        uint64_t next;
        memcpy(&next, s->in + s->at, 8);
        s->bits |= (next & ((UINT64_C(1) << 8 * bytes) - 1)) << s->count;
        s->at += bytes;
        s->count += 8 * bytes;
        return;
    }
    while (s->count <= 56 && s->at < s->n) {
        s->bits |= (uint64_t)s->in[s->at++] << s->count;
        s->count += 8;
    }
}

static void drop_bits(stream *s, unsigned n)
{
    s->bits >>= n;
    s->count -= n;
}

/* The next n bits, at most 16; -1 at the end of the data. */
static int take_bits(stream *s, unsigned n)
{
    if (s->count < n) refill(s);
    if (s->count < n) return -1;
    int v = (int)(s->bits & ((UINT64_C(1) << n) - 1));
    drop_bits(s, n);
    return v;
}

/* ---- codes ---- */

static unsigned reversed(unsigned bits, unsigned n)
{
    unsigned r = 0;
    for (unsigned i = 0; i < n; i++) r = r << 1 | (bits >> i & 1);
    return r;
}

/* A code from the lengths of its symbols. Incomplete codes are refused, except a single code of one bit or none at all, if allowed. */
static bool make_code(code *c, const unsigned char *lengths, int n, bool may_be_incomplete)
{
    unsigned next[LONGEST + 2] = {0}, place[LONGEST + 2] = {0};
    int left = 1;
    *c = (code){{0}, {0}, {0}};
    for (int i = 0; i < n; i++) c->count[lengths[i]]++;
    bool few = may_be_incomplete && (c->count[0] == n || (c->count[0] == n - 1 && c->count[1] == 1));
    c->count[0] = 0;
    for (int k = 1; k <= LONGEST; k++) {
        left = 2 * left - c->count[k];
        if (left < 0) return false;
        next[k + 1] = (next[k] + c->count[k]) << 1;
        place[k + 1] = place[k] + c->count[k];
    }
    if (left > 0 && !few) return false;
    for (int i = 0; i < n; i++) {
        unsigned k = lengths[i];
        if (!k) continue;
        c->symbol[place[k]++] = (uint16_t)i;
        unsigned bits = reversed(next[k]++, k);
        for (; k <= QUICK && bits < 1 << QUICK; bits += 1u << k) c->quick[bits] = (uint16_t)(i << 4 | (int)k);
    }
    return true;
}

/* The next symbol; -1 if there is no such code or the data ends. */
static int decode(stream *s, const code *c)
{
    if (s->count < LONGEST) refill(s);
    unsigned quick = c->quick[s->bits & ((1 << QUICK) - 1)], length = quick & 15;
    if (length && length <= s->count) {
        drop_bits(s, length);
        return (int)(quick >> 4);
    }
    int first = 0, index = 0, bits = 0;
    for (unsigned k = 1; k <= LONGEST && k <= s->count; k++) {
        bits = bits << 1 | (int)(s->bits >> (k - 1) & 1);
        if (bits - first < c->count[k]) {
            drop_bits(s, k);
            return c->symbol[index + bits - first];
        }
        index += c->count[k];
        first = (first + c->count[k]) << 1;
    }
    return -1;
}

/* ---- blocks ---- */

static const char too_short[] = "the compressed data ends early", too_long[] = "there is more compressed data than its size says";

static const char *stored_block(stream *s)
{
    drop_bits(s, s->count % 8);
    int length = take_bits(s, 16), check = take_bits(s, 16);
    if (length < 0 || check < 0) return too_short;
    if (length != (~check & 0xffff)) return "the length of a stored block contradicts itself";
    for (; length && s->done < s->size; length--) {
        int byte = take_bits(s, 8);
        if (byte < 0) return too_short;
        s->out[s->done++] = (unsigned char)byte;
    }
    return length ? too_long : NULL;
}

static const char *copy_back(stream *s, const code *distances, int symbol)
{
    static const uint16_t base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t far[] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
                                   193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const uint8_t more[] = {0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    if (symbol >= 29) return "an invalid symbol";
    int add = take_bits(s, extra[symbol]), d = decode(s, distances);
    if (add < 0) return too_short;
    if (d < 0 || d >= 30) return "no such distance";
    int further = take_bits(s, more[d]);
    if (further < 0) return too_short;
    size_t length = (size_t)(base[symbol] + add), back = (size_t)(far[d] + further);
    if (back > s->done) return "a distance reaches before the beginning";
    bool cut = length > s->size - s->done;
    if (cut) length = s->size - s->done;
    unsigned char *to = s->out + s->done;
    if (back >= length) memcpy(to, to - back, length);
    else
        for (size_t i = 0; i < length; i++) to[i] = to[(ptrdiff_t)i - (ptrdiff_t)back]; /* source and target may overlap */
    s->done += length;
    return cut ? too_long : NULL;
}

static const char *coded_block(stream *s, const code *literals, const code *distances)
{
    for (;;) {
        int symbol = decode(s, literals);
        if (symbol < 0) return s->at == s->n && s->count < LONGEST ? too_short : "no such code";
        if (symbol == 256) return NULL;
        if (symbol > 256) {
            const char *problem = copy_back(s, distances, symbol - 257);
            if (problem) return problem;
        } else {
            if (s->done == s->size) return too_long;
            s->out[s->done++] = (unsigned char)symbol;
        }
    }
}

static const char *fixed_block(stream *s)
{
    unsigned char lengths[LITERALS];
    code literals, distances;
    for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    make_code(&literals, lengths, LITERALS, false);
    memset(lengths, 5, DISTANCES);
    make_code(&distances, lengths, DISTANCES, false);
    return coded_block(s, &literals, &distances);
}

/* The code lengths of both codes, which are themselves coded. */
static const char *read_lengths(stream *s, const code *c, unsigned char *lengths, int n)
{
    for (int i = 0; i < n;) {
        int symbol = decode(s, c), times = 1;
        unsigned char value = (unsigned char)symbol;
        if (symbol < 0) return too_short; /* the code is complete */
        if (symbol >= 16) {
            static const unsigned char bits[] = {2, 3, 7}, least[] = {3, 3, 11};
            int add = take_bits(s, bits[symbol - 16]);
            if (add < 0) return too_short;
            if (symbol == 16 && !i) return "nothing to repeat";
            value = symbol == 16 ? lengths[i - 1] : 0;
            times = least[symbol - 16] + add;
        }
        if (times > n - i) return "too many lengths of codes";
        memset(lengths + i, value, (size_t)times);
        i += times;
    }
    return NULL;
}

static const char *dynamic_block(stream *s)
{
    static const unsigned char order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[LITERALS + DISTANCES] = {0};
    code c, distances;
    int n = take_bits(s, 5), m = take_bits(s, 5), k = take_bits(s, 4);
    if (n < 0 || m < 0 || k < 0) return too_short;
    n += 257, m += 1, k += 4;
    if (n > 286 || m > 30) return "too many symbols";
    for (int i = 0; i < k; i++) {
        int length = take_bits(s, 3);
        if (length < 0) return too_short;
        lengths[order[i]] = (unsigned char)length;
    }
    if (!make_code(&c, lengths, 19, false)) return "the code of the lengths is not complete";
    const char *problem = read_lengths(s, &c, lengths, n + m);
    if (problem) return problem;
    if (!lengths[256]) return "there is no code for the end";
    if (!make_code(&distances, lengths + n, m, true) || !make_code(&c, lengths, n, true)) return "a code is not complete";
    return coded_block(s, &c, &distances);
}

const char *vn__inflate(const unsigned char *in, size_t n, unsigned char *out, size_t size, bool part)
{
    stream s = {.in = in, .n = n, .out = out, .size = size};
    int last = 0;
    while (!last) {
        last = take_bits(&s, 1);
        int kind = take_bits(&s, 2);
        if (last < 0 || kind < 0) return too_short;
        if (kind == 3) return "unknown block type";
        const char *problem = kind == 0 ? stored_block(&s) : kind == 1 ? fixed_block(&s) : dynamic_block(&s);
        if (problem == too_long && part) return NULL;
        if (problem) return problem;
    }
    if (s.done != size) return "the data is shorter than its size says";
    return s.at - s.count / 8 != n ? "bytes are left over after the compressed data" : NULL;
}

/* ---- checksum ---- */

static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ UINT32_C(0xEDB88320) : c >> 1;
        tables[0][i] = c;
    }
    for (int t = 1; t < 8; t++) {
        for (int i = 0; i < 256; i++) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
    }
}

/* Eight bytes at a time, each by its own table. */
uint32_t vn__crc32(uint32_t crc, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    pthread_once(&tables_once, make_tables);
    crc = ~crc;
    for (; bytes >= 8; bytes -= 8, p += 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        x ^= crc;
        crc = tables[7][x & 255] ^ tables[6][x >> 8 & 255] ^ tables[5][x >> 16 & 255] ^ tables[4][x >> 24 & 255] ^
              tables[3][x >> 32 & 255] ^ tables[2][x >> 40 & 255] ^ tables[1][x >> 48 & 255] ^ tables[0][x >> 56];
    }
    for (; bytes; bytes--, p++) crc = crc >> 8 ^ tables[0][(crc ^ *p) & 255];
    return ~crc;
}
