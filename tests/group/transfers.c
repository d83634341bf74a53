/* SPDX-License-Identifier: Apache-2.0 */
/* transfers.c: each transfer of every function of groups fails, at its start or later: the function returns the plugin's error, and from then on all
 * of them do; ranks give up, fall silent or wait elsewhere: the error names them. The world is one process, of the plugin echo.
 * What a transfer that failed may still use is never freed, so leaks are not looked for; group_memory does. */
/* ctest: sanitize */
/* ctest: env ASAN_OPTIONS=detect_leaks=0 */
/* ctest: seconds 1 */
#include "echo_programs.h"

/* ---- transfers that fail ---- */

/* With transfer k of the program failing. Returns whether it had so many. */
static bool fails(int program, int ranks, long k, bool at_start)
{
    char text[64];
    const int before = check_failures;
    open_echo(ranks, 60);
    *(at_start ? &echo->not_started : &echo->not_ended) = k;
    check_say = false;
    run(program);
    check_say = true;
    check_failures = before; /* what the program checks does not hold */
    if (echo->at < k) {
        CHECK(!vn_status());
        return false;
    }
    snprintf(text, sizeof text, "echo: transfer %ld does not %s", k, at_start ? "start" : "end");
    CHECK(vn_status() == VN_E_GROUP && strstr(vn_message(), text) && strstr(echo->last, text));
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, text);
    vn_clear();
    return true;
}

TEST(each_fails)
{
    for (int p = 0; p < PROGRAMS; p++) {
        for (int at_start = 0; at_start < 2; at_start++) {
            long k = 1;
            while (fails(p, 2, k, at_start)) k++;
            CHECK(k > 1);
        }
    }
    vn_close();
}

/* ---- what others say ---- */

static void says(int rank, const char *text)
{
    echo->texts[echo->n_texts].rank = rank;
    snprintf(echo->texts[echo->n_texts++].text, sizeof echo->texts[0].text, "%s", text);
}

typedef struct {
    int silent;                       /* ranks from here on answer nothing */
    const char *first, *second, *odd; /* what ranks 1 and 2 say, and one that there is not; NULL: nothing */
    const char *error;
} word;
static const char here[] = "it waited 0.02 s in group_barrier (barrier)", there[] = "it waited 0.02 s in group_send (send)";
static const word words[] = {
    {0, NULL, NULL, NULL, "waited 0.02 s; no sign of rank 1, 2"},
    {2, NULL, NULL, NULL, "waited 0.02 s; no sign of rank 2"},
    {3, NULL, NULL, NULL, "waited 0.02 s; all ranks wait in group_barrier (barrier)"},
    {0, here, here, NULL, "rank 1 gave up after waiting 0.02 s for this one"},
    {0, there, there, NULL, "rank 1 waits in group_send (send), this one in group_barrier (barrier): all ranks must run the same program"},
    {0, here, there, NULL, "rank 2 waits in group_send (send), this one in group_barrier (barrier)"},
    {0, here, "anything else", here, "rank 1 gave up after waiting"},
    {0, "it waited", NULL, NULL, "rank 1 ended: it waited"},
    {0, "no memory", NULL, NULL, "rank 1 ended: no memory"},
    {0, "rank 2 ended: no memory", NULL, NULL, "rank 2 ended: no memory"},
    {0, "rank 2 is slow", NULL, NULL, "rank 1 ended: rank 2 is slow"},
};

TEST(reasons)
{
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const word *w = &words[k];
        vn__group_answer = w->silent < 3 && !w->first ? .05 : 2;
        open_echo(3, .02);
        echo->silent = w->silent, echo->waits = 1;
        if (w->first) says(1, w->first);
        if (w->odd) says(7, w->odd);
        if (w->second) says(2, w->second);
        CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, w->error);
        CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, w->error); /* from now on */
        CHECK(vn__group_agree(vn__group_of(all), VN_E_ARG, "agree") == VN_E_ARG);
        CHECK_FAILS(vn__group_agree(vn__group_of(all), VN_OK, "agree"), VN_E_GROUP, w->error);
        echo->silent = 3, echo->pauses = 1;
        vn_close();
    }
    vn__group_answer = 2;
}

/* A rank that is not in the group does not wait for it. */
TEST(others_reasons)
{
    open_echo(3, .02);
    vn_group *part = vn_group_split(all, 0, 0); /* its ranks all have the number of this one */
    echo->at = 0, echo->waits = 1;
    says(1, there);
    CHECK_FAILS(vn_group_barrier(part), VN_E_GROUP, "group_barrier: rank 1 ended: it waited 0.02 s in group_send (send)");
    vn_close();
}

