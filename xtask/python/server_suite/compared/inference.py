"""Fields of inference requests: ids, parameters, outputs, versions, and `generate`."""

import json

from .models import add, failing, pair
from .talk import choice, parameters, request, row, tensor, wanted

ONE = row(1, 2, 3, 4)


def ids(t):
    t.serve(add)
    for value in ("", "a", "ä😀", 'q"\\', "x" * 300, 7, None, True):
        t.infer(ONE, id=value)
    for value in ("", "ä", "x" * 300):
        t.rpc_infer(ONE, id=value)


def ids_of_errors(t):
    t.serve(add)
    for value in ("", "ä", 'q"\\'):
        t.infer(row(1, 2), id=value)
        t.rpc_infer(row(1, 2), id=value)


def parameters_of_all_types(t):
    t.serve(add)
    for value in (1, -1, 1.5, "text", True, None, [1], {"a": 1}, 1 << 63, 1 << 64, 1e300):
        t.infer(ONE, parameters={"x": value})
    t.rpc_infer(ONE, parameters=parameters(a=1, b="x", c=True, d=1.5))
    t.rpc_infer(ONE, parameters={"u": {"uint64_param": str((1 << 64) - 1)}})
    t.rpc_infer(ONE, parameters={"none": {}})


def parameters_that_are_reserved(t):
    t.serve(add)
    for key in ("triton_x", "triton_enable_empty_final_response", "triton_final_response",
                "Triton_x", "headers", ""):  # fmt: skip
        t.infer(ONE, parameters={key: True})
        t.rpc_infer(ONE, parameters=parameters(**{key: True}))


def parameters_that_are_no_object(t):
    t.serve(add)
    for value in (1, "x", [], None, True):
        t.infer(ONE, parameters=value)


def parameters_twice(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))[:-1]
    t.post(f"/v2/models/{name}/infer", body + ',"parameters":{"x":1,"x":2}}')
    t.post(f"/v2/models/{name}/infer", body + ',"id":"a","id":"b"}')
    t.post(f"/v2/models/{name}/infer", body + ',"inputs":[]}')


def parameters_of_tensors(t):
    t.serve(add)
    t.infer(ONE | {"parameters": {"x": 1, "y": "z"}})
    t.infer(ONE | {"parameters": 7})
    t.infer(ONE, outputs=[wanted("OUTPUT0", x=1)])
    t.infer(ONE, outputs=[{"name": "OUTPUT0", "parameters": 7}])
    t.rpc_infer(ONE | {"parameters": {"x": 1}})


def parameters_known_of_wrong_types(t):
    t.serve(add)
    for key, values in {
        "sequence_id": (-1, 1.5, True, None, []),
        "sequence_start": (1, "true", None),
        "sequence_end": (0, "false"),
        "priority": (-1, "1", 1.5, True, 1 << 64),
        "timeout": (-1, "1", 1.5, True, 1 << 64),
    }.items():
        for value in values:
            t.infer(ONE, parameters={key: value})


def parameters_known_over_grpc(t):
    t.serve(add)
    for key in ("sequence_id", "sequence_start", "sequence_end", "priority", "timeout"):
        for value in (-1, 3, "x", True, 1.5):
            t.rpc_infer(ONE, parameters={key: choice(value)})


def priority_without_levels(t):
    t.serve(add)
    for value in (0, 1, 99):
        t.infer(ONE, parameters={"priority": value})
        t.rpc_infer(ONE, parameters=parameters(priority=value))


def outputs_of_all_kinds(t):
    t.serve(pair)
    both = (row(1, 2, datatype="INT32"), row(3, 4, name="INPUT1", datatype="INT32"))
    for outputs in ([wanted("OUTPUT1"), wanted("OUTPUT0")], [wanted("OUTPUT2")], [{}], [7], "x",
                    None, [wanted("")], [{"name": 7}], [wanted("INPUT0")]):  # fmt: skip
        t.infer(*both, outputs=outputs)


def inputs_of_all_kinds(t):
    t.serve(pair)
    one, two = row(1, 2, datatype="INT32"), row(3, 4, name="INPUT1", datatype="INT32")
    for inputs in ([two, one], [one], [one, one], [one, two, row(1, name="X")], [], [7], [{}],
                   [one, {"name": "INPUT1"}], [one, two | {"shape": None}],
                   [one, two | {"datatype": 5}], [one, two | {"name": ""}]):  # fmt: skip
        t.infer(*inputs)


def bodies_that_are_no_request(t):
    name = t.serve(add)
    for body in ("{}", "[]", "null", "1", '"x"', "{", "}", '{"inputs"}', '{"inputs":}', "[" * 150,
                 '{"inputs":{}}', '{"inputs":null}', '{"a":1}garbage', "\ufeff{}", " \n{} ",
                 "{'inputs':[]}", '{"inputs":[],}'):  # fmt: skip
        t.post(f"/v2/models/{name}/infer", body.encode())


def bodies_after_their_end(t):
    name = t.serve(add)
    body = json.dumps(request(ONE))
    for more in (" ", "\n", "x", "{}", "\0"):
        t.post(f"/v2/models/{name}/infer", body + more)


def unknown_fields(t):
    t.serve(add)
    t.infer(ONE, model_name="other", extra={"a": [1]})
    t.infer(ONE | {"extra": 1})


def models_that_are_unknown(t):
    t.infer(ONE, model="nobody")
    t.rpc_infer(ONE, model="nobody")
    t.rpc_infer(ONE, model="")
    t.rpc("ModelMetadata", name="")
    t.rpc("ModelConfig", name="nobody", version="1")
    t.rpc("ModelStatistics", name="nobody")
    t.get("/v2/models/nobody/stats")
    t.get("/v2/models/nobody")


def runs_that_fail(t):
    t.serve(failing)
    good, bad = row(3, datatype="INT64"), row(99, datatype="INT64")
    t.infer(good)
    t.infer(bad, id="it")
    t.rpc_infer(tensor("INPUT0", "INT64", [1, 1], ["99"]), id="it")
    t.infer(good)
    t.stats()
    t.metrics(match="failure|success|count")


def runs_of_batches_that_fail(t):
    t.serve(failing)
    t.infer(tensor("INPUT0", "INT64", [3, 1], [1, 50, 2]))
    t.infer(tensor("INPUT0", "INT64", [3, 1], [1, 5, 2]))
    t.stats()
