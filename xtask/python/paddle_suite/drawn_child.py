"""Draw, export and judge random calls in the environment of one release of Paddle.

`python -m paddle_suite.drawn_child LINES SEED EXAMPLES SUBJECT`

Eight examples of an op are one program. Where the subject refuses it, or Paddle does not run it and
results differ, each of them gets a program of its own. `lines_of_json` has the lines that are
written. `TRIDENT_FILTER` is a part of RELEASE/OP.
"""

import contextlib
import itertools
import json
import os
import pathlib
import sys
import tempfile
import warnings
import zlib

import numpy as np
import paddle

from . import arrays
from .call import Bundle, flat
from .draws import Random, every
from .engine import EXCLUDED, PASS, WRONG, Engine
from .tally import Tally

#: How far results may be apart, over the largest magnitude of the result.
TOLERANCE = {"float32": 1e-5, "float64": 1e-12, "complex64": 1e-5, "complex128": 1e-12}
#: ... and over each single number.
OF_EACH = {"float32": 1e-3, "float64": 1e-9}
#: Smaller differences do not count.
TINY = 1e-20


def tidied(got, want):
    """Results without differences that are as good as 0: rounding of the smallest numbers."""
    pairs = []
    for ours, theirs in zip(got, want):
        if theirs.dtype.kind == "f" and ours.shape == theirs.shape and ours.dtype == theirs.dtype:
            ours = np.where(np.abs(ours - theirs) < TINY, theirs, ours)
        pairs.append(ours)
    return pairs


def apart(got, want):
    """Why results differ, or None."""
    distances, why = arrays.compared(got, want)
    if why:
        return why
    distances, _ = arrays.compared(tidied(got, want), want)
    for number, (ours, theirs, distance) in enumerate(zip(got, want, distances)):
        dtype = str(theirs.dtype)
        if distance > TOLERANCE.get(dtype, 0):
            return f"output {number} ({dtype}) is {distance:.1e} apart"
        if dtype in OF_EACH and ours.size:
            finite = np.isfinite(theirs)
            close = np.isclose(ours[finite], theirs[finite], OF_EACH[dtype], 1e-30)
            if not close.all() and distance > 1e-7:
                return f"single numbers of output {number} ({dtype}) are apart"
    return None


def shown(array):
    return f"{array.dtype}{list(array.shape)} {array.reshape(-1)[:8].tolist()}"


def furthest(got, want):
    """The numbers that are furthest apart, as text."""
    if got.shape != want.shape or got.dtype != want.dtype or got.dtype.kind == "c":
        return ""
    wide = [array.astype("f8").reshape(-1) for array in (got, want)]
    far = np.abs(wide[0] - wide[1])
    far = np.where(np.isnan(wide[0]) & np.isnan(wide[1]) | (wide[0] == wide[1]), -1, far)
    far[np.isnan(far)] = np.inf
    places = np.argsort(-far)[:3]
    pairs = [f"{wide[0][n]!r} for {wide[1][n]!r} at {n}" for n in places if far[n] > 0]
    return f", furthest {'; '.join(pairs)}"


