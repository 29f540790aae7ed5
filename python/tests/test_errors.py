"""Exceptions of launches that no other test raises, each by a kernel that earns it."""

import numpy as np
import pytest

import trident

#: Calls that nest deeper than the interpreter goes.
DEPTH = 200


def chain(depth):
    """Functions that call each other, of which the last one stores 1."""
    last = f"""
  tt.func private @step{depth}(%out: !tt.ptr<i32>) {{
    %one = arith.constant 1 : i32
    tt.store %out, %one : !tt.ptr<i32>
    tt.return
  }}"""
    between = [
        f"""
  tt.func private @step{i}(%out: !tt.ptr<i32>) {{
    tt.call @step{i + 1}(%out) : (!tt.ptr<i32>) -> ()
    tt.return
  }}"""
        for i in range(1, depth)
    ]
    first = """
  tt.func public @nested(%out: !tt.ptr<i32>) {
    tt.call @step1(%out) : (!tt.ptr<i32>) -> ()
    tt.return
  }"""
    return "\n".join(["module {", first, *between, last, "}"])


def test_calls_that_nest_too_deeply_for_the_interpreter():
    out = np.zeros(1, np.int32)
    trident.compile(chain(20), interpret=True).launch(1, [out])
    assert out[0] == 1
    out[0] = 0
    kernel = trident.compile(chain(DEPTH), interpret=True)
    with pytest.raises(trident.NestingError, match="are nested deeper than 128") as found:
        kernel.launch((1, 2), [out])
    assert isinstance(found.value, (RecursionError, trident.LaunchError))
    assert found.value.program == (0, 0, 0)
    assert out[0] == 0
    with pytest.raises(trident.CompileError, match="calls are nested more than 64 deep"):
        trident.compile(chain(DEPTH), interpret=False)


UNKNOWN = """module {
  tt.func public @unknown(%out: !tt.ptr<f32>) {
    %x = tt.load %out : !tt.ptr<f32>
    %y = tt.extern_elementwise %x {libname = "libdevice", libpath = "", pure = true,
      symbol = "__nv_nonesuchf"} : (f32) -> f32 loc("kernel.py":7:11)
    tt.store %out, %y : !tt.ptr<f32>
    tt.return
  }
}
"""


def test_functions_that_the_interpreter_lacks():
    out = np.ones(1, np.float32)
    kernel = trident.compile(UNKNOWN, interpret=True)
    with pytest.raises(trident.UnsupportedError, match="no function `nonesuch` of .f32") as found:
        kernel.launch(1, [out])
    assert isinstance(found.value, (NotImplementedError, trident.LaunchError))
    assert (found.value.program, found.value.loc) == ((0, 0, 0), "kernel.py:7:11")
    assert out[0] == 1
    with pytest.raises(trident.CompileError, match="nonesuch"):
        trident.compile(UNKNOWN, interpret=False)


def hoard(blocks):
    """A kernel that sums prefix sums of so many blocks of 8 MiB, all of which it has at once."""
    length, lines = 1 << 20, []
    block, pointers = f"tensor<{length}xf64>", f"tensor<{length}x!tt.ptr<f64>>"
    for i in range(blocks):
        lines += [
            f"%o{i} = arith.constant dense<{i}> : tensor<{length}xi32>",
            f"%p{i} = tt.addptr %base, %o{i} : {pointers}, tensor<{length}xi32>",
            f"%x{i} = tt.load %p{i} : {pointers}",
            f'%s{i} = "tt.scan"(%x{i}) <{{axis = 0 : i32, reverse = false}}> ({{',
            "^bb0(%a: f64, %b: f64):",
            "%c = arith.addf %a, %b : f64",
            "tt.scan.return %c : f64",
            f"}}) : ({block}) -> {block}",
        ]
    for i in range(1, blocks):
        before = "%s0" if i == 1 else f"%t{i - 1}"
        # A sum behind all scans needs all of them.
        lines.append(f"%t{i} = arith.addf {before}, %s{i} : {block}")
    body = "\n    ".join(lines)
    return f"""module {{
  tt.func public @hoard(%out: !tt.ptr<f64>) {{
    %range = tt.make_range {{end = {length} : i32, start = 0 : i32}} : tensor<{length}xi32>
    %start = tt.splat %out : !tt.ptr<f64> -> {pointers}
    %base = tt.addptr %start, %range : {pointers}, tensor<{length}xi32>
    {body}
    tt.store %base, %t{blocks - 1} : {pointers}
    tt.return
  }}
}}
"""


def test_temporaries_that_do_not_fit_into_memory():
    out = np.zeros(1 << 21)
    kernel = trident.compile(hoard(300), interpret=False)
    with pytest.raises(trident.OutOfMemoryError, match="kernel `hoard` needs .* bytes") as found:
        kernel.launch(1, [out])
    assert isinstance(found.value, (MemoryError, trident.LaunchError))
