"""Case lines for options of layers and losses that no other file uses, from PyTorch; optimizers, and hand-written lines, from their formulas.

    python3 conformance/golden/options_torch.py > conformance/cases/layers_options.case
"""
import torch
import torch.nn.functional as F

PREFIX = {torch.float64: "f64", torch.int32: "i32", torch.int64: "i64"}
torch.manual_seed(7)


def some(*shape):
    """Numbers of two digits."""
    return (torch.rand(shape, dtype=torch.float64) * 2 - 1).mul(100).round().div(100)


def whole(*shape):
    """Whole numbers, as floats: integers have no gradients, which other cases are about."""
    return torch.randint(-9, 10, shape).double()


def text(x):
    items = [int(v) if x.dtype != torch.float64 else round(v, 12) for v in x.double().flatten().tolist()]
    return f"{PREFIX[x.dtype]}({','.join(map(str, x.shape))})[{' '.join(map(str, items))}]" if x.dim() else f"f64{{{items[0]}}}"


def case(op, inputs, options, result):
    print(op, *(x if isinstance(x, str) else text(x) for x in inputs), options, "=", text(result))


def integer_case(op, inputs, options, result):
    case(op, [x.int() for x in inputs], options, result.int())


def last(x):
    return x.movedim(1, -1).contiguous()


def spread(x, axis, by):
    """Zeros between the elements."""
    shape = list(x.shape)
    shape[axis] = (shape[axis] - 1) * by + 1
    y = torch.zeros(shape, dtype=x.dtype)
    y[(slice(None),) * axis + (slice(None, None, by),)] = x
    return y


def filters(w):
    """From [O, I, kernel...] to [kernel..., I, O]."""
    return w.permute(*range(2, w.dim()), 1, 0).contiguous()


print("# Options of layers, losses and optimizers that no other case gives. Printed by options_torch.py.\n")

print("# ---- convolutions ----")
x, w = whole(1, 2, 3), whole(2, 2, 2)
integer_case("conv1d", [last(x), filters(w)], "x_dilations=2", last(F.conv1d(spread(x, 2, 2), w)))
x, w = whole(1, 2, 3, 3), whole(4, 1, 2, 2)
integer_case("conv2d", [last(x), filters(w)], "x_dilations=2,1 groups=2", last(F.conv2d(spread(x, 2, 2), w, groups=2)))
integer_case("conv_general_dilated", [x, w], "data_format=channel_first filter_format=channel_first groups=2", F.conv2d(x, w, groups=2))
w = whole(2, 2, 3, 2)
transposed = "strides=2 output_shape=6,7 data_format={} filter_format=channel_first groups=2"
for op, layout in ("conv2d_transpose", "NCHW"), ("conv_general_transpose", "channel_first"):
    integer_case(op, [x[..., :2, :], w], transposed.format(layout), F.conv_transpose2d(x[..., :2, :], w, stride=2, groups=2, output_padding=1))
x, w = whole(1, 2, 2, 2, 2), whole(4, 1, 2, 1, 2)
integer_case("conv3d", [x, w], "x_dilations=1,2,1 data_format=NCDHW filter_format=OIDHW groups=2", F.conv3d(spread(x, 3, 2), w, groups=2))
w = whole(2, 1, 1, 2, 1)
integer_case("conv3d_transpose", [x, w], "strides=2 output_shape=3,5,4 data_format=NCDHW filter_format=IODHW groups=2",
             F.conv_transpose3d(x, w, stride=2, groups=2, output_padding=(0, 1, 1)))

print("# ---- pooling ----")
LOW = -1000
x = whole(1, 2, 4)
case("avg_pool1d", [x], "window=2 data_format=NCW", F.avg_pool1d(x, 2))
case("global_avg_pool", [x], "data_format=channel_first keepdims", x.mean(2, keepdim=True))
case("adaptive_avg_pool", [x], "size=3 data_format=channel_first", F.adaptive_avg_pool1d(x, 3))
x = whole(1, 2, 3, 4)
integer_case("max_pool2d", [last(x)], "window=2 strides=1 padding=SAME", last(F.max_pool2d(F.pad(x, (0, 1, 0, 1), value=LOW), 2, 1)))
integer_case("max_pool2d", [x], "window=2 strides=1 pads=1,0,0,1 dilations=1,2 data_format=NCHW",
             F.max_pool2d(F.pad(x, (0, 1, 1, 0), value=LOW), 2, 1, 0, (1, 2)))
