"""Programs in processes of their own."""

import os
import subprocess
import sys
import tempfile
import textwrap


def run(program, *options, seconds=120, **variables):
    """What a program prints; it starts in an empty folder, and must end with status 0."""
    environment = {**os.environ, "GLOG_minloglevel": "2", **variables}
    for name in [name for name, text in variables.items() if text is None]:
        environment.pop(name)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, *options, "-c", textwrap.dedent(program)],
            cwd=folder,
            env={name: text for name, text in environment.items() if text is not None},
            capture_output=True,
            text=True,
            timeout=seconds,
        )
    if done.returncode:
        raise AssertionError(f"status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout
