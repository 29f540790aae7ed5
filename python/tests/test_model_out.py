"""Results in arrays of the caller."""

import numpy as np
import pytest
from onnx_bytes import model, node, tensor_type, unary

import trident

TYPE = tensor_type("float32", ["N"])
SUM = model(
    [node("Add", ["x", "y"], ["z"]), node("Neg", ["x"], ["n"])],
    {"x": TYPE, "y": TYPE},
    {"z": TYPE, "n": TYPE},
)


def test_results_are_written_to_given_arrays(floats):
    run = trident.Model(SUM)
    x, y = floats(100), floats(100)
    z = np.zeros(100, np.float32)
    results = run.run({"x": x, "y": y}, out={"z": z})
    assert results["z"] is z and np.array_equal(z, x + y) and np.array_equal(results["n"], -x)
    assert run.copied_bytes == {"inputs": 0, "outputs": 0}
    # The array is the caller's own again.
    z += 1
    z.resize(200, refcheck=False)


def test_only_the_named_outputs_are_returned(floats):
    run = trident.Model(SUM)
    x = floats(8)
    assert list(run.run({"x": x, "y": x}, outputs=["n"])) == ["n"]
    z = np.zeros(8, np.float32)
    assert list(run.run({"x": x, "y": x}, ["n"], {"z": z})) == ["n"]
    assert np.array_equal(z, x + x)


def test_a_view_is_written_to_the_given_array(floats):
    ty = tensor_type("float32")
    run = trident.Model(model([node("Identity", ["x"], ["y"])], {"x": ty}, {"y": ty}))
    x, y = floats(10), np.zeros(10, np.float32)
    assert run.run({"x": x}, out={"y": y})["y"] is y
    assert np.array_equal(x, y)


def test_inputs_may_be_other_parts_of_an_array_that_is_written(floats):
    run = trident.Model(SUM)
    whole = np.concatenate([floats(64), np.zeros(64, np.float32)])
    run.run({"x": whole[:64], "y": whole[:64]}, out={"z": whole[64:]})
    assert np.array_equal(whole[64:], 2 * whole[:64])


@pytest.mark.parametrize(
    "out, text",
    [
        (
            lambda x: np.zeros(9, np.float32),
            "output `z`: it is f32.8., but its memory is for f32.9.",
        ),
        (lambda x: np.zeros(8, np.float64), "output `z`: it is f32.8., but its memory is for f64"),
        (lambda x: np.zeros(16, np.float32)[::2], "output `z`: its elements are not contiguous"),
        (lambda x: x, "output `z`: its memory overlaps that of input `x`"),
        (lambda x: x[4:], "output `z`: its memory overlaps that of input `x`"),
        (lambda x: np.zeros(8, ">f4"), "output `z`: its byte order"),
        (lambda x: np.frombuffer(bytes(33), np.uint8, 32, 1).view("V4"), "models take no arrays"),
        (lambda x: [0.0] * 8, "output `z`: it is a `list`, and an array is expected"),
    ],
)
def test_arrays_that_cannot_hold_the_result_are_refused(floats, out, text):
    run = trident.Model(SUM)
    x = floats(8)
    kept = x.copy()
    with pytest.raises(trident.ModelError, match=text) as caught:
        run.run({"x": x, "y": floats(8)}, out={"z": out(x)})
    assert caught.value.operand == "z"
    assert np.array_equal(x, kept)


def test_read_only_arrays_are_not_written(floats):
    run = trident.Model(SUM)
    x, z = floats(8), np.zeros(8, np.float32)
    z.flags.writeable = False
    with pytest.raises(trident.ModelError, match="output `z`: the array is read-only"):
        run.run({"x": x, "y": x}, out={"z": z})
    with pytest.raises(trident.ModelError, match="output `z`: the array is read-only"):
        run.run({"x": x, "y": x}, out={"z": memoryview(bytes(32)).cast("f")})
    assert not z.any()
    # They can be read.
    assert np.array_equal(run(z, x)[0], x)


def test_overlapping_results_are_refused(floats):
    run = trident.Model(SUM)
    x, whole = floats(8), np.zeros(12, np.float32)
    with pytest.raises(trident.ModelError, match="overlaps that of output"):
        run.run({"x": x, "y": x}, out={"z": whole[:8], "n": whole[4:]})


def test_misaligned_results_are_refused(floats):
    run = trident.Model(SUM)
    room = bytearray(33)
    odd = np.ndarray(8, np.float32, room, offset=1)
    x = floats(8)
    with pytest.raises(trident.ModelError, match="output `z`: .*not aligned"):
        run.run({"x": x, "y": x}, out={"z": odd})


def test_narrow_inputs_have_their_own_model():
    run = trident.Model(unary("Identity", "uint8"))
    y = bytearray(4)
    assert run.run({"x": bytes([1, 2, 3, 4])}, out={"y": y})["y"] is y
    assert y == bytes([1, 2, 3, 4])
