/* SPDX-License-Identifier: Apache-2.0 */
/* loader.c: finding, checking, opening and binding plugins, without any framework: the engine is a variant of the template
 * (plugins/actor.c). Files that another user could have changed are refused with a reason that names them, a truncated file is an error
 * instead of a crash, and malformed plugins do not affect others. The ownership tests need root. */
/* ctest: sanitize */
#include "check.h"
#include "plugin/plugin.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STRANGER = 12345 };

static char work[] = "/tmp/vinea loader XXXXXX";
static char logged[4096];

static void keep_log(const char *text, void *unused)
{
    (void)unused;
    size_t n = strlen(logged);
    snprintf(logged + n, sizeof logged - n, "%s\n", text);
}

/* ---- files ---- */

/* A path in the work folder; valid until the eighth later call. */
static const char *in_work(const char *name)
{
    static char paths[8][512];
    static int next;
    char *p = paths[next++ % 8];
    snprintf(p, sizeof paths[0], "%s%s%s", work, *name ? "/" : "", name);
    return p;
}

static void must(int failed, const char *what)
{
    if (failed) fprintf(stderr, "%s: %s\n", what, strerror(errno)), exit(1);
}

static void write_file(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    must(!f || fwrite(data, 1, n, f) != n || fclose(f), path);
    must(chmod(path, 0644), path);
}

static char *actor;
static size_t actor_size;

static void read_actor(void)
{
    FILE *f = fopen(VN_TEST_PLUGINS "/actor.so", "rb");
    struct stat s;
    must(!f || fstat(fileno(f), &s), "actor.so");
    actor_size = (size_t)s.st_size;
    actor = malloc(actor_size);
    must(!actor || fread(actor, 1, actor_size, f) != actor_size, "actor.so");
    fclose(f);
}

/* A new folder with the plugin under a name, and a manifest. Returns its path. */
static const char *folder_with(const char *folder, const char *name, const char *manifest)
{
    char path[512];
    const char *made = in_work(folder);
    must(mkdir(made, 0755) && errno != EEXIST, folder);
    must(chmod(made, 0755), folder);
    snprintf(path, sizeof path, "%s/%s.so", made, name);
    write_file(path, actor, actor_size);
    snprintf(path, sizeof path, "%s/%s.manifest", made, name);
    write_file(path, manifest, strlen(manifest));
    return made;
}

/* Sets the plugin search path. */
static void look_in(const char *folders)
{
    vn_clear();
    vn_close();
    setenv("VINEA_ENGINE_PATH", folders, 1);
    logged[0] = 0;
}

/* 2 * 3 + 1, by the engine's own kernels. */
static bool computes(const char *engine)
{
    VN_SCOPE;
    if (vn_use(engine)) return false;
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(5), VN_F32), *y = vn_full(vn_scalar(3), VN_SHAPE(5), VN_F32);
    vn_array *z = vn_add(vn_mul(x, y), vn_full(vn_scalar(1), VN_SHAPE(5), VN_F32));
    const float *data = vn_data(z);
    bool right = data && data[4] == 7 && !strcmp(vn_engine_of(z), engine);
    vn_use("native");
    return right;
}

/* Tries the engine "template" in a separate process, since a loaded plugin stays. Returns the message, "" if it works. */
static const char *attempt(const char *folders)
{
    static char message[1200];
    int ends[2], status = -1;
    must(pipe(ends), "pipe");
    pid_t child = fork();
    if (!child) {
        alarm(60);
        look_in(folders);
        bool right = computes("template");
        char text[1024];
        snprintf(text, sizeof text, "%s", right ? "" : vn_status() == VN_E_ENGINE ? vn_message() : "another error");
        vn_engine_info e = {.size = sizeof e};
        vn_clear();
        bool listed = vn_engine_named("template", &e) == VN_OK && (right ? e.available : !e.available && strstr(text, e.message));
        vn_clear();
        bool goes_on = computes("native");
        if (write(ends[1], text, strlen(text)) < 0) _exit(1);
        _exit(goes_on && (listed || strstr(text, "there is no engine")) ? 0 : 1);
    }
    close(ends[1]);
    ssize_t n, size = 0;
    while ((n = read(ends[0], message + size, sizeof message - 1 - (size_t)size)) > 0) size += n;
    close(ends[0]);
    message[size] = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status)) return "the process died";
    return message;
}

