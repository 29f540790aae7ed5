"""A transformer block under `torch.compile`: PyTorch's Inductor writes Triton kernels and Trident
compiles them. No C++ compiler is involved.
"""

import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Pre-norm attention and a gated feed-forward part, both with residuals."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.RMSNorm(width), nn.RMSNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 8 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        x = x + self.out(self.attend(self.norm1(x)))
        gate, value = self.up(self.norm2(x)).chunk(2, dim=-1)
        return x + self.down(functional.silu(gate) * value)

    def attend(self, x):
        batch, length, width = x.shape
        parts = self.qkv(x).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        q, k = rotate(q), rotate(k)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        shares = scores.masked_fill(future, -torch.inf).softmax(-1)
        return (shares @ v).transpose(1, 2).reshape(batch, length, width)


def rotate(x):
    """Rotary position embedding: each pair of channels turned by an angle that grows with the
    position."""
    length, width = x.shape[-2:]
    position = torch.arange(length, device=x.device, dtype=x.dtype)
    speed = torch.arange(0, width, 2, device=x.device, dtype=x.dtype).div(width)
    angle = position[:, None] * (10_000**-speed)
    cos, sin = angle.cos(), angle.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def compiled(function, backend="triton"):
    """The function as Inductor compiles it with this back end for the CPU."""
    return torch.compile(function, options={"cpu_backend": backend})


def train_step(block, x):
    """The output, and gradients of the sum of its squares."""
    out = block(x)
    return out, *torch.autograd.grad(out.square().mean(), list(block.parameters()))


def milliseconds(call, *arguments, rounds=15):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call(*arguments)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description="Check a compiled block; --bench also times it.")
    parser.add_argument("--bench", action="store_true", help="time a step beside PyTorch eager")
    options = parser.parse_args()
    torch.manual_seed(0)
    block = Block(width=256, heads=4)
    x = torch.randn(2, 128, 256)
    fast = compiled(block)
    for name, actual, expected in zip(
        ("output", *dict(block.named_parameters())), train_step(fast, x), train_step(block, x)
    ):
        error = ((actual - expected).abs().max() / expected.abs().max()).item()
        if not error < 1e-4:
            raise SystemExit(f"{name}: relative error {error:.1e}")
    print("transformer block: ok, output and gradients")
    if options.bench:
        for name, each in (("Triton on Trident", fast), ("PyTorch eager", block)):
            train_step(each, x)
            print(f"{name:>20}{milliseconds(train_step, each, x):>10.2f} ms a step")


if __name__ == "__main__":
    main()
