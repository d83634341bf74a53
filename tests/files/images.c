/* SPDX-License-Identifier: Apache-2.0 */
/* images.c: image files: pixels of every kind of PNG and JPEG, resizing, hostile files, folders as datasets, batches that are decoded
 * ahead. Pictures are written by libpng and libjpeg themselves. */
/* ctest: engines */
/* ctest: sanitize */
#include "folder.h"
#include "pictures.h"
#include <pthread.h>

/* ---- pixels ---- */

static unsigned char pattern(int y, int x, int c)
{
    return (unsigned char)((y * 37 + x * 59 + c * 83 + x * y * 11) % 256);
}

static void fill(unsigned char *to, int height, int width, int channels)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) *to++ = pattern(y, x, c);
}

/* The largest difference between an image and these pixels. */
static int difference(vn_array *x, const unsigned char *expected)
{
    const unsigned char *data = x ? vn_data(x) : NULL;
    int most = data ? 0 : 999;
    for (int64_t i = 0; data && i < vn_size(x); i++) most = abs(data[i] - expected[i]) > most ? abs(data[i] - expected[i]) : most;
    return most;
}

TEST(png)
{
    unsigned char rgb[7 * 5 * 3], gray[7 * 5], four[7 * 5 * 4];
    fill(rgb, 7, 5, 3), fill(gray, 7, 5, 1);
    for (int i = 0; i < 35; i++) memcpy(four + 4 * i, rgb + 3 * i, 3), four[4 * i + 3] = i % 2 ? 255 : 0;
    VN_SCOPE;
    write_png(in_folder("a.png"), rgb, 7, 5, 3);
    vn_array *x = vn_read_image(in_folder("a.png"), NULL);
    CHECK(x && vn_dtype_of(x) == VN_U8 && vn_rank(x) == 3 && vn_dim(x, 0) == 7 && vn_dim(x, 1) == 5 && vn_dim(x, 2) == 3);
    CHECK(difference(x, rgb) == 0);
    CHECK(vn_dim(vn_read_image(in_folder("a.png"), VN_OPTS(image, .channels = 1)), 2) == 1);
    write_png(in_folder("b.png"), gray, 7, 5, 1);
    CHECK(difference(vn_read_image(in_folder("b.png"), NULL), gray) == 0);
    x = vn_read_image(in_folder("b.png"), VN_OPTS(image, .channels = 3));
    for (int i = 0; i < 35; i++) memset(rgb + 3 * i, gray[i], 3);
    CHECK(difference(x, rgb) == 0);
    write_png(in_folder("c.png"), four, 7, 5, 4); /* what cannot be seen is black */
    x = vn_read_image(in_folder("c.png"), NULL);
    fill(rgb, 7, 5, 3);
    for (int i = 0; i < 35; i += 2) memset(rgb + 3 * i, 0, 3);
    CHECK(difference(x, rgb) == 0);
    vn_image_info info = {.size = sizeof info};
    CHECK(!vn_inspect_image(in_folder("b.png"), &info) && !strcmp(info.format, "png") && info.height == 7 && info.width == 5);
    CHECK(info.channels == 1);
}

