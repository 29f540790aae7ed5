"""Tells the types of files with the package magika."""

import numpy  # noqa: F401
from answer import Program

program = Program()

from magika import Magika  # noqa: E402

magika = Magika()
program.loaded()
paths = sorted(program.samples.iterdir())
results = {}
for path, found in zip(paths, magika.identify_paths(paths)):
    results[path.name] = {"type": str(found.output.label), "score": float(found.score)}
program.finish(results)
