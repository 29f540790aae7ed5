"""ONNX Runtime's interface: initializers that a program replaces, data files, and models that are
written. Each test also runs on ONNX Runtime itself, where that is installed."""

import os
import re

import numpy as np
import pytest
from onnx_bytes import model, node, tensor
from onnxruntime_models import FLOATS, ours, state

from trident.onnxruntime import data_files, model_file, wire

WEIGHTS = np.arange(12, dtype=np.float32).reshape(4, 3)
X = np.ones((2, 3), np.float32)
NAME = "w"


def scaled(initializer=None):
    """``x`` times the sum of the rows of ``w``, which is an initializer."""
    nodes = [
        node("ReduceSum", [NAME, "axes"], ["sum"], keepdims=0),
        node("Mul", ["x", "sum"], ["y"]),
    ]
    stored = [initializer or tensor(NAME, WEIGHTS), tensor("axes", np.array([0], np.int64))]
    return model(nodes, {"x": FLOATS}, {"y": FLOATS}, stored)


def external(name=NAME, location="w.bin", offset=0, array=WEIGHTS):
    """An initializer whose elements are in a data file."""
    found = model_file.read_tensor(memoryview(tensor(name, array)))
    return model_file.external(found, location, offset, array.nbytes)


def result(session):
    return session.run(None, {"x": X})[0].tolist()


EXPECTED = [WEIGHTS.sum(0).tolist()] * 2
OTHER = np.full((4, 3), 2, np.float32)


def value(ort, array):
    return ort.OrtValue.ortvalue_from_numpy(array)


@pytest.mark.parametrize("by", ["path", "bytes"])
def test_an_initializer_is_replaced(ort, tmp_path, by):
    path = tmp_path / "m.onnx"
    path.write_bytes(scaled())
    options, kept = ort.SessionOptions(), value(ort, OTHER)
    # Otherwise ONNX Runtime folds the sum of the old initializer.
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.add_initializer(NAME, kept)
    session = ort.InferenceSession(str(path) if by == "path" else scaled(), options)
    assert result(session) == [[8, 8, 8]] * 2
    assert result(ort.InferenceSession(scaled())) == EXPECTED


@pytest.mark.parametrize("wrong", [np.ones((3, 4), np.float32), np.ones((4, 3), np.float64)])
def test_a_replacement_has_the_type_and_shape_of_the_initializer(wrong):
    # ONNX Runtime computes with it, or crashes.
    options = ours.SessionOptions()
    options.add_initializer(NAME, value(ours, wrong))
    shape = re.escape(str(list(wrong.shape)))
    with pytest.raises(state(ours).InvalidArgument, match=rf"\[4, 3\].*{shape}"):
        ours.InferenceSession(scaled(), options)


def test_external_initializers_need_no_file(ort, tmp_path):
    (tmp_path / "m.onnx").write_bytes(scaled(external()))
    with pytest.raises(state(ort).Fail):
        ort.InferenceSession(str(tmp_path / "m.onnx"))
    options, kept = ort.SessionOptions(), value(ort, OTHER)
    options.add_external_initializers([NAME], [kept])
    assert result(ort.InferenceSession(str(tmp_path / "m.onnx"), options)) == [[8, 8, 8]] * 2


def test_data_files_are_given_in_memory(ort, tmp_path):
    (tmp_path / "m.onnx").write_bytes(scaled(external(offset=8)))
    options = ort.SessionOptions()
    content = b"8 bytes." + WEIGHTS.tobytes() + b"more"
    options.add_external_initializers_from_files_in_memory(["w.bin"], [content], [len(content)])
    assert result(ort.InferenceSession(str(tmp_path / "m.onnx"), options)) == EXPECTED
    short = ort.SessionOptions()
    short.add_external_initializers_from_files_in_memory(["w.bin"], [content], [20])
    with pytest.raises(Exception, match="NNXRuntimeError"):
        ort.InferenceSession(str(tmp_path / "m.onnx"), short)
    with pytest.raises(RuntimeError):
        short.add_external_initializers_from_files_in_memory(["w.bin"], [], [1])


def test_bytes_of_a_model_find_data_files_in_a_folder(ort, tmp_path):
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    options = ort.SessionOptions()
    key = "session.model_external_initializers_file_folder_path"
    options.add_session_config_entry(key, str(tmp_path))
    assert result(ort.InferenceSession(scaled(external()), options)) == EXPECTED


