"""ONNX Runtime's interface: values and bindings. Each test also runs on ONNX Runtime itself, where
that is installed."""

import threading

import numpy as np
import pytest
from onnxruntime_models import add, ones, ours, pair, same, two


def test_a_value_shares_its_arrays_memory(ort):
    x = ones(2, 3)
    value = ort.OrtValue.ortvalue_from_numpy(x)
    assert value.is_tensor() and value.has_value() and not value.is_tensor_sequence()
    assert not value.is_sparse_tensor() and value.device_name() == "cpu"
    assert (value.data_type(), value.element_type(), value.shape()) == ("tensor(float)", 1, [2, 3])
    assert value.tensor_size_in_bytes() == 24 and value.data_ptr() == x.ctypes.data
    assert np.shares_memory(value.numpy(), x) and np.shares_memory(np.from_dlpack(value), x)
    assert np.array_equal(np.asarray(value), x) and value.__dlpack_device__() == (1, 0)
    value.update_inplace(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    other = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))
    value.update_inplace(other)
    assert np.array_equal(x, ones(2, 3))


def test_values_refuse_what_does_not_fit(ort):
    value = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))
    with pytest.raises(RuntimeError, match="does not match the size"):
        value.update_inplace(ones(9, 9))
    with pytest.raises(TypeError, match=r"data must be a numpy\.ndarray or an OrtValue"):
        value.update_inplace([1.0])
    for wrong in ([1.0], np.float32(1), np.array(["a"])):
        with pytest.raises(RuntimeError, match="currently only supported from non-string numpy"):
            ort.OrtValue.ortvalue_from_numpy(wrong)
    with pytest.raises(RuntimeError, match="Can't allocate memory on the device"):
        ort.OrtValue.ortvalue_from_numpy(ones(1), "cuda", 0)
    with pytest.raises(Exception, match="Unsupported device type: moon"):
        ort.OrtValue.ortvalue_from_numpy(ones(1), "moon", 0)
    with pytest.raises(ValueError):
        ort.OrtValue(3)
    with pytest.raises(TypeError, match="expected a valid DLPack capsule"):
        ort.OrtValue.from_dlpack(3)


def test_values_have_memory_of_their_own_by_shape_and_type(ort):
    for element in (np.float32, "float32", 1):
        value = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], element)
        assert (value.data_type(), value.shape()) == ("tensor(float)", [2, 3])
    value.update_inplace(ones(2, 3))
    assert np.array_equal(value.numpy(), ones(2, 3))
    with pytest.raises(RuntimeError):
        ort.OrtValue.ortvalue_from_shape_and_type([-1], np.float32)
    with pytest.raises(RuntimeError, match="99"):
        ort.OrtValue.ortvalue_from_shape_and_type([1], 99)


def test_values_of_types_that_numpy_lacks_are_made_by_onnxs_numbers(ort):
    pytest.importorskip("ml_dtypes")
    value = ort.OrtValue.ortvalue_from_shape_and_type([2, 3], 16)
    assert (value.data_type(), value.tensor_size_in_bytes()) == ("tensor(bfloat16)", 12)
    bits = np.array([0x3F80, 0x4000], np.uint16)
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(bits, 16)
    assert (value.data_type(), value.element_type()) == ("tensor(bfloat16)", 16)
    (y,) = ort.InferenceSession(same("bfloat16")).run_with_ort_values(None, {"x": value})
    assert y.data_type() == "tensor(bfloat16)" and y.shape() == [2]
    with pytest.raises(RuntimeError):
        ort.OrtValue.ortvalue_from_numpy_with_onnx_type(ones(2), 16)


def test_values_come_and_go_by_dlpack(ort):
    x = ones(2, 3)
    for given in (x, x.__dlpack__()):
        value = ort.OrtValue.from_dlpack(given)
        assert value.data_ptr() == x.ctypes.data and value.shape() == [2, 3]
    again = ort.OrtValue.from_dlpack(value._ortvalue.to_dlpack())
    assert again.data_ptr() == x.ctypes.data
    with pytest.raises(RuntimeError, match="only supports contiguous"):
        ort.OrtValue.from_dlpack(ones(4, 6)[:, ::2])


