"""Lines of the log on request, and traces in files and sent to a collector.

Files have the form of the Triton Inference Server, and a collector gets OTLP. Both are compared
with those of a real server.
"""

import base64
import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import threading

import grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc

from backend_suite import repository
from backend_suite import server as tritonserver
from checks import Skip, title

from .busy import http_of, until
from .compared.sides import copy_of_backends
from .mistakes import refused, run_program
from .models import add_recorded
from .server import Server, settled

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SAMPLED = {"traceparent": f"00-{TRACE}-{PARENT}-01", "tracestate": "vendor=x"}
POINTS = [
    "HTTP_RECV_START",
    "HTTP_RECV_END",
    "REQUEST_START",
    "QUEUE_START",
    "COMPUTE_START",
    "COMPUTE_INPUT_END",
    "COMPUTE_OUTPUT_START",
    "COMPUTE_END",
    "INFER_RESPONSE_COMPLETE",
    "REQUEST_END",
    "HTTP_SEND_START",
    "HTTP_SEND_END",
]
DECODE = """
import base64, json, sys
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
message = trace_service_pb2.ExportTraceServiceRequest()
message.ParseFromString(base64.b64decode(sys.stdin.read()))
print(json_format.MessageToJson(message))
"""


def run(suite):
    folder = suite.folder / "observed"
    models = observed_models(folder)
    start = functools.partial(Server, suite.trident, models)
    for check in (verbose, sampled, settings, one_model, collected, no_collector):
        suite.check(title(check), functools.partial(check, start, folder))
    suite.check(title(wrong_options), functools.partial(wrong_options, suite.trident, models))
    for check in (same_files, same_spans):
        suite.check(title(check), functools.partial(check, start, models, folder))


def observed_models(folder):
    models = repository.Repository(folder / "models")
    repository.add_one(models, size=4)
    add_recorded(models, "repeat_int32")
    return models.folder


def ask_http(running, name, model="add", headers=()):
    """The status of a request over HTTP with this id."""
    tensor = {"name": "INPUT0", "datatype": "FP32", "shape": [1, 4], "data": [0, 1, 2, 3]}
    body = json.dumps({"id": name, "inputs": [tensor]})
    return http_of(running).call("POST", f"/v2/models/{model}/infer", body, headers).status


def ask_grpc(running, name, size=4):
    """Send a request alone and in a stream; the code of the first, and the stream's messages."""
    tensor = service_pb2.ModelInferRequest.InferInputTensor(
        name="INPUT0", datatype="FP32", shape=[1, size]
    )
    message = service_pb2.ModelInferRequest(
        model_name="add", id=name, inputs=[tensor], raw_input_contents=[bytes(4 * size)]
    )
    code = grpc.StatusCode.OK
    with grpc.insecure_channel(running.places["gRPC"]) as channel:
        stub = service_pb2_grpc.GRPCInferenceServiceStub(channel)
        try:
            stub.ModelInfer(message)
        except grpc.RpcError as error:
            code = error.code()
        return code, list(stub.ModelStreamInfer(iter([message])))


def ask_for_events(running, name):
    """Three answers as server-sent events."""
    body = json.dumps({"id": name, "IN": [1, 2, 3], "DELAY": [0, 0, 0], "WAIT": 0})
    answer = http_of(running).call("POST", "/v2/models/repeat_int32/generate_stream", body)
    assert answer.status == 200, answer


def verbose(start, folder):
    """Environment variables ask for lines about batches, plans and devices."""
    times = r"input [\d.]+ us, infer [\d.]+ us, output [\d.]+ us"
    patterns = {
        r"model 'add' version 1 takes \d+ bytes": "TRITON_MPS_VERBOSE",
        rf"model 'add' version 1: a batch of 1, {times}": "TRITON_MPS_VERBOSE",
        r"model 'add': \w+ `.*` by .+ on cpu -> .+": "TRITON_METAL_DEBUG",
        r"device cpu, .+ threads, .+": "TRITON_APPLE_VERBOSE",
        r"model 'add' version 1: devices .+": "TRITON_APPLE_VERBOSE",
    }
    variables = set(patterns.values())
    for chosen in (*variables, None):
        values = {name: "1" if name == chosen else "off" for name in variables}
        with start(folder / f"{chosen}.log", variables=values) as running:
            assert ask_http(running, "r") == 200
            running.stop()
            said = running.said()
        for pattern, variable in patterns.items():
            found = re.findall(rf"^I.*\] {pattern}$", said, re.MULTILINE)
            assert bool(found) == (variable == chosen), (chosen, pattern, said)


