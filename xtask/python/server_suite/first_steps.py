"""What the first lines of docs/server.md print: its `curl` commands and its Python program."""

import contextlib
import io
import json
import os
import pathlib
import re
import shlex
from functools import partial

from backend_suite.client import Http

from .server import Server

ROOT = pathlib.Path(__file__).resolve().parents[3]
REPOSITORY = "examples/models"
PLACE = "localhost:8000"


def run(suite):
    folder = suite.folder / "first_steps"
    folder.mkdir()
    commands, program = blocks()
    with Server(suite.trident, ROOT / REPOSITORY, folder / "log") as running:
        for command in commands[1:]:
            suite.check(command, partial(answered, running, command))
        suite.check("the program in Python", partial(printed, running, program))
        suite.check("the repository is the one that is served", partial(serves, commands))


def blocks():
    """The lines of the page's first block that call the server, and its first program."""
    page = (ROOT / "docs/server.md").read_text()
    commands = re.search(r"```\n(.*?)```", page, re.DOTALL)[1].splitlines()
    program = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    return [command.partition("  #")[0] for command in commands], program


def serves(commands):
    assert commands[0].split() == ["cargo", "serve", REPOSITORY], commands


def answered(running, command):
    """The request of a `curl` command is answered."""
    words = [word for word in shlex.split(command) if word not in ("curl", "-i")]
    path = words[0].removeprefix(PLACE)
    body = (ROOT / words[2].removeprefix("@")).read_bytes() if "-d" in words else None
    http = Http(running.port("HTTP"))
    told = http.call("POST" if body else "GET", path, body or b"")
    http.close()
    assert told.status == 200, told
    if path.endswith("/infer"):
        data = json.loads(told.body)["outputs"][0]["data"]
        assert len(data) == 10 and max(data) == data[7], data


def printed(running, program):
    """The program prints what its comment says."""
    output, here = io.StringIO(), os.getcwd()
    os.chdir(ROOT)
    try:
        with contextlib.redirect_stdout(output):
            exec(program.replace(PLACE, running.places["HTTP"]), {})
    finally:
        os.chdir(here)
    expected = re.findall(r"# (.*)", program)
    assert output.getvalue().splitlines() == expected, (output.getvalue(), expected)
