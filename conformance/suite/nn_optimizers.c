/* SPDX-License-Identifier: Apache-2.0 */
/* nn_optimizers.c: 100 steps of every optimizer and composition on a small problem against Optax's (optimizers.inc, printed by
 * conformance/golden/optimizers_optax.py), in float64. The same steps with a stop in the middle, where a new optimizer takes the state,
 * give the same bits. */
#include "nn.h"

enum { STEPS = 100, W = 12, B = 4, ALL = W + B };

typedef struct course {
    const char *text;
    int bad_step;  /* this step's gradient has a NaN; 0: none */
    bool searches; /* a line search: vn_optim_minimize */
    double want[ALL];
} course;

/* ---- the problem: a layer with tanh, 3 features to 4, for 8 examples ---- */

static vn_array *waves_of(int64_t n, double a, double by, vn_shape shape)
{
    double x[32];
    for (int64_t i = 0; i < n; i++) x[i] = sin(a + 1.7 * (double)i + .3 * (double)(i * i % 17)) * by;
    return vn_from_host(x, VN_F64, shape);
}

static vn_tree *start_of(vn_dtype d)
{
    return vn_tree_of("layer/b", vn_cast(waves_of(B, 4, .5, VN_SHAPE(B)), d), "layer/w", vn_cast(waves_of(W, 3, 1, VN_SHAPE(3, 4)), d),
                      NULL);
}

static vn_array *loss_of(const vn_tree *p, void *data)
{
    (void)data;
    vn_array *w = vn_tree_get(p, "layer/w");
    vn_dtype d = w ? vn_dtype_of(w) : VN_F64;
    vn_array *x = vn_cast(waves_of(24, 1, 1, VN_SHAPE(8, 3)), d), *y = vn_cast(waves_of(32, 2, .8, VN_SHAPE(8, 4)), d);
    return vn_mean(vn_square(vn_sub(vn_tanh(vn_add(vn_matmul(x, w), vn_tree_get(p, "layer/b"))), y)), VN_ALL);
}

static void take_steps(const course *c, vn_optim *o, vn_tree *p, int from, int to)
{
    for (int k = from; k < to && !vn_status(); k++) {
        VN_SCOPE;
        vn_tree *g = NULL;
        if (c->searches) {
            CHECK(vn_optim_minimize(o, loss_of, p, NULL));
            continue;
        }
        vn_value_and_grad(loss_of, p, NULL, &g);
        if (c->bad_step && k == c->bad_step) {
            vn_array *b = vn_tree_get(g, "layer/b"), *nan = vn_from_host((double[]){0, NAN, 0, 0}, VN_F64, VN_SHAPE(B));
            vn_tree_set(g, "layer/b", vn_add(b, vn_cast(nan, vn_dtype_of(b))));
        }
        CHECK(g && vn_step(o, p, g) == VN_OK);
    }
}

static void read_all(const vn_tree *p, double *to)
{
    VN_SCOPE;
    CHECK(vn_read(vn_cast(vn_tree_get(p, "layer/b"), VN_F64), to, B * sizeof *to) == VN_OK);
    CHECK(vn_read(vn_cast(vn_tree_get(p, "layer/w"), VN_F64), to + B, W * sizeof *to) == VN_OK);
}

/* Its text makes the same optimizer again. */
static vn_optim *made_again(const vn_optim *o)
{
    const char *text = vn_optim_text(o);
    vn_optim *again = text ? vn_optim_parse(text) : NULL;
    CHECK(again && !strcmp(vn_optim_text(again), text));
    return again;
}

