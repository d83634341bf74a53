/* SPDX-License-Identifier: Apache-2.0 */
/* files_calls.c: every system call of saving, loading and checkpoints fails once and persistently: the file is the old one or the new one,
 * the error names it with the system's message, nothing stays open or is left behind, and the next try works. */
/* ctest: seconds 3 */
/* ctest: sanitize-address */
/* ctest: env VINEA_THREADS=1 */
#include "core/state.h"
#include "os/os.h"
#include "failing_calls.h"
#include <sys/file.h>

static const char *const old_text = "12 bytes old", *format;

/* The path of the file of this program. */
static const char *path(void)
{
    return in_folder(format);
}

static bool is_old(void)
{
    bytes b = read_bytes(path());
    bool same = b.size == strlen(old_text) && !memcmp(b.data, old_text, b.size);
    free(b.data);
    return same;
}

/* ---- saving ---- */

static vn_tree *tree(void)
{
    vn_tree *t = vn_tree_of("a/x", vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), "b", vn_arange(0, 500, 1, VN_F64), NULL);
    return t;
}

static bool is_new(void)
{
    vn_tree *t = vn_load(path(), VN_OPTS(load, .copy = 1));
    bool good = t && vn_item(vn_sum(vn_tree_get(t, "a/x"), VN_ALL)) == 6 && vn_item(vn_sum(vn_tree_get(t, "b"), VN_ALL)) == 124750;
    vn_clear();
    return good;
}

static void old_there(void)
{
    folder_empty();
    write_bytes(path(), old_text, strlen(old_text));
}
static void nothing_there(void)
{
    folder_empty();
}
static int save(void)
{
    return vn_save(path(), tree(), NULL);
}
static int save_one(void)
{
    return vn_save_array(path(), vn_arange(0, 500, 1, VN_F64));
}
static bool old_or_one(int code)
{
    vn_array *x = vn_load_array(path());
    const bool one = x && vn_item(vn_sum(x, VN_ALL)) == 124750;
    vn_clear();
    return one || (code && is_old());
}
static bool old_or_new(int code)
{
    return code ? is_new() || is_old() : is_new();
}
static bool none_or_new(int code)
{
    return is_new() || (code && access(path(), F_OK));
}

/* Through two links, over a leftover. */
static void old_behind_links(void)
{
    folder_empty();
    write_bytes(in_folder("target"), old_text, strlen(old_text));
    if (symlink("target", in_folder("link")) || symlink("link", path())) exit(1);
}
static void leftover_there(void)
{
    old_there();
    write_bytes(in_folder("f.vinea-0.tmp"), "left", 4);
}

/* Others hold all names that a temporary file has at first, so it gets one that is random. */
static int others[4];
static void names_taken(void)
{
    for (int k = 0; k < 4; k++)
        if (others[k]) close(others[k]);
    old_there();
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "f.vinea-%d.tmp", k);
        others[k] = open(in_folder(name), O_CREAT | O_WRONLY, 0600);
        if (others[k] < 0 || write(others[k], "theirs", 6) != 6 || flock(others[k], LOCK_EX | LOCK_NB)) exit(1);
    }
}

/* ---- loading ---- */

static double sum;

static void saved(void)
{
    folder_empty();
    if (vn_save(path(), tree(), NULL)) exit(1);
}
static int load_as(int copy)
{
    sum = -1;
    vn_tree *t = vn_load(path(), VN_OPTS(load, .copy = copy));
    if (t) sum = vn_item(vn_sum(vn_tree_get(t, "b"), VN_ALL));
    return (int)vn_status();
}
static int load_mapped(void)
{
    return load_as(0);
}
static int load_copied(void)
{
    return load_as(1);
}
static bool loaded(int code)
{
    return code ? sum == -1 : sum == 124750;
}
static int inspect(void)
{
    vn_file_info f = {.size = sizeof f};
    int code = vn_inspect(path(), &f);
    sum = code ? -1 : f.n_arrays == 2 ? 124750 : 0;
    return code;
}
static void table_there(void)
{
    folder_empty();
    write_bytes(path(), "1,2\n3,4\n", 8);
}
static void nothing_in_table(void)
{
    folder_empty();
    write_bytes(path(), "", 0);
}
static int read_nothing(void)
{
    vn_array *x = vn_read_csv(path(), VN_F32, NULL);
    sum = x ? (double)vn_size(x) : -1;
    return (int)vn_status();
}
static bool was_nothing(int code)
{
    return code ? sum == -1 : sum == 0;
}
static int read_table(void)
{
    vn_array *x = vn_read_csv(path(), VN_F32, NULL);
    sum = x ? vn_item(vn_sum(x, VN_ALL)) : -1;
    return (int)vn_status();
}
static int read_dataset(void)
{
    sum = vn_dataset_load(path(), NULL) ? 10 : -1;
    return (int)vn_status();
}
static bool read_ten(int code)
{
    return code ? sum == -1 : sum == 10;
}
static void model_there(void)
{
    static const char text[] = "{\"layers\": [{\"type\": \"linear\", \"out\": 2}]}";
    folder_empty();
    write_bytes(path(), text, sizeof text - 1);
}
static int read_model(void)
{
    sum = vn_model(path(), VN_SHAPE(3), 1) ? 10 : -1;
    return (int)vn_status();
}

/* ---- pipes and lines ---- */

static int reader = -1;