@pytest.mark.parametrize("location", ["../w.bin", "/w.bin", "link"])
def test_data_files_are_in_the_models_folder(ort, tmp_path, location):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    (folder / "link").symlink_to(tmp_path / "w.bin")
    location = str(tmp_path / "w.bin") if location == "/w.bin" else location
    (folder / "m.onnx").write_bytes(scaled(external(location=location)))
    with pytest.raises(Exception, match="NNXRuntimeError"):
        ort.InferenceSession(str(folder / "m.onnx"))
    if ort is ours:  # The same when the file is rewritten.
        options = ort.SessionOptions()
        options.add_initializer("axes", value(ort, np.array([0], np.int64)))
        with pytest.raises(state(ort).Fail, match="External data path validation failed"):
            ort.InferenceSession(str(folder / "m.onnx"), options)


def test_data_files_beside_a_linked_model_are_in_the_folder_of_its_target(ort, tmp_path):
    """Caches of downloads keep files in one folder, and links to them in another."""
    for folder in ("kept", "shown", "elsewhere"):
        (tmp_path / folder).mkdir()
    (tmp_path / "kept" / "1").write_bytes(scaled(external()))
    (tmp_path / "shown" / "m.onnx").symlink_to(tmp_path / "kept" / "1")
    for folder, works in (("kept", True), ("elsewhere", False)):
        (tmp_path / folder / "2").write_bytes(WEIGHTS.tobytes())
        link = tmp_path / "shown" / "w.bin"
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / folder / "2")
        if works:
            assert result(ort.InferenceSession(str(tmp_path / "shown" / "m.onnx"))) == EXPECTED
        else:
            with pytest.raises(state(ort).Fail, match="External data path validation failed"):
                ort.InferenceSession(str(tmp_path / "shown" / "m.onnx"))


def test_dimensions_are_fixed_by_their_denotation(ort):
    dims = [wire.data(1, wire.data(2, "N") + wire.data(3, "BATCH")), wire.data(1, b"\x08\x03")]
    shape = wire.data(1, wire.integer(1, 1) + wire.data(2, b"".join(dims)))
    data = model([node("Neg", ["x"], ["y"])], {"x": shape}, {"y": FLOATS})
    assert ort.InferenceSession(data).get_inputs()[0].shape == ["N", 3]
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_denotation("BATCH", 2)
    options.add_free_dimension_override_by_denotation("OTHER", 7)
    session = ort.InferenceSession(data, options)
    assert session.get_inputs()[0].shape == [2, 3]
    assert session.run(None, {"x": X})[0].tolist() == [[-1, -1, -1]] * 2
    with pytest.raises(state(ort).InvalidArgument):
        session.run(None, {"x": np.ones((4, 3), np.float32)})


FILE = "session.optimized_model_external_initializers_file_name"
LEAST = "session.optimized_model_external_initializers_min_size_in_bytes"


def placed(path):
    """The initializers of a file that are in data files, by name: their places."""
    found = model_file.tensors(memoryview(path.read_bytes()))
    return {each.name: each.entries for each in found if each.is_external}


def test_the_written_model_has_initializers_in_a_file(ort, tmp_path):
    (tmp_path / "there").mkdir()
    path = tmp_path / "there" / "written.onnx"
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = str(path)
    options.add_session_config_entry(FILE, "weights.bin")
    options.add_session_config_entry(LEAST, "48")
    assert result(ort.InferenceSession(scaled(), options)) == EXPECTED
    assert placed(path).keys() == {NAME} and placed(path)[NAME]["location"] == "weights.bin"
    assert result(ort.InferenceSession(str(path))) == EXPECTED
    # From there to a file that stands for itself.
    again = ort.SessionOptions()
    again.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    again.optimized_model_filepath = str(tmp_path / "again.onnx")
    again.add_session_config_entry(FILE, "again.bin")
    again.add_session_config_entry(LEAST, "1000")
    assert result(ort.InferenceSession(str(path), again)) == EXPECTED
    path.unlink(), (tmp_path / "there" / "weights.bin").unlink()
    assert result(ort.InferenceSession(str(tmp_path / "again.onnx"))) == EXPECTED
    assert sorted(os.listdir(tmp_path / "there")) == []


def test_without_a_file_the_written_model_stands_for_itself(ort, tmp_path):
    """The model is written with the elements of its data files, which another folder lacks."""
    (tmp_path / "there").mkdir()
    (tmp_path / "w.bin").write_bytes(WEIGHTS.tobytes())
    (tmp_path / "m.onnx").write_bytes(scaled(external()))
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "there" / "written.onnx")
    assert result(ort.InferenceSession(str(tmp_path / "m.onnx"), options)) == EXPECTED
    (tmp_path / "w.bin").unlink()
    assert result(ort.InferenceSession(options.optimized_model_filepath)) == EXPECTED


