/* SPDX-License-Identifier: Apache-2.0 */
/* feature_distance.c: distances of pictures by the features of a network, against the same formulas with numpy (conformance/cases/perceptual.case has
 * one layer); and recorded ops as a graph. */
/* ctest: faults */
/* ctest: shared */
/* ctest: sanitize */
#include "check.h"
#include <vinea/module.h>
#include <vinea/nn.h>

/* The features: x itself, and its square at every other row. */
static vn_tree *features(vn_module *m, const vn_tree *args)
{
    (void)m;
    vn_array *x = vn_tree_get(args, "x");
    return vn_tree_of("a", x, "b", vn_slice_step(vn_square(x), VN_SHAPE(0, 0, 0, 0), vn_shape_of(x), VN_SHAPE(1, 2, 1, 1)), NULL);
}
static const vn_module_class features_class = {.name = "Features", .forward_tree = features};

static vn_array *waves(int number)
{
    double x[2 * 3 * 2 * 4];
    for (int k = 0; k < 48; k++) x[k] = round(1000 * sin(1 + .7 * k + .9 * number)) / 1000;
    return vn_from_host(x, VN_F64, VN_SHAPE(2, 3, 2, 4));
}
static vn_array *list(const double *x)
{
    return vn_from_host(x, VN_F64, VN_SHAPE(4));
}

TEST(distances)
{
    vn_module *net = vn_module_new(&features_class, NULL, NULL);
    vn_array *x = waves(1), *y = waves(2);
    const double w[] = {.5, 1, 0, 2}, v[] = {.25, .5, 1, .125};
    vn_tree *each = vn_tree_of("a", list(w), "b", list(v), NULL),
            *numbers = vn_tree_of("a", vn_full(vn_scalar(2), VN_0D, VN_F64), "b", vn_full(vn_scalar(3), VN_0D, VN_F64), NULL);
    vn_tree *both = vn_tree_of("a/alpha", list(w), "a/beta", list(v), "b/alpha", list(v), "b/beta", list(w), NULL);
    CHECK(near(vn_item(vn_feature_distance(net, x, y)), 1.6737957795813103, 1e-11));
    CHECK(near(vn_item(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .weights = each))), 1.0268122721833812, 1e-11));
    CHECK(near(vn_item(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .kind = VN_FEATURES_DISTS, .weights = both))),
               1.6006760224238388, 1e-9));
    CHECK(near(vn_item(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .kind = VN_FEATURES_DISTS))), 0.5869897044986541, 1e-9));
    CHECK(near(vn_item(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .kind = VN_FEATURES_GRAM, .weights = numbers))),
               0.04624031529765226, 1e-11));
    vn_array *all = vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .each = 1));
    CHECK(vn_rank(all) == 1 && vn_dim(all, 0) == 2 && near(vn_item(vn_mean(all, VN_ALL)), 1.6737957795813103, 1e-11));
    CHECK(vn_item(vn_feature_distance(net, x, x)) == 0);
    vn_array *z = vn_variable(waves(3)), *g;
    CHECK((g = vn_grad(vn_feature_distance(net, z, y, VN_OPTS(feature_distance, .kind = VN_FEATURES_GRAM)), z)) &&
          vn_item(vn_all(vn_isfinite(g), VN_ALL)) == 1);
    /* A place without features has no direction: it counts as zeros, and has derivatives of 0. */
    vn_array *none = vn_variable(vn_zeros(VN_SHAPE(1, 2), VN_F64)), *three = vn_from_host((double[]){3, 4}, VN_F64, VN_SHAPE(1, 2)),
             *d = vn_lpips(none, three, VN_NONE);
    CHECK(vn_item(d) == 1 && vn_item(vn_sum(vn_abs(vn_grad(d, none)), VN_ALL)) == 0 && vn_item(vn_lpips(none, none, VN_NONE)) == 0);
    CHECK_FAILS(vn_feature_distance(NULL, x, y), VN_E_NULL, "net");
    CHECK_FAILS(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .kind = 3)), VN_E_ARG, "kind is 3");
    CHECK_FAILS(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .each = 2)), VN_E_ARG, "each");
    CHECK_FAILS(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .weights = vn_tree_of("a", list(w), NULL))), VN_E_STRUCT,
                "no \"b\"");
    CHECK_FAILS(vn_feature_distance(net, x, y, VN_OPTS(feature_distance, .kind = VN_FEATURES_DISTS, .weights = each)), VN_E_STRUCT,
                "no \"a/alpha\"");
    CHECK_FAILS(vn_feature_distance(net, x, vn_zeros(VN_SHAPE(2, 3, 2, 5), VN_F64)), VN_E_SHAPE, "");
}

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) n++;
    return n;
}

TEST(graphs)
{
    vn_array *x = vn_from((float[]){1, 2, 3}, VN_SHAPE(3)), *y = vn_exp(x), *z = vn_add(vn_mul(y, x), y), *q, *r;
    const char *dot = vn_graph_dot(1, &z);
    CHECK(dot && !strncmp(dot, "digraph {\n", 10) && dot[strlen(dot) - 2] == '}');
    CHECK(count(dot, "[label=") == 4 && count(dot, " -> ") == 5 && strstr(dot, "[label=\"exp\\nfloat32 3\"]") &&
          strstr(dot, "[label=\"array\\nfloat32 3\", shape=box, style=filled]"));
    CHECK(strstr(dot, "label=\"exp") < strstr(dot, "label=\"mul") && strstr(dot, "label=\"mul") < strstr(dot, "label=\"add"));
    dot = vn_graph_dot(2, (vn_array *[]){z, y}); /* nothing twice */
    CHECK(count(dot, "[label=") == 4);
    q = vn_qr(vn_eye(2, 2, 0, VN_F32), NULL, &r);
    dot = vn_graph_dot(2, (vn_array *[]){q, r});
    CHECK(count(dot, "label=\"result ") == 2 && count(dot, "label=\"qr") == 1);
    CHECK(!vn_eval(1, &z));
    dot = vn_graph_dot(1, &z);
    CHECK(count(dot, "[label=") == 1 && strstr(dot, "filled"));
    vn_array *deep = x; /* longer than any stack of calls */
    for (int k = 0; k < 5000; k++) deep = vn_neg(deep);
    CHECK(count(vn_graph_dot(1, &deep), " -> ") == 5000);
    CHECK_FAILS(vn_graph_dot(0, &z), VN_E_ARG, "0 arrays");
    CHECK_FAILS(vn_graph_dot(1, NULL), VN_E_NULL, "arrays");
    CHECK_FAILS(vn_graph_dot(1, (vn_array *[]){NULL}), VN_E_NULL, "arrays");
}

TEST_MAIN
