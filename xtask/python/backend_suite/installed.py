"""Tests of installed parts: the build by CMake, and the program that checks a server."""

import os
import pathlib
import shutil
import subprocess
import sys

from checks import Skip

from . import library
from .server import NAMES

ROOT = pathlib.Path(__file__).resolve().parents[3]
PLUGIN = ROOT / "plugins/tritonserver"
MODELS = ("add", "completed", "text", "rows", "sum")
BUILD = 900  # seconds


def run(suite):
    if suite.reference:
        raise Skip("the stand-in is not installed")
    suite.check("test_client.py", lambda: client(suite))
    suite.check("CMake", lambda: cmake(suite), limit=BUILD)


def output(*command, **more):
    """The output of a program; the error has its end if the program fails."""
    command = [str(part) for part in command]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    told = " | ".join(done.stdout.splitlines()[-6:])
    assert done.returncode == 0, f"{command[0]} ends with status {done.returncode}: {told}"
    return done.stdout


def client(suite):
    """The program writes its models and is content with how they are served."""
    program = [sys.executable, PLUGIN / "test/test_client.py"]
    models = suite.repository("client")
    output(*program, "--write-repository", models.folder, timeout=60)
    with suite.serve(models, MODELS) as (running, _, _):
        ports = [running.http, running.grpc, running.metrics]
        pairs = zip(("--http", "--grpc", "--metrics"), (f"127.0.0.1:{port}" for port in ports))
        said = output(*program, *(part for pair in pairs for part in pair), timeout=120)
    last = said.splitlines()[-1]
    assert last.endswith(" passed, 0 failed, 0 skipped") and not last.startswith("0 "), last


def cmake(suite):
    """`cmake` and `make install` put the library where servers look for it, under all its names."""
    for program in ("cmake", "make", "cargo"):
        if shutil.which(program) is None:
            raise Skip(f"there is no `{program}`")
    folder = suite.folder / "installed/cmake"
    shutil.rmtree(folder, ignore_errors=True)
    # The folder of other builds: most of it is there already.
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    places = [f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}", f"-DTRIDENT_CARGO_TARGET_DIR={target}"]
    output("cmake", "-S", PLUGIN, "-B", folder / "build", *places, timeout=60)
    output("make", "-C", folder / "build", "install", timeout=BUILD)
    files = [folder / f"prefix/backends/{name}/libtriton_{name}.so" for name in NAMES]
    for file in files:
        library.exports(file)
        assert os.path.samefile(file, files[0]), f"{file.name} is another file"
