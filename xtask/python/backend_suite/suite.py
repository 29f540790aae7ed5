"""The run so far: its checks with their outcomes, and what they need."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import sys
import time

from . import server
from .client import Grpc, Http
from .report import FAIL, PASS, SKIP, WHOLE
from .repository import Repository

LIMIT = 180  # seconds that one check may take


class Skip(Exception):
    """A check that cannot be made here; the message says why."""


class Suite:
    """Where the backends, programs and recordings are; which checks are wanted; the outcomes."""

    def __init__(self, options, folder):
        self.options, self.folder, self.rows = options, folder, []
        self.group, self.servers = "", 0
        self.reference = options.engine == "reference"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self._backends = {}

    # ---- what groups need ----------------------------------------------------------------

    def backends(self, variable="TRIDENT_BACKENDS"):
        """The folder of backends: with our library, or with the stand-in of the recordings."""
        if variable not in self._backends:
            target = self.folder / f"backends-{len(self._backends)}"
            if self.reference:
                program = self.recordings() / "oracle/backends/onnxruntime/model.py"
                server.backends_of_stand_in(target, program)
            else:
                server.backends_of_library(target, self.file(variable))
            self._backends[variable] = target
        return self._backends[variable]

    def file(self, variable):
        """A path that `cargo xtask` hands over in a variable."""
        path = os.environ.get(variable)
        if not path:
            raise Skip(f"{variable} is not set: run this by `cargo xtask conformance backend`")
        return pathlib.Path(path)

    def recordings(self):
        """The folder of recorded answers, which is no part of the repository."""
        named = os.environ.get("TRIDENT_SERVER_GOLDEN")
        if named:
            return pathlib.Path(named).resolve(strict=True)
        root = pathlib.Path(__file__).resolve().parents[3]
        beside = root.parent / "shared/data/server-golden"
        if not beside.is_dir():
            raise Skip(f"no recordings: neither TRIDENT_SERVER_GOLDEN nor {beside}")
        return beside

    def not_in_reference(self, why):
        """End the check where the stand-in is run, which lacks what it is about."""
        if self.reference:
            raise Skip(f"the stand-in {why}")

    def repository(self, name="models"):
        """An empty repository of the group."""
        folder = self.folder / self.group / name
        shutil.rmtree(folder, ignore_errors=True)
        return Repository(folder)

    @contextlib.contextmanager
    def serve(self, repository, load=(), **more):
        """A server of this repository as (server, HTTP client, gRPC client)."""
        self.servers += 1
        log = self.folder / f"{self.group}-{self.servers}.log"
        backends = more.pop("backends", None) or self.backends()
        with server.Server(backends, repository.folder, log, **more) as running:
            http, grpc = Http(running.http), Grpc(running.grpc)
            try:
                for name in load:
                    http.load(name)
                yield running, http, grpc
            finally:
                http.close()
                grpc.close()

    # ---- checks --------------------------------------------------------------------------

    def wanted(self, case):
        pattern = self.options.filter
        return not pattern or re.search(pattern, f"{self.group}/{case}")

    def check(self, case, function, running=None, limit=LIMIT):
        """Run one check: it passes if the function returns. `running` must live on after it."""
        if not self.wanted(case):
            return
        start, status, reason = time.monotonic(), PASS, ""
        try:
            with time_limit(limit):
                if running is not None:
                    running.alive()
                function()
        except Skip as skip:
            status, reason = SKIP, str(skip)
        except Exception as error:  # whatever goes wrong is the outcome
            status, reason = FAIL, told(error)
        if running is not None and status != SKIP:
            try:
                running.alive()
            except server.Gone as gone:
                died = f"; then {gone}" if reason and str(gone) not in reason else ""
                status, reason = FAIL, f"{reason}{died}" if reason else str(gone)
        self.record(case, status, reason, time.monotonic() - start)

    def record(self, case, status, reason="", seconds=0.0):
        row = {"group": self.group, "case": case, "status": status, "reason": reason}
        self.rows.append(row | {"seconds": round(seconds, 3)})
        if status != PASS or self.options.verbose:
            tail = f": {reason}" if reason else ""
            print(f"{self.group}/{case}: {status}{tail}"[:400], flush=True)

    def run(self, group, function):
        """Run a group; what ends it early is a failure of its own."""
        self.group, start = group, time.monotonic()
        try:
            function(self)
        except Skip as skip:
            self.record(WHOLE, SKIP, str(skip))
        except Exception as error:  # a server that does not start, a model that does not load
            self.record("start", FAIL, told(error))
        if sys.stderr.isatty():
            print(f"{group}: {time.monotonic() - start:.1f} s", file=sys.stderr)


def told(error):
    """An exception in words, with the place for those that are bugs of the suite."""
    text = " ".join(str(error).split())
    if isinstance(error, AssertionError) and text:
        return text
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = pathlib.Path(trace.tb_frame.f_code.co_filename)
        if file.parent.name == "backend_suite":
            place = f" ({file.name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {text}{place}"


@contextlib.contextmanager
def time_limit(seconds):
    """Raise TimeoutError in the body when it takes longer; for the main thread."""

    def expire(*_):
        raise TimeoutError(f"not finished after {seconds} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