static void follows(trial *t, const course *c)
{
    double got[ALL], resumed[ALL];
    nn_trial = t;
    vn_tree *p = start_of(VN_F64), *q = start_of(VN_F64), *half = start_of(VN_BF16);
    vn_optim *o = vn_optim_parse(c->text), *first = o ? made_again(o) : NULL, *second = o ? made_again(o) : NULL;
    CHECK(o && first && second);
    if (vn_status()) return;
    take_steps(c, o, p, 0, STEPS);
    read_all(p, got);
    trial_near_list(t, CHECK_VALUE, c->text, got, c->want, ALL, 1e-6, NULL);
    take_steps(c, first, q, 0, STEPS / 2);
    CHECK(vn_optim_set_state(second, vn_optim_state(first)) == VN_OK);
    take_steps(c, second, q, STEPS / 2, STEPS);
    read_all(q, resumed);
    CHECK(!memcmp(got, resumed, sizeof got));
    vn_optim *narrow = made_again(o);
    take_steps(c, narrow, half, 0, 2);
    read_all(half, got);
    for (int i = 0; i < ALL; i++) CHECK(isfinite(got[i]));
    CHECK(vn_dtype_of(vn_tree_get(half, "layer/w")) == VN_BF16);
    vn_tree *nothing = vn_tree_new(NULL);
    if (!c->searches) CHECK(vn_step(made_again(o), nothing, nothing) == VN_OK);
}

static const course courses[] = {
#include "optimizers.inc"
};
enum { COURSES = sizeof courses / sizeof *courses };

/* A test has some of the courses: engines that compile need their time. */
enum { OF_ONE = 12 };
static const course *course_of(const trial *t)
{
    const int k = *(const int *)t->test->data * OF_ONE + t->number;
    return k < COURSES ? &courses[k] : NULL;
}

static void run_course(trial *t)
{
    if (course_of(t)) follows(t, course_of(t));
}

static void name_course(const trial *t, char *to, size_t room)
{
    snprintf(to, room, "%s", course_of(t) ? course_of(t)->text : "none");
}

#define GOLDEN(k)                                                                                                                          \
    {                                                                                                                                      \
        TEST_PLACE, .suite = "nn/optimizers", .id = "nn/optimizers_golden_" #k, .name = "nn_optimizers_golden_" #k, .function = "vn_step", \
                    .what = "100 steps of optimizers and compositions against Optax's, and the same bits after a stop in the middle",      \
                    .truth = TRUTH_GOLDEN, .rtol = 1e-6, .atol = 1e-6, .dtypes = VN_BIT(VN_F64), .cases = OF_ONE, .fixed = true,           \
                    .run = run_course, .name_case = name_course, .data = &(const int)                                                      \
        {                                                                                                                                  \
            k                                                                                                                              \
        }                                                                                                                                  \
    }
_Static_assert(COURSES <= 8 * OF_ONE, "a row is missing below");

/* ---- parts ---- */

static int one_step(vn_optim *o, vn_tree *p)
{
    vn_tree *g = NULL;
    return vn_value_and_grad(loss_of, p, NULL, &g) ? vn_step(o, p, g) : (int)vn_status();
}

static void parts(void)
{
    vn_optim *o = vn_optim_parse("groups(masked(head:sgd(0.5), *b), adam(0.25))"), *head = vn_optim_part(o, "masked/head");
    CHECK(o && head && vn_optim_lr(o) == .25 && vn_optim_lr(head) == .5 && vn_optim_lr(vn_optim_part(o, "adam")) == .25);
    CHECK(vn_optim_set_lr(head, 0) == VN_OK);
    vn_tree *p = start_of(VN_F64);
    double before[ALL], after[ALL];
    read_all(p, before);
    CHECK(one_step(o, p) == VN_OK);
    read_all(p, after);
    CHECK(!memcmp(before, after, B * sizeof *before) && before[B] != after[B]);
    vn_tree *state = vn_optim_state(o);
    CHECK(vn_tree_has(state, "adam/m/layer/w") && !vn_tree_has(state, "adam/m/layer/b") && vn_tree_has(state, "masked/head/rate/lr"));
    CHECK_FAILS(vn_step(head, p, p), VN_E_ARG, "part of another optimizer");
    CHECK_FAILS(vn_chain(1, &head), VN_E_ARG, "part of another optimizer already");
    CHECK_FAILS(vn_optim_part(o, "sgd"), VN_E_ARG, "no part \"sgd\"");
    CHECK_FAILS(vn_optim_rename(vn_sgd(.1, NULL), "a/b"), VN_E_ARG, "is no name");
    vn_optim *named = vn_sgd(.1, NULL);
    CHECK(vn_optim_rename(named, "rate") == VN_OK);
    CHECK_FAILS(VN_CHAIN(named), VN_E_ARG, "no part can be named");
    CHECK_FAILS(vn_chain(0, NULL), VN_E_ARG, "0 parts");
    vn_optim *stepped = vn_sgd(.1, NULL), *clipped = vn_sgd(.1, NULL);
    CHECK(one_step(stepped, start_of(VN_F64)) == VN_OK);
    vn_optim_clip_norm(clipped, 1);
    CHECK_FAILS(VN_CHAIN(stepped), VN_E_ARG, "has made 1 steps");
    CHECK_FAILS(VN_CHAIN(clipped), VN_E_ARG, "settings of the whole");
    CHECK_FAILS(VN_CHAIN(o, o), VN_E_ARG, "has made 1 steps");
    CHECK_FAILS(vn_optim_set_lr(vn_update_scale(1), .1), VN_E_ARG, "scale has no learning rate");
    CHECK_FAILS(vn_direction(vn_update_scale(1)), VN_E_ARG, "no learning rate");
    CHECK_FAILS(vn_masked(vn_sgd(.1, NULL), " "), VN_E_ARG, "no pattern");
    CHECK_FAILS(vn_masked(vn_sgd(.1, NULL), NULL), VN_E_NULL, "only is NULL");
    CHECK_FAILS(one_step(vn_groups(1, (vn_optim *[]){vn_masked(vn_sgd(.1, NULL), "*w")}), start_of(VN_F64)), VN_E_STRUCT,
                "no part takes \"layer/b\"");
}

