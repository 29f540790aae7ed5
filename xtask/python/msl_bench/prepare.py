"""Compile each case as a Metal program and then as PTX, into a folder to carry to an NVIDIA GPU.

It needs the program that goes from a tile function to PTX (`TRIDENT_PTX`).
"""

import json
import os
import pathlib
import platform
import re
import shutil
import subprocess

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from trident import _trident

from .cases import Tensor, all_cases

HERE = pathlib.Path(__file__).parent
CARRIED = ("__init__.py", "kernels.py", "cases.py", "gpu.py", "measure.py")


def tile_function(case):
    """A case as a tile function, with what Triton's launcher finds out: what 16 divides."""
    names = list(case.kernel.arg_names)
    signature = case.signature()
    divisible = {
        (names.index(name),): [["tt.divisibility", 16]]
        for name, given in case.arguments.items()
        if isinstance(given, Tensor) or isinstance(given, int) and given % 16 == 0
    }
    constants = {(names.index(name),): value for name, value in case.constants.items()}
    types = {name: signature[name] for name in names}
    source = ASTSource(case.kernel, types, constants, divisible)
    target = GPUTarget("cpu", platform.machine(), 1)
    text = triton.compile(source, target=target).asm["ttir"]
    return _trident.compile(text, unchecked=True).listing("tile")


def file_name(case):
    return re.sub(r"\W+", "-", case.name.lower())


def prepare(case, folder, processor):
    """One case: its files in the folder, and what the launcher must know."""
    path = folder / f"{file_name(case)}.tir"
    path.write_text(tile_function(case))
    command = [os.environ["TRIDENT_PTX"], path, processor]
    command += [] if case.has_matrices else ["--without-matrices"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    ptx = path.with_suffix(".ptx").read_text()
    return {
        "ptx": path.with_suffix(".ptx").name,
        "entry": re.search(r"\.entry (\w+)", ptx)[1],
        "threads": int(re.search(r"\.reqntid (\d+)", ptx)[1]),
    }


def resources(path, processor):
    """Registers and spills, by Triton's own copy of ptxas."""
    ptxas = triton.knobs.nvidia.ptxas.path
    command = [ptxas, f"-arch={processor}", "-v", path, "-o", os.devnull]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    registers = re.search(r"Used (\d+) registers", told)[1]
    spills = re.search(r"(\d+) bytes spill stores", told)
    return f"{registers} registers, {spills[1] if spills else 0} bytes spilled"


def prepare_all(folder, processor):
    """The folder, with the programs that measure; a line for each case."""
    shutil.rmtree(folder, ignore_errors=True)
    package = folder / HERE.name
    package.mkdir(parents=True)
    known = {}
    for case in all_cases():
        try:
            known[case.name] = prepare(case, folder, processor)
        except subprocess.CalledProcessError as error:
            print(f"{case.name}: refused: {error.stderr.strip()}", flush=True)
            continue
        told = resources(folder / known[case.name]["ptx"], processor)
        print(f"{case.name}: {known[case.name]['threads']} threads, {told}", flush=True)
    (folder / "kernels.json").write_text(json.dumps(known, indent=1))
    for name in CARRIED:
        shutil.copy(HERE / name, package)
