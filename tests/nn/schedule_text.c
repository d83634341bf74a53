/* SPDX-License-Identifier: Apache-2.0 */
/* schedule_text.c: schedules by text, their compositions, and optimizers whose learning rate is such a text. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <vinea/nn.h>

static double at(const char *text, int64_t step)
{
    vn_schedule s;
    CHECK(vn_schedule_parse(text, &s) == VN_OK);
    return vn_schedule_at(&s, step);
}

/* Values of Optax 0.2 and of the formulas: cosine_decay_schedule, join_schedules, piecewise_constant_schedule. */
TEST(texts)
{
    CHECK(near(at("cosine(0.1, 0, 100)", 25), 0.08535533905932738, 1e-15));
    CHECK(near(at(" cosine( 0.1 , steps=100 ) ", 25), 0.08535533905932738, 1e-15));
    const double warmed[] = {.02, .04, .06, .08, .1, .075, .05};
    for (int k = 0; k < 7; k++) CHECK(near(at("warm_up(linear_decay(0.1, 0, 4), 4)", k), warmed[k], 1e-14));
    const double joined[] = {.1, .15, .2, .1, .2};
    for (int k = 0; k < 5; k++)
        CHECK(near(at("join(linear_decay(0.1, 0.2, 10), 10, cosine_restarts(0.2, 0, 10, 2))", 5 * k), joined[k], 1e-14));
    CHECK(at("piecewise(0.1, 100, 0.01, 200, 0.001)", 99) == .1 && at("piecewise(0.1, 100, 0.01, 200, 0.001)", 100) == .01);
    CHECK(at("piecewise(0.1, 100, 0.01, 200, 0.001)", 5000) == .001);
    CHECK(near(at("piecewise(0.1, 100, 0.3, between=1)", 50), .2, 1e-15) && at("piecewise(0.5)", 7) == .5);
    /* Products, sums and means of rates, as schedulers are composed elsewhere. */
    CHECK(near(at("product(constant(0.5), linear_decay(0.1, 0, 10))", 5), .025, 1e-15));
    CHECK(near(at("sum(constant(0.5), linear_decay(0.1, 0, 10), constant(1))", 5), 1.55, 1e-15));
    CHECK(near(at("mean(constant(0.5), linear_decay(0.1, 0, 10))", 5), .275, 1e-15));
    CHECK(near(at("warm_up(product(constant(0.5), join(constant(1), 4, constant(2))), 1)", 6), 1, 1e-15));
}

TEST(combined)
{
    const vn_schedule parts[] = {vn_constant(.5), vn_linear_decay(.1, 0, 10)};
    const vn_combined c = {.size = sizeof c, .n = 2, .parts = parts, .how = VN_COMBINE_MEAN};
    const vn_schedule s = vn_combine_schedules(&c);
    CHECK(near(vn_schedule_at(&s, 0), .3, 1e-15) && near(vn_schedule_at(&s, 10), .25, 1e-15));
    CHECK_FAILS(vn_combine_schedules(NULL), VN_E_NULL, "c is NULL");
    CHECK_FAILS(vn_combine_schedules(&(vn_combined){.size = 1}), VN_E_ARG, "sizeof(vn_combined)");
    CHECK_FAILS(vn_combine_schedules(&(vn_combined){.size = sizeof c, .n = 1}), VN_E_NULL, "parts is NULL");
    CHECK_FAILS(vn_combine_schedules(&(vn_combined){.size = sizeof c, .parts = parts}), VN_E_ARG, "0 parts");
    CHECK_FAILS(vn_combine_schedules(&(vn_combined){.size = sizeof c, .n = 2, .parts = parts, .how = 3}), VN_E_ARG, "how is 3");
    const vn_schedule none[] = {{0}};
    CHECK_FAILS(vn_combine_schedules(&(vn_combined){.size = sizeof c, .n = 1, .parts = none}), VN_E_ARG, "not a valid schedule");
}

