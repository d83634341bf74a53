/* regression.cpp: examples/linreg.c in C++: operators on arrays, a lambda as the loss, exceptions for errors.
 *
 *     build/examples/cpp/regression [engine]
 */
#include <cstdio>
#include <vinea/vinea.hpp>

int main(int argc, char **argv)
try {
    vn::session session(argc > 1 ? argv[1] : "native");      // torch, jax, tensorflow, numpy ...
    const vn::array x = vn_random_normal(0, 1, VN_SHAPE(256, 3));
    const vn::array y = vn::matmul(x, vn::from({2.f, -1.f, .5f}, VN_SHAPE(3, 1)));
    const vn::tree p{{"w", vn_zeros(VN_SHAPE(3, 1), VN_F32)}, {"b", vn_zeros(VN_SHAPE(1), VN_F32)}};
    vn_optim *sgd = vn::check(vn_sgd(.1));
    double loss = 0;

    for (int step = 0; step <= 100; step++) {
        vn::scope scope;                                      // what this step made is freed at its end
        const vn::graded g = vn::value_and_grad([&](const vn::tree &q) {
            const vn::array h = vn::matmul(x, q["w"]) + q["b"];
            return vn::mean(vn::square(h - y), VN_ALL);
        }, p);
        vn::check(vn_step(sgd, p, g.grads));
        loss = g.loss.item();
        if (step % 50 == 0) std::printf("%3d  loss %.8f\n", step, loss);
    }
    return loss < 1e-6 ? 0 : 1;
} catch (const vn::error &e) {
    std::fprintf(stderr, "regression: %s\n", e.what());
    return e.code();
}
