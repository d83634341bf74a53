/* SPDX-License-Identifier: Apache-2.0 */
/* files_details.c: each thing that can be wrong with a file, in files made byte by byte: archives, tables, structures, checkpoints; and
 * what is refused before a file is written. */
/* ctest: sanitize */
#include "files/files.h"
#include "folder.h"
#include <fcntl.h>
#include <sys/resource.h>

/* ---- archives ---- */

static unsigned char zip[1 << 17];
static size_t size;

static void put(uint64_t x, int count)
{
    for (int k = 0; k < count; k++) zip[size++] = (unsigned char)(x >> 8 * k);
}

static void put_text(const char *text, size_t n)
{
    memcpy(zip + size, text, n);
    size += n;
}

/* A small npy file: one float32. */
static size_t npy(unsigned char *to)
{
    static const char dictionary[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n";
    memcpy(to, "\x93NUMPY\1\0", 8);
    to[8] = sizeof dictionary - 1, to[9] = 0;
    memcpy(to + 10, dictionary, sizeof dictionary - 1);
    memcpy(to + 10 + sizeof dictionary - 1, "\0\0\x80\x3f", 4);
    return 10 + sizeof dictionary - 1 + 4;
}

/* Local header, data and entry of one stored member; the entry goes behind the data at once. */
static struct {
    const char *name;
    size_t n_name;
    size_t count; /* of its data that are kept, and that the headers tell */
    uint64_t local;
    size_t more; /* bytes in the directory that belong to no entry */
} member;

static void archive(void)
{
    unsigned char data[128];
    const size_t n = member.count ? member.count : npy(data);
    npy(data);
    const uint32_t crc = vn__crc32(0, data, n);
    size = 0;
    put(0x04034b50, 4), put(20, 2), put(0, 2), put(0, 2), put(0, 4), put(crc, 4), put(n, 4), put(n, 4), put(member.n_name, 2), put(0, 2);
    put_text(member.name, member.n_name);
    put_text((const char *)data, n);
    const size_t begin = size;
    put(0x02014b50, 4), put(20, 2), put(20, 2), put(0, 2), put(0, 2), put(0, 4), put(crc, 4), put(n, 4), put(n, 4);
    put(member.n_name, 2), put(0, 2), put(0, 2), put(0, 2), put(0, 2), put(0, 4), put(member.local, 4);
    put_text(member.name, member.n_name);
    size += member.more;
    const size_t end = size;
    put(0x06054b50, 4), put(0, 2), put(0, 2), put(1, 2), put(1, 2), put(end - begin, 4), put(begin, 4), put(0, 2);
}

static vn_tree *load(void)
{
    write_bytes(in_folder("x.npz"), zip, size);
    return vn_load(in_folder("x.npz"), NULL);
}

static vn_tree *load_named(const char *name, size_t n)
{
    memset(&member, 0, sizeof member);
    member.name = name, member.n_name = n;
    archive();
    return load();
}

TEST(members)
{
    CHECK(vn_item(vn_tree_get(load_named("w.npy", 5), "w")) == 1);
    CHECK_FAILS(load_named(".npy", 4), VN_E_FORMAT, "no name of an npy file");
    CHECK_FAILS(load_named("w.txt", 5), VN_E_FORMAT, "\"w.txt\" has no name of an npy file");
    CHECK_FAILS(load_named("w\0.npy", 6), VN_E_FORMAT, "no name of an npy file");
    CHECK_FAILS(load_named("\xff.npy", 5), VN_E_FORMAT, "no name of an npy file");
    CHECK_FAILS(load_named("a..npy", 6), VN_E_FORMAT, "a part of it is empty or too long");
    load_named("w.npy", 5);
    member.count = npy((unsigned char[128]){0}) - 1; /* three bytes of a float32 */
    archive();
    CHECK_FAILS(load(), VN_E_FORMAT, "\"w\" does not have the size that shape and dtype need");
    member.count = 11; /* its header is cut */
    archive();
    CHECK_FAILS(load(), VN_E_FORMAT, "is truncated");
    member.count = 0, member.more = 7;
    archive();
    CHECK_FAILS(load(), VN_E_FORMAT, "the directory has bytes that belong to no entry");
    member.more = 0, member.local = 1;
    archive();
    CHECK_FAILS(load(), VN_E_FORMAT, "a member is not where the directory says");
    member.local = 1 << 20;
    archive();
    CHECK_FAILS(load(), VN_E_FORMAT, "a member is not where the directory says");
    member.local = 0;
    archive();
    const size_t directory = size - 22 - 46 - 5;
    memmove(zip + 10, zip + directory, size - directory); /* less than a local header before the directory */
    size = 10 + size - directory;
    zip[size - 6] = 10, zip[size - 5] = 0;
    CHECK_FAILS(load(), VN_E_FORMAT, "a member is not where the directory says");
}

/* A member that is deflated, as one stored block: its bools are checked when it has been inflated. */
TEST(deflated_bools)
{
    static const char dictionary[] = "{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }\n";
    unsigned char data[128], block[160];
    memcpy(data, "\x93NUMPY\1\0", 8);
    data[8] = sizeof dictionary - 1, data[9] = 0;
    memcpy(data + 10, dictionary, sizeof dictionary - 1);
    const size_t n = 10 + sizeof dictionary - 1 + 2;
    for (int bad = 0; bad < 2; bad++) {
        data[n - 2] = 1, data[n - 1] = bad ? 7 : 0;
        const uint32_t crc = vn__crc32(0, data, n);
        block[0] = 1, block[1] = (unsigned char)n, block[2] = 0, block[3] = (unsigned char)~n, block[4] = 0xff;
        memcpy(block + 5, data, n);
        size = 0;
        put(0x04034b50, 4), put(20, 2), put(0, 2), put(8, 2), put(0, 4), put(crc, 4), put(n + 5, 4), put(n, 4), put(5, 2), put(0, 2);
        put_text("w.npy", 5), put_text((const char *)block, n + 5);
        const size_t begin = size;
        put(0x02014b50, 4), put(20, 2), put(20, 2), put(0, 2), put(8, 2), put(0, 4), put(crc, 4), put(n + 5, 4), put(n, 4);
        put(5, 2), put(0, 2), put(0, 2), put(0, 2), put(0, 2), put(0, 4), put(0, 4), put_text("w.npy", 5);
        const size_t end = size;
        put(0x06054b50, 4), put(0, 2), put(0, 2), put(1, 2), put(1, 2), put(end - begin, 4), put(begin, 4), put(0, 2);
        if (bad) CHECK_FAILS(load(), VN_E_FORMAT, "byte 35: \"w\": a bool is 7, not 0 or 1");
        else CHECK(vn_item(vn_sum(vn_tree_get(load(), "w"), VN_ALL)) == 1);
    }
}

/* The last record, with 64-bit numbers in a record before it where `wide` says so. */
static void end_record(uint64_t members, uint64_t length, uint64_t begin)
{
    put(0x06054b50, 4), put(0, 4), put(members, 2), put(members, 2), put(length, 4), put(begin, 4), put(0, 2);
}

static void end64(uint64_t members, uint64_t length, uint64_t begin, uint64_t at)
{
    put(0x06064b50, 4), put(44, 8), put(45, 2), put(45, 2), put(0, 8), put(members, 8), put(members, 8), put(length, 8), put(begin, 8);
    put(0x07064b50, 4), put(0, 4), put(at, 8), put(1, 4);
}

TEST(ends_of_archives)
{
    const uint64_t wide = 0xffffffff;
    size = 0, put(0x04034b50, 4), put(0, 4); /* shorter than any end */
    CHECK_FAILS(load(), VN_E_FORMAT, "the archive has no directory");
    memset(zip, 0, sizeof zip); /* longer than a comment may be */
    size = 0, put(0x04034b50, 4), size = 100000;
    CHECK_FAILS(load(), VN_E_FORMAT, "the archive has no directory");
    /* an empty archive is its end record alone; each of its numbers may be wide */
    size = 0, end_record(0, 0, 0);
    CHECK(vn_tree_leaves(load()) == 0);
    size = 0, end_record(0xffff, 0, 0);
    CHECK_FAILS(load(), VN_E_FORMAT, "the record of 64-bit numbers is missing");
    size = 0, put(0x04034b50, 4), size += 60, end_record(0, wide, 0);
    CHECK_FAILS(load(), VN_E_FORMAT, "the record of 64-bit numbers is missing");
    for (int k = 0; k < 3; k++) {
        size = 0, end64(0, 0, 0, 0), end_record(k == 0 ? 0xffff : 0, k == 1 ? wide : 0, k == 2 ? wide : 0);
        CHECK(vn_tree_leaves(load()) == 0);
    }
    size = 0, end64(0, 0, 0, 1), end_record(0, wide, 0);
    CHECK_FAILS(load(), VN_E_FORMAT, "the record of 64-bit numbers is misplaced");
    size = 0, put(0x04034b50, 4), end64(0, 0, 0, 0), end_record(0, wide, 0); /* something else is there */
    CHECK_FAILS(load(), VN_E_FORMAT, "the record of 64-bit numbers is misplaced");
    size = 0, put(0x04034b50, 4), put(0, 4), put(0x07064b50, 4), put(0, 4), put(0, 8), put(1, 4),
    end_record(0, wide, 0); /* no room for it */
    CHECK_FAILS(load(), VN_E_FORMAT, "the record of 64-bit numbers is misplaced");
    size = 0, end64(5, 0, 0, 0), end_record(0xffff, wide, wide);
    CHECK_FAILS(load(), VN_E_FORMAT, "5 members cannot be");
}

/* A directory with room for more members than are read; the file has a hole instead. */
TEST(too_many_members)
{
    const uint64_t length = UINT64_C(46) * (VN__FILE_ENTRIES + 1);
    size = 0, put(0x04034b50, 4), size += 26;
    const int f = open(in_folder("x.npz"), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK(write(f, zip, size) == (ssize_t)size);
    const uint64_t begin = size, at = begin + length;
    size = 0, end64(VN__FILE_ENTRIES + 1, length, begin, at), end_record(0xffff, 0xffffffff, 0xffffffff);
    CHECK(pwrite(f, zip, size, (off_t)at) == (ssize_t)size && !close(f));
    CHECK_FAILS(vn_load(in_folder("x.npz"), NULL), VN_E_FORMAT, "1048577 members cannot be");
}

/* ---- npy ---- */

static vn_array *load_npy(const char *dictionary, size_t count)
{
    unsigned char file[256] = "\x93NUMPY\1\0";
    const size_t n = strlen(dictionary);
    file[8] = (unsigned char)n;
    memcpy(file + 10, dictionary, n);
    for (size_t k = 0; k < count; k++) file[10 + n + k] = (unsigned char)(k == count - 1);
    write_bytes(in_folder("x.npy"), file, 10 + n + count);
    return vn_load_array(in_folder("x.npy"));
}

TEST(npy_headers)
{
    CHECK(vn_item(load_npy("{'descr': '>i2', 'fortran_order': False, 'shape': (1,)}", 2)) == 1);
    CHECK(vn_item(load_npy("{'descr': '>i1', 'fortran_order': False, 'shape': (1,)}", 1)) == 1);
    CHECK(vn_item(load_npy("{'descr': '=i1', 'fortran_order': False, 'shape': (1,)}", 1)) == 1);
    CHECK(vn_size(load_npy("{'descr': '>f4', 'fortran_order': False, 'shape': (0,)}", 0)) == 0);
    CHECK(vn_dtype_of(load_npy("{'descr': '?', 'fortran_order': True, 'shape': (1,), }", 1)) == VN_BOOL);
    CHECK_FAILS(load_npy("{'descr': '<c1', 'fortran_order': False, 'shape': (1,)}", 1), VN_E_FORMAT, "no dtype of Vinea");
    CHECK_FAILS(load_npy("{'descr': '<', 'fortran_order': False, 'shape': (1,)}", 1), VN_E_FORMAT, "no dtype of Vinea");
    CHECK_FAILS(load_npy("{'descr': '', 'fortran_order': False, 'shape': (1,)}", 1), VN_E_FORMAT, "no dtype of Vinea");
    CHECK_FAILS(load_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1", 4), VN_E_FORMAT, "',' or ')' was expected");
    CHECK_FAILS(load_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (:,)}", 4), VN_E_FORMAT, "whole numbers");
    CHECK_FAILS(load_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (/,)}", 4), VN_E_FORMAT, "whole numbers");
    CHECK_FAILS(load_npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}", 4), VN_E_FORMAT, "True or False");
    CHECK_FAILS(load_npy("", 0), VN_E_FORMAT, "'{' was expected");
    CHECK_FAILS(load_npy("{", 0), VN_E_FORMAT, "a key and ':'");
    CHECK_FAILS(load_npy("{}", 0), VN_E_FORMAT, "is missing");
    write_bytes(in_folder("x.npy"), "\x93NUMPY\2\0\0\0", 10); /* version 2 has a length of four bytes */
    CHECK_FAILS(vn_load_array(in_folder("x.npy")), VN_E_FORMAT, "byte 10: the header is truncated");
}

/* ---- tables ---- */

static vn_array *csv(const char *text, size_t n, const vn_csv_opts *opts)
{
    write_bytes(in_folder("x.csv"), text, n);
    return vn_read_csv(in_folder("x.csv"), VN_F32, opts);
}

static double sum(vn_array *x)
{
    return vn_item(vn_sum(x, VN_ALL));
}

TEST(tables)
{
    vn_array *x = csv("\t1\t;2 \n  ;3", 11, VN_OPTS(csv, .delimiter = ';', .empty_nan = 1)); /* tabs are blanks */
    CHECK(vn_dim(x, 0) == 2 && isnan(vn_item(vn_slice_at(x, VN_SHAPE(1, 0), VN_SHAPE(1, 1)))));
    x = csv("1\t2\t\n3\t4\t5", 10, VN_OPTS(csv, .delimiter = '\t', .empty_nan = 1)); /* or separate fields */
    CHECK(vn_dim(x, 1) == 3 && isnan(vn_item(vn_slice_at(x, VN_SHAPE(0, 2), VN_SHAPE(1, 1)))));
    CHECK(sum(csv("1 2\n3 4\n", 8, VN_OPTS(csv, .delimiter = ' '))) == 10);
    CHECK(sum(csv("\"1\",2\n", 6, NULL)) == 3);
    CHECK(sum(csv("\xef\xbb\xbf"
                  "1,2",
                  6, NULL)) == 3);
    CHECK_FAILS(csv("\"1,2\n", 5, NULL), VN_E_FORMAT, "not a number, column (1)");
    CHECK_FAILS(csv("1\",2\n", 5, NULL), VN_E_FORMAT, "not a number, column (1)");
    CHECK_FAILS(csv("\",2\n", 4, NULL), VN_E_FORMAT, "not a number, column (1)");
    CHECK_FAILS(csv("1,2\n3,4,x\n", 11, NULL), VN_E_FORMAT, "line 2, byte 4: another number of fields");
    CHECK_FAILS(vn_read_csv(in_folder("x.csv"), (vn_dtype)99, NULL), VN_E_DTYPE, "read_csv: 99 is not a dtype");
    CHECK_FAILS(csv("1", 1, VN_OPTS(csv, .header = 2)), VN_E_ARG, "header");
    static const char separators[] = "\r\n\"+-.0123456789";
    for (const char *c = separators; *c; c++)
        CHECK_FAILS(csv("1", 1, VN_OPTS(csv, .delimiter = *c)), VN_E_ARG, "cannot be separated by the byte");
    vn_csv_opts wrong = {.size = 3};
    CHECK_FAILS(vn_read_csv(in_folder("x.csv"), VN_F32, &wrong), VN_E_ARG, "size");
}

/* ---- safetensors: structures and headers ---- */

/* A file with the header and that many bytes of data. */
static vn_tree *load_header(const char *header, size_t count)
{
    const size_t n = strlen(header);
    size = 0;
    put(n, 8), put_text(header, n);
    for (size_t k = 0; k < count; k++) put(0, 1);
    write_bytes(in_folder("x"), zip, size);
    return vn_load(in_folder("x"), NULL);
}

/* An array of two float64 named "z", and the note that says how the tree is made. */
static vn_tree *load_structure(const char *structure)
{
    char header[4096];
    snprintf(header, sizeof header,
             "{\"__metadata__\":{\"vinea.tree\":\"%s\"},\"z\":{\"dtype\":\"F64\",\"shape\":[2],\"data_offsets\":[0,16]}}", structure);
    return load_header(header, 16);
}

TEST(structures)
{
    CHECK(vn_rank(vn_tree_get(load_structure("{\\\"z\\\":\\\"array\\\"}"), "z")) == 1);
    vn_array *z = vn_tree_get(load_structure("[\\\"z\\\",\\\"complex128\\\"]"), "z");
    CHECK(vn_dtype_of(z) == VN_C128 && vn_rank(z) == 0);
    static const struct {
        const char *text, *says;
    } bad[] = {{"{\\\"\\\":null}", "this key is none of a tree"},
               {"{\\\"a/b\\\":null}", "this key is none of a tree"},
               {"{\\\"a.b\\\":null}", "this key is none of a tree"},
               {"{\\\"a\\\":\\\"array\\\"}", "it names an array that is not there"},
               {"{\\\"z\\\":\\\"array\\\",\\\"z\\\":null}", "a key occurs twice"},
               {"{\\\"z\\\":\\\"arrays\\\"}", "unknown kind of entry"},
               {"{\\\"z\\\":\\\"arr", "a string has no end"},
               {"{\\\"z\\\":1e}", "not a number"},
               {"{\\\"z\\\":null} 1", "there is more text after the end"},
               {"{\\\"z\\\":null,}", "a string was expected"},
               {"{\\\"z\\\" null}", "':' was expected"},
               {"{\\\"z\\\":null", "',' or '}' was expected"},
               {"[\\\"z\\\",null", "',' or ']' was expected"},
               {"7", "a tree was expected"},
               {"{}", "the array \"z\" is not in the note"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) CHECK_FAILS(load_structure(bad[k].text), VN_E_FORMAT, bad[k].says);
    /* complex128 needs pairs of float64 */
    static const struct {
        const char *header;
        size_t count;
    } no_pairs[] = {{"\"z\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8},
                    {"\"z\":{\"dtype\":\"F64\",\"shape\":[],\"data_offsets\":[0,8]}}", 8},
                    {"\"z\":{\"dtype\":\"F64\",\"shape\":[3],\"data_offsets\":[0,24]}}", 24}};
    for (int k = 0; k < 3; k++) {
        char header[300];
        snprintf(header, sizeof header, "{\"__metadata__\":{\"vinea.tree\":\"{\\\"z\\\":\\\"complex128\\\"}\"},%s", no_pairs[k].header);
        CHECK_FAILS(load_header(header, no_pairs[k].count), VN_E_FORMAT, "a complex array is not stored as pairs of float64");
    }
    char deep[3000] = "", text[3600], key[1100];
    for (int k = 0; k < 65; k++) strcat(deep, "{\\\"a\\\":");
    snprintf(text, sizeof text, "%snull", deep);
    CHECK_FAILS(load_structure(text), VN_E_FORMAT, "the tree is too deep");
    memset(key, 'k', 1025), key[1025] = 0;
    snprintf(text, sizeof text, "{\\\"%s\\\":null}", key);
    CHECK_FAILS(load_structure(text), VN_E_FORMAT, "this key is none of a tree");
}

TEST(headers)
{
    CHECK(load_header("{\"__metadata__\":null}", 0));
    CHECK_FAILS(load_header("{\"__metadata__\":[]}", 0), VN_E_FORMAT, "'{' was expected");
    CHECK_FAILS(load_header("{\"__metadata__\":{\"a\":\"b\",}}", 0), VN_E_FORMAT, "a string was expected");
    CHECK_FAILS(load_header("{\"__metadata__\":{\"a\":1}}", 0), VN_E_FORMAT, "a string was expected");
    CHECK_FAILS(load_header("{\"__metadata__\":{},\"__metadata__\":{}}", 0), VN_E_FORMAT, "occurs twice");
    CHECK(vn_tree_leaves(load_header("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},\"b\":{\"dtype\":\"F32\",\"shape\":["
                                     "1],\"data_offsets\":[0,4]},\"c\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
                                     12)) == 3);
    char parts[600] = "{\"a";
    for (int k = 0; k < 64; k++) strcat(parts, ".a");
    CHECK_FAILS(load_header(strcat(parts, "\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}}"), 4), VN_E_FORMAT,
                "it has too many parts");
    CHECK_FAILS(load_header("{\"a\":{\"dtype\":\"C128\",\"shape\":[],\"data_offsets\":[0,16]}}", 16), VN_E_FORMAT,
                "has dtype C128, which Vinea");
    /* arrays that begin at one place: the empty one comes first */
    vn_tree *t = load_header(
        "{\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
        4);
    CHECK(vn_size(vn_tree_get(t, "a")) == 0 && vn_size(vn_tree_get(t, "b")) == 1);
    t = load_header(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
        4);
    CHECK(vn_tree_leaves(t) == 2);
    CHECK_FAILS(load_header("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_"
                            "offsets\":[0,4]}}",
                            4),
                VN_E_FORMAT, "arrays overlap");
}

/* ---- before a file is written ---- */

static int nothing_is_written(const char *name, const vn_tree *t, const vn_save_opts *opts)
{
    const int code = vn_save(in_folder(name), t, opts);
    if (!access(in_folder(name), F_OK)) return VN_OK;
    return code;
}

TEST(refused_trees)
{
    vn_array *x = vn_ones(VN_SHAPE(2), VN_F32);
    vn_tree *t = vn_tree_of("x", x, NULL);
    const vn_note notes[] = {{"a", "b"}, {NULL, "b"}, {"a", NULL}, {"\xff", "b"}, {"c", "\xff"}};
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .notes = notes, .n_notes = -1)), VN_E_ARG, "-1 notes in a list that is there");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .n_notes = -1)), VN_E_ARG, "-1 notes in a list that is NULL");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .n_notes = 1)), VN_E_NULL, "1 notes in a list that is NULL");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .notes = notes + 1, .n_notes = 1)), VN_E_NULL, "key or value of note 0 is NULL");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .notes = notes, .n_notes = 3)), VN_E_NULL, "key or value of note 1 is NULL");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .notes = notes + 3, .n_notes = 1)), VN_E_ARG, "is not UTF-8");
    CHECK_FAILS(nothing_is_written("no", t, VN_OPTS(save, .notes = notes + 4, .n_notes = 1)), VN_E_ARG, "note \"c\" is not UTF-8");
    CHECK_FAILS(nothing_is_written("no.npz", vn_tree_of("\xff", x, NULL), NULL), VN_E_ARG, "is not UTF-8 or too long");
    CHECK_FAILS(nothing_is_written("no", vn_tree_of("\xff", vn_zeros(VN_0D, VN_C128), NULL), NULL), VN_E_ARG, "not UTF-8");
    vn_tree *numbers = vn_tree_new(NULL);
    vn_tree_set_number(numbers, "\xff", 1);
    CHECK_FAILS(nothing_is_written("no", numbers, NULL), VN_E_ARG, "a key of the tree is not UTF-8");
    vn_shape full = {.rank = VN_MAX_RANK};
    for (int k = 0; k < VN_MAX_RANK; k++) full.dim[k] = 1;
    CHECK_FAILS(nothing_is_written("no", vn_tree_of("x", vn_zeros(full, VN_C128), NULL), NULL), VN_E_SHAPE, "has 32 already");
    CHECK(vn_save(in_folder("full"), vn_tree_of("x", vn_zeros(full, VN_C64), NULL), NULL) == VN_OK); /* no other axis is needed */
    CHECK(vn_rank(vn_load_array(in_folder("full"))) == VN_MAX_RANK);
    /* a name of 64 parts is longer than archives allow */
    char *name = malloc(64 * 1025 + 1);
    memset(name, 'k', 64 * 1025);
    for (int k = 0; k < 64; k++) name[k * 1025 + 1024] = '/';
    name[64 * 1025 - 1] = 0;
    vn_tree *deep = vn_tree_new(NULL);
    CHECK(vn_tree_set(deep, name, x) == VN_OK);
    CHECK_FAILS(nothing_is_written("no.npz", deep, NULL), VN_E_ARG, "is not UTF-8 or too long");
    free(name);
    /* an empty tree, in each format, with a note and without */
    CHECK(vn_save(in_folder("none"), vn_tree_new(NULL), VN_OPTS(save, .notes = notes, .n_notes = 1)) == VN_OK);
    vn_file_info f = {.size = sizeof f};
    CHECK(!vn_inspect(in_folder("none"), &f) && f.n_arrays == 0 && f.n_notes == 1 && !strcmp(f.notes[0].value, "b"));
    CHECK_FAILS(nothing_is_written("no.npy", vn_tree_new(NULL), NULL), VN_E_STRUCT, "an npy file holds one array, the tree has 0");
    vn_tree *inner = vn_tree_new(NULL);
    vn_tree_set_tree(inner, "empty", vn_tree_new(NULL));
    CHECK_FAILS(nothing_is_written("no.npz", inner, NULL), VN_E_STRUCT, "\"empty\" is not an array");
    CHECK_FAILS(vn_save_array(in_folder("no"), NULL), VN_E_NULL, "save_array: x is NULL");
    f.size = 4;
    CHECK_FAILS(vn_inspect(in_folder("none"), &f), VN_E_ARG, "size");
}

