"""`--suite exports`: networks exported by two releases of Paddle, beside their eager results.

Paddle 3.3.1 writes PIR, and 2.6.2 writes `.pdmodel` files. Outputs must be within the tolerance of
`models` of the eager run of the release that exported the network. Where they are not, the same
network exported and run by Paddle in f64 decides. A network counts only if its results are finite
and depend on its inputs.
"""

import hashlib
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from . import arrays, models, trained
from .engine import EXCLUDED, PASS, SKIP, Engine
from .report import row_of

#: The interpreter of each release, and the name of its programs.
RELEASES = {"3.3.1": "model.json", "2.6.2": "model.pdmodel"}


def python_of(release):
    return sys.executable if release == "3.3.1" else os.environ["TRIDENT_PADDLE2_PYTHON"]


def folder_of(release):
    """The folder of a release's exports in the cache; its name changes with the networks."""
    here = pathlib.Path(__file__).parent
    digest = hashlib.sha256()
    for name in ("networks.py", "layers.py", "export.py"):
        digest.update((here / name).read_bytes())
    return trained.cache() / f"paddle-exports-{release}-{digest.hexdigest()[:16]}"


def exported(release, pattern):
    """The folders of a release's networks; those that are missing are exported."""
    from . import networks

    names = [name for name in networks.every() if not pattern or pattern in f"{release}/{name}"]
    folder = folder_of(release)
    missing = [name for name in names if not (folder / name).exists()]
    if missing:
        print(f"exporting {len(missing)} networks with Paddle {release}", file=sys.stderr)
        command = [python_of(release), "-m", "paddle_suite.export", str(folder), *missing]
        with open(f"{folder}.log", "w") as log:
            subprocess.run(command, check=True, stdout=log, stderr=log)
    groups = {name: network.group for name, network in networks.every().items()}
    return [(folder / name, groups[name]) for name in names]


def judged(engines, release, folder):
    """(status, message) of a network on the subject."""
    if (folder / "error").exists():
        return EXCLUDED, f"Paddle {release} cannot export it: {(folder / 'error').read_text()}"
    model = folder / RELEASES[release]
    given = sorted(folder.glob("in-*.npz"))
    wanted = [list(arrays.read(file).values()) for file in sorted(folder.glob("want-*.npz"))]
    why = arrays.vacuous(*wanted)
    if why:
        return SKIP, f"the case says nothing: {why}"
    status, found = engines["subject"].run(model, given)
    if status != PASS:
        return status, found
    messages = []
    for file, got, want in zip(given, found, wanted):
        inputs = arrays.read(file)
        status, message = models.judged(engines["exact"], model, inputs, got, want)
        messages.append(message)
        if status != PASS:
            return status, message
    return PASS, "; ".join(messages)


def run_release(release, options):
    """Rows of all networks of a release."""
    rows = []
    with Engine(options.subject) as subject, Engine("exact") as exact:
        engines = {"subject": subject, "exact": exact}
        for folder, group in exported(release, options.filter):
            status, message = judged(engines, release, folder)
            case = f"{release}/{folder.name}"
            rows.append(row_of(case, f"{group}, {release}", status, message))
            options.progress(rows[-1])
    return rows


def of_releases(run, options):
    """Rows of `run(release, options)` for the releases, which run side by side. A filter that
    begins with one of them selects it."""
    named = [release for release in RELEASES if (options.filter or "").startswith(f"{release}/")]
    releases = named or list(RELEASES)
    with ThreadPoolExecutor(len(releases)) as pool:
        found = pool.map(run, releases, [options] * len(releases))
        return [row for rows in found for row in rows]


def run(options):
    """Rows of all networks of both releases."""
    return of_releases(run_release, options)
