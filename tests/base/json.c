/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: the JSON parser of models, files and reports (src/base): what it accepts, what it refuses and where, and that it takes
 * linear time. */
/* ctest: sanitize */
#include "base/base.h"
#include "check.h"
#include <time.h>

/* A counting allocator, freed at the end of a parse; it fails after `left` blocks. */
static void *blocks[1 << 20];
static int used, left = 1 << 20;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    if (used == left) return NULL;
    return blocks[used++] = malloc(bytes);
}

static void free_all(void)
{
    while (used) free(blocks[--used]);
}

static vn__json j;
static vn__json_value *read_text(const char *text, size_t size)
{
    static char *room;
    free(room);
    room = malloc(size + 1);
    j = (vn__json){.text = text, .size = size, .room = room};
    return vn__json_read(&j, &(vn__json_limits){.allocate = allocate, .max_depth = 8, .max_values = 1 << 19});
}

/* ---- accepted ---- */

TEST(values)
{
    static const char text[] = " {\"a\" : [1, -0.5e+3 ,true,false,null], \"b\\u00fc\\n\\ud83d\\ude00\": \"\", \"c\": {}, \"d\": []}\r\n\t";
    const vn__json_value *x = read_text(text, sizeof text - 1), *a = vn__json_find(x, "a"), *item = a ? a->first : NULL;
    CHECK(x && x->kind == VN__JSON_OBJECT && x->n == 4 && a && a->n == 5 && item);
    if (!item) return;
    CHECK(item->number == 1 && item->size == 1 && *item->text == '1' && !item->key);
    CHECK((item = item->next)->number == -500 && item->size == 7 && !strncmp(item->text, "-0.5e+3", 7));
    CHECK((item = item->next)->kind == VN__JSON_BOOL && item->number == 1 && item->at == (size_t)(strstr(text, "true") - text));
    CHECK((item = item->next)->kind == VN__JSON_BOOL && item->number == 0);
    CHECK((item = item->next)->kind == VN__JSON_NULL && !item->next);
    const vn__json_value *b = vn__json_find(x, "b\u00fc\n\U0001F600");
    CHECK(b && b->kind == VN__JSON_TEXT && b->size == 0 && !*b->text && b->at == (size_t)(strstr(text, "\"b") - text));
    CHECK(vn__json_find(x, "c")->kind == VN__JSON_OBJECT && !vn__json_find(x, "c")->n && !vn__json_find(x, "d")->first);
    CHECK(!vn__json_find(x, "e") && !vn__json_find(a, "a") && !vn__json_find(NULL, "a"));
    CHECK(!strcmp(vn__json_kind_name(a), "a list") && !strcmp(vn__json_kind_name(x), "an object"));
    free_all();
}

/* Numbers come out as the C library reads them, bit by bit. */
TEST(numbers)
{
    static const char *const texts[] = {"0",
                                        "-0",
                                        "0.1",
                                        "123456789012345678901234567890",
                                        "9007199254740993",
                                        "1.7976931348623157e308",
                                        "4.9e-324",
                                        "2.2250738585072011e-308",
                                        "1e400",
                                        "1E-400",
                                        "1e12345678901234567890",
                                        "1e-12345678901234567890",
                                        "-1e+2",
                                        "0.000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const vn__json_value *x = read_text(texts[i], strlen(texts[i]));
        double expected = strtod(texts[i], NULL);
        CHECK(x && x->kind == VN__JSON_NUMBER && !memcmp(&x->number, &expected, sizeof expected));
        free_all();
    }
    char all[1200]; /* a double with all its digits, and one that is too long for any */
    snprintf(all, sizeof all, "%.1074f", 4.9e-324);
    const vn__json_value *x = read_text(all, strlen(all));
    CHECK(x && x->number == 4.9e-324);
    free_all();
    char longest[2100] = "1";
    memset(longest + 1, '0', 2046);
    CHECK((x = read_text(longest, 2047)) && x->number == INFINITY);
    free_all();
    longest[2047] = '0';
    CHECK(!read_text(longest, 2048) && !strcmp(j.problem, "not a number"));
    free_all();
}

