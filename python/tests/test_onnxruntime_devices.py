"""ONNX Runtime's interface: devices, their providers and memory, and what the extension module's
own classes take. Each test also runs on ONNX Runtime itself, where that is installed."""

import numpy as np
import pytest
from onnx_bytes import map_type, model, node, tensor_type
from onnxruntime_models import FEED, FLOATS, add, ones, ours, same, state


def cpu_device(ort):
    return next(d for d in ort.get_ep_devices() if d.ep_name == "CPUExecutionProvider")


def test_devices_name_their_provider_and_processor(ort):
    for pair in ort.get_ep_devices():
        assert pair.ep_name in ort.get_available_providers()
        assert pair.ep_vendor and pair.ep_metadata["version"]
        assert isinstance(pair.ep_options, dict)
    cpu = cpu_device(ort).device
    assert cpu.type == ort.OrtHardwareDeviceType.CPU
    assert isinstance(cpu.vendor, str) and isinstance(cpu.vendor_id, int)
    types = [device.type.value for device in state(ort).get_hardware_devices()]
    assert ort.OrtHardwareDeviceType.CPU.value in types


def test_a_session_runs_on_the_devices_of_its_options(ort):
    options = ort.SessionOptions()
    options.add_provider_for_devices([cpu_device(ort)], {})
    assert options.has_providers()
    session = ort.InferenceSession(add(), options)
    assert session.get_providers() == ["CPUExecutionProvider"]
    places = session.get_input_epdevices()
    assert [place.ep_name for place in places] == ["CPUExecutionProvider"] * 2
    assert session.run(None, FEED)[0].tolist() == [[2, 2, 2]] * 2
    with pytest.raises(state(ort).InvalidArgument):
        options.add_provider_for_devices([], {})


def test_devices_of_our_provider_set_its_option():
    pair = next(d for d in ours.get_ep_devices() if d.ep_name == "TridentExecutionProvider")
    options = ours.SessionOptions()
    options.add_provider_for_devices([pair], {"threads": "1"})
    session = ours.InferenceSession(add(), options)
    assert session.get_provider_options()["TridentExecutionProvider"] == {
        "device": pair.ep_options["device"],
        "threads": "1",
    }
    assert session.run(None, FEED)[0].tolist() == [[2, 2, 2]] * 2
    with pytest.raises(state(ours).InvalidArgument, match="same execution provider"):
        options.add_provider_for_devices([pair, cpu_device(ours)], {})


RECORD = "session.record_ep_graph_assignment_info"


def test_nodes_are_assigned_to_providers(ort):
    with pytest.raises(state(ort).Fail, match=f"{RECORD}.* must be set"):
        ort.InferenceSession(add()).get_provider_graph_assignment_info()
    options = ort.SessionOptions()
    options.add_session_config_entry(RECORD, "1")
    nodes = [node("Neg", ["x"], ["a"], "minus"), node("Softmax", ["a"], ["y"], "normal")]
    data = model(nodes, {"x": FLOATS}, {"y": FLOATS})
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    found = session.get_provider_graph_assignment_info()
    assert {each.ep_name for each in found} == {"CPUExecutionProvider"}
    named = [(n.name, n.domain, n.op_type) for each in found for n in each.get_nodes()]
    assert sorted(named) == [("minus", "", "Neg"), ("normal", "", "Softmax")]


def test_compiled_models_have_no_nodes_of_a_file(tmp_path):
    path = str(tmp_path / "compiled.mps")
    ours.ModelCompiler(ours.SessionOptions(), add()).compile_to_file(path)
    options = ours.SessionOptions()
    options.add_session_config_entry(RECORD, "1")
    with pytest.raises(state(ours).Fail, match="which the model is not"):
        ours.InferenceSession(path, options).get_provider_graph_assignment_info()


def test_nothing_speaks_against_the_cpu(ort):
    details = state(ort).get_hardware_device_ep_incompatibility_details
    found = details("CPUExecutionProvider", cpu_device(ort).device)
    assert found == {"reasons_bitmask": 0, "notes": None, "error_code": 0}
    for name in ("", "NoSuchProvider"):
        with pytest.raises(state(ort).InvalidArgument):
            details(name, cpu_device(ort).device)