def test_runs_take_and_give_values(ort):
    session = ort.InferenceSession(add())
    value = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))
    (z,) = session.run_with_ort_values(["z"], {"x": value, "y": value})
    assert isinstance(z, ort.OrtValue) and np.array_equal(z.numpy(), 2 * ones(2, 3))
    (z,) = session.run(None, {"x": value, "y": ones(2, 3)})
    assert np.array_equal(z, 2 * ones(2, 3))
    wrong = ort.OrtValue.ortvalue_from_numpy(ones(2, 3, dtype=np.float64))
    with pytest.raises(ort.capi.onnxruntime_pybind11_state.InvalidArgument, match="double"):
        session.run_with_ort_values(["z"], {"x": wrong, "y": value})
    with pytest.raises((TypeError, AttributeError)):
        session.run_with_ort_values(["z"], {"x": ones(2, 3), "y": value})


def test_sequences_are_values(ort):
    session = ort.InferenceSession(pair())
    x = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))
    (both,) = session.run_with_ort_values(None, {"x": x})
    assert both.is_tensor_sequence() and not both.is_tensor() and both.has_value()
    assert both.data_type() == "seq(tensor(float))" and both.element_type() == 1
    for method in ("numpy", "shape", "data_ptr", "device_name", "tensor_size_in_bytes"):
        with pytest.raises(RuntimeError):
            getattr(both, method)()


def test_bound_arrays_are_read_at_every_run(ort):
    session = ort.InferenceSession(add())
    binding = session.io_binding()
    x, y = ones(2, 3), ones(2, 3)
    binding.bind_cpu_input("x", x)
    binding.bind_input("y", "cpu", 0, np.float32, [2, 3], y.ctypes.data)
    assert binding.get_outputs() == []
    binding.bind_output("z")
    for k in (1, 5):
        x[:] = k
        session.run_with_iobinding(binding)
        (z,) = binding.get_outputs()
        assert np.array_equal(z.numpy(), x + y) and z.data_type() == "tensor(float)"
        (copy,) = binding.copy_outputs_to_cpu()
        assert np.array_equal(copy, x + y)


def test_outputs_are_bound_to_the_callers_memory(ort):
    session = ort.InferenceSession(add())
    binding = session.io_binding()
    binding.bind_cpu_input("x", ones(2, 3))
    binding.bind_ortvalue_input("y", ort.OrtValue.ortvalue_from_numpy(ones(2, 3)))
    for element in (np.float32, 1):
        room = np.zeros((2, 3), np.float32)
        binding.bind_output("z", "cpu", 0, element, (2, 3), room.ctypes.data)
        session.run_with_iobinding(binding)
        assert np.array_equal(room, 2 * ones(2, 3))
        assert binding.get_outputs()[0].data_ptr() == room.ctypes.data
    room = np.zeros((2, 3), np.float32)
    value = ort.OrtValue.ortvalue_from_numpy(room)
    binding.bind_ortvalue_output("z", value)
    session.run_with_iobinding(binding)
    assert np.array_equal(value.numpy(), 2 * ones(2, 3)) and np.shares_memory(value.numpy(), room)


def test_an_output_may_be_bound_to_an_inputs_memory(ort):
    session = ort.InferenceSession(add())
    x = ort.OrtValue.ortvalue_from_numpy(ones(2, 3))
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", x)
    binding.bind_cpu_input("y", ones(2, 3))
    binding.bind_ortvalue_output("z", x)
    for k in (2, 3):
        session.run_with_iobinding(binding)
        assert np.array_equal(x.numpy(), k * ones(2, 3))


