"""Servers of the cluster as processes of this machine."""

import os
import pathlib
import signal
from dataclasses import dataclass

PROC = pathlib.Path("/proc")


@dataclass(frozen=True)
class Process:
    """A server, with the replica that has started it and the address that it listens on."""

    pid: int
    replica: int
    address: str


def servers(repository):
    """The servers of a repository."""
    found = []
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().decode().split("\0")
            status = (folder / "status").read_text().splitlines()
        except OSError:  # it has ended
            continue
        if words[1:3] != ["serve", str(repository)]:
            continue
        [address] = [word.split("=")[1] for word in words if word.startswith("--http-address=")]
        fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
        if not fields["State"].startswith("Z"):
            found.append(Process(int(folder.name), int(fields["PPid"]), address))
    return found


def kill(pid):
    os.kill(pid, signal.SIGKILL)