/* The plugin fails where it looks for texts or posts one. */
TEST(deaf)
{
    open_echo(2, .3);
    echo->fails_look = 1, echo->waits = 1;
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "echo: nothing is heard");
    vn_close();
    vn__group_answer = .01;
    open_echo(2, .3);
    echo->fails_look = 2, echo->waits = 1;
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "echo: nothing is heard");
    vn_close();
    vn__group_answer = 2;
    open_echo(2, .3);
    echo->fails_post = true, echo->not_ended = 1;
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "echo: transfer 1 does not end");
    vn_close();
}

/* ---- what others send ---- */

static void change(int k, long transfer, size_t place, char byte)
{
    echo->change[k].transfer = transfer, echo->change[k].place = place, echo->change[k].byte = byte;
}

TEST(disagreements)
{
    open_echo(2, 60);
    change(0, 1, 0, 'x');
    CHECK_FAILS(vn_group_same(all, "word", 4, "words"), VN_E_GROUP, "group_same: rank 1 has other words than rank 0");
    echo->at = 0;
    CHECK_FAILS(vn_group_same(all, "word", 4, NULL), VN_E_GROUP, "group_same: rank 1 has other bytes than rank 0");
    echo->at = 0;
    CHECK_FAILS(
        vn_group_all_gather(all, twos(3, VN_F32)), VN_E_GROUP,
        "group_all_gather: rank 0 calls group_all_gather of float32 3, rank 1 xroup_all_gather of float32 3; all ranks call the same");
    echo->at = 0, change(0, 1, 0, 1), change(1, 3, 0, 'x');
    CHECK_FAILS(vn__group_agree(vn__group_of(all), VN_OK, "agree"), VN_E_GROUP, "agree: rank 1: x");
    echo->at = 0;
    CHECK(vn__group_agree(vn__group_of(all), VN_E_ARG, "agree") == VN_E_ARG && !vn_status()); /* without a message */
    vn_close();
}

/* Headers that are none. */
TEST(no_arrays)
{
    static const struct {
        size_t place;
        char byte;
        vn_code code;
        const char *error;
    } cases[] = {{0, 99, VN_E_GROUP, "group_receive: rank 1 sent no array"},
                 {4, 99, VN_E_GROUP, "group_receive: rank 1 sent no array"},
                 {7, -1, VN_E_GROUP, "group_receive: rank 1 sent no array"},
                 {15, -1, VN_E_SHAPE, "group_receive: "}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        open_echo(2, 60);
        CHECK(!vn_group_send(all, twos(5, VN_F32), 1, 3));
        echo->at = 0, change(0, 1, cases[k].place, cases[k].byte);
        CHECK_FAILS(vn_group_receive(all, 1, 3), cases[k].code, cases[k].error);
    }
    vn_close();
}

static double weight;
static vn_array *weighted_loss(const vn_tree *p, vn_part *part, void *unused)
{
    part->weight = weight;
    return loss_of(p, part, unused);
}
static int weighted(double given)
{
    VN_SCOPE;
    vn_tree *p = vn_tree_new(NULL), *grads = NULL;
    vn_tree_set(p, "w", vn_variable(twos(3, VN_F32)));
    weight = given;
    vn_group_value_and_grad(all, n, weighted_loss, p, NULL, &grads);
    return vn_status();
}

TEST(odd_weights)
{
    open_echo(2, 60);
    CHECK_FAILS(weighted(-1), VN_E_ARG, "group_value_and_grad: part 0 has weight -1");
    CHECK_FAILS(weighted(NAN), VN_E_ARG, "group_value_and_grad: part 0 has weight nan");
    CHECK_FAILS(weighted(0x1p60), VN_E_ARG, "group_value_and_grad: part 0 has weight ");
    CHECK_FAILS(weighted(0), VN_E_ARG, "group_value_and_grad: the weights of the parts add up to 0");
    echo->at = 0, change(0, 1, 16 + 7, 0x7f); /* 1 becomes an infinity */
    CHECK_FAILS(weighted(1), VN_E_ARG, "group_value_and_grad: the weights of the parts add up to inf");
    CHECK(!weighted(1));
    vn_close();
}

/* ---- refusals ---- */

