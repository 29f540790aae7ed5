#!/usr/bin/env python3
"""A wrapper of rustc for the mock of Metal: `objc2-metal` links a framework, which only macOS has.

That crate is compiled from a copy whose link attribute depends on the system. All others are
compiled as they are.
"""

import os
import pathlib
import shutil
import sys

CRATE = "objc2_metal"
LINK = '#[link(name = "Metal", kind = "framework")]'


def patched(root: pathlib.Path, copies: pathlib.Path) -> pathlib.Path:
    """The root of a copy of the crate."""
    folder = root.parent.parent
    copy = copies / folder.name
    if not copy.exists():
        unfinished = copies / f"{folder.name}.{os.getpid()}"
        shutil.copytree(folder, unfinished)
        module = unfinished / "src/generated/mod.rs"
        text = module.read_text()
        if LINK not in text:
            sys.exit(f"{folder}: the attribute {LINK} is not where it was")
        module.write_text(text.replace(LINK, ""))
        unfinished.rename(copy)
    return copy / "src" / root.name


if __name__ == "__main__":
    compiler, *arguments = sys.argv[1:]
    if f"--crate-name {CRATE} " in " ".join(arguments) + " ":
        copies = pathlib.Path(os.environ["TRIDENT_MOCK"])
        at = next(i for i, a in enumerate(arguments) if a.endswith("src/lib.rs"))
        arguments[at] = str(patched(pathlib.Path(arguments[at]), copies))
    os.execvp(compiler, [compiler, *arguments])
