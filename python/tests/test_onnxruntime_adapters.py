"""ONNX Runtime's interface: adapters, files of tensors for a model's inputs. Each test also runs on
ONNX Runtime itself, where that is installed, and files of each are read by the other."""

import numpy as np
import pytest
from onnx_bytes import model, node, tensor_type
from onnxruntime_models import FLOATS, add, ones, ours, theirs

ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b ä": np.arange(3, dtype=np.int64),
    "empty": np.zeros((0, 4), np.float64),
    "half": np.array([[1.5]], np.float16),
    "odd": np.arange(7, dtype=np.uint8),
}
PAIRS = [(one, other) for one in (ours, theirs) for other in (ours, theirs)]
NAMES = ["ours-ours", "ours-theirs", "theirs-ours", "theirs-theirs"]
pairs = pytest.mark.parametrize("writer, reader", PAIRS, ids=NAMES)


def adapter(ort, arrays):
    made = ort.AdapterFormat()
    made.set_adapter_version(3)
    made.set_model_version(-7)
    make = ort.OrtValue.ortvalue_from_numpy
    made.set_parameters({name: make(array) for name, array in arrays.items()})
    return made


@pairs
@pytest.mark.parametrize("count", range(len(ARRAYS) + 1))
def test_files_of_one_are_read_by_the_other(writer, reader, count, tmp_path):
    if writer is None or reader is None:
        pytest.skip("onnxruntime is not installed")
    arrays = dict(list(ARRAYS.items())[:count])
    path = str(tmp_path / "a.onnx_adapter")
    adapter(writer, arrays).export_adapter(path)
    found = reader.AdapterFormat.read_adapter(path)
    versions = (found.get_format_version(), found.get_adapter_version(), found.get_model_version())
    assert versions == (1, 3, -7)
    parameters = found.get_parameters()
    assert parameters.keys() == arrays.keys()
    for name, array in arrays.items():
        assert parameters[name].numpy().dtype == array.dtype
        assert np.array_equal(parameters[name].numpy(), array)
        assert parameters[name].shape() == list(array.shape)


@pytest.mark.parametrize("array", [np.array(1.5, np.float32), np.array([True, False])])
def test_scalars_and_booleans_are_parameters_too(array, tmp_path):
    """ONNX Runtime does not read its own files with them."""
    path = str(tmp_path / "a.onnx_adapter")
    adapter(ours, {"scale": array}).export_adapter(path)
    found = ours.AdapterFormat.read_adapter(path).get_parameters()["scale"]
    assert found.shape() == list(array.shape)
    assert found.numpy().dtype == array.dtype and np.array_equal(found.numpy(), array)


def test_parameters_outlive_their_adapter_and_can_be_replaced(ort, tmp_path):
    path = str(tmp_path / "a.onnx_adapter")
    adapter(ort, ARRAYS).export_adapter(path)
    value = ort.AdapterFormat.read_adapter(path).get_parameters()["a"]
    assert np.array_equal(value.numpy(), ARRAYS["a"])
    read = ort.AdapterFormat.read_adapter(path)
    read.set_parameters({"new": ort.OrtValue.ortvalue_from_numpy(ones(4))})
    read.export_adapter(path)
    again = ort.AdapterFormat.read_adapter(path)
    assert list(again.get_parameters()) == ["new"] and again.get_adapter_version() == 3


def test_strings_are_refused_before_a_file_is_made(ort, tmp_path):
    texts = tensor_type("object", ["N", 3])
    data = model([node("Cast", ["x"], ["y"], to=8)], {"x": FLOATS}, {"y": texts})
    feed = {"x": ort.OrtValue.ortvalue_from_numpy(ones(1, 3))}
    (value,) = ort.InferenceSession(data).run_with_ort_values(["y"], feed)
    made = ort.AdapterFormat()
    made.set_parameters({"s": value})
    with pytest.raises(RuntimeError, match="STRING"):
        made.export_adapter(str(tmp_path / "a.onnx_adapter"))
    assert not (tmp_path / "a.onnx_adapter").exists()


