"""ONNX Runtime's interface: options that write files, end runs, or replace parts of the model. Each
test also runs on ONNX Runtime itself, where that is installed."""

import json
import threading
import time

import numpy as np
import pytest
from onnx_bytes import model, node, tensor_type
from onnxruntime_models import FEED, add, ones, ours, state
from test_model import endless

import trident


def test_a_profile_is_a_list_of_trace_events(ort, tmp_path):
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    session = ort.InferenceSession(add(), options)
    start = session.get_profiling_start_time_ns
    assert start() if callable(start) else start
    for _ in range(2):
        session.run(None, FEED)
    path = session.end_profiling()
    assert path.startswith(str(tmp_path / "profile")) and path.endswith(".json")
    with open(path) as file:
        events = json.load(file)
    assert {event["ph"] for event in events} == {"X"}
    assert all(event["dur"] >= 0 and event["ts"] >= 0 for event in events)
    named = [event["name"] for event in events if event["cat"] == "Session"]
    assert named.count("model_run") == 2 and "session_initialization" in named
    nodes = [event for event in events if event["cat"] == "Node"]
    assert len(nodes) == 2 and nodes[0]["name"].endswith("_kernel_time")
    assert nodes[0]["name"].startswith("sum")
    arguments = nodes[0]["args"]
    assert arguments["op_name"].lower() == "add"
    assert arguments["input_type_shape"] == [{"float": [2, 3]}, {"float": [2, 3]}]
    assert arguments["output_type_shape"] == [{"float": [2, 3]}]
    assert session.end_profiling() == ""
    assert len(session.run(None, FEED)) == 1
    assert ort.InferenceSession(add()).end_profiling() == ""


def test_the_optimised_model_is_written_and_computes_the_same(ort, tmp_path):
    options = ort.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    (expected,) = ort.InferenceSession(add(), options).run(None, FEED)
    session = ort.InferenceSession(str(tmp_path / "optimised.onnx"))
    assert np.array_equal(session.run(None, FEED)[0], expected)


def test_an_initializer_that_is_an_input_is_replaced(ort):
    options = ort.SessionOptions()
    value = ort.OrtValue.ortvalue_from_numpy(np.array([[5, 6, 7]], np.float32))
    options.add_initializer("y", value)
    with pytest.raises(RuntimeError):
        options.add_initializer("y", value)
    with pytest.raises(RuntimeError):
        options.add_initializer("x", ones(1))
    if ort is ours:  # ONNX Runtime crashes.
        session = ort.InferenceSession(add(np.zeros((1, 3), np.float32)), options)
        assert session.run(None, {"x": ones(1, 3)})[0].tolist() == [[6, 7, 8]]
        assert session.run(None, {"x": ones(1, 3), "y": ones(1, 3)})[0].tolist() == [[2, 2, 2]]


def test_terminate_ends_a_run_that_has_begun(ort):
    session = ort.InferenceSession(endless()[0])
    options = ort.RunOptions()
    failed = []

    def run():
        try:
            session.run(None, {"x": ones(4)}, options)
        except state(ort).Fail as error:
            failed.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.2)
    assert thread.is_alive()
    options.terminate = True
    thread.join(60)
    assert not thread.is_alive() and "terminate flag being set to true" in failed[0]


def test_a_load_can_be_cancelled(ort):
    options = ort.SessionOptions()
    options.set_load_cancellation_flag(True)
    with pytest.raises(state(ort).ModelLoadCanceled, match="MODEL_LOAD_CANCELED"):
        ort.InferenceSession(add(), options)
    options.set_load_cancellation_flag(False)
    assert ort.InferenceSession(add(), options).get_inputs()


def test_providers_can_be_among_the_options(ort):
    options = ort.SessionOptions()
    assert not options.has_providers()
    with pytest.raises(state(ort).InvalidArgument, match="Failed to add provider"):
        options.add_provider("CUDAExecutionProvider", {})
    options.add_provider("CPUExecutionProvider", {})
    assert options.has_providers()
    assert ort.InferenceSession(add(), options).get_providers() == ["CPUExecutionProvider"]
    options = ort.SessionOptions()
    options.set_provider_selection_policy(ort.OrtExecutionProviderDevicePolicy.PREFER_CPU)
    assert ort.InferenceSession(add(), options).get_providers() == ["CPUExecutionProvider"]


