// adamw.cpp: three steps of AdamW on a network of two layers, which is then saved. docs/compared.md has this program in four libraries.
#include <cstdio>
#include <torch/torch.h>

int main()
try {
    auto x = torch::sin(torch::arange(64.)).reshape({16, 4}), y = x.sum(-1, true);
    torch::nn::Sequential net(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Linear(8, 1));
    for (auto &p : net->parameters()) p.set_data(torch::sin(torch::arange(double(p.numel()))).view_as(p));
    torch::optim::AdamW adamw(net->parameters(), .01);
    for (int step = 0; step < 3; step++) {
        auto loss = torch::mse_loss(net->forward(x), y);
        adamw.zero_grad();
        loss.backward();
        adamw.step();
        std::printf("%d  loss %.5f\n", step, loss.item<double>());
    }
    torch::save(net, "model.pt");
} catch (const std::exception &error) {
    std::fprintf(stderr, "adamw: %s\n", error.what());
    return 1;
}
