"""Values that a model takes and gives: arrays, numbers, strings, lists, dictionaries, `None`."""

import array
import gc

import numpy as np
import pytest
from dlpack import Exported
from onnx_bytes import (
    map_type,
    model,
    node,
    optional_type,
    sequence_type,
    tensor_type,
    unary,
)

import trident


def identity(dtype):
    return trident.Model(unary("Identity", dtype))


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
    "fields, text",
    [
        ({"device_type": 2}, "another device .DLPack type 2.: move it to the CPU"),
        ({"lanes": 2}, "type code 2 with 32 bits and 2 lanes"),
        ({"lanes": 0}, "32 bits and 0 lanes"),
        ({"bits": 3}, "type code 2 with 3 bits"),
        ({"ndim": -3}, "-3 dimensions by DLPack: 0 to 64 are possible"),
        ({"ndim": 1000, "shape": [1] * 1000, "strides": None}, "1000 dimensions by DLPack"),
        ({"shape": None}, "1 dimensions by DLPack, and no lengths of them"),
        ({"shape": [-1]}, "a length or stride by DLPack is no number"),
        ({"shape": [1 << 62]}, "too large for the memory"),
        ({"shape": [1 << 62], "strides": None}, "too large for the memory"),
        ({"shape": [1 << 62], "strides": [0]}, "too large for the memory"),
        ({"ndim": 2, "shape": [1 << 40, 1 << 40], "strides": [0, 0]}, "too large for the memory"),
        ({"data": None}, "it has elements and no memory"),
    ],
)
@pytest.mark.parametrize("versioned", [True, False])
def test_exports_that_cannot_be_read_are_refused(floats, versioned, fields, text):
    run = trident.Model(unary("Neg", "float32"))
    with pytest.raises((trident.ModelError, ValueError), match=text):
        run(Exported(floats(4), versioned=versioned, **fields))
    assert run(floats(3)).shape == (3,)


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


def test_scalars_lists_and_numbers():
    run = trident.Model(unary("Neg", "float32"))
    for given in (2, 2.0, True, [1, 2.5], [[1], [2]], (3.0,), [], np.float32(4)):
        assert np.array_equal(run(given), -np.asarray(given, np.float32))
    whole = trident.Model(unary("Neg", "int64"))
    assert np.array_equal(whole([[1, 2]]), [[-1, -2]])
    with pytest.raises(trident.ModelError, match="numbers are float64, and int64 is expected"):
        whole([1.5])


@pytest.mark.parametrize(
    "dtype, given, text",
    [
        ("int8", [[200]], "its number 200 cannot be a int8"),
        ("int32", [1 << 40], "its number 1099511627776 cannot be a int32"),
        ("int64", [1 << 70], "its numbers are not all numbers, or too large, and int64"),
        ("float32", [[1e300]], r"its number 1e\+300 cannot be a float32"),
        ("float16", [0.5, 70000.0], "its number 70000.0 cannot be a float16"),
        ("float32", [[2**24 + 1]], "its number 16777217 cannot be a float32"),
        ("float32", [[1, 2], [3]], ".*inhomogeneous"),
        ("float32", ["1"], "its numbers are <U1, and float32 is expected"),
    ],
)
def test_numbers_of_a_list_that_a_type_cannot_have_are_errors(dtype, given, text):
    with pytest.raises(trident.ModelError, match=f"input `x`: {text}") as caught:
        trident.Model(unary("Neg", dtype))(given)
    assert caught.value.operand == "x"


def test_numbers_of_a_list_keep_what_their_type_can_have():
    run = trident.Model(unary("Neg", "float32"))
    given = [0.1, float("inf"), float("nan"), -3.4028235e38, 1e-60]
    assert np.array_equal(run(given), -np.float32(given), equal_nan=True)
    assert run([2**24, -(2**40)]).tolist() == [-(2.0**24), 2.0**40]
    assert trident.Model(unary("Neg", "int8"))([-127, 127]).tolist() == [127, -127]


def test_a_list_of_texts_has_texts_only():
    run = identity("object")
    assert run(["a", b"b", "c\0"]).tolist() == ["a", "b", "c\0"]
    for given, text in (
        ([["a", 3]], "element 1 is a `int`, and strings are expected"),
        (["a", None], "element 1 is a `NoneType`"),
        (["\ud800"], "element 0 has a surrogate"),
    ):
        with pytest.raises(trident.ModelError, match=f"input `x`: {text}"):
            run(given)


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