/* The shortest text that is the same number again. */
TEST(short_numbers)
{
    static const struct {
        double x;
        const char *text;
    } all[] = {{.1, "0.1"},        {1e15, "1e+15"}, {123456, "123456"}, {1. / 3, "0.3333333333333333"},
               {5e-324, "5e-324"}, {NAN, "nan"},    {-NAN, "nan"},      {-INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char text[32];
        vn__number_short(all[i].x, text);
        CHECK(!strcmp(text, all[i].text));
    }
}

/* Counts are whole numbers up to the bound that base.h names. */
TEST(counts)
{
    static const struct {
        const char *text, *problem;
        uint64_t n;
    } cases[] = {{"0", "", 0},
                 {" 17]", "", 17},
                 {"922337203685477579", "", 922337203685477579},
                 {"9223372036854775798", "", 9223372036854775798},
                 {"9223372036854775808", "the number is too large", 0},
                 {"92233720368547758070", "the number is too large", 0},
                 {"-1", "a whole number, 0 or more, was expected", 0},
                 {"01", "a number begins with 0", 0},
                 {"1e3", "a whole number was expected", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t n = 0;
        vn__json text = {.text = cases[k].text, .size = strlen(cases[k].text), .problem = ""};
        const bool read = vn__json_count(&text, &n);
        CHECK(read == !*cases[k].problem && !strcmp(text.problem, cases[k].problem) && (!read || n == cases[k].n));
    }
}

/* ---- refused ---- */

TEST(refused)
{
    static const struct {
        const char *text;
        size_t line, column;
        const char *says;
    } bad[] = {
        {"", 1, 1, "the text ends too early"},
        {"  \n ", 2, 2, "the text ends too early"},
        {"[1,\n 2,,3]", 2, 4, "a value was expected"},
        {"[1 2]", 1, 4, "',' or ']' was expected"},
        {"{\"a\" 1}", 1, 6, "':' was expected"},
        {"{\"a\": 1,}", 1, 9, "a string was expected"},
        {"{\"a\": 1", 1, 8, "',' or '}' was expected"},
        {"[1] x", 1, 5, "there is more text after the end"},
        {"{\"b\": 1,\n \"a\": 2, \"a\": 3, \"a\": 4}", 2, 10, "the key \"a\" occurs twice in its object"},
        {"[[[[[[[[[1]]]]]]]]]", 1, 9, "brackets are nested more than 8 deep"},
        {"01", 1, 1, "a number begins with 0"},
        {"-", 1, 1, "a number was expected"},
        {"-a", 1, 1, "a number was expected"},
        {"1.", 1, 1, "not a number"},
        {"1.e5", 1, 1, "not a number"},
        {"1e", 1, 1, "not a number"},
        {"1e+", 1, 1, "not a number"},
        {".5", 1, 1, "a value was expected"},
        {"+1", 1, 1, "a value was expected"},
        {"0x10", 1, 2, "there is more text after the end"},
        {"nan", 1, 1, "a value was expected"},
        {"True", 1, 1, "a value was expected"},
        {"truex", 1, 5, "there is more text after the end"},
        {"\"a", 1, 3, "a string has no end"},
        {"\"a\\", 1, 4, "no such escape"},
        {"\"\\x\"", 1, 3, "no such escape"},
        {"\"\\u12", 1, 6, "four hexadecimal digits were expected after \\u"},
        {"\"\\u12G4\"", 1, 6, "four hexadecimal digits were expected after \\u"},
        {"\"\\u0000\"", 1, 8, "the character 0 is not allowed in a string"},
        {"\"\\ud800\"", 1, 8, "half a surrogate pair"},
        {"\"\\ud800\\u0041\"", 1, 14, "half a surrogate pair"},
        {"\"\\udc00\"", 1, 8, "half a surrogate pair"},
        {"\"\t\"", 1, 2, "a control character in a string"},
        {"\"\xc0\x80\"", 1, 2, "this is not UTF-8"},
        {"\"\xed\xa0\x80\"", 1, 2, "this is not UTF-8"},
        {"\"\xf4\x90\x80\x80\"", 1, 2, "this is not UTF-8"},
        {"\"\xe2\x82", 1, 2, "this is not UTF-8"},
        {"'a'", 1, 1, "a value was expected"},
        {"/* */1", 1, 1, "a value was expected"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t line, column;
        check_name = bad[i].text;
        const vn__json_value *x = read_text(bad[i].text, strlen(bad[i].text));
        vn__json_place(&j, &line, &column);
        CHECK(!x && !strcmp(j.problem, bad[i].says) && line == bad[i].line && column == bad[i].column);
        if (line != bad[i].line || column != bad[i].column || strcmp(j.problem, bad[i].says) != 0)
            fprintf(stderr, "  %zu:%zu: %s\n", line, column, j.problem);
        free_all();
    }
    check_name = "a byte 0";
    CHECK(!read_text("1\0", 2) && !strcmp(j.problem, "there is more text after the end"));
    CHECK(!read_text("[\0]", 3) && !strcmp(j.problem, "a value was expected"));
    free_all();
}

/* ---- large texts ---- */

/* A list, or an object whose keys come in this order, of n values. */
static char *many(int n, char kind)
{
    char *text = malloc((size_t)n * 24 + 16), *to = text;
    *to++ = kind == 'l' ? '[' : '{';
    for (int i = 0; i < n; i++) {
        if (kind != 'l') to += sprintf(to, "\"key-%08d\":", kind == 'u' ? i : n - i);
        to += sprintf(to, "%d%s", i % 10, i + 1 < n ? "," : "");
    }
    strcpy(to, kind == 'l' ? "]" : "}");
    return text;
}

static double seconds_for(int n, char kind)
{
    char *text = many(n, kind);
    clock_t begin = clock();
    const vn__json_value *x = read_text(text, strlen(text));
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    CHECK(x && x->n == n);
    free_all();
    free(text);
    return seconds;
}

/* 99,000 keys in one object took 87 seconds when each was compared with all before it. */
TEST(many_keys)
{
    double list = seconds_for(99000, 'l'), up = seconds_for(99000, 'u'), down = seconds_for(99000, 'd');
    printf("99,000 values: %.3f s in a list, %.3f and %.3f s in an object\n", list, up, down);
    CHECK(list < 3 && up < 3 && down < 3);
}

TEST(limits)
{
    char *text = many(1 << 19, 'l');
    CHECK(!read_text(text, strlen(text)) && !strcmp(j.problem, "there are more than 524288 values"));
    free_all();
    free(text);
    static const char small[] = "{\"a\": [1, \"x\"], \"b\": null}";
    for (left = 0; left < 6; left++) { /* one block each value, one for the sorted keys */
        CHECK(!read_text(small, sizeof small - 1) && !*j.problem);
        free_all();
    }
    CHECK(read_text(small, sizeof small - 1));
    free_all();
    left = 1 << 20;
}

/* Every truncation of a text, and every changed byte, gives a value or a problem with a valid position. */
TEST(damaged)
{
    static const char good[] = "{\"a\": [1, -2.5e3, true, \"t\\u00e9xt\\n\"], \"b\": {\"c\": null, \"d\": {}}}";
    char text[sizeof good];
    for (size_t i = 0; i < sizeof good - 1; i++) {
        CHECK(!read_text(good, i) && *j.problem && j.at <= i);
        free_all();
        for (int c = 0; c < 256; c++) {
            memcpy(text, good, sizeof good);
            text[i] = (char)c;
            CHECK(!read_text(text, sizeof good - 1) == (*j.problem != 0) && j.at <= sizeof good - 1);
            free_all();
        }
    }
}

/* After a problem nothing more is read, and the problem stays the first. */
TEST(after_a_problem)
{
    static const char text[] = "1 null \"a\" {";
    char room[sizeof text];
    double x;
    uint64_t n;
    j = (vn__json){.text = text, .size = sizeof text - 1, .room = room};
    CHECK(!vn__json_fails(&j, "first") && !vn__json_fails(&j, "second"));
    CHECK(!vn__json_is(&j, '1') && !vn__json_take(&j, '1') && !vn__json_expect(&j, '1'));
    CHECK(!vn__json_count(&j, &n) && !vn__json_number(&j, &x));
    j.at = 2;
    CHECK(!vn__json_word(&j, "null") && j.at == 2);
    j.at = 7;
    CHECK(!vn__json_text(&j));
    j.at = j.size;
    CHECK(!vn__json_end(&j) && !strcmp(j.problem, "first"));
}

/* The reader of headers, at the end of its text. */
TEST(single_values)
{
    static const char *const none[] = {"", "-", " ", "-x", "x"};
    double x = 0;
    uint64_t n = 0;
    for (int k = 0; k < 5; k++) {
        j = (vn__json){.text = none[k], .size = strlen(none[k])};
        CHECK(!vn__json_number(&j, &x) && !strcmp(j.problem, "a number was expected"));
        j = (vn__json){.text = none[k], .size = strlen(none[k])};
        CHECK(!vn__json_count(&j, &n) && !strcmp(j.problem, "a whole number, 0 or more, was expected"));
    }
    j = (vn__json){.text = "12", .size = 2};
    CHECK(vn__json_count(&j, &n) && n == 12 && vn__json_end(&j));
    j = (vn__json){.text = "nul", .size = 3};
    CHECK(!vn__json_word(&j, "null") && !*j.problem && !vn__json_end(&j) && !strcmp(j.problem, "there is more text after the end"));
    j = (vn__json){.text = "a", .size = 1};
    CHECK(!vn__json_expect(&j, ',') && !strcmp(j.problem, "',' was expected"));
}

/* Of several keys that occur twice, the first in the text is reported. */
TEST(first_of_several)
{
    static const char text[] = "{\"b\":1,\"b\":2,\"a\":3,\"a\":4}";
    CHECK(!read_text(text, sizeof text - 1) && !strcmp(j.problem, "the key \"b\" occurs twice in its object") && j.at == 7);
    free_all();
    static const char later[] = "{\"a\":1,\"a\":2,\"b\":3,\"b\":4,\"a\":5}";
    CHECK(!read_text(later, sizeof later - 1) && j.at == 7);
    free_all();
}

TEST(surrogates)
{
    static const struct {
        const char *text, *says;
    } bad[] = {{"\"\\ud83d\"", "half a surrogate pair"},        {"\"\\ud83d", "half a surrogate pair"},
               {"\"\\ud83d\\", "half a surrogate pair"},        {"\"\\ud83d\\u", "half a surrogate pair"},
               {"\"\\ud83dxu12\"", "half a surrogate pair"},    {"\"\\ud83d\\n12\"", "half a surrogate pair"},
               {"\"\\ud83d\\u12\"", "four hexadecimal digits"}, {"\"\\ud83d\\u0041\"", "half a surrogate pair"},
               {"\"\\ud83d\\ue000\"", "half a surrogate pair"}, {"\"\\udc00\\udc00\"", "half a surrogate pair"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        CHECK(!read_text(bad[k].text, strlen(bad[k].text)) && strstr(j.problem, bad[k].says));
        free_all();
    }
}

TEST_MAIN
