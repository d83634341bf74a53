"""Case lines for layers other than convolutions, from PyTorch; the lines at the end have closed forms.

    python3 conformance/golden/layers_torch.py > conformance/cases/layers.case
"""
import torch
import torch.nn.functional as F

PREFIX = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.float64: "f64", torch.bool: "bool", torch.int64: "i64"}
torch.manual_seed(5)


def some(*shape, dtype=torch.float64):
    """Numbers of two digits, which every dtype of interest takes from their text."""
    return (torch.rand(shape, dtype=torch.float64) * 2 - 1).mul(100).round().div(100).to(dtype)


def text(x):
    if x is None:
        return "none"
    items = [int(v) if x.dtype in (torch.bool, torch.int64) else round(v, 12) for v in x.double().flatten().tolist()]
    return f"{PREFIX[x.dtype]}({','.join(map(str, x.shape))})[{' '.join(map(str, items))}]"


def case(op, inputs, result, options="", tolerance=""):
    print(" ".join(filter(None, [op, *map(text, inputs), options, "=", text(result), tolerance])))


def last(x):
    return x.movedim(1, -1).contiguous()


print("# Layers other than convolutions. Printed by layers_torch.py.\n")

print("# ---- linear: one weight, and one for each entry of the outer axes ----")
x, w, b = some(2, 3, 4), some(5, 4), some(5)
case("linear", [x, w, b], F.linear(x, w, b))
case("linear", [x[0, 0], w, b], F.linear(x[0, 0], w, b))
w, b = some(2, 5, 4), some(2, 5)
case("linear", [x, w, b], torch.einsum("abi,aoi->abo", x, w) + b[:, None])
case("linear", [x[:, 0], w, b], torch.einsum("ai,aoi->ao", x[:, 0], w) + b)

print("# ---- recurrent layers ----")
x, h, c, k, r = some(1, 2, 2), some(1, 2), some(1, 2), some(2, 8), some(2, 8)
bias = [some(8), some(8)]
weights = [k.T.contiguous(), r.T.contiguous()]
zeros = [torch.zeros(8, dtype=torch.float64)] * 2
for major in False, True:
    y, last_h, last_c = torch.lstm(x.transpose(0, 1) if major else x, (h[None], c[None]), weights + bias, True, 1, 0., False, False, not major)
    for name, result in list(zip(("", ".1", ".2"), (y, last_h[0], last_c[0])))[:1 if major else 3]:
        case("lstm_update" + name, [x.transpose(0, 1) if major else x, h, c, k, r, *bias], result, "time_major" if major else "")
y, _, _ = torch.lstm(x, (h[None], c[None]), weights + [bias[1], zeros[0]], True, 1, 0., False, False, True)
case("lstm_update", [x[None], h[None], c[None], k, r, None, bias[1]], y[None])
k, r, bias = some(2, 6), some(2, 6), [some(6), some(6)]
weights = [k.T.contiguous(), r.T.contiguous()]
y, last_h = torch.gru(x, h[None], weights + bias, True, 1, 0., False, False, True)
case("gru_update", [x, h, k, r, *bias], y)
case("gru_update.1", [x, h, k, r, *bias], last_h[0])
y, _ = torch.gru(x.transpose(0, 1), h[None], weights + [zeros[0][:6]] * 2, True, 1, 0., False, False, False)
case("gru_update", [x.transpose(0, 1), h, k, r], y, "time_major")

print("# ---- pooling ----")
x = some(2, 2, 5)
case("max_pool1d", [last(x)], last(F.max_pool1d(x, 3, 2, 1)), "window=3 strides=2 pads=1")
case("max_pool1d", [x], F.max_pool1d(x, 2, 2, 0, 2), "window=2 dilations=2 data_format=NCW")
case("max_pool1d", [last(x)], last(F.max_pool1d(F.pad(x, (0, 1), value=-9), 2, 1)), "window=2 strides=1 padding=SAME")
case("avg_pool1d", [last(x)], last(F.avg_pool1d(x, 3, 2, 1, count_include_pad=False)), "window=3 strides=2 padding=SAME")
case("avg_pool1d", [last(x)], last(F.avg_pool1d(x, 3, 2, 1)), "window=3 strides=2 pads=1,1 include_padding")
x = some(1, 2, 4, 5)
case("max_pool2d", [last(x)], last(F.max_pool2d(x, (2, 3), (1, 2))), "window=2,3 strides=1,2")
case("avg_pool2d", [x], F.avg_pool2d(x, 2), "window=2 data_format=NCHW")
for kind, pool in ("avg", F.adaptive_avg_pool2d), ("max", F.adaptive_max_pool2d):
    case(f"adaptive_{kind}_pool", [last(x)], last(pool(x, (2, 3))), "size=2,3")
case("adaptive_max_pool", [x], pool(x, (7, 1)), "size=7,1 data_format=NCHW")
case("global_avg_pool", [last(x)], x.mean((2, 3)))
case("global_max_pool", [x], x.amax((2, 3), keepdim=True), "data_format=channel_first keepdims")
x = some(1, 2, 2, 2, 3)
case("max_pool3d", [last(x)], last(F.max_pool3d(x, 2)), "window=2")
case("avg_pool3d", [x], F.avg_pool3d(x, (1, 2, 1)), "window=1,2,1 data_format=channel_first")

