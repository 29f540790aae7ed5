"""Checks a running Triton Inference Server that has this backend.

It needs `tritonclient[all]`, NumPy and, for the models, `onnx`:

    python test_client.py --write-repository repo
    tritonserver --model-repository repo --backend-directory backends \\
        --http-address 127.0.0.1 --grpc-address 127.0.0.1 --metrics-address 127.0.0.1
    python test_client.py

Prints a line for each check, and exits with status 1 if one fails.
"""

import argparse
import concurrent.futures
import pathlib
import sys
import threading
import time
import traceback
import urllib.request

import numpy as np

ADD = """
backend: "{backend}"
max_batch_size: 8
input {{ name: "INPUT0" data_type: TYPE_FP32 dims: [ 16 ] }}
output {{ name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 16 ] }}
dynamic_batching {{ max_queue_delay_microseconds: 20000 }}
"""

TEXT = """
backend: "{backend}"
max_batch_size: 8
input {{ name: "INPUT0" data_type: TYPE_STRING dims: [ -1 ] }}
output [
  {{ name: "SAME" data_type: TYPE_STRING dims: [ -1 ] }},
  {{ name: "UPPER" data_type: TYPE_STRING dims: [ -1 ] }}
]
"""

ROWS = """
backend: "{backend}"
max_batch_size: 8
input [
  {{ name: "TABLE" data_type: TYPE_FP32 dims: [ 4 ] }},
  {{ name: "INDEX" data_type: TYPE_INT64 dims: [ 1 ] }}
]
output {{ name: "VALUE" data_type: TYPE_FP32 dims: [ 1 ] }}
dynamic_batching {{ max_queue_delay_microseconds: 20000 }}
"""

SUM = """
backend: "{backend}"
max_batch_size: 4
input {{ name: "INPUT" data_type: TYPE_INT32 dims: [ 1 ] }}
output {{ name: "OUTPUT" data_type: TYPE_INT32 dims: [ 1 ] }}
sequence_batching {{
  control_input {{
    name: "START"
    control {{ kind: CONTROL_SEQUENCE_START int32_false_true: [ 0, 1 ] }}
  }}
  state {{
    input_name: "STATE_IN"
    output_name: "STATE_OUT"
    data_type: TYPE_INT32
    dims: [ 1 ]
  }}
}}
"""


def write_repository(folder: pathlib.Path, backend: str) -> None:
    """Write the models that the checks need."""
    import onnx
    from onnx import TensorProto, helper

    def save(name, config, nodes, inputs, outputs, constants=()):
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            [helper.make_node(op, given, made, **attrs) for op, given, made, attrs in nodes],
            name,
            [value(*each) for each in inputs],
            [value(*each) for each in outputs],
            list(constants),
        )
        opsets = [helper.make_opsetid("", 21)]
        version = folder / name / "1"
        version.mkdir(parents=True, exist_ok=True)
        onnx.save(
            helper.make_model(graph, opset_imports=opsets, ir_version=10), version / "model.onnx"
        )
        (folder / name / "config.pbtxt").write_text(config.format(backend=backend))

    f32, i32, i64 = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64
    text = TensorProto.STRING
    one = helper.make_tensor("one", f32, [], [1.0])
    add = [("Add", ["INPUT0", "one"], ["OUTPUT0"], {})]
    ends = [("INPUT0", f32, ["n", 16])], [("OUTPUT0", f32, ["n", 16])]
    save("add", ADD, add, *ends, [one])
    save("completed", 'backend: "{backend}"', add, *ends, [one])
    save(
        "text",
        TEXT,
        [
            ("Identity", ["INPUT0"], ["SAME"], {}),
            ("StringNormalizer", ["flat"], ["upper"], {"case_change_action": "UPPER"}),
            ("Reshape", ["INPUT0", "all"], ["flat"], {}),
            ("Shape", ["INPUT0"], ["shape"], {}),
            ("Reshape", ["upper", "shape"], ["UPPER"], {}),
        ],
        [("INPUT0", text, ["n", "k"])],
        [("SAME", text, ["n", "k"]), ("UPPER", text, ["n", "k"])],
        [helper.make_tensor("all", i64, [1], [-1])],
    )
    save(
        "rows",
        ROWS,
        [("GatherElements", ["TABLE", "INDEX"], ["VALUE"], {"axis": 1})],
        [("TABLE", f32, ["n", 4]), ("INDEX", i64, ["n", 1])],
        [("VALUE", f32, ["n", 1])],
    )
    save(
        "sum",
        SUM,
        [
            ("Sub", ["one", "START"], ["kept"], {}),
            ("Mul", ["STATE_IN", "kept"], ["before"], {}),
            ("Add", ["before", "INPUT"], ["OUTPUT"], {}),
            ("Identity", ["OUTPUT"], ["STATE_OUT"], {}),
        ],
        [(name, i32, ["n", 1]) for name in ("INPUT", "START", "STATE_IN")],
        [(name, i32, ["n", 1]) for name in ("OUTPUT", "STATE_OUT")],
        [helper.make_tensor("one", i32, [], [1])],
    )