/* What vn_write_image writes, libpng reads: every number of channels, rows longer than a block of deflate. */
TEST(written)
{
    VN_SCOPE;
    unsigned char rgb[7 * 5 * 3];
    fill(rgb, 7, 5, 3);
    CHECK(vn_write_image(in_folder("w.png"), vn_from_host(rgb, VN_U8, VN_SHAPE(7, 5, 3))) == VN_OK);
    CHECK(difference(vn_read_image(in_folder("w.png"), NULL), rgb) == 0);
    CHECK(vn_write_image(in_folder("g.png"), vn_from_host(rgb, VN_U8, VN_SHAPE(7, 15))) == VN_OK);
    vn_array *gray = vn_read_image(in_folder("g.png"), NULL);
    CHECK(vn_dim(gray, 1) == 15 && vn_dim(gray, 2) == 1 && difference(gray, rgb) == 0);
    /* With opacity: what cannot be seen is read as black. */
    const unsigned char four[] = {10, 20, 30, 255, 40, 50, 60, 0}, two[] = {70, 255, 80, 0}, seen[] = {10, 20, 30, 0, 0, 0},
                        dim[] = {70, 0};
    CHECK(vn_write_image(in_folder("4.png"), vn_from_host(four, VN_U8, VN_SHAPE(1, 2, 4))) == VN_OK);
    CHECK(difference(vn_read_image(in_folder("4.png"), VN_OPTS(image, .channels = 3)), seen) == 0);
    CHECK(vn_write_image(in_folder("2.png"), vn_from_host(two, VN_U8, VN_SHAPE(1, 2, 2))) == VN_OK);
    CHECK(difference(vn_read_image(in_folder("2.png"), VN_OPTS(image, .channels = 1)), dim) == 0);
    /* Floats: 0 to 1, rounded half up; bool; others than bytes. */
    const float real[] = {0, .25f, .5f, 1, 2, -1, .998f};
    const unsigned char as[] = {0, 64, 128, 255, 255, 0, 254};
    CHECK(vn_write_image(in_folder("f.png"), vn_from_host(real, VN_F32, VN_SHAPE(1, 7))) == VN_OK);
    CHECK(difference(vn_read_image(in_folder("f.png"), NULL), as) == 0);
    CHECK(vn_write_image(in_folder("b.png"), vn_greater(vn_from_host(real, VN_F32, VN_SHAPE(1, 7)), vn_scalar(.5))) == VN_OK);
    CHECK(difference(vn_read_image(in_folder("b.png"), NULL), (const unsigned char[]){0, 0, 0, 255, 255, 0, 255}) == 0);
    const int widths[] = {65534, 65535, 65536, 131070};
    for (int k = 0; k < 4; k++) {
        unsigned char *wide = malloc(2 * (size_t)widths[k]);
        fill(wide, 2, widths[k], 1);
        CHECK(vn_write_image(in_folder("l.png"), vn_from_host(wide, VN_U8, VN_SHAPE(2, widths[k]))) == VN_OK);
        CHECK(difference(vn_read_image(in_folder("l.png"), NULL), wide) == 0);
        free(wide);
    }
    vn_array *x = vn_zeros(VN_SHAPE(2, 2), VN_F32);
    CHECK_FAILS(vn_write_image(in_folder("a.jpg"), x), VN_E_ARG, "the name ends in .png");
    CHECK_FAILS(vn_write_image(NULL, x), VN_E_NULL, "path is NULL");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), NULL), VN_E_NULL, "x");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), vn_zeros(VN_SHAPE(2, 2, 5), VN_F32)), VN_E_SHAPE, "2x2x5");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), vn_zeros(VN_SHAPE(4), VN_F32)), VN_E_SHAPE, "(height, width)");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), vn_zeros(VN_SHAPE(0, 4), VN_F32)), VN_E_SHAPE, "0x4");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), vn_full(vn_scalar(NAN), VN_SHAPE(2, 2), VN_F32)), VN_E_ARG, "NaN");
    CHECK_FAILS(vn_write_image(in_folder("a.png"), vn_zeros(VN_SHAPE(2, 2), VN_I32)), VN_E_DTYPE, "int32");
    CHECK_FAILS(vn_write_image(in_folder("none/a.png"), x), VN_E_IO, "No such file");
}

