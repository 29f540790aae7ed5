"""Models as objects: interface, copies, threads, forks, interrupts, tasks."""

import asyncio
import copy
import gc
import os
import pathlib
import pickle
import re
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from forked import fork
from onnx_bytes import graph, model, node, tensor, tensor_type, unary

import trident
import trident.models

ROOT = pathlib.Path(__file__).parents[2]
DIGITS = ROOT / "examples/digits"


def endless():
    """A model that adds to its input for centuries."""
    ty = tensor_type("float32", [4])
    scalar = {"int64": tensor_type("int64", []), "bool": tensor_type("bool", [])}
    body = graph(
        [node("Identity", ["go"], ["still"]), node("Add", ["v", "v"], ["w"], "add")],
        {"i": scalar["int64"], "go": scalar["bool"], "v": ty},
        {"still": scalar["bool"], "w": ty},
    )
    rounds = tensor("rounds", np.array(1 << 60))
    loop = node("Loop", ["rounds", "", "x"], ["y"], "loop", body=body)
    short = node("Loop", ["n", "", "x"], ["y"], "loop", body=body)
    return model([loop], {"x": ty}, {"y": ty}, [rounds]), model(
        [short], {"x": ty, "n": scalar["int64"]}, {"y": ty}
    )


def test_inputs_outputs_and_metadata_are_told():
    ty = tensor_type("float32", ["N", 3, None])
    run = trident.Model(model([node("Neg", ["x"], ["y"])], {"x": ty}, {"y": ty}, (), {"k": "v"}))
    (x,), (y,) = run.inputs, run.outputs
    assert (x.name, x.type, x.dtype, x.shape) == ("x", "f32[N, 3, ?]", "float32", ("N", 3, None))
    assert not x.is_optional and y.name == "y"
    assert run.metadata == {"k": "v"}
    assert run.info["producer_name"] == "tests" and run.info["opsets"]["ai.onnx"] == 25
    assert repr(run).startswith("<trident.Model (x: f32[N, 3, ?]) -> (y: ")


@pytest.mark.parametrize("kind", [str, pathlib.Path, bytes, bytearray, memoryview])
def test_models_come_from_paths_and_bytes(kind, floats):
    file = DIGITS / "digits.onnx"
    given = kind(file if kind in (str, pathlib.Path) else file.read_bytes())
    image = floats(2, 1, 8, 8)
    run = trident.Model(given, threads=1)
    expected = run(image)
    assert expected.shape == (2, 10)
    for other in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert type(other) is trident.Model and np.array_equal(other(image), expected)


def test_a_pickled_model_is_found_from_another_folder(tmp_path, monkeypatch, floats):
    monkeypatch.chdir(DIGITS)
    run = trident.Model("digits.onnx", threads=1, time_limit=60.0)
    assert run.origin[1] == {"threads": 1, "device": None, "memory_limit": None, "time_limit": 60.0}
    stored = pickle.dumps(run)
    monkeypatch.chdir(tmp_path)
    assert pickle.loads(stored).origin == run.origin


def test_a_compiled_model_gives_the_same_bits(tmp_path, floats):
    run = trident.Model(DIGITS / "digits.onnx")
    run.compile(tmp_path / "digits.mps")
    assert [file.name for file in tmp_path.iterdir()] == ["digits.mps"]
    image = floats(3, 1, 8, 8)
    compiled = trident.Model(tmp_path / "digits.mps")
    assert np.array_equal(compiled(image), run(image))
    assert compiled.metadata == run.metadata
    compiled.compile(tmp_path / "again.mps")
    assert (tmp_path / "again.mps").read_bytes() == (tmp_path / "digits.mps").read_bytes()
    with pytest.raises(FileNotFoundError):
        run.compile(tmp_path / "absent/digits.mps")


def test_plans_and_profiles_are_tables(floats):
    run = trident.Model(DIGITS / "digits.onnx")
    plan = run.inspect({"image": (2, 1, 8, 8)})
    assert plan.steps[0].op == "fused_conv" and plan.flops > 1e6 and plan.peak_bytes > 0
    assert "fused_conv" in str(plan) and "<table>" in plan._repr_html_()
    image = floats(2, 1, 8, 8)
    profile = run.profile(image)
    assert np.array_equal(profile.results, run(image))
    assert len(profile.events) == len(plan.steps) and profile.total > 0
    assert "fused_conv" in str(profile) and "<table>" in profile._repr_html_()
    with pytest.raises(trident.ModelError, match="rank"):
        run.inspect({"image": (2,)})