print("# ---- other sizes ----")
x = some(1, 2, 4)
for size, mode in (7, "nearest"), (3, "nearest"), (7, "nearest-exact"), (7, "linear"), (3, "linear"):
    case("interpolate", [last(x)], last(F.interpolate(x, size, mode=mode)), f"size={size} mode={mode.replace('-', '_')}")
case("interpolate", [x], F.interpolate(x, 7, mode="linear", align_corners=True), "size=7 align_corners data_format=NCW")
x = some(1, 1, 4, 5)
case("interpolate", [last(x)], last(F.interpolate(x, (6, 3), mode="bicubic")), "size=6,3 mode=cubic")
case("interpolate", [last(x)], last(F.interpolate(x, (6, 3), mode="bicubic", align_corners=True)), "size=6,3 mode=cubic align_corners")
case("interpolate", [x], F.interpolate(x, (8, 4), mode="bilinear"), "size=8,4 data_format=NCHW")

print("# ---- norms that return mean and variance ----")
x, w, b = some(2, 3, 4), some(3), some(3)
y = F.batch_norm(x, None, None, w, b, True)
stats = {"batch_norm_training": (y, x.mean((0, 2)), x.var((0, 2), correction=0)),
         "instance_norm": (F.instance_norm(x, weight=w, bias=b), x.mean(2), x.var(2, correction=0))}
for name, results in stats.items():
    for k, result in enumerate(results):
        case(name + (f".{k}" if k else ""), [x, w, b], result, "axis=1")
case("batch_norm_training", [last(x)], last(F.batch_norm(x, None, None, None, None, True, eps=.1)), "epsilon=0.1")

print("# ---- rotary positions ----")
x = some(2, 3, 4)
angle = (torch.arange(3.) + 1).double()[:, None] * 100. ** -(torch.arange(2) / 2).double()
z = torch.complex(x[..., :2], x[..., 2:]) * torch.polar(torch.ones_like(angle), angle)
case("rotary_embedding", [x], torch.cat([z.real, z.imag], -1), "base=100 offset=1")
z = torch.complex(x[..., ::2], x[..., 1::2]) * torch.polar(torch.ones_like(angle), angle)
case("rotary_embedding", [x], torch.stack([z.real, z.imag], -1).flatten(-2), "base=100 offset=1 interleaved")
z = torch.complex(x[..., :2], x[..., 2:]) * torch.polar(torch.ones_like(angle), angle / 4)
case("rotary_embedding", [x], torch.cat([z.real, z.imag], -1), "base=100 offset=1 stretch=4")

