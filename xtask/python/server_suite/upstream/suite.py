"""What the repositories of the Triton Inference Server test: examples of clients, and models.

`--suite FOLDER` names a folder with checkouts of its repositories `client` and `server`. They are
read where they are, and nothing of them is part of this repository. `upstream.toml` of
conformance/server lists the cases that cannot pass, with reasons.
"""

import dataclasses
import os
import pathlib

from . import configurations, examples, generated

CHECKOUTS = ("client", "server")
URL = "https://github.com/triton-inference-server"


@dataclasses.dataclass(frozen=True)
class Checkouts:
    client: pathlib.Path
    server: pathlib.Path

    def arguments(self, options):
        """The words of options, in which P stands for a picture."""
        picture = str(self.server / "qa/images/mug.jpg")
        return [picture if word == "P" else word for word in options.split()]


def found(folder):
    """The checkouts in a folder."""
    places = [pathlib.Path(folder).resolve() / name for name in CHECKOUTS]
    for name, place in zip(CHECKOUTS, places, strict=True):
        if not place.is_dir():
            raise SystemExit(f"no {place}; `git clone --depth 1 {URL}/{name} {place}` makes it")
    return Checkouts(*places)


def examples_of(suite):
    """Group `examples`."""
    python = os.environ.get("TRIDENT_UPSTREAM")
    if not python:
        raise SystemExit("run this by `cargo xtask conformance server --suite FOLDER`")
    examples.run(suite, found(suite.options.suite), python)


def configurations_of(suite):
    """Group `configurations`."""
    configurations.run(suite, found(suite.options.suite))


def generated_of(suite):
    """Group `generated`."""
    generated.run(suite, found(suite.options.suite))


GROUPS = {
    "examples": examples_of,
    "configurations": configurations_of,
    "generated": generated_of,
}