/* ---- files that are no files ---- */

TEST(odd_files)
{
    CHECK_FAILS(vn_load("/proc/self/status", NULL), VN_E_IO, "the file does not say how large it is");
    CHECK_FAILS(vn_load("/proc/self/mem", NULL), VN_E_IO, "cannot read");
    write_bytes(in_folder("short"), "1234567", 7);
    CHECK_FAILS(vn_load(in_folder("short"), NULL), VN_E_FORMAT, "too short for any format");
    write_bytes(in_folder("empty"), "", 0);
    CHECK_FAILS(vn_load(in_folder("empty"), NULL), VN_E_FORMAT, "byte 0: the file is too short");
    if (!access("/sys/devices/system/cpu/online", R_OK)) /* which says 4096 bytes and has few */
        CHECK_FAILS(vn_read_csv("/sys/devices/system/cpu/online", VN_F32, NULL), VN_E_IO, "the file became shorter while it was read");
    CHECK_FAILS(vn_load(in_folder("short"), &(vn_load_opts){.size = 3}), VN_E_ARG, "size");
    vn_load_opts odd = {.size = sizeof odd, .copy = 2};
    CHECK_FAILS(vn_load(in_folder("short"), &odd), VN_E_ARG, "copy");
}

/* ---- checkpoints ---- */