case("avg_pool2d", [last(x)], "window=3 strides=1 padding=SAME", last(F.avg_pool2d(x, 3, 1, 1, count_include_pad=False)))
case("avg_pool2d", [last(x)], "window=3 strides=2 pads=1 include_padding", last(F.avg_pool2d(x, 3, 2, 1)))
x = whole(1, 1, 2, 3, 3)
integer_case("max_pool3d", [last(x)], "window=2 strides=1 padding=SAME", last(F.max_pool3d(F.pad(x, (0, 1, 0, 1, 0, 1), value=LOW), 2, 1)))
integer_case("max_pool3d", [x], "window=2 strides=1 pads=0,1,0,0,1,0 dilations=1,2,1 data_format=NCDHW",
             F.max_pool3d(F.pad(x, (1, 0, 0, 0, 0, 1), value=LOW), 2, 1, 0, (1, 2, 1)))
case("avg_pool3d", [last(x)], "window=1,3,3 strides=1 padding=SAME", last(F.avg_pool3d(x, (1, 3, 3), 1, (0, 1, 1), count_include_pad=False)))
case("avg_pool3d", [last(x)], "window=2,3,3 strides=1,2,2 pads=1 include_padding", last(F.avg_pool3d(x, (2, 3, 3), (1, 2, 2), (1, 1, 1))))

print("# ---- norms and losses ----")
x = some(2, 2, 3)
case("instance_norm", [x], "axis=1 epsilon=0.1", F.instance_norm(x, eps=.1))
index = torch.tensor([[0, 1, 1], [1, 0, 1]])
case("nll_loss", [x, index], "axis=1", F.nll_loss(x, index))
case("nll_loss", [x, index], "axis=1 ignore_index=1 reduction=sum", F.nll_loss(x, index, ignore_index=1, reduction="sum"))
x, y, z = some(2, 3), some(2, 3), some(2, 3)
case("poisson_nll_loss", [x.abs(), y], "rate_input=1 epsilon=0.5", F.poisson_nll_loss(x.abs(), y, log_input=False, eps=.5))
case("squared_hinge_loss", [x, y.sign()], "reduction=sum", (1 - x * y.sign()).clamp(min=0).square().sum())
lengths = x.norm(dim=0).clamp(min=.75) * y.norm(dim=0).clamp(min=.75)
case("cosine_similarity", [x, y], "axis=0 epsilon=0.75", (x * y).sum(0) / lengths)
target = torch.tensor([1., -1, 1], dtype=torch.float64)
cosine = (x * y).sum(0) / lengths
case("cosine_embedding_loss", [x, y, target], "axis=0 epsilon=0.75 margin=-1",
     torch.where(target > 0, 1 - cosine, (cosine + 1).clamp(min=0)).mean())
case("triplet_margin_loss", [x, y, z], "axis=0 epsilon=0.5", F.triplet_margin_loss(x.T, y.T, z.T, eps=.5))

print("# ---- optimizers ----")
w, g, nothing = some(3), some(3), torch.zeros(3, dtype=torch.float64)
case("lars_update", [w, g, "0.5"], "min_denominator=2", w - .5 * w.norm() / (g.norm() + 2) * g)
step = (1 - .999) ** .5 / (1 - .9 + 1e-7) * (.1 * g) / ((.001 * g * g).sqrt() + 1e-7)
case("lamb_update", [w, g, "0.5", nothing, nothing, "1"], "min_denominator=2", w - .5 * w.norm() / (step.norm() + 2) * step)

print("""# ---- others: half precision in an optimizer is computed with float32; what dropout keeps is what bernoulli samples ----
adam_step.2 f16[300 400] f16[0 0] f16[0 0] 1 = f16[90 160] ~ 2e-3
adam_step.2 f16[0.001 0.002] f16[0 0] f16[0 0] 1 beta2=0.5 = f16[5e-7 2e-6] ~ 1e-7
dropout f32[1 2 3 4 5 6 7 8 9] u64[12345678901234567890 42] no_scale = [1 2 0 4 0 0 7 8 0]
dropout f32[1 2 3 4 5 6 7 8 9] u64[12345678901234567890 42] = [2 4 0 8 0 0 14 16 0]
einops_reduce [1 2 3 4 5 6] pattern=(a,b)->a reduction=sum names=b lengths=3 = [6 15]
einsum f32(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)[2] f32(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)[3] equation=...,...->... = f32(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)[6]""")
