"""A process of ``trident serve``: its start, its health, its figures and its end."""

import http.client
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

#: The variable that names the program, and the name that is looked for on the path.
VARIABLE, PROGRAM = "TRIDENT_SERVE", "trident"

#: Lines of the log that errors show.
LAST_WORDS = 20

#: Seconds that an answer to a question about the server may take.
PATIENCE = 5.0

PENDING = re.compile(r"^nv_inference_pending_request_count(?:\{.*\})? (\S+)$", re.MULTILINE)


class ServerError(RuntimeError):
    """A server that does not start, is not ready, or has ended. The message has its own words."""


def find_program(program: str | None) -> str:
    """The path of the program: the argument, else ``TRIDENT_SERVE``, else ``trident`` on PATH."""
    wanted = program or os.environ.get(VARIABLE) or PROGRAM
    found = shutil.which(wanted)
    if found is None:
        raise ServerError(
            f"there is no program {wanted!r} on this machine: pass executable=, or set {VARIABLE}"
            f" or PATH, for a build of trident with the feature `serve`"
        )
    return os.path.abspath(found)


class Server:
    """A server from its start until its end; making one waits until the server is ready.

    ``places`` has its addresses: ``HTTP``, ``gRPC``, ``metrics``. ``on_end`` is called once the
    process has ended after it was ready.
    """

    def __init__(self, command: Sequence[str], on_end: Callable[[], None]):
        self.places: dict[str, str] = {}
        self._printed: list[str] = []
        self._log: deque[str] = deque(maxlen=LAST_WORDS)
        self._started, self._ended = threading.Event(), threading.Event()
        self._process: subprocess.Popen[str] | None = None
        self._failure: OSError | None = None
        self._ready = False
        # The kernel ends the server with the thread that started it: this one stays until the end.
        threading.Thread(target=self._supervise, args=(command, on_end), daemon=True).start()
        self._started.wait()
        if self._failure is not None:
            raise ServerError(f"the server does not start: {self._failure}") from self._failure
        if not self._ready:
            self._ended.wait()
            words = "\n".join([*self._printed, *self._log])
            raise ServerError(f"`trident serve` {self._ending()}:\n{words}")

    def _supervise(self, command: Sequence[str], on_end: Callable[[], None]) -> None:
        guard = Path(__file__).with_name("guard.py")
        guarded = [sys.executable, "-I", "-S", str(guard), str(os.getpid()), *command]
        try:
            process = subprocess.Popen(
                guarded,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env={**os.environ, "NO_COLOR": "1"},
            )
        except OSError as error:
            self._failure = error
            self._started.set()
            return
        self._process = process
        assert process.stdout is not None and process.stderr is not None
        log = threading.Thread(target=self._pass_on, args=(process.stderr,), daemon=True)
        log.start()
        self._read_places(process.stdout)
        process.wait()
        log.join()
        self._ended.set()
        self._started.set()
        if self._ready:
            on_end()

    def _pass_on(self, lines: IO[str]) -> None:
        """Writes the server's log to this process's standard error, and keeps its last lines."""
        for line in lines:
            self._log.append(line.rstrip("\n"))
            sys.stderr.write(line)
            sys.stderr.flush()

    def _read_places(self, lines: IO[str]) -> None:
        """Reads what the server prints: the table of its models, its addresses, and ``ready``."""
        for line in lines:
            sys.stderr.write(line)
            if self._ready:
                continue
            self._printed.append(line.rstrip("\n"))
            place = re.fullmatch(r"(HTTP|gRPC|metrics) on (\S+)\n", line)
            if place:
                self.places[place[1]] = place[2]
            elif line == "ready\n":
                self._ready = True
                self._started.set()

    def _ending(self) -> str:
        assert self._process is not None
        status = self._process.returncode
        if status < 0:
            return f"was ended by {signal.Signals(-status).name}"
        return f"has ended with status {status}"

    @property
    def has_ended(self) -> bool:
        return self._ended.is_set()

    def check(self) -> None:
        """Raises unless the server says that it is ready."""
        if self.has_ended:
            words = "\n".join(self._log)
            raise ServerError(f"`trident serve` {self._ending()}:\n{words}")
        try:
            status, _ = self._get("HTTP", "/v2/health/ready")
        except (OSError, http.client.HTTPException) as error:
            raise ServerError(f"the server's health is unknown: {error!r}") from error
        if status != 200:
            raise ServerError(f"the server is not ready: status {status}")

    def pending(self) -> float:
        """The number of requests that wait for a run, in all models."""
        status, page = self._get("metrics", "/metrics")
        if status != 200:
            raise ServerError(f"the page of metrics has status {status}")
        return sum(float(count) for count in PENDING.findall(page))

    def _get(self, place: str, path: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection(self.places[place], timeout=PATIENCE)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def stop(self, seconds: float) -> None:
        """Ends the server: it finishes the requests that it has, within this time."""
        assert self._process is not None
        self._process.terminate()
        if not self._ended.wait(seconds):
            self._process.kill()
            self._ended.wait()
