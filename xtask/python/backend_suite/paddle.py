"""A model in the format of Paddle 3, which the backend reads under the name `paddle`."""

import json

from .repository import configuration

INPUT, RESULT = "INPUT0", "fetch_name_0"


def add_one(repository, name, size=16, extra="", batch=8):
    """RESULT = INPUT + 1 on FP32 rows."""
    rows = [-1, size]
    ops = [
        op("1.data", [], 1, rows, name=text(INPUT), shape=shape(rows), dtype=FLOAT),
        op("1.full", [], 2, [1], shape=shape([1]), value=attribute("0.a_f64", 1.0), dtype=FLOAT),
        op("1.add", [1, 2], 3, rows),
        op("1.fetch", [3], 4, rows, name=text(RESULT), col=attribute("0.a_i32", 0)),
    ]
    block = {"#": "block_0", "args": [], "ops": ops}
    program = {
        "base_code": {"magic": "pir", "trainable": True, "version": 4},
        "program": {"regions": [{"#": "region_0", "blocks": [block]}]},
    }
    inputs, outputs = {INPUT: ("FP32", [size])}, {RESULT: ("FP32", [size])}
    settings = configuration(inputs, outputs, "paddle", batch, extra)
    repository.add(name, json.dumps(program).encode(), settings, "model.json")


def op(kind, operands, result, dims, **attributes):
    """An op with one f32 result."""
    tensor = {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, dims, "NCHW", [], 0]}
    return {
        "#": kind,
        "A": [{"N": key, "AT": value} for key, value in attributes.items()],
        "I": [{"%": operand} for operand in operands],
        "O": [{"%": result, "TT": tensor}],
        "OA": [],
    }


def attribute(kind, value):
    return {"#": kind, "D": value}


def text(value):
    return attribute("0.a_str", value)


def shape(dims):
    return attribute("1.a_intarray", dims)


FLOAT = attribute("1.a_dtype", "float32")
