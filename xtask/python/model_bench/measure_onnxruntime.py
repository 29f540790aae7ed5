"""Times one model with ONNX Runtime; request and answer as in `xtask/peers`."""

import json
import sys
import time

import numpy as np


def memory(field):
    """A field of /proc/self/status in bytes; 0 where there is none."""
    try:
        with open("/proc/self/status") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field))
    except (OSError, StopIteration):
        return 0


def main():
    request = json.load(sys.stdin)
    feeds = {}
    for item in request["inputs"]:
        array = np.fromfile(item["file"], item["dtype"])
        feeds[item["name"]] = array.reshape(item["shape"])
    interpreter = memory("VmRSS")  # Python and NumPy, which are no part of the engine
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = request["threads"]
    options.inter_op_num_threads = 1
    for name, size in request["free_dimensions"].items():
        options.add_free_dimension_override_by_name(name, size)
    start = time.perf_counter()
    session = onnxruntime.InferenceSession(
        request["model"], options, providers=["CPUExecutionProvider"]
    )
    loaded = time.perf_counter()
    (output, *_) = session.run(None, feeds)
    first = time.perf_counter()
    for _ in range(request["warmup"]):
        session.run(None, feeds)
    latencies = []
    for _ in range(request["iterations"]):
        begin = time.perf_counter()
        session.run(None, feeds)
        latencies.append((time.perf_counter() - begin) * 1e3)
    answer = {
        "latencies_ms": latencies,
        "load_ms": (loaded - start) * 1e3,
        "first_run_ms": (first - loaded) * 1e3,
        "peak_rss_bytes": memory("VmHWM") - interpreter,
    }
    output.astype(np.float32).tofile(request["output"])
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
