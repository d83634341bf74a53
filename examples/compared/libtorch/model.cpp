// model.cpp: loads the network that adamw.cpp saved and runs it. docs/compared.md has this program in four libraries.
#include <cstdio>
#include <torch/torch.h>

int main()
try {
    torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
    torch::load(net, "model.pt");
    auto x = torch::cos(torch::arange(8.)).reshape({2, 4});
    auto y = net->forward(x);
    for (int i = 0; i < 2; i++) std::printf("%d  %.5f\n", i, y[i].item<double>());
} catch (const std::exception &error) {
    std::fprintf(stderr, "model: %s\n", error.what());
    return 1;
}