class Clients:
    """Both protocols of a server."""

    def __init__(self, options):
        import tritonclient.grpc as grpc
        import tritonclient.http as http

        self.modules = {"http": http, "grpc": grpc}
        self.url, self.local = options.http, threading.local()
        self.grpc = grpc.InferenceServerClient(options.grpc)
        self.metrics_url = f"http://{options.metrics}/metrics"

    @property
    def http(self):
        """A client of this thread: it is not for several."""
        if not hasattr(self.local, "client"):
            self.local.client = self.modules["http"].InferenceServerClient(self.url)
        return self.local.client

    def infer(self, protocol, model, arrays, outputs=None, binary=True, **options):
        """The results by name; inputs have the types that their arrays have."""
        module, client = self.modules[protocol], getattr(self, protocol)
        from tritonclient.utils import np_to_triton_dtype

        inputs = []
        for name, array in arrays.items():
            tensor = module.InferInput(name, array.shape, np_to_triton_dtype(array.dtype))
            if protocol == "http":
                tensor.set_data_from_numpy(array, binary_data=binary)
            else:
                tensor.set_data_from_numpy(array)
            inputs.append(tensor)
        asked = None
        if outputs is not None:
            extra = {"binary_data": binary} if protocol == "http" else {}
            asked = [module.InferRequestedOutput(name, **extra) for name in outputs]
        answer = client.infer(model, inputs, outputs=asked, **options)
        shown = answer.get_response()
        shown = shown["outputs"] if protocol == "http" else shown.outputs
        names = [each["name"] if protocol == "http" else each.name for each in shown]
        return {name: answer.as_numpy(name) for name in names}

    def metrics(self):
        """Values of the server's page by name and labels."""
        with urllib.request.urlopen(self.metrics_url) as page:
            lines = page.read().decode().splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines if line and not line.startswith("#"))
        return {name: float(value) for name, value in pairs}


def refused(call):
    """The message of the error that a call ends with."""
    from tritonclient.utils import InferenceServerException

    try:
        call()
    except InferenceServerException as error:
        return error.message()
    raise AssertionError("this should have failed")


def check_add(clients):
    """FP32 through JSON, binary HTTP and gRPC"""
    given = np.arange(32, dtype=np.float32).reshape(2, 16)
    for protocol, binary in (("http", False), ("http", True), ("grpc", True)):
        result = clients.infer(protocol, "add", {"INPUT0": given}, binary=binary)
        np.testing.assert_array_equal(result["OUTPUT0"], given + 1)


def check_completed(clients):
    """inputs, outputs and batch size from the model"""
    config = clients.http.get_model_config("completed")
    assert config["max_batch_size"] == 4, config
    assert [each["name"] for each in config["input"]] == ["INPUT0"], config
    assert config["input"][0]["dims"] == [16], config
    assert "dynamic_batching" in config, config
    given = np.ones((3, 16), dtype=np.float32)
    result = clients.infer("http", "completed", {"INPUT0": given})
    np.testing.assert_array_equal(result["OUTPUT0"], given + 1)


def check_batches(clients):
    """parallel requests run as batches and get their own rows"""
    before = statistics(clients, "add")

    def one(i):
        given = np.full((1 + i % 3, 16), i, dtype=np.float32)
        result = clients.infer("http" if i % 2 else "grpc", "add", {"INPUT0": given})
        np.testing.assert_array_equal(result["OUTPUT0"], given + 1)
        return len(given)

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        rows = sum(pool.map(one, range(200)))
    after = statistics(clients, "add")
    assert after["inference_count"] - before["inference_count"] == rows
    executions = after["execution_count"] - before["execution_count"]
    assert executions < 200, f"{executions} executions for 200 requests"
    assert any(each["batch_size"] > 3 for each in after["batch_stats"]), after["batch_stats"]


def check_bytes(clients):
    """BYTES, also empty and not ASCII"""
    given = np.array([["ab", ""], ["Größe", "x" * 10000]], dtype=np.object_)
    for protocol in ("http", "grpc"):
        result = clients.infer(protocol, "text", {"INPUT0": given})
        for name, change in (("SAME", str), ("UPPER", str.upper)):
            expected = [[change(text).encode() for text in row] for row in given]
            assert result[name].tolist() == expected, (name, result[name])