def test_compatibility_is_read_from_the_metadata(ort, tmp_path):
    nodes, ty = [node("Neg", ["x"], ["y"])], {"x": FLOATS}
    data = model(nodes, ty, {"y": FLOATS}, metadata={"ep_compatibility_info.Some": "v1;ä"})
    (tmp_path / "m.onnx").write_bytes(data)
    of_bytes = state(ort).get_compatibility_info_from_model_bytes
    of_file = state(ort).get_compatibility_info_from_model
    assert of_bytes(data, "Some") == of_file(str(tmp_path / "m.onnx"), "Some") == "v1;ä"
    assert of_bytes(bytearray(data), "Other") is None
    for bad in (b"", b"no model", data[:-1]):
        with pytest.raises(RuntimeError):
            of_bytes(bad, "Some")
    for path, name in ((str(tmp_path / "none"), "Some"), (str(tmp_path / "m.onnx"), "")):
        with pytest.raises(RuntimeError):
            of_file(path, name)


def test_no_provider_of_the_cpu_compiles_into_onnx_files(ort):
    check = state(ort).get_model_compatibility_for_ep_devices
    expected = state(ort).OrtCompiledModelCompatibility.EP_NOT_APPLICABLE
    assert check([cpu_device(ort)], "any text") == expected
    with pytest.raises(RuntimeError):
        check([], "any text")
    with pytest.raises(TypeError):
        check([cpu_device(ort)], None)


def test_arenas_are_settings(ort):
    config = ort.OrtArenaCfg(8, 0, 4, 2)
    assert (config.max_mem, config.arena_extend_strategy) == (8, 0)
    assert (config.initial_chunk_size_bytes, config.max_dead_bytes_per_chunk) == (4, 2)
    named = ort.OrtArenaCfg({"max_mem": 16, "initial_growth_chunk_size_bytes": 3})
    assert (named.max_mem, named.initial_growth_chunk_size_bytes) == (16, 3)
    assert (named.arena_extend_strategy, named.max_power_of_two_extend_bytes) == (-1, -1)
    with pytest.raises(RuntimeError, match="Invalid OrtArenaCfg option: size"):
        ort.OrtArenaCfg({"size": 1})
    for wrong in ((), (1, 2, 3), ("a",)):
        with pytest.raises(TypeError):
            ort.OrtArenaCfg(*wrong)


def memory_of(ort, name):
    arena = ort.OrtAllocatorType.ORT_ARENA_ALLOCATOR
    return ort.OrtMemoryInfo(name, arena, 0, ort.OrtMemType.DEFAULT)


def test_only_the_cpu_has_memory(ort):
    cpu, cuda = memory_of(ort, "Cpu"), memory_of(ort, "Cuda")
    ort.create_and_register_allocator(cpu, None)
    with pytest.raises(RuntimeError, match="Only CPU devices"):
        ort.create_and_register_allocator(cuda, None)
    with pytest.raises(RuntimeError, match="NoSuchProvider"):
        ort.create_and_register_allocator_v2("NoSuchProvider", cpu, {}, None)
    make = ort.OrtValue.ortvalue_from_shape_and_type
    assert make([2], np.float32, memory_info=cpu).shape() == [2]
    far = ort.OrtMemoryInfo.create_v2(
        "Far",
        ort.OrtMemoryInfoDeviceType.GPU,
        0xDEAD,
        0,
        ort.OrtDeviceMemoryType.HOST_ACCESSIBLE,
        0,
        ort.OrtAllocatorType.ORT_DEVICE_ALLOCATOR,
    )
    with pytest.raises(RuntimeError, match="No shared allocator found"):
        make([2], np.float32, memory_info=far)


def test_other_providers_are_errors_of_set_providers(ort):
    session = ort.InferenceSession(add(), providers=["CPUExecutionProvider"])
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match="Unknown Provider Type: No"):
        session.set_providers(["No"])
    session.set_providers(["CPUExecutionProvider"])
    assert session.run(None, FEED)[0].tolist() == [[2, 2, 2]] * 2


