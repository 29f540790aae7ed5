"""Kinds of requests to all endpoints but inference: documents changed anywhere, and evil names.

Each is a function of a random generator that gives the bytes to send. Some of the documents are
still right; what counts is a status of the protocol, and that the server lives on. Only the model
`victim` is loaded and unloaded by them.
"""

import base64
import json

from .broken_http import Broken, post
from .mutations import mutated

KINDS = []
VICTIM = "victim"
NAMES = (
    b"..", b"../victim", b"..%2f..%2fetc", b"%2e%2e%2fadd", b"victim%00", b"a" * 300,
    b"%f0%9f%98%80", b"\xff", b"CON", b"-1", b"victim/",
    b"victim?x=1", b"victim%20", b"%", b".", b"~", b"/etc/passwd",
)  # fmt: skip
REFUSED = (400, 404, 405, 500)
ANY = (200, *REFUSED)


def kind(*statuses):
    """Add a kind, and the statuses that answers to it may have."""

    def add(function):
        function.statuses = statuses
        KINDS.append(function)
        return function

    return add


def sent(rng, path, document, extra=b""):
    """A request whose document is changed."""
    return Broken(post(mutated(rng, document), path, extra), right=True)


# ---- repository and settings -------------------------------------------------------------------


@kind(*ANY)
def load(rng):
    config = {"max_batch_size": 8, "dynamic_batching": {"max_queue_delay_microseconds": 5}}
    parameters = {"config": json.dumps(config)}
    if rng.random() < 0.5:
        parameters = {"config": mutated(rng, config).decode(errors="replace")}
    return sent(rng, b"/v2/repository/models/victim/load", {"parameters": parameters})


@kind(*ANY)
def load_of_files(rng):
    """Files in place of those of the folder, with names that lead out of it."""
    name = rng.choice(
        (
            "1/model.onnx", "../../x", "/etc/x", "1/../../x", "", "1/", "1//model.onnx", "a" * 256,
            "99999999999999999999/model.onnx", "1/a\0b", "1/..", "config.pbtxt", "./1/model.onnx",
        )
    )  # fmt: skip
    content = base64.b64encode(rng.randbytes(rng.choice((0, 10, 3000)))).decode()
    content = rng.choice((content, content[:-1], content + "!", "=" * 9, 3, None, [content]))
    parameters = {"config": '{"backend": "onnxruntime"}', f"file:{name}": content}
    body = json.dumps({"parameters": parameters}).encode()
    return Broken(post(body, b"/v2/repository/models/victim/load"), right=True)


@kind(*ANY)
def evil_names(rng):
    action = rng.choice((b"load", b"unload"))
    path = b"/v2/repository/models/" + rng.choice(NAMES) + b"/" + action
    return Broken(post(b"{}", path), right=True)


@kind(*ANY)
def unload(rng):
    document = {"parameters": {"unload_dependents": True}}
    return sent(rng, b"/v2/repository/models/victim/unload", document)


@kind(*ANY)
def index(rng):
    return sent(rng, b"/v2/repository/index", {"ready": True})


@kind(*ANY)
def shared_memory(rng):
    which = rng.choice((b"system", b"cuda"))
    action = rng.choice((b"register", b"unregister"))
    path = b"/v2/%ssharedmemory/region/r%d/%s" % (which, rng.randrange(50), action)
    document = {"key": "/trident_malformed", "offset": 64, "byte_size": 128}
    if which == b"cuda":
        document = {"raw_handle": {"b64": "AAAA"}, "device_id": 0, "byte_size": 128}
    return sent(rng, path, document)


@kind(*ANY)
def trace_settings(rng):
    document = {"trace_rate": "1000000", "trace_count": "0", "log_frequency": "1"}
    path = rng.choice((b"/v2/trace/setting", b"/v2/models/victim/trace/setting"))
    return sent(rng, path, document)


@kind(*ANY, 501, 503)
def log_settings(rng):
    return sent(rng, b"/v2/logging", {"log_verbose_level": 0, "log_format": "default"})


# ---- models that generate, and sequences ------------------------------------------------------


@kind(*ANY)
def generate(rng):
    ending = rng.choice((b"generate", b"generate_stream"))
    body = mutated(rng, {"IN": [1, 2], "id": "x", "parameters": {"p": 1}})
    if body.endswith(b"}"):  # changed numbers here would be weeks that the model waits
        body = body[:-1] + b', "DELAY": [0, 0], "WAIT": [0]}'
    return Broken(post(body, b"/v2/models/repeat_int32/" + ending), right=True)


@kind(*ANY, 501)
def sequence(rng):
    """A request of a sequence with wrong parameters."""
    values = (0, 1, -1, 2**64 - 1, 2**64, 1.5, "", "x", "y" * 500, None, True, [], {})
    names = ("sequence_id", "sequence_start", "sequence_end", "priority", "timeout")
    parameters = {name: rng.choice(values) for name in rng.sample(names, rng.randrange(1, 5))}
    entry = {"name": "INPUT", "datatype": "FP32", "shape": [1, 1], "data": [3]}
    body = json.dumps({"inputs": [entry], "parameters": parameters}).encode()
    return Broken(post(body, b"/v2/models/running_sums/infer"), right=True)


@kind(*ANY)
def inference(rng):
    entry = {"name": "INPUT0", "datatype": "FP32", "shape": [1, 16], "data": [0.5] * 16}
    entry["parameters"] = {"binary_data_size": 64} if rng.random() < 0.2 else {}
    document = {
        "id": "x",
        "parameters": {"priority": 1, "timeout": 1000, "binary_data_output": False},
        "inputs": [entry],
        "outputs": [{"name": "OUTPUT0", "parameters": {"classification": 1}}],
    }
    return sent(rng, b"/v2/models/add/infer", document)


# ---- OpenAI's API -----------------------------------------------------------------------------


@kind(*ANY, 501)
def completions(rng):
    version = rng.choice((b"/v1", b"/v3"))
    model = rng.choice(("numbers", "numbers", "words", "add", "nobody"))
    chat = rng.random() < 0.5
    document = {"model": model, "stream": rng.random() < 0.3, "max_tokens": 5, "n": 1}
    document |= {"temperature": 0.5, "stop": ["x"], "stream_options": {"include_usage": True}}
    if chat:
        document["messages"] = [{"role": "user", "content": "1 2"}]
    else:
        document["prompt"] = "1 2 3"
    path = version + (b"/chat/completions" if chat else b"/completions")
    return sent(rng, path, document)


@kind(*ANY, 501)
def embeddings(rng):
    model = rng.choice(("words", "words", "numbers", "nobody"))
    document = {"model": model, "input": ["sun", "rain"], "encoding_format": "base64"}
    document |= {"dimensions": 2, "user": "u"}
    return sent(rng, rng.choice((b"/v1/embeddings", b"/v3/embeddings")), document)