def test_threads_share_a_model(floats):
    run = trident.Model(DIGITS / "digits.onnx")
    images = [floats(n + 1, 1, 8, 8) for n in range(8)]
    expected = [run(image) for image in images]
    wrong = []

    def repeat(at):
        for i in range(200):
            n = (at + i) % len(images)
            if not np.array_equal(run(images[n]), expected[n]):
                wrong.append(n)

    threads = [threading.Thread(target=repeat, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and run.copied_bytes == {"inputs": 0, "outputs": 0}


def test_other_threads_run_while_a_model_does():
    _, counted = endless()
    run, rounds = trident.Model(counted), []
    done = threading.Event()

    def count():
        while not done.is_set():
            rounds.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.monotonic()
    run(np.zeros(4, np.float32), np.int64(1_000_000))
    end = time.monotonic()
    done.set()
    thread.join()
    during = [at for at in rounds if start < at < end]
    assert end - start < 0.1 or len(during) > 10 * (end - start)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_children_run_with_threads_of_their_own(floats):
    run = trident.Model(DIGITS / "digits.onnx", threads=2)
    image = floats(64, 1, 8, 8)
    expected = run(image)
    done = threading.Event()

    def repeat():
        while not done.is_set():
            run(image)

    threads = [threading.Thread(target=repeat) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        outcomes = [fork(lambda: np.array_equal(run(image), expected)) for _ in range(40)]
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert outcomes == [0] * 40


PROGRAM = """
import os, pathlib, signal, sys, threading
import numpy as np
import trident
from stopwatch import Stopwatch

model = trident.Model(pathlib.Path(sys.argv[1]).read_bytes())
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
watch = Stopwatch()
try:
    model(np.zeros(4, np.float32))
except KeyboardInterrupt:
    took, had_cores = watch.passed(), watch.had_cores()
    assert 0.4 < took and had_cores < 1.5, (took, had_cores)
limited = trident.Model(pathlib.Path(sys.argv[1]).read_bytes(), time_limit=0.2)
try:
    limited(np.zeros(4, np.float32))
except trident.ModelError as error:
    print("time limit" in str(error))
# The model is as it was: it can be stopped again.
stop = trident._trident.Stop()
threading.Timer(0.1, stop.stop).start()
try:
    model.run({"x": np.zeros(4, np.float32)}, stop=stop)
except trident.ModelError as error:
    print("cancelled" in str(error), error.node in ("add", "loop"))
"""


def test_an_interrupt_ends_a_run_and_leaves_the_model_usable(tmp_path):
    (tmp_path / "endless.onnx").write_bytes(endless()[0])
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "endless.onnx")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert (run.stdout, run.returncode) == ("True\nTrue True\n", 0), run.stderr


def test_tasks_await_runs_and_cancel_them(floats):
    run = trident.Model(DIGITS / "digits.onnx")
    forever = trident.Model(endless()[0])
    image = floats(2, 1, 8, 8)

    async def gather():
        return await asyncio.gather(*[run.run_async({"image": image}) for _ in range(20)])

    async def cancel():
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(forever.run_async({"x": np.zeros(4, np.float32)}), 0.2)
        return time.monotonic() - start

    expected = run(image)
    results = asyncio.run(gather())
    assert all(np.array_equal(each["probabilities"], expected) for each in results)
    assert asyncio.run(cancel()) < 2
    with pytest.raises(trident.ModelError, match="no input `x`"):
        asyncio.run(run.run_async({"x": image}))


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_task_that_is_cancelled_again_waits_for_its_run_too(times):
    forever, x = trident.Model(endless()[0]), np.zeros(4, np.float32)
    complaints = []

    async def cancel():
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: complaints.append(context["message"]))
        task = asyncio.create_task(forever.run_async({"x": x}))
        await asyncio.sleep(0.1)
        for _ in range(times):
            task.cancel()
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        # The run no longer has the array.
        x.resize(8, refcheck=False)

    asyncio.run(cancel())
    gc.collect()
    assert not complaints


def test_devices_are_listed():
    (cpu,) = [device for device in trident.devices() if device.name == "cpu"]
    assert cpu.threads >= 1 and cpu.description


def test_the_page_runs_as_it_is_printed(tmp_path):
    page = (ROOT / "docs/python.md").read_text()
    code = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(code) > 3
    program = tmp_path / "page.py"
    program.write_text("\n".join(code))
    environment = os.environ | {"PYTHONWARNINGS": "error"}
    run = subprocess.run(
        [sys.executable, program], cwd=DIGITS, env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    shown = re.findall(r"# → (.*)$", "\n".join(code), re.MULTILINE)
    assert run.stdout.splitlines() == shown


@pytest.mark.parametrize("op", ["Neg", "Identity", "Relu"])
def test_onnxruntime_gives_the_same(op, floats):
    onnxruntime = pytest.importorskip("onnxruntime")
    file = unary(op, "float32", ["N", 4])
    x = floats(10, 4)
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    assert np.array_equal(trident.Model(file)(x), session.run(None, {"x": x})[0])
