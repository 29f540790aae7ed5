"""Starts a program that gets SIGTERM when the process that started it is gone, however that ended.

It is run as a script, with the process and the command as arguments. On Linux, the kernel sends the
signal, and the program takes this script's place. Elsewhere this script stays and looks after both.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

PR_SET_PDEATHSIG = 1

#: Seconds between two looks at the processes.
PERIOD = 0.2


def replace(parent: int, command: Sequence[str]) -> None:
    """Becomes the program, which the kernel ends with its parent."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG)")
    # A parent that was gone before is noticed here only.
    if os.getppid() == parent:
        os.execv(command[0], list(command))


def watch(parent: int, command: Sequence[str]) -> int:
    """Runs the program, and ends it with this process or its parent. Returns its status."""
    child = subprocess.Popen(command)

    def end(number: int, frame: FrameType | None) -> None:
        child.terminate()

    signal.signal(signal.SIGTERM, end)
    while child.poll() is None:
        if os.getppid() != parent:
            child.terminate()
            return child.wait()
        time.sleep(PERIOD)
    return child.returncode


def main() -> int:
    """Runs the command of the arguments. Returns its status, as a shell does."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform == "linux":
        replace(parent, command)
        return 1
    status = watch(parent, command)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
