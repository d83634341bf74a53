#!/usr/bin/env python3
"""Prints conformance/suite/sequence.inc: what recurrent layers in two directions and layers of transformers give, by PyTorch in float64.

    python3 conformance/golden/sequence_torch.py > conformance/suite/sequence.inc

Needs torch. Variables are waves, numbered in the order in which nn_sequence.c fills them.
"""
import math

import torch

torch.set_default_dtype(torch.float64)
BATCH, STEPS, IN, OUT, LAYERS = 2, 4, 3, 2, 2


def waves(number, *shape):
    n = math.prod(shape)
    return torch.tensor([math.sin(1 + 0.7 * k + 0.9 * number) * 0.8 for k in range(n)]).reshape(shape)


def listed(name, *arrays):
    values = [repr(float(v)) for a in arrays for v in a.flatten()]
    print(f"static const double {name}[] = {{")
    for k in range(0, len(values), 6):
        print("    " + ", ".join(values[k:k + 6]) + ",")
    print("};")


print("/* sequence.inc: printed by conformance/golden/sequence_torch.py: do not edit. y, then h. */")
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
