"""How far a run is, on stderr."""

import sys
import threading

#: Seconds between two lines: on a terminal each replaces the one before.
ON_TERMINAL, ELSEWHERE = 0.5, 30


class Progress:
    """Counts tests, and tells how many are done while its context lasts."""

    def __init__(self, stream=None, interval=None):
        self.stream = stream or sys.stderr
        self.terminal = self.stream.isatty()
        self.interval = interval or (ON_TERMINAL if self.terminal else ELSEWHERE)
        self.file, self.total, self.done, self.failed = "", 0, 0, 0
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._tell, daemon=True)

    def start(self, file, total):
        """The tests that follow are those of `file`."""
        self.file, self.total, self.done, self.failed = file, total, 0, 0

    def count(self, failed):
        """One more test is done."""
        self.done += 1
        self.failed += failed

    def _tell(self):
        before, after = ("\r\033[K", "") if self.terminal else ("", "\n")
        while not self.over.wait(self.interval):
            if self.file:
                line = f"{self.file}: {self.done} of {self.total}, {self.failed} failed"
                print(f"{before}{line}", end=after, file=self.stream, flush=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        if self.terminal:
            print("\r\033[K", end="", file=self.stream)
