/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: arrays and trees in files: round trips, files of other programs, every rule of the formats violated once, tables, system
 * errors. */
/* ctest: engines */
/* ctest: sanitize */
#include "folder.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char *engine = "native";

static const char *data_file(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", VN_TEST_DATA, name);
    return path;
}

static int same_bytes(vn_array *a, vn_array *b)
{
    size_t n = (size_t)vn_size(a) * vn_dtype_size(vn_dtype_of(a));
    const void *p = n ? vn_data(a) : "", *q = n ? vn_data(b) : "";
    vn_shape s = vn_shape_of(a), t = vn_shape_of(b);
    return p && q && vn_dtype_of(a) == vn_dtype_of(b) && s.rank == t.rank && !memcmp(s.dim, t.dim, (size_t)s.rank * sizeof *s.dim) &&
           !memcmp(p, q, n);
}

/* Arrays of one dtype: 0-d, empty, a matrix, a long one. The bytes are any; bools are 0 and 1. */
static vn_tree *samples(vn_dtype dtype)
{
    static unsigned char raw[16 * 1000];
    for (size_t i = 0; i < sizeof raw; i++) raw[i] = (unsigned char)(dtype == VN_BOOL ? i % 2 : (i * 37 + 11) % 120);
    return vn_tree_of("zero", vn_from_host(raw, dtype, VN_0D), "empty", vn_from_host(raw, dtype, VN_SHAPE(0, 3)), "a/matrix",
                      vn_from_host(raw, dtype, VN_SHAPE(3, 5)), "a/long", vn_from_host(raw, dtype, VN_SHAPE(1000)), NULL);
}

TEST(round_trips)
{
    static const char *const formats[] = {"all.safetensors", "all.npz"};
    for (int k = 0; k < 2; k++) {
        vn_tree *t = vn_tree_new(NULL), *u;
        for (int d = 1; d < VN_DTYPE_END; d++) {
            if (k == 0 || d != VN_BF16) vn_tree_set_tree(t, vn_dtype_name((vn_dtype)d), samples((vn_dtype)d));
        }
        CHECK(vn_save(in_folder(formats[k]), t, NULL) == VN_OK);
        for (int copy = 0; copy < 2; copy++) {
            CHECK((u = vn_load(in_folder(formats[k]), VN_OPTS(load, .copy = copy))));
            CHECK(vn_tree_leaves(u) == vn_tree_leaves(t));
            for (int i = 0; i < vn_tree_leaves(t); i++) {
                char key[256];
                snprintf(key, sizeof key, "%s", vn_tree_leaf_key(t, i));
                CHECK(!strcmp(key, vn_tree_leaf_key(u, i)));
                CHECK(same_bytes(vn_tree_leaf(t, i), vn_tree_leaf(u, i)));
                CHECK(!strcmp(vn_engine_of(vn_tree_leaf(u, i)), engine));
            }
        }
    }
    for (int d = 1; d < VN_DTYPE_END; d++) {
        vn_array *x = vn_tree_get(samples((vn_dtype)d), "a/matrix");
        if (d != VN_BF16) CHECK(vn_save_array(in_folder("one.npy"), x) == VN_OK && same_bytes(x, vn_load_array(in_folder("one.npy"))));
        CHECK(vn_save_array(in_folder("one"), x) == VN_OK && same_bytes(x, vn_load_array(in_folder("one"))));
    }
    CHECK(vn_save(in_folder("nothing"), vn_tree_new(NULL), NULL) == VN_OK && vn_tree_leaves(vn_load(in_folder("nothing"), NULL)) == 0);
    CHECK(vn_save(in_folder("nothing.npz"), vn_tree_new(NULL), NULL) == VN_OK &&
          vn_tree_leaves(vn_load(in_folder("nothing.npz"), NULL)) == 0);
}