TEST(jpeg)
{
    enum { H = 40, W = 48 };
    VN_SCOPE;
    unsigned char gray[H * W], rgb[H * W * 3], ink[H * W * 4];
    for (int i = 0; i < H * W; i++) {
        gray[i] = (unsigned char)(i % W * 4 + i / W);
        for (int c = 0; c < 3; c++) rgb[3 * i + c] = (unsigned char)(i % W * (c + 1) + i / W * (3 - c));
        for (int c = 0; c < 3; c++) ink[4 * i + c] = rgb[3 * i + c];
        ink[4 * i + 3] = 255;
    }
    for (int progressive = 0; progressive < 2; progressive++) {
        write_jpeg(in_folder("a.jpg"), gray, H, W, 1, progressive);
        CHECK(difference(vn_read_image(in_folder("a.jpg"), NULL), gray) < 8);
        write_jpeg(in_folder("b.jpeg"), rgb, H, W, 3, progressive);
        CHECK(difference(vn_read_image(in_folder("b.jpeg"), NULL), rgb) < 12);
    }
    write_jpeg(in_folder("c.jpg"), ink, H, W, 4, 0); /* libjpeg writes Adobe's marker: 255 is no ink */
    CHECK(difference(vn_read_image(in_folder("c.jpg"), NULL), rgb) < 12);
    CHECK(vn_dim(vn_read_image(in_folder("c.jpg"), VN_OPTS(image, .channels = 1)), 2) == 1);
    /* Half the size is decoded as such, without a detour: the mean of the picture stays. */
    vn_array *half = vn_read_image(in_folder("a.jpg"), VN_OPTS(image, .height = H / 2, .width = W / 2));
    vn_array *full = vn_read_image(in_folder("a.jpg"), NULL);
    CHECK(half && fabs(vn_item(vn_mean(vn_cast(half, VN_F32), VN_ALL)) - vn_item(vn_mean(vn_cast(full, VN_F32), VN_ALL))) < .6);
}

/* An EXIF segment with this orientation, little or big endian, behind another entry. */
static size_t exif_of(int orientation, int big, unsigned char to[static 64])
{
    static const unsigned char little_head[] = "Exif\0\0II*\0\x08\0\0\0\x02\0\x0f\x01\x02\0\x04\0\0\0abc\0\x12\x01\x03\0\x01\0\0\0";
    static const unsigned char big_head[] = "Exif\0\0MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x04"
                                            "abc\0\x01\x12\0\x03\0\0\0\x01";
    const size_t n = sizeof little_head - 1;
    memcpy(to, big ? big_head : little_head, n);
    memset(to + n, 0, 8);
    to[n + (big ? 1 : 0)] = (unsigned char)orientation;
    return n + 8; /* the value, and that there is no other directory */
}

/* Where the pixel (y, x) of the upright picture of h x w is in the stored one, as the standard describes it: by which side row 0 and column
 * 0 are. */
static int stored_at(int orientation, int y, int x, int h, int w, int *row_length)
{
    const int top = y, bottom = h - 1 - y, left = x, right = w - 1 - x;
    const int rows[9] = {0, top, top, bottom, bottom, left, right, right, left};
    const int columns[9] = {0, left, right, right, left, top, top, bottom, bottom};
    *row_length = orientation > 4 ? h : w;
    return rows[orientation] * *row_length + columns[orientation];
}

/* A picture of smooth colours, so that JPEG changes little, which is different in all eight positions. */
TEST(orientation)
{
    enum { H = 24, W = 40 };
    unsigned char upright[H * W], stored[H * W], exif[64];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) upright[y * W + x] = (unsigned char)(y * 6 + x * 2);
    for (int orientation = 1; orientation <= 8; orientation++) {
        VN_SCOPE;
        const size_t n = exif_of(orientation, orientation % 2, exif);
        int length = 0;
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                const int at = stored_at(orientation, y, x, H, W, &length);
                stored[at] = upright[y * W + x];
            }
        write_jpeg_exif(in_folder("o.jpg"), stored, H * W / length, length, 1, orientation > 6, exif, n);
        vn_image_info info = {.size = sizeof info};
        CHECK(!vn_inspect_image(in_folder("o.jpg"), &info) && info.height == H && info.width == W);
        vn_array *x = vn_read_image(in_folder("o.jpg"), NULL);
        CHECK(x && vn_dim(x, 0) == H && vn_dim(x, 1) == W && difference(x, upright) < 8);
        x = vn_read_image(in_folder("o.jpg"), VN_OPTS(image, .height = H / 2, .width = W / 2, .channels = 3));
        CHECK(x && vn_dim(x, 0) == H / 2 && abs(((const unsigned char *)vn_data(x))[0] - upright[W + 1]) < 10);
    }
}

