"""What is wrong with a model or its arguments, and what the error says."""

import pickle

import numpy as np
import pytest
from onnx_bytes import model, node, sequence_type, tensor, tensor_type, unary

import trident

TYPE = tensor_type("float32", ["N", 3])
SUM = model([node("Add", ["x", "y"], ["z"])], {"x": TYPE, "y": TYPE}, {"z": TYPE})


def error(run, *args, **named):
    with pytest.raises(trident.ModelError) as caught:
        run(*args, **named)
    return caught.value


@pytest.mark.parametrize(
    "args, named, operand, text",
    [
        ([(2, 3)], {}, "y", "input `y` (f32[N, 3]) is missing"),
        ([(2, 3), (2, 3), (2, 3)], {}, None, "the model takes 2 inputs, not 3"),
        ([(2, 3)], {"z": (2, 3)}, "z", "the model has no input `z`"),
        ([(2, 3)], {"Y": (2, 3)}, "Y", "it is called `y`"),
        ([(2, 3)], {"x": (2, 3)}, "x", "input `x` was given twice"),
        ([(2, 3), (5, 3)], {}, "y", "dimension 0 (`N`) is 5, but `N` is 2 in input `x`"),
        ([(2, 3), (2, 4)], {}, "y", "input `y`: dimension 1 is 4, expected 3 (f32[N, 3])"),
        ([(2, 3), (2,)], {}, "y", "input `y` has rank 1, expected 2 (f32[N, 3])"),
    ],
)
def test_arguments_that_do_not_fit_say_what_was_expected(args, named, operand, text):
    run = trident.Model(SUM)
    arrays = [np.zeros(dims, np.float32) for dims in args]
    raised = error(run, *arrays, **{k: np.zeros(v, np.float32) for k, v in named.items()})
    assert text in str(raised) and raised.operand == operand and raised.node is None
    assert "x: f32[N, 3], y: f32[N, 3]" in raised.hint


def test_other_element_types_name_the_conversion():
    raised = error(trident.Model(SUM), np.zeros((2, 3)), np.zeros((2, 3)))
    assert raised.reason == "input `x` has element type f64, expected f32"
    assert '.astype("float32")' in raised.hint


def test_a_failing_node_is_named():
    ty = {"x": tensor_type("float32", ["N"]), "i": tensor_type("int64", [])}
    gather = node("Gather", ["x", "i"], ["y"], "pick")
    run = trident.Model(model([gather], ty, {"y": tensor_type("float32")}))
    raised = error(run, np.zeros(3, np.float32), np.int64(7))
    assert raised.node == "pick" and "x: f32[3]" in str(raised) and raised.reason in str(raised)
    assert raised.operand is None
    again = pickle.loads(pickle.dumps(raised))
    assert str(again) == str(raised) and again.node == "pick"
    # The model is as it was.
    assert run(np.ones(3, np.float32), np.int64(2)) == 1


