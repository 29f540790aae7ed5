"""Settings of the process: threads, stored kernels, progress on terminals, the logger."""

import logging
import os
import pty
import subprocess
import sys

import numpy as np
import pytest
from onnx_bytes import model, node, tensor, tensor_type
from test_model import DIGITS, ROOT

import trident


def python(program, **environment):
    """What a program prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=DIGITS,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_threads_are_those_of_models_and_kernels_from_then_on():
    program = """
import trident
cores = trident.threads
print(trident.Model("digits.onnx").origin[1]["threads"])
trident.threads = 3
print(trident.threads, trident.num_threads())
trident.set_num_threads(2)
print(trident.threads, cores == 2)
trident.threads = 0
print(trident.threads == cores)
"""
    cores = os.process_cpu_count() if hasattr(os, "process_cpu_count") else None
    cores = cores or len(os.sched_getaffinity(0))
    expected = ["0", "3 3", f"2 {cores == 2}", "True"]
    assert python(program, TRIDENT_THREADS="").split("\n") == expected
    shown = "import trident; print(trident.threads)"
    assert python(shown, TRIDENT_THREADS="5") == "5"


def test_a_model_runs_on_the_threads_that_are_set():
    program = """
import os, numpy as np, trident
trident.threads = int(os.environ["WANTED"])
x = np.ones((64, 1, 8, 8), np.float32)
trident.Model("digits.onnx")(x)
print(len(os.listdir("/proc/self/task")))
"""
    alone, several = (int(python(program, WANTED=wanted)) for wanted in ("1", "6"))
    assert several - alone == 5


def test_wrong_numbers_of_threads_are_refused():
    before = trident.threads
    with pytest.raises(ValueError, match="0 .one for each core. to 1024"):
        trident.threads = 5000
    with pytest.raises(ValueError, match="the number of threads must be 0 .* not -1"):
        trident.threads = -1
    with pytest.raises(TypeError, match="the number of threads must be .*, not '2'"):
        trident.set_num_threads("2")
    assert trident.threads == before and "threads" in dir(trident)
    with pytest.raises(AssertionError, match="TRIDENT_THREADS is `x`: it is 0 .one for each"):
        python("import trident; trident.Model('digits.onnx')", TRIDENT_THREADS="x")


def test_stored_kernels_are_removed_and_made_again(tmp_path):
    program = """
import sys, numpy as np, triton, triton.language as tl, trident

@triton.jit
def double(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 2 * tl.load(x + i))

hits = []
triton.knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
x = np.ones(16, np.float32)
double[1,](x, BLOCK=16)
removed = trident.cache_clear() if sys.argv[1:] else 0
double[1,](x, BLOCK=16)
print(x[0], hits, removed)
"""
    file = tmp_path / "program.py"
    file.write_text(program)
    places = {
        "XDG_CACHE_HOME": str(tmp_path / "home"),
        "TRITON_CACHE_DIR": str(tmp_path / "triton"),
    }

    def run(*words):
        done = subprocess.run(
            [sys.executable, file, *words], env=os.environ | places, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    folder = tmp_path / "home/trident/kernels"
    assert run() == ["4.0", "[False]", "0"]
    assert run() == ["4.0", "[True]", "0"]
    (stored,) = folder.glob("*.trident")
    other, size = folder / "notes.txt", stored.stat().st_size
    other.write_text("not a kernel")
    assert run("clear") == ["4.0", "[True]", str(size)]
    assert not stored.exists() and other.exists() and (folder / "key").exists()
    assert run() == ["4.0", "[False]", "0"] and stored.exists()


def test_nothing_stored_is_nothing_to_remove(tmp_path):
    program = "import trident; print(trident.cache_clear())"
    assert python(program, XDG_CACHE_HOME=str(tmp_path / "none")) == "0"


def on_a_terminal(program, folder, **environment):
    """What a program writes to standard error that is a terminal."""
    near, far = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=folder, stderr=far, env=os.environ | environment
    )
    os.close(far)
    said = b""
    try:
        while block := os.read(near, 4096):
            said += block
    except OSError:
        # Linux reports a terminal without other users as an error.
        pass
    os.close(near)
    assert process.wait() == 0, said
    return said.decode()


#: A load that waits for two seconds, and then finds no model.
SLOW = """
import os, threading, trident
os.mkfifo("pipe")
threading.Timer(2, lambda: open("pipe", "wb").close()).start()
try:
    trident.Model("pipe"{})