/* Segments that are cut, point outside or have odd values: the picture is as it is stored, or the file is refused; nothing else. */
TEST(hostile_exif)
{
    enum { H = 8, W = 16 };
    unsigned char pixels[H * W], exif[64];
    fill(pixels, H, W, 1);
    for (int big = 0; big < 2; big++) {
        const size_t n = exif_of(6, big, exif);
        for (size_t cut = 0; cut < n; cut++) {
            VN_SCOPE;
            write_jpeg_exif(in_folder("h.jpg"), pixels, H, W, 1, 0, exif, cut);
            vn_array *x = vn_read_image(in_folder("h.jpg"), NULL);
            const int whole = cut >= n - 4; /* behind the entry */
            CHECK(x && vn_dim(x, 0) == (whole ? W : H));
        }
        for (size_t at = 0; at < n; at++) {
            for (int value = 0; value < 256; value += 51) {
                VN_SCOPE;
                const unsigned char before = exif[at];
                exif[at] = (unsigned char)value;
                write_jpeg_exif(in_folder("h.jpg"), pixels, H, W, 1, 0, exif, n);
                exif[at] = before;
                CHECK(vn_read_image(in_folder("h.jpg"), NULL) != NULL);
            }
        }
    }
}

/* Sums and sums weighted by position, from Pillow's resize with its bilinear filter. */
TEST(resize)
{
    static const struct {
        int64_t height, width, sum, weighted;
    } expected[] = {{3, 2, 2286, 21721}, {11, 8, 33426, 4452246}, {7, 3, 7999, 257288}, {2, 5, 3827, 59465}};
    unsigned char rgb[7 * 5 * 3];
    fill(rgb, 7, 5, 3);
    write_png(in_folder("a.png"), rgb, 7, 5, 3);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        VN_SCOPE;
        vn_array *x = vn_read_image(in_folder("a.png"), VN_OPTS(image, .height = expected[k].height, .width = expected[k].width));
        const unsigned char *data = x ? vn_data(x) : NULL;
        int64_t sum = 0, weighted = 0;
        for (int64_t i = 0; data && i < vn_size(x); i++) sum += data[i], weighted += data[i] * (i + 1);
        CHECK(sum == expected[k].sum && weighted == expected[k].weighted);
    }
}

/* ---- hostile files ---- */

TEST(damaged_files)
{
    static const char *const names[] = {"a.png", "a.jpg"};
    unsigned char *pixels = photograph(0, 1, 60, 50);
    write_png(in_folder("a.png"), pixels, 60, 50, 3);
    write_jpeg(in_folder("a.jpg"), pixels, 60, 50, 3, 1);
    free(pixels);
    for (int k = 0; k < 2; k++) {
        bytes b = read_bytes(in_folder(names[k]));
        for (size_t n = 0; n + 16 < b.size; n += b.size / 40 + 1) {
            VN_SCOPE;
            write_bytes(in_folder("cut"), b.data, n);
            CHECK_FAILS(vn_read_image(in_folder("cut"), NULL), VN_E_FORMAT, "cut: ");
        }
        for (int i = 0; i < 300; i++) { /* damaged: a picture or an error, nothing else */
            VN_SCOPE;
            bytes d = {malloc(b.size), b.size};
            memcpy(d.data, b.data, b.size);
            for (int j = 0; j < 1 + i % 8; j++) d.data[(unsigned)(i * 7919 + j * 104729) % d.size] ^= (unsigned char)(1 << (i + j) % 8);
            write_bytes(in_folder("bad"), d.data, d.size);
            vn_array *x = vn_read_image(in_folder("bad"), NULL);
            CHECK(!x == (vn_status() != VN_OK) && (x || vn_status() == VN_E_FORMAT));
            vn_clear();
            free(d.data);
        }
        free(b.data);
    }
}

