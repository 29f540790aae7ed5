"""Ensembles: models whose tensors go from one to the next."""

import json

from .models import add, ensemble, failing, labelled, pair, same, sums
from .talk import parameters, row, tensor, wanted

FOUR = {"IN": ("FP32", [4])}, {"OUT": ("FP32", [4])}
X = row(1, 2, 3, 4, name="IN")


def _chain(t, *names, **options):
    """An ensemble of models with one input and one output each, in a row."""
    places = ["IN", *(f"t{k}" for k in range(1, len(names))), "OUT"]
    steps = [
        (name, {"INPUT0": places[k]}, {"OUTPUT0": places[k + 1]}) for k, name in enumerate(names)
    ]
    ensemble(t.side.models, t.name, steps, *(options.pop("tensors", FOUR)), **options)


def chain_of_two(t):
    t.serve(add, name="chain_one")
    _chain(t, "chain_one", "chain_one")
    t.load()
    t.infer(X, id="a")
    t.rpc_infer(X, id="b")
    t.stats()
    t.stats("chain_one")
    t.get(f"/v2/models/{t.name}/config")
    t.get(f"/v2/models/{t.name}")
    t.metrics(match="count|success")


def chain_of_different_batches(t):
    t.serve(add, name="batch_small", batch=2)
    _chain(t, "batch_small", batch=2)
    t.load()
    t.infer(tensor("IN", "FP32", [2, 4], [1] * 8))
    t.infer(tensor("IN", "FP32", [3, 4], [1] * 12))


def branches(t):
    """One tensor goes to both inputs of a step."""
    t.serve(same, name="branch_same", kind="INT32")
    t.serve(pair, name="branch_pair")
    ensemble(
        t.side.models,
        t.name,
        [
            ("branch_same", {"INPUT0": "IN"}, {"OUTPUT0": "copy"}),
            ("branch_pair", {"INPUT0": "copy", "INPUT1": "IN"}, {"OUTPUT0": "SUM"}),
        ],
        {"IN": ("INT32", [2])},
        {"SUM": ("INT32", [2])},
    )
    t.load()
    t.infer(row(3, 4, name="IN", datatype="INT32"))


def outputs_of_ensembles(t):
    t.serve(pair, name="outputs_pair")
    ensemble(
        t.side.models,
        t.name,
        [("outputs_pair", {"INPUT0": "A", "INPUT1": "B"}, {"OUTPUT0": "S", "OUTPUT1": "D"})],
        {"A": ("INT32", [2]), "B": ("INT32", [2])},
        {"S": ("INT32", [2]), "D": ("INT32", [2])},
    )
    t.load()
    both = (row(1, 2, name="A", datatype="INT32"), row(5, 6, name="B", datatype="INT32"))
    t.infer(*both)
    t.infer(*both, outputs=[wanted("D")])
    t.infer(*both, outputs=[wanted("X")])
    t.infer(*both, outputs=[wanted("S", binary_data=True), wanted("D", classification=1)])
    t.infer(both[0])


def failing_step(t):
    t.serve(failing, name="step_fails")
    _chain(t, "step_fails", tensors=({"IN": ("INT64", [1])}, {"OUT": ("FP32", [1])}))
    t.load()
    t.infer(row(3, name="IN", datatype="INT64"))
    t.infer(row(99, name="IN", datatype="INT64"), id="x")
    t.rpc_infer(tensor("IN", "INT64", [1, 1], ["99"]), id="x")
    t.stats()


def wrong_requests(t):
    t.serve(add, name="wrong_step")
    _chain(t, "wrong_step")
    t.load()
    t.infer(row(1, 2, name="IN"))
    t.infer(row(1, 2, 3, 4, name="X"))
    t.infer(row(1, 2, 3, 4, name="IN", datatype="INT32"))
    t.infer(tensor("IN", "FP32", [9, 4], [0] * 36))


def unknown_step(t):
    _chain(t, "nobody_there")
    t.post(f"/v2/repository/models/{t.name}/load")
    t.ready()


