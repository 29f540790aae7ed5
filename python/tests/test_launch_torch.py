"""Tensors of PyTorch as arguments of kernels."""

import pytest
import triton
import triton.language as tl

import trident

torch = pytest.importorskip("torch")


@triton.jit
def copy_kernel(x, out, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=0), mask=i < n)


@triton.jit
def copy_pair_kernel(pair, n, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(pair[1] + i, tl.load(pair[0] + i, mask=i < n, other=0), mask=i < n)


def test_negated_views_of_pytorch_are_refused():
    numbers = torch.complex(torch.zeros(16), torch.arange(16.0))
    view, out = numbers.conj().imag, torch.zeros(16)
    assert view.is_neg() and view.tolist() == [-float(i) for i in range(16)]
    text = (
        "`x` is a negated view, whose memory has the opposite numbers; pass a copy, x.resolve_neg()"
    )
    parameter = torch.nn.Parameter(view, requires_grad=False)
    for negated in (view, view[::2], parameter):
        with pytest.raises(ValueError) as raised:
            copy_kernel[(1,)](negated, out, 8, N=16)
        assert text in str(raised.value)
    with pytest.raises(ValueError, match="`out` is a negated view"):
        copy_kernel[(1,)](out, torch._neg_view(torch.zeros(16)), 16, N=16)
    with pytest.raises(ValueError, match="is a negated view"):
        copy_pair_kernel[(1,)]((view, out), 16, N=16)
    with pytest.raises(ValueError, match="is a negated view"):
        trident.address(view)
    assert not out.any()
    copy_kernel[(1,)](view.resolve_neg(), out, 16, N=16)
    assert torch.equal(out, view)
    with pytest.raises(TypeError, match="complex"):
        copy_kernel[(1,)](numbers.conj(), out, 16, N=16)
