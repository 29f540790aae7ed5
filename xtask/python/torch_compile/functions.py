"""The functions that are compiled: what models are made of, at sizes that are rarely round."""

import math

import torch
import torch.nn.functional as F

import transformer

from .case import Case

HALF, BRAIN = torch.float16, torch.bfloat16


def normal(*shape, dtype=torch.float32, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def integers(high, *shape, seed=0):
    return torch.randint(0, high, shape, generator=torch.Generator().manual_seed(seed))


# Norms


def layer_norm(x, weight, bias):
    return F.layer_norm(x, x.shape[-1:], weight, bias)


def rms_norm(x, residual, weight):
    hidden = x + residual
    scale = torch.rsqrt(hidden.square().mean(-1, keepdim=True) + 1e-6)
    return hidden * scale * weight, hidden


def batch_norm(x, weight, bias):
    return F.relu(F.batch_norm(x, None, None, weight, bias, training=True))


def group_norm(x, weight, bias):
    return F.silu(F.group_norm(x, 8, weight, bias))


# Attention and what is around it


def attention(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
    return scores.masked_fill(future, -torch.inf).softmax(-1) @ v


def windowed_softmax(scores, slopes):
    position = torch.arange(scores.shape[-1], device=scores.device)
    distance = position[:, None] - position[None, :]
    scores = scores - slopes[:, None, None] * distance.abs()
    return torch.where((distance >= 0) & (distance < 64), scores, -torch.inf).softmax(-1)


def swiglu(x):
    gate, value = x.chunk(2, dim=-1)
    return F.silu(gate) * value


def gelu_bias(x, bias):
    return F.gelu(x + bias) + F.gelu(x - bias, approximate="tanh")


# Losses


def cross_entropy(logits, target):
    return F.cross_entropy(logits, target, ignore_index=3, label_smoothing=0.1)


def regression_losses(x, target):
    return F.huber_loss(x, target), F.binary_cross_entropy_with_logits(x, target.sigmoid())


def distillation(student, teacher):
    return F.kl_div(
        F.log_softmax(student, -1), F.log_softmax(teacher, -1), log_target=True, reduction="sum"
    )


# Reductions and scans


def moments(x):
    var, mean = torch.var_mean(x, dim=(0, 2))
    return var, mean, x.amax(1), x.std(), x.norm(dim=-1), x.prod(dim=1)


def extremes(x):
    values, places = x.max(dim=1)
    return values, places, x.argmin(dim=0), x.argmax(), (x > 0).sum(1), (x > 3).any(1)


def scans(x):
    return x.cumsum(-1), x.cumsum(0), x.logcumsumexp(-1), x.cummax(-1)[0]


def ordered(x):
    values, places = x.sort(dim=-1, stable=True)
    top, chosen = x.topk(5, dim=-1)
    return values, places, top, chosen


# Indexing


def embedding(tokens, table, positions):
    return F.embedding(tokens, table) + positions[: tokens.shape[-1]]


def gather_scatter(x, index):
    taken = x.gather(1, index)
    sums = torch.zeros_like(x).scatter_add(1, index, taken * 2)
    return sums, taken, x.scatter(1, index[:, :1], 7.0), x[index[:, 0] % x.shape[0]]


def index_put(x, rows, columns, values):
    changed = x.clone()
    changed[rows, columns] = 0.5
    return (
        changed,
        x.index_put((rows, columns), values, accumulate=True),
        x.index_add(0, rows, values[:, None] * x[rows]),
    )


def routing(x, gate):
    """Shares of a mixture of experts: the two best of each token, and the load of each expert."""
    shares = (x @ gate).softmax(-1)
    best, expert = shares.topk(2, dim=-1)
    best = best / best.sum(-1, keepdim=True)
    load = F.one_hot(expert, gate.shape[1]).sum((0, 1))
    return torch.zeros_like(shares).scatter(-1, expert, best), load


# Elementwise


def special(x, y):
    a, b = x.sin() * y.cos() + torch.atan2(x, y), x.erf() - torch.lgamma(y.abs() + 1)
    return (
        a,
        b,
        x.abs().pow(1.7) + x.abs().log1p(),
        torch.tan(x / 8).tanh(),
        torch.expm1(x) / y.cosh(),
    )


def whole_numbers(x, y):
    bits = (x ^ (x >> 7)) * 73_244_475 & 0xFFFF_FFFF
    return (
        x // y,
        x % y,
        torch.div(x, y, rounding_mode="trunc"),
        bits,
        (x << 3) | (y & 5),
        x.clamp(-5, 90),
    )


def shuffled(x):
    padded = F.pad(x, (1, 2, 3, 0), value=-1.0)
    return (
        padded.permute(0, 2, 3, 1).contiguous(),
        x.flip(-1).roll(3, -2),
        torch.stack([x, x.transpose(-1, -2).reshape(x.shape)], 1),
    )


def images(x):
    small = F.avg_pool2d(F.max_pool2d(x, 3, stride=2, padding=1), 2)
    return small, F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False)


def adamw(weight, gradient, first, second):
    first = first.lerp(gradient, 0.1)
    second = second * 0.99 + gradient * gradient * 0.01
    step = first / 0.1 / ((second.abs() / 0.01).sqrt() + 1e-8)
    return weight * (1 - 1e-4) - 1e-3 * step, first, second


def dropout(x):
    return F.dropout(x, 0.3)


def dropout_statistics(result, inputs):
    """Each element is dropped or scaled, and about the share asked for is dropped."""
    (x,) = inputs
    kept = result != 0
    if not torch.allclose(result[kept], x[kept] / 0.7):
        return "kept elements are not scaled by 1 / 0.7"
    share = kept.double().mean().item()
    spread = 6 * math.sqrt(0.3 * 0.7 / x.numel())
    if abs(share - 0.7) > spread:
        return f"{share:.4f} of the elements are kept, 0.7 ± {spread:.4f} wanted"
    neighbours = (kept[:, 1:] & kept[:, :-1]).double().mean().item()
    return (
        None
        if abs(neighbours - 0.49) < 2 * spread
        else f"neighbours are not independent: {neighbours:.4f}"
    )


def block_inputs(batch, length):
    torch.manual_seed(0)
    block = transformer.Block(width=256, heads=4)
    return [normal(batch, length, 256), *(p.detach() for p in block.parameters())]


def transformer_block(x, *parameters):
    block = transformer_block.module
    names = [name for name, _ in block.named_parameters()]
    return torch.func.functional_call(block, dict(zip(names, parameters)), (x,))


with torch.device("meta"):
    transformer_block.module = transformer.Block(width=256, heads=4)


def three(*shape, dtype=torch.float32):
    """x, and a weight and a bias as long as the second axis, or the last of two."""
    axis = 1
    return [
        normal(*shape, dtype=dtype),
        1 + normal(shape[axis], seed=1) / 4,
        normal(shape[axis], seed=2),
    ]


CASES = [
    Case("layer norm", layer_norm, lambda: three(1500, 1023), backward=True),
    Case(
        "RMS norm",
        rms_norm,
        lambda: [
            normal(1000, 1536, dtype=BRAIN),
            normal(1000, 1536, dtype=BRAIN, seed=1),
            normal(1536, dtype=BRAIN, seed=2),
        ],
        backward=True,
    ),
    Case("batch norm", batch_norm, lambda: three(16, 27, 33, 35), backward=True),
    Case("group norm", group_norm, lambda: three(7, 64, 28, 28)),
    Case(
        "attention",
        attention,
        lambda: [normal(2, 4, 333, 64, seed=k) for k in range(3)],
        backward=True,
    ),
    Case("windowed softmax", windowed_softmax, lambda: [normal(8, 500, 500), torch.arange(8) / 16]),
    Case("rotary embedding", transformer.rotate, lambda: [normal(4, 8, 511, 64)], backward=True),
    Case("SwiGLU", swiglu, lambda: [normal(700, 5504, dtype=BRAIN)], backward=True),
    Case(
        "GELU", gelu_bias, lambda: [normal(700, 3001, dtype=HALF), normal(3001, dtype=HALF, seed=1)]
    ),
    Case(
        "cross entropy",
        cross_entropy,
        lambda: [normal(300, 5003), integers(5003, 300)],
        backward=True,
    ),
    Case(
        "regression losses",
        regression_losses,
        lambda: [normal(999, 777), normal(999, 777, seed=1)],
        backward=True,
    ),
    Case(
        "distillation loss",
        distillation,
        lambda: [normal(500, 1001), normal(500, 1001, seed=1)],
        backward=True,
    ),
    Case("moments", moments, lambda: [1 + normal(31, 77, 129) / 9]),
    Case("extremes", extremes, lambda: [normal(777, 1001)]),
    Case("scans", scans, lambda: [normal(300, 777)]),
    Case("sort and top-k", ordered, lambda: [normal(400, 100)]),
    Case(
        "embedding",
        embedding,
        lambda: [integers(997, 8, 300), normal(997, 384), normal(512, 384, seed=1)],
        backward=True,
    ),
    Case(
        "gather and scatter",
        gather_scatter,
        lambda: [normal(400, 333), integers(333, 400, 111)],
        backward=True,
    ),
    Case(
        "index_put",
        index_put,
        lambda: [
            normal(500, 400),
            integers(500, 300),
            integers(400, 300, seed=1),
            normal(300, seed=2),
        ],
    ),
    Case("expert routing", routing, lambda: [normal(900, 128), normal(128, 16, seed=1)]),
    Case("special functions", special, lambda: [normal(300, 1001), normal(300, 1001, seed=1)]),
    Case(
        "whole numbers",
        whole_numbers,
        lambda: [integers(1 << 20, 500_001) - (1 << 19), 1 + integers(99, 500_001)],
    ),
    Case("pad, permute, roll", shuffled, lambda: [normal(6, 32, 65, 65)]),
    Case("pooling, resizing", images, lambda: [normal(4, 16, 65, 67)], backward=True),
    Case("AdamW step", adamw, lambda: [normal(999_999, seed=k) for k in range(4)]),
    Case("dropout", dropout, lambda: [1 + normal(700, 1001).abs()], statistics=dropout_statistics),
    Case(
        "softmax, dynamic batch",
        lambda x: (x * 0.5).softmax(-1),
        lambda: [normal(300, 1000)],
        dynamic=tuple([normal(n, 1000)] for n in (17, 2, 1025, 64)),
    ),
    Case(
        "layer norm, dynamic batch",
        layer_norm,
        lambda: three(300, 511),
        backward=True,
        dynamic=tuple(three(n, 511) for n in (31, 129, 2)),
    ),
    Case("transformer block", transformer_block, lambda: block_inputs(2, 200), backward=True),
]
