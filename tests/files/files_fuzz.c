/* SPDX-License-Identifier: Apache-2.0 */
/* files_fuzz.c: files with bytes flipped, removed or moved: reading gives an array or an error. The files are
 * in memory, with a path to their descriptor. */
/* ctest: seconds 3 */
/* ctest: sanitize */
#include "folder.h"
#include <sys/mman.h>

#ifndef ROUNDS
#define ROUNDS 10000
#endif
static const char *const seeds[] = {"every.safetensors", "every.npz",   "every_deflated.npz", "streamed.npz", "version1.npy",
                                    "big_complex.npy",   "fortran.npy", "long.npz",           "own.npz",      "own.safetensors"};
enum { SEEDS = sizeof seeds / sizeof *seeds };

static uint64_t roll(uint64_t *s)
{
    *s ^= *s << 13, *s ^= *s >> 7, *s ^= *s << 17;
    return *s;
}

/* A file of ours; safetensors with everything that its structure metadata can contain. */
static bytes own_file(const char *name)
{
    VN_SCOPE;
    vn_array *x = vn_zeros(VN_SHAPE(3), VN_C128), *two[] = {x, vn_ones(VN_SHAPE(5), VN_BOOL)};
    vn_tree *t = vn_tree_of("a/x", x, "b", x, NULL);
    vn_tree_set_tree(t, "list", vn_tree_list(2, two));
    if (!strstr(name, ".npz")) {
        vn_tree_set_number(t, "n", .1);
        vn_tree_set_null(t, "a/null");
    }
    CHECK(vn_save(in_folder(name), t, NULL) == VN_OK);
    bytes b = read_bytes(in_folder(name));
    return b;
}

/* Early bytes hold headers, late ones directories: they are changed more often than their number says. */
static size_t place(size_t n, uint64_t *s)
{
    size_t near_edge = roll(s) % (n < 600 ? n : 600);
    switch (roll(s) % 3) {
    case 0: return near_edge;
    case 1: return n - 1 - near_edge;
    default: return roll(s) % n;
    }
}

static size_t mutate(unsigned char *data, size_t n, uint64_t *s)
{
    static const unsigned char telling[] = {0, 1, 0x7f, 0x80, 0xff, '"', '{', '}', '[', ']', ',', '0', '9', '-'};
    for (int changes = 1 + (int)(roll(s) % 4); changes; changes--) {
        size_t at = place(n, s);
        switch (roll(s) % 5) {
        case 0: data[at] ^= (unsigned char)(1u << roll(s) % 8); break;
        case 1: data[at] = telling[roll(s) % sizeof telling]; break;
        case 2: data[at] = (unsigned char)roll(s); break;
        case 3: {
            size_t from = place(n, s), most = n - (from > at ? from : at), length = 1 + roll(s) % 16;
            memmove(data + at, data + from, length < most ? length : most);
            break;
        }
        default:
            if (roll(s) % 4 == 0) n = 1 + roll(s) % n; /* cut */
        }
    }
    return n;
}

static void check_one(int fd, const unsigned char *data, size_t n)
{
    VN_SCOPE;
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    CHECK(!ftruncate(fd, 0) && pwrite(fd, data, n, 0) == (ssize_t)n);
    vn_tree *t = vn_load(path, NULL);
    CHECK(t ? vn_status() == VN_OK : vn_status() == VN_E_FORMAT || vn_status() == VN_E_MEM || vn_status() == VN_E_IO);
    for (int i = 0; t && i < vn_tree_leaves(t); i++) {
        vn_array *x = vn_tree_leaf(t, i);
        if (vn_size(x)) CHECK(vn_data(vn_sum(vn_cast((VN_BIT(vn_dtype_of(x)) & VN_COMPLEX) ? vn_real(x) : x, VN_F64), VN_ALL)));
    }
    vn_clear();
    vn_file_info f = {.size = sizeof f};
    CHECK(!vn_inspect(path, &f) || !t); /* what loads can be read */
    vn_clear();
    vn_array *table = vn_read_csv(path, VN_F32, NULL);
    CHECK(table ? vn_status() == VN_OK : vn_status() == VN_E_FORMAT);
    vn_clear();
}

int main(void)
{
    check_name = "changed files";
    uint64_t s = 42;
    folder_make();
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    for (int k = 0; k < SEEDS; k++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", VN_TEST_DATA, seeds[k]);
        bytes b = strstr(seeds[k], "own") ? own_file(seeds[k]) : read_bytes(path);
        unsigned char *data = malloc(b.size);
        int rounds = ROUNDS / SEEDS + 1;
        if (b.size > 10000) rounds /= 10;
        for (int i = 0; i < rounds && data; i++) {
            memcpy(data, b.data, b.size);
            check_one(fd, data, mutate(data, b.size, &s));
        }
        for (size_t n = 0; n < b.size && b.size < 10000 && data; n++) { /* every truncation */
            memcpy(data, b.data, b.size);
            check_one(fd, data, n);
        }
        free(data);
        free(b.data);
    }
    close(fd);
    folder_remove();
    vn_memory_info m = {.size = sizeof m};
    vn_memory(&m);
    CHECK(m.handles < 8);
    return finish();
}
