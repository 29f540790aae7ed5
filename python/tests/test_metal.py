"""Kernels on a Metal device: run where ``TRIDENT_DEVICE`` names one."""

import ctypes
import os
import subprocess
import sys
import textwrap
import types
import weakref

import numpy as np
import pytest
import triton
import triton.language as tl
from dlpack import Managed, capsule
from triton.runtime.errors import OutOfResources

import trident
from trident import _trident, arrays

pytestmark = pytest.mark.skipif(_trident.gpu() is None, reason="kernels run on the CPU")


@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, 2 * tl.load(x + at, mask=inside), mask=inside)


@pytest.mark.parametrize("n", [1, 1000, 100_003])
def test_arrays_are_used_where_they_are(floats, n):
    x = floats(n + 1)[1:]
    y = np.zeros_like(x)
    double[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
    assert np.array_equal(y, 2 * x)
    double[(triton.cdiv(n, 256),)](x, x, n, BLOCK=256)
    assert np.array_equal(y, x)


def test_programs_are_listed():
    x = np.ones(8, np.float32)
    kernel = double[(1,)](x, x, 8, BLOCK=8)
    assert "kernel void double_" in kernel.asm["msl"]
    assert kernel.metadata.warp_size == 32
    assert triton.runtime.driver.active.get_current_target().backend == "mps"


def test_views_of_one_array_are_one_memory(floats):
    memory = floats(96)
    before = memory.copy()
    double[(1,)](memory, memory[8:], 32, BLOCK=32)
    assert np.array_equal(memory[8:40], 2 * before[:32])
    double[(1,)](memory[64:], memory[40:], 24, BLOCK=32)
    assert np.array_equal(memory[40:64], 2 * before[64:88])


def test_a_program_of_too_many_threads_is_out_of_resources():
    x = np.ones(8, np.float32)
    with pytest.raises(OutOfResources, match="threads"):
        double[(1,)](x, x, 8, BLOCK=8, num_warps=64)


@triton.jit
def square(x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    matrix = tl.load(x + at)
    tl.store(y + at, tl.dot(matrix, tl.trans(matrix)) + tl.cumsum(matrix, 0))


def test_a_program_of_too_many_registers_is_out_of_resources():
    x = np.ones((256, 256), np.float32)
    with pytest.raises(OutOfResources, match="bytes of registers") as found:
        square[(1,)](x, x.copy(), BLOCK=256)
    cause = found.value.__cause__
    assert type(cause) is trident.ResourceError
    assert (cause.name, cause.required) == ("bytes of registers", 256 * 256 * 4)
    assert cause.required > cause.limit == found.value.limit


@triton.jit
def halve(x, y):
    tl.store(y, tl.load(x) * 0.5)


def test_f64_is_refused_by_name():
    x = np.ones(1)
    with pytest.raises(trident.CompileError, match="f64"):
        halve[(1,)](x, np.empty_like(x))


KINDS = {"float32": (2, 32), "float16": (2, 16), "int32": (0, 32)}


class OnMetal:
    """An array of a library of its own, in a buffer of the device, known by DLPack alone."""

    def __init__(self, values, buffer=None, offset=0, handle=None):
        values = np.asarray(values)
        self.buffer = buffer or _trident.Buffer(values.nbytes + offset)
        self.dtype, self.shape, self.ndim = values.dtype, values.shape, values.ndim
        self.offset, self.exports = offset, 0
        self.handle = self.buffer.handle if handle is None else handle
        self.numpy()[...] = values

    def numpy(self):
        count = int(np.prod(self.shape)) * self.dtype.itemsize
        memory = (ctypes.c_char * count).from_address(self.buffer.contents + self.offset)
        return np.frombuffer(memory, self.dtype).reshape(self.shape)

    def __dlpack_device__(self):
        return 8, 0

    def __dlpack__(self, **options):
        code, bits = KINDS[str(self.dtype)]
        shape = (ctypes.c_int64 * self.ndim)(*self.shape)
        managed = Managed(major=1)
        managed.tensor = (self.handle, 8, 0, self.ndim, code, bits, 1, shape, None, self.offset)
        self.exports += 1
        self.exported = managed, shape
        return capsule(managed)


def test_buffers_of_other_libraries_are_used_where_they_are(floats):
    values = floats(1000)
    x = OnMetal(values, offset=64)
    y = OnMetal(np.zeros_like(values))
    double[(4,)](x, y, 1000, BLOCK=256)
    assert np.array_equal(y.numpy(), 2 * values)
    # Parts of one buffer, and memory of the CPU.
    part = OnMetal(values[:400], buffer=x.buffer, offset=64 + 2000)
    double[(2,)](x, part, 400, BLOCK=256)
    assert np.array_equal(x.numpy()[500:900], 2 * values[:400])
    z = np.zeros_like(values)
    double[(4,)](y, z, 1000, BLOCK=256)
    assert np.array_equal(z, 4 * values)


def test_an_array_in_a_buffer_is_exported_once_for_a_launch(floats):
    x, y = OnMetal(floats(100)), OnMetal(floats(100))
    compiled = double[(1,)](x, y, 100, BLOCK=128)
    x.exports = y.exports = 0
    compiled[(1, 1, 1)](x, y, 100, 128)
    assert (x.exports, y.exports) == (1, 1)


def test_accesses_outside_of_such_a_buffer_are_found(floats):
    x, y = OnMetal(floats(100)), OnMetal(floats(100))
    with pytest.raises(trident.AccessError, match="out of bounds.*test_metal.py:"):
        double[(1,)](x, y, 128, BLOCK=128)


@pytest.mark.parametrize("handle", [0, 1 << 20, 0x7FFF_FFFF_0000, (1 << 64) - 16])
def test_handles_of_no_buffer_are_refused(floats, handle):
    x = OnMetal(floats(8), handle=handle)
    with pytest.raises(ValueError, match=f"the handle {handle:#x} is not a buffer of this device"):
        double[(1,)](x, floats(8), 8, BLOCK=8)


def test_a_handle_is_good_as_long_as_its_buffer_lives(floats):
    handle = OnMetal(floats(8)).handle
    with pytest.raises(ValueError, match="no buffer of this process has it"):
        double[(1,)](OnMetal(floats(8), handle=handle), floats(8), 8, BLOCK=8)


class Tensor(OnMetal):
    """As PyTorch's on `mps`: `data_ptr()` computes with the handle, and DLPack gives the same."""

    is_cpu = False
    device = types.SimpleNamespace(type="mps")

    def data_ptr(self):
        return self.handle + self.offset

    def storage_offset(self):
        return self.offset // self.dtype.itemsize

    def element_size(self):
        return self.dtype.itemsize

    def untyped_storage(self):
        size = len(self.numpy().tobytes()) + self.offset
        return types.SimpleNamespace(data_ptr=lambda: self.handle, nbytes=lambda: size)

    def __dlpack__(self, **options):
        raise AssertionError("versions of PyTorch differ in what this gives")


def test_mps_tensors_wait_for_their_queue(floats, monkeypatch):
    waits = []
    mps = types.SimpleNamespace(synchronize=lambda: waits.append(1))
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(Tensor=Tensor, mps=mps))
    values = floats(300)
    x, y = Tensor(values, offset=128), Tensor(np.zeros_like(values), offset=4)
    double[(3,)](x, y, 300, BLOCK=128)
    assert np.array_equal(y.numpy(), 2 * values) and len(waits) >= 2
    monkeypatch.setattr(Tensor, "device", types.SimpleNamespace(type="cuda"))
    with pytest.raises(ValueError, match="this kernel runs on the GPU, which does not reach it"):
        double[(3,)](x, y, 300, BLOCK=128)


@triton.jit
def double_each(table, n, BLOCK: tl.constexpr):
    x = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, BLOCK)
    tl.store(x + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


def test_kernels_follow_addresses_that_were_taken(floats):
    values = [floats(n)[start:] for n, start in [(60, 0), (60, 10), (5000, 0)]]
    before = [each.copy() for each in values]
    on_metal = OnMetal(floats(60), offset=16)
    theirs = on_metal.numpy().copy()
    table = np.array([trident.address(each) for each in [*values, on_metal]])
    double_each[(4,)](table, 50, BLOCK=64)
    for each, old in zip(values, before):
        assert np.array_equal(each[:50], 2 * old[:50])
        assert np.array_equal(each[50:], old[50:])
    assert np.array_equal(on_metal.numpy()[:50], 2 * theirs[:50])


def test_addresses_of_unknown_memory_are_named(floats):
    values = floats(64)
    unknown = values.ctypes.data
    line = double_each.fn.__code__.co_firstlineno + 4
    with pytest.raises(trident.AccessError) as error:
        double_each[(1,)](np.array([unknown]), 64, BLOCK=64)
    text = str(error.value)
    assert f"test_metal.py:{line}" in text and f"{unknown:#x}" in text
    assert "take them by `trident.address(array)`" in text
    table = np.array([trident.address(values)])
    double_each[(1,)](table, 64, BLOCK=64)
    del values
    with pytest.raises(trident.AccessError, match="trident.address"):
        double_each[(1,)](table, 64, BLOCK=64)


@pytest.mark.parametrize("wrap", [lambda array: array, arrays.View])
def test_addresses_do_not_keep_their_arrays(wrap):
    array = np.zeros(64, np.float32)
    end = weakref.ref(array)
    table = np.array([trident.address(wrap(array))])
    double_each[(1,)](table, 64, BLOCK=64)
    del array
    assert end() is None
    with pytest.raises(trident.AccessError, match="trident.address"):
        double_each[(1,)](table, 64, BLOCK=64)


def test_addresses_of_arrays_whose_end_nobody_tells_are_refused():
    with pytest.raises(TypeError, match="argument `array` .* does not say when its memory is free"):
        trident.address(bytearray(64))


def test_addresses_are_taken_of_what_may_be_written():
    values = np.zeros(4, np.float32)
    assert trident.address(values) == trident.address(values)
    values.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        trident.address(values)


def test_events_measure_the_gpu(floats):
    x = floats(1000)
    y = np.empty_like(x)
    event = triton.runtime.driver.active.get_device_interface().Event
    before, after, last = (event(enable_timing=True) for _ in range(3))
    double[(4,)](x, y, 1000, BLOCK=256)
    before.record()
    mark = _trident.Mark.now()
    double[(4,)](x, y, 1000, BLOCK=256)
    double[(4,)](x, y, 1000, BLOCK=256)
    exact = mark.until(_trident.Mark.now())
    after.record()
    last.record()
    assert before.elapsed_time(after) == exact / 1e6 < (after._time - before._time) / 1e6
    assert after.elapsed_time(last) == max(last._time - after._time, 1) / 1e6
    assert triton.testing.do_bench(lambda: double[(4,)](x, y, 1000, BLOCK=256), 1, 3) > 0


FORK = """
import os, numpy as np, trident
text = open(os.environ["KERNEL"]).read()
kernel = trident.compile(text)
def run():
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    kernel.launch(1, [x, y, 8])
    assert (y == 2).all(), y
run()
child = os.fork()
if child == 0:
    run()
    os._exit(7)
run()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
run()
threads = len(os.listdir("/proc/self/task"))
for _ in range(20):
    run()
assert len(os.listdir("/proc/self/task")) == threads
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads by /proc")
def test_a_process_keeps_one_queue_and_a_forked_one_opens_its_own(tmp_path):
    x = np.ones(8, np.float32)
    kernel = double[(1,)](x, x.copy(), 8, BLOCK=8)
    (tmp_path / "kernel.ttir").write_text(kernel.asm["ttir"])
    env = {**os.environ, "KERNEL": str(tmp_path / "kernel.ttir")}
    command = [sys.executable, "-c", textwrap.dedent(FORK)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_unchecked_kernels_see_their_arrays(floats):
    x = floats(100)
    y = np.zeros_like(x)
    text = double[(1,)](x.copy(), y.copy(), 100, BLOCK=128).asm["ttir"]
    kernel = trident.compile(text, unchecked=True)
    kernel.launch(1, [x, y, 100])
    assert np.array_equal(y, 2 * x)
