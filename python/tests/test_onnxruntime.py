"""ONNX Runtime's interface: sessions, their options, their errors. Each test also runs on ONNX
Runtime itself, where that is installed."""

import pathlib
import warnings

import numpy as np
import pytest
from onnx_bytes import model, node
from onnxruntime_models import FLOATS, add, ones, ours, pair, same, state, two


def test_a_session_runs_and_describes_itself(ort):
    session = ort.InferenceSession(add())
    x, y = session.get_inputs()
    (z,) = session.get_outputs()
    assert (x.name, x.type, x.shape) == ("x", "tensor(float)", ["N", 3])
    assert (y.name, y.type, y.shape) == ("y", "tensor(float)", [None, 3])
    assert (z.name, z.type, z.shape) == ("z", "tensor(float)", ["N", 3])
    assert str(x) == "NodeArg(name='x', type='tensor(float)', shape=['N', 3])"
    (result,) = session.run(None, {"x": ones(2, 3), "y": ones(2, 3)})
    assert result.dtype == np.float32 and np.array_equal(result, 2 * ones(2, 3))
    meta = session.get_modelmeta()
    assert meta.producer_name == "tests" and meta.custom_metadata_map == {"key": "text"}
    assert meta.domain == "" and meta.description == "" and meta.graph_description == ""
    assert meta.graph_name == "g" and meta.version == 2**63 - 1
    assert session.get_overridable_initializers() == []
    assert isinstance(session.get_session_options(), ort.SessionOptions)


@pytest.mark.parametrize("kind", [str, pathlib.Path, bytes])
def test_models_come_from_paths_and_bytes(ort, kind, tmp_path):
    file = tmp_path / "add.onnx"
    file.write_bytes(add())
    session = ort.InferenceSession(file.read_bytes() if kind is bytes else kind(file))
    assert [value.name for value in session.get_inputs()] == ["x", "y"]


def test_outputs_are_chosen_by_name_and_in_any_order(ort):
    session = ort.InferenceSession(two())
    x = -ones(2, 3)
    minus, size = session.run(None, {"x": x})
    assert np.array_equal(minus, -x) and np.array_equal(size, abs(x))
    for names in (["size", "minus"], ("size", "minus")):
        first, second = session.run(names, {"x": x})
        assert np.array_equal(first, size) and np.array_equal(second, minus)
    assert len(session.run([], {"x": x})) == 2
    assert len(session.run(["size", "size"], {"x": x})) == 2
    with pytest.raises(TypeError):
        session.run("size", {"x": x})


@pytest.mark.parametrize(
    "dtype",
    "float32 float64 float16 int64 int32 int16 int8 uint64 uint32 uint16 uint8 bool object".split(),
)
def test_types_have_the_names_of_the_interface(ort, dtype):
    session = ort.InferenceSession(same(dtype))
    names = {"float32": "float", "float64": "double", "object": "string"}
    assert session.get_inputs()[0].type == f"tensor({names.get(dtype, dtype)})"
    x = np.array(["a", "ü"], object) if dtype == "object" else np.array([0, 1]).astype(dtype)
    (y,) = session.run(None, {"x": x})
    assert y.dtype == x.dtype and y.tolist() == x.tolist()


def test_sequences_are_lists(ort):
    session = ort.InferenceSession(pair())
    assert session.get_outputs()[0].type == "seq(tensor(float))"
    (both,) = session.run(None, {"x": ones(1, 3)})
    assert isinstance(both, list) and len(both) == 2 and np.array_equal(both[0], ones(1, 3))


def test_strided_arrays_and_lists_are_inputs(ort):
    session = ort.InferenceSession(add())
    wide = np.arange(12, dtype=np.float32).reshape(2, 6)
    (z,) = session.run(None, {"x": wide[:, ::2], "y": [[1.0, 2.0, 3.0]]})
    assert np.array_equal(z, wide[:, ::2] + np.array([1, 2, 3], np.float32))


