"""Run small generated cases at the edges of the standard, and compare with outside references.

Groups: regular expressions beside RE2, `Resize` beside ONNX Runtime, `interpolate` beside PyTorch,
text as integers beside Python and ONNX Runtime, ensembles of trees beside ONNX Runtime, ONNX
Runtime's own operators beside it, and the texts of refusals.
"""

import argparse
import json
import pathlib
import sys
import time

import checks

from . import contrib, interpolate, refusals, regex, resize, text, translated, trees
from .suite import Suite

ROOT = pathlib.Path(__file__).resolve().parents[3]
GROUPS = {
    "refusals": refusals.run,
    "regex": regex.run,
    "resize": resize.run,
    "interpolate": interpolate.run,
    "text": text.run,
    "trees": trees.run,
    "translated": translated.run,
    "contrib": contrib.run,
}
NEED_TORCH = ("interpolate",)  # groups that --quick leaves out


def parse_arguments():
    parser = argparse.ArgumentParser(
        prog="cargo xtask conformance edges", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=list(GROUPS))
    parser.add_argument("--filter", help="only cases whose group/name matches this regex")
    parser.add_argument("--seed", type=int, default=0, help="of the random cases")
    parser.add_argument(
        "--quick", action="store_true", help="fewer random cases, and no group that needs PyTorch"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="print what passes, too")
    return parser.parse_args()


def main():
    options = parse_arguments()
    out = ROOT / "target/conformance/edges.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    suite = Suite(options)
    left_out = NEED_TORCH if options.quick else ()
    for group in (group for group in options.group if group not in left_out):
        suite.run(group, GROUPS[group])
    suite.close()
    if not suite.rows:
        raise SystemExit("no case is selected")
    failures = [row for row in suite.rows if row["status"] != checks.PASS]
    out.write_text(json.dumps(failures, indent=1, ensure_ascii=False))
    print(f"edges, {len(suite.rows)} cases in {time.monotonic() - start:.1f} s")
    print("\n".join(checks.table(suite.rows)))
    print(f"failures with reasons: {out.relative_to(ROOT)}")
    print("\n".join([*checks.skipped_groups(suite.rows), checks.closing(suite.rows)]))
    return 1 if checks.counts(suite.rows)[1] else 0


if __name__ == "__main__":
    sys.exit(main())