def test_names_of_written_data_files_stay_in_the_folder(tmp_path):
    for name in ("../weights.bin", str(tmp_path / "weights.bin")):
        options = ours.SessionOptions()
        options.optimized_model_filepath = str(tmp_path / "written.onnx")
        options.add_session_config_entry(FILE, name)
        with pytest.raises(state(ours).Fail, match="relative to the model's folder"):
            ours.InferenceSession(scaled(), options)
    options = ours.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "written.onnx")
    options.add_session_config_entry(FILE, "weights.bin")
    options.add_session_config_entry(LEAST, "many")
    with pytest.raises(state(ours).Fail, match="many is not a number of bytes"):
        ours.InferenceSession(scaled(), options)
    assert list(tmp_path.iterdir()) == []


def test_models_are_compiled_to_files_bytes_and_streams(ort, tmp_path):
    (tmp_path / "m.onnx").write_bytes(scaled())
    options, path = ort.SessionOptions(), str(tmp_path / "compiled.onnx")
    for source in (str(tmp_path / "m.onnx"), scaled()):
        compiler = ort.ModelCompiler(options, source)
        compiler.compile_to_file(path)
        assert result(ort.InferenceSession(path)) == EXPECTED
        assert result(ort.InferenceSession(compiler.compile_to_bytes())) == EXPECTED
        parts = []
        compiler.compile_to_stream(lambda part, parts=parts: parts.append(bytes(part)))
        assert result(ort.InferenceSession(b"".join(parts))) == EXPECTED

    def fail(part):
        raise ValueError("the disk is full")

    with pytest.raises(state(ort).Fail, match="the disk is full"):
        compiler.compile_to_stream(fail)


def test_compilers_tell_what_is_wrong(ort, tmp_path):
    options = ort.SessionOptions()
    for wrong, kind in ((b"", ValueError), ("", ValueError), (3, TypeError)):
        with pytest.raises(kind):
            ort.ModelCompiler(options, wrong)
    with pytest.raises(ValueError, match="Cannot initialize ModelCompiler with both"):
        ort.ModelCompiler(
            options,
            scaled(),
            external_initializers_file_path="w.bin",
            get_initializer_location_func=lambda *_: None,
        )
    with pytest.raises(state(ort).InvalidArgument, match="does not exist"):
        ort.ModelCompiler(options, str(tmp_path / "none.onnx")).compile_to_bytes()
    with pytest.raises(Exception, match="NNXRuntimeError"):
        ort.ModelCompiler(options, b"no model").compile_to_bytes()
    with pytest.raises(state(ort).InvalidArgument):
        ort.ModelCompiler(options, scaled()).compile_to_file(str(tmp_path / "none" / "m.onnx"))
    flags = ort.OrtCompileApiFlags
    path = tmp_path / "m.onnx"
    with pytest.raises(state(ort).Fail, match="Unable to compile any nodes"):
        compiler = ort.ModelCompiler(options, scaled(), flags=flags.ERROR_IF_NO_NODES_COMPILED)
        compiler.compile_to_file(str(path))
    assert not path.exists()
    path.write_bytes(b"already")
    with pytest.raises(state(ort).Fail, match="exists already"):
        compiler = ort.ModelCompiler(options, scaled(), flags=flags.ERROR_IF_OUTPUT_FILE_EXISTS)
        compiler.compile_to_file(str(path))
    assert path.read_bytes() == b"already"


def test_a_function_decides_where_initializers_are(ort, tmp_path):
    (tmp_path / "w.bin").write_bytes(b"8 bytes." + WEIGHTS.tobytes())
    (tmp_path / "m.onnx").write_bytes(scaled(external(offset=8)))
    seen = {}

    def locate(name, value, known):
        seen[name] = (value.numpy().copy(), known)
        if known is not None:
            assert (known.filepath, known.file_offset, known.byte_size) == ("w.bin", 8, 48)
            return ort.OrtExternalInitializerInfo("new.bin", 16, known.byte_size)
        return None

    compiler = ort.ModelCompiler(
        ort.SessionOptions(), str(tmp_path / "m.onnx"), get_initializer_location_func=locate
    )
    compiler.compile_to_file(str(tmp_path / "compiled.onnx"))
    assert seen.keys() == {NAME, "axes"} and seen["axes"][1] is None
    assert np.array_equal(seen[NAME][0], WEIGHTS) and seen["axes"][0].tolist() == [0]
    (tmp_path / "new.bin").write_bytes(bytes(16) + WEIGHTS.tobytes())
    assert placed(tmp_path / "compiled.onnx")[NAME]["offset"] == "16"
    assert result(ort.InferenceSession(str(tmp_path / "compiled.onnx"))) == EXPECTED

    def fail(name, value, known):
        raise ValueError("no room")

    compiler = ort.ModelCompiler(ort.SessionOptions(), scaled(), get_initializer_location_func=fail)
    with pytest.raises(state(ort).Fail, match="no room"):
        compiler.compile_to_bytes()