def test_inputs_with_values_in_the_model_may_be_left_out(ort):
    session = ort.InferenceSession(add(np.array([[1, 2, 3]], np.float32)))
    assert [value.name for value in session.get_inputs()] == ["x"]
    (default,) = session.get_overridable_initializers()
    assert default.name == "y" and default.type == "tensor(float)"
    (z,) = session.run(None, {"x": ones(1, 3)})
    assert z.tolist() == [[2, 3, 4]]
    (z,) = session.run(None, {"x": ones(1, 3), "y": ones(1, 3)})
    assert z.tolist() == [[2, 2, 2]]


def bad_runs():
    good = {"x": ones(2, 3), "y": ones(2, 3)}
    yield "type", {**good, "x": ones(2, 3, dtype=np.float64)}, ["double", "float"]
    yield "strings", {**good, "x": np.array([["a", "b", "c"]])}, ["string", "float"]
    yield "rank", {**good, "x": ones(3)}, ["rank", "x Got: 1 Expected: 2"]
    yield "size", {**good, "y": ones(2, 2)}, ["y", "index: 1 Got: 2 Expected: 3"]
    yield "name", {**good, "q": ones(1)}, ["Invalid input name", "q"]


@pytest.mark.parametrize(
    ("feed", "facts"), [pytest.param(*rest, id=name) for name, *rest in bad_runs()]
)
def test_arguments_that_do_not_fit_are_named(ort, feed, facts):
    session = ort.InferenceSession(add())
    with pytest.raises(state(ort).InvalidArgument) as caught:
        session.run(None, feed)
    text = str(caught.value)
    assert text.startswith("[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : ")
    assert all(fact in text for fact in facts)
    # The session can still be used.
    assert len(session.run(None, {"x": ones(1, 3), "y": ones(1, 3)})) == 1


def test_missing_inputs_and_unknown_outputs_are_errors(ort):
    session = ort.InferenceSession(add())
    with pytest.raises(ValueError, match=r"Required inputs \(\['y'\]\) are missing"):
        session.run(None, {"x": ones(1, 3)})
    with pytest.raises(state(ort).InvalidArgument, match="Invalid output name"):
        session.run(["q"], {"x": ones(1, 3), "y": ones(1, 3)})
    with pytest.raises(RuntimeError, match="Unable to handle object of type"):
        session.run(None, {"x": 1.0, "y": ones(1, 3)})


def test_a_node_that_fails_is_named(ort):
    session = ort.InferenceSession(add())
    with pytest.raises(state(ort).Fail, match="FAIL : Non-zero status code .* Name:'sum'"):
        session.run(None, {"x": ones(2, 3), "y": ones(4, 3)})


def test_files_that_are_no_models_have_errors_of_their_own(ort, tmp_path):
    errors = state(ort)
    with pytest.raises(errors.NoSuchFile, match="3 : NO_SUCHFILE : Load model from .*nowhere"):
        ort.InferenceSession(str(tmp_path / "nowhere.onnx"))
    junk = tmp_path / "junk.onnx"
    junk.write_bytes(b"junk" * 9)
    with pytest.raises(errors.InvalidProtobuf, match="7 : INVALID_PROTOBUF : Load model from "):
        ort.InferenceSession(str(junk))
    with pytest.raises(errors.InvalidProtobuf, match="7 : INVALID_PROTOBUF"):
        ort.InferenceSession(junk.read_bytes())
    with pytest.raises(errors.InvalidArgument):
        ort.InferenceSession(b"")
    with pytest.raises(TypeError, match="Unable to load from type"):
        ort.InferenceSession(3)


def broken(*nodes, opset=25, version=13):
    """A model that has ``x`` and should have ``y``."""
    return model(nodes, {"x": FLOATS}, {"y": FLOATS}, opset=opset, version=version)


