/* SPDX-License-Identifier: Apache-2.0 */
/* files_hostile.c: files with as many entries, names and levels as their formats allow, in the worst order, are read or refused in time and
 * memory proportional to the file; numbers in checkpoints cause no allocation before they are validated. */
/* ctest: seconds 2 */
/* ctest: sanitize */
#include "folder.h"
#include "os/clock.h"
#include <sys/resource.h>

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED
enum { FEWER = 20 }; /* entries are slower to make */
#else
enum { FEWER = 1 };
#endif

/* ---- files ---- */

static char *header, *at; /* a header in the making */
enum { ROOM = 100 << 20 };

static void begin(const char *text)
{
    at = header + sprintf(header, "%s", text);
}

static const char *end(const char *text)
{
    static const char *path;
    at += sprintf(at, "%s", text);
    path = in_folder("hostile");
    FILE *f = fopen(path, "wb");
    uint64_t n = (uint64_t)(at - header);
    if (!f || fwrite(&n, 8, 1, f) != 1 || fwrite(header, 1, n, f) != n || fclose(f)) exit(1);
    return path;
}

static void put_array(const char *name, bool first)
{
    at += sprintf(at, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}", first ? "" : ",", name);
}

static double load(const char *path)
{
    VN_SCOPE;
    double start = vn__clock();
    vn_tree *t = vn_load(path, NULL);
    double seconds = vn__clock() - start;
    CHECK((t != NULL) == !vn_status());
    return seconds;
}

/* ---- names ---- */

#ifdef FULL
/* One more entry than a file may have. */
TEST(many_arrays)
{
    int most = 1 << 20;
    begin("{");
    for (int i = 0; i <= most; i++) {
        char name[16];
        snprintf(name, sizeof name, "%x", i);
        put_array(name, !i);
    }
    CHECK_FAILS(vn_load(end("}"), NULL), VN_E_FORMAT, "more than 1048576 arrays");
    vn_file_info f = {.size = sizeof f};
    CHECK_FAILS(vn_inspect(in_folder("hostile"), &f), VN_E_FORMAT, "more than 1048576 arrays");
    begin("{\"__metadata__\":{");
    for (int i = 0; i <= most; i++) at += sprintf(at, "%s\"%x\":\"\"", i ? "," : "", i);
    CHECK_FAILS(vn_load(end("}}"), NULL), VN_E_FORMAT, "more than 1048576 notes");
}

#endif

/* Names of many parts, which make a tree each: 53 MB of them took 6.8 GB. */
TEST(deep_names)
{
    begin("{");
    for (int i = 0; i < 20000; i++) {
        char name[200] = "";
        size_t n = (size_t)sprintf(name, "%x", i);
        for (int k = 0; k < 60; k++) n += (size_t)sprintf(name + n, ".a");
        put_array(name, !i);
    }
    double start = vn__clock();
    CHECK_FAILS(vn_load(end("}"), NULL), VN_E_FORMAT, "more than 1048576 arrays and trees");
    CHECK(vn__clock() - start < 20);
    /* The same parts in few trees are fine. */
    begin("{");
    for (int i = 0; i < 20000 / FEWER; i++) {
        char name[200];
        size_t n = (size_t)sprintf(name, "a");
        for (int k = 0; k < 60; k++) n += (size_t)sprintf(name + n, ".a");
        sprintf(name + n, ".%x", i);
        put_array(name, !i);
    }
    CHECK(load(end("}")) < 20);
}

/* ---- the structure metadata ---- */

/* Keys in an order that moved all others for each: 13 MB took minutes. */
TEST(keys_in_any_order)
{
    int n = 200000 / FEWER;
    for (int kind = 0; kind < 4; kind++) {
        bool insertion = kind & 1, random = kind & 2;
        begin("{\"__metadata__\":{\"vinea.tree\":\"");
        *at++ = insertion ? '[' : '{';
        for (int i = 0; i < n; i++) {
            int key = random ? (int)((long)i * 7919 % 1000003) : 1000000 - i;
            at += sprintf(at, "%s\\\"%07d\\\"%s%d", i ? "," : "", key, insertion ? "," : ":", i);
        }
        *at++ = insertion ? ']' : '}';
        VN_SCOPE;
        double start = vn__clock();
        vn_tree *t = vn_load(end("\"}}"), NULL);
        double seconds = vn__clock() - start;
        CHECK(t && seconds < 10);
        if (!t) continue;
        printf("%d keys, %s, %s: %.2f s\n", n, insertion ? "in order of insertion" : "sorted", random ? "random" : "falling", seconds);
        char key[32];
        for (int i = 0; i < n; i += n / 100) {
            snprintf(key, sizeof key, "%07d", random ? (int)((long)i * 7919 % 1000003) : 1000000 - i);
            CHECK(vn_tree_value(t, key).u.number == i);
        }
        const char *const *keys = vn_tree_keys(t, NULL);
        CHECK(keys && (insertion ? strcmp(keys[0], random ? "0000000" : "1000000") == 0 : strcmp(keys[0], keys[1]) < 0));
        CHECK(!vn_tree_set_number(t, "0000000", 5) && vn_tree_value(t, "0000000").u.number == 5); /* it can be changed as any other */
        CHECK(!vn_tree_set_number(t, "zzz", 6) && vn_tree_value(t, "zzz").u.number == 6);
    }
    static const char *const twice[] = {"{\\\"b\\\":1,\\\"a\\\":2,\\\"b\\\":3}", "[\\\"b\\\",1,\\\"a\\\",2,\\\"b\\\",3]"};
    for (int i = 0; i < 2; i++) {
        begin("{\"__metadata__\":{\"vinea.tree\":\"");
        at += sprintf(at, "%s", twice[i]);
        CHECK_FAILS(vn_load(end("\"}}"), NULL), VN_E_FORMAT, "occurs twice");
    }
}