def test_initializers_above_a_size_are_in_a_file(ort, tmp_path):
    compiler = ort.ModelCompiler(
        ort.SessionOptions(),
        scaled(),
        external_initializers_file_path="weights.bin",
        external_initializers_size_threshold=20,
    )
    compiler.compile_to_file(str(tmp_path / "compiled.onnx"))
    assert placed(tmp_path / "compiled.onnx").keys() == {NAME}
    assert result(ort.InferenceSession(str(tmp_path / "compiled.onnx"))) == EXPECTED


def test_a_name_that_ends_in_mps_gets_the_model_compiled(tmp_path):
    path = str(tmp_path / "compiled.mps")
    flags = ours.OrtCompileApiFlags.ERROR_IF_NO_NODES_COMPILED
    ours.ModelCompiler(ours.SessionOptions(), scaled(), flags=flags).compile_to_file(path)
    assert result(ours.InferenceSession(path)) == EXPECTED
    options = ours.SessionOptions()
    options.add_external_initializers_from_files_in_memory(["w.bin"], [b"x"], [1])
    with pytest.raises(state(ours).InvalidArgument, match="compiled by Trident"):
        ours.InferenceSession(path, options)


TYPED = [
    (1, 4, np.array([1.5, -2, 3e38], np.float32)),
    (11, 10, np.array([1.5, -2, 1e300])),
    (7, 7, np.array([-(2**63), -1, 5], np.int64)),
    (13, 11, np.array([0, 2**64 - 1], np.uint64)),
    (12, 11, np.array([0, 2**32 - 1], np.uint32)),
    (6, 5, np.array([-(2**31), -1, 7], np.int32)),
    (3, 5, np.array([-128, -1, 127], np.int8)),
    (2, 5, np.array([0, 255], np.uint8)),
    (9, 5, np.array([True, False])),
    (10, 5, np.array([1.5, -0.25], np.float16)),
]


@pytest.mark.parametrize("number, field, array", TYPED)
@pytest.mark.parametrize("packed", [True, False])
def test_elements_are_read_from_the_fields_of_their_type(number, field, array, packed):
    """The fields are made by another encoder than the one that is tested."""
    stored = array.view(np.uint16) if array.dtype == np.float16 else array
    if field in (4, 10):
        kind, parts = (5, 4) if field == 4 else (1, 8), stored.tobytes()
        single = [parts[i : i + kind[1]] for i in range(0, len(parts), kind[1])]
        loose = b"".join(bytes([field << 3 | kind[0]]) + part for part in single)
        together = parts
    else:
        single = [wire.integer(1, int(each))[1:] for each in stored]
        loose = b"".join(bytes([field << 3]) + each for each in single)
        together = b"".join(single)
    head = wire.integer(1, len(array)) + wire.integer(2, number)
    message = head + (wire.data(field, together) if packed else loose)
    found = model_file.read_tensor(memoryview(message))
    data = data_files.elements(found)
    assert data == array.tobytes() and data_files.size(found) == array.nbytes
    assert np.array_equal(data_files.value(found, data).numpy(), array)


def test_rewriting_keeps_everything_else():
    unknown = wire.data(900, "of another program") + wire.integer(901, 2**64 - 1)
    data = scaled() + unknown
    kept = model_file.rewrite(memoryview(data), lambda tensor, path: None)
    assert kept == data
    other = tensor(NAME, OTHER)
    found = model_file.rewrite(
        memoryview(data), lambda tensor, path: other if tensor.name == NAME else None
    )
    assert found == scaled(other) + unknown


@pytest.mark.parametrize("seed", range(200))
def test_damaged_files_are_errors(seed):
    random = np.random.default_rng(seed)
    data = bytearray(scaled(external()))
    for _ in range(random.integers(1, 4)):
        data[random.integers(len(data))] = random.integers(256)
    data = bytes(data[: random.integers(len(data) // 2, len(data) + 1)])
    options = ours.SessionOptions()
    options.add_initializer(NAME, value(ours, OTHER))
    try:
        session = ours.InferenceSession(data, options)
        session.run(None, {"x": X})
    except Exception as error:
        assert "NNXRuntimeError" in str(error) or isinstance(error, ValueError), repr(error)
