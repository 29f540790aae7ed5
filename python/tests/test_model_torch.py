"""Tensors of PyTorch as arguments of models and as memory for results."""

import numpy as np
import pytest
from onnx_bytes import unary
from random_arrays import COUNT, DTYPES, aligned, bits, random_array

import trident
import trident.onnxruntime as ort

torch = pytest.importorskip("torch")

#: Types of ml_dtypes that PyTorch has, too.
SHARED = [
    "bfloat16",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
]


def view_of(array, dtype):
    """A tensor over the memory of an array of random bits."""
    whole = array if dtype in DTYPES else array.view(f"u{array.itemsize}")
    tensor = torch.from_numpy(whole)
    return tensor if dtype in DTYPES else tensor.view(getattr(torch, dtype))


def elements(tensor):
    """The bytes of a tensor's elements in row-major order."""
    return bytes(
        tensor.reshape(-1).clone(memory_format=torch.contiguous_format).view(torch.uint8).numpy()
    )


def random_tensor(rng, dtype):
    array = aligned(random_array(rng, dtype, int(rng.integers(0, 4))))
    tensor = view_of(array, dtype)
    match int(rng.integers(6)):
        case 1:
            return tensor.permute(rng.permutation(tensor.ndim).tolist())
        case 2:
            return tensor.expand(3, *tensor.shape)
        case 3 if tensor.ndim:
            return tensor[::2]
        case 4 if tensor.ndim:
            return tensor[1:]
    return tensor


@pytest.mark.parametrize("dtype", DTYPES + SHARED)
def test_random_tensors_come_back_bit_by_bit(dtype):
    rng = np.random.default_rng(1)
    run = trident.Model(unary("Identity", dtype))
    for _ in range(COUNT):
        x = random_tensor(rng, dtype)
        before = run.copied_bytes["inputs"]
        y = run(x)
        copied = run.copied_bytes["inputs"] - before
        assert copied == (0 if x.is_contiguous() else x.numel() * x.element_size())
        back = view_of(y, dtype)
        assert back.dtype == x.dtype and back.shape == x.shape and elements(back) == elements(x)
        assert back.data_ptr() == y.ctypes.data or not y.size
        # The tensor lies in the result's memory, and a model reads it there.
        assert bits(run(back)) == bits(y)


def test_results_become_tensors_without_a_copy(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = torch.from_numpy(floats(3, 4))
    y = run(x)
    for tensor in (torch.from_dlpack(y), torch.from_numpy(y), torch.as_tensor(y)):
        assert tensor.data_ptr() == y.ctypes.data and torch.equal(tensor, -x)
    assert run.copied_bytes == {"inputs": 0, "outputs": 0}


def test_results_are_written_to_tensors(floats):
    run = trident.Model(unary("Neg", "float32"))
    x, y = torch.from_numpy(floats(3, 4)), torch.zeros(3, 4)
    assert run.run({"x": x}, out={"y": y})["y"] is y and torch.equal(y, -x)
    with pytest.raises(trident.ModelError, match="its elements are not contiguous"):
        run.run({"x": x}, out={"y": torch.zeros(4, 3).T})
    with pytest.raises(trident.ModelError, match="overlaps that of input `x`"):
        run.run({"x": x}, out={"y": x})
    with pytest.raises(trident.ModelError, match=r"output `y`: it requires .*tensor.detach\(\)"):
        run.run({"x": x}, out={"y": torch.zeros(3, 4, requires_grad=True)})


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: torch.ones(3, requires_grad=True), r"requires a gradient.*tensor.detach\(\)"),
        (lambda: torch.nn.Parameter(torch.ones(3)), r"requires a gradient.*tensor.detach\(\)"),
        (lambda: torch.ones(3, device="meta"), "it is on the device `meta`"),
        (lambda: torch.ones(3, 3).to_sparse(), r"layout is `torch.sparse_coo`.*to_dense\(\)"),
        (lambda: torch.ones(3, 3).to_sparse_csr(), "layout is `torch.sparse_csr`"),
        (lambda: torch.ones(3, dtype=torch.complex32), "type code 5 with 32 bits"),
        (lambda: torch.ones(3, dtype=torch.int32), "element type i32, expected f32"),
    ],
)
def test_tensors_that_cannot_be_read_are_refused(make, text):
    run = trident.Model(unary("Neg", "float32"))
    with pytest.raises(trident.ModelError, match=f"input `x`.*{text}") as caught:
        run(make())
    assert caught.value.operand == "x" and caught.value.kind == "argument"
    session = ort.InferenceSession(unary("Neg", "float32"))
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument):
        session.run(None, {"x": make()})


def test_negated_and_conjugated_views_are_read_as_pytorch_reads_them(floats):
    parts = torch.from_numpy(floats(3, 4, 2))
    conjugate = torch.view_as_complex(parts).conj()
    negated = conjugate.imag
    assert negated.is_neg() and conjugate.is_conj()
    run = trident.Model(unary("Neg", "float32"))
    for tensor in (negated, negated[1:], torch._neg_view(parts)):
        before = run.copied_bytes["inputs"]
        assert np.array_equal(run(tensor), -tensor.resolve_neg().numpy())
        assert run.copied_bytes["inputs"] - before == tensor.numel() * 4
    same = trident.Model(unary("Identity", "complex64"))
    for tensor in (conjugate, torch._neg_view(conjugate)):
        assert np.array_equal(same(tensor), tensor.resolve_conj().resolve_neg().numpy())
    session = ort.InferenceSession(unary("Neg", "float32"))
    assert np.array_equal(session.run(None, {"x": negated})[0], -negated.resolve_neg().numpy())


def test_results_are_not_written_to_negated_and_conjugated_views(floats):
    run = trident.Model(unary("Neg", "float32"))
    x, y = floats(3, 4), torch.zeros(3, 4)
    with pytest.raises(trident.ModelError, match="output `y`: it is a negated view"):
        run.run({"x": x}, out={"y": torch._neg_view(y)})
    conjugate = torch.zeros(3, dtype=torch.complex64).conj()
    same = trident.Model(unary("Identity", "complex64"))
    with pytest.raises(trident.ModelError, match="output `y`: it is a conjugated view"):
        same.run({"x": np.zeros(3, np.complex64)}, out={"y": conjugate})
    assert not y.any()
    for view in (torch._neg_view(y), conjugate):
        with pytest.raises(RuntimeError, match="view, whose memory has other numbers"):
            ort.OrtValue.from_dlpack(view)


def test_tensors_may_be_freed_once_they_are_given(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = floats(100_000)
    for _ in range(50):
        assert np.array_equal(run(torch.from_numpy(x).clone()), -x)
