/* SPDX-License-Identifier: Apache-2.0 */
/* train_images.c: folders of images as datasets: which files and classes they have, options that are refused, files that cannot be read, schemas, and the page that
 * shows them. tests/files/images.c has the pixels themselves. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "folder.h"
#include <limits.h>
#include <sys/resource.h>

/* ---- the files, which are written once ---- */

static void picture(const char *name, int height, int width, int channels)
{
    VN_SCOPE;
    CHECK(vn_write_image(in_folder(name), vn_full(vn_scalar(.5), VN_SHAPE(height, width, channels), VN_F32)) == VN_OK);
}

/* Of 2 x 2 pixels, whose size can be read but not its pixels. */
static void cut_picture(const char *name)
{
    picture(name, 2, 2, 1);
    bytes b = read_bytes(in_folder(name));
    write_bytes(in_folder(name), b.data, 40);
    free(b.data);
}

static void text_file(const char *name)
{
    write_bytes(in_folder(name), "text", 4);
}

static void sub(const char *name)
{
    if (mkdir(in_folder(name), 0755)) exit(1);
}

static void make_files(void)
{
    static const char *const folders[] = {"two",  "two/a",   "two/b",      "two/c", "gray", "colour", "tall", "wide",
                                          "big",  "bigwide", "one",        "one/x", "bad",  "allbad", "cut",  "texts",
                                          "none", "latin",   "latin/\xe9", "links", "deep", "many"};
    for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) sub(folders[k]);
    picture("two/a/1.png", 2, 2, 1), picture("two/b/2.png", 2, 2, 1), text_file("two/c/notes"), text_file("two/readme");
    picture("two/b/3.png", 2, 2, 1), picture("two/0.png", 2, 2, 1);
    picture("gray/1.png", 2, 2, 1), picture("gray/2.png", 2, 2, 1);
    picture("colour/1.png", 2, 2, 1), picture("colour/2.png", 2, 2, 3);
    picture("tall/1.png", 2, 2, 1), picture("tall/2.png", 3, 2, 1);
    picture("wide/1.png", 2, 2, 1), picture("wide/2.png", 2, 3, 1), picture("wide/3.png", 2, 2, 1);
    picture("big/1.png", 129, 2, 1), picture("bigwide/1.png", 2, 129, 1);
    picture("one/x/1.png", 2, 2, 1);
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "bad/%d.png", k);
        text_file(name);
        snprintf(name, sizeof name, "allbad/%d.png", k);
        if (k < 2) text_file(name);
    }
    picture("bad/9.png", 2, 2, 1);
    cut_picture("cut/1.png"), cut_picture("cut/2.png");
    text_file("texts/notes"), picture("latin/\xe9/1.png", 2, 2, 1);
    if (symlink("nowhere.png", in_folder("links/1.png")) || symlink("..", in_folder("deep/up"))) exit(1);
    for (int k = 0; k < 66; k++) { /* more than there is room for at first */
        char name[32];
        snprintf(name, sizeof name, "many/%02d.png", k);
        if (link(in_folder("gray/1.png"), in_folder(name))) exit(1);
    }
}

static void remove_files(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'/*", folder);
    if (system(command)) exit(1);
}

static vn_dataset *load(const char *name, const vn_dataset_opts *o)
{
    return vn_dataset_load(in_folder(name), o);
}

static vn_dataset_info look(const vn_dataset *d)
{
    vn_dataset_info i = {.size = sizeof i};
    CHECK(vn_dataset_look(d, &i) == VN_OK);
    return i;
}

/* The only note on the dataset of a folder has these words. */
static bool notes(const char *name, const vn_dataset_opts *o, const char *words)
{
    const vn_dataset_info i = look(load(name, o));
    return i.n_notes == 1 && strstr(i.notes[0], words);
}

/* ---- which files and classes ---- */

TEST(classes)
{
    const vn_dataset_info i = look(load("two", NULL));
    CHECK(i.rows == 3 && i.classes == 2 && !strcmp(i.class_names[0], "a") && !strcmp(i.class_names[1], "b")); /* c has no images */
    CHECK(i.x.dim[0] == 2 && i.x.dim[1] == 2 && i.x.dim[2] == 1 && !strcmp(i.files[2], "b/3.png"));
    CHECK(i.n_notes == 1 && strstr(i.notes[0], "3 other files are ignored, such as c/notes"));
}

