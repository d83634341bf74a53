/* news.h: made headlines of four topics, for news.c: each a row of words, of which some speak for its topic, some for another, and most for none.
 * A word of another topic stands behind "unlike" or "despite", so what counts is which words stand together. The same seed makes the same headlines
 * everywhere. */
#ifndef EXAMPLES_NEWS_H
#define EXAMPLES_NEWS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <vinea/vinea.h>

enum { NEWS_TOPICS = 4, NEWS_OF_TOPIC = 12, NEWS_OTHERS = 26, NEWS_LENGTH = 24 }; /* NEWS_LENGTH: tokens of a row */
enum { NEWS_PADDING, NEWS_FIRST, NEWS_UNKNOWN, NEWS_WORDS };                    /* tokens; NEWS_FIRST begins each row; then words */
enum { NEWS_TOKENS = NEWS_WORDS + NEWS_TOPICS * NEWS_OF_TOPIC + NEWS_OTHERS };

static const char *const news_topics[] = {"world", "sports", "business", "science"};
static const char *const news_words[] = {
    "minister", "treaty",  "border",    "election", "parliament", "embassy", "refugees",  "ceasefire", "summit",   "senate",   "envoy",     "protest",
    "striker",  "goal",    "league",    "coach",    "tournament", "medal",   "penalty",   "stadium",   "sprinter", "referee",  "innings",   "playoff",
    "shares",   "profit",  "merger",    "bank",     "inflation",  "retailer", "bonds",    "earnings",  "supplier", "tariff",   "investors", "takeover",
    "telescope", "genome", "processor", "software", "satellite",  "vaccine", "quantum",   "fossil",    "robot",    "particle", "browser",   "neutron",
    "the",      "a",       "after",     "before",   "in",         "on",      "of",        "for",       "with",     "new",      "old",       "large",
    "says",     "finds",   "faces",     "wins",     "loses",      "report",  "week",      "year",      "city",     "team",     "first",     "last",
    "unlike",   "despite"};

typedef struct {
    vn_array *tokens; /* int32, (n, NEWS_LENGTH) */
    vn_array *topic;  /* int64, (n) */
} news;

/* A number below n, from a linear congruential generator. */
static inline int news_random(uint64_t *state, int n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (uint64_t)n);
}

/* A headline of 6 to 22 words: of ten draws three are of the topic and two "unlike" or "despite" and a word of another. */
static inline void news_headline(uint64_t *state, int topic, int32_t row[NEWS_LENGTH])
{
    const int common = NEWS_WORDS + NEWS_TOPICS * NEWS_OF_TOPIC, words = 6 + news_random(state, 17);
    memset(row, 0, NEWS_LENGTH * sizeof *row);
    row[0] = NEWS_FIRST;
    row[1] = NEWS_WORDS + topic * NEWS_OF_TOPIC + news_random(state, NEWS_OF_TOPIC);
    for (int i = 2; i <= words; i++) {
        const int kind = news_random(state, 10), other = (topic + 1 + news_random(state, NEWS_TOPICS - 1)) % NEWS_TOPICS;
        if (kind < 3) row[i] = NEWS_WORDS + topic * NEWS_OF_TOPIC + news_random(state, NEWS_OF_TOPIC);
        else if (kind < 5 && i < words) {
            row[i++] = NEWS_TOKENS - 1 - news_random(state, 2);
            row[i] = NEWS_WORDS + other * NEWS_OF_TOPIC + news_random(state, NEWS_OF_TOPIC);
        } else row[i] = common + news_random(state, NEWS_OTHERS - 2);
    }
    const int swap = 1 + news_random(state, words); /* the first word, of the topic, changes places with another that speaks for none */
    if (swap > 1 && row[swap] >= common && row[swap] < NEWS_TOKENS - 2) {
        const int32_t first = row[1];
        row[1] = row[swap], row[swap] = first;
    }
}

/* n headlines, which `seed` determines. Returns 1, or 0 after printing an error. */
static inline int news_make(news *to, int n, uint64_t seed)
{
    enum { MOST = 20000 };
    static int32_t rows[MOST][NEWS_LENGTH];
    static int64_t topics[MOST];
    if (n < 1 || n > MOST) return fprintf(stderr, "news: 1 to %d headlines\n", MOST), 0;
    for (int i = 0; i < n; i++) news_headline(&seed, (int)(topics[i] = news_random(&seed, NEWS_TOPICS)), rows[i]);
    *to = (news){vn_from_host(rows, VN_I32, VN_SHAPE(n, NEWS_LENGTH)), vn_from_host(topics, VN_I64, VN_SHAPE(n))};
    if (vn_status()) fprintf(stderr, "news: %s\n", vn_message());
    return !vn_status();
}

/* The tokens of a text: words separated by spaces; what does not fit is left out. */
static inline void news_encode(const char *text, int32_t row[NEWS_LENGTH])
{
    memset(row, 0, NEWS_LENGTH * sizeof *row);
    row[0] = NEWS_FIRST;
    for (int at = 1; at < NEWS_LENGTH && *(text += strspn(text, " ")); at++) {
        const size_t n = strcspn(text, " ");
        row[at] = NEWS_UNKNOWN;
        for (int k = 0; k < NEWS_TOKENS - NEWS_WORDS; k++)
            if (strlen(news_words[k]) == n && !strncmp(news_words[k], text, n)) row[at] = NEWS_WORDS + k;
        text += n;
    }
}

#endif
