"""Arrays that are known by DLPack alone: what a launch asks, and what it refuses."""

import ctypes

import numpy as np
import pytest
from dlpack import Managed, Tensor, capsule

import trident

COPY = """
tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  %v = tt.load %xp : tensor<16x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %i : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %yp, %v : tensor<16x!tt.ptr<f32>>
  tt.return
}
"""


class Foreign:
    """An array of 16 numbers in NumPy's memory, exported as tests like."""

    def __init__(self, data, **changes):
        self.data, self.dtype, self.exports = data, data.dtype, 0
        self.changes = changes

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, max_version=None):
        self.exports += 1
        fields = {"major": 1, "flags": 0, "device": 1, "strides": None, "offset": 0}
        fields |= self.changes
        offset, strides = fields["offset"], fields["strides"]
        shape = (ctypes.c_int64 * 1)(16)
        strides = (ctypes.c_int64 * 1)(strides) if strides else None
        data = self.data.ctypes.data - offset
        tensor = (data, fields["device"], 0, 1, 2, 32, 1, shape, strides, offset)
        managed = Managed(major=fields["major"], flags=fields["flags"], tensor=tensor)
        self.exported = managed, shape, strides
        return capsule(managed, fields.get("name", b"dltensor_versioned"))


class Unversioned(Foreign):
    """As libraries before DLPack 1.0."""

    def __dlpack__(self):
        super().__dlpack__()
        self.plain = Tensor.from_buffer_copy(self.exported[0].tensor)
        return capsule(self.plain, b"dltensor")


@pytest.fixture(params=["bounds", "check", "interpret", "unchecked"])
def copy(request):
    mode = request.param
    return trident.compile(COPY, **{} if mode == "bounds" else {mode: True})


@pytest.mark.parametrize("kind", [Foreign, Unversioned])
@pytest.mark.parametrize("changes", [{}, {"offset": 64}, {"strides": 1}])
def test_arrays_are_exported_once_for_a_launch(copy, kind, changes, floats):
    x, y = kind(floats(16), **changes), kind(np.zeros(16, np.float32), **changes)
    for launches in (1, 2):
        y.data[:] = 0
        copy.launch(1, [x, y])
        assert np.array_equal(x.data, y.data)
        assert (x.exports, y.exports) == (launches, launches)


def test_an_array_given_twice_is_exported_once(copy, floats):
    x = Foreign(floats(16))
    copy.launch(1, [x, x])
    assert x.exports == 1


def test_read_only_exports_are_not_written(copy, floats):
    x, y = Foreign(floats(16), flags=1), np.zeros(16, np.float32)
    copy.launch(1, [x, y])
    assert np.array_equal(x.data, y)
    with pytest.raises(ValueError, match="argument `y` is read-only"):
        copy.launch(1, [y, x])


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"major": 2}, "the array gives DLPack 2.0, and only 1 is known"),
        ({"device": 2}, "is on device type 1 by `__dlpack_device__..`, and on 2 by `__dlpack__..`"),
        ({"strides": 2}, "argument `x` is a `Foreign` whose elements are not contiguous"),
        ({"name": b"used_dltensor_versioned"}, "argument `x`: .*PyCapsule_GetPointer"),
    ],
    ids=["another version", "two devices", "hidden strides", "a used capsule"],
)
def test_exports_that_cannot_be_read_are_refused(copy, changes, text, floats):
    y = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match=text):
        copy.launch(1, [Foreign(floats(16), **changes), y])
    assert not y.any()


def test_what_is_no_capsule_is_refused(copy, floats):
    class Wrong(Foreign):
        def __dlpack__(self, *, max_version=None):
            return self.data.ctypes.data

    with pytest.raises(TypeError, match="argument `x`"):
        copy.launch(1, [Wrong(floats(16)), np.zeros(16, np.float32)])


def test_the_memory_of_an_export_bounds_its_launches(floats):
    y = np.zeros(20, np.float32)
    x = Foreign(floats(16), offset=64)
    beyond = COPY.replace("end = 16 : i32, start = 0", "end = 17 : i32, start = 1")
    with pytest.raises(trident.AccessError, match="out.of.bounds.* of 4 bytes at byte 64"):
        trident.compile(beyond).launch(1, [x, y])
