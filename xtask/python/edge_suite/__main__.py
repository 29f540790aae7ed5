"""Run small generated cases at the edges of the standard, and compare with outside references."""

import argparse
import importlib
import json
import pathlib
import pkgutil
import sys
import time

import checks

from .suite import Suite

ROOT = pathlib.Path(__file__).resolve().parents[3]


def find_groups():
    """The function `run` of each module of this package that has one, by the module's name."""
    names = [module.name for module in pkgutil.iter_modules([str(pathlib.Path(__file__).parent)])]
    modules = {
        name: importlib.import_module(f".{name}", __package__)
        for name in sorted(names)
        if name != "__main__"
    }
    return {name: module.run for name, module in modules.items() if hasattr(module, "run")}


GROUPS = find_groups()
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
