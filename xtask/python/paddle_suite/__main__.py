"""Compare Paddle's models on Trident with Paddle itself, and failures with a list of known ones.

`models` runs trained models from packages, `exports` networks exported by two releases of Paddle,
`paddle2onnx=PATH` the tests of a checkout of PaddlePaddle/Paddle2ONNX, `drawn` random calls of
Paddle's functions, and `paddleocr` PaddleOCR on machines without Paddle. `kernels` runs the kernels
of the device plug-in, `mps=PATH` the tests of a checkout of Manfredss/Paddle-MPS-Dev on the device,
`api=PATH` the calls of a file of PFCCLab/PaddleAPITest, and `bad` calls that must be refused.
"""

import argparse
import importlib
import sys
import time

from . import report

SUITES = {
    "models": "paddle_suite.models",
    "exports": "paddle_suite.exports",
    "paddle2onnx": "paddle_suite.paddle2onnx",
    "drawn": "paddle_suite.drawn",
    "paddleocr": "paddle_suite.ocr",
    "kernels": "paddle_suite.kernels",
    "mps": "paddle_suite.mps",
    "bad": "paddle_suite.bad",
    "api": "paddle_suite.api",
}
WITH_PATH = ("paddle2onnx", "mps", "api")


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance paddle", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--suite", default="models", metavar="NAME[=PATH]", help=", ".join(SUITES))
    parser.add_argument("--filter", metavar="TEXT", help="only cases whose name has this text")
    parser.add_argument(
        "--examples",
        type=int,
        default=5,
        help="examples of each op of drawn, and of each property-based test of paddle2onnx, where "
        "0 leaves these tests out",
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="only each N-th call of api"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of these examples")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every case")
    parser.add_argument("--bless", action="store_true", help="rewrite the list of failures")
    parser.add_argument("--json", metavar="FILE", help="write all outcomes to this file")
    parser.add_argument(
        "--subject",
        default="trident",
        choices=("trident", "command", "converted", "paddle", "wrong"),
        help="command: `trident run`; converted: ONNX Runtime on the file of `trident convert`, "
        "with a list of its own; to check the suite, without a list: Paddle's own predictor, or "
        "that with errors",
    )
    options = parser.parse_args()
    options.suite, _, options.path = options.suite.partition("=")
    if options.suite not in SUITES:
        parser.error(f"there is no suite `{options.suite}`: choose one of {', '.join(SUITES)}")
    if bool(options.path) != (options.suite in WITH_PATH):
        parser.error(f"`{options.suite}` {'needs' if not options.path else 'takes no'} =PATH")
    if options.bless and (
        options.filter or options.every > 1 or options.subject not in ("trident", "converted")
    ):
        parser.error("--bless needs a full run of trident or of converted files")
    if options.subject == "converted" and options.suite not in ("models", "exports"):
        parser.error("--subject converted is for the suites models and exports")
    return options


def main():
    options = parse_arguments()
    start = time.monotonic()

    options.progress = report.Progress(options.verbose)
    suite = importlib.import_module(SUITES[options.suite])
    rows = suite.run(options)
    if not rows:
        raise SystemExit("no case is selected")
    options.progress.done()
    print(f"{len(rows)} cases in {time.monotonic() - start:.0f} s")
    with_list = options.subject in ("trident", "command", "converted")
    # A suite of very many cases has a list of its own, by the texts of outcomes.
    listed = suite.expected(rows) if with_list and hasattr(suite, "expected") else None
    name = options.suite + ("-converted" if options.subject == "converted" else "")
    return report.finish(name, rows, options, with_list=with_list, listed=listed)


if __name__ == "__main__":
    sys.exit(main())
