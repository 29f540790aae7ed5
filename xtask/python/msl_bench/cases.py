"""The cases: a kernel, its arguments at one size, and what PyTorch computes from them."""

import dataclasses
import math
from collections.abc import Callable

from . import kernels

SIZES = {"float32": 4, "float16": 2, "int8": 1, "int32": 4}
POINTERS = {"float32": "*fp32", "float16": "*fp16", "int8": "*i8", "int32": "*i32"}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """An array argument: random normal numbers, `below` a bound for integers, or a result."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    is_result: bool = False
    below: int = 2

    @property
    def nbytes(self):
        return math.prod(self.shape) * SIZES[self.dtype]


@dataclasses.dataclass(frozen=True)
class Case:
    """`arguments` by the names of the kernel's parameters; `expected` takes the tensors by name."""

    name: str
    kernel: Callable
    arguments: dict
    constants: dict
    programs: tuple[int, int]
    warps: int
    expected: Callable
    tolerance: float = 1e-5
    flops: int = 0
    #: Whether simdgroups multiply matrices.
    has_matrices: bool = True

    @property
    def bytes(self):
        tensors = [given for given in self.arguments.values() if isinstance(given, Tensor)]
        return sum(tensor.nbytes for tensor in tensors)

    def signature(self):
        """Types of all parameters as Triton writes them, and the values of the constants."""
        types = {}
        for name, given in self.arguments.items():
            if isinstance(given, Tensor):
                types[name] = POINTERS[given.dtype]
            else:
                types[name] = "fp32" if isinstance(given, float) else "i32"
        return types | {name: "constexpr" for name in self.constants}


def elementwise(name, kernel, length, inputs, expected, **more):
    block = 1024
    result = {"out": Tensor((length,), is_result=True)}
    return Case(
        name, kernel, inputs | result | {"length": length}, {"BLOCK": block},
        programs=(-(-length // block), 1), warps=4, expected=expected, **more,
    )  # fmt: skip


def by_rows(name, kernel, rows, columns, arguments, expected, block=None, **more):
    block = block or 1 << (columns - 1).bit_length()
    # As Triton's tutorial on layer norm chooses.
    warps = min(max(block // 256, 1), 8)
    return Case(name, kernel, arguments, {"BLOCK": block}, (rows, 1), warps, expected, **more)


def all_cases(shrink=1):
    """All cases, with fewer rows or elements by a factor for tools that slow kernels down."""
    length, rows = (1 << 26) // shrink, 16384 // shrink
    long = Tensor((length,))
    yield elementwise(
        "vector add", kernels.add, length, {"x": long, "y": long}, lambda t: t["x"] + t["y"]
    )
    yield elementwise(
        "masked copy", kernels.masked_copy, length,
        {"x": long, "chosen": Tensor((length,), "int8")},
        lambda t: t["x"] * t["chosen"],
    )  # fmt: skip
    yield elementwise(
        "GELU", kernels.gelu, length, {"x": long},
        lambda t: t["x"].double() * 0.5 * (1 + (t["x"].double() * math.sqrt(0.5)).erf()),
    )  # fmt: skip
    for n, columns in ((rows, 1024), (rows, 4096), (rows // 2, 12000)):
        matrix = Tensor((n, columns))
        yield by_rows(
            f"softmax {columns}", kernels.softmax, n, columns,
            {"x": matrix, "out": Tensor((n, columns), is_result=True), "columns": columns},
            lambda t: t["x"].double().softmax(1),
        )  # fmt: skip
    columns = 4096
    matrix, result = Tensor((rows, columns)), Tensor((rows, columns), is_result=True)
    vector, per_row = Tensor((columns,)), Tensor((rows,), is_result=True)
    yield by_rows(
        "layer norm", kernels.layer_norm, rows, columns,
        {"x": matrix, "weight": vector, "bias": vector, "out": result, "mean": per_row,
         "rstd": per_row, "columns": columns, "eps": 1e-5},
        lambda t: layer_norm(t["x"].double(), t["weight"].double(), t["bias"].double()),
    )  # fmt: skip
    yield by_rows(
        "row sum", kernels.row_sum, rows, columns,
        {"x": matrix, "out": per_row, "columns": columns}, lambda t: t["x"].double().sum(1),
    )  # fmt: skip
    half = Tensor((rows, columns), "float16")
    yield by_rows(
        "RMS norm f16", kernels.rms_norm, rows, columns,
        {"x": half, "weight": Tensor((columns,), "float16"),
         "out": Tensor((rows, columns), "float16", is_result=True), "columns": columns,
         "eps": 1e-6},
        lambda t: rms_norm(t["x"].double(), t["weight"].double()), tolerance=1e-3,
    )  # fmt: skip
    vocabulary, n = 32000, rows // 4
    yield by_rows(
        "cross entropy", kernels.cross_entropy, n, vocabulary,
        {"logits": Tensor((n, vocabulary)), "target": Tensor((n,), "int32", below=vocabulary),
         "loss": Tensor((n,), is_result=True), "columns": vocabulary},
        lambda t: cross_entropy(t["logits"].double(), t["target"].long()), block=4096,
    )  # fmt: skip
    yield matmul(4096 if shrink == 1 else 256)
    size = {"heads": 64, "length": 4096} if shrink == 1 else {"heads": 2, "length": 256}
    yield attention("attention f16", **size)
    yield attention("attention f16, no matrices", has_matrices=False, **size)


def matmul(n):
    half, blocks = Tensor((n, n), "float16"), {"BM": 128, "BN": 128, "BK": 32, "GROUP": 8}
    return Case(
        "matmul f16", kernels.matmul,
        {"a": half, "b": half, "c": Tensor((n, n), is_result=True), "n": n},
        blocks, (-(-n // 128) * -(-n // 128), 1), 8,
        # A sum of 4,096 products in f32.
        lambda t: t["a"].double() @ t["b"].double(), tolerance=3e-5, flops=2 * n**3,
    )  # fmt: skip


def attention(name, heads, length, width=64, **more):
    shape, scale = (heads, length, width), width**-0.5
    half = Tensor(shape, "float16")
    return Case(
        name, kernels.attention,
        {"q": half, "k": half, "v": half, "out": Tensor(shape, is_result=True),
         "length": length, "scale": scale},
        {"WIDTH": width, "BM": 64, "BN": 64}, (length // 64, heads), 4,
        lambda t: attend(t["q"].double(), t["k"].double(), t["v"].double(), scale),
        tolerance=2e-3, flops=4 * heads * length**2 * width, **more,
    )  # fmt: skip


def attend(q, k, v, scale):
    """A head at a time, as all scores together would take too much memory."""
    out = q.clone()
    for result, a, b, c in zip(out, q, k, v, strict=True):
        result.copy_((a @ b.T * scale).softmax(1) @ c)
    return out


def layer_norm(x, weight, bias):
    apart = x - x.mean(1, keepdim=True)
    return apart / (apart.square().mean(1, keepdim=True) + 1e-5).sqrt() * weight + bias


def rms_norm(x, weight):
    return x / (x.square().mean(1, keepdim=True) + 1e-6).sqrt() * weight


def cross_entropy(logits, target):
    return logits.logsumexp(1) - logits.gather(1, target[:, None])[:, 0]