/* "adam(0.25)", "masked(sgd(0.5), *w)": the row with its parameters. */
static void optimizer_text(const vn_op_info *info, char *to, size_t room)
{
    size_t n = (size_t)snprintf(to, room, "%s", info->name);
    for (int k = 0; k < info->n_options && !info->options[k].doc; k++) {
        const char *type = info->options[k].type;
        n += (size_t)snprintf(to + n, room - n, "%s%s", k ? ", " : "(",
                              !strncmp(type, "optim", 5) ? "sgd(0.5)"
                              : !strcmp(type, "text")    ? "*w"
                                                         : "0.25");
        if (k + 1 == info->n_options || info->options[k + 1].doc) snprintf(to + n, room - n, ")");
    }
}

/* Every optimizer and transformation that a text makes has that text, but for those that are made of others. */
static void made(void)
{
    static const char *const others[][2] = {{"noisy_sgd(0.25)", "chain(add_noise, sgd(0.25))"},
                                            {"schedule_free_sgd(0.25)", "schedule_free(sgd(0.25))"},
                                            {"schedule_free_adamw(0.25)", "schedule_free(adamw(0.25, beta1=0, weight_decay=0))"}};
    static const char *const families[] = {"optimizer", "transformation"};
    for (int f = 0; f < 2; f++) {
        CHECK(vn_object_count(families[f]) > 15);
        for (int i = 0; i < vn_object_count(families[f]); i++) {
            VN_SCOPE;
            vn_op_info info = {.size = sizeof info};
            char text[200];
            CHECK(!vn_object_at(families[f], i, &info));
            optimizer_text(&info, text, sizeof text);
            const char *want = text, *is = vn_optim_text(vn_optim_parse(text));
            for (size_t k = 0; k < sizeof others / sizeof *others; k++)
                if (!strcmp(text, others[k][0])) want = others[k][1];
            CHECK(is && !strcmp(is, want));
        }
    }
    CHECK(!strcmp(vn_optim_text(vn_optim_make("scale", (vn_option[]){{.name = "by", .kind = VN_OPT_FLOAT, .n = 1, .u.f = 2}}, 1)),
                  "scale(2)"));
}