def wrong_maps(t):
    t.serve(add, name="mapped")
    for number, steps in enumerate((
        [("mapped", {"INPUT9": "IN"}, {"OUTPUT0": "OUT"})],
        [("mapped", {"INPUT0": "IN"}, {"OUTPUT9": "OUT"})],
        [("mapped", {"INPUT0": "nothing"}, {"OUTPUT0": "OUT"})],
        [("mapped", {}, {"OUTPUT0": "OUT"})],
        [("mapped", {"INPUT0": "OUT"}, {"OUTPUT0": "OUT"})],
    )):  # fmt: skip
        name = f"{t.name}_{number}"
        ensemble(t.side.models, name, steps, *FOUR)
        answer = t.exchange("POST", f"/v2/repository/models/{name}/load")
        t.note(answer["status"])


def wrong_types(t):
    t.serve(add, name="typed_step")
    _chain(t, "typed_step", tensors=({"IN": ("INT32", [4])}, {"OUT": ("FP32", [4])}))
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"])


def step_is_unloaded(t):
    t.serve(add, name="leaving_step")
    _chain(t, "leaving_step")
    t.load()
    t.unload("leaving_step")
    t.infer(X)
    t.ready()
    t.load("leaving_step")
    t.infer(X)


def load_brings_steps(t):
    add(t.side.models, "brought_step")
    _chain(t, "brought_step")
    t.load()
    t.infer(X)
    t.ready(model="brought_step")


def unload_with_dependents(t):
    add(t.side.models, "dependent_step")
    _chain(t, "dependent_step")
    t.load()
    t.unload(unload_dependents=True)
    t.ready(model="dependent_step")
    t.ready()


def sequence_in_an_ensemble(t):
    t.serve(sums, name="step_of_sums", initial="zero")
    ensemble(
        t.side.models,
        t.name,
        [("step_of_sums", {"INPUT": "IN"}, {"OUTPUT": "OUT"})],
        {"IN": ("FP32", [1])},
        {"OUT": ("FP32", [1])},
        batch=4,
    )
    t.load()
    for value in (1, 2, 3):
        flags = {"sequence_id": 9, "sequence_start": value == 1, "sequence_end": value == 3}
        t.infer(row(value, name="IN"), parameters=flags)
    t.infer(row(1, name="IN"))


def ensemble_labels(t):
    t.serve(labelled, name="labelled_step")
    _chain(t, "labelled_step", batch=4)
    t.load()
    t.infer(X, outputs=[wanted("OUT", classification=2)])


def ensemble_of_an_ensemble(t):
    t.serve(add, name="innermost")
    ensemble(
        t.side.models,
        "inner",
        [("innermost", {"INPUT0": "INPUT0"}, {"OUTPUT0": "OUTPUT0"})],
        {"INPUT0": ("FP32", [4])},
        {"OUTPUT0": ("FP32", [4])},
    )
    t.load("inner")
    _chain(t, "inner", "innermost")
    t.load()
    t.infer(X)


def ensemble_over_a_stream(t):
    t.serve(add, name="streamed_step")
    _chain(t, "streamed_step", "streamed_step")
    t.load()
    t.stream(*(t.inference(X, id=str(k)) for k in range(3)))
    t.post(f"/v2/models/{t.name}/generate", {"IN": [1, 2, 3, 4]})


def ensemble_versions(t):
    t.serve(add, name="version_step")
    text = (
        '{"platform":"ensemble","max_batch_size":8,'
        '"input":[{"name":"IN","data_type":"TYPE_FP32","dims":[4]}],'
        '"output":[{"name":"OUT","data_type":"TYPE_FP32","dims":[4]}],'
        '"ensemble_scheduling":{"step":[{"model_name":"version_step","model_version":%s,'
        '"input_map":{"INPUT0":"IN"},"output_map":{"OUTPUT0":"OUT"}}]}}'
    )
    _chain(t, "version_step")
    for version in ("1", "-1", "7"):
        body = {"parameters": {"config": text % version}}
        answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load", json.dumps(body))
        t.note(answer["status"])
        t.infer(X)


def ensemble_parameters(t):
    t.serve(add, name="parameter_step")
    _chain(t, "parameter_step")
    t.load()
    t.rpc_infer(X, parameters=parameters(a="b", timeout=5_000_000, priority=1))