static void pipe_there(void)
{
    if (reader >= 0) close(reader);
    folder_empty();
    if (mkfifo(path(), 0600) || (reader = open(path(), O_RDONLY | O_NONBLOCK)) < 0) exit(1);
}
/* Something came through, or nothing that is whole; it is taken out. */
static bool came(int code)
{
    char text[1 << 14];
    ssize_t n, all = 0;
    while ((n = read(reader, text, sizeof text)) > 0) all += n;
    return code || all > 0;
}

static const char line[] = "a line\n";

static int append(void)
{
    const char *what;
    const int error = vn__append_line(path(), line, sizeof line - 1, &what);
    return error ? vn__fail(VN_E_IO, "%s: %s: %s", path(), what, strerror(error)) : VN_OK;
}
/* What was there stays, and the new line is whole: it begins after the unfinished one, where that could be read. */
static bool appended(int code)
{
    bytes b = read_bytes(path());
    const size_t n = strlen(old_text), last = sizeof line - 1;
    const bool unread = fault.kind == SYS_openat || fault.kind == SYS_pread64;
    bool good = b.size >= n && !memcmp(b.data, old_text, n);
    if (!code) good = good && b.size >= n + last && !memcmp(b.data + b.size - last, line, last);
    if (!code && !unread) good = good && b.data[n] == '\n';
    free(b.data);
    return good;
}

/* ---- checkpoints ---- */

static vn_tree *weights;
static int64_t step;

static void checkpoint_there(void)
{
    folder_empty();
    vn_checkpoint c = {.size = sizeof c, .weights = vn_tree_of("w", vn_full(vn_scalar(3), VN_SHAPE(100), VN_F32), NULL), .step = 3};
    weights = vn_tree_of("w", vn_full(vn_scalar(5), VN_SHAPE(100), VN_F32), NULL);
    step = 5;
    if (vn_checkpoint_save(path(), &c)) exit(1);
}
static double weight(const vn_tree *w)
{
    return vn_item(vn_sum(vn_tree_get(w, "w"), VN_ALL)) / 100;
}
static int save_checkpoint(void)
{
    vn_checkpoint c = {.size = sizeof c, .weights = weights, .step = step};
    return vn_checkpoint_save(path(), &c);
}
static bool checkpoint_whole(int code)
{
    vn_checkpoint c = {.size = sizeof c, .weights = vn_tree_of("w", vn_zeros(VN_SHAPE(100), VN_F32), NULL)};
    if (vn_checkpoint_load(path(), &c)) return vn_clear(), false;
    return weight(c.weights) == (double)c.step && (c.step == 5 || (code && c.step == 3));
}
static int load_checkpoint(void)
{
    vn_checkpoint c = {.size = sizeof c, .weights = weights, .step = step};
    int code = vn_checkpoint_load(path(), &c);
    step = c.step;
    return code;
}
/* Nothing has changed when it failed. */
static bool checkpoint_loaded(int code)
{
    return step == (code ? 5 : 3) && weight(weights) == (double)step;
}

int main(void)
{
#ifdef NO_REGISTERS
    return 77;
#else
    static const struct {
        const char *format;
        faulty program;
    } programs[] = {
        {"f", {"safetensors", old_there, save, old_or_new, false, 1, 0}},
        {"f", {"safetensors, named", old_there, save, old_or_new, true, 1, 0}},
        {"f", {"safetensors, new", nothing_there, save, none_or_new, false, 1, 0}},
        {"f", {"safetensors, links", old_behind_links, save, old_or_new, false, 1, 0}},
        {"f", {"safetensors, left-over", leftover_there, save, old_or_new, true, 1, 0}},
        {"f.npz", {"npz", old_there, save, old_or_new, false, 1, 0}},
        {"f.npy", {"npy", old_there, save_one, old_or_one, false, 1, 0}},
        {"f", {"safetensors, names taken", names_taken, save, old_or_new, true, 1, 4}},
        {"p", {"pipe", pipe_there, save, came, false, 1, 0}},
        {"p", {"line into a pipe", pipe_there, append, came, false, 1, 0}},
        {"l", {"line", old_there, append, appended, false, 1, 0}},
        {"f", {"load, mapped", saved, load_mapped, loaded, false, 1, 0}},
        {"f.npz", {"load npz, copied", saved, load_copied, loaded, false, 1, 0}},
        {"f", {"inspect", saved, inspect, loaded, false, 1, 0}},
        {"t.csv", {"table", table_there, read_table, read_ten, false, 1, 0}},
        {"t.csv", {"empty table", nothing_in_table, read_nothing, was_nothing, false, 1, 0}},
        {"t.csv", {"dataset", table_there, read_dataset, read_ten, false, 1, 0}},
        {"m.json", {"model", model_there, read_model, read_ten, false, 1, 0}},
        {"c", {"save checkpoint", checkpoint_there, save_checkpoint, checkpoint_whole, false, 1, 0}},
        {"c", {"save checkpoint, named", checkpoint_there, save_checkpoint, checkpoint_whole, true, 1, 0}},
        {"c", {"load checkpoint", checkpoint_there, load_checkpoint, checkpoint_loaded, false, 1, 0}},
    };
    folder_make_fast();
    vn_item(vn_sum(vn_ones(VN_SHAPE(3), VN_F32), VN_ALL)); /* the engine is there */
    if (watch_calls(fault_handle)) {
        puts("this system has no filters");
        _exit(77);
    }
    format = "f";
    fault.armed = true;
    CHECK(save() == VN_OK && fault.flushes == 2); /* the file, and the folder that names it */
    fault.armed = false;
    long faults = 0;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        format = programs[i].format;
        faults += fault_all(&programs[i].program, fault_says);
    }
    printf("%ld system calls failed\n", faults);
    close(reader);
    folder_remove();
    finish_watched();
#endif
}
