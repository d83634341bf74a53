// attention.cpp: causal self-attention of four heads. docs/compared.md has this program in four libraries.
#include <cstdio>
#include <torch/torch.h>

int main()
try {
    auto x = torch::sin(torch::arange(192.)).reshape({2, 6, 16});
    auto w = torch::sin(torch::arange(768.)).reshape({16, 48});
    auto qkv = torch::matmul(x, w).reshape({2, 6, 3, 4, 4}).permute({2, 0, 3, 1, 4});
    auto y = torch::scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {}, 0, true);
    auto merged = y.transpose(1, 2).reshape({2, 6, 16});
    for (int t = 0; t < 6; t++) std::printf("%d  %.5f\n", t, merged[0][t][0].item<double>());
} catch (const std::exception &error) {
    std::fprintf(stderr, "attention: %s\n", error.what());
    return 1;
}
