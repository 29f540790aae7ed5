"""Models for sequences: each function adds one to a repository, under any name.

`extra` is text for the end of its configuration.
"""

import numpy as np
import onnx
from onnx import helper

from backend_suite import repository as made
from backend_suite import sequences as stateful

IDLE = "max_sequence_idle_microseconds: 60000000"
CONTROLS = {
    "START": "kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ]",
    "END": "kind: CONTROL_SEQUENCE_END int32_false_true: [ 0, 1 ]",
    "READY": "kind: CONTROL_SEQUENCE_READY int32_false_true: [ 0, 1 ]",
}


def add(repository, name, **options):
    """OUTPUT0 = INPUT0 + 1 on rows of four FP32 numbers."""
    made.add_one(repository, name, **{"size": 4, **options})


def pair(repository, name, extra="", batch=8):
    """OUTPUT0 = INPUT0 + INPUT1 and OUTPUT1 = INPUT0 - INPUT1 on INT32 rows of two."""
    inputs = {key: ("INT32", [2]) for key in ("INPUT0", "INPUT1")}
    outputs = {key: ("INT32", [2]) for key in ("OUTPUT0", "OUTPUT1")}
    nodes = [
        helper.make_node(op, list(inputs), [output]) for op, output in zip(("Add", "Sub"), outputs)
    ]
    write(repository, name, nodes, inputs, outputs, batch=batch, extra=extra)


def same(repository, name, kind="FP32", rank=1, batch=8, extra="", backend="trident"):
    """OUTPUT0 = INPUT0 of any length."""
    inputs, outputs = {"INPUT0": (kind, [-1] * rank)}, {"OUTPUT0": (kind, [-1] * rank)}
    node = helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"])
    free = [f"d{k}" for k in range(rank)]
    shape = ["N", *free] if batch else free
    graph = made.model([node], {"INPUT0": (kind, shape)}, {"OUTPUT0": (kind, shape)})
    text = made.configuration(inputs, outputs, backend, batch, extra)
    repository.add(name, graph, text)


def labelled(repository, name, labels="cat\ndog\nfish\n", size=4, batch=4):
    """OUTPUT0 = INPUT0, with labels for its classes, and OUTPUT1 = -INPUT0 without."""
    inputs = {"INPUT0": ("FP32", [size])}
    outputs = {"OUTPUT0": ("FP32", [size]), "OUTPUT1": ("FP32", [size])}
    nodes = [
        helper.make_node("Identity", ["INPUT0"], ["OUTPUT0"]),
        helper.make_node("Neg", ["INPUT0"], ["OUTPUT1"]),
    ]
    write(repository, name, nodes, inputs, outputs, batch=batch)
    config = repository.folder / name / "config.pbtxt"
    text = config.read_text()
    config.write_text(
        text.replace('name: "OUTPUT0"', 'label_filename: "labels.txt" name: "OUTPUT0"')
    )
    (repository.folder / name / "labels.txt").write_text(labels)


def slow(repository, name, extra="", batch=1):
    """OUTPUT0 = INPUT0, at most 1000, after INPUT0 rounds of a loop; one run at a time."""
    part = {"INPUT0": ("INT64", [1])}
    numbers = [helper.make_tensor_value_info("state", onnx.TensorProto.FLOAT, [4096])]
    body = helper.make_graph(
        [
            helper.make_node("Identity", ["go_on"], ["still"]),
            helper.make_node("Sin", ["state"], ["sine"]),
            helper.make_node("Add", ["sine", "half"], ["next"]),
        ],
        "body",
        [
            helper.make_tensor_value_info("round", onnx.TensorProto.INT64, []),
            helper.make_tensor_value_info("go_on", onnx.TensorProto.BOOL, []),
            *numbers,
        ],
        [
            helper.make_tensor_value_info("still", onnx.TensorProto.BOOL, []),
            helper.make_tensor_value_info("next", onnx.TensorProto.FLOAT, [4096]),
        ],
    )
    nodes = [
        helper.make_node("ReduceMax", ["INPUT0"], ["count"], keepdims=0),
        helper.make_node("Loop", ["count", "yes", "start"], ["sines"], body=body),
        helper.make_node("ReduceMax", ["sines"], ["most"], keepdims=0),
        helper.make_node("Cast", ["most"], ["small"], to=onnx.TensorProto.INT64),
        helper.make_node("Sub", ["small", "small"], ["zero"]),
        helper.make_node("Min", ["INPUT0", "most_told"], ["told"]),
        helper.make_node("Add", ["told", "zero"], ["OUTPUT0"]),
    ]
    constants = {
        "yes": np.array(True),
        "start": np.zeros(4096, np.float32),
        "half": np.array([0.5], np.float32),
        "most_told": np.array([1000], np.int64),
    }
    outputs = {"OUTPUT0": ("INT64", [1])}
    graph = made.model(nodes, of(part, batch), of(outputs, batch), constants)
    one = "instance_group [ { count: 1 kind: KIND_CPU } ]"
    text = made.configuration(part, outputs, batch=batch, extra=f"{one}\n{extra}")
    repository.add(name, graph, text)