static bool works(const char *folders)
{
    const char *message = attempt(folders);
    if (*message) fprintf(stderr, "%s\n", message);
    return !*message;
}

static bool refused(const char *folders, const char *why)
{
    const char *message = attempt(folders);
    if (strstr(message, why)) return true;
    return fprintf(stderr, "not refused because \"%s\", but: \"%s\"\n", why, message), false;
}

/* ---- finding ---- */

static const char manifest[] =
    "name = template\nabout = the one of the tests\ninstall = build it\npackage = nothing >= 0.5\nno equals sign\n";

static void found(void)
{
    char text[2048];
    snprintf(text, sizeof text, "%s:%s::%s/", in_work("nowhere"), folder_with("good", "template", manifest), in_work("good"));
    look_in(text); /* a folder that is not there, and one twice */
    CHECK(computes("template"));
    vn_engine_info e = {.size = sizeof e};
    CHECK(vn_engine_named("template", &e) == VN_OK && e.available && !strcmp(e.version, "1.0") && !strcmp(e.where, in_work("good")));
    CHECK(!strcmp(e.about, "the one of the tests") && !strcmp(e.how, "build it"));
    CHECK_FAILS(vn_use("nothing"), VN_E_ENGINE, "nowhere (");
    CHECK_FAILS(vn_use("templates"), VN_E_ENGINE, "there is no engine \"templates\"");
    look_in(in_work("good")); /* closed and opened again */
    CHECK(computes("template"));
}

static void relative(void)
{
    folder_with("good", "template", manifest);
    must(chdir(work), "chdir");
    CHECK(refused("good", "good (\"good\" is not an absolute path)"));
    CHECK(refused("./good", "./good (\"./good\" is not an absolute path)"));
}

/* The first folder wins; a refused folder is skipped. */
static void order(void)
{
    char both[2048];
    const char *first = folder_with("first", "template", "about = first\n"),
               *second = folder_with("second", "template", "about = second\n");
    snprintf(both, sizeof both, "%s:%s", first, second);
    must(chmod(first, 0777), first);
    look_in(both);
    vn_engine_info e = {.size = sizeof e};
    CHECK(vn_engine_named("template", &e) == VN_OK && e.available && !strcmp(e.about, "second") && !strcmp(e.where, second));
}

/* ---- trust ---- */

static void modes(void)
{
    char folder[512], inner[512], file[600];
    snprintf(folder, sizeof folder, "%s", folder_with("modes", "template", manifest));
    static const mode_t open[] = {0777, 0757, 0702, 01777};
    for (int k = 0; k < 4; k++) {
        must(chmod(folder, open[k]), folder);
        CHECK(refused(folder, open[k] & S_ISVTX ? "everyone can put files into" : "everyone can write to"));
    }
    must(chmod(folder, 0755), folder);
    CHECK(works(folder));
    snprintf(file, sizeof file, "%s/template.so", folder);
    must(chmod(file, 0666), file);
    CHECK(refused(folder, "everyone can write to"));
    must(chmod(file, 0644), file);
    /* A world-writable parent folder makes the path untrusted, unless it has the sticky bit. */
    snprintf(inner, sizeof inner, "%s", folder_with("modes/inner", "template", manifest));
    must(chmod(folder, 0777), folder);
    CHECK(refused(inner, "everyone can write to"));
    must(chmod(folder, 01777), folder);
    CHECK(works(inner));
    must(chmod(folder, 0755), folder);
    /* A manifest that others can write to is not read. */
    snprintf(file, sizeof file, "%s/template.manifest", folder);
    must(chmod(file, 0666), file);
    look_in(folder);
    vn_engine_info e = {.size = sizeof e};
    CHECK(vn_engine_named("template", &e) == VN_OK && e.available && !strcmp(e.about, ""));
    CHECK(strstr(logged, "its manifest is not read: everyone can write to"));
}

