"""Measure Paddle's models on Trident, on Paddle and on ONNX Runtime, in turns.

Ten trained models from wheels. Paddle gets the fastest of its flags, with oneDNN where that runs.
ONNX Runtime gets the faster of two converted files, by `trident convert` and by paddle2onnx.

Each engine has a process of its own. In every round each gets one turn, in an order that rotates. A
figure is the median over the rounds of each round's median, and a ratio is that of two figures. The
loading time is the median of three loads. Results that differ from Paddle's are an error and not a
time. At the end, the PP-OCRv5 detector reads pages of 500 sizes, and its memory must not grow.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

from kernel_bench.report import processor_line
from paddle_suite import trained

from . import measure, pages, report

QUICK = ("PP-OCRv5 detector", "PP-OCRv5 recogniser", "text direction")


def parse_arguments():
    names = [entry["name"] for entry in trained.listed()]
    parser = argparse.ArgumentParser(
        prog="cargo xtask bench paddle",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="three models, two short rounds")
    parser.add_argument("--models", nargs="+", metavar="NAME", choices=names, help=", ".join(names))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1, help="of a turn, about")
    parser.add_argument("--no-pages", action="store_true", help="without the pages of many sizes")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 2, 0.3
    options.models = options.models or (QUICK if options.quick else names)
    return options


def print_row(row, seconds):
    cells = []
    for engine, found in row["engines"].items():
        text = f"{found['median_ms']:.1f} ms" if "median_ms" in found else "no figure"
        cells.append(f"{engine} {text}")
    head = f"{row['model']}, {row['threads']} threads"
    print(f"{head}: {'   '.join(cells)}   [{seconds:.0f} s]", flush=True)


def versions():
    import onnxruntime
    import paddle

    return {"Paddle": paddle.__version__, "ONNX Runtime": onnxruntime.__version__}


def main():
    options = parse_arguments()
    figures = {"rows": [], "pages": []}
    with tempfile.TemporaryDirectory(prefix="bench") as folder:
        for entry in trained.listed():
            for threads in options.threads if entry["name"] in options.models else ():
                start = time.monotonic()
                figures["rows"].append(measure.row(entry, threads, options, folder))
                print_row(figures["rows"][-1], time.monotonic() - start)
    if not options.no_pages:
        figures["pages"] = pages.measure(max(options.threads))
    print(processor_line(versions()))
    print()
    print("\n".join(report.table(figures["rows"])))
    print()
    if figures["pages"]:
        print(report.page_line(figures["pages"]))
    print("\n".join([*report.failures(figures["rows"]), *report.least_lines(figures["rows"]), ""]))
    print("\n".join(report.bar_lines(figures)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(figures, indent=1))
    return 0 if all(met for *_, met in report.bars(figures)) else 1


if __name__ == "__main__":
    sys.exit(main())