def config(*settings):
    return [f"--trace-config={setting}" for setting in settings]


def traced(file):
    """The objects of a file of traces, by the traces' numbers."""
    traces = {}
    for one in json.loads(settled(pathlib.Path(file))):
        traces.setdefault(one["id"], []).append(one)
    return traces


def names_of(traces):
    """The requests of traces."""
    return [objects[0]["request_id"] for objects in traces.values()]


def sampled(start, folder):
    """Every third request is traced, in files of two, as long as the count lasts."""
    file = folder / "times"
    flags = config(
        "level=TIMESTAMPS", "rate=3", "count=3", f"triton,file={file}", "triton,log-frequency=2"
    )
    with start(folder / "times.log", flags) as running:
        for number in range(12):
            assert ask_http(running, f"r{number}") == 200
        until(lambda: pathlib.Path(f"{file}.1").exists(), "the second file is there")
        assert http_of(running).get("/v2/trace/setting")["trace_count"] == "0"
        traces = {**traced(f"{file}.0"), **traced(f"{file}.1")}
    assert names_of(traces) == ["r2", "r5", "r8"], traces
    assert not pathlib.Path(f"{file}.2").exists()
    for objects in traces.values():
        assert objects[0]["model_name"] == "add" and objects[0]["model_version"] == 1
        times = [time for one in objects[1:] for time in one["timestamps"]]
        assert [time["name"] for time in times] == POINTS, times
        assert all(a["ns"] <= b["ns"] for a, b in zip(times, times[1:], strict=False)), times


def settings(start, folder):
    """Clients switch traces on and off while the server runs."""
    file = folder / "switched"
    with start(folder / "switched.log", config(f"triton,file={file}")) as running:
        change = functools.partial(http_of(running).post, "/v2/trace/setting")
        ask_http(running, "before")
        now = change({"trace_level": ["TIMESTAMPS"], "trace_rate": "1"})
        assert now["trace_file"] == str(file) and now["trace_level"] == ["TIMESTAMPS"], now
        ask_http(running, "on")
        until(file.exists, "there is a trace")
        change({"trace_level": ["OFF"]})
        ask_http(running, "off")
        change({"trace_level": ["TENSORS"]})
        ask_http(running, "tensors")
        until(lambda: len(traced(file)) == 2, "there are two traces")
    traces = traced(file)
    assert names_of(traces) == ["on", "tensors"], traces
    assert all("tensor" in one for one in traces[2][1:]), traces


def one_model(start, folder):
    """A model has its own settings, and is counted by itself."""
    file = folder / "one"
    flags = config("level=TIMESTAMPS", "rate=1000000", f"triton,file={file}")
    with start(folder / "one.log", flags) as running:
        path = "/v2/models/add/trace/setting"
        now = http_of(running).post(path, {"trace_rate": "2", "trace_count": "1"})
        assert (now["trace_rate"], now["trace_count"]) == ("2", "1"), now
        for number in range(6):
            ask_http(running, f"r{number}")
            ask_for_events(running, "other")
        until(file.exists, "there is a trace")
        assert http_of(running).get(path)["trace_count"] == "0"
    assert names_of(traced(file)) == ["r1"], traced(file)