def test_models_that_cannot_be_loaded(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent.onnx"):
        trident.Model(tmp_path / "absent.onnx")
    (tmp_path / "bad.onnx").write_bytes(b"no model")
    raised = error(trident.Model, str(tmp_path / "bad.onnx"))
    assert "bad.onnx" in str(raised) and "not a valid ONNX model" in raised.reason
    assert "the bytes of a model" in str(error(trident.Model, b"no model"))
    assert "the folder has none of the files" in error(trident.Model, tmp_path).reason
    with pytest.raises(TypeError, match="by its path, or as the bytes"):
        trident.Model(7)
    unknown = error(trident.Model, unary("NoSuchOp", "float32"))
    assert unknown.node == "the node" and "NoSuchOp" in unknown.reason


@pytest.mark.parametrize(
    "op, shapes, attributes, reason",
    [
        ("Conv", [(1, 3, 8, 8), (4, 2, 3, 3)], {}, "channels of `a` [1, 3, 8, 8] against weights"),
        ("Conv", [(1, 3, 8, 8), (4, 3, 3, 3)], {"group": 0}, "`group` is 0, expected at least 1"),
        ("Conv", [(1, 3, 8, 8), (4, 3, 3, 3)], {"strides": [0, 1]}, "`strides` holds 0, expected"),
        ("Conv", [(1, 3, 8, 8), (4, 3, 3, 3)], {"pads": [0, 1, 2]}, "`pads` has 3 entries"),
        ("MatMul", [(1, 3), (4, 2)], {}, "`a` [1, 3] times `b` [4, 2]: 3 and 4 differ"),
        ("Gemm", [(1, 3), (4, 2)], {}, "`a` [1, 3] times `b` [4, 2]: 3 and 4 differ"),
        ("Concat", [(1, 3), (2, 4)], {"axis": 0}, "axis 1 of `b` [2, 4]: 3 and 4 differ"),
        ("Add", [(2, 3), (4,)], {}, "`a` [2, 3] and `b` [4] do not broadcast together"),
        ("Relu", [(1, 3), (1, 3)], {}, "has 2 operands, expected 1"),
        ("MatMul", [(1, 3)], {}, "needs operand 1 (`b`)"),
        ("ReduceSum", [(1, 3)], {"keepdims": 7}, "attribute `keepdims` is 7, expected 0 or 1"),
    ],
)
def test_errors_of_a_load_name_the_node(op, shapes, attributes, reason):
    inputs = {name: tensor_type("float32", list(dims)) for name, dims in zip("ab", shapes)}
    made = node(op, list(inputs), ["y"], "an `odd` name", **attributes)
    raised = error(trident.Model, model([made], inputs, {"y": tensor_type("float32")}))
    assert raised.node == "an `odd` name" and reason in raised.reason, raised.reason
    assert raised.operand is None and "an `odd` name" in str(raised)


def test_an_operand_of_another_type_is_named():
    made = node("MatMul", ["a", "b"], ["y"], "product")
    inputs = {"a": tensor_type("float32", [1, 3]), "b": tensor_type("float64", [3, 2])}
    raised = error(trident.Model, model([made], inputs, {"y": tensor_type("float32")}))
    assert raised.node == "product" and "`b` is f64[3, 2], expected f32" in raised.reason
    assert raised.operand == "b"


def test_an_odd_name_of_a_node_stays_whole():
    made = node("MatMul", ["x", "w"], ["y"], "my`odd`node")
    file = model(
        [made],
        {"x": tensor_type("float32", ["N", 10])},
        {"y": tensor_type("float32")},
        [tensor("w", np.ones((10, 10), np.float32))],
    )
    raised = error(trident.Model, file, memory_limit=10)
    assert raised.node == "my`odd`node" and raised.kind == "memory"


def test_operators_are_called_as_in_the_file():
    types = {name: tensor_type("float32", [1, 2, 4]) for name in "xs"}
    types["g"] = tensor_type("float32", [4])
    made = node("SkipLayerNormalization", list("xsg"), ["y", "m"], "n", "com.microsoft")
    results = {name: tensor_type("float32") for name in "ym"}
    raised = error(trident.Model, model([made], types, results, microsoft=1))
    text = "result 1 (`mean`) is f32[*], must be left out"
    assert raised.node == "n" and raised.reason == text
    assert str(raised).endswith(f"SkipLayerNormalization `n`: {text}")


def test_hints_are_about_what_is_wrong():
    scalar = tensor_type("float32", [])
    run = trident.Model(
        model(
            [node("Range", list("abc"), ["y"], "n")],
            {name: scalar for name in "abc"},
            {"y": tensor_type("float32", ["N"])},
        )
    )
    raised = error(run, 0.0, 1.0, 0.0)
    assert raised.reason == "a range has step 0" and raised.hint is None
    shape = tensor_type("int64", ["K"])
    made = node("Reshape", ["x", "s"], ["y"], "n")
    types = {"x": tensor_type("float32", ["N"]), "s": shape}
    run = trident.Model(model([made], types, {"y": tensor_type("float32")}))
    raised = error(run, np.ones(6, np.float32), np.array([-1, -1]))
    assert "which has more than one -1" in raised.reason and raised.hint is None
    raised = error(run, np.ones(6, np.float32), np.array([4, -1]))
    assert "shapes of the inputs" in raised.hint


def test_an_item_of_another_type_is_named():
    floats = tensor_type("float32")
    made = node("SequenceAt", ["s", "i"], ["y"])
    types = {"s": sequence_type(floats), "i": tensor_type("int64", [])}
    run = trident.Model(model([made], types, {"y": floats}))
    raised = error(run, [np.ones(2, np.float32), np.ones(3)], 0)
    text = "input `s` is a sequence whose item 1 is f64[3], expected seq<f32[*]>"
    assert raised.reason == text and raised.operand == "s"


def test_declared_sizes_of_outputs_are_not_stated_where_a_run_contradicts_them():
    made = node("Relu", ["x"], ["y"])
    types = {"x": tensor_type("float32", ["N", 3])}
    run = trident.Model(model([made], types, {"y": tensor_type("float32", [5, 3])}))
    assert run.outputs[0].type == "f32[N, 3]"
    assert run(np.zeros((2, 3), np.float32)).shape == (2, 3)


def test_options_that_cannot_be():
    data = unary("Neg", "float32")
    assert "no device `gpu`" in str(error(trident.Model, data, device="gpu"))
    assert "precision" in str(error(trident.Model, data, precision="fp16"))
    with pytest.raises(ValueError, match="a copy of a model has its options"):
        trident.Model(trident.Model(data), threads=1)
    for options, text in (
        ({"threads": 2000}, "threads must be 0 .one for each core. to 1024, not 2000"),
        ({"threads": -1}, "threads must be 0 .*, not -1"),
        ({"memory_limit": 0}, "memory_limit must be a number of bytes above 0, or None, not 0"),
        ({"memory_limit": -5}, "memory_limit must be .*, not -5"),
        ({"time_limit": 0}, "time_limit is a number of seconds above 0"),
        ({"time_limit": float("nan")}, "time_limit"),
    ):
        with pytest.raises(ValueError, match=text):
            trident.Model(data, **options)
    for options, text in (
        ({"threads": "2"}, "threads must be .*, not '2'"),
        ({"memory_limit": "1GB"}, "memory_limit must be .* above 0, or None, not '1GB'"),
        ({"time_limit": "5"}, "time_limit must be a number of seconds above 0, or None, not '5'"),
        ({"device": ["cpu"]}, r"device must be a name, .* not \['cpu'\]"),
    ):
        with pytest.raises(TypeError, match=text):
            trident.Model(data, **options)
    run = trident.Model(data)
    for outputs in ("y", [3], 5):
        with pytest.raises(TypeError, match="outputs takes a list of names"):
            run.run({"x": np.ones(2, np.float32)}, outputs=outputs)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "none" / "x.mps"
    with pytest.raises(FileNotFoundError) as caught:
        trident.Model(SUM).compile(path)
    assert caught.value.filename == str(path)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"threads": -1}, ValueError, r"threads must be 0 \(one for each core\) to 1024, not -1"),
        ({"threads": "2"}, TypeError, "threads must be .*, not '2'"),
        ({"memory_limit": -1}, ValueError, "memory_limit must be a number of bytes above 0"),
        ({"memory_limit": 1e9}, TypeError, "memory_limit must be .*, not 1000000000.0"),
    ],
)
def test_options_that_are_no_such_numbers_are_named(options, error, text):
    with pytest.raises(error, match=text):
        trident.Model(unary("Neg", "float32"), **options)


