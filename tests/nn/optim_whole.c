/* SPDX-License-Identifier: Apache-2.0 */
/* optim_whole.c: what a whole optimizer may be: it searches only with a loss function, moves no parameter up its gradient, names
 * parameters that there are, and has its settings as a whole, not on its parts. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <vinea/nn.h>

static vn_tree *two(void)
{
    return vn_tree_of("b", vn_from((float[]){1}, VN_SHAPE(1)), "w", vn_from((float[]){2, 3}, VN_SHAPE(2)), NULL);
}

/* Half the squares: gradients are the parameters. */
static vn_array *squares(const vn_tree *p, void *user)
{
    (void)user;
    vn_array *sum = vn_add(vn_sum(vn_square(vn_tree_get(p, "b")), VN_ALL), vn_sum(vn_square(vn_tree_get(p, "w")), VN_ALL));
    return vn_mul(sum, vn_scalar(.5));
}

static int step_by(const char *text, vn_tree *p)
{
    vn_tree *g = NULL;
    vn_optim *o = vn_optim_parse(text);
    return o && vn_value_and_grad(squares, p, NULL, &g) ? vn_step(o, p, g) : (int)vn_status();
}

/* Nothing moves on failure. */
static void refuses(const char *text, vn_code code, const char *message)
{
    vn_tree *p = two();
    CHECK_FAILS(step_by(text, p), code, message);
    CHECK(vn_item(vn_tree_get(p, "b")) == 1 && vn_item(vn_max(vn_tree_get(p, "w"), VN_ALL)) == 3);
}

TEST(searches)
{
    refuses("zoom(sgd(5))", VN_E_ARG, "call vn_optim_minimize");
    refuses("backtracking(sgd(5))", VN_E_ARG, "call vn_optim_minimize");
    CHECK_FAILS(vn_optim_parse("chain(clip(1), zoom(sgd(5)))"), VN_E_ARG,
                "zoom is no part of another optimizer; it goes around: zoom(chain(");
    CHECK_FAILS(vn_every(vn_backtracking(vn_sgd(1, NULL), NULL), NULL), VN_E_ARG, "backtracking(every(...))");
    CHECK_FAILS(vn_optim_parse("groups(loss_scale(sgd(5)), adam)"), VN_E_ARG, "loss_scale(groups(...))");
    vn_tree *p = two();
    CHECK(vn_optim_minimize(vn_zoom(vn_sgd(1, NULL), NULL), squares, p, NULL) && fabs(vn_item(vn_tree_get(p, "b"))) < .1);
}

/* Rosenbrock's function of six numbers. */
static vn_array *valley(const vn_tree *p, void *user)
{
    (void)user;
    vn_array *w = vn_tree_get(p, "w"), *x = vn_rows(w, 0, 5), *y = vn_rows(w, 1, 5);
    vn_array *floor = vn_mul(vn_square(vn_sub(y, vn_square(x))), vn_scalar(100));
    return vn_sum(vn_add(floor, vn_square(vn_sub(vn_scalar(1), x))), VN_ALL);
}

/* The way there, not only its end: searches of one, two and four evaluations. The values are those of optax.lbfgs() after 12 steps. */
TEST(zoom_follows_optax)
{
    static const double want[] = {0.8186769472213272,  0.6528527342130013,  0.4486971559872946,
                                  0.22098982858007854, 0.04268646658595511, 0.0010293073951885107};
    vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(6), VN_F64), NULL);
    vn_optim *o = vn_optim_parse("zoom(lbfgs(1), max_evaluations=20)");
    for (int i = 0; i < 12; i++) CHECK(vn_optim_minimize(o, valley, p, NULL));
    const double *w = vn_data(vn_tree_get(p, "w"));
    for (int i = 0; i < 6 && w; i++) CHECK(fabs(w[i] - want[i]) < 1e-9);
}