static void owners(void)
{
    char folder[512], plugin[600];
    snprintf(folder, sizeof folder, "%s", folder_with("owners", "template", manifest));
    snprintf(plugin, sizeof plugin, "%s/template.so", folder);
    const char *const paths[] = {folder, plugin};
    for (int k = 0; k < 2; k++) {
        must(chown(paths[k], STRANGER, STRANGER), folder);
        CHECK(refused(folder, "belongs to user 12345, neither to root nor to user 0, who runs this program"));
        CHECK(refused(folder, paths[k]) && refused(folder, "VINEA_TRUST=12345"));
        static const char *const right[] = {"12345", "7,12345", "12345,@7", "12345,"};
        for (int w = 0; w < 4; w++) {
            setenv("VINEA_TRUST", right[w], 1);
            CHECK(works(folder));
        }
        static const char *const wrong[] = {"me", ",12345", "-1", "12345;7", "@", "99999999999999999999"};
        for (int w = 0; w < 6; w++) {
            setenv("VINEA_TRUST", wrong[w], 1);
            CHECK(refused(folder, "is not a list of user IDs"));
        }
        setenv("VINEA_TRUST", "@12345,1234,123456", 1);
        CHECK(refused(folder, "belongs to user 12345"));
        unsetenv("VINEA_TRUST");
        must(chown(paths[k], 0, 0), folder);
    }
    /* A group may have write permission if it is the owner's private group, or a trusted one. */
    must(chmod(folder, 0775), folder);
    CHECK(works(folder));
    must(chown(folder, 0, STRANGER), folder);
    CHECK(refused(folder, "group 12345 can write to"));
    setenv("VINEA_TRUST", "12345", 1);
    CHECK(refused(folder, "VINEA_TRUST=@12345"));
    setenv("VINEA_TRUST", "@12345", 1);
    CHECK(works(folder));
    unsetenv("VINEA_TRUST");
}

static void links(void)
{
    char why[256], deep[PATH_MAX + 8], link[512];
    folder_with("real", "template", manifest);
    snprintf(link, sizeof link, "%s", in_work("shared/link"));
    must(mkdir(in_work("shared"), 0755) || chmod(in_work("shared"), 01777) || symlink("../real/./../real", link), "links");
    CHECK(works(link)); /* the link is the user's own */
    if (!geteuid()) {
        must(lchown(link, STRANGER, STRANGER), link);
        CHECK(refused(link, "belongs to user 12345"));
    }
    must(unlink(link) || symlink("link", link), link);
    CHECK(!vn__trusted(link, why, sizeof why) && strstr(why, strerror(ELOOP)));
    must(unlink(link) || symlink("/", link), link);
    CHECK(vn__trusted(in_work("shared/link/"), why, sizeof why));
    CHECK(vn__trusted("/", why, sizeof why) && vn__trusted("/../..//.", why, sizeof why));
    CHECK(!vn__trusted("", why, sizeof why) && !vn__trusted("bin", why, sizeof why) && strstr(why, "not an absolute path"));
    CHECK(!vn__trusted(in_work("real/template.so/x"), why, sizeof why) && strstr(why, strerror(ENOTDIR)));
    CHECK(!vn__trusted(in_work("real/nothing"), why, sizeof why) && strstr(why, strerror(ENOENT)));
    CHECK(!vn__trusted(in_work("shared/.."), why, sizeof why) == !vn__trusted(work, why, sizeof why));
    CHECK(!vn__trusted("/dev/null", why, sizeof why) && strstr(why, "is not a file"));
    write_file(in_work("shared/file"), "", 0); /* in a folder that everyone can write to */
    CHECK(!vn__trusted(in_work("shared/file"), why, sizeof why) && strstr(why, "everyone can put files into"));
    memset(deep, 'x', sizeof deep);
    deep[0] = '/';
    deep[sizeof deep - 1] = 0;
    CHECK(!vn__trusted(deep, why, sizeof why) && strstr(why, strerror(ENAMETOOLONG)));
    must(unlink(link), link);
    deep[PATH_MAX - 10] = 0; /* a target that leaves no room for the rest */
    for (int k = 1; k < PATH_MAX - 10; k += 2) deep[k] = '.', deep[k + 1] = '/';
    deep[PATH_MAX - 10] = 0;
    must(symlink(deep, link), link);
    CHECK(!vn__trusted(in_work("shared/link/a/long/rest"), why, sizeof why) && strstr(why, strerror(ENAMETOOLONG)));
}

