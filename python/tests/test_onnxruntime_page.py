"""docs/onnxruntime.md: its programs, and its lists of what acts, is ignored and is refused."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from onnxruntime_models import ours, theirs

from trident.onnxruntime.absent import CLASSES, METHODS, OPTIONS_METHODS

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
    for name in METHODS | OPTIONS_METHODS | CLASSES:
        assert name in listed("is refused") or name.startswith(("OrtEp", "Sparse")), name


@pytest.mark.skipif(theirs is None, reason="onnxruntime is not installed")
def test_each_name_of_onnxruntime_is_here_or_listed():
    refused = listed("is refused")
    pairs = [(theirs, ours)]
    for name in ("InferenceSession", "SessionOptions", "RunOptions", "IOBinding", "OrtValue"):
        pairs.append((getattr(theirs, name), getattr(ours, name)))
    internal = {"contextlib", "import_capi_exception", "onnxruntime_validation"}
    for there, here in pairs:
        missing = public(there) - public(here) - refused - internal
        assert {name for name in missing if not name.startswith("OrtEp")} == set(), here
