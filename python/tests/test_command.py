"""The command line in the package behaves as the program: results, statuses, signals."""

import importlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import tomllib

import pytest
from test_model import DIGITS, ROOT, endless

import trident
from trident import __main__, _trident

COMMAND = (sys.executable, "-m", "trident")


def run(*words, **options):
    return subprocess.run(
        [*COMMAND, *map(str, words)], cwd=DIGITS, capture_output=True, text=True, **options
    )


def test_the_program_of_the_package_is_the_command_line():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, function = project["scripts"]["trident"].split(":")
    assert getattr(importlib.import_module(module), function) is __main__.main


def test_a_model_runs():
    done = run("run", "digits.onnx", "--input", "7.png", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"probabilities"' in done.stdout and done.stdout.endswith("}\n")


def test_the_name_is_that_of_the_program():
    assert run("--version").stdout == f"trident {trident.__version__}\n"
    assert "Usage: trident run" in run("run", "--help").stdout
    without = run()
    assert without.returncode == 2 and "Usage: trident <COMMAND>" in without.stderr


def test_names_of_files_are_bytes(tmp_path):
    name = os.fsdecode(b"caf\xe9.onnx")
    done = run("inspect", tmp_path / name)
    assert done.returncode == 2 and "caf" in done.stderr
    (tmp_path / name).write_bytes((DIGITS / "digits.onnx").read_bytes())
    assert run("inspect", tmp_path / name).returncode == 0


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, ["devices"]),
        (1, ["run", "digits.onnx", "-i", "random", "--memory-limit", "1000B"]),
        (2, ["run", "missing.onnx"]),
        (2, ["run", "digits.onnx", "--no-such-option"]),
    ],
)
def test_the_status_says_how_it_ended(status, words):
    done = run(*words)
    assert done.returncode == status, done.stderr
    assert done.stderr.startswith("error: ") == (status > 0), done.stderr


def test_metal_programs_are_in_the_program_or_on_macos():
    kernel = ROOT / "crates/cli/tests/metal/scale.ttir"
    done = run("compile", kernel, "--device", "metal", "--emit", "msl", "--chip", "m1")
    if sys.platform == "darwin":
        assert (done.returncode, "kernel void scale" in done.stdout) == (0, True), done.stderr
        return
    assert (done.returncode, done.stdout) == (2, "")
    said = "this build of trident shows no kernels for `--device metal`"
    assert said in done.stderr and "cargo install --path crates/cli" in done.stderr
    # Without a device, the code is the CPU's.
    assert run("compile", kernel, "--emit", "asm").returncode == 0


def test_a_reader_that_leaves_is_no_failure():
    reader, writer = os.pipe()
    os.close(reader)
    words = [*COMMAND, "inspect", "digits.onnx"]
    with open(writer, "wb") as output:
        done = subprocess.run(words, cwd=DIGITS, stdout=output, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")


def begin(folder: pathlib.Path, words=COMMAND):
    """Start a model that runs forever, and wait until it runs."""
    file = folder / "endless.onnx"
    file.write_bytes(endless()[0])
    process = subprocess.Popen(
        [*words, "run", file, "-i", "random"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    time.sleep(2)
    assert process.poll() is None
    return process


def test_an_interrupt_ends_it(tmp_path):
    process = begin(tmp_path)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=10)
    finally:
        process.kill()
    assert (process.returncode, said) == (-signal.SIGINT, b"")
    assert time.monotonic() - start < 1


def test_an_interrupt_that_the_caller_ignores_stays_ignored(tmp_path):
    ignoring = ("sh", "-c", 'trap "" INT; exec "$@"', "sh", *COMMAND)
    process = begin(tmp_path, ignoring)
    try:
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
    finally:
        process.kill()
        process.communicate()


def test_a_build_without_models_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.delattr(_trident, "command")
    with pytest.raises(SystemExit) as end:
        __main__.main()
    assert end.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("error: this build of trident has no command line")
    assert "`models`" in said