TEST(uphill)
{
    refuses("chain(clip(1))", VN_E_ARG, "step: chain(clip(1)) would move \"b\" up its gradient");
    refuses("direction(sgd(5))", VN_E_ARG, "\"b\" up its gradient");
    refuses("clip(1)", VN_E_ARG, "scale(-0.01)");
    refuses("masked(sgd(0.1), b)", VN_E_ARG, "would move \"w\" up its gradient");
    refuses("masked(sgd(0.1), b)", VN_E_ARG, "set_to_zero");
    refuses("masked(sgd(0.1), !w)", VN_E_ARG, "\"w\"");
    refuses("chain(sgd(0.1), adam)", VN_E_ARG, "\"b\"");
    refuses("chain(clip(1), scale(0.1))", VN_E_ARG, "\"b\"");
    refuses("every(sgd(0.1), passes=1)", VN_E_ARG, "\"b\"");
    refuses("apply_if_finite(clip(1))", VN_E_ARG, "\"b\"");
    static const char *const good[] = {"chain(clip(1), sgd(0.1))",
                                       "chain(direction(adam), scale(-0.1))",
                                       "chain(masked(sgd(0.1), b), masked(scale(-0.1), w))",
                                       "groups(masked(sgd(0.1), b), set_to_zero)",
                                       "chain(masked(sgd(0.1), b), masked(set_to_zero, w))",
                                       "chain(scale(-1), scale(0))",
                                       "chain(sgd(0.1), every(scale(0.5), passes=1))",
                                       "every(sgd(0.1))",
                                       "sam(sgd(0.1))",
                                       "lookahead(chain(clip(1), momo))"};
    for (size_t k = 0; k < sizeof good / sizeof *good; k++) CHECK(step_by(good[k], two()) == VN_OK);
    /* A parameter without a gradient does not move. */
    vn_tree *p = two(), *g = two();
    CHECK(vn_tree_set_null(g, "w") == VN_OK && vn_step(vn_masked(vn_sgd(.5, NULL), "b"), p, g) == VN_OK);
    CHECK(vn_item(vn_tree_get(p, "b")) == .5 && vn_item(vn_max(vn_tree_get(p, "w"), VN_ALL)) == 3);
    /* One that a search would go along. */
    CHECK_FAILS(vn_optim_minimize(vn_zoom(vn_update_clip(1), NULL), squares, p, NULL), VN_E_ARG, "up its gradient");
}

TEST(patterns)
{
    refuses("masked(sgd(5), nothing*)", VN_E_STRUCT, "masked: the pattern \"nothing*\" matches none of the parameters, which are b, w");
    refuses("groups(masked(sgd(0.1), b bias), adam)", VN_E_STRUCT, "\"bias\"");
    refuses("groups(masked(sgd(0.1), !bias), adam)", VN_E_STRUCT, "\"bias\"");
    refuses("chain(clip(1), groups(masked(sgd(0.1), B), adam))", VN_E_STRUCT, "\"B\"");
    CHECK(step_by("groups(masked(sgd(0.1), w), masked(adam, *), sgd)", two()) == VN_OK);
    CHECK(step_by("groups(masked(sgd(0.1), *), masked(adam, w), sgd)", two()) == VN_OK); /* there, if taken by another */
    vn_tree *p = two(), *g = two();
    CHECK(vn_tree_set_null(g, "w") == VN_OK &&
          vn_step(vn_optim_parse("groups(masked(sgd, w), sgd)"), p, g) == VN_OK); /* there, if frozen */
    vn_tree *many = vn_tree_new(NULL);
    for (int k = 0; k < 200; k++) {
        char name[32];
        snprintf(name, sizeof name, "parameter_%d", k);
        vn_tree_set(many, name, vn_ones(VN_SHAPE(1), VN_F32));
    }
    CHECK_FAILS(vn_step(vn_masked(vn_sgd(.1, NULL), "x"), many, many), VN_E_STRUCT, "parameter_1, ");
    CHECK_FAILS(vn_step(vn_masked(vn_sgd(.1, NULL), "x"), many, many), VN_E_STRUCT, " ...");
}