/* A process that can still become root does not trust its user's files. */
static void changing_users(void)
{
    const char *folder = folder_with("changing", "template", manifest);
    char why[256];
    must(chown(folder, STRANGER, STRANGER), folder);
    pid_t child = fork();
    if (!child) {
        if (seteuid(STRANGER)) _exit(2);
        int trusts = vn__trusted(folder, why, sizeof why);
        if (seteuid(0) || setresuid(STRANGER, STRANGER, 0)) _exit(2);
        trusts |= vn__trusted(folder, why, sizeof why); /* root's rights are kept for later */
        if (seteuid(0) || setuid(STRANGER)) _exit(2);
        _exit(trusts ? 3 : vn__trusted(folder, why, sizeof why) ? 0 : 4); /* after dropping root permanently it does */
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- files that are truncated ---- */

static void cut_short(void)
{
    char folder[512], plugin[600];
    snprintf(folder, sizeof folder, "%s", folder_with("cut", "template", manifest));
    snprintf(plugin, sizeof plugin, "%s/template.so", folder);
    const size_t sizes[] = {0, 1, 40, 63, 64, 100, 600, 4096, 5000, 10000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        write_file(plugin, actor, sizes[k]);
        CHECK(refused(folder, sizes[k] >= 64 ? "is truncated" : "template: the plugin cannot be loaded"));
    }
    char *odd = malloc(actor_size);
    must(!odd, "malloc");
    memcpy(odd, actor, actor_size);
    memset(odd + 32, 0xff, 8); /* program headers beyond the end of any file */
    write_file(plugin, odd, actor_size);
    CHECK(refused(folder, "is truncated"));
    memcpy(odd, actor, actor_size);
    memset(odd + 56, 0xff, 2); /* 65,535 of them */
    write_file(plugin, odd, actor_size);
    CHECK(refused(folder, "65535 program headers"));
    free(odd);
    write_file(plugin, actor, actor_size);
    CHECK(works(folder));
}

/* ---- malformed plugins ---- */

static void add_line(void *to, const char *key, const char *value)
{
    size_t n = strlen(to);
    snprintf((char *)to + n, 1024 - n, "%s: %s\n", key, value);
}

static void odd_ones(void)
{
    static const struct {
        const char *name, *why;
    } all[] = {{"newer", "engine ABI"},
               {"stranger", "calls itself \"someone\""},
               {"refusing", "refused this version of the library"},
               {"broken", "the framework is not there (install it with: build it)"},
               {"nothing", "provides no engine"},
               {"nowhere", "provides no engine"},
               {"null", "calls itself \"\""},
               {"nameless", "calls itself \"\""},
               {"mine", "calls itself \"miner\"; file and engine must have one name, or the engine's begin with \"mine:\""}};
    enum { ODD = sizeof all / sizeof *all };
    for (int k = 0; k < ODD; k++) folder_with("odd", all[k].name, manifest);
    folder_with("odd", "bare", ""), folder_with("odd", "describing", "");
    write_file(in_work("odd/garbage.so"), "no library", 10);
    write_file(in_work("odd/lonely.manifest"), manifest, strlen(manifest));
    write_file(in_work("odd/a_name_that_is_longer_than_engines_may_have.so"), "", 0);
    write_file(in_work("odd/.so"), "", 0);
    write_file(in_work("odd/native.so"), "", 0); /* there is one already */
    look_in(folder_with("odd", "older", ""));
    CHECK(vn_engine_count() == ODD + 6); /* native; garbage, lonely, older, bare, describing */
    for (int k = 0; k < ODD; k++) CHECK_FAILS(vn_use(all[k].name), VN_E_ENGINE, all[k].why);
    CHECK_FAILS(vn_use("garbage"), VN_E_ENGINE, "cannot be loaded");
    CHECK_FAILS(vn_use("lonely"), VN_E_ENGINE, "no plugin beside it");
    CHECK_FAILS(vn_use("bare"), VN_E_UNSUPPORTED, "open: bare failed: not implemented by this plugin");
    CHECK_FAILS(vn_engine_describe("describing", add_line, (char[1024]){0}), VN_E_ENGINE, "describing: there are no words for it");
    CHECK_FAILS(vn_use("broken:0"), VN_E_ENGINE, "broken");      /* a device of an engine that does not open */
    CHECK_FAILS(vn_use("newer:gpu"), VN_E_ENGINE, "engine ABI"); /* an engine of a plugin that does not load */
    CHECK(vn_use("older") == VN_OK);
    CHECK_FAILS(vn_eval(1, &(vn_array *){vn_full(vn_scalar(1), VN_SHAPE(2), VN_F32)}), VN_E_UNSUPPORTED, "not implemented by this plugin");
    vn_use("native");
    setenv("VINEA_THREADS", "many", 1);
    look_in(folder_with("good", "template", manifest));
    CHECK_FAILS(vn_use("template"), VN_E_ARG, "VINEA_THREADS=many");
    unsetenv("VINEA_THREADS");
    vn_engine_info e = {.size = sizeof e};
    CHECK_FAILS(vn_engine_at(-1, &e), VN_E_ARG, "there is no engine -1");
    CHECK_FAILS(vn_engine_at(0, NULL), VN_E_NULL, "info is NULL");
    CHECK_FAILS(vn_engine_describe("template", NULL, NULL), VN_E_NULL, "line is NULL");
}

/* ---- several engines of one plugin, and devices ---- */

static void several_engines(void)
{
    vn_engine_info e = {.size = sizeof e};
    look_in(folder_with("many", "many", manifest));
    CHECK(vn_engine_count() == 2); /* native and the file: nothing is loaded yet */
    CHECK(vn_use("many:gpu:1") == VN_OK);
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32), *y = vn_add(x, x);
    CHECK(!strcmp(vn_engine_of(y), "many:gpu:1"));
    CHECK_FAILS(vn_data(y), VN_E_UNSUPPORTED, "the host cannot read the memory of device 1");
    const float *data = vn_data(vn_to(y, "many")); /* by DLPack */
    CHECK(data && data[0] == 4 && data[2] == 4);
    CHECK_FAILS(vn_eval(1, &(vn_array *){vn_to(y, "native")}), VN_E_UNSUPPORTED, "the host cannot read");
    CHECK_FAILS(vn_add(y, vn_to(y, "many")), VN_E_ENGINE, "many:gpu:1");
    CHECK(vn_engine_count() == 4); /* native, many, many:gpu, many:gpu:1 */
    CHECK(!vn_use("many:gpu:0") && !strcmp(vn_using(), "many:gpu") && !vn_use("many:0") && !strcmp(vn_using(), "many"));
    CHECK(vn_engine_count() == 4); /* the first device is the engine itself */
    CHECK(vn_engine_named("many:gpu", &e) == VN_OK && e.available && !strcmp(e.where, "device 0"));
    CHECK(vn_engine_named("many:gpu:2", &e) == VN_OK && e.available && !strcmp(e.where, "device 2"));
    CHECK(vn_engine_at(1, &e) == VN_OK && !strcmp(e.name, "many"));
    CHECK_FAILS(vn_use("many:gpu:3"), VN_E_ENGINE, "there is no such device; many:gpu has 3");
    CHECK_FAILS(vn_use("many:1"), VN_E_ENGINE, "there is no such device; many has 1");
    static const char *const none[] = {"many:tpu",
                                       "many:",
                                       "many:gpu:",
                                       "many:gpu:-1",
                                       "many:gpu:1x",
                                       "many:gpu:99999999999",
                                       ":0",
                                       "native:0",
                                       "many:tpu:0",
                                       "many:gpu:0000000000000000000000000000000000000000000000000000000000000001",
                                       "many:a_device_with_a_name_that_is_much_longer_than_the_names_of_engines_may_ever_be:0"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) CHECK_FAILS(vn_use(none[k]), VN_E_ENGINE, "there is no engine");
}

/* More plugins than are listed. */
static void too_many(void)
{
    char name[32];
    folder_with("full", "template", manifest);
    for (int k = 0; k < 80; k++) {
        snprintf(name, sizeof name, "full/z%d.so", k);
        write_file(in_work(name), "", 0);
    }
    look_in(in_work("full"));
    CHECK(vn_engine_count() == 64 && computes("template"));
}

/* An engine that does not take what another hands over. */
static void no_exchange(void)
{
    look_in(folder_with("few", "few", manifest));
    CHECK(vn_use("few:gpu") == VN_OK);
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    CHECK_FAILS(vn_data(vn_to(vn_add(x, x), "few")), VN_E_ENGINE, "few: no tensors of others");
}

/* ---- small stacks ---- */

static vn_array *of_gpu, *of_host;

/* Every call of an engine that needs more stack than the thread has is an error. */
static void *use_on_small_stack(void *unused)
{
    static const char text[] = "of stack, and this thread has ";
    float numbers[3];
    CHECK_FAILS(vn_read(of_host, numbers, sizeof numbers), VN_E_ENGINE, text);
    CHECK_FAILS(vn_to(of_gpu, "deep"), VN_E_ENGINE, text);
    CHECK_FAILS(vn_eval(1, &(vn_array *){vn_add(of_host, of_host)}), VN_E_ENGINE, text);
    CHECK_FAILS(vn_to(of_host, "template"), VN_E_ENGINE, text);
    CHECK_FAILS(vn_to(vn_ones(VN_SHAPE(3), VN_F32), "deep"), VN_E_ENGINE, text);
    CHECK_FAILS(vn_use("deep:gpu:2"), VN_E_ENGINE, text); /* it is not open yet */
    CHECK_FAILS(vn_engine_describe("deep", add_line, (char[1024]){0}), VN_E_ENGINE, text);
    return vn_close(), unused;
}

static void small_stacks(void)
{
    pthread_attr_t small;
    pthread_t thread;
    folder_with("deep", "template", manifest);
    look_in(folder_with("deep", "deep", manifest));
    CHECK(computes("template") && computes("deep") && vn_use("deep:gpu") == VN_OK);
    of_gpu = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    CHECK(vn_eval(1, &of_gpu) == VN_OK && vn_use("native") == VN_OK);
    of_host = vn_to(of_gpu, "deep");
    CHECK(of_host && !pthread_attr_init(&small) && !pthread_attr_setstacksize(&small, 512 << 10));
    must(pthread_create(&thread, &small, use_on_small_stack, NULL), "pthread_create");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&small);
}

