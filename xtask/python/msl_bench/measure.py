"""Run prepared kernels on this machine's NVIDIA GPU beside Triton's own code.

Their results are looked at first. Both sides have the same inputs and take turns; the result is
the median of their times.
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

import torch
import triton

from .cases import Tensor, all_cases
from .gpu import Kernel

PAUSE = 1_000_000  # clock cycles that hide how long a launch takes on the host


def make(given):
    if not isinstance(given, Tensor):
        return given
    dtype = getattr(torch, given.dtype)
    if given.is_result:
        return torch.full(given.shape, torch.nan, dtype=dtype, device="cuda")
    if dtype.is_floating_point:
        return torch.randn(given.shape, dtype=dtype, device="cuda")
    return torch.randint(given.below, given.shape, dtype=dtype, device="cuda")


def result_of(case, values):
    """The first result, and the tensors that it is compared with."""
    names = [n for n, given in case.arguments.items() if isinstance(given, Tensor)]
    first = next(name for name in names if case.arguments[name].is_result)
    return values[first], {name: values[name] for name in names}


def error_of(case, launch, values):
    """The largest error relative to the largest value."""
    out, tensors = result_of(case, values)
    out.fill_(torch.nan)
    launch()
    expected = case.expected(tensors)
    worst = (out.double() - expected).abs().max() / expected.abs().max()
    return worst.item()


def times(calls, rounds):
    """Milliseconds of each call in each round, in turns."""
    found = [[] for _ in calls]
    for _ in range(rounds):
        for call, mine in zip(calls, found, strict=True):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(PAUSE)
            begin.record()
            call()
            end.record()
            mine.append((begin, end))
        torch.cuda.synchronize()
    return [[begin.elapsed_time(end) for begin, end in mine] for mine in found]


def measure(case, known, folder, options):
    """A row for a case."""
    kernel = Kernel((folder / known["ptx"]).read_text(), known["entry"], known["threads"])
    values = {name: make(given) for name, given in case.arguments.items()}
    ours = kernel.launch(case.programs, list(values.values()))
    row = {
        "case": case.name,
        "bytes": case.bytes,
        "flops": case.flops,
        "registers": kernel.registers(),
    }
    row |= {"threads": known["threads"], "error": error_of(case, ours, values)}
    if options.check:
        return row

    def theirs():
        case.kernel[case.programs](*values.values(), **case.constants, num_warps=case.warps)

    row["triton_error"] = error_of(case, theirs, values)
    for _ in range(3):
        ours(), theirs()
    found = times([ours, theirs], options.rounds)
    row["ours_ms"], row["triton_ms"] = map(statistics.median, found)
    return row


def print_row(row, case):
    line = f"{row['case']:15} error {row['error']:.1e} threads {row['threads']:4} "
    line += f"registers {row['registers']:3}"
    if "ours_ms" in row:
        amount, unit = (case.flops / 1e9, "TFLOP/s") if case.flops else (case.bytes / 1e6, "GB/s")
        rates = [amount / row[side] for side in ("ours_ms", "triton_ms")]
        ratio = row["triton_ms"] / row["ours_ms"]
        line += f"  {rates[0]:7,.1f} against {rates[1]:7,.1f} {unit}: {ratio:.3f}"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--check", action="store_true", help="ours only, at small sizes, untimed")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    torch.manual_seed(0)
    known = json.loads((options.folder / "kernels.json").read_text())
    rows, wrong = [], []
    cases = all_cases(shrink=256 if options.check else 1)
    for case in (case for case in cases if case.name in known):
        row = measure(case, known[case.name], options.folder, options)
        print_row(row, case)
        rows.append(row)
        if not row["error"] <= case.tolerance:
            wrong.append(case.name)
    name = torch.cuda.get_device_name()
    if not options.check:
        ratios = [row["triton_ms"] / row["ours_ms"] for row in rows if not row["flops"]]
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"{name}, triton {triton.__version__}: geomean {mean:.3f}, least {min(ratios):.3f}")
    if options.json:
        facts = {"device": name, "triton": triton.__version__, "rounds": options.rounds}
        facts["rows"] = rows
        options.json.write_text(json.dumps(facts, indent=1))
    if wrong:
        print(f"wrong: {', '.join(wrong)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