/* Pending results, shared arrays, lazy numbers: whatever a tree can contain. */
TEST(structures)
{
    vn_array *x = vn_from((float[]){1, 2}, VN_SHAPE(2)), *three[] = {x, vn_mul(x, vn_scalar(2)), vn_zeros(VN_0D, VN_C128)};
    vn_tree *t = vn_tree_new(VN_OPTS(tree, .insertion_order = 1));
    vn_tree_set_tree(t, "z-list", vn_tree_list(3, three));
    vn_tree_set(t, "a/x", x);
    static const double numbers[] = {0, -0., .1, 1e300, 5e-324, -3, 9007199254740993., INFINITY, -INFINITY};
    for (int i = 0; i < 9; i++) {
        char key[32];
        snprintf(key, sizeof key, "numbers/n%d", i);
        vn_tree_set_number(t, key, numbers[i]);
    }
    vn_tree_set_number(t, "numbers/nan", NAN);
    vn_tree_set_null(t, "b/null \"\\\n\u00fc");
    vn_tree_set_tree(t, "b/empty", vn_tree_new(NULL));
    CHECK(vn_save(in_folder("tree"), t, NULL) == VN_OK);
    vn_tree *u = vn_load(in_folder("tree"), NULL);
    CHECK(u && vn_tree_identical(2, (const vn_tree *[]){t, u}, VN_OPTS(tree_identical, .no_same_arrays = 1)) == 1);
    int n = 0, m = 0;
    const vn_tree_item *a = vn_tree_iterate(t, VN_OPTS(tree_iterate, .include_empty = 1), &n),
                       *b = vn_tree_iterate(u, VN_OPTS(tree_iterate, .include_empty = 1), &m);
    CHECK(n == m && n == 16);
    for (int i = 0; i < n && n == m; i++) {
        CHECK(!strcmp(a[i].chain, b[i].chain) && a[i].value.kind == b[i].value.kind);
        if (a[i].value.kind != VN_V_NUMBER || isnan(a[i].value.u.number)) continue;
        CHECK(!memcmp(&a[i].value.u.number, &b[i].value.u.number, sizeof(double)));
    }
    CHECK_FAILS(vn_save(in_folder("t.npz"), t, NULL), VN_E_STRUCT, "not an array");
    CHECK_FAILS(vn_save(in_folder("t.npz"), vn_tree_of("x", vn_zeros(VN_0D, VN_BF16), NULL), NULL), VN_E_DTYPE, "bfloat16");
    CHECK_FAILS(vn_save(in_folder("t.npy"), vn_tree_of("x", x, "y", x, NULL), NULL), VN_E_STRUCT, "one array");
    CHECK_FAILS(vn_save(in_folder("t"), vn_tree_of("__metadata__", x, NULL), NULL), VN_E_ARG, "__metadata__");
    CHECK_FAILS(vn_save(in_folder("t"), vn_tree_of("\xff", x, NULL), NULL), VN_E_ARG, "UTF-8");
    CHECK_FAILS(vn_save(in_folder("t.npz"), vn_tree_of("\xff", x, NULL), NULL), VN_E_ARG, "UTF-8");
    CHECK_FAILS(vn_save(NULL, t, NULL), VN_E_NULL, "path");
    CHECK_FAILS(vn_save("", vn_tree_new(NULL), NULL), VN_E_ARG, "path");
    CHECK_FAILS(vn_save(in_folder("t"), NULL, NULL), VN_E_NULL, "save");
    CHECK_FAILS(vn_load(NULL, NULL), VN_E_NULL, "path");
    CHECK_FAILS(vn_load(in_folder("not there"), NULL), VN_E_IO, "No such file");
    CHECK_FAILS(vn_load(folder, NULL), VN_E_IO, "regular");
    CHECK_FAILS(vn_load_array(in_folder("all.npz")), VN_E_STRUCT, "arrays");
}