TEST(refused)
{
    VN_SCOPE;
    /* A header of 65280 x 65280, and nothing behind it that could be that large. */
    unsigned char huge[] = {0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0xff, 0, 0xff, 0, 1, 1, 0x11, 0, 0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0};
    write_bytes(in_folder("huge.jpg"), huge, sizeof huge);
    CHECK_FAILS(vn_read_image(in_folder("huge.jpg"), NULL), VN_E_FORMAT, "an image of 65280 x 65280; at most 134 million pixels");
    write_bytes(in_folder("empty.png"), "", 0);
    CHECK_FAILS(vn_read_image(in_folder("empty.png"), NULL), VN_E_FORMAT, "the file is empty");
    write_bytes(in_folder("text.png"), "hello, world", 12);
    CHECK_FAILS(vn_read_image(in_folder("text.png"), NULL), VN_E_FORMAT, "not an image of a kind that is read (jpeg, png)");
    CHECK_FAILS(vn_read_image(in_folder("none.png"), NULL), VN_E_IO, "No such file");
    CHECK_FAILS(vn_read_image(folder, NULL), VN_E_IO, "not a regular file");
    CHECK_FAILS(vn_read_image(NULL, NULL), VN_E_NULL, "the path is NULL");
    CHECK_FAILS(vn_read_image(in_folder("a.png"), VN_OPTS(image, .height = 5)), VN_E_ARG, "height is 5, and width 0");
    CHECK_FAILS(vn_read_image(in_folder("a.png"), VN_OPTS(image, .height = 9000, .width = 5)), VN_E_ARG, "from 1 to 8192");
    CHECK_FAILS(vn_read_image(in_folder("a.png"), VN_OPTS(image, .channels = 2)), VN_E_ARG, "channels is 2");
    unsigned char rgb[12] = {0};
    write_png(in_folder("wrong.jpg"), rgb, 2, 2, 3); /* what it contains decides */
    CHECK(vn_read_image(in_folder("wrong.jpg"), NULL));
}

/* ---- folders ---- */

static const char *const kinds[] = {"discs", "lines", "stripes"};

static void make_folder(int each)
{
    mkdir(in_folder("photos"), 0755);
    for (int k = 0; k < 3; k++) {
        char name[64];
        snprintf(name, sizeof name, "photos/%s", kinds[k]);
        mkdir(in_folder(name), 0755);
        for (int i = 0; i < each; i++) {
            unsigned char *pixels = photograph(k, (unsigned)(i * 3 + k), 20 + i % 5, 24);
            snprintf(name, sizeof name, "photos/%s/%02d.%s", kinds[k], i, i % 2 ? "JPG" : "png");
            if (i % 2) write_jpeg(in_folder(name), pixels, 20 + i % 5, 24, 3, 0);
            else write_png(in_folder(name), pixels, 20 + i % 5, 24, 3);
            free(pixels);
        }
    }
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", in_folder("photos"));
    if (system(command)) exit(1);
}