TEST(settings_of_parts)
{
    vn_optim *c = VN_CHAIN(vn_sgd(.1, NULL)), *s = vn_optim_part(c, "sgd");
    static const char message[] = "are settings of the whole, not of its part sgd";
    CHECK_FAILS(vn_optim_accumulate(s, 2), VN_E_ARG, message);
    CHECK_FAILS(vn_optim_clip_norm(s, 1), VN_E_ARG, message);
    CHECK_FAILS(vn_optim_clip_value(s, 1), VN_E_ARG, message);
    CHECK_FAILS(vn_optim_keep_average(s, .9), VN_E_ARG, message);
    CHECK_FAILS(vn_optim_ignore_missing(s), VN_E_ARG, message);
    CHECK(vn_optim_set_lr(s, .5) == VN_OK && vn_optim_clip_norm(c, 1) == VN_OK);
}

/* ---- a factor of the loss ---- */

static vn_array *scaled_squares(const vn_tree *p, void *o)
{
    vn_array *loss = squares(p, NULL);
    return vn_mul(loss, vn_cast(vn_optim_loss_scale(o), vn_dtype_of(loss)));
}

TEST(scaled_losses)
{
    vn_tree *plain = two(), *mine = two(), *minimized = two(), *g = NULL;
    vn_optim *sgd = vn_sgd(.1, NULL), *o = vn_loss_scale(vn_sgd(.1, NULL), NULL), *m = vn_loss_scale(vn_sgd(.1, NULL), NULL);
    for (int k = 0; k < 5; k++) {
        vn_array *want = vn_value_and_grad(squares, plain, NULL, &g);
        CHECK(want && vn_step(sgd, plain, g) == VN_OK);
        CHECK(vn_value_and_grad(scaled_squares, mine, o, &g) && vn_step(o, mine, g) == VN_OK);
        vn_array *loss = vn_optim_minimize(m, squares, minimized, NULL);
        CHECK(loss && vn_item(loss) == vn_item(want));
    }
    CHECK(vn_item(vn_tree_allclose(plain, mine, VN_OPTS(allclose, .rtol = VN_ZERO, .atol = VN_ZERO))) == 1);
    CHECK(vn_item(vn_tree_allclose(plain, minimized, VN_OPTS(allclose, .rtol = VN_ZERO, .atol = VN_ZERO))) == 1);
    /* An optimizer that looks at the loss sees it without the factor. */
    vn_tree *p = two(), *q = two();
    vn_optim *momo = vn_momo(1, NULL), *inside = vn_loss_scale(vn_momo(1, NULL), NULL);
    for (int k = 0; k < 3; k++) CHECK(vn_optim_minimize(momo, squares, p, NULL) && vn_optim_minimize(inside, squares, q, NULL));
    CHECK(vn_item(vn_tree_allclose(p, q, NULL)) == 1 && vn_item(vn_tree_get(p, "b")) < 1);
    /* Clipping of the whole would see multiplied gradients. */
    vn_optim *clipped = vn_loss_scale(vn_sgd(.1, NULL), NULL);
    CHECK(vn_optim_clip_norm(clipped, 1) == VN_OK);
    CHECK_FAILS(vn_step(clipped, p, two()), VN_E_ARG, "loss_scale(chain(clip_by_global_norm(1), ");
}

/* ---- averages ---- */

TEST(averages_of_groups)
{
    vn_optim *o = vn_optim_parse("groups(masked(schedule_free_sgd(0.5), b), schedule_free_sgd(0.25))"), *b = vn_schedule_free_sgd(.5, NULL),
             *w = vn_schedule_free_sgd(.25, NULL);
    vn_tree *p = two(), *q = two(), *r = two(), *g = NULL;
    for (int k = 0; k < 3; k++) {
        CHECK(vn_value_and_grad(squares, p, NULL, &g) && vn_step(o, p, g) == VN_OK);
        CHECK(vn_value_and_grad(squares, q, NULL, &g) && vn_step(b, q, g) == VN_OK);
        CHECK(vn_value_and_grad(squares, r, NULL, &g) && vn_step(w, r, g) == VN_OK);
    }
    const vn_tree *x = vn_optim_eval_params(o, p), *y = vn_optim_eval_params(b, q), *z = vn_optim_eval_params(w, r);
    CHECK(vn_item(vn_tree_get(x, "b")) == vn_item(vn_tree_get(y, "b")));
    CHECK(vn_item(vn_max(vn_tree_get(x, "w"), VN_ALL)) == vn_item(vn_max(vn_tree_get(z, "w"), VN_ALL)));
    CHECK(vn_item(vn_tree_get(x, "b")) != vn_item(vn_tree_get(p, "b")));
}