class Collector:
    """A server that keeps the bodies of requests."""

    def __enter__(self):
        bodies = self.bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                bodies.append((self.path, self.headers["Content-Type"], body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1/traces"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def spans(self):
        """The spans that have come."""
        found = []
        for _, kind, body in self.bodies:
            message = json.loads(body) if kind == "application/json" else decoded(body)
            for resource in message["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found += scope["spans"]
        return found


def decoded(body):
    """A message of OTLP as JSON, by the messages of the package opentelemetry-proto."""
    python = os.environ.get("TRIDENT_CLIENTS")
    if not python:
        raise Skip("run this by `cargo xtask conformance server`: TRIDENT_CLIENTS is not set")
    text = base64.b64encode(body)
    done = subprocess.run([python, "-c", DECODE], input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-600:]
    message = json.loads(done.stdout)
    for resource in message["resourceSpans"]:
        for span in (span for scope in resource["scopeSpans"] for span in scope["spans"]):
            for key in ("traceId", "spanId", "parentSpanId"):  # JSON of OTLP has these in hex
                span[key] = base64.b64decode(span.get(key, "")).hex()
    return message


def otel(url, rate):
    """Options for a collector."""
    return config(
        "mode=opentelemetry",
        "level=TIMESTAMPS",
        f"rate={rate}",
        f"opentelemetry,url={url}",
        "opentelemetry,resource=service.name=tests",
        "opentelemetry,bsp_schedule_delay=100",
    )


def attributes(listed):
    return {one["key"]: next(iter(one["value"].values())) for one in listed}


def collected(start, folder):
    """A collector gets the spans of requests in batches, within the clients' traces."""
    with Collector() as collector:
        with start(folder / "otel.log", otel(collector.url, 1000)) as running:
            assert ask_http(running, "r", headers=SAMPLED) == 200
            other = {"traceparent": SAMPLED["traceparent"][:-1] + "0"}
            assert ask_http(running, "not sampled", headers=other) == 200
            assert ask_http(running, "seldom") == 200
            assert ask_http(running, "", model="nope", headers=SAMPLED) == 404
            until(lambda: len(collector.spans()) >= 4, "spans come")
        bodies, spans = collector.bodies, collector.spans()
    assert len(bodies) <= 2, "spans are not sent together"
    assert {body[:2] for body in bodies} == {("/v1/traces", "application/x-protobuf")}
    [resource] = decoded(bodies[0][2])["resourceSpans"]
    assert attributes(resource["resource"]["attributes"]) == {"service.name": "tests"}, resource
    assert len(spans) == 4, spans
    *spans, wrong = spans
    assert [span["name"] for span in spans] == ["compute", "add", "InferRequest"], spans
    compute, model, root = spans
    assert root["parentSpanId"] == PARENT == wrong["parentSpanId"]
    assert model["parentSpanId"] == root["spanId"] and compute["parentSpanId"] == model["spanId"]
    for span in (*spans, wrong):
        assert (span["traceId"], span["traceState"]) == (TRACE, "vendor=x"), span
        assert 0 < int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]), span
    assert attributes(root["attributes"]) == {"triton.status": "200"}
    assert wrong["status"]["code"] == "STATUS_CODE_ERROR" and "nope" in wrong["status"]["message"]


def no_collector(start, folder):
    """Without its collector, the server answers, says so in the log, and ends soon."""
    with start(folder / "alone.log", otel("http://127.0.0.1:9/v1/traces", 1)) as running:
        assert ask_http(running, "r") == 200
        until(lambda: "do not reach the collector" in running.said(), "the log says so")
        assert ask_http(running, "r") == 200
        assert running.stop() == 0


def wrong_options(trident, models):
    """Wrong settings of traces are named."""
    cases = {
        "level=TIMESTAMPS": "traces need a file",
        "level=x": "expected OFF, TIMESTAMPS or TENSORS",
        "speed=1": "`speed` is not a setting",
        "mode=zipkin": "expected triton or opentelemetry",
        "rate": "is not `<setting>=<value>`",
    }
    for value, part in cases.items():
        done = run_program([trident, "serve", "--check", models, f"--trace-config={value}"])
        refused(done, 2, part)
    flags = config("mode=opentelemetry", "opentelemetry,url=https://host/v1/traces")
    refused(run_program([trident, "serve", "--check", models, *flags]), 2, "https://host", "4318")
    for option, part in (
        ("--trace-rate=x", "expected a whole number"),
        ("--trace-level=TIMESTAMPS", "traces need a file"),
    ):
        refused(run_program([trident, "serve", "--check", models, option]), 2, part)


# ---- beside the real server -------------------------------------------------------------------


class Theirs:
    """tritonserver 2.51 with our backend library, as far as the checks need it."""

    def __init__(self, models, log, flags):
        library = os.environ.get("TRIDENT_BACKENDS")
        if not library:
            raise Skip("TRIDENT_BACKENDS is not set: run this by `cargo xtask conformance server`")
        backends = copy_of_backends(log.parent / "backends", pathlib.Path(library))
        flags = ("--exit-on-error=false", "--strict-readiness=false", *flags)
        self.server = tritonserver.Server(backends, models, log, flags)
        self.places = {"HTTP": f"127.0.0.1:{self.server.http}"}
        self.places["gRPC"] = f"127.0.0.1:{self.server.grpc}"

    def port(self, protocol):
        return int(self.places[protocol].rpartition(":")[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.process.kill()
        self.server.process.wait()


def form(objects):
    """The objects of a trace without times, in an order of their own."""
    shown = []
    for one in objects:
        if "timestamps" in one:
            shown.append(one | {"timestamps": [time["name"] for time in one["timestamps"]]})
        else:
            shown.append(one)
    for one in shown:
        if "tensor" in one:  # 1 is 1.0 there
            data = [float(value) for value in one["tensor"]["data"].split(",")]
            one["tensor"] = one["tensor"] | {"data": data}
    return sorted(json.dumps(one, sort_keys=True) for one in shown)


def ask_all(running):
    assert ask_http(running, "http") == 200
    ask_grpc(running, "grpc")


def same_files(start, models, folder):
    """Files of traces have the objects of the real server's."""
    found = {}
    for name, begin in (("ours", start), ("theirs", functools.partial(Theirs, models))):
        file = folder / f"same-{name}"
        flags = config(
            "level=TIMESTAMPS",
            "level=TENSORS",
            "rate=1",
            f"triton,file={file}",
            "triton,log-frequency=1",
        )
        with begin(folder / f"same-{name}.log", flags) as running:
            ask_all(running)
            until(lambda file=file: pathlib.Path(f"{file}.2").exists(), "there are traces")
            said = http_of(running).get("/v2/trace/setting")
        traces = [*map(form, (o for k in range(3) for o in traced(f"{file}.{k}").values()))]
        found[name] = (traces, said | {"trace_file": ""})
    assert found["ours"] == found["theirs"], found


def tree(spans):
    """Spans without times and random numbers, by their parents' names."""
    names = {span["spanId"]: span["name"] for span in spans}
    shown = []
    for span in spans:
        parent = span.get("parentSpanId", "")
        values = attributes(span.get("attributes", []))
        values.pop("triton.status", None)  # theirs have no outcome
        events = [event["name"] for event in span["events"]]
        facts = (span["name"], names.get(parent, parent), span.get("traceState", ""))
        shown.append((*facts, values, sorted(events)))
    return sorted(shown, key=str)


def same_spans(start, models, folder):
    """Spans have the names, parents, attributes and events of the real server's."""
    found = {}
    for name, begin in (("ours", start), ("theirs", functools.partial(Theirs, models))):
        with Collector() as collector:
            flags = otel(collector.url, 1)
            with begin(folder / f"spans-{name}.log", flags) as running:
                ask_all(running)
                assert ask_http(running, "within", headers=SAMPLED) == 200
                until(lambda collector=collector: len(collector.spans()) == 12, "spans come")
                said = http_of(running).get("/v2/trace/setting")
            found[name] = (tree(collector.spans()), said | {"url": ""})
    assert found["ours"] == found["theirs"], found
