"""Wrong options, repositories and models: the exit status, and a text that names the mistake."""

import dataclasses
import json
import re
import socket
import subprocess
from functools import partial

from backend_suite import repository

from .server import places_of

LIMIT = 30  # seconds that a program may take to end

# {options: parts of the text}. The program must end with status 2, before it looks at models.
WRONG_OPTIONS = {
    # Names that do not exist, with the nearest one that does.
    ("--http-prot=3",): ("--http-prot", "similar", "'--http-port'"),
    ("--model-repositry=x",): ("--model-repositry", "'--model-repository'"),
    ("--modelstore=x",): ("--modelstore", "'--model-store'"),
    ("--grpc_port=3",): ("--grpc_port", "'--grpc-port'"),
    ("--exit-on-eror=true",): ("--exit-on-eror", "'--exit-on-error'"),
    ("--strict-readyness=1",): ("--strict-readyness", "'--strict-readiness'"),
    ("--log-verbos=1",): ("--log-verbos", "'--log-verbose'"),
    ("--load-modal=x",): ("--load-modal", "'--load-model'"),
    ("--drain-delay=1",): ("--drain-delay", "'--drain-delay-secs'"),
    ("--chek",): ("--chek", "'--check'"),
    ("--nothing-like-it",): ("--nothing-like-it", "--help"),
    # Values.
    ("--http-port=99999",): ("'99999'", "--http-port", "65535"),
    ("--http-port=-1",): ("'-1'", "--http-port"),
    ("--grpc-port=70000",): ("'70000'", "--grpc-port", "65535"),
    ("--metrics-port=x",): ("'x'", "--metrics-port"),
    ("--http-address=300.1.1.1",): ("'300.1.1.1'", "--http-address", "IP address"),
    ("--grpc-address=localhost:8001",): ("'localhost:8001'", "--grpc-address", "IP address"),
    ("--metrics-address=",): ("--metrics-address",),
    ("--http-address=unix:",): ("--http-address", "a file is missing after `unix:`"),
    ("--grpc-address=unix:/tmp/x", "--reuse-grpc-port=true"): ("cannot be shared",),
    ("--allow-http=maybe",): ("'maybe'", "--allow-http", "true or false"),
    ("--allow-grpc=2",): ("'2'", "--allow-grpc", "true or false"),
    ("--allow-metrics=yes",): ("'yes'", "--allow-metrics", "true or false"),
    ("--exit-on-error=no",): ("'no'", "--exit-on-error", "true or false"),
    ("--strict-readiness=x",): ("'x'", "--strict-readiness", "true or false"),
    ("--allow-client-shm=x",): ("'x'", "--allow-client-shm", "true or false"),
    ("--reuse-http-port=x",): ("'x'", "--reuse-http-port", "true or false"),
    ("--reuse-grpc-port=x",): ("'x'", "--reuse-grpc-port", "true or false"),
    ("--log-info=x",): ("'x'", "--log-info", "true or false"),
    ("--model-control-mode=pol",): ("'pol'", "none, poll, explicit", "'poll'"),
    ("--log-verbose=high",): ("'high'", "--log-verbose"),
    ("--repository-poll-secs=-1",): ("'-1'", "--repository-poll-secs"),
    ("--repository-poll-secs=0.5",): ("'0.5'", "--repository-poll-secs"),
    ("--model-load-thread-count=two",): ("'two'", "--model-load-thread-count"),
    ("--model-load-retry-count=-2",): ("'-2'", "--model-load-retry-count"),
    ("--http-thread-count=x",): ("'x'", "--http-thread-count"),
    ("--http-max-input-size=64MB",): ("'64MB'", "--http-max-input-size"),
    ("--grpc-infer-response-compression-level=hi",): ("'hi'", "low, medium, high", "'high'"),
    ("--grpc-keepalive-time=1h",): ("'1h'", "--grpc-keepalive-time"),
    ("--grpc-keepalive-timeout=x",): ("'x'", "--grpc-keepalive-timeout"),
    ("--drain-delay-secs=-1",): ("'-1'", "--drain-delay-secs"),
    ("--exit-timeout-secs=soon",): ("'soon'", "--exit-timeout-secs"),
    ("--threads=-1",): ("'-1'", "--threads", "1 to 1024"),
    ("--device=gpu",): ("no device `gpu`", "`trident devices` lists"),
    ("--load-model",): ("--load-model", "value is required"),
    ("--load-model=add",): ("`--load-model`", "--model-control-mode=explicit"),
    ("--cache-config=redis,size=1",): ("no cache `redis`", "`local,size=<BYTES>`"),
    ("--cache-config=local,size=much",): ("'local,size=much'", "--cache-config", "size=64M"),
    ("--cache-config=local,size=1", "--response-cache-byte-size=1"): ("cannot be used with",),
    ("--rate-limit=count",): ("'count'", "off, execution_count"),
    ("--rate-limit-resource=x",): ("--rate-limit-resource", "<NAME>:<COUNT>", "`x`"),
    ("--json",): ("--json", "--check"),
    ("--http-restricted-api=inference",): ("--http-restricted-api", "`inference`", "<header>"),
    ("--http-restricted-api=infrence:a=b",): ("`infrence` is not an API", "inference"),
    ("--grpc-restricted-protocol=health",): ("--grpc-restricted-protocol", "`health`"),
    ("--grpc-restricted-protocol=x:a=b",): ("--grpc-restricted-protocol", "`x`"),
    ("--allow-sagemaker=true",): ("--allow-sagemaker=true", "not supported"),
    ("--allow-vertex-ai=1",): ("--allow-vertex-ai=1", "not supported"),
    ("--model-namespacing=true",): ("--model-namespacing=true", "unique"),
}

