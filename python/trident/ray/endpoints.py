"""Envoy's files of endpoints: the addresses of the servers that get requests."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Seconds after which a replica that reports no more has lost its place.
LEASE = 10.0

#: Seconds from the start to the first write: replicas of an earlier keeper report in this time.
SETTLE = 2.5

HEAD = """\
# The {name} addresses of the servers behind envoy.yaml, written by trident.ray.
resources:
- "@type": type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment
  cluster_name: trident-{protocol}
  endpoints:
  - lb_endpoints:{empty}
"""
ENDPOINT = """\
    - endpoint: {{ address: {{ socket_address: {{ address: "{}", port_value: {} }} }} }}
"""
PROTOCOLS = {"http": "HTTP", "grpc": "gRPC"}


@dataclass
class Seat:
    """A replica's server."""

    places: dict[str, str]
    seen: float


def text(protocol: str, places: list[str]) -> str:
    """The file of a protocol for these addresses."""
    empty = "" if places else " []"
    head = HEAD.format(name=PROTOCOLS[protocol], protocol=protocol, empty=empty)
    pairs = (place.rsplit(":", 1) for place in sorted(places))
    return head + "".join(ENDPOINT.format(host.strip("[]"), port) for host, port in pairs)


class Endpoints:
    """The files in a folder, and the replicas of one application that are in them.

    A replica reports once a second. One that does not report for ``lease`` seconds loses its place,
    but for the last one: Envoy's own health checks say more about a server than a silent replica.
    """

    def __init__(
        self,
        folder: str,
        lease: float = LEASE,
        settle: float = SETTLE,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._folder, self._lease, self._clock = Path(folder), lease, clock
        self._first_write = clock() + settle
        self._application = ""
        self._seats: dict[str, Seat] = {}
        self._written: dict[str, str] = {}
        self._lock = threading.Lock()

    def report(self, application: str, replica: str, places: dict[str, str]) -> bool:
        """Notes that a replica's server gets requests. Returns whether the files name it yet."""
        with self._lock:
            self._expire()
            if self._seats and application != self._application:
                raise ValueError(
                    f"{self._folder} has the servers of the application {self._application!r}:"
                    f" pass another folder as endpoints= for {application!r}"
                )
            self._application = application
            self._seats[replica] = Seat(places, self._clock())
            return self._write()

    def leave(self, replica: str) -> int:
        """Takes a replica's server out of the files. Returns how many servers they name now."""
        with self._lock:
            self._seats.pop(replica, None)
            self._write()
            return len(self._seats)

    def expire(self) -> None:
        """Takes out servers whose replicas report no more."""
        with self._lock:
            self._expire()
            self._write()

    def _expire(self) -> None:
        now = self._clock()
        for replica, seat in sorted(self._seats.items(), key=lambda item: item[1].seen):
            if now - seat.seen > self._lease and len(self._seats) > 1:
                del self._seats[replica]

    def _write(self) -> bool:
        """Moves new files over the old ones, which Envoy notices, if they differ."""
        if self._clock() < self._first_write:
            return False
        for protocol, name in PROTOCOLS.items():
            content = text(protocol, [seat.places[name] for seat in self._seats.values()])
            if self._written.get(protocol) == content:
                continue
            self._folder.mkdir(parents=True, exist_ok=True)
            new = self._folder / f".endpoints-{protocol}.yaml.{os.getpid()}"
            new.write_text(content)
            os.replace(new, self._folder / f"endpoints-{protocol}.yaml")
            self._written[protocol] = content
        return True
