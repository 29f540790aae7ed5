"""Loading and unloading models, their configurations, versions and the index."""

import base64
import json
import shutil

from .folders import edit, index_of
from .models import add, same
from .talk import row

ONE = row(1, 2, 3, 4)


def load_and_unload(t):
    index_of(t)
    t.serve(add)
    index_of(t)
    t.infer(ONE)
    t.unload()
    index_of(t)
    t.infer(ONE)
    t.load()
    t.infer(ONE)
    t.stats()


def load_twice(t):
    t.serve(add)
    t.infer(ONE)
    t.load()
    t.stats()
    index_of(t)


def load_after_a_change(t):
    """A changed configuration is loaded anew."""
    t.serve(add)
    t.infer(ONE)
    edit(t, "max_batch_size: 8", "max_batch_size: 4")
    t.load()
    t.get(f"/v2/models/{t.name}/config")
    t.stats()


def load_after_a_wrong_change(t):
    """The version that serves goes on if its successor fails."""
    t.serve(add)
    edit(t, "TYPE_FP32 dims: [ 4 ]", "TYPE_FP32 dims: [ 5 ]")
    t.post(f"/v2/repository/models/{t.name}/load")
    t.infer(ONE)
    t.ready()


def load_of_a_broken_text(t):
    add(t.side.models, t.name)
    (t.folder() / "config.pbtxt").write_text("max_batch_size: [")
    t.post(f"/v2/repository/models/{t.name}/load")
    t.ready()


def load_of_a_broken_model(t):
    add(t.side.models, t.name)
    (t.folder() / "1/model.onnx").write_bytes(b"nothing")
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"], answer["headers"], "UNAVAILABLE" in answer["body"])


def load_without_versions(t):
    add(t.side.models, t.name)
    shutil.rmtree(t.folder() / "1")
    t.post(f"/v2/repository/models/{t.name}/load")
    index_of(t)


def load_of_an_unknown_backend(t):
    add(t.side.models, t.name, backend="nobody")
    answer = t.exchange("POST", f"/v2/repository/models/{t.name}/load")
    t.note(answer["status"], answer["headers"])


def load_with_files(t):
    t.serve(add)
    same(t.side.models, "source_of_files")
    data = (t.folder("source_of_files") / "1/model.onnx").read_bytes()
    config = {
        "backend": "trident",
        "max_batch_size": 8,
        "input": [{"name": "INPUT0", "data_type": "TYPE_FP32", "dims": [-1]}],
        "output": [{"name": "OUTPUT0", "data_type": "TYPE_FP32", "dims": [-1]}],
    }
    parts = {"file:1/model.onnx": base64.b64encode(data).decode()}
    t.load(config=json.dumps(config), **parts)
    t.infer(ONE)
    index_of(t)
    t.load("files_only", config=json.dumps(config), **parts)
    t.infer(ONE, model="files_only")
    t.unload("files_only")
    t.infer(ONE, model="files_only")
    index_of(t, "files_only")


def load_with_files_over_grpc(t):
    same(t.side.models, "other_source")
    data = (t.folder("other_source") / "1/model.onnx").read_bytes()
    config = {
        "backend": "trident",
        "max_batch_size": 8,
        "input": [{"name": "INPUT0", "data_type": "TYPE_FP32", "dims": [-1]}],
        "output": [{"name": "OUTPUT0", "data_type": "TYPE_FP32", "dims": [-1]}],
    }
    t.rpc("RepositoryModelLoad", model_name=t.name, parameters={
        "config": {"string_param": json.dumps(config)},
        "file:3/model.onnx": {"bytes_param": base64.b64encode(data).decode()},
    })  # fmt: skip
    t.infer(ONE)
    t.infer(ONE, version=3)
    t.rpc("RepositoryModelUnload", model_name=t.name)


def load_bodies(t):
    t.serve(add)
    path = f"/v2/repository/models/{t.name}/load"
    for body in (None, "", "{}", "[]", "null", "x", '{"parameters":{}}', '{"parameters":null}',
                 '{"parameters":[]}', '{"other":1}'):  # fmt: skip
        t.post(path, body)


def unload_bodies(t):
    path = f"/v2/repository/models/{t.name}/unload"
    for parameters in ({}, [], 7, {"unload_dependents": True}, {"unload_dependents": 1}, {"x": 1}):
        t.post(path, {"parameters": parameters})
    for body in ("{}", "[]", "x"):
        t.post(path, body)


def unload_and_load_at_once(t):
    name = t.serve(add)
    t.exchange("POST", f"/v2/repository/models/{name}/unload")
    t.load()
    t.infer(ONE)


def index_bodies(t):
    t.serve(add)
    for body in ('{"ready":true}', '{"ready":false}', "{}", "", '{"other":1}', "[]", "x",
                 '{"ready":1}', '{"ready":null}'):  # fmt: skip
        answer = t.exchange("POST", "/v2/repository/index", body)
        t.note(answer["status"], answer["headers"], t.name in answer["body"],
               "" if answer["status"] == 200 else answer["body"])  # fmt: skip


def index_over_grpc(t):
    t.serve(add)
    for fields in ({}, {"ready": True}, {"repository_name": "x"}):
        try:
            reply = t.side.stub.RepositoryIndex(_message("RepositoryIndexRequest", fields))
            rows = [(one.version, one.state, one.reason) for one in reply.models
                    if one.name == t.name]  # fmt: skip
            t.note(rows)
        except Exception as error:
            t.note(error.code().name, error.details())


def _message(kind, fields):
    from .talk import message_of

    return message_of(kind, fields)
