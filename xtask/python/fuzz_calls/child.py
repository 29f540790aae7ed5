"""A process that runs sequences: it reads a line of JSON for each, and answers with another."""

import faulthandler
import json
import os
import random
import sys
import threading
import traceback
import warnings

from .sequences import CALLS, ERRORS, sequence
from .world import World

#: Exceptions that nobody could catch, as of threads and destructors.
uncaught = []


def perform(calls):
    """Run calls; the number of the one that failed and what it did, or ``None``."""
    uncaught.clear()
    world = World([error for errors in ERRORS.values() for error in errors])
    at = 0
    try:
        for at, call in calls:
            CALLS[call.name](world, random.Random(call.seed))
            if uncaught:
                return at, "\n".join(uncaught)
        world.check_kept()
    except BaseException:
        return at, traceback.format_exc()
    finally:
        try:
            world.end()
        except BaseException:
            uncaught.append(traceback.format_exc())
    return (at, "\n".join(uncaught)) if uncaught else None


def main():
    faulthandler.enable()
    warnings.simplefilter("ignore")

    def hook(found):
        uncaught.append("".join(traceback.format_exception(found.exc_value)))

    threading.excepthook = sys.unraisablehook = hook
    # What a call prints is no outcome.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        calls = list(enumerate(sequence(asked["seed"], asked["number"])))
        keep = asked["keep"]
        failed = perform(calls if keep is None else [calls[i] for i in keep])
        answers.write(json.dumps(failed) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