/* Schedules by Optax: polynomial_schedule, linear_onecycle_schedule, sgdr_schedule. */
static void schedules(void)
{
    enum { N = 10 };
    static const int64_t at[N] = {0, 1, 7, 30, 50, 84, 85, 99, 100, 250};
    static const double
        polynomial[N] = {.5, .490074874843, .433631741727, .263985365201, .170710678119, .104096, .103485685012, .100004, .1, .1},
        cycle[N] = {.02, .036, .132, .5, .325454545455, .0287272727273, .02, .0013352, 2e-6, 2e-6},
        sgdr[N] = {.5, .488987716166, .142748318234, .5, .275, .46684403698, .462080662768, .369198440946, .361103772282, .188896227718};
    const vn_schedule p = vn_polynomial(.5, .1, 2.5, 100), l = vn_linear_one_cycle(.5, 100), r = vn_cosine_restarts(.5, .05, 10, 2);
    const vn_schedule fixed = vn_cosine_restarts(1, 0, 4, 1), inverse = vn_inverse_time(.5, 2, 4), noam = vn_noam(2, 16, 100);
    for (int k = 0; k < N; k++) {
        CHECK(near(vn_schedule_at(&p, at[k]), polynomial[k], 1e-10));
        CHECK(near(vn_schedule_at(&l, at[k]), cycle[k], 1e-10));
        CHECK(near(vn_schedule_at(&r, at[k]), sgdr[k], 1e-10));
        CHECK(near(vn_schedule_at(&inverse, at[k]), .5 / (1 + 2 * (double)at[k] / 4), 1e-15));
        CHECK(near(vn_schedule_at(&noam, at[k]), .5 * fmin(pow((double)at[k] + 1, -.5), ((double)at[k] + 1) / 1000), 1e-14));
    }
    CHECK(vn_schedule_at(&fixed, 3) < .15 && vn_schedule_at(&fixed, 4) == 1 && vn_schedule_at(&fixed, 400) == 1);
    const vn_schedule both[] = {vn_constant(.5), vn_linear_decay(1, 0, 4)};
    const vn_joined joined = {.size = sizeof joined, .n = 2, .parts = both, .from = (int64_t[]){3}},
                    wrong = {.size = sizeof wrong, .n = 2, .parts = both, .from = (int64_t[]){0}},
                    without = {.n = 2, .parts = both, .from = (int64_t[]){3}};
    const vn_schedule j = vn_join_schedules(&joined), warm = vn_warm_up(vn_join_schedules(&joined), 1);
    CHECK(vn_schedule_at(&j, 2) == .5 && vn_schedule_at(&j, 3) == 1 && vn_schedule_at(&j, 5) == .5 && vn_schedule_at(&warm, 0) == .25);
    CHECK_FAILS(vn_join_schedules(&wrong), VN_E_ARG, "from[0] is 0");
    CHECK_FAILS(vn_join_schedules(NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_join_schedules(&without), VN_E_ARG, "join_schedules: size is 0; it must be sizeof(vn_joined)");
    CHECK_FAILS(vn_polynomial(1, 0, -1, 4), VN_E_ARG, "power is -1");
    CHECK_FAILS(vn_cosine_restarts(1, 0, 4, .5), VN_E_ARG, "factor is 0.5");
    CHECK_FAILS(vn_noam(1, 0, 4), VN_E_ARG, "size is 0");
    CHECK_FAILS(vn_linear_one_cycle(1, 1), VN_E_ARG, "steps is 1");
    CHECK_FAILS(vn_inverse_time(-1, 1, 1), VN_E_ARG, "rate is -1");
    vn_optim *o = vn_sgd(.1, NULL), *q = vn_sgd(.1, NULL);
    CHECK(vn_optim_schedule(o, r) == VN_OK && vn_optim_set_state(q, vn_optim_state(o)) == VN_OK && vn_optim_lr(q) == .5);
}

/* A schedule of an option, and one of a part. */
static void injected(void)
{
    vn_optim *o = vn_adam(.01, NULL), *q = vn_adam(.01, VN_OPTS(adam, .beta1 = .5));
    CHECK(vn_optim_schedule_option(o, "beta1", vn_constant(.5)) == VN_OK);
    vn_tree *p = start_of(VN_F64), *r = start_of(VN_F64);
    double x[ALL], y[ALL];
    const course plain = {.text = ""};
    take_steps(&plain, o, p, 0, 3), take_steps(&plain, q, r, 0, 3);
    read_all(p, x), read_all(r, y);
    CHECK(!memcmp(x, y, sizeof x));
    CHECK_FAILS(vn_optim_schedule_option(o, "beta9", vn_constant(.5)), VN_E_ARG, "no option \"beta9\"");
    CHECK_FAILS(vn_optim_schedule_option(o, "beta1", vn_constant(-1)), VN_E_ARG, "rate is -1");
    vn_optim_schedule_option(o, "beta1", vn_constant(2));
    CHECK_FAILS(one_step(o, p), VN_E_ARG, "adam: beta1 is 2; a number in [0, 1) is needed");
}

static void refused(void)
{
    CHECK_FAILS(vn_optim_parse(NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_optim_parse("adan(-1)"), VN_E_ARG, "adan: lr is -1");
    CHECK_FAILS(vn_optim_parse("chain(adm)"), VN_E_ARG, "did you mean \"adam\"");
    CHECK_FAILS(vn_optim_parse("chain(clip(0))"), VN_E_ARG, "update_clip: max_delta is 0");
    CHECK_FAILS(vn_optim_parse("lookahead(adam, period=0)"), VN_E_ARG, "lookahead: period is 0");
    CHECK_FAILS(vn_optim_parse("chain(adam"), VN_E_ARG, "bracket");
    CHECK_FAILS(vn_optim_parse("lookahead()"), VN_E_ARG, "lookahead");
    char deep[1000] = "";
    for (int k = 0; k < 40; k++) strcat(deep, "chain(");
    CHECK_FAILS(vn_optim_parse(deep), VN_E_ARG, "too long");
    CHECK_FAILS(vn_update_scale(NAN), VN_E_ARG, "update_scale: by is nan");
    CHECK_FAILS(vn_update_clip_by_global_norm(-1), VN_E_ARG, "max_norm is -1");
    CHECK_FAILS(vn_ftrl(0, NULL), VN_E_ARG, "ftrl: lr is 0");
    CHECK_FAILS(vn_radam(.1, VN_OPTS(radam, .threshold = 3)), VN_E_ARG, "threshold is 3");
    CHECK_FAILS(vn_sgd(.1, VN_OPTS(sgd, .momentum = .9, .nesterov = 1, .dampening = .5)), VN_E_ARG, "dampening of 0");
    CHECK_FAILS(vn_rmsprop(.1, VN_OPTS(rmsprop, .nesterov = 1)), VN_E_ARG, "momentum");
    CHECK_FAILS(vn_lookahead(NULL, NULL), VN_E_NULL, "");
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL), *g = vn_tree_of("w", vn_ones(VN_SHAPE(2), VN_F32), NULL);
    CHECK_FAILS(vn_step(vn_polyak_sgd(1, NULL), p, g), VN_E_ARG, "carry no loss");
    CHECK_FAILS(vn_step(vn_momo(1, NULL), p, g), VN_E_ARG, "carry no loss");
    CHECK_FAILS(vn_optim_loss_scale(vn_sgd(.1, NULL)), VN_E_ARG, "scales no loss");
    CHECK_FAILS(vn_optim_eval_params(vn_sgd(.1, NULL), p), VN_E_ARG, "averages nothing");
}

/* Noise has the variance that is asked for, falls with the step, and is the same again. */
static void noise(void)
{
    enum { N = 20000 };
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(N), VN_F64), NULL), *g = vn_tree_of("w", vn_zeros(VN_SHAPE(N), VN_F64), NULL);
    vn_optim *o = vn_noisy_sgd(1, VN_OPTS(noisy_sgd, .eta = .25, .gamma = 1)),
             *q = vn_noisy_sgd(1, VN_OPTS(noisy_sgd, .eta = .25, .gamma = 1));
    CHECK(vn_step(o, p, g) == VN_OK);
    vn_array *w = vn_add(vn_tree_get(p, "w"), vn_scalar(0)); /* as it is now */
    CHECK(fabs(vn_item(vn_mean(w, VN_ALL))) < .02 && fabs(vn_item(vn_mean(vn_square(w), VN_ALL)) - .25) < .01);
    CHECK(vn_step(o, p, g) == VN_OK);
    vn_array *second = vn_sub(vn_tree_get(p, "w"), w);
    CHECK(fabs(vn_item(vn_mean(vn_square(second), VN_ALL)) - .125) < .005);
    CHECK(fabs(vn_item(vn_mean(vn_mul(w, second), VN_ALL))) < .01);
    vn_tree *r = vn_tree_of("w", vn_zeros(VN_SHAPE(N), VN_F64), NULL);
    CHECK(vn_step(q, r, g) == VN_OK && vn_item(vn_max(vn_abs(vn_sub(vn_tree_get(r, "w"), w)), VN_ALL)) == 0);
}