class Judge:
    """Judges calls on the subject."""

    def __init__(self, engine, folder, say):
        """`say` is told when the engine begins to run and when it has ended."""
        self.engine, self.folder, self.say, self.count = engine, pathlib.Path(folder), say, 0

    def export(self, calls):
        """(the program of calls, {name: array} of its inputs)"""
        self.count += 1
        path = self.folder / f"{self.count}" / "model"
        named, specs = {}, []
        for number, call in enumerate(calls):
            names = [f"x{number}_{i}" for i in range(len(call.arrays()))]
            named |= dict(zip(names, call.arrays()))
            specs += call.specs(names)
        with contextlib.redirect_stdout(None):
            paddle.jit.save(Bundle(calls), str(path), [specs])
        program = path.with_suffix(".json")
        return (program if program.exists() else path.with_suffix(".pdmodel")), named

    def judge(self, calls, wants, tally):
        """Add the outcomes of calls to a tally."""
        try:
            program, named = self.export(calls)
        except Exception as error:
            text = f"{type(error).__name__}: {error}".split("[Hint")[0][-200:]
            if len(calls) == 1:
                return tally.add(EXCLUDED, f"Paddle does not export it: {text}", str(calls[0]))
            return self.judge_each(calls, wants, tally)
        self.say(running=True)
        status, found = self.engine.run(program, [named])
        self.say(running=False)
        if status != PASS:
            if len(calls) > 1:
                return self.judge_each(calls, wants, tally)
            return tally.add(status, found, str(calls[0]))
        got = found[0]
        if len(got) != sum(map(len, wants)):
            return tally.add(WRONG, f"{len(got)} outputs", "; ".join(map(str, calls)))
        ends = list(itertools.accumulate(map(len, wants)))
        places = [slice(end - len(want), end) for end, want in zip(ends, wants)]
        reasons = [apart(got[place], want) for place, want in zip(places, wants)]
        loaded = ()
        if any(reasons):
            # The program may say something else than the eager run.
            loaded = self.loaded(program, named)
            if not loaded and len(calls) > 1:
                return self.judge_each(calls, wants, tally)
        for call, want, place, why in zip(calls, wants, places, reasons):
            status = PASS
            if why:
                status, why = self.judged(call, got[place], want, loaded[place], why)
            tally.add(status, why or "", str(call))

    def judge_each(self, calls, wants, tally):
        for call, want in zip(calls, wants):
            self.judge([call], [want], tally)

    def loaded(self, program, named):
        """The results of Paddle on the program."""
        try:
            model = paddle.jit.load(str(program.with_suffix("")))
            with paddle.no_grad():
                return [t.numpy() for t in flat(model(*map(paddle.to_tensor, named.values())))]
        except Exception:
            return ()

    def judged(self, call, got, want, loaded, why):
        """(status, why): the program's own results and f64 decide."""
        if not loaded:
            return EXCLUDED, "Paddle does not run its own program"
        if apart(got, loaded) is None:
            return PASS, None
        if arrays.compared(got, want)[1] is None:
            with contextlib.suppress(Exception):
                exact = [
                    e.astype(w.dtype) if e.dtype == np.float64 else e
                    for e, w in zip(call.eager(wide=True), want)
                ]
                ours, unfit = arrays.compared(got, exact)
                theirs, _ = arrays.compared(want, exact)
                if not unfit and all(
                    our <= max(TOLERANCE.get(str(w.dtype), 0), 2 * their)
                    for our, their, w in zip(ours, theirs, want)
                ):
                    return PASS, None
                why += f" (from f64 {max(ours):.1e}, Paddle {max(theirs):.1e})"
        places = [n for n, (g, w) in enumerate(zip(got, want)) if apart([g], [w])]
        if places:
            why += f": {shown(got[places[0]])} expected {shown(want[places[0]])}"
            why += furthest(got[places[0]], want[places[0]])
        if apart(loaded, want):
            why += "; the program in Paddle differs from the eager run too"
        return WRONG, why

    def op(self, name, draw, seed, examples):
        """(status, message) of an op's examples."""
        calls, wants, tally = [], [], Tally()
        for number in range(examples):
            r = Random(seed, zlib.crc32(name.encode()), number)
            try:
                call = r.opened(draw(r))
                paddle.seed(1)
                want = call.eager()
            except Exception as error:
                text = f"{type(error).__name__}: {error}".split("[Hint")[0][-200:]
                tally.add("not run", f"Paddle does not run it: {text}", "")
                continue
            if any(array.dtype == np.uint16 for array in want):
                tally.add("not run", "results are bf16", "")
                continue
            calls.append(call)
            wants.append(want)
        for start in range(0, len(calls), 8):
            self.judge(calls[start : start + 8], wants[start : start + 8], tally)
        return tally.verdict()


def main():
    lines, seed, examples, subject = sys.argv[1:]
    release, pattern = os.environ["TRIDENT_RELEASE"], os.environ["TRIDENT_FILTER"]
    written = map(json.loads, pathlib.Path(lines).read_text().splitlines())
    done = {line["case"] for line in written if "status" in line}
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    with (
        open(lines, "a") as file,
        tempfile.TemporaryDirectory(prefix="drawn") as folder,
        Engine(subject, timeout=60) as engine,
    ):

        def say(**line):
            print(json.dumps(line), file=file, flush=True)

        judge = Judge(engine, folder, say)
        for name, draw in every().items():
            if name in done or pattern not in f"{release}/{name}":
                continue
            say(case=name)
            status, message = judge.op(name, draw, int(seed), int(examples))
            say(case=name, status=status, message=" ".join(message.split()))
        say(end=True)


if __name__ == "__main__":
    main()
