"""Dropout whose mask is never stored: a seed and the element's index give it again."""

import numpy as np
import triton
import triton.language as tl

import lab


@triton.jit
def dropout_kernel(x, out, length, probability, seed, BLOCK: tl.constexpr):
    """Keep an element if its Philox number is large enough, and scale what is kept."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < length
    values = tl.load(x + index, mask=inside)
    kept = tl.rand(seed, index) > probability
    tl.store(out + index, tl.where(kept, values / (1 - probability), 0.0), mask=inside)


def dropout(x, out, probability, seed, block=4096):
    """Zero each element with this probability."""
    length = x.shape[0]
    grid = (triton.cdiv(length, block),)
    dropout_kernel[grid](x, out, length, probability, seed, BLOCK=block)
    return out


def checks():
    length, probability = 100_003, 0.3
    x = lab.random(length)
    first = np.asarray(dropout(x, lab.empty(length), probability, seed=123))
    again = np.asarray(dropout(x, lab.empty(length), probability, seed=123, block=512))
    other = np.asarray(dropout(x, lab.empty(length), probability, seed=512))
    kept = first != 0
    scaled = np.asarray(x) / np.float32(1 - probability)
    lab.check("dropout of kept elements", first[kept], scaled[kept])
    lab.check("dropout with the same seed", again, first, tolerance=0)
    share, spread = 1 - kept.mean(), np.sqrt(probability * (1 - probability) / length)
    if abs(share - probability) > 5 * spread:
        raise SystemExit(f"dropout drops {share:.4f}, expected {probability} ± {5 * spread:.4f}")
    if np.array_equal(first, other):
        raise SystemExit("dropout with another seed drops the same elements")
    print(f"dropout of {length}: ok, dropped {share:.4f} of {probability}")


def benchmark():
    def make(length):
        x, out = lab.random(length), lab.empty(length)
        peer = lab.torch and (lambda: lab.torch.nn.functional.dropout(x, 0.3))
        return 8 * length, lambda: dropout(x, out, 0.3, 123), peer

    sizes = [2**k for k in range(12, 25)]
    lab.bench("dropout", "Dropout, f32", "elements", "GB/s", sizes, make)


if __name__ == "__main__":
    lab.main(checks, benchmark)