TEST(folders)
{
    VN_SCOPE;
    make_folder(6);
    vn_dataset_info info = {.size = sizeof info};
    vn_dataset *d = vn_dataset_load(in_folder("photos"), NULL);
    CHECK(d && !vn_dataset_look(d, &info) && info.rows == 18 && info.classes == 3 && info.has_target && info.x.rank == 3);
    if (!d) return;
    CHECK(info.x.dim[0] == 64 && info.x.dim[1] == 64 && info.x.dim[2] == 3 && info.n_notes == 1 && strstr(info.notes[0], "resized"));
    CHECK(!strcmp(info.about, "photos: 18 images of 64x64x3, 3 classes"));
    CHECK(!strcmp(info.class_names[1], "lines") && !strcmp(info.files[7], "lines/01.JPG"));
    vn_array *x, *y;
    CHECK(!vn_dataset_rows(d, (int64_t[]){7, 0, 17}, 3, &x, &y) && vn_dim(x, 0) == 3 && vn_dtype_of(x) == VN_F32);
    CHECK(vn_item_int(vn_sum(y, VN_ALL)) == 3 && vn_item(vn_max(x, VN_ALL)) <= 1 && vn_item(vn_min(x, VN_ALL)) >= 0);
    vn_array *one = vn_read_image(in_folder("photos/lines/01.JPG"), VN_OPTS(image, .height = 64, .width = 64));
    CHECK(vn_item(vn_max(vn_abs(vn_sub(vn_mul(vn_rows(x, 0, 1), vn_scalar(255)), vn_cast(one, VN_F32))), VN_ALL)) < 1e-3);

    /* Rows to predict; one file; classes that were learned. */
    vn_dataset *bare = vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .kind = VN_TARGET_NONE, .schema = info.schema));
    vn_dataset_info other = {.size = sizeof other};
    CHECK(bare && !vn_dataset_look(bare, &other) && !other.has_target && other.x.dim[0] == 64 && !strcmp(other.class_names[2], "stripes"));
    CHECK_FAILS(vn_dataset_rows(bare, (int64_t[]){0}, 1, &x, &y), VN_E_ARG, "no target");
    CHECK(vn_dataset_load(in_folder("photos/discs/00.png"), VN_OPTS(dataset, .schema = info.schema)));
    CHECK_FAILS(
        vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .schema = "{\"version\":1,\"images\":[8,8,3],\"classes\":[\"discs\"]}")),
        VN_E_STRUCT, "\"lines\" is none of the 1 classes that were learned");
    static const char *const schemas[] = {"",
                                          "{}",
                                          "[]",
                                          "{\"version\":1,\"images\":[8,8]}",
                                          "{\"version\":1,\"images\":[8,8,2],\"classes\":[]}",
                                          "{\"version\":1,\"images\":[8,8,3],\"classes\":[1]}",
                                          "{\"version\":1,\"images\":[8,1e9,3],\"classes\":[]}"};
    for (size_t k = 0; k < sizeof schemas / sizeof *schemas; k++)
        CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .schema = schemas[k])), VN_E_FORMAT, "the schema is not valid");
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .target = "y")), VN_E_ARG, "option target is for tables");
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .cache = -2)), VN_E_ARG, "option cache");
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .unreadable = 2)), VN_E_ARG, "not a vn_unreadable");
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .kind = VN_TARGET_NUMBER)), VN_E_ARG, "images have classes");
    remove_folder();
    mkdir(in_folder("photos"), 0755);
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), NULL), VN_E_FORMAT, "the folder has no images");
    remove_folder();
}

