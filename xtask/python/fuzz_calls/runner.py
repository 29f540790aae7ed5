"""Runs sequences in child processes, and shortens those that fail."""

import json
import select
import subprocess
import sys
import tempfile

from .sequences import sequence


class Child:
    """A process that runs sequences, started again after one that failed."""

    def __init__(self, seed, timeout):
        self.seed, self.timeout = seed, timeout
        self.process = None

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )

    def stop(self):
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.errors.close()
            self.process = None

    def run(self, number, keep=None):
        """What was wrong with a sequence, or with those calls of it; ``None`` if nothing was."""
        if self.process is None:
            self.start()
        asked = {"seed": self.seed, "number": number, "keep": keep}
        try:
            self.process.stdin.write((json.dumps(asked) + "\n").encode())
            self.process.stdin.flush()
            answered, _, _ = select.select([self.process.stdout], [], [], self.timeout)
            line = self.process.stdout.readline() if answered else None
        except BrokenPipeError:
            line = b""
        if line:
            failed = json.loads(line)
            if failed is None:
                return None
            at, text = failed
            self.stop()
            return f"call {at}: {text}"
        if line is None:
            # Where it hangs.
            self.process.send_signal(6)
        status = self.process.wait()
        self.errors.seek(0)
        printed = self.errors.read().decode(errors="replace")[-6000:]
        self.stop()
        what = f"no answer in {self.timeout:.0f} s" if line is None else f"ended with {status}"
        return f"{what}\n{printed}"


def shorten(child, number):
    """The fewest calls of a sequence found that still fail by themselves, and how they fail."""
    keep = list(range(len(sequence(child.seed, number))))
    failure = child.run(number, keep)
    if failure is None:
        return None, None
    changed = True
    while changed:
        changed = False
        for at in reversed(keep):
            rest = [i for i in keep if i != at]
            found = child.run(number, rest) if rest else None
            if found is not None:
                keep, failure, changed = rest, found, True
    return keep, failure


def report(seed, number, keep, failure):
    """How a sequence fails, and how to see it again."""
    calls = sequence(seed, number)
    kept = keep if keep is not None else range(len(calls))
    lines = [f"sequence {number} of seed {seed} fails:"]
    lines += [f"  {at}: {calls[at].name} (seed {calls[at].seed})" for at in kept]
    if keep is None:
        lines.append("  only after the sequences that its process had run before")
    chosen = "" if keep is None else f" --keep {','.join(map(str, keep))}"
    lines.append(f"again: cargo xtask fuzz calls --seed {seed} --only {number}{chosen}")
    return "\n".join([*lines, failure])
