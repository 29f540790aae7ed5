"""docs/onnxruntime.md: its programs, and its lists of what acts, is ignored and is refused."""

import inspect
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from onnxruntime_models import ours, theirs

from trident.onnxruntime.absent import CLASSES, FUNCTIONS, METHODS, OPTIONS_METHODS

ROOT = pathlib.Path(__file__).parents[2]
PAGE = (ROOT / "docs/onnxruntime.md").read_text()
PROGRAMS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
NAMES = set(re.findall(r"`(\w+)`", PAGE))


def run(folder, code, *command):
    """What a program prints in a folder that has the model."""
    shutil.copy(ROOT / "examples/digits/digits.onnx", folder)
    (folder / "program.py").write_text(code)
    command = [sys.executable, "-W", "error", *command, "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def shown(code):
    return re.findall(r"# → (.*)$", code, re.MULTILINE)


def listed(title):
    """The names in the table below a title."""
    table = PAGE.split(f"| | {title} |")[1].split("\n\n")[0]
    return set(re.findall(r"`([\w.]+)`", table))


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


def test_the_page_runs_as_it_is_printed(tmp_path):
    code = "\n".join(PROGRAMS)
    assert len(shown(code)) > 8
    assert run(tmp_path, code, "-m", "trident.onnxruntime") == shown(code)


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_the_first_program_prints_the_same_in_onnxruntime(tmp_path):
    assert run(tmp_path, PROGRAMS[0]) == shown(PROGRAMS[0])


def test_each_option_is_listed_once():
    tables = [listed(title) for title in ("acts", "is ignored", "is refused")]
    entries = {"add_session_config_entry", "get_session_config_entry", "get_run_config_entry"}
    for name in (public(ours.SessionOptions) | public(ours.RunOptions)) - entries:
        assert sum(name in table for table in tables) == 1, name


def test_names_that_raise_are_listed():
    for name in METHODS | OPTIONS_METHODS | CLASSES | FUNCTIONS:
        assert name in listed("is refused") or name.startswith("OrtEpContext"), name


def test_names_that_are_listed_raise():
    """Each name of the table of what is refused, but for the configuration entries."""
    session = ours.InferenceSession(ROOT / "examples/digits/digits.onnx")
    value = ours.OrtValue.ortvalue_from_numpy(np.zeros(1, np.float32))
    owners = {
        "SessionOptions": ours.SessionOptions(),
        "InferenceSession": session,
        "OrtValue": value,
        "ModelCompiler": ours.ModelCompiler,
        "classes": ours,
        "functions": ours,
        "onnxruntime.capi": ours.capi.onnxruntime_pybind11_state,
    }
    table = PAGE.split("| | is refused |")[1].split("\n\n")[0]
    rows = [row.split(" | ", 1) for row in table.splitlines() if row.startswith("| ")]
    rows = {head.strip("| `"): names for head, names in rows}
    assert rows.keys() - owners.keys() == {"entries of `add_session_config_entry"}
    for head, owner in owners.items():
        names = re.findall(r"`(\w+)`", rows[head])
        assert names
        for name in names:
            if name.startswith("OrtEpContext"):
                name = "OrtEpContextData"
            with pytest.raises(NotImplementedError, match=name):
                call(owner, name)


def call(owner, name):
    """Call a method or function with as many arguments as it must have."""
    thing = getattr(owner, name)
    parameters = inspect.signature(thing).parameters.values() if inspect.isroutine(thing) else ()
    thing(*("x" for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD))


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_each_name_of_onnxruntime_is_here_or_listed():
    refused = listed("is refused")
    pairs = [(theirs, ours)]
    capi = (theirs.capi.onnxruntime_pybind11_state, ours.capi.onnxruntime_pybind11_state)
    pairs.append(capi)
    for name in ("InferenceSession", "SessionOptions", "RunOptions", "IOBinding", "OrtValue"):
        pairs.append((getattr(theirs, name), getattr(ours, name)))
    internal = {"contextlib", "import_capi_exception", "onnxruntime_validation"}
    for there, here in pairs:
        missing = public(there) - public(here) - refused - internal
        assert {name for name in missing if not name.startswith("OrtEp")} == set(), here
