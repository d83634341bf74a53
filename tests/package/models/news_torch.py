"""The network of examples/news.c in PyTorch: python news_torch.py EPOCHS SEED TRAIN TEST. The files have a headline in each row: its topic, then its
tokens. Prints the accuracy in percent."""
import sys

import numpy as np
import torch
from torch import nn

SIZE, HEADS, LAYERS, BATCH, TOPICS, WARM_UP = 64, 4, 2, 32, 4, 200
epochs, seed = int(sys.argv[1]), int(sys.argv[2])
torch.manual_seed(seed)
torch.set_num_threads(1)
(train_y, train_x), (test_y, test_x) = ((t[:, 0], t[:, 1:]) for t in (torch.from_numpy(np.loadtxt(name, dtype="int64")) for name in sys.argv[3:5]))


class Classifier(nn.Module):
    def __init__(self, tokens, length):
        super().__init__()
        self.words, self.places = nn.Embedding(tokens, SIZE), nn.Embedding(length, SIZE)
        layer = nn.TransformerEncoderLayer(SIZE, HEADS, 4 * SIZE, 0.1, "gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, nn.LayerNorm(SIZE), enable_nested_tensor=False)
        self.out = nn.Linear(SIZE, TOPICS)

    def forward(self, x):
        both = (self.words(x) + self.places(torch.arange(x.shape[1]))) / 2
        return self.out(self.encoder(both, src_key_padding_mask=x == 0)[:, 0])


net = Classifier(int(train_x.max()) + 1, train_x.shape[1])
adam = torch.optim.Adam(net.parameters(), 1.0, weight_decay=5e-5)
noam = torch.optim.lr_scheduler.LambdaLR(adam, lambda k: 0.2 * SIZE**-0.5 * min((k + 1) ** -0.5, (k + 1) * WARM_UP**-1.5))
for _ in range(epochs):
    for rows in torch.randperm(len(train_x)).split(BATCH):
        adam.zero_grad()
        nn.functional.cross_entropy(net(train_x[rows]), train_y[rows]).backward()
        adam.step()
        noam.step()
net.eval()
with torch.no_grad():
    print(f"{100 * (net(test_x).argmax(1) == test_y).float().mean():.2f}")
