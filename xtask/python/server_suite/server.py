"""A process of `trident serve` that listens on the loopback only."""

import os
import pathlib
import re
import signal
import subprocess
import threading
import time

from backend_suite import server as processes

START = 60  # seconds
END = 40
QUIET = 0.05


def settled(file):
    """The text of a file that a thread of a server writes, once it has not grown for a moment."""
    before = None
    while (text := file.read_text()) != before:
        before = text
        time.sleep(QUIET)
    return text


class Server:
    """The server of a repository, until the end of the `with` block."""

    def __init__(self, trident, repository, log, flags=(), variables=(), environment=None):
        self.log, self.places = log, {}
        command = [trident, "serve", repository, *places_of("http", "grpc", "metrics"), *flags]
        self.errors = log.open("w")
        self.process = subprocess.Popen(
            list(map(str, command)),
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            env=(os.environ if environment is None else environment) | dict(variables),
        )
        self.printed, self.is_up = [], threading.Event()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.is_up.wait(START)
        if self.process.poll() is not None or not self.places:
            self.stop()
            raise AssertionError(f"the server does not start: {self.last_words()}")

    def _read(self):
        """Keep what the server prints; the last lines of its start are places."""
        for line in self.process.stdout:
            self.printed.append(line)
            place = re.fullmatch(r"(HTTP|gRPC|metrics) on (\S+)\n", line)
            if place:
                self.places[place[1]] = place[2]
            elif line == "ready\n":
                self.is_up.set()
        self.is_up.set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def port(self, protocol):
        return int(self.places[protocol].rpartition(":")[2])

    def said(self):
        """The log so far, once the thread that writes it has nothing more to write."""
        return settled(self.log)

    def no_panic(self):
        assert "panicked" not in self.said(), self.said()[-600:]

    def processor_time(self):
        """Seconds of processor time that it has taken."""
        return processes.times(self.process.pid)

    def resident_bytes(self):
        pages = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * processes.PAGE

    def alive(self):
        status = self.process.poll()
        assert status is None, f"the server has ended with status {status}: {self.last_words()}"

    def last_words(self):
        return (self.log.read_text() + "".join(self.printed))[-600:].strip().replace("\n", " | ")

    def stop(self):
        """End the server politely; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(END)
            except subprocess.TimeoutExpired:
                self.process.kill()
        status = self.process.wait()
        self.reader.join()
        self.errors.close()
        return status


def places_of(*protocols):
    """Options for free ports of the loopback."""
    options = []
    for protocol in protocols:
        options += [f"--{protocol}-address=127.0.0.1", f"--{protocol}-port=0"]
    return options
