"""The command line: ``python -m trident``, and the program ``trident`` of the installed package."""

import signal
import sys
from typing import NoReturn

from trident import _trident


def main() -> NoReturn:
    """Run the command line on the process's arguments, and end the process with its status."""
    if not hasattr(_trident, "command"):
        print(
            "error: this build of trident has no command line: it launches kernels only\n"
            "hint: install it with the feature `models`, which is on by default",
            file=sys.stderr,
        )
        sys.exit(2)
    # Ctrl-C ends the process at once. Where the caller has it ignored, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_trident.command(["trident", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
