"""Checks the types of the Python package: its sources, its interface, and the compiled module.

The package is importable, as ``cargo xtask`` has it: pyright reads its sources in the checkout, and
the interface of the importable one.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ALLOWED = Path(__file__).with_name("stubtest-allowlist.txt")

#: Modules that programs do not import: their types are the `triton` package's, which has none.
PLUGIN = "trident.triton_backend."


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of this environment, which is also the one that it examines."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def sources() -> list[str]:
    """The errors of pyright in strict mode, with the exceptions of ``pyproject.toml``."""
    checked = run("pyright", "--outputjson")
    found = json.loads(checked.stdout)
    if found["summary"]["filesAnalyzed"] == 0:
        return [f"pyright reads no file: {checked.stdout}"]
    return [
        f"{entry['file']}:{entry['range']['start']['line'] + 1}: {entry['message']}"
        for entry in found["generalDiagnostics"]
    ]


def interface() -> list[str]:
    """The public names whose types a checker of a user's program would have to guess."""
    checked = run("pyright", "--verifytypes", "trident", "--ignoreexternal", "--outputjson")
    found = json.loads(checked.stdout).get("typeCompleteness")
    if found is None or not any(symbol["name"] == "trident.Model" for symbol in found["symbols"]):
        return [f"pyright does not find the package: {checked.stdout}"]
    return [
        f"{symbol['name']}: {entry['message']}"
        for symbol in found["symbols"]
        if symbol["isExported"] and not symbol["name"].startswith(PLUGIN)
        for entry in symbol["diagnostics"]
        if not symbol["isTypeKnown"] or symbol["isTypeAmbiguous"]
    ]


def stubs() -> list[str]:
    """The places where mypy's stubtest finds another interface in the imported package."""
    options = ["--mypy-config-file", "pyproject.toml", "--allowlist", str(ALLOWED)]
    checked = run("mypy.stubtest", "trident", "--concise", *options)
    return [] if checked.returncode == 0 else [*checked.stdout.splitlines(), checked.stderr]


def main() -> int:
    """Run the checks and print what they find, with their counts as the last line."""
    failed = 0
    checks = (sources, interface, stubs)
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda check: check(), checks))
    for check, found in zip(checks, results):
        failed += bool(found)
        for line in found:
            print(f"{check.__name__}: {line}")
    print(f"{len(checks) - failed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