TEST(rows)
{
    vn_dataset *d = load("two/", NULL), *some, *rest; /* with a slash */
    vn_array *x, *y;
    CHECK(vn_dataset_rows(d, (int64_t[]){2, 0}, 2, &x, &y) == VN_OK && vn_dim(x, 0) == 2 && vn_item_int(vn_sum(y, VN_ALL)) == 1);
    CHECK(fabs(vn_item(vn_mean(x, VN_ALL)) - 128 / 255.) < 1e-6);
    CHECK(vn_dataset_split(d, 1, NULL, &some, &rest) == VN_OK && !look(some).files && look(some).x.rank == 3);
}

TEST(without_classes)
{
    vn_dataset *d = load("gray", NULL);
    CHECK(!look(d).has_target && look(d).classes == 0 && !look(d).class_names && look(d).rows == 2);
    vn_array *x;
    CHECK(vn_dataset_rows(d, (int64_t[]){1}, 1, &x, NULL) == VN_OK && vn_dim(x, 1) == 2);
    CHECK(look(load("two", VN_OPTS(dataset, .kind = VN_TARGET_NONE))).rows == 4);
    CHECK(look(load("many", NULL)).rows == 66);
}

TEST(one_class)
{
    CHECK(notes("one", NULL, "there is one class only, \"x\""));
}

TEST(one_file)
{
    CHECK(chdir(folder) == 0);
    CHECK(look(vn_dataset_load("gray/1.png", NULL)).rows == 1);
    CHECK(chdir("gray") == 0 && !strcmp(look(vn_dataset_load("1.png", NULL)).files[0], "1.png") && chdir("/") == 0);
}

TEST(sizes)
{
    CHECK(look(load("colour", NULL)).x.dim[2] == 3);
    CHECK(look(load("colour", VN_OPTS(dataset, .channels = 1))).x.dim[2] == 1);
    CHECK(notes("tall", NULL, "images of different sizes are resized to 64 x 64"));
    CHECK(notes("wide", NULL, "images of different sizes"));
    CHECK(notes("big", NULL, "images of more than 128 pixels are resized"));
    CHECK(notes("bigwide", NULL, "images of more than 128 pixels are resized"));
    CHECK(look(load("tall", VN_OPTS(dataset, .height = 3, .width = 5))).x.dim[1] == 5);
}

/* ---- refusals ---- */

TEST(options)
{
    vn_array *w = vn_ones(VN_SHAPE(4), VN_F32);
    const struct {
        const char *words;
        vn_dataset_opts o;
    } all[] = {
        {"option columns is for tables", {.columns = "a"}},
        {"option missing is for tables", {.missing = VN_MISSING_DROP}},
        {"option standardize is for tables", {.standardize = 1}},
        {"option target is for tables", {.target = "a"}},
        {"options x, y and y_path are for arrays", {.x = "x"}},
        {"options x, y and y_path are for arrays", {.y = "y"}},
        {"options x, y and y_path are for arrays", {.y_path = "y.npy"}},
        {"option weights is for arrays and tables", {.weights = w}},
        {"option weight_column is for arrays and tables", {.weight_column = "w"}},
        {"the folders say how many classes there are", {.classes = 2}},
        {"option unreadable is -1", {.unreadable = -1}},
        {"a schema says what height, width and channels are", {.schema = "{}", .height = 2}},
        {"a schema says what height, width and channels are", {.schema = "{}", .width = 2}},
        {"a schema says what height, width and channels are", {.schema = "{}", .channels = 1}},
        {"kind is 9, which is not a vn_target_kind", {.kind = 9}},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        vn_dataset_opts o = all[k].o;
        o.size = sizeof o;
        CHECK_FAILS(load("two", &o), VN_E_ARG, all[k].words);
    }
}

TEST(schemas)
{
    static const struct {
        const char *schema, *words;
    } all[] = {
        {"{\"version\":1,\"columns\":2}", "has images, and the schema, what was trained on, is of a table"},
        {"{\"version\":1,\"images\":3,\"classes\":[]}", "images or classes are missing"},
        {"{\"version\":1,\"images\":[1,2],\"classes\":[]}", "images or classes are missing"},
        {"{\"version\":1,\"images\":[1,2,3]}", "images or classes are missing"},
        {"{\"version\":1,\"images\":[1,2,3],\"classes\":3}", "images or classes are missing"},
        {"{\"version\":1,\"images\":[\"a\",2,3],\"classes\":[]}", "the size of images"},
        {"{\"version\":1,\"images\":[1,0,3],\"classes\":[]}", "the size of images"},
        {"{\"version\":1,\"images\":[1,2.5,3],\"classes\":[]}", "the size of images"},
        {"{\"version\":1,\"images\":[1,2,4],\"classes\":[]}", "the size of images"},
        {"{\"version\":1,\"images\":[1,2,2],\"classes\":[]}", "the size of images"},
        {"{\"version\":1,\"images\":[1,2,3],\"classes\":[1]}", "a class that is not a text"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        CHECK_FAILS(load("two", VN_OPTS(dataset, .schema = all[k].schema)), VN_E_FORMAT, all[k].words);
    CHECK_FAILS(load("two", VN_OPTS(dataset, .schema = "{\"version\":1,\"images\":[2,2,1],\"classes\":[\"a\"]}")), VN_E_STRUCT,
                "\"b\" is none of the 1 classes");
}

TEST(schema_of_classes)
{
    const vn_dataset_info i = look(load("one", VN_OPTS(dataset, .schema = "{\"version\":1,\"images\":[2,3,1],\"classes\":[\"w\",\"x\"]}")));
    CHECK(i.classes == 2 && i.x.dim[1] == 3 && !strcmp(i.class_names[1], "x") && strstr(i.schema, "[\"w\",\"x\"]"));
}

TEST(schema_without_classes)
{
    const vn_dataset_info i = look(load("gray", VN_OPTS(dataset, .schema = "{\"version\":1,\"images\":[1,1,3],\"classes\":[]}")));
    CHECK(i.rows == 2 && !i.class_names && i.x.dim[2] == 3);
}

TEST(odd_folders)
{
    CHECK_FAILS(load("none", NULL), VN_E_FORMAT, "the folder has no images");
    CHECK_FAILS(load("texts", NULL), VN_E_FORMAT, "the folder has no images (notes is none)");
    CHECK_FAILS(load("latin", NULL), VN_E_FORMAT, "the name of a class must be UTF-8");
    CHECK_FAILS(load("links", NULL), VN_E_IO, "No such file");
    CHECK_FAILS(load("deep", NULL), VN_E_IO, "more than 32 folders inside each other");
    char longest[PATH_MAX];
    snprintf(longest, sizeof longest, "%s", in_folder("two"));
    while (strlen(longest) < PATH_MAX - 3) strcat(longest, "/");
    CHECK_FAILS(vn_dataset_load(longest, NULL), VN_E_IO, "the path is too long");
    CHECK_FAILS(vn_dataset_load(longest, VN_OPTS(dataset, .kind = VN_TARGET_NONE)), VN_E_IO, "the path is too long");
    longest[PATH_MAX - 4] = 0; /* the files beside the folders of classes have longer names */
    CHECK_FAILS(vn_dataset_load(longest, NULL), VN_E_IO, "the path is too long");
}

/* No file can be opened any more. */
TEST(no_descriptors)
{
    struct rlimit before, none;
    CHECK(vn_status() == VN_OK && look(load("gray", NULL)).rows == 2); /* its plugin is loaded */
    if (getrlimit(RLIMIT_NOFILE, &before)) exit(1);
    none = before, none.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &none);
    vn_dataset *d = load("two", NULL);
    const bool classes = strstr(vn_message(), "cannot read the folder: Too many open files") != NULL;
    vn_clear();
    vn_dataset *e = load("two", VN_OPTS(dataset, .kind = VN_TARGET_NONE));
    const bool flat = strstr(vn_message(), "cannot read the folder: Too many open files") != NULL;
    vn_clear();
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(!d && !e && classes && flat);
}

/* ---- files that cannot be read ---- */

TEST(left_out)
{
    const vn_dataset_opts *skip = VN_OPTS(dataset, .unreadable = VN_UNREADABLE_SKIP);
    CHECK(notes("bad", skip, "5 files cannot be read and are left out: 0.png (not an image"));
    CHECK(notes("bad", skip, " ..."));
    CHECK_FAILS(load("allbad", skip), VN_E_FORMAT, "none of the images can be read: 0.png");
    CHECK_FAILS(load("cut", skip), VN_E_FORMAT, "none of the images can be read: 1.png");
    CHECK_FAILS(load("cut", VN_OPTS(dataset, .unreadable = VN_UNREADABLE_SKIP, .cache = 1)), VN_E_FORMAT, "none of the images can be read");
    CHECK_FAILS(load("bad", NULL), VN_E_FORMAT, "option unreadable: skip leaves such files out");
}

TEST(one_left_out)
{
    text_file("one/x/2.png");
    const vn_dataset_info i = look(load("one", VN_OPTS(dataset, .unreadable = VN_UNREADABLE_SKIP)));
    CHECK(i.n_notes == 2 && strstr(i.notes[0], "1 file cannot be read and is left out: x/2.png") && !strstr(i.notes[0], "..."));
    unlink(in_folder("one/x/2.png"));
}

/* ---- progress ---- */

static int told;
static int fails(double done, void *user)
{
    told += done >= 0;
    if (!user || done == *(const double *)user) vn_zeros(VN_SHAPE(-1), VN_F32);
    return 0;
}
static int stops(double done, void *user)
{
    return done == *(const double *)user;
}

TEST(progress)
{
    double at[] = {0, .5, 1};
    for (int k = 0; k < 3; k++) {
        CHECK_FAILS(load("gray", VN_OPTS(dataset, .progress = fails, .progress_user = &at[k])), VN_E_SHAPE, "dataset_load");
        CHECK_FAILS(load("gray", VN_OPTS(dataset, .progress = stops, .progress_user = &at[k])), VN_E_CALLBACK,
                    "the progress function returned 1");
    }
    vn_matmul(NULL, NULL); /* an error from before is not the function's */
    told = 0;
    vn_dataset *d = load("gray", VN_OPTS(dataset, .progress = fails));
    CHECK(vn_status() && d && told > 1);
    vn_clear();
}

/* ---- trained on, with its page ---- */

static bool page_has(const char *words)
{
    bytes b = read_bytes(in_folder("page"));
    b.data[b.size] = 0;
    const bool has = strstr((const char *)b.data, words) != NULL;
    free(b.data);
    return has;
}

TEST(page)
{
    vn_dataset *d = load("two", VN_OPTS(dataset, .height = 100, .width = 64, .cache = -1));
    vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(100 * 64, 2));
    CHECK(vn_fit(net, d, VN_OPTS(fit, .epochs = 1, .batch = 2, .validation_rows = 1, .report = in_folder("page")), NULL) == VN_OK);
    CHECK(page_has("data:image/png;base64,") && page_has("b/3.png"));
}

/* A loss that takes no notice of NaN. */
static vn_array *constant(vn_array *prediction, vn_array *y, void *user)
{
    (void)prediction, (void)user;
    return vn_mean(vn_cast(y, VN_F32), VN_ALL);
}

/* Arrays as pictures: numbers of any range become grey, bytes are as they are, NaN is black. Rows of two channels or of other ranks are numbers. */
TEST(page_of_arrays)
{
    for (int k = 0; k < 5; k++) {
        VN_SCOPE;
        vn_array *x = vn_reshape(vn_arange(0, 4 * 2 * 3, 1, VN_F32), VN_SHAPE(4, 2, 3, 1));
        if (k == 1) x = vn_sub(x, vn_scalar(5));
        if (k == 2) x = vn_mul(x, vn_scalar(100));
        if (k == 3) x = vn_log(vn_sub(x, vn_scalar(3)));
        if (k == 4) x = vn_reshape(x, VN_SHAPE(4, 1, 3, 2));
        vn_dataset *d =
            vn_dataset_of(x, vn_from_host((int64_t[]){0, 1, 0, 1}, VN_I64, VN_SHAPE(4)), VN_OPTS(dataset, .allow_nonfinite = 1));
        vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(6, 2));
        vn_fit_opts o = *VN_OPTS(fit, .epochs = 1, .optim = vn_sgd(1e-6), .report = in_folder("page"));
        if (k == 3) o.metrics = "none", o.loss_fn = constant;
        CHECK(vn_fit(net, d, &o, NULL) == VN_OK);
        CHECK(page_has("data:image/png;base64,") == (k < 4));
    }
}

int main(void)
{
    folder_make();
    make_files();
    run_tests();
    remove_files();
    folder_remove();
    return finish();
}