def test_providers_can_be_set_later(ort):
    session = ort.InferenceSession(add())
    session.set_providers(["CPUExecutionProvider"])
    assert session.get_providers() == ["CPUExecutionProvider"]
    assert len(session.run(None, FEED)) == 1


def test_a_compiled_model_is_written_and_loaded(tmp_path):
    options = ours.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "add.mps")
    ours.InferenceSession(add(), options)
    session = ours.InferenceSession(str(tmp_path / "add.mps"))
    assert session.run(None, FEED)[0].tolist() == (2 * ones(2, 3)).tolist()
    meta = session.get_modelmeta()
    assert meta.graph_name == "g" and meta.producer_name == "tests"
    assert isinstance(session._model, trident.Model)


def test_what_is_refused_is_named():
    options = ours.SessionOptions()
    with pytest.raises(NotImplementedError, match="SessionOptions.set_ep_context_data_read_func"):
        options.set_ep_context_data_read_func(None)
    with pytest.raises(NotImplementedError, match="InferenceSession.release_captured_graph"):
        ours.InferenceSession(add()).release_captured_graph(0)
    for key in (
        "session.strict_shape_type_inference",
        "session.disable_cpu_ep_fallback",
        "session.set_denormal_as_zero",
        "ep.context_enable",
    ):
        options.add_session_config_entry(key, "0")
        with pytest.raises(state(ours).Fail, match=f"{key}=1 is not supported"):
            options.add_session_config_entry(key, "1")
    with pytest.raises(NotImplementedError, match="set_provider_selection_policy"):
        options.set_provider_selection_policy(ours.OrtExecutionProviderDevicePolicy.PREFER_NPU)
    value = ours.OrtValue.ortvalue_from_numpy(ones(1))
    options.add_initializer("unknown", value)
    with pytest.raises(state(ours).Fail, match="unknown cannot be replaced"):
        ours.InferenceSession(add(), options)


def test_a_model_of_the_ort_format_is_not_written(tmp_path):
    options = ours.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "x.ort")
    with pytest.raises(state(ours).Fail, match="x.ort: models of the ORT format"):
        ours.InferenceSession(add(), options)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "option, text",
    [
        (
            {"memory_limit": "1GB"},
            "option 'memory_limit' of .* is a whole number of bytes, not '1GB'",
        ),
        ({"memory_limit": 0}, "memory_limit must be a number of bytes above 0"),
        ({"time_limit": "soon"}, "option 'time_limit' of .* is a number of seconds, not 'soon'"),
        ({"threads": -1}, "threads must be 0 .one for each core. to 1024, not -1"),
        ({"threads": "two"}, "option 'threads' of .* is a whole number, not 'two'"),
        ({"thread": 2}, "has no option 'thread'"),
    ],
)
def test_wrong_options_of_the_provider_are_named(option, text):
    with pytest.raises(state(ours).InvalidArgument, match=text):
        ours.InferenceSession(add(), providers=[("TridentExecutionProvider", option)])


@pytest.mark.parametrize("name", ["the node", ""])
def test_a_run_that_fails_names_the_operator_and_the_node(ort, name):
    gather = node("Gather", ["x", "i"], ["y"], name=name)
    types = {"x": tensor_type("float32", ["N"]), "i": tensor_type("int64", ["K"])}
    file = model([gather], types, {"y": tensor_type("float32", None)})
    text = "Non-zero status code returned while running Gather node. Name:'"
    session = ort.InferenceSession(file)
    with pytest.raises(Exception, match=text + (name or ("" if ort is not ours else "y"))):
        session.run(None, {"x": ones(2), "i": np.array([7])})


def test_a_value_without_a_tensor_says_so():
    binding = ours.InferenceSession(add()).io_binding()
    binding.bind_output("z")
    with pytest.raises(RuntimeError, match="only tensors have this, and there is no value"):
        binding.get_outputs()[0].shape()
