"""Run `trident serve` and check its answers.

Group `recorded` sends requests to which the Triton Inference Server 2.51 has recorded answers, in
conformance/server. Cases that are known to differ are listed there with reasons. The other groups
start servers of their own; each says what it tests.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import time

import checks
import expectations
from checks import FAIL, PASS, SKIP

from . import (
    asked_for,
    clients,
    console,
    drain,
    first_steps,
    keys,
    lengths,
    malformed,
    metrics,
    mistakes,
    observed,
    recorded,
    recordings,
    reloads,
    shares,
    soak,
    sockets,
    stores,
    timers,
    traced_steps,
)
from .compared import suite as compared
from .upstream import suite as upstream

ROOT = pathlib.Path(__file__).resolve().parents[3]
GROUPS = {
    "recorded": recorded.run,
    "compared": compared.run,
    "mistakes": mistakes.run,
    "timers": timers.run,
    "reloads": reloads.run,
    "drain": drain.run,
    "clients": clients.run,
    "asked_for": asked_for.run,
    "observed": observed.run,
    "traced_steps": traced_steps.run,
    "malformed": malformed.run,
    "shares": shares.run,
    "lengths": lengths.run,
    "recordings": recordings.run,
    "sockets": sockets.run,
    "first_steps": first_steps.run,
    "console": console.run,
    "keys": keys.run,
    "metrics": metrics.run,
    "stores": stores.run,
}
MALFORMED = 12_000  # requests, which take 18 s beside much other work


class Suite(checks.Checks):
    """The checks of a run, of which those on the list must fail."""

    def __init__(self, options, folder):
        super().__init__(options)
        self.folder, self.trident = folder, os.environ.get("TRIDENT")
        self.list = f"conformance/server/{'upstream' if options.suite else 'exceptions'}.toml"
        self.listed = expectations.read(ROOT / self.list)
        if not self.trident:
            raise SystemExit("run this by `cargo xtask conformance server`")

    def record(self, case, status, reason="", seconds=0.0):
        listed = self.listed.get(case)
        if listed and status == FAIL:
            status, reason = SKIP, f"known to differ: {listed[1]}"
        elif listed and status == PASS:
            status, reason = FAIL, f"passes, so {self.list} must not list it"
        super().record(case, status, reason, seconds)


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance server", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--filter", help="only checks whose group/name matches this regex")
    parser.add_argument(
        "--malformed",
        type=int,
        default=MALFORMED,
        metavar="N",
        help=f"how many malformed requests are sent (default {MALFORMED})",
    )
    parser.add_argument("--seed", default="1", help="the seed of malformed requests")
    parser.add_argument(
        "--only", type=int, metavar="NUMBER", help="send and show this malformed request alone"
    )
    parser.add_argument(
        "--soak",
        type=float,
        nargs="?",
        const=30.0,
        metavar="MINUTES",
        help="instead of the checks, saturate the server while models change (default 30)",
    )
    parser.add_argument(
        "--suite",
        metavar="FOLDER",
        help="instead of the checks, run examples of clients and models of upstream's tests, in "
        "this folder's checkouts `client` and `server`",
    )
    parser.add_argument("--json", metavar="FILE", help="write all outcomes to this file")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what passes, too")
    return parser.parse_args()


def main():
    options = parse_arguments()
    folder = ROOT / "target/conformance/server"
    folder.parent.mkdir(parents=True, exist_ok=True)
    _lock = checks.sole_run(folder.parent / "server.lock")  # held until the process ends
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    suite = Suite(options, folder)
    start = time.monotonic()
    chosen = {name: GROUPS[name] for name in options.group}
    if options.soak:
        chosen = {"soak": soak.run}
    elif options.suite:
        chosen = upstream.GROUPS
    for group, function in chosen.items():
        suite.run(group, function)
    if not suite.rows:
        raise SystemExit("no check is selected")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(suite.rows, indent=1, ensure_ascii=False))
    print(f"trident serve, {time.monotonic() - start:.1f} s")
    print("\n".join(checks.table(suite.rows)))
    print(f"logs of servers in {folder.relative_to(ROOT)}")
    print("\n".join([*checks.skipped_groups(suite.rows), checks.closing(suite.rows)]))
    return 1 if checks.counts(suite.rows)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