/* The state of a matrix has the rank, not the matrix's size; projections that are made again, and steps that are skipped, go down as well. */
TEST(galore)
{
    for (int wide = 0; wide < 2; wide++) {
        for (int skips = 0; skips < 2; skips++) {
            vn_seed(2);
            const vn_shape shape = wide ? VN_SHAPE(4, 6) : VN_SHAPE(6, 4);
            vn_array *goal = vn_cast(vn_random_normal(0, 1, shape), VN_F64);
            vn_tree *p = vn_tree_of("w", vn_zeros(shape, VN_F64), "b", vn_ones(VN_SHAPE(3), VN_F64), NULL);
            vn_optim *o = vn_galore(.05, VN_OPTS(galore, .rank = 2, .gap = 5)), *whole = skips ? vn_apply_if_finite(o) : o;
            for (int k = 0; k < 200; k++) {
                VN_SCOPE;
                vn_tree *g = vn_tree_of("w", vn_sub(vn_tree_get(p, "w"), goal), "b", vn_tree_get(p, "b"), NULL);
                CHECK(vn_step(whole, p, g) == VN_OK);
            }
            const double left =
                vn_item(vn_sum(vn_square(vn_sub(vn_tree_get(p, "w"), goal)), VN_ALL)) / vn_item(vn_sum(vn_square(goal), VN_ALL));
            CHECK(left < .1 && vn_item(vn_max(vn_abs(vn_tree_get(p, "b")), VN_ALL)) < .2);
            vn_tree *state = vn_optim_state(whole);
            vn_array *m = vn_tree_get(state, skips ? "galore/m/w" : "m/w"),
                     *projection = vn_tree_get(state, skips ? "galore/projection/w" : "projection/w");
            CHECK(vn_dim(m, 0) == (wide ? 4 : 2) && vn_dim(m, 1) == (wide ? 2 : 4) && vn_dim(projection, 0) == 6 &&
                  vn_dim(projection, 1) == 2);
        }
    }
    CHECK_FAILS(vn_galore(.1, VN_OPTS(galore, .rank = -1)), VN_E_ARG, "rank is -1");
    CHECK_FAILS(vn_sophia(.1, VN_OPTS(sophia, .gamma = -1)), VN_E_ARG, "gamma is -1");
}

/* Gradients of zero: a step is the noise alone, with the variance eta / step^gamma that Neelakantan et al. have, other numbers in each step, the same from one seed. */
TEST(noise)
{
    VN_SCOPE;
    enum { N = 20000 };
    vn_array *first[2] = {NULL, NULL};
    for (int again = 0; again < 2; again++) {
        vn_tree *p = vn_tree_of("w", vn_zeros(VN_SHAPE(N), VN_F64), NULL), *g = vn_tree_of("w", vn_zeros(VN_SHAPE(N), VN_F64), NULL);
        vn_optim *o = vn_chain(2, (vn_optim *[]){vn_update_add_noise(VN_OPTS(update_add_noise, .eta = .04, .gamma = .5)), vn_sgd(1, NULL)});
        vn_array *before = vn_stop_gradient(vn_tree_get(p, "w")),
                 *last = NULL; /* a handle of its own: a step gives that in p a new value */
        for (int step = 1; step <= 3; step++) {
            CHECK(vn_step(o, p, g) == VN_OK);
            vn_array *now = vn_stop_gradient(vn_tree_get(p, "w")), *moved = vn_sub(now, before);
            const double variance = .04 / sqrt(step), seen = vn_item(vn_mean(vn_square(moved), VN_ALL));
            CHECK(fabs(seen / variance - 1) < .05 && fabs(vn_item(vn_mean(moved, VN_ALL))) < 4 * sqrt(variance / N));
            CHECK(!last || fabs(vn_item(vn_mean(vn_mul(moved, last), VN_ALL))) < 4 * .04 / sqrt(N));
            before = now, last = moved;
            if (step == 1) first[again] = moved;
        }
    }
    CHECK(vn_item(vn_all(vn_equal(first[0], first[1]), VN_ALL)) == 1);
}

TEST_MAIN
