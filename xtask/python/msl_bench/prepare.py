"""Compile each case by Trident, as a Metal program and then as PTX, into a folder that can be carried to an NVIDIA GPU.

It needs the package with the emulated device, and the program that writes PTX (`TRIDENT_PTX`).
"""

import argparse
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


def tile_text(case):
    """Triton IR of a case, with what Triton's launcher finds out: addresses and lengths divisible by 16."""
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
    return triton.compile(source, target=target).asm["ttir"]


def file_name(case):
    return re.sub(r"\W+", "-", case.name.lower())


def prepare(case, folder, processor):
    """One case: its files in the folder, and what the launcher must know."""
    kernel = _trident.compile(tile_text(case), unchecked=True)
    msl = kernel.listing("msl")
    path = folder / f"{file_name(case)}.metal"
    path.write_text(msl)
    ptx = subprocess.run(
        [os.environ["TRIDENT_PTX"], path, processor], check=True, capture_output=True, text=True
    )
    path.with_suffix(".ptx").write_text(ptx.stdout)
    return {
        "ptx": path.with_suffix(".ptx").name,
        "entry": re.search(r"\.entry (\w+)", ptx.stdout)[1],
        "threads": int(re.search(r"max_total_threads_per_threadgroup\((\d+)\)", msl)[1]),
    }


def resources(path, processor):
    """Registers and spills, by Triton's own copy of ptxas."""
    ptxas = triton.knobs.nvidia.ptxas.path
    command = [ptxas, f"-arch={processor}", "-v", path, "-o", os.devnull]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    registers = re.search(r"Used (\d+) registers", told)[1]
    spills = re.search(r"(\d+) bytes spill stores", told)
    return f"{registers} registers, {spills[1] if spills else 0} bytes spilled"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--processor", default="sm_90")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    known = {}
    for case in all_cases():
        known[case.name] = prepare(case, options.folder, options.processor)
        ptx = options.folder / known[case.name]["ptx"]
        told = resources(ptx, options.processor)
        print(f"{case.name}: {known[case.name]['threads']} threads, {told}", flush=True)
    (options.folder / "kernels.json").write_text(json.dumps(known, indent=1))
    package = options.folder / HERE.name
    package.mkdir()
    for name in ("__init__.py", "kernels.py", "cases.py", "gpu.py", "measure.py"):
        shutil.copy(HERE / name, package)


if __name__ == "__main__":
    main()