/* Gradients of three examples, by Optax's per_example_global_norm_clip, per_example_layer_norm_clip and
 * differentially_private_aggregate. */
static void private_steps(void)
{
    enum { N = 8 };
    static const double whole[N] = {.246121005066, .0931789708468,  .637336890305,  -1.40572009493,
                                    .540657824237, -.0630269384826, -.855902920678, .362510062875},
                        layers[N] = {.243827394157, .107900088715,   .509360534249,  -1.26370248966,
                                     .437855377263, -.0981226023587, -.832255898809, .256732800475},
                        sizes[N] = {.223151518551, .0156591482067,  .651337700658,  -1.42160436588,
                                    .554660474437, -.0545963644692, -.863961297173, .377244832265};
    vn_tree *g = vn_tree_of("b", waves_of(6, 1, 1, VN_SHAPE(3, 2)), "w", waves_of(18, 2, .8, VN_SHAPE(3, 2, 3)), NULL);
    const vn_tree *const got[] = {vn_clip_per_example(g, 1.5, NULL), vn_clip_per_example(g, 1.5, VN_OPTS(clip_per_example, .by_layer = 1)),
                                  vn_clip_per_example(g, 1.5, VN_OPTS(clip_per_example, .by_layer = 1, .by_size = 1)),
                                  vn_private_gradients(g, VN_NONE, 1.5, 0)};
    const double *const want[] = {whole, layers, sizes, whole};
    for (int k = 0; k < 4; k++) {
        double x[N];
        CHECK(vn_read(vn_tree_get(got[k], "b"), x, 2 * sizeof *x) == VN_OK &&
              vn_read(vn_tree_get(got[k], "w"), x + 2, 6 * sizeof *x) == VN_OK);
        for (int i = 0; i < N; i++) CHECK(near(k == 3 ? 3 * x[i] : x[i], want[k][i], 1e-10));
    }
    vn_tree *zeros = vn_tree_of("w", vn_zeros(VN_SHAPE(4, 20000), VN_F64), NULL);
    vn_array *added = vn_tree_get(vn_private_gradients(zeros, vn_random_key_of(7), 2, .5), "w");
    CHECK(fabs(vn_item(vn_mean(vn_square(added), VN_ALL)) - 1. / 16) < .003);
    CHECK(vn_step(vn_sgd(.1, NULL), vn_tree_of("w", vn_zeros(VN_SHAPE(20000), VN_F64), NULL), vn_tree_of("w", added, NULL)) == VN_OK);
    CHECK_FAILS(vn_clip_per_example(g, 0, NULL), VN_E_ARG, "above 0");
    CHECK_FAILS(vn_private_gradients(g, VN_NONE, 1, -1), VN_E_ARG, "noise -1");
    CHECK_FAILS(vn_private_gradients(vn_tree_of("w", vn_zeros(VN_SHAPE(0, 2), VN_F32), NULL), VN_NONE, 1, 1), VN_E_SHAPE, "no examples");
    CHECK_FAILS(vn_private_gradients(g, NULL, 1, 1), VN_E_NULL, "private_gradients: key is NULL");
    CHECK_FAILS(vn_clip_per_example(g, 1, VN_OPTS(clip_per_example, .by_size = 1)), VN_E_ARG, "needs by_layer");
    vn_tree_set(g, "b", vn_zeros(VN_SHAPE(2, 2), VN_F64));
    CHECK_FAILS(vn_clip_per_example(g, 1, NULL), VN_E_SHAPE, "as many examples");
}