print("""# ---- attention: golden values; the mean rule, or zeros, for a query with nothing to attend to ----
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] scale=0.5 = f64[[4.150420765 5.150420765] [4.150420765 5.150420765]] ~ 1e-9
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] i32[[1 -1 0] [0 0 0]] scale=0.5 = f64[[2.46211715726 3.46211715726] [3 4]]
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] i8[[1 1 0] [0 0 0]] scale=0.5 zero_rows = f64[[2.46211715726 3.46211715726] [0 0]]
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] f64[0.5 -1 2] scale=0.5 = f64[[4.150420765 5.150420765] [4.150420765 5.150420765]] ~ 1e-9
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] u8{0} scale=0.5 = f64[[3 4] [3 4]]
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] scale=0.5 causal = f64[[1 2] [2.46211715726 3.46211715726]]
scaled_dot_product_attention f64[[1 0] [0 1]] f64[[1 2] [3 4] [5 6]] f64[[1 2] [3 4] [5 6]] scale=0 = f64[[3 4] [3 4]]
scaled_dot_product_attention i32[[1 0] [0 1]] i32[[1 2] [3 4] [5 6]] i32[[1 2] [3 4] [5 6]] scale=0.5 = f32[[4.1504208 5.1504208] [4.1504208 5.1504208]]
scaled_dot_product_attention f16[[1 0] [0 1]] f16[[1 2] [3 4] [5 6]] f16[[1 2] [3 4] [5 6]] bool[[1 1 0] [0 0 0]] scale=0.5 = f16[[2.46211715726 3.46211715726] [3 4]] ~ 4e-3
scaled_dot_product_attention [[1 0]] f32(0,2)[] f32(0,3)[] scale=1 = [[0 0 0]]
scaled_dot_product_attention [[1 0]] [[1 0]] [[1]] bool[[1]] scale=1 causal ! VN_E_ARG
scaled_dot_product_attention [[1 0]] [[1 0 0]] [[1]] scale=1 ! VN_E_SHAPE
scaled_dot_product_attention [[1 0]] [[1 0]] [[1]] bool[[1 1]] scale=1 ! VN_E_SHAPE
scaled_dot_product_attention bool[[1 0]] bool[[1 0]] bool[[1]] scale=1 ! VN_E_DTYPE
# ---- golden values ----
linear f64[[1 2 3]] f64[[1 0 -1] [0.5 0.5 0.5]] f64[0.1 0.2] = f64[[-1.9 3.2]]
lstm_update f64[[0.5 -1] [0.25 0.75]] f64[0.1] f64[0.2] f64[[0.1 0.2 0.3 0.4] [0.5 0.6 0.7 0.8]] f64[[0.9 0.8 0.7 0.6]] f64[0.01 0.02 0.03 0.04] f64[0.05 0.06 0.07 0.08] = f64[[-0.028180824] [0.20992796]] ~ 1e-8
lstm_update.2 f64[[0.5 -1] [0.25 0.75]] f64[0.1] f64[0.2] f64[[0.1 0.2 0.3 0.4] [0.5 0.6 0.7 0.8]] f64[[0.9 0.8 0.7 0.6]] f64[0.01 0.02 0.03 0.04] f64[0.05 0.06 0.07 0.08] = f64[0.313880838] ~ 1e-8
lstm_update.2 f64(0,2)[] f64[0.1] f64[0.2] f64[[0.1 0.2 0.3 0.4] [0.5 0.6 0.7 0.8]] f64[[0.9 0.8 0.7 0.6]] = f64[0.2]
linear i32[[1 2 3]] i32[[1 0 -1] [2 2 2]] i32[10 20] = i32[[8 32]]
linear f32(0,3)[] f32(2,3)[1 ...] [5 6] = f32(0,2)[]
dropout f32[1 2 3] u64[1 2] prob=0 = f32[1 2 3]
dropout f64[1 2 3] u64[1 2] prob=1 = f64[0 0 0]
embedding i32[[2 0] [-1 2]] f64[[1 2] [3 4] [5 6]] = f64[[[5 6] [1 2]] [[5 6] [5 6]]]
embedding i8[[2 0] [-1 1]] f64[[1 2] [3 4] [5 6]] not_from_end = f64[[[5 6] [1 2]] [[nan nan] [3 4]]]
embedding i64{1} u8[[1 2] [3 4]] = u8[3 4]
embedding i64[0 1 3] f32[[3 4] [0 1]] max_norm=1 = f32[[0.6 0.8] [0 1] [nan nan]]
padding_mask u8[2 0 5] size=3 = bool[[1 1 0] [0 0 0] [1 1 1]]
max_pool1d i32(1,4,1)[4 -2 7 7] window=2 = i32(1,2,1)[4 7]
adaptive_max_pool i8(1,3,1)[4 -2 -7] size=2 = i8(1,2,1)[4 -2]
adaptive_avg_pool f16(1,3,1)[4 -2 inf] size=2 = f16(1,2,1)[1 inf]
interpolate u8(1,2,1)[4 9] size=4 mode=nearest = u8(1,4,1)[4 4 9 9]
interpolate bf16(1,2,1)[4 8] size=4 = bf16(1,4,1)[4 5 7 8]
# ---- refusals ----
linear [[1 2]] [[1 2 3]] ! VN_E_SHAPE
linear f32(2,1,2)[1 ...] f32(3,1,2)[1 ...] ! VN_E_SHAPE
linear [1 2] [[1 2]] [1 2] ! VN_E_SHAPE
dropout [1 2] u64[1 2] prob=1.5 ! VN_E_ARG
dropout [1 2] i64[1 2] ! VN_E_DTYPE
dropout [1 2] u64[1 2] noise_shape=3 ! VN_E_ARG
dropout i32[1 2] u64[1 2] ! VN_E_DTYPE
embedding i64[0] [1] ! VN_E_SHAPE
embedding i64[0] [[1]] padding_index=1 ! VN_E_ARG
lstm_update [[1]] [1 1] [1] f32(1,4)[1 ...] f32(1,4)[1 ...] ! VN_E_SHAPE
gru_update [[1]] [1] f32(2,3)[1 ...] f32(1,3)[1 ...] ! VN_E_SHAPE
rotary_embedding [[1 2 3]] ! VN_E_SHAPE
rotary_embedding [[1 2]] base=0 ! VN_E_ARG
padding_mask i64[1] size=-1 ! VN_E_ARG
max_pool2d [[[1]]] window=1 ! VN_E_SHAPE
max_pool1d [[[1]]] window=2 ! VN_E_SHAPE
avg_pool1d [[[1]]] window=1 padding=FULL ! VN_E_ARG
adaptive_avg_pool f32(1,0,1)[] size=2 ! VN_E_SHAPE
global_max_pool f32(1,0,1)[] ! VN_E_SHAPE
interpolate [[[1]]] size=2 mode=diagonal ! VN_E_ARG
interpolate [[[1]]] size=2 mode=nearest align_corners ! VN_E_ARG
interpolate i32[[[1]]] size=2 ! VN_E_DTYPE
batch_norm_training [[1]] axis=0 ! VN_E_ARG
batch_norm_training [[1]] [1 1] ! VN_E_SHAPE
instance_norm [[1]] ! VN_E_SHAPE
scaled_dot_product_attention u64[[1]] i8[[1]] [[1]] scale=1 ! VN_E_DTYPE""")
