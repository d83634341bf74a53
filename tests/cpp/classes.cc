// classes.cc: what vinea.hpp promises. cpp.sh compiles it as C++11, 14, 17 and 20 as well. Prints what fails.
/* ctest: sanitize */
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vinea/vinea.hpp>

static int failures;

#define EXPECT(condition)                                                            \
    do {                                                                             \
        if (!(condition)) failures++, std::printf("%d: %s\n", __LINE__, #condition); \
    } while (0)

typedef std::vector<float> floats;

template <typename F> static vn_code code_of(F &&f, const char *part = "")
{
    try {
        f();
    } catch (const vn::error &e) {
        if (!std::strstr(e.what(), part)) failures++, std::printf("'%s' is not in: %s\n", part, e.what());
        return e.code();
    }
    return VN_OK;
}

static int64_t handles()
{
    vn_memory_info info = vn_memory_info();
    info.size = sizeof info;
    vn::check(vn_memory(&info));
    return info.handles;
}

static void operators()
{
    vn::scope scope;
    const vn::array x = vn::from({1.f, 2.f, 3.f}), y = vn::from({3.f, 2.f, 1.f});
    EXPECT((x + y).values<float>() == floats({4, 4, 4}));
    EXPECT((x - y).values<float>() == floats({-2, 0, 2}));
    EXPECT((x * y).values<float>() == floats({3, 4, 3}));
    EXPECT((x / 2).values<float>() == floats({.5f, 1, 1.5f}));
    EXPECT((1 - x).values<float>() == floats({0, -1, -2}));
    EXPECT((2.0 * x % 3u).values<float>() == floats({2, 1, 0}));
    EXPECT((-x).values<float>() == floats({-1, -2, -3}) && (+x).values<float>() == floats({1, 2, 3}));
    EXPECT((x == y).values<int>() == std::vector<int>({0, 1, 0}) && (x != y).values<int>() == std::vector<int>({1, 0, 1}));
    EXPECT((x < 2).values<int>() == std::vector<int>({1, 0, 0}) && (x <= 2L).values<int>() == std::vector<int>({1, 1, 0}));
    EXPECT((2 > x).values<int>() == std::vector<int>({1, 0, 0}) && (x >= y).values<int>() == std::vector<int>({0, 1, 1}));
    EXPECT(((x > 1) & (x < 3)).values<int>() == std::vector<int>({0, 1, 0}) && (x < y).dtype() == VN_BOOL);
    EXPECT(((x > 1) | (x < 1) | ~(x == x)).values<int>() == std::vector<int>({0, 1, 1}) && ((x > 1) ^ (x > 2)).values<int>() == std::vector<int>({0, 1, 0}));
    EXPECT((x + 1).dtype() == VN_F32 && (vn::from({1, 2}) + 1).dtype() == VN_I32); // numbers take the other side's dtype

    vn::array z = x, same = z; // handles: copying copies no values, and assigning names another array
    z += y;
    z *= 2;
    EXPECT(z.values<float>() == floats({8, 8, 8}) && same.get() == x.get() && same.values<float>() == floats({1, 2, 3}));
    vn_array *raw = vn_exp(x); // both kinds in one expression
    EXPECT((x - raw).dtype() == VN_F32 && (raw - x).dtype() == VN_F32 && (x == raw).dtype() == VN_BOOL && (raw < x).dtype() == VN_BOOL && (x - 0).size() == 3);
    EXPECT((raw + x).rank() == 1 && vn_rank(x + raw) == 1 && vn::array(vn_sum(x, VN_ALL)).item() == 6);
    EXPECT((vn::exp(x) - vn::exp(x)).values<double>() == std::vector<double>({0, 0, 0}));
}

static void reading()
{
    vn::scope scope;
    const vn::array x = vn::from({1, 2, 3, 4, 5, 6}, VN_SHAPE(3, 2));
    EXPECT(x.rank() == 2 && x.dim(0) == 3 && x.dim(-1) == 2 && x.size() == 6 && x.dtype() == VN_I32 && x.shape().dim[0] == 3);
    EXPECT(x[1].values<int>() == std::vector<int>({3, 4}) && x[-1][0].item_int() == 5 && x[size_t(2)][1].item() == 6 && x[0].rank() == 1);
    EXPECT(x.rows(1, 2).values<int64_t>() == std::vector<int64_t>({3, 4, 5, 6}) && x.rows(3, 0).values<int>().empty());
    EXPECT(x.text() == "[[1 2]\n [3 4]\n [5 6]]");
    std::ostringstream to;
    to << x[0] << ' ' << vn::array(2.5);
    EXPECT(to.str() == "[1 2] 2.5");
    EXPECT(vn::from(std::vector<double>({1, 2})).dtype() == VN_F64 && vn::from({true, false}).dtype() == VN_BOOL && vn::from({'a'}).size() == 1);
    EXPECT(vn::concat({x, x}, 0).dim(0) == 6 && vn::stack(std::vector<vn::array>(3, x), 0).dim(0) == 3);
    vn::array index, top = vn::topk(vn::from({3.f, 9.f, 5.f}), 2, 0, NULL, index.out());
    EXPECT(top.values<float>() == floats({9, 5}) && index.values<int>() == std::vector<int>({1, 2}));
    EXPECT(vn::softmax(vn::from({0.f, 0.f}), 0)[0].item() == .5);
    vn::array image = vn_ones(VN_SHAPE(1, 4, 4, 1), VN_F32), filter = vn_ones(VN_SHAPE(3, 3, 1, 1), VN_F32);
    EXPECT(vn::conv2d(image, filter, VN_NONE).dim(1) == 2);
    EXPECT(vn::conv2d(image, filter, VN_NONE, VN_OPTS(conv2d, .strides = {2, 2}, .padding = "SAME")).dim(1) == 2);
}

static void errors()
{
    vn::scope scope;
    const vn::array x = vn::from({1.f, 2.f, 3.f});
    EXPECT(code_of([&] { x + vn::from({1.f, 2.f}); }, "add: shapes 3 and 2") == VN_E_SHAPE && vn_status() == VN_OK);
    EXPECT(code_of([&] { x[3]; }) == VN_E_ARG && code_of([&] { x[-4]; }) == VN_E_ARG && code_of([&] { x[0][0]; }, "no rows") == VN_E_SHAPE);
    EXPECT(code_of([&] { x.item(); }, "one element") == VN_E_NOT_SCALAR);
    EXPECT(code_of([&] { vn::from({1.f, 2.f}, VN_SHAPE(3)); }, "2 numbers") == VN_E_SHAPE);
    EXPECT(code_of([&] { vn::from({1.f, 2.f}, VN_SHAPE(-1, -2)); }) != VN_OK && code_of([&] { vn::from({1.f}, VN_SHAPE(INT64_MAX, INT64_MAX, 0)); }) == VN_E_SHAPE);
    EXPECT(code_of([&] { vn::tree()["w"]; }, "\"w\"") == VN_E_STRUCT);
    EXPECT(code_of([] { vn::array().item(); }) == VN_E_NULL && code_of([] { vn::exp(vn::array()); }, "x is NULL") == VN_E_NULL);
    EXPECT(code_of([] { vn::session other("no-such-engine"); }, "no-such-engine") != VN_OK);

    vn_exp(NULL); // a C function does not throw; the next thing of vn does, and it forgets the error
    EXPECT(vn_status() == VN_E_NULL);
    EXPECT(code_of([&] { vn::exp(x); }, "exp: x is NULL") == VN_E_NULL && code_of([&] { vn::exp(x); }) == VN_OK);
    EXPECT(code_of([&] { vn::check(vn_tree_set(NULL, "w", x)); }) == VN_E_NULL && vn::check(vn_rank(x)) == 1);
    EXPECT(code_of([] { vn::check(vn_load("no-such-file.safetensors", nullptr)); }, "no-such-file") == VN_E_IO);
    EXPECT(vn_status() == VN_OK);

    vn::array lost;
    {
        vn::scope inner;
        lost = x + 1;
    }
    EXPECT(code_of([&] { lost + 1; }, "was freed") == VN_E_FREED);
}

static vn::array passed(const vn::array &x)
{
    vn::scope scope;
    const vn::array twice = x * 2;
    return vn::pass(twice + 1);
}

struct model {
    vn::kept<vn_array> w;
    vn::kept<vn_module> net;
};

static void ownership()
{
    vn::scope scope;
    const vn::array x = vn::from({1.f, 2.f});
    EXPECT(passed(x).values<float>() == floats({3, 5}));
    const int64_t before = handles();
    for (int i = 0; i < 3; i++) {
        try {
            vn::scope inner;
            VN_SCOPE;
            x + 1;
            if (i == 1) throw std::runtime_error("out of the scope");
            x + vn::from({1.f, 2.f, 3.f});
        } catch (const std::runtime_error &) {
        }
    }
    EXPECT(handles() == before);
    {
        model m;
        {
            vn::scope inner;
            m.w = x + 1;
            m.net = VN_SEQUENTIAL(vn_nn_linear(2, 3, NULL), vn_nn_tanh());
        }
        model copy = m, moved = std::move(m);
        EXPECT(copy.w.get() == moved.w.get() && (copy.w + 0).values<float>() == floats({2, 3}));
        EXPECT(vn::array(vn_module_call(moved.net, x, NULL)).dim(0) == 3);
        copy = model();
        moved.w = moved.w; // itself
        EXPECT(vn::array(moved.w).size() == 2);
        EXPECT(code_of([&] { vn_exp(NULL); vn::kept<vn_array> never(x.get()); }) == VN_E_NULL);
    }
    vn::scope last;
    vn_scope_end(1 << 20); // an error, cleared here
    vn_clear();
}

struct stop : std::runtime_error {
    stop() : std::runtime_error("stop") {}
};

static void gradients()
{
    vn::scope scope;
    vn::tree p{{"w", vn::from({1.f, 2.f})}, {"b", vn::array(vn_zeros(VN_SHAPE(1), VN_F32))}};
    EXPECT(p.has("w") && !p.has("c") && p["b"].size() == 1);
    const vn::array x = vn::from({3.f, 4.f});
    vn::graded g = vn::value_and_grad([&](const vn::tree &q) { return vn::sum(q["w"] * x + q["b"], VN_ALL); }, p);
    EXPECT(g.loss.item() == 11 && g.grads["w"].values<float>() == floats({3, 4}) && g.grads["b"].item() == 2);
    vn::check(vn_step(vn::check(vn_sgd(1, NULL)), p, g.grads));
    EXPECT(p["w"].values<float>() == floats({-2, -2}));
    EXPECT(vn::grad([](const vn::array &a) { return vn::sum(a * a, VN_ALL); }, x).values<float>() == floats({6, 8}));
    EXPECT(vn::grad([](vn_array *a) { return vn_sum(vn_exp(a), VN_ALL); }, vn::from({0.f})).item() == 1); // C ops inside

    // What the function throws comes out, the library is as before, and nothing is left behind.
    const int64_t before = handles();
    bool stopped = false;
    try {
        vn::scope inner;
        vn::value_and_grad([&](vn::tree q) -> vn::array { q["w"] + 1; throw stop(); }, p);
    } catch (const stop &) {
        stopped = true;
    }
    EXPECT(stopped && vn_status() == VN_OK && handles() == before);
    EXPECT(code_of([&] { vn::grad([&](vn::array a) { return a + vn::from({1.f, 2.f, 3.f}); }, x); }, "add: shapes") == VN_E_SHAPE && vn_status() == VN_OK);
    EXPECT(code_of([&] { vn::grad([&](vn::array a) { return vn_add(a, vn_from(NULL, VN_SHAPE(3))); }, x); }) != VN_OK && vn_status() == VN_OK);
    EXPECT(code_of([&] { vn::grad([](vn::array a) { return a; }, x); }) == VN_E_NOT_SCALAR);
    // Nested: the inner one throws through both.
    stopped = false;
    try {
        vn::grad([&](vn::array a) { return vn::sum(vn::grad([](vn::array) -> vn::array { throw stop(); }, a), VN_ALL); }, x);
    } catch (const stop &) {
        stopped = true;
    }
    EXPECT(stopped && vn_status() == VN_OK);

    {
        vn::no_grad off;
        EXPECT(vn_with_grads(-1) == 0);
    }
    EXPECT(vn_with_grads(-1) == 1);
    try {
        VN_NO_GRAD { throw stop(); }
    } catch (const stop &) {
    }
    EXPECT(vn_with_grads(-1) == 1);
    vn::tree nested;
    nested.set("enc", p);
    nested.set("enc/c", 3);
    EXPECT(nested["enc/c"].item() == 3 && vn_tree_leaves(nested) == 3);
    struct outer {
        static vn::tree part(const vn::tree &t)
        {
            vn::scope inner;
            vn::tree u;
            u.set("w", t["w"]);
            return vn::pass(u);
        }
    };
    EXPECT(outer::part(p).has("w"));
}

int main()
{
    {
        vn::session session("native");
        operators();
        reading();
        errors();
    }
    vn::session again;
    ownership();
    gradients();
    if (vn_status()) failures++, std::printf("%s\n", vn_message());
    return failures != 0;
}
