"""Run mutated sequences of calls of `trident.Model` and `trident.onnxruntime`.

Each sequence depends only on --seed and its number. A call that gives what NumPy gives, or raises
an exception of a documented class, passes. A crash, no answer in time, another exception, or
another result fails: then the sequence is shortened and printed.
"""

import argparse
import os
import queue
import sys
import threading
import time

from .runner import Child, report, shorten


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask fuzz calls", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--count", type=int, default=2000, help="sequences (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="run this one sequence")
    parser.add_argument("--keep", help="run these calls of it only, by number, with commas")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each sequence")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--sanitize", action="store_true", help="under AddressSanitizer")
    return parser.parse_args()


def work(options, numbers, failures):
    """Run sequences until there are no more."""
    child = Child(options.seed, options.timeout)
    while True:
        try:
            number = numbers.get_nowait()
        except queue.Empty:
            return child.stop()
        failure = child.run(number)
        if failure is not None:
            keep, shorter = shorten(child, number)
            text = report(options.seed, number, keep, shorter or failure)
            failures.append(number)
            print(text, flush=True)


def only(options):
    child = Child(options.seed, options.timeout)
    keep = [int(at) for at in options.keep.split(",")] if options.keep else None
    failure = child.run(options.only, keep)
    child.stop()
    if failure is not None:
        print(report(options.seed, options.only, keep, failure))
    return [options.only] if failure is not None else []


def main():
    options = parse_arguments()
    numbers, failures, start = queue.SimpleQueue(), [], time.monotonic()
    if options.only is not None:
        count, failures = 1, only(options)
    else:
        count = options.count
        for number in range(count):
            numbers.put(number)
        workers = [
            threading.Thread(target=work, args=(options, numbers, failures))
            for _ in range(options.jobs)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print(f"seed {options.seed}, {count} sequences in {time.monotonic() - start:.0f} s")
    print(f"{count - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