def test_outputs_are_a_list_of_names():
    run, x = trident.Model(unary("Neg", "float32")), np.ones(3, np.float32)
    assert list(run.run({"x": x}, ("y",))) == ["y"] and run.run({"x": x}, []) == {}
    assert trident.Model(run).run({"x": x}, outputs=None).keys() == {"y"}
    for outputs in ("y", b"y", 3, [3], [["y"]]):
        with pytest.raises(TypeError, match="outputs takes a list of names"):
            run.run({"x": x}, outputs)
    # ONNX Runtime's order of arguments.
    for first in (None, ["y"]):
        with pytest.raises(TypeError, match="run takes the inputs first"):
            run.run(first, {"x": x})


def test_limits_of_memory():
    run = trident.Model(unary("Neg", "float32"), memory_limit=1 << 20)
    small = np.zeros(1000, np.float32)
    assert (run(small) == 0).all()
    assert error(run, np.zeros(1 << 20, np.float32)).node == "the node"
    assert (run(small) == 0).all()


def test_a_closed_model_says_so():
    with trident.Model(SUM) as run:
        other = run.__copy__()
    assert "closed" in str(error(run, np.zeros((1, 3), np.float32))) and "closed" in repr(run)
    one = np.ones((1, 3), np.float32)
    assert (other(one, one) == 2).all()


def test_defaults_may_be_left_out():
    ty = tensor_type("float32", ["N"])
    two = tensor("two", np.array([2], np.float32))
    file = model(
        [node("Mul", ["x", "two"], ["y"])],
        {"x": ty, "two": tensor_type("float32", [1])},
        {"y": ty},
        [two],
    )
    run = trident.Model(file)
    assert [(value.name, value.is_optional) for value in run.inputs] == [
        ("x", False),
        ("two", True),
    ]
    x = np.ones(3, np.float32)
    assert (run(x) == 2).all() and (run(x, two=None) == 2).all()
    assert (run(x, two=np.array([5], np.float32)) == 5).all()