@pytest.mark.parametrize(
    "kind, data",
    [
        ("InvalidArgument", b""),
        ("InvalidArgument", broken(node("Neg", ["q"], ["y"]))),
        ("InvalidGraph", broken(node("Nope", ["x"], ["y"]))),
        ("InvalidGraph", broken(node("Neg", ["x", "x"], ["y"]))),
        ("InvalidGraph", broken(node("And", ["x", "x"], ["y"]))),
        ("InvalidGraph", broken(node("Softmax", ["x"], ["y"], wrong=3))),
        ("Fail", broken(node("Neg", ["x"], ["y"]), node("Neg", ["x"], ["y"]))),
        ("Fail", broken(node("Add", ["x", "y"], ["b"]), node("Neg", ["b"], ["y"]))),
        ("Fail", broken(node("Transpose", ["x"], ["y"], perm=[0, 1, 2]))),
        ("Fail", broken(node("Neg", ["x"], ["y"]), opset=99)),
        ("Fail", broken(node("Neg", ["x"], ["y"]), version=99)),
    ],
)
def test_models_that_are_not_valid_have_the_exceptions_of_onnx_runtime(ort, kind, data):
    with pytest.raises(getattr(state(ort), kind)) as caught:
        ort.InferenceSession(data)
    assert type(caught.value).__name__ == kind


def test_the_cpu_is_asked_for_in_every_spelling(ort):
    cpu = "CPUExecutionProvider"
    for providers, options in (
        ([cpu], None),
        ((cpu,), None),
        ([(cpu, {})], None),
        ([cpu], [{}]),
    ):
        session = ort.InferenceSession(add(), providers=providers, provider_options=options)
        assert session.get_providers() == [cpu]
        assert list(session.get_provider_options()) == [cpu]


def test_providers_of_other_engines_warn(ort):
    with pytest.warns(UserWarning, match="'CUDAExecutionProvider' is not in available"):
        session = ort.InferenceSession(
            add(), providers=["CUDAExecutionProvider", "CPUExecutionProvider"]
        )
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_warnings_name_the_line_that_asks_for_providers():
    with pytest.warns(UserWarning) as told:
        session = ours.InferenceSession(add(), providers=["NoSuchProvider"])
        session.set_providers(["CUDAExecutionProvider", "CPUExecutionProvider"])
    assert len(told) == 3 and {warning.filename for warning in told} == {__file__}


