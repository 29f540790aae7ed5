"""Sequences of requests: what the server adds to each, played for ONNX Runtime."""

import numpy as np
from tritonclient.grpc import model_config_pb2

from backend_suite.tensors import expect

IDS = (71, 72)
LENGTH = 4
NUMPY = {
    "BOOL": bool,
    "INT32": np.int32,
    "FP32": np.float32,
    "UINT64": np.uint64,
    "INT64": np.int64,
}
Control = model_config_pb2.ModelSequenceBatching.Control


def agree(http, config, session, rng):
    """Two sequences in turns have ONNX Runtime's answers."""
    batch = [1] if config.max_batch_size else []
    states = {number: first_states(config, batch) for number in IDS}
    for turn in range(LENGTH):
        for number in IDS:
            ends = (turn == 0, turn == LENGTH - 1)
            inputs = {one.name: drawn(one, batch, rng) for one in config.input}
            controls = {
                one.name: control(one, batch, number, *ends)
                for one in config.sequence_batching.control_input
            }
            found = session.run(inputs | controls | states[number])
            for state in config.sequence_batching.state:
                states[number][state.input_name] = found[state.output_name]
            parameters = {"sequence_id": number}
            parameters |= {"sequence_start": ends[0], "sequence_end": ends[1]}
            wanted = {one.name: found[one.name] for one in config.output}
            got = http.infer(config.name, inputs, parameters=parameters)
            expect(wanted, got)


def named(data_type):
    return model_config_pb2.DataType.Name(data_type).removeprefix("TYPE_")


def drawn(one, batch, rng):
    shape = [*batch, *(max(dim, 1) for dim in one.dims)]
    values = [rng.randrange(20) for _ in range(int(np.prod(shape)))]
    return of_type(named(one.data_type), values, shape)


def of_type(kind, values, shape):
    if kind == "STRING":
        return np.array([str(value).encode() for value in values], object).reshape(shape)
    return np.array(values).astype(NUMPY[kind]).reshape(shape)


def control(one, batch, number, start, end):
    """The tensor of a control, from the first kind that its input has."""
    [kind] = one.control
    if kind.kind == Control.CONTROL_SEQUENCE_CORRID:
        return of_type(named(kind.data_type), [number], [*batch, 1])
    is_so = {
        Control.CONTROL_SEQUENCE_START: start,
        Control.CONTROL_SEQUENCE_END: end,
        Control.CONTROL_SEQUENCE_READY: True,
    }[kind.kind]
    for field, kind_of in (
        ("int32_false_true", "INT32"),
        ("fp32_false_true", "FP32"),
        ("bool_false_true", "BOOL"),
    ):
        values = getattr(kind, field)
        if values:
            return of_type(kind_of, [values[is_so]], [*batch, 1])
    raise AssertionError(f"control {one.name} has no values")


def first_states(config, batch):
    """States of nothing but zeros."""
    states = {}
    for state in config.sequence_batching.state:
        shape = [*batch, *(max(dim, 1) for dim in state.dims)]
        zeros = [0] * int(np.prod(shape))
        states[state.input_name] = of_type(named(state.data_type), zeros, shape)
    return states
