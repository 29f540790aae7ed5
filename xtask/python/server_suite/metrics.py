"""The page of metrics: families that `--metrics-config` asks for, and promtool's opinion."""

import os
import pathlib
import re
import subprocess
import time

import numpy as np

from backend_suite import repository
from backend_suite.client import Http
from checks import Skip, title

from .models import add_echo
from .server import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
RECORDED = ROOT / "conformance/server/summaries.txt"
X = np.arange(16, dtype=np.float32).reshape(1, 16)
SUMMARIES = (
    "--metrics-config=summary_latencies=true",
    "--metrics-config=summary_quantiles=0.5:0.05,0.9:0.01",
)
HISTOGRAM = "nv_inference_first_response_histogram_ms"


def run(suite):
    folder = suite.folder / "metrics"
    models = repository.Repository(folder / "models")
    repository.add_one(models)
    repository.add_one(models, "kept", extra="response_cache { enable: true }")
    add_echo(models, "slow", 120)
    tensors = {key: ("INT32" if key == "IN" else "UINT32", [-1]) for key in ("IN", "DELAY", "WAIT")}
    outputs = {"OUT": ("INT32", [1]), "IDX": ("UINT32", [1])}
    for name, extra in (("many", ""), ("bounds", BOUNDS)):
        policy = f"model_transaction_policy {{ decoupled: true }}\n{extra}"
        text = repository.configuration(tensors, outputs, "repeat", extra=policy)
        models.add(name, None, text)
    for number, (function, flags) in enumerate(CHECKS):
        place = folder / f"{number}.log"
        suite.check(
            title(function), lambda f=function, g=flags, p=place: f(start(suite, models, p, g))
        )


BOUNDS = (
    f'model_metrics {{ metric_control {{ metric_identifier {{ family: "{HISTOGRAM}" }}'
    " histogram_options { buckets: [ 1, 30, 9000.5 ] } } }"
)


def start(suite, models, log, flags):
    flags = ("--cache-config=local,size=100000", *flags)
    return Server(suite.trident, models.folder, log, flags)


def page(running):
    http = Http(running.port("metrics"))
    told = http.call("GET", "/metrics")
    http.close()
    assert told.status == 200, told
    return told.body.decode()


def value(text, family, model, **labels):
    """The value of a series."""
    pairs = sorted({"model": model, "version": "1", **labels}.items())
    written = ",".join(f'{name}="{own}"' for name, own in pairs)
    series = f"{family}{{{written}}} "
    lines = [line for line in text.splitlines() if line.startswith(series)]
    assert len(lines) == 1, (series, lines)
    return float(lines[0].removeprefix(series))


def ask(running):
    """Requests to all models."""
    http = Http(running.port("HTTP"))
    for _ in range(4):
        http.infer("add", {"INPUT0": X})
        http.infer("kept", {"INPUT0": X})
    for _ in range(3):
        http.infer("slow", {"INPUT0": X[:, :4]})
    body = b'{"IN": [7, 8, 9], "DELAY": [40, 0, 0], "WAIT": [0]}'
    for model in ("many", "bounds"):
        told = http.call("POST", f"/v2/models/{model}/generate_stream", body)
        assert told.status == 200 and told.body.count(b"data:") == 3, told
    http.close()


def recorded_families(starting):
    """Summaries have the names, texts and labels of the Triton Inference Server."""
    with starting as running:
        text = page(running)

    def shape(page):
        """The lines with labels in one order, of any model, without values."""
        shapes = set()
        for line in page.splitlines():
            if line.startswith("#"):
                shapes.add(line)
                continue
            family, labels = re.match(r"(\w+)\{(.*)\}", line).groups()
            kept = sorted(label for label in labels.split(",") if not label.startswith("model="))
            shapes.add((family, *kept))
        return shapes

    own = "\n".join(line for line in text.splitlines() if "summary" in line)
    assert shape(own) == shape(RECORDED.read_text()), shape(own) ^ shape(RECORDED.read_text())
    assert 'nv_inference_queue_summary_us{model="add",quantile="0.5",version="1"} Nan' in own, own


def times_of_requests(starting):
    """Summaries have the times of requests, and those of hits and misses."""
    with starting as running:
        ask(running)
        text = page(running)
        request = "nv_inference_request_summary_us"
        assert value(text, f"{request}_count", "slow") == 3
        half, sum_ = (
            value(text, request, "slow", quantile="0.5"),
            value(text, f"{request}_sum", "slow"),
        )
        assert 119_000 < half < 2_000_000 and 360_000 < sum_ < 6_000_000, (half, sum_)
        assert half <= 1.03 * value(text, request, "slow", quantile="0.9")
        run = value(text, "nv_inference_compute_infer_summary_us", "slow", quantile="0.5")
        assert 119_000 < run <= 1.02 * half, (run, half)
        assert value(text, "nv_inference_compute_infer_summary_us_count", "kept") == 1
        assert value(text, "nv_cache_hit_summary_per_model_count", "kept") == 3
        assert value(text, "nv_cache_miss_summary_per_model_count", "kept") == 1
        assert "nv_inference_request_duration_us" in text and HISTOGRAM not in text


def sums_left_out(starting):
    """Without counter_latencies there are no sums of times."""
    with starting as running:
        ask(running)
        text = page(running)
        assert "duration" not in re.sub(r"(?m)^(#.*|trident_.*)\n", "", text), text
        assert "_summary_us" not in text and value(text, "nv_inference_request_success", "add") == 4


def first_answers(starting):
    """Decoupled models have a histogram of the time until the first answer, with their bounds."""
    with starting as running:
        ask(running)
        text = page(running)
        for model, bounds in (("many", (100, 500, 2000, 5000)), ("bounds", (1, 30, 9000.5))):
            assert value(text, f"{HISTOGRAM}_count", model) == 1
            assert 39 < value(text, f"{HISTOGRAM}_sum", model) < 3000
            counts = [value(text, f"{HISTOGRAM}_bucket", model, le=f"{n:g}") for n in bounds]
            assert counts == sorted(counts), counts
            assert value(text, f"{HISTOGRAM}_bucket", model, le="+Inf") == 1
        assert value(text, f"{HISTOGRAM}_bucket", "bounds", le="30") == 0
        assert f'{HISTOGRAM}_count{{model="add"' not in text


def promtool(starting):
    """promtool finds no fault in a page with all families."""
    program = os.environ.get("TRIDENT_PROMTOOL")
    if not program:
        raise Skip("no promtool (of Debian's package prometheus); `cargo xtask` fetches it as root")
    with starting as running:
        ask(running)
        time.sleep(0.1)
        text = page(running)
    done = subprocess.run(
        [program, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip
    # Status 3 is an opinion on names. Those of the Triton Inference Server are what they are.
    assert done.returncode in (0, 3), done
    own = [line for line in done.stderr.splitlines() if not line.startswith("nv_")]
    assert not own, own


HISTOGRAMS = ("--metrics-config=histogram_latencies=true",)
CHECKS = (
    (recorded_families, SUMMARIES),
    (times_of_requests, SUMMARIES),
    (sums_left_out, ("--metrics-config=counter_latencies=false",)),
    (first_answers, HISTOGRAMS),
    (promtool, (*SUMMARIES, *HISTOGRAMS)),
)
