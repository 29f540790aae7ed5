"""Docstrings of the package: their examples run, and what programs use has them."""

import ast
import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest

import trident
import trident.onnxruntime

DIGITS = Path(__file__).parents[2] / "examples/digits"
STUB = Path(trident.__file__).with_name("_trident.pyi")

#: Modules without the plug-in, whose examples are kernels, and without those that run programs.
MODULES = [
    module.name
    for module in pkgutil.walk_packages(trident.__path__, "trident.")
    if not module.name.startswith("trident.triton_backend") and "__main__" not in module.name
]

#: Names whose docstrings teach by an example.
TAUGHT = {
    trident: ["CompileError", "Inspection", "Model", "ModelError", "Profile", "address", "devices"],
    trident.onnxruntime: ["IOBinding", "InferenceSession", "OrtValue", "SessionOptions"],
}

#: A kernel that copies four elements.
COPY = """
tt.func public @copy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
  %i = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %from = tt.addptr %xs, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %to = tt.addptr %ys, %i : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %from : tensor<4x!tt.ptr<f32>>
  tt.store %to, %v : tensor<4x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.fixture(autouse=True)
def beside_the_model(monkeypatch):
    monkeypatch.chdir(DIGITS)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules(name):
    found = doctest.testmod(importlib.import_module(name), extraglobs={"np": np})
    assert not found.failed


def documented(tree):
    """The classes and functions of a stub that have docstrings."""
    for entry in ast.walk(tree):
        if isinstance(entry, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(entry):
            yield entry.name, ast.get_docstring(entry)


def test_examples_of_the_stub():
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    found = [
        runner.run(parser.get_doctest(text, {"COPY": COPY}, name, str(STUB), 0))
        for name, text in documented(ast.parse(STUB.read_text()))
    ]
    assert sum(each.attempted for each in found) > 20
    assert not sum(each.failed for each in found)


@pytest.mark.parametrize("module", TAUGHT)
def test_names_that_programs_use_have_docstrings(module):
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            assert inspect.getdoc(value), name
    for name in TAUGHT[module]:
        assert ">>> " in inspect.getdoc(getattr(module, name)), name
