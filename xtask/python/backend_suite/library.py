"""The library as a file: what it exports and what it needs."""

import os
import re
import subprocess

from checks import Skip

from .server import NAMES

ENTRY = re.compile(r"TRITONBACKEND_\w+")
NEEDED = {"libgcc_s.so.1", "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
REQUIRED = "TRITONBACKEND_ModelInstanceExecute"


def run(suite):
    if suite.reference:
        raise Skip("the stand-in is not a library")
    folder = suite.file("TRIDENT_BACKENDS")
    for name in NAMES:
        file = folder / name / f"libtriton_{name}.so"
        suite.check(f"exports of {name}", lambda file=file: exports(file))
        suite.check(f"needs of {name}", lambda file=file: needs(file))


def output(*command):
    environment = dict(os.environ, LC_ALL="C")
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    if done.returncode:
        raise AssertionError(f"{command[0]}: {done.stderr.strip()}")
    return done.stdout


def exports(file):
    names = {line.split()[-1] for line in output("nm", "-D", "--defined-only", file).splitlines()}
    others = sorted(name for name in names if not ENTRY.fullmatch(name.split("@")[0]))
    assert not others, f"exports {len(others)} other symbols: {', '.join(others[:5])}"
    assert REQUIRED in names, f"does not export {REQUIRED}"


def needs(file):
    text = output("readelf", "-d", file)
    others = sorted(set(re.findall(r"\(NEEDED\).*\[(.+?)\]", text)) - NEEDED)
    assert not others, f"needs {', '.join(others)}"