TEST(bad_texts)
{
    vn_schedule s;
    CHECK_FAILS(vn_schedule_parse("cosinus(1)", &s), VN_E_ARG, "cosine");
    CHECK_FAILS(vn_schedule_parse("cosinus(1)", &s), VN_E_ARG, "one_cycle, warm_up, join, piecewise, product, sum, mean");
    CHECK_FAILS(vn_schedule_parse("warmup(cosine(0.1, 0, 100), 10)", &s), VN_E_ARG, "did you mean \"warm_up\"");
    CHECK_FAILS(vn_schedule_parse("warm_up", &s), VN_E_ARG, "warm_up takes a schedule and a number of steps, not 0 items");
    CHECK(vn_schedule_parse("Warm_Up(Constant(1), 2)", &s) == VN_OK);
    CHECK_FAILS(vn_schedule_parse("", &s), VN_E_ARG, "schedule");
    CHECK_FAILS(vn_schedule_parse(NULL, &s), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_schedule_parse("constant(1)", NULL), VN_E_NULL, "to is NULL");
    CHECK_FAILS(vn_schedule_parse("warm_up(constant(1))", &s), VN_E_ARG, "a number of steps, not 1 items");
    CHECK_FAILS(vn_schedule_parse("warm_up(constant(1), -3)", &s), VN_E_ARG, "a warm-up of -3");
    CHECK_FAILS(vn_schedule_parse("warm_up(constant(1), x)", &s), VN_E_ARG, "\"x\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("warm_up(constant(1), 1.5)", &s), VN_E_ARG, "\"1.5\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("warm_up(constant(1), 1e20)", &s), VN_E_ARG, "\"1e20\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("warm_up(constants(1), 1)", &s), VN_E_ARG, "constant");
    CHECK(vn_schedule_parse("warm_up(constant(1), 0)", &s) == VN_OK && vn_schedule_at(&s, 0) == 1);
    CHECK_FAILS(vn_schedule_parse("join(constant(1), x, constant(2))", &s), VN_E_ARG, "\"x\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("piecewise(x, 2, 3)", &s), VN_E_ARG, "\"x\" is no number");
    CHECK_FAILS(vn_schedule_parse("piecewise(1, x, 3)", &s), VN_E_ARG, "\"x\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("piecewise(1, 2, 3, between=x)", &s), VN_E_ARG, "\"x\" is no whole number");
    CHECK_FAILS(vn_schedule_parse("piecewise(1, 2, 3, between=-1)", &s), VN_E_ARG, "0 to 2");
    CHECK_FAILS(vn_schedule_parse("join(constant(1), constant(2))", &s), VN_E_ARG, "the step between two");
    CHECK_FAILS(vn_schedule_parse("join(constant(1), 5, constant(2), 5, constant(3))", &s), VN_E_ARG, "steps above 0 that rise");
    CHECK_FAILS(vn_schedule_parse("join(constant(1), 5, 2)", &s), VN_E_ARG, "schedule");
    CHECK_FAILS(vn_schedule_parse("piecewise(1, 2)", &s), VN_E_ARG, "the step between two");
    CHECK_FAILS(vn_schedule_parse("piecewise(-1, 2, 3)", &s), VN_E_ARG, "rates[0] is -1");
    CHECK_FAILS(vn_schedule_parse("piecewise(1, 2, 3, between=7)", &s), VN_E_ARG, "0 to 2");
    CHECK_FAILS(vn_schedule_parse("product()", &s), VN_E_ARG, "schedule");
    CHECK_FAILS(vn_schedule_parse("product(constant(1)", &s), VN_E_ARG, "");
    char deep[400] = "";
    for (int k = 0; k < 20; k++) strcat(deep, "mean(");
    CHECK_FAILS(vn_schedule_parse(deep, &s), VN_E_ARG, "");
    strcat(deep, "constant(1)");
    for (int k = 0; k < 20; k++) strcat(deep, ")");
    CHECK_FAILS(vn_schedule_parse(deep, &s), VN_E_ARG, "inside each other");
    char *many = malloc(2000);
    memset(many, ',', 1999), memcpy(many, "mean(", 5), many[1999] = 0;
    CHECK_FAILS(vn_schedule_parse(many, &s), VN_E_ARG, "too long");
    many[1000] = 0, many[999] = ')';
    CHECK_FAILS(vn_schedule_parse(many, &s), VN_E_ARG, "items");
    free(many);
}

static vn_tree *tree_of(double w)
{
    return vn_tree_of("a", vn_full(vn_scalar(w), VN_SHAPE(2), VN_F64), "b", vn_full(vn_scalar(w), VN_SHAPE(2), VN_F64), NULL);
}

/* A schedule for each parameter group, in one text: what its parts move by. */
TEST(groups_with_schedules)
{
    const char *text = "groups(masked(sgd(linear_decay(1, 0, 4)), a), sgd(warm_up(constant(0.1), 1)))";
    vn_optim *o = vn_optim_parse(text);
    CHECK(!strcmp(vn_optim_text(o), "groups(masked(sgd(linear_decay(1, 0, 4)), a), sgd(warm_up(constant(0.1), 1)))"));
    vn_tree *p = tree_of(0), *g = tree_of(1);
    const double a[] = {-1, -1.75, -2.25}, b[] = {-.05, -.15, -.25};
    for (int k = 0; k < 3; k++) {
        CHECK(vn_step(o, p, g) == VN_OK);
        CHECK(near(vn_item(vn_max(vn_tree_get(p, "a"), VN_ALL)), a[k], 1e-14) &&
              near(vn_item(vn_max(vn_tree_get(p, "b"), VN_ALL)), b[k], 1e-14));
    }
    /* The state goes into an optimizer of the same text, which goes on alike. */
    vn_optim *again = vn_optim_parse(text);
    vn_tree *q = vn_tree_deep_copy(p);
    CHECK(vn_optim_set_state(again, vn_optim_state(o)) == VN_OK);
    CHECK(!strcmp(vn_optim_text(again), text));
    vn_step(o, p, g), vn_step(again, q, g);
    CHECK(vn_item(vn_tree_allclose(p, q)) == 1);
    vn_optim *joined = vn_optim_parse("sgd(join(constant(1), 2, constant(2)), momentum=0.9)"),
             *other = vn_optim_parse("sgd(join(constant(1), 2, constant(2)), momentum=0.9)");
    for (int k = 0; k < 2; k++) vn_step(joined, p, g);
    CHECK(vn_optim_lr(joined) == 2 && vn_optim_set_state(other, vn_optim_state(joined)) == VN_OK && vn_optim_lr(other) == 2);
    CHECK(!strcmp(vn_optim_text(other), "sgd(join(constant(1), 2, constant(2)), momentum=0.9)"));
    CHECK_FAILS(vn_optim_set_state(vn_optim_parse("sgd(1, momentum=0.9)"), vn_optim_state(joined)), VN_E_STRUCT,
                "the schedule was a function");
    CHECK(vn_optim_set_lr(joined, .5) == VN_OK && !strcmp(vn_optim_text(joined), "sgd(0.5, momentum=0.9)"));
    CHECK(vn_optim_schedule_text(joined, "constant(0.25)") == VN_OK && vn_optim_lr(joined) == .25);
    CHECK(vn_optim_schedule(joined, vn_constant(3)) == VN_OK && vn_optim_lr(joined) == 3);
    CHECK_FAILS(vn_optim_schedule_text(joined, "constant(-1)"), VN_E_ARG, "rate is -1");
    CHECK(vn_optim_lr(joined) == 3); /* as it was */
    CHECK_FAILS(vn_optim_schedule_text(joined, NULL), VN_E_NULL, "NULL");
    CHECK_FAILS(vn_optim_schedule_text(vn_update_clip(1), "constant(1)"), VN_E_ARG, "clip has no learning rate");
    CHECK_FAILS(vn_optim_parse("adam(cosinus(1))"), VN_E_ARG, "cosine");
    CHECK_FAILS(vn_optim_parse("adam(lr=cosine(-1, 0, 5))"), VN_E_ARG, "rate is -1");
    CHECK_FAILS(vn_optim_parse("adam(beta1=cosine(1, 0, 5))"), VN_E_ARG, "beta1");
}

TEST_MAIN