/* Once the process exits no plugin is called any more. */
static void exiting(void)
{
    folder_with("exiting", "template", manifest);
    look_in(folder_with("exiting", "kernels", manifest));
    CHECK(computes("kernels"));
    vn_exit_begins();
    CHECK_FAILS(vn_use("template"), VN_E_ENGINE, "the process is exiting, so template can no longer be called");
    CHECK(computes("native"));
}

/* ---- a fork while an engine is being loaded ---- */

static void *use_engine_named(void *name)
{
    if (vn_use(name)) fprintf(stderr, "%s\n", vn_message());
    return vn_close(), NULL;
}

/* The child loads no plugins, and says why; the built-in engine works there. The parent goes on. */
static void fork_while_loading(const char *name)
{
    char hold[512];
    pthread_t thread;
    snprintf(hold, sizeof hold, "%s", in_work("hold"));
    write_file(hold, "", 0);
    setenv("ACTOR_HOLD", hold, 1);
    folder_with("forked", "template", manifest), folder_with("forked", "wrong", manifest);
    look_in(folder_with("forked", name, manifest));
    CHECK(computes("native") && !vn_use("wrong")); /* one that is open before the fork */
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    CHECK(vn_eval(1, &x) == VN_OK && !vn_use("native"));
    must(pthread_create(&thread, NULL, use_engine_named, (void *)(uintptr_t)name), "pthread_create");
    usleep(200000); /* until it waits in the plugin */
    const pid_t child = fork();
    if (!child) {
        CHECK_FAILS(vn_use("template"), VN_E_ENGINE,
                    "template cannot be loaded in this process: its parent forked while another thread was loading an engine");
        CHECK_FAILS(vn_use(name), VN_E_ENGINE, "cannot be loaded in this process");
        CHECK_FAILS(vn_to(x, "native"), VN_E_ENGINE, "wrong was loaded before a fork and does not work in the child");
        CHECK_FAILS(vn_use("wrong"), VN_E_ENGINE, "wrong was loaded before a fork and does not work in the child");
        CHECK(computes("native"));
        vn_close();
        CHECK(computes("native"));
        _exit(check_failures ? 1 : 0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && !status);
    must(unlink(hold), hold);
    pthread_join(thread, NULL);
    CHECK(computes("template") && computes(name));
}
static void forks_while_opening(void)
{
    fork_while_loading("slow");
}
static void forks_while_entering(void)
{
    fork_while_loading("slower");
}

/* ---- versions ---- */

static void versions(void)
{
    char text[1024] = "";
    look_in(folder_with("aged", "template", "package = nothing >= 1.0.1\n"));
    CHECK_FAILS(vn_use("template"), VN_E_ENGINE, "template: version 1.0 is in");
    CHECK_FAILS(vn_use("template"), VN_E_ENGINE, "1.0.1 or newer is needed");
    look_in(folder_with("tried", "wrong", "tested = 9.0.7\n"));
    folder_with("tried", "compiling", "package = nothing >= 1..0\ntested = 0.9\n");
    CHECK(vn_use("wrong") == VN_OK);
    CHECK(strstr(logged, "wrong 9.1 is newer than 9.0.7") && strstr(logged, "mul failed its sample call") &&
          strstr(logged, "no sub today"));
    CHECK(strstr(logged, "no_such_op"));
    CHECK(computes("wrong")); /* by native's product */
    CHECK(vn_engine_computes("wrong", "add", VN_F32) == VN_BY_ENGINE && vn_engine_computes("wrong", "mul", VN_F32) == VN_BY_NATIVE);
    CHECK(vn_engine_describe("wrong", add_line, text) == VN_OK && strstr(text, "every op was tried, 2 failed"));
    CHECK(computes("compiling") && vn_engine_computes("compiling", "mul", VN_F32) == VN_BY_ENGINE);
    text[0] = 0;
    CHECK(vn_engine_describe("compiling", add_line, text) == VN_OK && strstr(text, "whole programs") && strstr(text, "0 failed"));
    vn_use("compiling");
    vn_array *x = vn_full(vn_scalar(2), VN_SHAPE(3), VN_F32);
    const char *plan = vn_explain(vn_add(vn_mul(x, x), x));
    CHECK(plan && strstr(plan, "a program of 2 ops"));
    vn_use("native");
}

/* Each test is a process, since loaded plugins stay. */
#define ALONE(test)                                                                                  \
    do {                                                                                             \
        pid_t child = fork();                                                                        \
        if (!child) {                                                                                \
            run_test(#test, test);                                                                   \
            _exit(finish());                                                                         \
        }                                                                                            \
        int status = -1;                                                                             \
        check_name = #test;                                                                          \
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0); \
    } while (0)

int main(void)
{
    must(!mkdtemp(work) || chmod(work, 0755), work);
    unsetenv("VINEA_TRUST");
    umask(022);
    vn_set_log(keep_log, NULL);
    read_actor();
    ALONE(found);
    ALONE(relative);
    ALONE(order);
    ALONE(modes);
    ALONE(links);
    ALONE(cut_short);
    ALONE(odd_ones);
    ALONE(several_engines);
    ALONE(no_exchange);
    ALONE(too_many);
    ALONE(small_stacks);
    ALONE(exiting);
    ALONE(forks_while_opening);
    ALONE(forks_while_entering);
    ALONE(versions);
    if (!geteuid()) {
        ALONE(owners);
        ALONE(changing_users);
    } else {
        fprintf(stderr, "not root: files of other owners are not tried\n");
    }
    free(actor);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", work);
    must(system(command), command);
    return finish();
}
