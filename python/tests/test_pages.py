"""The Python in docs/triton.md, run as it is printed."""

import importlib.util
import inspect
import os
import pathlib
import re
import subprocess
import sys
from dataclasses import fields

import pytest

from trident.triton_backend.memory import MemoryPool

PAGE = pathlib.Path(__file__).parents[2] / "docs/triton.md"


def blocks(language):
    """The blocks of code of the page in a language; without one, those of commands and outputs."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    return [code for block, code in every if block == language]


def run(folder, code, **variables):
    """Runs code as ``add.py``."""
    (folder / "add.py").write_text(code)
    environment = os.environ | {"TRITON_CACHE_DIR": str(folder / "cache")} | variables
    return subprocess.run(
        [sys.executable, "add.py"], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_python_runs_in_the_order_of_the_page(tmp_path):
    code = blocks("python")
    assert len(code) == 5
    if importlib.util.find_spec("torch") is None:
        code = [block for block in code if "torch" not in block]
    checks = (
        "np.testing.assert_array_equal(out, x + y)\nassert (out > 0).any()\nprint(kernel.params)\n"
    )
    output = run(tmp_path, "\n".join([*code, checks]))
    assert output.returncode == 0, output.stderr
    assert output.stdout.strip() in code[-1], output.stdout
    assert (tmp_path / "add.ttir").exists()


def test_the_error_of_a_checked_launch_is_the_one_on_the_page(tmp_path):
    code = blocks("python")[0]
    without_masks = re.sub(r"tl\.load\((\w) \+ i, mask=i < n\)", r"tl.load(\1 + i)", code)
    assert without_masks != code
    output = run(tmp_path, without_masks, TRIDENT_CHECK="1")
    (shown,) = [block for block in blocks("") if "AccessError" in block]
    assert output.returncode == 1
    assert output.stderr.replace(f"{tmp_path}{os.sep}", "").endswith(shown), output.stderr


def test_help_explains_each_field_of_the_pool():
    text = inspect.getdoc(MemoryPool)
    for field in fields(MemoryPool):
        assert f"- ``{field.name}``: " in text


@pytest.mark.parametrize("name", re.findall(r"^\| `(\w+Error)` \|", PAGE.read_text(), re.MULTILINE))
def test_exceptions_of_the_page_exist(name):
    import trident

    assert issubclass(getattr(trident, name), RuntimeError)
