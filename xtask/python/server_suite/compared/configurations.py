"""What configurations say, and what is shown of them."""

import json

from backend_suite import repository as made

from .folders import edit
from .models import add, pair, same
from .talk import row

ONE = row(1, 2, 3, 4)


def load_without_configuration(t):
    """A folder with model.onnx only. The name of the backend is found by its file."""
    same(t.side.models, t.name, backend="onnxruntime")
    (t.folder() / "config.pbtxt").unlink()
    t.load()
    t.get(f"/v2/models/{t.name}/config")
    t.infer(row(1, 2))


def load_completes_a_configuration(t):
    same(t.side.models, t.name)
    (t.folder() / "config.pbtxt").write_text('backend: "trident"\nmax_batch_size: 3\n')
    t.load()
    t.get(f"/v2/models/{t.name}/config")
    t.get(f"/v2/models/{t.name}")


def load_with_configuration(t):
    t.serve(add)
    config = {
        "backend": "trident",
        "max_batch_size": 2,
        "input": [{"name": "INPUT0", "data_type": "TYPE_FP32", "dims": [4]}],
        "output": [{"name": "OUTPUT0", "data_type": "TYPE_FP32", "dims": [4]}],
    }
    t.load(config=json.dumps(config))
    t.get(f"/v2/models/{t.name}/config")
    t.infer(ONE)
    t.load()
    t.get(f"/v2/models/{t.name}/config")
    t.unload()
    t.load()
    t.get(f"/v2/models/{t.name}/config")


def load_with_configurations_that_are_wrong(t):
    t.serve(add)
    for config in ("", "{", "[]", "7", '{"max_batch_size":"x"}', '{"nobody":1}'):
        t.post(f"/v2/repository/models/{t.name}/load", {"parameters": {"config": config}})
    for value in (7, None, {"max_batch_size": 1}, True):
        t.post(f"/v2/repository/models/{t.name}/load", {"parameters": {"config": value}})
    t.infer(ONE)


def metadata_of_everything(t):
    t.serve(pair)
    t.get(f"/v2/models/{t.name}")
    t.get(f"/v2/models/{t.name}/versions/1")
    t.rpc("ModelMetadata", name=t.name)
    t.rpc("ModelMetadata", name=t.name, version="1")
    t.rpc("ModelMetadata", name=t.name, version="x")
    t.rpc("ModelReady", name=t.name, version="1")


def configuration_of_everything(t):
    extra = """
instance_group [ { name: "some" count: 2 kind: KIND_CPU } ]
dynamic_batching { preferred_batch_size: [ 4, 8 ] max_queue_delay_microseconds: 100
  priority_levels: 2 default_priority_level: 1
  default_queue_policy { timeout_action: DELAY max_queue_size: 7 }
  priority_queue_policy { key: 1 value { max_queue_size: 3 } } }
parameters { key: "note" value { string_value: "ä" } }
metric_tags { key: "team" value: "x" }
model_transaction_policy { decoupled: false }
optimization { priority: PRIORITY_MAX eager_batching: true }
"""
    t.serve(add, extra=extra)
    t.get(f"/v2/models/{t.name}/config")
    t.rpc("ModelConfig", name=t.name)
    t.metrics(match="exec_count")


def warmup_requests(t):
    warmup = """
model_warmup { name: "zero" batch_size: 2 count: 3
  inputs { key: "INPUT0" value { data_type: TYPE_FP32 dims: [ 4 ] zero_data: true } } }
"""
    t.serve(add, extra=warmup)
    t.get(f"/v2/models/{t.name}/config")
    t.infer(ONE)


def warmup_that_fails(t):
    warmup = """
model_warmup { name: "wrong" batch_size: 1
  inputs { key: "INPUT0" value { data_type: TYPE_FP32 dims: [ 5 ] zero_data: true } } }
"""
    add(t.side.models, t.name, extra=warmup)
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"])


def configuration_names(t):
    """The name in the text must be the folder's."""
    add(t.side.models, t.name, extra='name: "other"')
    t.post(f"/v2/repository/models/{t.name}/load")


def reshaped_tensors(t):
    text = made.configuration({"INPUT0": ("FP32", [2, 2])}, {"OUTPUT0": ("FP32", [2, 2])}, batch=8)
    text = text.replace("dims: [ 2, 2 ]", "dims: [ 2, 2 ] reshape: { shape: [ 4 ] }")
    add(t.side.models, t.name)
    (t.folder() / "config.pbtxt").write_text(text)
    t.load()
    t.get(f"/v2/models/{t.name}")
    t.infer({"name": "INPUT0", "datatype": "FP32", "shape": [1, 2, 2], "data": [1, 2, 3, 4]})
    t.infer(ONE)


def optional_inputs(t):
    pair(t.side.models, t.name)
    edit(t, 'name: "INPUT1"', 'optional: true name: "INPUT1"')
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"])