/* A factor that halves after a step that is not finite, and doubles after some that are. */
static void loss_scaling(void)
{
    vn_optim *o = vn_optim_parse("loss_scale(sgd(0.5), initial=8, growth_steps=2)");
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(1), VN_F32), NULL);
    CHECK(vn_item(vn_optim_loss_scale(o)) == 8);
    CHECK(vn_step(o, p, vn_tree_of("w", vn_from((float[]){INFINITY}, VN_SHAPE(1)), NULL)) == VN_OK);
    CHECK(vn_item(vn_optim_loss_scale(o)) == 4 && vn_item(vn_tree_get(p, "w")) == 1);
    for (int k = 0; k < 2; k++) CHECK(vn_step(o, p, vn_tree_of("w", vn_from((float[]){4}, VN_SHAPE(1)), NULL)) == VN_OK);
    CHECK(vn_item(vn_optim_loss_scale(o)) == 8 && vn_item(vn_tree_get(p, "w")) == 0);
}

static void skipped(void)
{
    vn_optim *o = vn_optim_parse("skip_large(sgd(0.5), max_squares=4)");
    vn_tree *p = vn_tree_of("w", vn_ones(VN_SHAPE(1), VN_F32), NULL);
    CHECK(vn_step(o, p, vn_tree_of("w", vn_from((float[]){3}, VN_SHAPE(1)), NULL)) == VN_OK && vn_item(vn_tree_get(p, "w")) == 1);
    CHECK(vn_step(o, p, vn_tree_of("w", vn_from((float[]){2}, VN_SHAPE(1)), NULL)) == VN_OK && vn_item(vn_tree_get(p, "w")) == 0);
}