ADD = """\
backend: "onnxruntime"
max_batch_size: 8
input {
  name: "INPUT0"
  data_type: TYPE_FP32
  dims: [ 16 ]
}
output {
  name: "OUTPUT0"
  data_type: TYPE_FP32
  dims: [ 16 ]
}
"""
BATCH = "max_batch_size: 8\n"


@dataclasses.dataclass
class Fault:
    """A change of the configuration, and parts of the text that names it."""

    old: str
    new: str
    told: tuple
    at: str  # line and column


FAULTS = {
    "colon missing": Fault("size: 8", "size 8", ("expected `:`",), "2:16"),
    "unknown field": Fault("batch_size", "batchsize", ("mean `max_batch_size`",), "2:1"),
    "text for a number": Fault("8", '"x"', ("expected an integer", '"x"'), "2:17"),
    "number too large": Fault("8", "99999999999", ("does not fit int32",), "2:17"),
    "unknown type": Fault("FP32", "FP31", ("`TYPE_FP31`", "mean `TYPE_FP32`"), "5:14"),
    "field twice": Fault(BATCH, 2 * BATCH, ("`max_batch_size`", "more than once"), "3:1"),
    "text without an end": Fault('OUTPUT0"', "OUTPUT0", ("does not end on its line",), "9:9"),
    "brace missing": Fault("}\noutput", "output", ("expected a field",), "12:1"),
    "two schedulers": Fault(
        BATCH, "dynamic_batching { }\nsequence_batching { }\n", ("`dynamic_batching`",), "3:1"
    ),
    "name of another folder": Fault(
        BATCH, 'name: "other"\n', ("`name`", "'other'", "'add'"), "2:1"
    ),
    "version that is not there": Fault(
        BATCH, BATCH + "version_policy { specific { versions: 7 } }", ("`version_policy`",), "3:1"
    ),
    "policy without versions": Fault(
        BATCH,
        BATCH + "version_policy { latest { num_versions: 0 } }",
        ("`version_policy`",),
        "3:1",
    ),
    "other dimension": Fault(
        "16", "17", ("`input[0].dims`", "'INPUT0'", "[-1,16]", "[-1,17]"), "6:3"
    ),
    "other type": Fault("FP32", "INT32", ("`input[0].data_type`", "TYPE_INT32 for input"), "5:3"),
    "no such input": Fault("INPUT0", "INPUT9", ("`input[0].name`", "inputs are: INPUT0"), "4:3"),
    "no such output": Fault("OUTPUT0", "OUTPUT9", ("`output[0].name`", "are: OUTPUT0"), "9:3"),
    "negative batch": Fault("size: 8", "size: -1", ("`max_batch_size`", "non-negative"), "2:1"),
    "default priority": Fault(
        BATCH,
        BATCH + "dynamic_batching { priority_levels: 2 default_priority_level: 3 }",
        ("`dynamic_batching.default_priority_level`", "default priority level", "[1, 2]"),
        "3:39",
    ),
    "preferred batch": Fault(
        BATCH,
        BATCH + "dynamic_batching { preferred_batch_size: [ 8, 9 ] }",
        ("`dynamic_batching.preferred_batch_size[1]`", "preferred size", "max"),
        "3:47",
    ),
    "count of instances": Fault(
        BATCH,
        BATCH + "instance_group [ { count: -1 } ]",
        ("`instance_group[0].count`", "-1"),
        "3:20",
    ),
    "number of a GPU": Fault(
        BATCH,
        BATCH + "instance_group [ { kind: KIND_GPU gpus: [ -1 ] } ]",
        ("`instance_group[0].gpus`", "gpu id -1"),
        "3:35",
    ),
    "parameter": Fault(
        BATCH,
        BATCH + 'parameters { key: "execution_mode" value { string_value: "3" } }',
        ("`parameters[execution_mode]`", "'3'", "0 or 1"),
        "3:1",
    ),
    "labels that are not there": Fault(
        '"OUTPUT0"',
        '"OUTPUT0" label_filename: "no.txt"',
        ("`output[0].label_filename`", "'no.txt'"),
        "9:19",
    ),
    "backend in Python": Fault('"onnxruntime"', '"python"', ("'python'", "to ONNX"), "1:1"),
    "backend tensorrt": Fault('"onnxruntime"', '"tensorrt"', ("'tensorrt'", "ONNX file"), "1:1"),
    "unknown backend": Fault('"onnxruntime"', '"onyx"', ("'onyx'",), "1:1"),
}