@pytest.mark.parametrize(
    "arguments",
    [
        {"providers": ["NoSuchProvider"]},
        {"providers": "CPUExecutionProvider"},
        {"providers": [3]},
        {"providers": {"CPUExecutionProvider"}},
        {"providers": ["CPUExecutionProvider"], "provider_options": []},
        {"providers": ["CPUExecutionProvider"], "provider_options": [3]},
        {"providers": [("CPUExecutionProvider", {})], "provider_options": [{}]},
    ],
)
def test_wrong_providers_mean_the_cpu_unless_that_is_forbidden(ort, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = ort.InferenceSession(add(), **arguments)
        assert session.get_providers() == ["CPUExecutionProvider"]
        with pytest.raises((ValueError, RuntimeError)):
            ort.InferenceSession(add(), enable_fallback=0, **arguments)


def test_options_keep_what_is_set_and_refuse_other_types(ort):
    options = ort.SessionOptions()
    assert options.intra_op_num_threads == 0 and options.enable_mem_pattern is True
    assert options.graph_optimization_level == ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.execution_mode = ort.ExecutionMode.ORT_PARALLEL
    options.logid = "me"
    session = ort.InferenceSession(add(), options)
    assert session.get_session_options().intra_op_num_threads == 1
    for name, value in (
        ("intra_op_num_threads", 1.5),
        ("graph_optimization_level", 99),
        ("enable_profiling", "no"),
        ("logid", 3),
    ):
        with pytest.raises(TypeError):
            setattr(options, name, value)
    with pytest.raises(AttributeError):
        options.no_such_option = 1
    with pytest.raises(RuntimeError, match="does not have configuration with key"):
        options.get_session_config_entry("a")
    options.add_session_config_entry("a", "b")
    assert options.get_session_config_entry("a") == "b"
    with pytest.raises(TypeError):
        options.add_session_config_entry("a", 1)


def test_free_dimensions_are_fixed_by_name(ort):
    options = ort.SessionOptions()
    options.add_free_dimension_override_by_name("N", 2)
    options.add_free_dimension_override_by_name("unknown", 5)
    session = ort.InferenceSession(add(), options)
    assert session.get_inputs()[0].shape == [2, 3]
    assert len(session.run(None, {"x": ones(2, 3), "y": ones(2, 3)})) == 1
    with pytest.raises(state(ort).InvalidArgument, match="index: 0 Got: 4 Expected: 2"):
        session.run(None, {"x": ones(4, 3), "y": ones(4, 3)})


def test_terminate_ends_runs(ort):
    options = ort.RunOptions()
    session = ort.InferenceSession(add())
    feed = {"x": ones(1, 3), "y": ones(1, 3)}
    options.terminate = True
    with pytest.raises(state(ort).Fail, match="terminate flag being set to true"):
        session.run(None, feed, options)
    options.terminate = False
    assert len(session.run(None, feed, options)) == 1
    options.add_run_config_entry("k", "v")
    assert options.get_run_config_entry("k") == "v"
    with pytest.raises(TypeError):
        session.run(None, feed, 5)


def test_constants_have_names_and_numbers(ort):
    level = ort.GraphOptimizationLevel
    assert int(level.ORT_ENABLE_ALL) == 99 and level.ORT_ENABLE_BASIC.name == "ORT_ENABLE_BASIC"
    assert str(level.ORT_DISABLE_ALL) == "GraphOptimizationLevel.ORT_DISABLE_ALL"
    assert level(2) == level.ORT_ENABLE_EXTENDED and "ORT_ENABLE_LAYOUT" in level.__members__
    assert int(ort.OrtMemType.CPU_INPUT) == -2 and int(ort.ExecutionOrder.MEMORY_EFFICIENT) == 2
    assert ort.__version__ == "1.31.1" and ort.get_device() == "CPU"


def test_our_provider_comes_first_and_takes_options():
    trident, cpu = ours.get_available_providers()
    assert (trident, cpu) == ("TridentExecutionProvider", "CPUExecutionProvider")
    session = ours.InferenceSession(add())
    assert session.get_providers() == [trident, cpu]
    options = {"device": "cpu", "threads": 1}
    session = ours.InferenceSession(add(), providers=[(trident, options)])
    assert session.get_provider_options()[trident] == {"device": "cpu", "threads": "1"}
    assert session.get_providers() == [trident, cpu]
    with pytest.raises(ours.capi.onnxruntime_pybind11_state.InvalidArgument, match="no option"):
        ours.InferenceSession(add(), providers=[(trident, {"speed": 1})])


def test_options_that_would_change_results_are_refused():
    options = ours.SessionOptions()
    with pytest.raises(NotImplementedError, match="register_custom_ops_library"):
        options.register_custom_ops_library("ops.so")
    with pytest.raises(ours.capi.onnxruntime_pybind11_state.Fail, match="ORT format"):
        options.add_session_config_entry("session.load_model_format", "ORT")


def test_names_that_are_not_here_say_so_when_used():
    with pytest.raises(NotImplementedError, match="onnxruntime.OrtSyncStream"):
        ours.OrtSyncStream()
    with pytest.raises(NotImplementedError, match="onnxruntime.OrtSyncStream.handle"):
        _ = ours.OrtSyncStream.handle
    with pytest.raises(NotImplementedError, match="onnxruntime.set_seed"):
        ours.set_seed(1)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ours.nothing
