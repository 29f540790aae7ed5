#!/usr/bin/env python3
"""The linker and C compiler for macOS: ``zig cc`` with the stubs in ``$SDKROOT``.

What rustc and crates with C say to Apple's tools is said to zig's: the processor and the oldest
macOS are a target. Each library is named once, since zig writes a load command for each mention,
and macOS starts no program that loads a library twice.
"""

import os
import sys

PREFIX = "-mmacosx-version-min="


def translate(arguments: list[str], sdk: str) -> list[str]:
    """The arguments of ``zig cc`` for those that rustc gives."""
    version = next((a.removeprefix(PREFIX) for a in arguments if a.startswith(PREFIX)), "11.0")
    translated = ["-target", f"aarch64-macos.{version}"]
    translated += ["-F", f"{sdk}/System/Library/Frameworks", "-L", f"{sdk}/usr/lib"]
    named = set()
    rest = iter(arguments)
    for argument in rest:
        if argument in ("-arch", "-isysroot"):
            next(rest)
            continue
        if argument.startswith((PREFIX, "--target=")):
            continue
        words = [argument, next(rest)] if argument == "-framework" else [argument]
        if argument == "-framework" or argument.startswith("-l"):
            if tuple(words) in named:
                continue
            named.add(tuple(words))
        translated += words
    return translated


if __name__ == "__main__":
    zig = [sys.executable, "-m", "ziglang", "cc"]
    os.execv(sys.executable, zig + translate(sys.argv[1:], os.environ["SDKROOT"]))