def check_outputs(clients):
    """only the outputs that are asked for"""
    given = np.array([["a"]], dtype=np.object_)
    for protocol in ("http", "grpc"):
        result = clients.infer(protocol, "text", {"INPUT0": given}, outputs=["UPPER"])
        assert list(result) == ["UPPER"], result


def check_errors(clients):
    """errors with their cause, each only to its request"""
    given = np.array([[b"\xff\xfe"]], dtype=np.object_)
    said = refused(lambda: clients.infer("grpc", "text", {"INPUT0": given}))
    assert "not valid UTF-8" in said, said

    def one(i):
        arrays = {
            "TABLE": np.arange(4, dtype=np.float32).reshape(1, 4),
            "INDEX": np.array([[9 if i % 4 == 0 else i % 4]], dtype=np.int64),
        }
        if i % 4 == 0:
            return refused(lambda: clients.infer("http", "rows", arrays))
        value = clients.infer("http", "rows", arrays)["VALUE"]
        assert value == i % 4, value
        return ""

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        said = [text for text in pool.map(one, range(32)) if text]
    assert len(said) == 8, said
    assert all("9" in text for text in said), said


def check_sequences(clients):
    """the state of each of several sequences"""
    sums = {}
    for step in range(5):
        for sequence in (11, 12, 13):
            given = np.array([[sequence * 10 + step]], dtype=np.int32)
            control = {"sequence_id": sequence, "sequence_start": step == 0}
            control["sequence_end"] = step == 4
            result = clients.infer("grpc", "sum", {"INPUT": given}, **control)
            sums[sequence] = sums.get(sequence, 0) + given.item()
            assert list(result) == ["OUTPUT"], result
            assert result["OUTPUT"].item() == sums[sequence], (sequence, step, result)


def statistics(clients, model):
    time.sleep(0.1)  # counters may move just after the response
    return clients.http.get_inference_statistics(model)["model_stats"][0]


def check_statistics(clients):
    """counts and times of successes and failures"""
    found = statistics(clients, "rows")
    success, fail = found["inference_stats"]["success"], found["inference_stats"]["fail"]
    assert success["count"] > 0 and fail["count"] > 0, found
    for phase in ("queue", "compute_input", "compute_infer", "compute_output"):
        duration = found["inference_stats"][phase]
        assert duration["count"] == success["count"], found
        assert 0 <= duration["ns"] < 60e9, found
    assert 0 < success["ns"] < 600e9, found


def check_metrics(clients):
    """the server's metrics and Trident's"""
    clients.infer("http", "add", {"INPUT0": np.ones((1, 16), dtype=np.float32)})
    time.sleep(1)
    found = clients.metrics()

    def value(name, *labels):
        hits = [
            v for k, v in found.items() if k.startswith(name + "{") and all(t in k for t in labels)
        ]
        assert len(hits) == 1, (name, labels, hits)
        return hits[0]

    model = 'model="add"'
    assert value("nv_inference_request_success", model) > 0
    assert value("trident_executions", model) > 0
    assert value("trident_execution_seconds", model, 'phase="infer"') > 0
    assert value("trident_operations", model, 'op="add"') > 0
    assert value("trident_operation_seconds", model, 'op="add"') > 0
    device = model.replace("model", "device").replace("add", "cpu")
    for name in ("allocated", "peak", "reserved", "cached"):
        values = [
            v
            for k, v in found.items()
            if k.startswith(f"trident_memory_{name}_bytes") and device in k
        ]
        assert values and all(v >= 0 for v in values), name
    assert value("trident_model_memory_peak_bytes", model) > 0
    hits, misses = (value(f"trident_model_memory_{name}", model) for name in ("hits", "misses"))
    assert hits + misses > 0


CHECKS = [
    check_add,
    check_completed,
    check_batches,
    check_bytes,
    check_outputs,
    check_errors,
    check_sequences,
    check_statistics,
    check_metrics,
]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--http", default="127.0.0.1:8000", metavar="HOST:PORT")
    parser.add_argument("--grpc", default="127.0.0.1:8001", metavar="HOST:PORT")
    parser.add_argument("--metrics", default="127.0.0.1:8002", metavar="HOST:PORT")
    parser.add_argument("--write-repository", type=pathlib.Path, metavar="DIR", help="only this")
    parser.add_argument(
        "--backend", default="trident", help="the name in the models' configurations"
    )
    options = parser.parse_args()
    if options.write_repository:
        write_repository(options.write_repository, options.backend)
        return 0
    clients = Clients(options)
    failed = 0
    for check in CHECKS:
        name = check.__doc__
        try:
            check(clients)
            print(f"ok      {name}")
        except Exception:
            failed += 1
            print(f"FAILED  {name}")
            traceback.print_exc()
    print(f"{len(CHECKS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
