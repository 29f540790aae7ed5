"""Arrays of every kind go through a model bit by bit, and are copied only where they must be."""

import array
import ctypes
import gc
import os

import numpy as np
import pytest
from dlpack import Managed, capsule
from onnx_bytes import (
    TYPES,
    map_type,
    model,
    node,
    optional_type,
    sequence_type,
    tensor_type,
    unary,
)

import trident

#: Element types that NumPy has.
DTYPES = [name for name in TYPES if name in np.sctypeDict and name != "object"]

#: Random arrays of each test of them.
COUNT = int(os.environ.get("TRIDENT_TEST_ARRAYS", "40"))


def extension_types():
    """The types of ml_dtypes that this version has, by name."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    names = [name for name in TYPES if name not in DTYPES and hasattr(ml_dtypes, name)]
    return {name: np.dtype(getattr(ml_dtypes, name)) for name in names}


def identity(dtype):
    return trident.Model(unary("Identity", dtype))


def flat(values):
    """The bytes of an array's elements in row-major order."""
    return np.ascontiguousarray(values).tobytes()


def random_array(rng, dtype, rank):
    """An array of random bits with an order, strides and a place of its own."""
    dims = [int(size) for size in rng.integers(0 if rng.random() < 0.1 else 1, 6, rank)]
    values = rng.integers(0, 256, size=(*dims, dtype.itemsize), dtype=np.uint8)
    if dtype.kind == "b":
        values &= 1
    made = values.view(dtype)[..., 0]
    kind = rng.integers(5)
    if kind == 1 and rank:
        made = np.asfortranarray(made)
    elif kind == 2 and rank:
        step = rng.choice([-2, -1, 2])
        made = np.repeat(made, 2, axis=0)[::step]
    elif kind == 3 and rank > 1:
        made = made.transpose(rng.permutation(rank))
    elif kind == 4:
        # As memory comes from files: at any address.
        room = np.zeros(made.nbytes + 1, np.uint8)
        odd = np.ndarray(made.shape, dtype, room.data, offset=1)
        odd[...] = made
        made = odd
    return made


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_arrays_come_back_bit_by_bit(dtype):
    rng = np.random.default_rng(1)
    run, dtype = identity(dtype), np.dtype(dtype)
    for _ in range(COUNT):
        x = random_array(rng, dtype, int(rng.integers(0, 4)))
        before = run.copied_bytes["inputs"]
        y = run(x)
        assert y.dtype == dtype and y.shape == x.shape and flat(y) == flat(x)
        copied = run.copied_bytes["inputs"] - before
        dense = x.flags.c_contiguous and x.flags.aligned
        assert copied == (0 if dense else x.nbytes)
        assert not np.shares_memory(x, y)


def test_every_dtype_of_ml_dtypes_comes_back():
    rng = np.random.default_rng(2)
    for name, dtype in extension_types().items():
        run = identity(name)
        for rank in (0, 1, 2, 3):
            x = random_array(rng, np.dtype(np.uint8 if dtype.itemsize == 1 else np.uint16), rank)
            x = x.view(dtype) if x.flags.c_contiguous else np.ascontiguousarray(x).view(dtype)
            y = run(x)
            assert y.dtype == dtype and y.shape == x.shape, name
            if dtype.name.startswith(("int", "uint")):
                # The unused bits of a byte are nobody's.
                assert (y.astype(int) == x.astype(int)).all(), name
            elif name != "float4_e2m1fn":
                assert flat(y) == flat(x), name