# {case: (what is done to the folder of the model, parts of the text)}
FILES = {
    "file cut": (lambda model: cut(model), ("model.onnx", "is the file complete")),
    "file empty": (lambda model: write(model, b""), ("model.onnx", "empty")),
    "file of text": (lambda model: write(model, b"hello\n"), ("model.onnx", "ONNX file?")),
    "no file": (lambda model: (model / "1/model.onnx").unlink(), ("unable to find", "model.onnx")),
    "no version": (lambda model: (model / "1").rename(model / "one"), ("no version", "folder `1`")),
    "configuration not text": (
        lambda model: (model / "config.pbtxt").write_bytes(b"\xff\xfe"),
        ("config.pbtxt", "not UTF-8"),
    ),
}


def cut(model):
    file = model / "1/model.onnx"
    file.write_bytes(file.read_bytes()[:80])


def write(model, data):
    (model / "1/model.onnx").write_bytes(data)


def run(suite):
    folder = suite.folder / "mistakes"
    empty = folder / "empty"
    empty.mkdir(parents=True)
    cases = {}
    for options, told in WRONG_OPTIONS.items():
        cases[f"option {' '.join(options)}"] = partial(option_told, suite, empty, options, told)
    for case, fault in FAULTS.items():
        cases[f"configuration: {case}"] = partial(
            fault_told, suite, folder / f"fault {case}", fault
        )
    for case, (damage, told) in FILES.items():
        cases[f"model: {case}"] = partial(damaged, suite, folder / f"model {case}", damage, told)
    for function in (
        no_repository,
        repository_that_is_a_file,
        port_in_use,
        log_that_cannot_be_opened,
        failed_model_ends_the_start,
        model_that_is_not_there,
        check_opens_no_port,
        check_as_json,
        options_of_a_file,
        file_of_options_that_is_wrong,
        options_without_effect,
        link_named_tritonserver,
    ):
        name = function.__name__.replace("_", " ")
        cases[name] = partial(function, suite, folder / name)
    suite.check_beside(cases)


def serve(suite, *words):
    """A run of the server that is expected to end by itself. The last option of a name counts."""
    return run_program([suite.trident, "serve", *places_of("http", "grpc", "metrics"), *words])


def check(suite, *words):
    return run_program([suite.trident, "serve", "--check", *words])


def run_program(command):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=LIMIT, check=False
    )


def refused(ended, status, *told):
    """The program has ended with this status, and its error has these parts."""
    assert "panicked" not in ended.stderr, ended.stderr
    assert ended.returncode == status, f"status {ended.returncode}: {ended.stderr or ended.stdout}"
    assert re.search("^error: ", ended.stderr, re.MULTILINE), ended.stderr
    missing = [part for part in told if part not in ended.stderr]
    assert not missing, f"{missing} not in {ended.stderr}"


def add(folder, text=ADD, name="add"):
    models = repository.Repository(folder)
    repository.add_one(models, name)
    (folder / name / "config.pbtxt").write_text(text)
    return folder / name


def option_told(suite, folder, options, told):
    refused(serve(suite, folder, *options), 2, *told)


def fault_told(suite, folder, fault):
    assert fault.old in ADD
    model = add(folder, ADD.replace(fault.old, fault.new, 1))
    ended = check(suite, folder)
    place = f"{model / 'config.pbtxt'}`: {fault.at}: "
    refused(ended, 1, place, *fault.told)
    assert "UNAVAILABLE" in ended.stdout and place in ended.stdout, ended.stdout


def damaged(suite, folder, damage, told):
    damage(add(folder))
    ended = check(suite, folder)
    refused(ended, 1, "'add'", *told)
    assert "UNAVAILABLE" in ended.stdout, ended.stdout


def no_repository(suite, folder):
    refused(serve(suite), 1, "no repository is given", "hint: give a folder")
    refused(serve(suite, folder), 1, f"the repository `{folder}` is not a folder")


def repository_that_is_a_file(suite, folder):
    folder.write_text("x")
    refused(serve(suite, folder), 1, f"the repository `{folder}` is not a folder")