def failing(repository, name, extra=""):
    """OUTPUT0 = a row of a table: the run fails for an index of 10 or more."""
    made.lookup(repository, name, extra)


def sums(repository, name, strategy="", idle=IDLE, batch=4, initial=None, controls=()):
    """OUTPUT = the sum of the sequence's inputs so far, in implicit state."""
    state = (
        'state [ { input_name: "STATE_IN" output_name: "STATE_OUT" data_type: TYPE_FP32 dims: [ 1 ]'
        f" {initial_state(initial)} }} ]"
    )
    inputs, outputs = {"INPUT": ("FP32", [1])}, {"OUTPUT": ("FP32", [1])}
    nodes = [
        helper.make_node("Add", ["INPUT", "STATE_IN"], ["OUTPUT"]),
        helper.make_node("Identity", ["OUTPUT"], ["STATE_OUT"]),
    ]
    graph = made.model(
        nodes,
        of(inputs | {"STATE_IN": ("FP32", [1])}, batch),
        of(outputs | {"STATE_OUT": ("FP32", [1])}, batch),
    )
    extra = f"sequence_batching {{ {idle} {strategy} {state} }}"
    repository.add(name, graph, made.configuration(inputs, outputs, batch=batch, extra=extra))
    if initial is not None and not isinstance(initial, str):
        folder = repository.folder / name / "initial_state"
        folder.mkdir(exist_ok=True)
        (folder / "start").write_bytes(np.array(initial, np.float32).tobytes())


def initial_state(initial):
    """The field for zeros ("zero"), for numbers from a file, or nothing."""
    if initial is None:
        return ""
    source = "zero_data: true" if initial == "zero" else 'data_file: "start"'
    return f'initial_state: {{ data_type: TYPE_FP32 dims: [ 1 ] {source} name: "first" }}'


def marks(repository, name, strategy="", idle=IDLE, corrid="UINT64", batch=4):
    """OUTPUT = INPUT + 100 START + 1000 END, and ID = the correlation id of the sequence."""
    inputs = {"INPUT": ("FP32", [1])}
    outputs = {"OUTPUT": ("FP32", [1]), "ID": (corrid, [1])}
    controls = [
        stateful.control("START", "CONTROL_SEQUENCE_START", "fp32_false_true: [ 0, 100 ]"),
        stateful.control("END", "CONTROL_SEQUENCE_END", "int32_false_true: [ 0, 1000 ]"),
        stateful.control("READY", "CONTROL_SEQUENCE_READY", "bool_false_true: [ false, true ]"),
        stateful.control(
            "CORRID", "CONTROL_SEQUENCE_CORRID", f"data_type: {made.tensors.configured(corrid)}"
        ),
    ]
    nodes = [
        helper.make_node("Cast", ["END"], ["end"], to=made.element("FP32")),
        helper.make_node("Add", ["START", "end"], ["marks"]),
        helper.make_node("Add", ["INPUT", "marks"], ["sum"]),
        helper.make_node("Cast", ["READY"], ["ready"], to=made.element("FP32")),
        helper.make_node("Mul", ["sum", "ready"], ["OUTPUT"]),
        helper.make_node("Identity", ["CORRID"], ["ID"]),
    ]
    more = {
        "START": ("FP32", [1]),
        "END": ("INT32", [1]),
        "READY": ("BOOL", [1]),
        "CORRID": (corrid, [1]),
    }
    graph = made.model(nodes, of(inputs | more, batch), of(outputs, batch))
    extra = f"sequence_batching {{ {idle} {strategy} control_input [ {', '.join(controls)} ] }}"
    repository.add(name, graph, made.configuration(inputs, outputs, batch=batch, extra=extra))


def ensemble(repository, name, steps, inputs, outputs, batch=8, extra=""):
    """`steps` are (model, {its input: tensor}, {its output: tensor})."""
    listed = ", ".join(
        f'{{ model_name: "{model}" model_version: -1 {maps("input_map", taken)}'
        f" {maps('output_map', given)} }}"
        for model, taken, given in steps
    )
    text = made.configuration(inputs, outputs, batch=batch, extra=extra)
    text = text.replace('backend: "trident"', 'platform: "ensemble"')
    repository.add(name, None, f"{text}\nensemble_scheduling {{ step [ {listed} ] }}\n")


def maps(field, table):
    return " ".join(f'{field} {{ key: "{key}" value: "{value}" }}' for key, value in table.items())


def of(part, batch):
    """Graph tensors, with a batch in front if the model has one."""
    return made.batched(part) if batch else part


def write(repository, name, nodes, inputs, outputs, batch=8, extra=""):
    """Add a model of these nodes."""
    graph = made.model(nodes, of(inputs, batch), of(outputs, batch))
    repository.add(name, graph, made.configuration(inputs, outputs, batch=batch, extra=extra))