TEST(notes_and_inspect)
{
    vn_tree *t = vn_tree_of("w", vn_zeros(VN_SHAPE(2, 3), VN_F32), "e/b", vn_zeros(VN_0D, VN_I64), NULL);
    vn_note notes[] = {{"format", "vinea"}, {"a \"key\"", "tab\t, snow \u2603"}};
    CHECK(vn_save(in_folder("noted"), t, VN_OPTS(save, .notes = notes, .n_notes = 2)) == VN_OK);
    vn_file_info f = {.size = sizeof f};
    CHECK(vn_inspect(in_folder("noted"), &f) == VN_OK && !strcmp(f.format, "safetensors") && f.n_arrays == 2 && f.n_notes == 2);
    CHECK(!strcmp(f.arrays[0].name, "e.b") && f.arrays[0].dtype == VN_I64 && f.arrays[0].bytes == 8); /* wide elements first */
    CHECK(!strcmp(f.arrays[1].name, "w") && f.arrays[1].shape.rank == 2 && f.arrays[1].stored == 24);
    for (int i = 0; i < 2 && f.n_notes == 2; i++) CHECK(!strcmp(f.notes[i].key, notes[i].key) && !strcmp(f.notes[i].value, notes[i].value));
    CHECK(vn_inspect(data_file("every_deflated.npz"), &f) == VN_OK && !strcmp(f.format, "npz") && f.n_arrays == 14 &&
          f.arrays[3].bytes == 60);
    CHECK(vn_inspect(data_file("every.safetensors"), &f) == VN_OK && f.n_notes == 2 &&
          !strcmp(f.notes[1].value, "line\n\u2603 \U0001F600"));
    CHECK_FAILS(vn_save(in_folder("n"), t, VN_OPTS(save, .notes = (vn_note[]){{"vinea.tree", "{}"}}, .n_notes = 1)), VN_E_ARG, "library");
    CHECK_FAILS(vn_save(in_folder("n"), t, VN_OPTS(save, .notes = (vn_note[]){{"k", "\xc0\x80"}}, .n_notes = 1)), VN_E_ARG, "UTF-8");
    CHECK_FAILS(vn_save(in_folder("n"), t, VN_OPTS(save, .notes = (vn_note[]){{"k", NULL}}, .n_notes = 1)), VN_E_NULL, "note 0");
    CHECK_FAILS(vn_save(in_folder("n"), t, VN_OPTS(save, .notes = (vn_note[]){{"k", "1"}, {"k", "2"}}, .n_notes = 2)), VN_E_ARG, "twice");
    CHECK_FAILS(vn_save(in_folder("n"), t, VN_OPTS(save, .n_notes = 1)), VN_E_NULL, "notes");
    CHECK_FAILS(vn_save(in_folder("n.npz"), t, VN_OPTS(save, .notes = notes, .n_notes = 2)), VN_E_ARG, "no notes");
    CHECK_FAILS(vn_inspect(in_folder("noted"), NULL), VN_E_NULL, "info");
    CHECK_FAILS(vn_inspect(in_folder("not there"), &f), VN_E_IO, "No such file");
}

/* ---- files of other programs ---- */

/* 0, 1, 2 ... in C order, bools by turns. */
static int counts(vn_array *x)
{
    vn_array *y = x ? vn_cast(vn_dtype_of(x) == VN_C64 || vn_dtype_of(x) == VN_C128 ? vn_real(x) : x, VN_F64) : NULL;
    const double *p = y ? vn_data(y) : NULL;
    int good = y != NULL;
    for (int64_t i = 0; i < vn_size(y) && good; i++) good = p[i] == (double)(vn_dtype_of(x) == VN_BOOL ? i % 2 : i);
    return good;
}

