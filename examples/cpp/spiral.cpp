/* spiral.cpp: a class with a network of its own learns to tell two spirals apart: vn::kept for members, options by name, comparisons and indexing.
 *
 *     build/examples/cpp/spiral [engine] [steps]
 */
/* ctest: args 300 */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vinea/vinea.hpp>

class classifier
{
  public:
    explicit classifier(int64_t width)
    {
        vn::scope scope;                                      // the members keep what they need
        net = VN_SEQUENTIAL(vn_nn_linear(2, width), vn_nn_tanh(), vn_nn_linear(width, width),
                            vn_nn_tanh(), vn_nn_linear(width, 2));
        adam = vn_adam(.01);
        vn_optim_clip_norm(adam, 1);
    }

    double step(const vn::array &x, const vn::array &labels)
    {
        vn::scope scope;
        const vn::tree p = vn_module_v(net);
        const vn::graded g = vn::value_and_grad([&](const vn::tree &v) {
            const vn::array logits = vn_module_call(net, x, VN_OPTS(module_call, .v = v));
            return vn::cross_entropy(logits, labels, VN_NONE, -1);
        }, p);
        vn::check(vn_step(adam, p, g.grads));
        return g.loss.item();
    }

    vn::array classes(const vn::array &x) const
    {
        return vn::argmax(vn_module_call(net, x), VN_AXES(-1));
    }

  private:
    vn::kept<vn_module> net;
    vn::kept<vn_optim> adam;
};

static vn::array spiral(int64_t n, double turn)              // (n, 2)
{
    vn::scope scope;
    const vn::array t = vn_linspace(.5, 3, n, VN_F32), angle = 3 * t + turn;
    const vn::array noise = vn_random_normal(0, .05, VN_SHAPE(n, 2));
    return vn::pass(vn::stack({t * vn::cos(angle), t * vn::sin(angle)}, 1) + noise);
}

int main(int argc, char **argv)
try {
    vn::session session(argc > 1 ? argv[1] : "native");
    const int steps = argc > 2 ? std::atoi(argv[2]) : 300;
    const int64_t n = 100;
    vn::check(vn_seed(7));
    const vn::array first = spiral(n, 0), second = spiral(n, std::acos(-1.)), x = vn::concat({first, second}, 0);
    const vn::array labels = vn::concat({vn_zeros(VN_SHAPE(n), VN_I64), vn_ones(VN_SHAPE(n), VN_I64)}, 0);

    classifier c(32);
    for (int step = 0; step <= steps; step++) {
        const double loss = c.step(x, labels);
        if (step % 100 == 0) std::printf("%4d  loss %.4f\n", step, loss);
    }
    const double right = vn::mean(vn::cast(c.classes(x) == labels, VN_F32), VN_ALL).item();
    std::cout << "the last point " << x[-1] << " is of class " << c.classes(x)[-1] << "; right " << 100 * right << " %\n";
    return right > .95 ? 0 : 1;
} catch (const std::exception &e) {                           // vn::error is one
    std::cerr << "spiral: " << e.what() << '\n';
    return 1;
}