def port_in_use(suite, folder):
    """Each port in use ends the start at once, and is named with its protocol."""
    add(folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for protocol, name in (("http", "HTTP"), ("grpc", "gRPC"), ("metrics", "metrics")):
            ended = serve(suite, folder, f"--{protocol}-port={port}")
            refused(ended, 1, f"127.0.0.1:{port}", f"for {name}", "in use")


def log_that_cannot_be_opened(suite, folder):
    folder.mkdir()
    refused(serve(suite, folder, f"--log-file={folder}/no/log"), 1, f"{folder}/no/log")


def failed_model_ends_the_start(suite, folder):
    """The cause is told, and that the other models could be served."""
    add(folder, name="good")
    cut(add(folder, name="bad"))
    ended = serve(suite, folder)
    refused(ended, 1, "'bad'", "is the file complete", "--exit-on-error=false")
    assert re.search(r"good +1 .*READY", ended.stdout), ended.stdout


def model_that_is_not_there(suite, folder):
    add(folder)
    ended = serve(suite, folder, "--model-control-mode=explicit", "--load-model=sub")
    refused(ended, 1, "failed to load 'sub'")


def check_opens_no_port(suite, folder):
    """A server's ports may be in use while its models are checked."""
    add(folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = f"--http-port={taken.getsockname()[1]}"
        ended = check(suite, folder, "--http-address=127.0.0.1", port)
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"add +1 .*READY", ended.stdout), ended.stdout
    assert " on 127.0.0.1" not in ended.stdout, ended.stdout


def check_as_json(suite, folder):
    """Good and bad models, with states and reasons that a program can read."""
    add(folder, name="good")
    cut(add(folder, name="cut"))
    add(folder, ADD.replace("size: 8", "size 8"), "text")
    add(folder, ADD.replace("16", "17", 1), "dims")
    ended = check(suite, folder, "--json")
    assert ended.returncode == 1, ended
    rows = {row["name"]: row for row in json.loads(ended.stdout)}
    assert sorted(rows) == ["cut", "dims", "good", "text"], rows
    good = {"name": "good", "version": 1, "state": "READY", "reason": "", "rows": "independent"}
    assert rows["good"].items() >= good.items(), rows
    assert {rows[name]["state"] for name in ("cut", "dims", "text")} == {"UNAVAILABLE"}, rows
    assert "is the file complete" in rows["cut"]["reason"], rows
    assert "config.pbtxt`: 2:16" in rows["text"]["reason"], rows
    assert "config.pbtxt`: 6:3: `input[0].dims`" in rows["dims"]["reason"], rows


def options_of_a_file(suite, folder):
    """A file gives options by their names, and those of the command line come before it."""
    add(folder / "models")
    file = folder / "server.toml"
    file.write_text(f'model-repository = "{folder}/models"\ncheck = true\njson = true\n')
    ended = run_program([suite.trident, "serve", "--config", file])
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout)[0]["state"] == "READY", ended.stdout
    file.write_text(f'model-repository = "{folder}/models"\nmodel-control-mode = "none"\n')
    ended = run_program([suite.trident, "serve", f"--config={file}", "--model-control-mode=x"])
    refused(ended, 2, "'x'", "--model-control-mode")


def file_of_options_that_is_wrong(suite, folder):
    folder.mkdir()
    file = folder / "server.toml"
    for text, *told in (
        ("http-prot = 3\n", "--http-prot", "'--http-port'"),
        ("http-port = 3\nid = \n", "server.toml", "line 2"),
        ("http-port = { a = 1 }\n", "server.toml", "`http-port`"),
        ('http-port = "x"\n', "--http-port", "'x'"),
    ):
        file.write_text(text)
        refused(run_program([suite.trident, "serve", folder, "--config", file]), 2, *told)
    refused(check(suite, folder, "--config", folder / "no.toml"), 2, "no.toml")


def options_without_effect(suite, folder):
    """Options of the Triton Inference Server for CUDA are logged, and change nothing else."""
    cut(add(folder))
    flags = ("--pinned-memory-pool-byte-size=0", "--cuda-memory-pool-byte-size=0:0")
    ended = serve(suite, folder, *flags)
    assert ended.returncode == 1, ended
    for flag in flags:
        name = flag.split("=")[0]
        assert f"{name} has no effect: there is no CUDA here" in ended.stderr, ended.stderr


def link_named_tritonserver(suite, folder):
    """Through a link of that name, the program serves."""
    add(folder)
    link = folder.parent / "tritonserver"
    link.symlink_to(suite.trident)
    ended = run_program([link, f"--model-store={folder}", "--check"])
    assert ended.returncode == 0, ended.stderr
    assert re.search(r"add +1 .*READY", ended.stdout), ended.stdout
    refused(run_program([link, f"--model-stor={folder}"]), 2, "'--model-store'")