static int load_checkpoint(const vn_tree *t, const vn_note *notes, int n, vn_checkpoint *c)
{
    if (vn__save_tree(in_folder("c"), t, notes, n, "test")) return -1;
    return vn_checkpoint_load(in_folder("c"), c);
}

TEST(checkpoints)
{
    const vn_note version[] = {{"vinea.checkpoint", "1"}, {"vinea.optimizer", "sgd"}}, newer[] = {{"vinea.checkpoint", "2"}};
    vn_array *random = vn_zeros(VN_SHAPE(2), VN_U64), *step = vn_zeros(VN_0D, VN_I64), *w = vn_ones(VN_SHAPE(2), VN_F32);
    vn_tree *weights = vn_tree_of("w", w, NULL), *good = vn_tree_of("random", random, "step", step, NULL);
    vn_checkpoint c = {.size = sizeof c};
    CHECK(load_checkpoint(good, version, 1, &c) == VN_OK && c.step == 0 && !c.config && !c.extra);
    CHECK_FAILS(load_checkpoint(good, newer, 1, &c), VN_E_FORMAT, "another version");
    CHECK_FAILS(load_checkpoint(good, NULL, 0, &c), VN_E_FORMAT, "the note vinea.checkpoint is missing");
    CHECK_FAILS(load_checkpoint(vn_tree_of("step", step, NULL), version, 1, &c), VN_E_STRUCT, "has no \"random\" of a checkpoint");
    CHECK_FAILS(load_checkpoint(vn_tree_of("random", w, "step", step, NULL), version, 1, &c), VN_E_STRUCT, "has no \"random\"");
    CHECK_FAILS(load_checkpoint(vn_tree_of("random", vn_zeros(VN_SHAPE(3), VN_U64), "step", step, NULL), version, 1, &c), VN_E_STRUCT,
                "has no \"random\"");
    CHECK_FAILS(load_checkpoint(vn_tree_of("random", random, "step", random, NULL), version, 1, &c), VN_E_STRUCT, "has no \"step\"");
    CHECK_FAILS(load_checkpoint(vn_tree_of("random", random, "step", step, "weights", w, NULL), version, 1,
                                &(vn_checkpoint){.size = sizeof c, .weights = weights}),
                VN_E_STRUCT, "has no weights");
    CHECK_FAILS(load_checkpoint(good, version, 1, &(vn_checkpoint){.size = sizeof c, .buffers = weights}), VN_E_STRUCT, "has no buffers");
    vn_checkpoint with_optim = {.size = sizeof c, .optim = vn_sgd(.1, NULL)};
    CHECK_FAILS(load_checkpoint(good, version, 1, &with_optim), VN_E_STRUCT, "has no optimizer");
    CHECK_FAILS(load_checkpoint(good, version, 2, &with_optim), VN_E_STRUCT, "has no optimizer");
    CHECK_FAILS(load_checkpoint(vn_tree_of("random", random, "step", step, "optimizer", w, NULL), version, 2, &with_optim), VN_E_STRUCT,
                "has no optimizer");
    /* an optimizer's state without the parameters that it belongs to */
    vn_optim *adam = vn_adam(.1, NULL), *other = vn_adam(.1, NULL);
    vn_tree *g = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK(vn_step(adam, weights, g) == VN_OK);
    CHECK(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .weights = weights, .optim = adam}) == VN_OK);
    CHECK(vn_checkpoint_load(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .optim = other}) == VN_OK && vn_optim_steps(other) == 1);
    /* and beside a network without any */
    vn_tree *no_weights = vn_tree_new(NULL);
    vn_optim *third = vn_adam(.1, NULL);
    CHECK(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .weights = no_weights, .optim = adam}) == VN_OK);
    CHECK(vn_checkpoint_load(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .weights = no_weights, .optim = third}) == VN_OK &&
          vn_optim_steps(third) == 1);
    /* a module beside buffers, trees and optimizers that are none */
    vn_module *m = vn_nn_linear(1, 1, NULL);
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .module = m, .buffers = weights}), VN_E_ARG,
                "one of them is enough");
    vn_tree *gone;
    vn_optim *gone_optim;
    vn_module *gone_module;
    {
        VN_SCOPE;
        gone = vn_tree_new(NULL);
        gone_optim = vn_sgd(.1, NULL);
        gone_module = vn_nn_linear(1, 1, NULL);
    }
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .weights = gone}), VN_E_FREED, "weights");
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .buffers = gone}), VN_E_FREED, "buffers");
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .optim = gone_optim}), VN_E_FREED, "optim");
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = sizeof c, .module = gone_module}), VN_E_FREED, "module");
    CHECK_FAILS(vn_checkpoint_save(in_folder("c"), &(vn_checkpoint){.size = 3}), VN_E_ARG, "size");
    /* a step that was saved comes back, and so do config and what was added */
    vn_checkpoint saved = {.size = sizeof saved, .step = 7, .config = "{}", .extra = weights, .weights = weights};
    CHECK(vn_checkpoint_save(in_folder("c"), &saved) == VN_OK);
    vn_checkpoint back = {.size = sizeof back, .weights = weights};
    CHECK(vn_checkpoint_load(in_folder("c"), &back) == VN_OK && back.step == 7 && !strcmp(back.config, "{}") &&
          vn_tree_leaves(back.extra) == 1);
}

