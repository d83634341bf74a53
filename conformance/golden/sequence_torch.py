#!/usr/bin/env python3
"""Writes conformance/suite/sequence.inc and transformer.inc: what recurrent layers in two directions and layers of transformers give, by PyTorch in float64.

    python3 conformance/golden/sequence_torch.py [folder], default conformance/suite

Needs torch. Variables are waves, numbered in the order in which nn_sequence.c fills them; those of transformers by their names.
"""
import math
import os
import sys

import torch

torch.set_default_dtype(torch.float64)
BATCH, STEPS, IN, OUT, LAYERS = 2, 4, 3, 2, 2


def waves(number, *shape):
    n = math.prod(shape)
    return torch.tensor([math.sin(1 + 0.7 * k + 0.9 * number) * 0.8 for k in range(n)]).reshape(shape)


def listed(name, *arrays):
    values = [repr(float(v)) for a in arrays for v in a.detach().flatten()]
    print(f"static const double {name}[] = {{")
    for k in range(0, len(values), 6):
        print("    " + ", ".join(values[k:k + 6]) + ",")
    print("};")


folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suite")
sys.stdout = open(os.path.join(folder, "sequence.inc"), "w")
print("/* SPDX-License-Identifier: Apache-2.0 */\n/* sequence.inc: printed by conformance/golden/sequence_torch.py: do not edit. y, then h. */")
x = waves(50, BATCH, STEPS, IN)
for name, kind, gates in ("lstm", torch.nn.LSTM, 4), ("gru", torch.nn.GRU, 3), ("rnn", torch.nn.RNN, 1):
    net = kind(IN, OUT, LAYERS, batch_first=True, bidirectional=True)
    number = 0
    for layer in range(LAYERS):
        for tail in "", "_reverse":
            for part, size in ("ih", IN if layer == 0 else 2 * OUT), ("hh", OUT):
                getattr(net, f"weight_{part}_l{layer}{tail}").data = waves(number, size, gates * OUT).T
                getattr(net, f"bias_{part}_l{layer}{tail}").data = waves(number + 1, gates * OUT)
                number += 2
    y, state = net(x)
    listed(f"{name}_both_ways", y, state[0] if name == "lstm" else state)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([4, 2]), batch_first=True)
    y, state = net(packed)
    y, _ = torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True)
    listed(f"{name}_lengths", y, *(state if name == "lstm" else [state]))

# ---- layers of transformers: variables are waves whose numbers come from their names in Vinea ----

sys.stdout = open(os.path.join(folder, "transformer.inc"), "w")
print("/* SPDX-License-Identifier: Apache-2.0 */\n/* transformer.inc: printed by conformance/golden/sequence_torch.py: do not edit. y, then the square of the length of all gradients. */")
SIZE, HEADS, HIDDEN, KEYS = 4, 2, 6, 5


def own(name, *shape):
    return waves(sum(name.encode()) % 50, *shape)


def fill_attention(a, name):
    a.in_proj_weight.data = torch.cat([own(f"{name}/{part}/w", SIZE, SIZE) for part in ("to_q", "to_kv/k", "to_kv/v")])
    a.in_proj_bias.data = torch.cat([own(f"{name}/{part}/b", SIZE) for part in ("to_q", "to_kv/k", "to_kv/v")])
    a.out_proj.weight.data = own(f"{name}/to_out/submodules/v0/w", SIZE, SIZE)
    a.out_proj.bias.data = own(f"{name}/to_out/submodules/v0/b", SIZE)


def fill_norm(n, name):
    n.weight.data, n.bias.data = own(f"{name}/weight", SIZE), own(f"{name}/bias", SIZE)


def fill_layer(layer, name):
    fill_attention(layer.self_attn, name + "attention")
    if hasattr(layer, "multihead_attn"):
        fill_attention(layer.multihead_attn, name + "context_attention")
        fill_norm(layer.norm3, name + "norm3")
    fill_norm(layer.norm1, name + "norm1")
    fill_norm(layer.norm2, name + "norm2")
    for linear, part, shape in (layer.linear1, "up", (HIDDEN, SIZE)), (layer.linear2, "down", (SIZE, HIDDEN)):
        linear.weight.data, linear.bias.data = own(f"{name}feed_forward/{part}/w", *shape), own(f"{name}feed_forward/{part}/b", shape[0])


def with_gradients(name, net, y):
    """y, then the sum of the squares of all gradients of the sum of y^2."""
    (y ** 2).sum().backward()
    listed(name, y.detach(), sum((p.grad ** 2).sum() for p in net.parameters()).reshape(1))


options = dict(dim_feedforward=HIDDEN, dropout=0.0, batch_first=True)
x, context = waves(50, BATCH, STEPS, SIZE), waves(51, BATCH, KEYS, SIZE)
causal = torch.nn.Transformer.generate_square_subsequent_mask(STEPS)
allowed = torch.tensor([[1, 0, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1]], dtype=torch.bool)

net = torch.nn.TransformerEncoderLayer(SIZE, HEADS, **options)
fill_layer(net, "")
with_gradients("encoder_layer", net, net(x, src_mask=~allowed))
net = torch.nn.TransformerEncoderLayer(SIZE, HEADS, activation="gelu", norm_first=True, **options)
fill_layer(net, "")
with_gradients("encoder_layer_norm_first", net, net(x))
net = torch.nn.TransformerDecoderLayer(SIZE, HEADS, **options)
fill_layer(net, "")
with_gradients("decoder_layer", net, net(x, context, tgt_mask=causal))
net = torch.nn.Transformer(SIZE, HEADS, 2, 1, **options)
for part, layers in ("encoder", net.encoder), ("decoder", net.decoder):
    for k, layer in enumerate(layers.layers):
        fill_layer(layer, f"{part}/layers/v{k}/")
    fill_norm(layers.norm, f"{part}/norm")
with_gradients("whole_transformer", net, net(context, x, tgt_mask=causal))