TEST(other_programs)
{
    static const struct {
        const char *name;
        vn_dtype dtype;
        vn_shape shape;
    } npy[] = {{"version1.npy", VN_F32, {2, {2, 3}}},    {"version2.npy", VN_F32, {2, {2, 3}}}, {"version3.npy", VN_F32, {2, {2, 3}}},
               {"fortran.npy", VN_I32, {3, {2, 3, 4}}},  {"big.npy", VN_F64, {2, {2, 3}}},      {"big_complex.npy", VN_C64, {1, {5}}},
               {"big_fortran.npy", VN_I16, {2, {3, 2}}}, {"zero_d.npy", VN_I64, {0, {0}}},      {"empty.npy", VN_F32, {2, {0, 3}}},
               {"streamed.npz", VN_F64, {1, {4}}}};
    for (size_t i = 0; i < sizeof npy / sizeof *npy; i++) {
        vn_array *x = vn_load_array(data_file(npy[i].name));
        vn_shape s = vn_shape_of(x);
        CHECK(x && vn_dtype_of(x) == npy[i].dtype && s.rank == npy[i].shape.rank &&
              !memcmp(s.dim, npy[i].shape.dim, (size_t)s.rank * sizeof *s.dim));
        CHECK(counts(x));
    }
    static const char *const many[] = {"every.npz", "every_deflated.npz", "every.safetensors"};
    for (int k = 0; k < 3; k++) {
        vn_tree *t = vn_load(data_file(many[k]), NULL);
        CHECK(vn_tree_leaves(t) == (k < 2 ? 14 : 16));
        for (int i = 0; i < vn_tree_leaves(t); i++) CHECK(counts(vn_tree_leaf(t, i)));
        if (k == 2) CHECK(vn_dtype_of(vn_tree_get(t, "every/bf16")) == VN_BF16 && vn_dim(vn_tree_get(t, "empty"), 1) == 0);
        else CHECK(vn_dtype_of(vn_tree_get(t, "x_complex128")) == VN_C128);
    }
    vn_tree *t = vn_load(data_file("long.npz"), NULL);
    CHECK(counts(vn_tree_get(t, "enc/b")) && vn_size(vn_tree_get(t, "enc/b")) == 20000);
    CHECK(counts(vn_slice_at(vn_tree_get(t, "enc/w"), VN_SHAPE(7000), VN_SHAPE(1000))));
    CHECK(vn_tree_leaves(vn_load(data_file("none.npz"), NULL)) == 0);
    CHECK_FAILS(vn_load(data_file("objects.npy"), NULL), VN_E_FORMAT, "unpickled");
    CHECK_FAILS(vn_load(data_file("raw.npy"), NULL), VN_E_FORMAT, "bfloat16");
    CHECK_FAILS(vn_load(data_file("strings.npy"), NULL), VN_E_FORMAT, "<U1");
    CHECK_FAILS(vn_load(data_file("records.npy"), NULL), VN_E_FORMAT, "records");
}

/* A file of these bytes is refused with these words, or loaded if there are none. */
static void check_broken(const void *content, size_t n, const char *says)
{
    write_bytes(in_folder("broken"), content, n);
    if (says) CHECK_FAILS(vn_load(in_folder("broken"), NULL), VN_E_FORMAT, says);
    else CHECK(vn_load(in_folder("broken"), NULL));
}

/* ---- malformed files ---- */