def test_a_run_takes_parameters_as_inputs(ort, tmp_path):
    path = str(tmp_path / "a.onnx_adapter")
    adapter(ort, {"y": np.full((1, 3), 5, np.float32)}).export_adapter(path)
    lora = ort.LoraAdapter()
    lora.Load(path)
    options = ort.RunOptions()
    options.add_active_adapter(lora)
    session = ort.InferenceSession(add(np.zeros((1, 3), np.float32)))
    feed = {"x": ones(1, 3)}
    assert session.run(None, feed)[0].tolist() == [[1, 1, 1]]
    assert session.run(None, feed, options)[0].tolist() == [[6, 6, 6]]
    values = {"x": ort.OrtValue.ortvalue_from_numpy(ones(1, 3))}
    found = session.run_with_ort_values(None, values, options)
    assert found[0].numpy().tolist() == [[6, 6, 6]]
    assert session.run(None, feed)[0].tolist() == [[1, 1, 1]]


def test_what_is_wrong_with_adapters_is_said(tmp_path):
    path = str(tmp_path / "a.onnx_adapter")
    adapter(ours, {"y": ones(1, 3)}).export_adapter(path)
    lora, options = ours.LoraAdapter(), ours.RunOptions()
    with pytest.raises(RuntimeError, match="call its Load"):
        options.add_active_adapter(lora)
    with pytest.raises(TypeError, match="a LoraAdapter"):
        options.add_active_adapter(None)
    lora.Load(path)
    options.add_active_adapter(lora)
    session = ours.InferenceSession(add(np.zeros((1, 3), np.float32)))
    kind = ours.capi.onnxruntime_pybind11_state.InvalidArgument
    with pytest.raises(kind, match="input y has a value"):
        session.run(None, {"x": ones(1, 3), "y": ones(1, 3)}, options)
    with pytest.raises(kind, match="Invalid input name: y"):
        nodes = [node("Neg", ["x"], ["z"])]
        other = ours.InferenceSession(model(nodes, {"x": FLOATS}, {"z": FLOATS}))
        other.run(None, {"x": ones(1, 3)}, options)
    made = ours.AdapterFormat()
    with pytest.raises(TypeError, match="parameter a is an OrtValue"):
        made.set_parameters({"a": ones(1)})
    with pytest.raises(ValueError, match="32-bit"):
        made.set_adapter_version(2**31)
    with pytest.raises(RuntimeError, match="cannot write adapter"):
        made.export_adapter(tmp_path / "none" / "a")


def test_other_files_are_no_adapters(ort, tmp_path):
    path = tmp_path / "a.onnx_adapter"
    with pytest.raises(RuntimeError):
        ort.AdapterFormat.read_adapter(str(path))
    adapter(ort, ARRAYS).export_adapter(str(path))
    whole = path.read_bytes()
    for data in (b"", b"some other file", whole[: len(whole) // 2], whole[:9]):
        path.write_bytes(data)
        with pytest.raises(RuntimeError):
            ort.AdapterFormat.read_adapter(str(path))


@pytest.mark.parametrize("seed", range(300))
def test_damaged_adapters_are_errors_or_adapters(seed, tmp_path):
    random = np.random.default_rng(seed)
    path = tmp_path / "a.onnx_adapter"
    adapter(ours, ARRAYS).export_adapter(path)
    data = bytearray(path.read_bytes())
    for _ in range(random.integers(1, 5)):
        data[random.integers(len(data))] = random.integers(256)
    path.write_bytes(data)
    try:
        found = ours.AdapterFormat.read_adapter(path)
    except RuntimeError as error:
        assert "valid lora parameter format" in str(error)
    else:
        for value in found.get_parameters().values():
            assert value.numpy().nbytes == value.tensor_size_in_bytes()
