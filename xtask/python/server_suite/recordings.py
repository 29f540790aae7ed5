"""`--record`: what a server records, another one answers in the same way."""

import base64
import gzip
import json
import shutil

from . import replay
from .server import Server

INFER = "/v2/models/simple/infer"
KEY = "letmein"


def run(suite):
    suite.check("a recording is replayed on another server", lambda: recorded_and_replayed(suite))


def recorded_and_replayed(suite):
    folder = suite.folder / "recordings"
    models = folder / "models"
    for name in ("simple", "simple_string"):
        shutil.copytree(replay.FOLDER / "models" / name, models / name)
    file = folder / "requests.jsonl"
    flags = (f"--record={file}", "--record-rate=1000000")
    with Server(suite.trident, models, folder / "recorded.log", flags) as running:
        for request in requests():
            replay.http_call(running.places["HTTP"], {"request": request})
        client = replay.Grpc(running.places["gRPC"])
        for name in ("simple", "nope"):
            client.call({"rpc": "ModelInfer", "request": call(name)})
        client.close()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    statuses = [line["response"].get("status", line["response"].get("code")) for line in lines]
    assert statuses == [200, 200, 200, 400, 200, "OK"], statuses
    assert KEY not in file.read_text(), "a client's key is recorded"
    with Server(suite.trident, models, folder / "replayed.log") as running:
        found = replay.replay(file, running.places)
    assert len(found) == len(lines), found
    assert not any(found.values()), found
    # A difference is found.
    lines[0]["response"]["status"] = 500
    file.write_text(json.dumps(lines[0]))
    with Server(suite.trident, models, folder / "differs.log") as running:
        assert replay.replay(file, running.places) == {
            lines[0]["case"]: ["status 200, not 500"],
        }


def tensor(name, **members):
    return {"name": name, "datatype": "INT32", "shape": [1, 16], **members}


def requests():
    """JSON, bytes, compressed bodies, a mistake, strings, and a question that is not recorded."""
    numbers = list(range(16))
    inputs = [tensor("INPUT0", data=numbers), tensor("INPUT1", data=numbers)]
    body = json.dumps({"inputs": inputs})
    yield {"method": "POST", "path": INFER, "body": body, "headers": {"authorization": KEY}}
    sized = [tensor(name, parameters={"binary_data_size": 64}) for name in ("INPUT0", "INPUT1")]
    text = json.dumps({"inputs": sized, "parameters": {"binary_data_output": True}}).encode()
    yield {
        "method": "POST",
        "path": INFER,
        "body_b64": base64.b64encode(text + bytes(range(128))).decode(),
        "headers": {"Inference-Header-Content-Length": str(len(text))},
    }
    yield {
        "method": "POST",
        "path": INFER,
        "body_b64": base64.b64encode(gzip.compress(body.encode())).decode(),
        "headers": {"Content-Encoding": "gzip", "Accept-Encoding": "gzip"},
    }
    yield {"method": "POST", "path": INFER, "body": json.dumps({"inputs": inputs[:1]})}
    words = [
        {"name": name, "datatype": "BYTES", "shape": [1, 16], "data": list(map(str, numbers))}
        for name in ("INPUT0", "INPUT1")
    ]
    path = "/v2/models/simple_string/infer"
    yield {"method": "POST", "path": path, "body": json.dumps({"inputs": words})}
    yield {"method": "GET", "path": "/v2/health/ready"}


def call(model):
    contents = {"int_contents": list(range(16))}
    inputs = [tensor(name, contents=contents) for name in ("INPUT0", "INPUT1")]
    return {"model_name": model, "inputs": inputs}