TEST(refusals)
{
    open_echo(2, 60);
    vn_tree *grads = NULL, *p = vn_tree_new(NULL);
    vn_array *x = vn_variable(twos(4, VN_F32));
    CHECK_FAILS(vn_group_same(all, NULL, 4, "words"), VN_E_NULL, "group_same: bytes is NULL");
    CHECK(vn_group_same(all, NULL, 0, "words") == 1);
    CHECK_FAILS(vn_group_broadcast(all, x, -1), VN_E_ARG, "group_broadcast: there is no rank -1; the group has 2");
    CHECK_FAILS(vn_group_all_reduce(all, x, 9), VN_E_ARG, "group_all_reduce: there is no reduction 9");
    CHECK_FAILS(vn_group_reduce_scatter(all, vn_full(vn_scalar(1), VN_0D, VN_F32), VN_REDUCE_SUM), VN_E_SHAPE, "axis 0 has 0 rows");
    CHECK_FAILS(vn_group_send(all, x, 2, 0), VN_E_ARG, "group_send: rank 2 is not another of the group's 2");
    CHECK_FAILS(vn_group_send(all, NULL, 1, 0), VN_E_NULL, "group_send: x is NULL");
    CHECK_FAILS(vn_group_split(all, -1, 0), VN_E_ARG, "group_split: colour is -1; 0 or more is needed");
    CHECK_FAILS(vn_group_all_gather(all, vn_broadcast_to(x, VN_SHAPE(INT64_C(1) << 56, 4))), VN_E_SHAPE, "group_all_gather: ");
    CHECK_FAILS(vn_group_value_and_grad(all, 2, loss_of, p, NULL, NULL), VN_E_NULL, "group_value_and_grad: grads is NULL");
    CHECK_FAILS(vn_group_value_and_grad(all, 2, NULL, p, NULL, &grads), VN_E_NULL, "group_value_and_grad: fn is NULL");
    CHECK_FAILS(vn_group_value_and_grad(all, 2, loss_of, NULL, NULL, &grads), VN_E_NULL, "group_value_and_grad: p is NULL");
    CHECK_FAILS(vn_group_value_and_grad((vn_group *)p, 2, loss_of, p, NULL, &grads), VN_E_ARG, "group_value_and_grad: g is ");
    CHECK_FAILS(vn_module_group_value_and_grad(NULL, all, 2, module_loss, NULL, &grads), VN_E_NULL, "m is NULL");
    CHECK_FAILS(vn_module_group_value_and_grad(NULL, all, 2, module_loss, NULL, NULL), VN_E_NULL, "grads is NULL");
    CHECK_FAILS(vn_group_same(all, "", SIZE_MAX / 2 + 1, "words"), VN_E_MEM, "group_same: ");
    CHECK_FAILS(vn_group_barrier(all), VN_E_GROUP, "this rank (0) has given up: group_same: "); /* the others wait for it */
    vn_close();
}

/* A scattered maximum has no gradient. */
static vn_array *scattered_loss(const vn_tree *p, void *unused)
{
    (void)unused;
    return vn_sum(vn_group_reduce_scatter(all, vn_tree_get(p, "w"), VN_REDUCE_MAX), VN_ALL);
}

TEST(no_gradient)
{
    open_echo(2, 60);
    vn_tree *p = vn_tree_new(NULL), *grads = NULL;
    vn_tree_set(p, "w", vn_variable(twos(4, VN_F32)));
    CHECK_FAILS(vn_value_and_grad(scattered_loss, p, NULL, &grads), VN_E_UNSUPPORTED,
                "group_reduce_scatter: a max has no gradient; use all_reduce");
    vn_close();
}

/* Memory that all ranks see, of which the system has no pages: sums travel in messages. */
TEST(no_pages)
{
    vn_close();
    for (int half = 1; half <= 2; half++) {
        *echo = (echo_script){.ranks = 2, .silent = 2, .no_pages = half};
        setenv("ECHO_RANKS", "2", 1);
        all = vn_group_open(NULL), n = 2;
        in_parts(1 << 15, 2);
        CHECK(!vn_close());
    }
}

/* More arrays than there are buckets. */
static vn_array *many_loss(const vn_tree *p, void *unused)
{
    (void)unused;
    vn_array *sum = vn_scalar(0);
    for (int k = 0; k < vn_tree_leaves(p); k++) sum = vn_add(sum, vn_mean(vn_square(vn_tree_leaf(p, k)), VN_ALL));
    return sum;
}
static vn_array *many_gradients(void *user, vn_part *part, vn_tree **grads)
{
    (void)part;
    return vn_value_and_grad(many_loss, user, NULL, grads);
}

TEST(many_buckets)
{
    enum { ARRAYS = 40 };
    open_echo(2, 60);
    const size_t before = vn__overlap_bucket;
    vn__parts p;
    vn_tree *v = vn_tree_new(NULL), *grads = NULL;
    char name[8];
    for (int k = 0; k < ARRAYS; k++) {
        snprintf(name, sizeof name, "w%d", k);
        vn_tree_set(v, name, vn_variable(twos(16, VN_F32)));
    }
    vn__overlap_bucket = 16;
    CHECK(!vn__parts_begin(&p, all, 2, 1, true, "fast"));
    vn_array *loss = vn__parts_compute(&p, &(vn__part_work){.gradient = many_gradients, .user = v}, &grads);
    CHECK(vn_item(loss) == 4 * ARRAYS && vn_tree_leaves(grads) == ARRAYS);
    vn__parts_end(&p);
    vn__overlap_bucket = before;
    vn_close();
}

int main(void)
{
    echo_load();
    run_tests();
    folder_remove();
    return finish();
}