TEST(unreadable)
{
    VN_SCOPE;
    make_folder(4);
    write_bytes(in_folder("photos/discs/aa.jpg"), "no image", 8);
    write_bytes(in_folder("photos/discs/notes.txt"), "notes", 5);
    write_bytes(in_folder("photos/discs/.hidden.png"), "", 0);
    bytes b = read_bytes(in_folder("photos/stripes/01.JPG"));
    write_bytes(in_folder("photos/stripes/01.JPG"), b.data, b.size / 2);
    free(b.data);
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), NULL), VN_E_FORMAT, "photos/discs/aa.jpg: not an image");
    for (int cache = -1; cache < 1; cache++) {
        vn_dataset_info info = {.size = sizeof info};
        vn_dataset *d = vn_dataset_load(in_folder("photos"),
                                        VN_OPTS(dataset, .unreadable = VN_UNREADABLE_SKIP, .height = 16, .width = 16, .cache = cache));
        CHECK(d && !vn_dataset_look(d, &info) && info.rows == 11 && info.n_notes == 2);
        CHECK(d && strstr(info.notes[0], "2 files cannot be read and are left out: discs/aa.jpg (not an image"));
        CHECK(d && strstr(info.notes[1], "1 other file is ignored, such as discs/notes.txt"));
    }
    /* Not in memory, and not skipped: found when its batch comes, in the loop and ahead of it. */
    unlink(in_folder("photos/discs/aa.jpg"));
    vn_dataset *late = vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .height = 16, .width = 16, .cache = -1));
    vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(16 * 16 * 3, 3, NULL));
    CHECK(late);
    CHECK_FAILS(vn_fit(net, late, VN_OPTS(fit, .epochs = 1, .batch = 2, .no_shuffle = 1), NULL), VN_E_FORMAT,
                "photos/stripes/01.JPG: jpeg: ");
    remove_folder();
}

static int stop_reading(double done, void *user)
{
    (void)user;
    return done > .2;
}

/* ---- the next batch ---- */

static int interrupt(const vn_fit_event *e, void *user)
{
    (void)user;
    return e->moment == VN_FIT_STEP && e->step == 3;
}

TEST(ahead)
{
    make_folder(8);
    CHECK_FAILS(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .progress = stop_reading)), VN_E_CALLBACK,
                "progress function returned 1");
    double hashes[3] = {0};
    for (int k = 0; k < 3; k++) { /* in memory, decoded per batch, in micro-batches */
        VN_SCOPE;
        vn_seed(3);
        vn_dataset *d = vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .height = 12, .width = 12, .cache = k ? -1 : 0));
        vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(12 * 12 * 3, 3, NULL));
        vn_fit_result r = {.size = sizeof r};
        CHECK(!vn_fit(net, d, VN_OPTS(fit, .epochs = 2, .batch = 5, .validation_rows = 4, .seed = 1, .micro_batches = k == 2 ? 2 : 0), &r));
        vn_array *p = vn_predict(net, d, 7);
        CHECK(r.steps == 8 && p && vn_dim(p, 0) == 24);
        hashes[k] = p ? vn_item(vn_sum(p, VN_ALL)) : NAN;
        CHECK(!vn_fit(net, d, VN_OPTS(fit, .epochs = 2, .batch = 5, .watch = interrupt), &r) && r.stop == VN_STOP_CALLBACK);
    }
    CHECK(hashes[0] == hashes[1] && isfinite(hashes[2]));
    remove_folder();
}

/* Two threads train on one dataset: each gets the rows it asked for. */
static void *train_alone(void *data)
{
    VN_SCOPE;
    vn_seed(1);
    vn_module *net = VN_SEQUENTIAL(vn_nn_flatten(1, -1), vn_nn_linear(12 * 12 * 3, 3, NULL));
    CHECK(!vn_fit(net, data, VN_OPTS(fit, .epochs = 3, .batch = 5, .seed = 1), NULL));
    double *sum = malloc(sizeof *sum);
    *sum = vn_item(vn_sum(vn_predict(net, data, 7), VN_ALL));
    return sum;
}

TEST(two_threads)
{
    pthread_t threads[2];
    double sums[2] = {1, 2};
    make_folder(6);
    vn_dataset *d = vn_dataset_keep(vn_dataset_load(in_folder("photos"), VN_OPTS(dataset, .height = 12, .width = 12, .cache = -1)));
    for (int k = 0; k < 2; k++) pthread_create(&threads[k], NULL, train_alone, d);
    for (int k = 0; k < 2; k++) {
        void *sum;
        pthread_join(threads[k], &sum);
        memcpy(&sums[k], sum, sizeof *sums);
        free(sum);
    }
    CHECK(sums[0] == sums[1]);
    vn_dataset_drop(d);
    remove_folder();
}

FOLDER_TEST_MAIN
