// regression.cpp: fits a line by gradient descent. docs/compared.md has this program in four libraries.
#include <cstdio>
#include <torch/torch.h>

int main()
try {
    auto x = torch::sin(torch::arange(60.)).reshape({20, 3});
    auto y = torch::matmul(x, torch::tensor({{2.f}, {-1.f}, {.5f}})) + 1;
    auto w = torch::zeros({3, 1}, torch::requires_grad()), b = torch::zeros({1}, torch::requires_grad());
    torch::optim::SGD sgd({w, b}, .1);
    for (int step = 0; step <= 40; step++) {
        auto loss = torch::mse_loss(torch::matmul(x, w) + b, y);
        sgd.zero_grad();
        loss.backward();
        sgd.step();
        if (step % 20 == 0) std::printf("%2d  loss %.5f\n", step, loss.item<double>());
    }
} catch (const std::exception &error) {
    std::fprintf(stderr, "regression: %s\n", error.what());
    return 1;
}