/* The average of schedule_free after one step is that step; steps are one program each. */
static void averaged(void)
{
    vn_optim *o = vn_schedule_free_sgd(1, NULL), *plain = vn_sgd(1, NULL);
    vn_tree *p = start_of(VN_F64), *q = start_of(VN_F64);
    CHECK(one_step(o, p) == VN_OK && one_step(plain, q) == VN_OK);
    double x[ALL], y[ALL];
    read_all(vn_optim_eval_params(o, p), x), read_all(q, y);
    trial_near_list(nn_trial, CHECK_VALUE, "the average", x, y, ALL, 1e-12, NULL);
}

static void one_program(void)
{
    vn_optim *o = vn_optim_parse("apply_if_finite(chain(clip_by_global_norm(1), lookahead(adam(0.01))))");
    vn_tree *p = start_of(VN_F32);
    const course plain = {.text = ""};
    take_steps(&plain, o, p, 0, 3);
    vn_cache_info before = {.size = sizeof before}, after = before;
    vn_cache_stats(vn_using(), &before);
    take_steps(&plain, o, p, 3, 20);
    vn_cache_stats(vn_using(), &after);
    CHECK(after.misses == before.misses && after.hits >= before.hits + 17);
}

static const conformance_test rows[] = {
    GOLDEN(0),
    GOLDEN(1),
    GOLDEN(2),
    GOLDEN(3),
    GOLDEN(4),
    GOLDEN(5),
    GOLDEN(6),
    GOLDEN(7),
    NN("nn/optimizers", "optimizer_parts", parts, "parts by name, groups with their own rates, and what compositions refuse"),
    NN("nn/optimizers", "optimizer_functions", made, "each function makes what the text of its name makes"),
    NN("nn/schedules", "schedule/named", schedules, "polynomial, inverse time, restarts, noam, one cycle of lines and joined schedules"),
    NN("nn/optimizers", "optimizer_options", injected, "options as functions of the step"),
    NN("nn/optimizers", "optimizer_errors", refused, "what optimizers refuse, by function and by text"),
    NN("nn/optimizers", "gradient_noise", noise, "gradients with noise that falls, the same again with the same seed"),
    NN("nn/optimizers", "private_gradients", private_steps, "gradients clipped example by example, with noise"),
    NN("nn/optimizers", "loss_scale", loss_scaling, "a factor of the loss that follows whether steps are finite"),
    NN("nn/optimizers", "skip_large", skipped, "steps with large gradients change nothing"),
    NN("nn/optimizers", "schedule_free", averaged, "parameters for evaluation of schedule-free optimizers"),
    NN("nn/optimizers", "composition_program", one_program, "every step of a composition is the same program"),
};

const nn_part nn_optimizers = NN_PART(rows);