def test_some_outputs_are_bound_in_any_order(ort):
    session = ort.InferenceSession(two())
    binding = session.io_binding()
    binding.bind_cpu_input("x", ones(1, 3))
    binding.bind_output("size")
    session.run_with_iobinding(binding)
    assert len(binding.copy_outputs_to_cpu()) == 1
    binding.bind_output("minus")
    session.run_with_iobinding(binding)
    size, minus = binding.copy_outputs_to_cpu()
    assert size[0, 0] == 1 and minus[0, 0] == -1
    binding.clear_binding_outputs()
    assert binding.get_outputs() == []
    with pytest.raises(RuntimeError, match="At least one output should be requested"):
        session.run_with_iobinding(binding)


def test_bindings_that_do_not_fit_are_errors(ort):
    session = ort.InferenceSession(add())
    binding = session.io_binding()
    binding.bind_cpu_input("y", ones(2, 3))
    binding.bind_output("z")
    with pytest.raises(RuntimeError, match="Failed to find"):
        binding.bind_cpu_input("q", ones(2, 3))
    with pytest.raises(RuntimeError):
        binding.bind_cpu_input("x", [[1.0]])
    with pytest.raises(ValueError, match="`element_type` and `shape` are to be provided"):
        binding.bind_output("z", buffer_ptr=ones(2, 3).ctypes.data)
    with pytest.raises(Exception, match="Unsupported device type: moon"):
        binding.bind_output("z", "moon")
    binding.bind_cpu_input("x", ones(2, 3, dtype=np.float64))
    with pytest.raises(RuntimeError, match="Error in execution: .*double"):
        session.run_with_iobinding(binding)
    binding = session.io_binding()
    for name in "xy":
        binding.bind_cpu_input(name, ones(2, 3))
    for element, shape in ((np.float32, [3, 2]), (np.float64, [2, 3])):
        room = np.zeros(shape, element)
        binding.bind_output("z", "cpu", 0, element, shape, room.ctypes.data)
        with pytest.raises(RuntimeError, match="Error in execution"):
            session.run_with_iobinding(binding)
        assert not room.any()
    with pytest.raises(ValueError, match="must be used with the session that created it"):
        ort.InferenceSession(add()).run_with_iobinding(binding)


def test_asynchronous_runs_call_back(ort):
    session = ort.InferenceSession(add())
    done = threading.Event()
    got = []

    def callback(*arguments):
        got.append(arguments)
        done.set()

    feed = {"x": ones(1, 3), "y": ones(1, 3)}
    session.run_async(None, feed, callback, "mine")
    assert done.wait(60)
    ((z,), data, error) = got.pop()
    assert z.tolist() == [[2, 2, 2]] and data == "mine" and error == ""
    done.clear()
    session.run_async(["z"], {**feed, "x": ones(1, 3, dtype=np.float64)}, callback, None)
    assert done.wait(60)
    results, _, error = got.pop()
    assert len(results) == 0 and "double" in error
    with pytest.raises(ValueError, match="Required inputs"):
        session.run_async(None, {}, callback, None)
    with pytest.raises(TypeError):
        session.run_async(None, feed, 3, None)


def test_devices_have_numbers(ort):
    device = ort.OrtDevice.make("cpu", 0)
    assert (device.device_id(), device.device_type()) == (0, 0)
    device = ort.OrtDevice.make("cuda", 1)
    assert (device.device_id(), device.device_type(), device.device_vendor_id()) == (1, 1, 0x10DE)


def test_memory_at_no_address_is_refused():
    binding = ours.InferenceSession(add()).io_binding()
    with pytest.raises(ValueError, match="needs memory, and buffer_ptr is 0"):
        binding.bind_input("x", "cpu", 0, np.float32, [2, 3], 0)
    with pytest.raises(ValueError, match="dimensions are at least 0"):
        binding.bind_output("z", "cpu", 0, np.float32, [-1], 1)
    with pytest.raises(RuntimeError, match="Can't allocate memory on the device 'cuda'"):
        binding.bind_output("z", "cuda")
