"""Built-in backends, beside ONNX models that compute the same in 2.51, which lacks these backends.

Also requests that warm up models with sequences.
"""

import numpy as np
from onnx import helper

from backend_suite import repository as made

from .models import CONTROLS, IDLE, marks, of, same
from .talk import row, tensor, wanted

STATE = (
    'state [ { input_name: "SUM_IN" output_name: "SUM_OUT" data_type: TYPE_INT32 dims: [ 1 ] '
    'initial_state: { name: "first" data_type: TYPE_INT32 dims: [ 1 ] zero_data: true } } ]'
)
VECTOR = ("INT32", [-1])


def _identity(t, kind="FP32", **options):
    """OUTPUT0 = INPUT0."""
    t.serve(same, kind=kind, backend="identity" if t.side.has_builtins else "trident", **options)


def _adder(repository, name, backend, builtin, strategy="", batch=4):
    """OUTPUT = the sum of a sequence's elements, at the end with its id if END is a control."""
    names = ["START", "READY"] if backend == "sequence" else ["START", "END", "READY", "CORRID"]
    controls = {key: CONTROLS[key] for key in names if key in CONTROLS}
    if "CORRID" in names:
        controls["CORRID"] = "kind: CONTROL_SEQUENCE_CORRID data_type: TYPE_UINT64"
    listed = ", ".join(
        f'{{ name: "{key}" control [ {{ {text} }} ] }}' for key, text in controls.items()
    )
    state = "" if builtin else STATE
    extra = f"sequence_batching {{ {IDLE} {strategy} control_input [ {listed} ] {state} }}"
    inputs, outputs = {"INPUT": VECTOR}, {"OUTPUT": VECTOR}
    text = made.configuration(inputs, outputs, backend if builtin else "trident", batch, extra)
    repository.add(name, None if builtin else _adding(names, inputs, outputs, batch), text)


def _adding(names, inputs, outputs, batch):
    """The ONNX model that adds up."""
    node = helper.make_node
    nodes = [
        node("ReduceSum", ["INPUT", "last"], ["sum"], keepdims=1),
        node("Sub", ["one", "START"], ["goes_on"]),
        node("Mul", ["SUM_IN", "goes_on"], ["before"]),
        node("Add", ["before", "sum"], ["total"]),
    ]
    total = "total"
    if "END" in names:
        nodes += [
            node("Cast", ["CORRID"], ["id"], to=made.element("INT32")),
            node("Mul", ["id", "END"], ["at_end"]),
            node("Add", ["total", "at_end"], ["whole"]),
        ]
        total = "whole"
    nodes += [
        node("Sub", ["INPUT", "INPUT"], ["zeros"]),
        node("Add", ["zeros", total], ["OUTPUT"]),
        node("Mul", [total, "READY"], ["SUM_OUT"]),
    ]
    controls = {key: ("UINT64" if key == "CORRID" else "INT32", [1]) for key in names}
    one = {"SUM_IN": ("INT32", [1])}, {"SUM_OUT": ("INT32", [1])}
    constants = {"one": np.array([1], np.int32), "last": np.array([-1], np.int64)}
    graph = of(_named(inputs) | controls | one[0], batch), of(_named(outputs) | one[1], batch)
    return made.model(nodes, *graph, constants)


def _named(part):
    """Tensors whose variable dimension has a name."""
    return {key: (kind, ["n"]) for key, (kind, _) in part.items()}


def _add(t, values, sequence, start=False, end=False, **fields):
    flags = {"sequence_id": sequence, "sequence_start": start, "sequence_end": end}
    t.infer(row(*values, name="INPUT", datatype="INT32"), parameters=flags, **fields)


def _adds(t, backend, **options):
    _adder(t.side.models, t.name, backend, t.side.has_builtins, **options)
    t.load()


def identity(t):
    _identity(t)
    t.infer(row(1, 2.5, -3), id="a")
    t.infer(tensor("INPUT0", "FP32", [2, 0], []))
    t.infer(tensor("INPUT0", "FP32", [9, 1], [0] * 9))
    t.infer(row(1, datatype="INT32"))
    t.infer(row(1, name="X"))
    t.infer(row(5, 7, 6), outputs=[wanted("OUTPUT0", classification=2)])
    t.infer(row(5), outputs=[wanted("OUTPUT1")])
    t.rpc_infer(row(1, 2))
    t.stats()


def identity_of_texts(t):
    _identity(t, kind="BYTES")
    t.infer(row("a", "", "ä😀", datatype="BYTES"))
    t.rpc_infer(row("YQ==", datatype="BYTES"))


def identity_with_a_batcher(t):
    _identity(t, extra="dynamic_batching { }")
    for size in (1, 2, 8):
        t.infer(tensor("INPUT0", "FP32", [size, 2], list(range(2 * size))))
    t.stats()


def sequence_backend(t):
    _adds(t, "sequence")
    _add(t, [1, 2], 7, start=True)
    _add(t, [10], 8, start=True)
    _add(t, [3], 7)
    _add(t, [1, 1, 1], 8, end=True)
    _add(t, [2147483647, 1], 7, start=True)
    _add(t, [1], 8)
    _add(t, [1], 0, start=True)
    t.infer(tensor("INPUT", "INT32", [2, 1], [1, 2]), parameters={"sequence_id": 1})


def sequence_backend_without_batch(t):
    _adds(t, "sequence", batch=0)
    for step in range(3):
        flags = {"sequence_id": 4, "sequence_start": step == 0, "sequence_end": step == 2}
        t.infer(tensor("INPUT", "INT32", [2], [step, 1]), parameters=flags)


def dyna_sequence_backend(t):
    _adds(t, "dyna_sequence", strategy="oldest { max_candidate_sequences: 4 }")
    _add(t, [1, 2], 7, start=True)
    _add(t, [10], 8, start=True)
    _add(t, [3], 7, end=True)
    _add(t, [5], 8)
    _add(t, [1], 8, end=True)
    _add(t, [1, 1], 100, start=True, end=True)


def _warmup(inputs, batch=1, count=1):
    listed = " ".join(
        f'inputs {{ key: "{name}" value {{ data_type: TYPE_{kind} dims: [ 1 ] {data}: true }} }}'
        for name, kind, data in inputs
    )
    return f'model_warmup [ {{ name: "w" batch_size: {batch} count: {count} {listed} }} ]'


def _warm(t, make, inputs, **options):
    """Load a model with a request that warms it up."""
    make(t.side.models, t.name, **options)
    config = t.folder() / "config.pbtxt"
    config.write_text(f"{config.read_text()}\n{_warmup(inputs)}\n")
    t.load()
    t.ready()


def warm_up_with_controls(t):
    controls = [("START", "FP32", "zero_data"), ("END", "INT32", "zero_data")]
    controls += [("READY", "BOOL", "zero_data"), ("CORRID", "UINT64", "zero_data")]
    _warm(t, marks, [("INPUT", "FP32", "random_data"), *controls])
    t.infer(
        tensor("INPUT", "FP32", [1, 1], [1]), parameters={"sequence_id": 3, "sequence_start": True}
    )


def warm_up_of_a_wrong_type(t):
    _warm(t, same, [("INPUT0", "INT32", "zero_data")])
