"""Runs the tests of one file in a child process; a crash or a hang costs one test."""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

from . import outcome

#: How a child is started, by the engine that `import onnxruntime` gives.
ENGINES = {
    "trident": ("-m", "trident.onnxruntime", "-m", "pytest"),
    "onnxruntime": ("-m", "pytest"),
}
PACKAGES = str(pathlib.Path(__file__).parents[1])  # where a child finds the plug-in
RESTARTS = 30  # children for one file


def run_file(suite, file, engine, timeout):
    """A row for each test of `file`, and one for the file itself if it cannot be collected."""
    rows, collected = {}, None
    with tempfile.TemporaryDirectory(prefix="ort-suite") as folder:
        for _ in range(RESTARTS):
            collected, ended, broken, said = run_child(
                suite, file, engine, timeout, pathlib.Path(folder), list(rows)
            )
            for row in ended + ([broken] if broken else []):
                rows[row["case"]] = row
            if broken is None:
                break
    if not collected:
        rows[file] = row_of(file, outcome.ERR, f"cannot be collected: {said}")
    return list(rows.values())


def run_child(suite, file, engine, timeout, folder, already):
    """Run one child.

    Returns the collected tests or `None`, rows of the tests that ended, the row of the test that
    ended the child or `None`, and the end of what the child printed.
    """
    outcomes = folder / "outcomes"
    outcomes.write_text("")
    (folder / "testdata").mkdir(exist_ok=True)  # some tests write there
    command = [sys.executable, *ENGINES[engine], "-q", "-p", "ort_suite.plugin"]
    command += ["-p", "no:cacheprovider", "--rootdir", str(suite), str(suite / file)]
    variables = {
        outcome.OUTCOMES: str(outcomes),
        outcome.ALREADY: json.dumps(already),
        "PYTHONPATH": os.pathsep.join(filter(None, (PACKAGES, os.environ.get("PYTHONPATH")))),
        "TMPDIR": str(folder),
    }
    with tempfile.TemporaryFile() as noise:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | variables,
            stdin=subprocess.DEVNULL,
            stdout=noise,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        late = wait(process, outcomes, timeout)
        noise.seek(0)
        text = noise.read().decode(errors="replace")
    error = re.search(r"^E\s+(.+)", text, re.MULTILINE)  # pytest's mark of an exception
    said = outcome.one_line(error[1] if error else text[-outcome.LENGTH :])
    collected, started, ended = None, None, []
    for line in outcomes.read_text().splitlines():
        message = json.loads(line)
        collected = message.get("collected", collected)
        started = message.get("started", started)
        if "ended" in message:
            started = None
            ended.append({"case": message.pop("ended")} | message)
    if started is None:
        return collected, ended, None, said
    if late:
        broken = row_of(started, outcome.TIMEOUT, f"no end within {timeout:g} s")
    else:
        broken = row_of(started, outcome.CRASH, f"exit status {process.returncode}: {said}")
    return collected, ended, broken, said


def wait(process, outcomes, timeout):
    """Wait until the child ends; end it if it writes no outcome for `timeout` seconds."""
    size, since = 0, time.monotonic()
    while True:
        try:
            process.wait(0.2)
            return False
        except subprocess.TimeoutExpired:
            pass
        if outcomes.stat().st_size != size:
            size, since = outcomes.stat().st_size, time.monotonic()
        elif time.monotonic() - since > timeout:
            process.kill()
            process.wait()
            return True


def row_of(test, status, message):
    """A row for a test that wrote no outcome."""
    return {"case": test, "status": status, "message": message, "seconds": 0.0}