except (trident.ModelError, OSError):
    pass
"""


def test_a_slow_load_shows_on_a_terminal(tmp_path):
    said = on_a_terminal(SLOW.format(""), tmp_path)
    assert f"loading `{tmp_path}/pipe`" in said


@pytest.mark.parametrize(
    ("argument", "environment"),
    [(", progress=False", {}), ("", {"TRIDENT_PROGRESS": "0"})],
)
def test_progress_can_be_turned_off(tmp_path, argument, environment):
    assert on_a_terminal(SLOW.format(argument), tmp_path, **environment) == ""


def test_progress_shows_on_terminals_only(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", SLOW.format(", progress=True")], cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")


def too_large_to_fold():
    """A model that computes 16 KiB from weights of 4 KiB."""
    ty = tensor_type("float32", [64, 64])
    weight = tensor("weight", (np.arange(4096) % 100).astype(np.int8).reshape(64, 64))
    nodes = [node("Cast", ["weight"], ["wide"], "widen", to=1), node("Mul", ["x", "wide"], ["y"])]
    return model(nodes, {"x": ty}, {"y": ty}, [weight])


def test_the_logger_says_what_is_slow(caplog):
    with caplog.at_level(logging.WARNING, "trident"):
        trident.Model(too_large_to_fold(), memory_limit=12 << 10)
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("trident", "WARNING")
    assert record.getMessage().startswith("model from bytes: 1 operation on constants runs")


@pytest.mark.parametrize(
    ("declared", "shown"),
    [([5, 3], "f32[5, 3]"), ([2, 3, 1], "f32[2, 3, 1]"), (["N", 4], "f32[N, 4]")],
)
def test_sizes_that_the_file_declares_wrongly_are_warned_of(caplog, tmp_path, declared, shown):
    types = {"x": tensor_type("float32", [2, 3])}
    data = model([node("Relu", ["x"], ["y"])], types, {"y": tensor_type("float32", declared)})
    with caplog.at_level(logging.WARNING, "trident"):
        loaded = trident.Model(data)
    text = f"the file declares output `y` as {shown}, but the model computes f32[2, 3]"
    text += ", which runs give"
    assert [record.getMessage() for record in caplog.records] == [f"model from bytes: {text}"]
    assert loaded(np.zeros((2, 3), np.float32)).shape == (2, 3)
    (tmp_path / "m.onnx").write_bytes(data)
    for words, kind in (["inspect"], "warning"), (["run", "-i", "random"], "note"):
        command = [sys.executable, "-m", "trident", words[0], tmp_path / "m.onnx", *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stderr == f"{kind}: {text}\n"


@pytest.mark.parametrize("declared", [["N", 3], [None, 3], [2, "M"], None])
def test_open_sizes_contradict_nothing(caplog, declared):
    types = {"x": tensor_type("float32", [2, 3])}
    data = model([node("Relu", ["x"], ["y"])], types, {"y": tensor_type("float32", declared)})
    with caplog.at_level(logging.WARNING, "trident"):
        trident.Model(data)
    assert caplog.records == []


def test_the_logger_says_how_long_a_load_took(caplog):
    with caplog.at_level(logging.INFO, "trident"):
        trident.Model(ROOT / "examples/digits/digits.onnx")
    (record,) = caplog.records
    assert record.getMessage().startswith(f"loaded model `{DIGITS}/digits.onnx` in 0.")


def test_the_logger_has_no_handler():
    assert logging.getLogger("trident").handlers == []
