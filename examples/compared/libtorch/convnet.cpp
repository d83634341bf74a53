// convnet.cpp: trains a small convolutional network that is written with ops. docs/compared.md has this program in four libraries.
#include <cstdio>
#include <torch/torch.h>

int main()
try {
    auto x = torch::sin(torch::arange(512.)).reshape({8, 1, 8, 8});
    auto labels = torch::arange(8) % 3;
    auto filters = torch::sin(torch::arange(36.)).reshape({3, 3, 1, 4}).permute({3, 2, 0, 1}).requires_grad_();
    auto weights = torch::sin(torch::arange(12.)).reshape({4, 3}).requires_grad_();
    torch::optim::SGD sgd({filters, weights}, .1);
    for (int step = 0; step <= 40; step++) {
        auto h = torch::relu(torch::conv2d(x, filters, {}, 1, "same"));
        auto pooled = torch::max_pool2d(h, 2).mean({2, 3});
        auto loss = torch::cross_entropy_loss(torch::matmul(pooled, weights), labels);
        sgd.zero_grad();
        loss.backward();
        sgd.step();
        if (step % 20 == 0) std::printf("%2d  loss %.5f\n", step, loss.item<double>());
    }
} catch (const std::exception &error) {
    std::fprintf(stderr, "convnet: %s\n", error.what());
    return 1;
}
