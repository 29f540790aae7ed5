"""Time without the waits for a core, for limits that hold while other programs use the cores."""

import pathlib
import time

_THREADS = pathlib.Path("/proc/self/task")


def _waits() -> dict[str, float]:
    """Seconds for which each thread of this process was ready and had no core so far.

    There are none where the system does not count them.
    """
    waits = {}
    for thread in _THREADS.glob("*/schedstat"):
        try:
            _, waited, _ = thread.read_text().split()
        except OSError:
            continue  # The thread has ended.
        waits[thread.parent.name] = int(waited) / 1e9
    return waits


class Stopwatch:
    """Measures from its creation on."""

    def __init__(self) -> None:
        self._waits = _waits()
        self._start = time.monotonic()

    def passed(self) -> float:
        """The seconds that have passed."""
        return time.monotonic() - self._start

    def had_cores(self) -> float:
        """The seconds that have passed, less the most that one thread waited for a core."""
        passed = self.passed()
        before = self._waits
        delays = (waited - before.get(thread, 0.0) for thread, waited in _waits().items())
        return passed - max(delays, default=0.0)