TEST(broken_headers)
{
#define F32 "\"dtype\":\"F32\",\"shape\":[1]"
#define A "\"a\":{" F32 ",\"data_offsets\":[0,4]}"
    static const struct {
        const char *header;
        size_t data; /* bytes after it */
        const char *says;
    } rules[] = {
        {"{" A "}", 4, NULL},
        {" {" A "}", 4, "begin with '{'"},
        {"", 0, "begin with '{'"},
        {"[]", 0, "begin with '{'"},
        {"{" A "} ", 4, NULL},
        {"{" A "}x", 4, "more text"},
        {"{" A ",}", 4, "string"},
        {"{" A, 4, "'}'"},
        {"{" A "," A "}", 4, "twice"},
        {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "twice"},
        {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "twice"},
        {"{\"__metadata__\":{\"k\":1}}", 0, "string"},
        {"{\"__metadata__\":{\"k\":\"1\",}}", 0, "string"},
        {"{\"__metadata__\":[]}", 0, "'{'"},
        {"{\"__metadata__\":null," A "}", 4, NULL}, /* MLX writes this for no metadata */
        {"{\"__metadata__\": null ," A "}", 4, NULL},
        {"{\"__metadata__\":nul," A "}", 4, "'{'"},
        {"{\"__metadata__\":nullx," A "}", 4, "'}'"},
        {"{\"__metadata__\":null,\"__metadata__\":{}}", 0, "twice"},
        {"{\"a\":{" F32 "}}", 4, "lacks"},
        {"{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "lacks"},
        {"{\"a\":{" F32 ",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "twice"},
        {"{\"a\":{" F32 ",\"data_offsets\":[0,4],\"x\":1}}", 4, "unknown"},
        {"{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", 4, "F8_E4M3"},
        {"{\"a\":{\"dtype\":\"f32\",\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "f32"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}", 4, "whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1.0],\"data_offsets\":[0,4]}}", 4, "whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1e0],\"data_offsets\":[0,4]}}", 4, "whole number"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[01],\"data_offsets\":[0,4]}}", 4, "begins with 0"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[99999999999999999999],\"data_offsets\":[0,4]}}", 4, "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296,4294967296,4294967296],\"data_offsets\":[0,0]}}", 0, "do not give"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387905],\"data_offsets\":[0,4]}}", 4, "do not give"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[0,9223372036854775807],\"data_offsets\":[0,0]}}", 0, "too large"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],\"data_offsets\":[0,4]}}",
         4, "32 axes"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "do not give"},
        {"{\"a\":{" F32 ",\"data_offsets\":[4,0]}}", 4, "do not give"},
        {"{\"a\":{" F32 ",\"data_offsets\":[0,4,8]}}", 4, "']'"},
        {"{\"a\":{" F32 ",\"data_offsets\":[0]}}", 4, "','"},
        {"{\"a\":{" F32 ",\"data_offsets\":[4,8]}}", 8, "gap"},
        {"{" A ",\"b\":{" F32 ",\"data_offsets\":[8,12]}}", 12, "gap"},
        {"{" A ",\"b\":{" F32 ",\"data_offsets\":[2,6]}}", 6, "overlap"},
        {"{" A ",\"b\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "overlap"},
        {"{" A "}", 3, "truncated"},
        {"{" A "}", 5, "belong to no array"},
        {"{}", 1, "belong to no array"},
        {"{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "a bool is 7"},
        {"{\"a\\ud800\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "surrogate"},
        {"{\"a\\ude00\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "surrogate"},
        {"{\"a\\u00g0\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "hexadecimal"},
        {"{\"a\\u0000\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "character 0"},
        {"{\"a\\x\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "escape"},
        {"{\"a\xc0\x80\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "UTF-8"},
        {"{\"a\n\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "control"},
        {"{\"a", 0, "no end"},
        {"{\"\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "empty"},
        {"{\"a..b\":{" F32 ",\"data_offsets\":[0,4]}}", 4, "empty"},
        {"{" A ",\"a.b\":{" F32 ",\"data_offsets\":[4,8]}}", 8, "conflicts with another array"},
        {"{\"a.b\":{" F32 ",\"data_offsets\":[0,4]},\"a/b\":{" F32 ",\"data_offsets\":[4,8]}}", 8, "conflicts with another array"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a\\\":\\\"array\\\"}\"}," A "}", 4, NULL},
        {"{\"__metadata__\":{\"vinea.tree\":\"{}\"}," A "}", 4, "not in the note"},
        {"{\"__metadata__\":{\"vinea.tree\":\"\"}," A "}", 4, "tree was expected"},
        {"{\"__metadata__\":{\"vinea.tree\":\"null\"}," A "}", 4, "tree was expected"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"b\\\":\\\"array\\\"}\"}," A "}", 4, "not there"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a\\\":\\\"array\\\",\\\"a\\\":1}\"}," A "}", 4, "twice"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a\\\":\\\"complex128\\\"}\"}," A "}", 4, "pairs"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a\\\":\\\"text\\\"}\"}," A "}", 4, "unknown kind"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a.b\\\":null}\"}}", 0, "key"},
        {"{\"__metadata__\":{\"vinea.tree\":\"{\\\"a\\\":1.}\"}}", 0, "not a number"},
        {"{\"__metadata__\":{\"vinea.tree\":\"[\\\"a\\\",1\"}}", 0, "']'"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        VN_SCOPE;
        unsigned char file[1024] = {0};
        size_t n = strlen(rules[i].header);
        for (int k = 0; k < 8; k++) file[k] = (unsigned char)(n >> 8 * k);
        memcpy(file + 8, rules[i].header, n);
        memset(file + 8 + n, 7, rules[i].data);
        check_broken(file, 8 + n + rules[i].data, rules[i].says);
    }
    static const unsigned char long_header[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, '{', '}'};
    check_broken(long_header, sizeof long_header, "at most 100000000");
    check_broken("\5\0\0\0\0\0\0\0{}", 10, "in a file of 10");
    check_broken("\5\0\0", 3, "too short");
    check_broken("", 0, "too short");
}

TEST(broken_npy)
{
    static const struct {
        const char *header;
        size_t data;
        const char *says;
    } rules[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 4, NULL},
        {"{\"shape\":(),\"descr\":\"=f4\",\"fortran_order\":True}", 4, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 3, "need 4"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 5, "need 4"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1), }", 4, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 4, "whole numbers"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 4, "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,4294967296), }", 4, "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }", 4,
         "32 axes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': [1], }", 4, "tuple"},
        {"{'descr': '<f4', 'fortran_order': False}", 4, "missing"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4, "twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", 4, "unknown"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", 4, "True or False"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': ()}", 16, "<f16"},
        {"{'descr': '<f4' 'fortran_order': False, 'shape': ()}", 4, "',' or '}'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4, "more text"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': ()", 4, "'}'"},
        {"'descr'", 4, "'{'"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        VN_SCOPE;
        unsigned char file[512] = "\x93NUMPY\1";
        size_t n = strlen(rules[i].header);
        file[8] = (unsigned char)n;
        memcpy(file + 10, rules[i].header, n);
        check_broken(file, 10 + n + rules[i].data, rules[i].says);
    }
    check_broken("\x93NUMPY\4\0\0\0\0\0", 12, "version 4.0");
    check_broken("\x93NUMPY\1\0\377\17", 10, "truncated");
    check_broken("\x93NUMPY\3\0\377\377\377\177", 12, "at most 10000");
}

/* Changes of single bytes in archives with two members. */
TEST(broken_archives)
{
    enum {
        LOCAL,
        CENTRAL,
        END,
        SECOND
    }; /* counted from the first local header, the first entry, the last record, the second local header */
    static const struct {
        int from, at;
        unsigned char value;
        const char *says;
    } rules[] = {
        {LOCAL, 6, 1, "not the one"},     {LOCAL, 8, 8, "not the one"},
        {LOCAL, 14, 0, "checksum"},       {LOCAL, 22, 0, "size or checksum"},
        {LOCAL, 26, 9, "not the one"},    {LOCAL, 28, 0xff, "overlap"},
        {LOCAL, 30, 'z', "not the one"},  {CENTRAL, 0, 0, "entry of the directory"},
        {CENTRAL, 8, 1, "encrypted"},     {CENTRAL, 10, 12, "method 12"},
        {CENTRAL, 16, 0, "checksum"},     {CENTRAL, 20, 1, "two sizes"},
        {CENTRAL, 29, 0xff, "truncated"}, {CENTRAL, 34, 1, "several files"},
        {CENTRAL, 42, 1, "where the"},    {CENTRAL, 46, 'z', "not the one"},
        {END, 0, 0, "no directory"},      {END, 4, 1, "several files"},
        {END, 8, 9, "several files"},     {END, 12, 0, "misplaced"},
        {END, 16, 0, "misplaced"},        {END, 20, 1, "no directory"},
        {SECOND, 0, 0, "where the"},
    };
    bytes b = read_bytes(data_file("every.npz"));
    size_t central = b.size, second = 0, end = b.size - 22;
    for (size_t i = b.size - 4; i > 0; i--) {
        if (!memcmp(b.data + i, "PK\1\2", 4)) central = i;
        if (!memcmp(b.data + i, "PK\3\4", 4)) second = i;
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        size_t at = (rules[i].from == LOCAL     ? 0
                     : rules[i].from == CENTRAL ? central
                     : rules[i].from == END     ? end
                                                : second) +
                    (size_t)rules[i].at;
        unsigned char old = b.data[at];
        CHECK(old != rules[i].value);
        b.data[at] = rules[i].value;
        write_bytes(in_folder("broken"), b.data, b.size);
        CHECK_FAILS(vn_load(in_folder("broken"), NULL), VN_E_FORMAT, rules[i].says);
        b.data[at] = old;
    }
    /* Two members at one place. */
    size_t next = central + 46 + b.data[central + 28];
    unsigned char *offset = b.data + next + 42;
    memcpy(offset, "\0\0\0\0", 4);
    check_broken(b.data, b.size, "not the one");
    free(b.data);
}

/* ---- tables ---- */

static vn_array *csv(const char *text, vn_dtype dtype, const vn_csv_opts *opts)
{
    write_bytes(in_folder("table.csv"), text, strlen(text));
    return vn_read_csv(in_folder("table.csv"), dtype, opts);
}

TEST(tables)
{
    vn_array *x = csv("1,2.5,-3e-2\n\n .5 ,\"7\",+1E3\r\nnan,inf,-Infinity", VN_F32, NULL);
    const float *p = vn_data(x), expected[] = {1, 2.5f, -3e-2f, .5f, 7, 1e3f, NAN, INFINITY, -INFINITY};
    CHECK(vn_dim(x, 0) == 3 && vn_dim(x, 1) == 3 && vn_dtype_of(x) == VN_F32);
    for (int i = 0; i < 9 && p; i++) CHECK(near(p[i], expected[i], 0));
    x = csv("\xef\xbb\xbfname;other\n1;\n", VN_F64, VN_OPTS(csv, .delimiter = ';', .header = 1, .empty_nan = 1));
    CHECK(vn_dim(x, 0) == 1 && vn_dim(x, 1) == 2 && vn_dtype_of(x) == VN_F64 &&
          isnan(vn_item(vn_slice_at(x, VN_SHAPE(0, 1), VN_SHAPE(1, 1)))));
    x = csv("", VN_F32, NULL);
    CHECK(vn_dim(x, 0) == 0 && vn_dim(x, 1) == 0);
    /* Numbers that plain arithmetic would round twice, against the C library. */
    static const char *const hard[] = {
        "0.1",
        "123456789012345678",
        "9007199254740993",
        "1.7976931348623157e308",
        "4.9e-324",
        "2.2250738585072011e-308",
        "1e400",
        "1e-400",
        "0.000000000000000000000000000000000000001",
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        x = csv(hard[i], VN_F64, NULL);
        CHECK(x && ((const double *)vn_data(x))[0] == strtod(hard[i], NULL));
    }
    static const struct {
        const char *text, *says;
    } broken[] = {{"1,2\n3\n", "line 2"},       {"1,2\n\n3,4,5\n", "line 3"}, {"1,x\n", "not a number"},   {"1,\n", "empty"},
                  {"0x10\n", "not a number"},   {"1e\n", "not a number"},     {"1 2\n", "not a number"},   {".\n", "not a number"},
                  {"nan(1)\n", "not a number"}, {"1,2,\n", "empty"},          {"1.5.2\n", "not a number"}, {"--1\n", "not a number"},
                  {"1,5;2\n", "column (2)"}};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) CHECK_FAILS(csv(broken[i].text, VN_F32, NULL), VN_E_FORMAT, broken[i].says);
    CHECK_FAILS(csv("1", VN_I32, NULL), VN_E_DTYPE, "read_csv: numbers are not read as int32; a float dtype is needed");
    CHECK_FAILS(csv("1", VN_NO_DTYPE, NULL), VN_E_DTYPE, "read_csv: 0 is not a dtype");
    CHECK_FAILS(csv("1", VN_F32, VN_OPTS(csv, .delimiter = '.')), VN_E_ARG, "separated");
    CHECK_FAILS(vn_read_csv(in_folder("not there"), VN_F32, NULL), VN_E_IO, "No such file");
    CHECK_FAILS(vn_read_csv(NULL, VN_F32, NULL), VN_E_NULL, "path");
}

/* ---- mapping ---- */

static int is_mapped(const char *name)
{
    char line[4096];
    int found = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) found |= strstr(line, name) != NULL;
    if (f) fclose(f);
    return found;
}

TEST(mappings)
{
    vn_array *x;
    {
        VN_SCOPE;
        vn_save_array(in_folder("mapped"), vn_arange(0, 1000, 1, VN_F32));
        vn_tree *t = vn_load(in_folder("mapped"), NULL);
        x = vn_keep(vn_tree_get(t, "x"));
        if (!strcmp(engine, "native")) CHECK(is_mapped("/mapped"));
        CHECK(vn_save_array(in_folder("mapped"), vn_zeros(VN_SHAPE(10), VN_F32)) == VN_OK); /* another file takes the name */
        CHECK(vn_size(vn_load_array(in_folder("mapped"))) == 10);
    }
    CHECK(vn_item(vn_sum(x, VN_ALL)) == 499500);
    vn_drop(x);
    if (!strcmp(engine, "native")) CHECK(!is_mapped("/mapped"));
}

/* ---- system errors ---- */

static int unchanged(const char *path)
{
    vn_array *x = vn_load_array(path);
    return x && vn_size(x) == 3 && vn_item(vn_sum(x, VN_ALL)) == 3;
}

/* This program again, as another process that tries to save a large array over a file. */
static int save_in_small_files(const char *path)
{
    struct rlimit before;
    signal(SIGXFSZ, SIG_IGN);
    if (getrlimit(RLIMIT_FSIZE, &before) || setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, before.rlim_max})) return 98;
    const int code = vn_save_array(path, vn_zeros(VN_SHAPE(1 << 20), VN_F32));
    return setrlimit(RLIMIT_FSIZE, &before) ? 98 : code; /* the files that a process writes at its end, as counts of branches, stay whole */
}

static int save_as_nobody(const char *path)
{
    if (!geteuid() && setuid(65534)) return 99;
    return vn_save_array(path, vn_zeros(VN_SHAPE(1 << 20), VN_F32));
}

/* Runs one of these and returns its code. */
static int save_elsewhere(const char *how, const char *path)
{
    pid_t child = fork();
    if (!child) {
        execl("/proc/self/exe", "files", how, path, (char *)NULL);
        _exit(99);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(failures)
{
    folder_empty();
    const char *path = in_folder("good");
    CHECK(vn_save_array(path, vn_ones(VN_SHAPE(3), VN_F32)) == VN_OK && folder_count() == 1);
    CHECK_FAILS(vn_save_array("/dev/full", vn_zeros(VN_SHAPE(3), VN_F32)), VN_E_IO, "No space left");
    CHECK(access("/dev/full", F_OK) == 0);
    CHECK(vn_save_array("/dev/null", vn_zeros(VN_SHAPE(3), VN_F32)) == VN_OK);
    CHECK_FAILS(vn_save_array(folder, vn_zeros(VN_0D, VN_F32)), VN_E_IO, "directory");
    CHECK_FAILS(vn_save_array(in_folder("no such folder/x"), vn_zeros(VN_0D, VN_F32)), VN_E_IO, "No such file");
    CHECK(save_elsewhere("small", path) == VN_E_IO && unchanged(path) && folder_count() == 1);
    CHECK(!chmod(folder, 0555) && save_elsewhere("nobody", path) == VN_E_IO && !chmod(folder, 0755));
    CHECK(unchanged(path) && folder_count() == 1);
    /* Permissions stay, and links are followed. */
    struct stat st;
    CHECK(!chmod(path, 0640) && !symlink("good", in_folder("link")));
    CHECK(vn_save_array(in_folder("link"), vn_ones(VN_SHAPE(3), VN_F32)) == VN_OK && unchanged(path));
    CHECK(!lstat(in_folder("link"), &st) && S_ISLNK(st.st_mode) && !stat(path, &st) && (st.st_mode & 0777) == 0640);
    /* A name without a folder is in the working one. */
    char *before = getcwd(NULL, 0);
    CHECK(before && !chdir(folder) && vn_save_array("plain", vn_ones(VN_SHAPE(3), VN_F32)) == VN_OK && unchanged("plain") &&
          !chdir(before));
    free(before);
    CHECK(folder_count() == 3);
    CHECK(!mkfifo(in_folder("pipe"), 0600));
    CHECK_FAILS(vn_load(in_folder("pipe"), NULL), VN_E_IO, "regular");
}

int main(int argc, char **argv)
{
    if (argc == 3) return *argv[1] == 's' ? save_in_small_files(argv[2]) : save_as_nobody(argv[2]);
    use_engine(argc, argv);
    engine = vn_using();
    folder_make();
    run_tests();
    folder_remove();
    return finish();
}