def test_contiguous_arrays_are_not_copied(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = floats(1000)
    for given in (x, memoryview(x), array.array("f", x.tolist()), Exported(x)):
        assert np.array_equal(run(given), -x)
    assert run.copied_bytes == {"inputs": 0, "outputs": 0}
    assert np.array_equal(run(x[::2]), -x[::2])
    assert run.copied_bytes == {"inputs": x[::2].nbytes, "outputs": 0}


def test_other_byte_orders_are_copied_once(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = floats(4, 5)
    swapped = x.astype(x.dtype.newbyteorder())
    assert np.array_equal(run(swapped), -x)
    assert np.array_equal(run(swapped.T), -x.T)
    assert run.copied_bytes["inputs"] == 2 * x.nbytes


class Exported:
    """An array that is known by DLPack alone."""

    def __init__(self, data, code=2, device=1, flags=0, lanes=1):
        self.data, self.code, self.device = data, code, device
        self.flags, self.lanes = flags, lanes

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, *, max_version=None):
        data, rank = self.data, self.data.ndim
        shape = (ctypes.c_int64 * rank)(*data.shape)
        steps = [stride // data.itemsize for stride in data.strides]
        strides = (ctypes.c_int64 * rank)(*steps)
        bits = 8 * data.itemsize
        tensor = (data.ctypes.data, self.device, 0, rank, self.code, bits, self.lanes)
        managed = Managed(major=1, flags=self.flags, tensor=(*tensor, shape, strides, 0))
        self.exported = managed, shape, strides
        return capsule(managed)


def test_strided_exports_are_copied(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = floats(4, 6, 5)
    for view in (x.transpose(2, 0, 1), x[::2, ::-1], x[1:, 2:5, ::2]):
        before = run.copied_bytes["inputs"]
        assert np.array_equal(run(Exported(view)), -view)
        assert run.copied_bytes["inputs"] - before == view.nbytes


def test_exports_of_bfloat16_need_no_ml_dtypes(floats):
    ty = {"x": tensor_type("bfloat16")}, {"y": tensor_type("float32")}
    run = trident.Model(model([node("Cast", ["x"], ["y"], to=1)], *ty))
    x = floats(10)
    upper = (x.view(np.uint32) >> 16).astype(np.uint16)
    expected = (upper.astype(np.uint32) << 16).view(np.float32)
    assert np.array_equal(run(Exported(upper, code=4)), expected)


@pytest.mark.parametrize(
    "changes, text", [({"device": 2}, "another device"), ({"lanes": 2}, "2 lanes")]
)
def test_exports_that_cannot_be_read_are_refused(floats, changes, text):
    with pytest.raises((trident.ModelError, ValueError), match=text):
        trident.Model(unary("Neg", "float32"))(Exported(floats(4), **changes))


def test_results_live_as_long_as_they_are_used(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = floats(1000)
    y = run(x)
    part = y[10:20]
    run.close()
    del run, y
    gc.collect()
    assert np.array_equal(part, -x[10:20])
    part += 1
    assert np.array_equal(np.from_dlpack(part), 1 - x[10:20])


def test_results_that_are_inputs_or_constants_are_the_callers_own(floats):
    ty = tensor_type("float32", [4])
    run = trident.Model(
        model(
            [node("Identity", ["x"], ["a"]), node("Identity", ["x"], ["b"])],
            {"x": ty},
            {"a": ty, "b": ty},
        )
    )
    x = floats(4)
    kept = x.copy()
    a, b = run(x)
    a += 1
    x[:] = 7
    assert np.array_equal(b, kept) and np.array_equal(a, kept + 1)
    assert run.copied_bytes["inputs"] == 0


def test_lent_memory_cannot_be_resized_and_is_given_back(floats):
    run = trident.Model(unary("Neg", "float32"))
    x = bytearray(floats(100).tobytes())
    y = run(memoryview(x).cast("f"))
    x += b"more"
    assert len(y) == 100


def test_scalars_lists_and_numbers():
    run = trident.Model(unary("Neg", "float32"))
    for given in (2, 2.0, True, [1, 2.5], [[1], [2]], (3.0,), [], np.float32(4)):
        assert np.array_equal(run(given), -np.asarray(given, np.float32))
    whole = trident.Model(unary("Neg", "int64"))
    assert np.array_equal(whole([[1, 2]]), [[-1, -2]])
    with pytest.raises(trident.ModelError, match="numbers are float64, and int64 is expected"):
        whole([1.5])
    with pytest.raises(OverflowError):
        trident.Model(unary("Neg", "int32"))([1 << 40])


def test_strings_of_every_kind_of_array():
    run = identity("object")
    for given in (
        ["a", "ä"],
        np.array(["a", "ä"]),
        np.array(["a", "ä"], object),
        [b"a", "ä".encode()],
    ):
        y = run(given)
        assert y.dtype == object and y.tolist() == ["a", "ä"]
    assert run(np.array([["x", "y"], ["z", ""]])).tolist() == [["x", "y"], ["z", ""]]
    assert run("word").tolist() == "word" and run("word").shape == ()
    with pytest.raises(trident.ModelError, match="element 1 is a `int`, and strings"):
        run(np.array(["a", 1], object))
    with pytest.raises(trident.ModelError, match="element 0 is not UTF-8"):
        run([b"\xff"])


def test_sequences_are_lists(floats):
    item = tensor_type("float32")
    nodes = [node("SequenceInsert", ["s", "x"], ["t"])]
    types = {"s": sequence_type(item), "x": item}, {"t": sequence_type(item)}
    run = trident.Model(model(nodes, *types))
    parts = [floats(2), floats(3, 4)]
    t = run(parts, parts[0])
    assert isinstance(t, list) and len(t) == 3
    assert all(np.array_equal(a, b) for a, b in zip(t, [*parts, parts[0]]))
    with pytest.raises(trident.ModelError, match="it is a `ndarray`, and a list is expected"):
        run(parts[0], parts[0])
    with pytest.raises(trident.ModelError, match="item 1 of the list: it is a `object`"):
        run([parts[0], object()], parts[0])


def test_optional_values_are_none_or_themselves(floats):
    inner = tensor_type("float32", ["N"])
    types = {"x": optional_type(inner)}, {"y": tensor_type("bool", [])}
    run = trident.Model(model([node("OptionalHasElement", ["x"], ["y"])], *types))
    assert run.inputs[0].is_optional and run.inputs[0].dtype is None
    assert not run(None) and not run() and run(floats(3)) and run([1.0])
    made = {"x": inner}, {"y": optional_type(inner)}
    wrapped = trident.Model(model([node("Optional", ["x"], ["y"])], *made))
    x = floats(4)
    assert np.array_equal(wrapped(x), x)


def test_maps_are_dicts(floats):
    entries = map_type("int64", tensor_type("float32"))
    ml = {"domain": "ai.onnx.ml"}
    nodes = [node("ZipMap", ["x"], ["y"], classlabels_int64s=[7, -2], **ml)]
    types = {"x": tensor_type("float32", ["N", 2])}, {"y": sequence_type(entries)}
    zipped = trident.Model(model(nodes, *types))(np.array([[1, 2], [3, 4]], np.float32))
    assert zipped == [{7: 1.0, -2: 2.0}, {7: 3.0, -2: 4.0}]
    vector = node("DictVectorizer", ["x"], ["y"], int64_vocabulary=[-2, 5, 7], **ml)
    run = trident.Model(model([vector], {"x": entries}, {"y": tensor_type("float32")}))
    assert run({7: 1.5, -2: 2}).tolist() == [2.0, 0.0, 1.5]
    with pytest.raises(trident.ModelError, match="it is a `list`, and a dict is expected"):
        run([1.0])


def test_what_is_no_array_is_refused(floats):
    run = trident.Model(unary("Neg", "float32"))
    for wrong in (object(), {"a": 1}, {1, 2}, "text"):
        with pytest.raises(trident.ModelError, match="an array is expected"):
            run(wrong)
    with pytest.raises(trident.ModelError, match="a masked array"):
        run(np.ma.masked_array(floats(3), mask=[0, 1, 0]))
    with pytest.raises(trident.ModelError, match="convert it by `.astype..float32"):
        run(np.array([1.5, 2], object))
    with pytest.raises(trident.ModelError, match="no arrays of `datetime64"):
        run(np.zeros(3, "M8[s]"))
