"""``import onnxruntime`` as Trident's interface: in whole processes."""

import subprocess
import sys

import pytest
from onnxruntime_models import add, theirs

PROGRAM = """
import sys
import onnxruntime
import onnxruntime as ort
import onnxruntime.capi._pybind_state
from onnxruntime import InferenceSession
from onnxruntime.capi import onnxruntime_pybind11_state as state
from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument
import trident.onnxruntime

assert InferenceSession is trident.onnxruntime.InferenceSession
assert onnxruntime.__name__ == onnxruntime.__spec__.name == "onnxruntime"
assert onnxruntime.capi.__name__ == "onnxruntime.capi"
assert state.InvalidArgument is InvalidArgument
assert state is onnxruntime.capi.onnxruntime_pybind11_state
assert ort.get_available_providers()[0] == "TridentExecutionProvider"
print(__name__, sys.argv[1:])
"""


def run(*arguments, folder, ok=True):
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode == 0) == ok, done.stderr
    return done.stdout if ok else done.stderr


def test_programs_modules_and_code_run_unchanged(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    command = ["-m", "trident.onnxruntime"]
    for named in (["program.py"], ["-m", "program"], ["-c", PROGRAM]):
        out = run(*command, *named, "a", "-b", folder=tmp_path)
        assert out == "__main__ ['a', '-b']\n"


def test_a_program_finds_the_modules_beside_it(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "beside.py").write_text("import onnxruntime as o\nprint(o.__version__)\n")
    (tmp_path / "app" / "main.py").write_text("import beside\n")
    assert run("-m", "trident.onnxruntime", "app/main.py", folder=tmp_path) == "1.31.1\n"


def test_install_is_for_programs_of_ones_own(tmp_path):
    code = "import trident.onnxruntime as t; t.install(); t.install();" + PROGRAM
    assert run("-c", code, folder=tmp_path) == "__main__ []\n"


def test_the_command_without_a_program_shows_its_use(tmp_path):
    for arguments in ([], ["-x"], ["-c"], ["-m"]):
        text = run("-m", "trident.onnxruntime", *arguments, folder=tmp_path, ok=False)
        assert "usage: python -m trident.onnxruntime PROGRAM" in text
    assert run("-m", "trident.onnxruntime", "--help", folder=tmp_path).startswith("usage: ")


CHILDREN = """
import multiprocessing, subprocess, sys
from concurrent.futures import ProcessPoolExecutor
import onnxruntime

def engine(_):
    import onnxruntime
    return onnxruntime.get_available_providers()[0], onnxruntime.__spec__.name

def nested(_):
    code = "import onnxruntime as o; print(o.get_available_providers()[0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip(), "onnxruntime"

if __name__ == "__main__":
    found = [nested(0)]
    for method in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(method)
        if method == "forkserver":
            context.set_forkserver_preload(["onnxruntime"])
        with context.Pool(1) as pool:
            found += pool.map(engine, [0]) + pool.map(nested, [0])
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            found += pool.map(engine, [0])
    print(len(found), set(found))
"""


def test_child_processes_run_on_trident(tmp_path):
    (tmp_path / "program.py").write_text(CHILDREN)
    (tmp_path / "own.py").write_text("import trident.onnxruntime as t\nt.install()\n" + CHILDREN)
    for command in (["-m", "trident.onnxruntime", "program.py"], ["own.py"]):
        out = run(*command, folder=tmp_path)
        assert out == "10 {('TridentExecutionProvider', 'onnxruntime')}\n"


def test_a_child_whose_python_lacks_trident_is_an_error(tmp_path):
    # ``-S`` leaves out the folders in which packages are installed.
    code = """
import os, subprocess, sys
import trident.onnxruntime as t
t.install()
package = os.path.dirname(os.path.dirname(os.path.abspath(sys.modules["trident"].__file__)))
paths = os.environ["PYTHONPATH"].split(os.pathsep)
os.environ["PYTHONPATH"] = os.pathsep.join(p for p in paths if os.path.abspath(p) != package)
sys.exit(subprocess.run([sys.executable, "-S", "-c", "import onnxruntime"]).returncode)
"""
    text = run("-c", code, folder=tmp_path, ok=False)
    assert "No module named 'trident': install the package for" in text


@pytest.mark.skipif(theirs is not None, reason="onnxruntime is installed")
def test_modules_of_a_package_that_is_not_installed_are_named(tmp_path):
    code = "import trident.onnxruntime as t; t.install(); import onnxruntime.quantization"
    text = run("-c", code, folder=tmp_path, ok=False)
    assert "onnxruntime.quantization is part of ONNX Runtime and not of Trident" in text


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_the_installed_packages_modules_see_our_session(tmp_path):
    (tmp_path / "add.onnx").write_bytes(add())
    code = """
import sys
import trident.onnxruntime as ours
ours.install()
from onnxruntime import quantization
import onnxruntime.quantization.calibrate as calibrate
import onnxruntime.backend
assert calibrate.onnxruntime.InferenceSession is ours.InferenceSession
rep = onnxruntime.backend.prepare("add.onnx")
import numpy as np
assert rep.run([np.ones((1, 3), np.float32)] * 2)[0].tolist() == [[2, 2, 2]]
loaded = [getattr(m, "__file__", None) or "" for m in list(sys.modules.values())]
assert not any("onnxruntime_pybind11_state.c" in file for file in loaded), loaded
"""
    run("-c", code, folder=tmp_path)


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_install_refuses_to_come_too_late(tmp_path):
    code = "import onnxruntime, trident.onnxruntime as t; t.install()"
    assert "onnxruntime is already imported" in run("-c", code, folder=tmp_path, ok=False)
