"""The run so far: its checks with their outcomes, and what they need."""

import contextlib
import os
import pathlib
import shutil

from checks import FAIL, LIMIT, SKIP, Checks, Skip

from . import server
from .client import Grpc, Http
from .repository import Repository


class Suite(Checks):
    """Where the backends, programs and recordings are; which checks are wanted; the outcomes."""

    def __init__(self, options, folder):
        super().__init__(options)
        self.folder, self.servers, self.running = folder, 0, None
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
        """The folder of recorded answers, which is not part of the repository."""
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

    def check(self, case, function, running=None, limit=LIMIT):
        """Run one check. `running` must be alive before it, and live on after it."""
        self.running = running
        try:
            super().check(case, function, limit)
        finally:
            self.running = None

    def ready(self):
        if self.running is not None:
            self.running.alive()

    def record(self, case, status, reason="", seconds=0.0):
        if self.running is not None and status != SKIP:
            try:
                self.running.alive()
            except server.Gone as gone:
                died = f"; then {gone}" if reason and str(gone) not in reason else ""
                status, reason = FAIL, f"{reason}{died}" if reason else str(gone)
        super().record(case, status, reason, seconds)