TEST(many_values)
{
    begin("{\"__metadata__\":{\"vinea.tree\":\"{");
    for (int i = 0; i <= 1 << 20; i++) at += sprintf(at, "%s\\\"%x\\\":{}", i ? "," : "", i);
    CHECK_FAILS(vn_load(end("}\"}}"), NULL), VN_E_FORMAT, "more than 1048576 entries");
}

#ifdef FULL
/* What cannot be read is not written. */
TEST(too_many_to_save)
{
    VN_SCOPE;
    vn_tree *t = vn_tree_new(NULL);
    for (int i = 0; i < 1025; i++) {
        VN_SCOPE;
        vn_tree *part = vn_tree_new(NULL);
        for (int k = 0; k < 1023; k++) {
            char key[16];
            snprintf(key, sizeof key, "%04d", k);
            vn_tree_set_number(part, key, k);
        }
        char key[16];
        snprintf(key, sizeof key, "%04d", i);
        CHECK(vn_tree_set_tree(t, key, part) == VN_OK);
        if (i == 1023) CHECK(vn_save(in_folder("large"), t, NULL) == VN_OK && load(in_folder("large")) < 20); /* 1024 * 1024 */
    }
    CHECK_FAILS(vn_save(in_folder("large"), t, NULL), VN_E_STRUCT, "1049600 entries; a file has at most 1048576");
}

TEST(long_note)
{
    const size_t n = 100000000;
    char *value = malloc(n + 1);
    memset(value, 'n', n);
    value[n] = 0;
    const vn_note note = {"note", value};
    CHECK_FAILS(vn_save(in_folder("noted"), vn_tree_new(NULL), VN_OPTS(save, .notes = &note, .n_notes = 1)), VN_E_STRUCT,
                "names and notes make a header of more than 100000000 bytes");
    free(value);
}
#endif

/* ---- headers of npy files ---- */

TEST(long_npy_header)
{
    size_t n = 10001;
    char *file = calloc(1, 12 + n);
    memcpy(file, "\x93NUMPY\2\0", 8);
    file[8] = (char)(n & 255), file[9] = (char)(n >> 8);
    memset(file + 12, ' ', n);
    write_bytes(in_folder("long.npy"), file, 12 + n);
    CHECK_FAILS(vn_load(in_folder("long.npy"), NULL), VN_E_FORMAT, "a header of 10001 bytes; at most 10000");
    free(file);
}

/* ---- checkpoints ---- */

/* A training whose checkpoint says that it is two billion epochs old, with a history of one. */
TEST(epochs)
{
    vn_seed(1);
    vn_array *x = vn_random_normal(0, 1, VN_SHAPE(12, 3));
    vn_dataset *d = vn_dataset_of(x, vn_sum(x, VN_AXES(1)), NULL);
    char path[384];
    snprintf(path, sizeof path, "%s", in_folder("run.ckpt"));
    vn_module *net = vn_nn_linear(3, 1, NULL);
    CHECK(vn_fit(net, d, VN_OPTS(fit, .epochs = 1, .checkpoint = path), NULL) == VN_OK);
    vn_optim *adam = vn_adam(1e-3, NULL);
    vn_checkpoint c = {.size = sizeof c, .module = net, .optim = adam};
    CHECK(vn_checkpoint_load(path, &c) == VN_OK);
    CHECK(vn_tree_set_number(c.extra, "position/epoch", 2e9) == VN_OK);
    CHECK(vn_checkpoint_save(path, &c) == VN_OK);
    double start = vn__clock();
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    CHECK_FAILS(vn_fit(net, d, VN_OPTS(fit, .epochs = 2, .checkpoint = path, .resume = 1), NULL), VN_E_STRUCT, "history");
    getrusage(RUSAGE_SELF, &after);
    CHECK(vn__clock() - start < 5 && after.ru_maxrss - before.ru_maxrss < 100 << 10);
}

int main(void)
{
#ifndef SANITIZED
    setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)8 << 30, (rlim_t)8 << 30}); /* a backstop if a limit does not work */
#endif
    header = malloc(ROOM);
    folder_make_fast();
    run_tests();
    free(header);
    folder_remove();
    return finish();
}