def test_arguments_about_providers_are_normalised(ort):
    check = ort.capi.onnxruntime_inference_collection.check_and_normalize_provider_args
    assert check(None, None, ["a"]) == ([], [])
    assert check([("a", {1: 2}), "b"], None, ["a", "b"]) == (["a", "b"], [{"1": "2"}, {}])
    assert check(["a", "b"], [{1: 2}, {}], ["a", "b"]) == (["a", "b"], [{"1": "2"}, {}])
    with pytest.warns(UserWarning):
        assert check(["a", "a"], None, ["a"]) == (["a"], [{}])
    for wrong in ((3, None), (["a"], 3), (["a"], ["x"]), (["a"], [{}, {}]), ([("a", {})], [{}])):
        with pytest.raises(ValueError):
            check(*wrong, ["a"])


def test_the_inner_session_runs_on_values(ort):
    session = ort.InferenceSession(add())
    value = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))._ortvalue
    run = session._sess.run_with_ort_values
    found = run({"x": value, "y": value}, ["z"], ort.RunOptions())
    assert isinstance(found, state(ort).OrtValueVector)
    assert [each.numpy().tolist() for each in found] == [[[2, 2, 2]] * 2]


@pytest.mark.parametrize("number, dtype", [(1, np.float32), (9, np.bool_), (7, np.int64)])
def test_the_inner_binding_takes_devices_with_their_number(ort, number, dtype):
    kind = state(ort).OrtDevice
    device = kind(kind.cpu(), kind.default_memory(), 0)
    x, y = np.ones(5, dtype), np.zeros(5, dtype)
    session = ort.InferenceSession(same(np.dtype(dtype).name))
    binding = state(ort).SessionIOBinding(session._sess)
    binding.bind_input("x", device, number, x.shape, x.ctypes.data)
    binding.bind_output("y", device, number, y.shape, y.ctypes.data)
    session._sess.run_with_iobinding(binding, None)
    assert np.array_equal(x, y)


def test_strings_are_not_bound_by_an_address(ort):
    room = np.zeros(16, np.uint8)
    session = ort.InferenceSession(add())
    binding = session.io_binding()
    for dtype in (8, np.dtype("U1"), np.dtype("S1"), np.dtype(object)):
        with pytest.raises(RuntimeError, match="Only binding non-string Tensors"):
            binding.bind_input("x", "cpu", 0, dtype, [1], room.ctypes.data)


def test_capsules_tell_bytes_from_other_elements(ort):
    is_bytes = state(ort).is_dlpack_uint8_tensor
    for dtype, expected in ((np.uint8, True), (np.int8, False), (np.float32, False)):
        value = ort.OrtValue.ortvalue_from_numpy(np.arange(3, dtype=dtype))._ortvalue
        capsule = value.to_dlpack()
        assert is_bytes(capsule) is expected
        again = state(ort).OrtValue.from_dlpack(capsule, False)
        assert again.numpy().tolist() == [0, 1, 2]
    versioned = np.arange(3, dtype=np.uint8).__dlpack__(max_version=(1, 0))
    if ort is ours:  # ONNX Runtime knows no capsules with versions.
        assert is_bytes(versioned)
        with pytest.raises(TypeError):
            is_bytes(3)


def test_the_type_of_a_maps_key_is_named(ort):
    nodes = [node("DictVectorizer", ["x"], ["y"], domain="ai.onnx.ml", int64_vocabulary=[1, 2])]
    kind = map_type("int64", tensor_type("float32", []))
    data = model(nodes, {"x": kind}, {"y": FLOATS})
    session = ort.InferenceSession(data)
    assert session.run(None, {"x": {1: 5.0, 3: 6.0}})[0].ravel().tolist() == [5, 0]
    with pytest.raises(RuntimeError, match="Unexpected key type +<class 'str'>"):
        session.run(None, {"x": {1: 5.0, "a": 6.0}})