/* ---- tables of text ---- */

TEST(which_files_are_tables)
{
    static const struct {
        const char *name, *bytes;
        size_t n;
        bool is;
    } files[] = {{"x", "1,2", 3, true},
                 {"x.CSV", "", 0, true},
                 {"x.npy", "1,2", 3, false},
                 {"x.data", "a\t1\r\n", 5, true},
                 {"x.data",
                  "\xff\xfe"
                  "1\0",
                  4, true},
                 {"x.data",
                  "\xfe\xff\0"
                  "1",
                  4, true},
                 {"x.data", "", 0, false},
                 {"x.data", "1", 1, true},
                 {"x.data", "a\0", 2, false},
                 {"x.data", "\x89PNG\r\n\x1a\n", 8, false},
                 {"x.data", "GIF\1", 4, false}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        write_bytes(in_folder(files[i].name), files[i].bytes, files[i].n);
        CHECK(vn__is_table(in_folder(files[i].name)) == files[i].is);
    }
    CHECK(!vn__is_table("?") && !vn__is_table(folder));
    struct rlimit before, none;
    CHECK(!getrlimit(RLIMIT_NOFILE, &before));
    none = (struct rlimit){0, before.rlim_max};
    write_bytes(in_folder("x.data"), "1", 1);
    CHECK(!setrlimit(RLIMIT_NOFILE, &none) && !vn__is_table(in_folder("x.data")) && !setrlimit(RLIMIT_NOFILE, &before));
    CHECK(vn__is_table(in_folder("x.data")));
}

FOLDER_TEST_MAIN
