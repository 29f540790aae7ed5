"""Reads pictures of text with the package rapidocr."""

import cv2  # noqa: F401
import numpy  # noqa: F401
import omegaconf  # noqa: F401
import PIL.Image  # noqa: F401
import shapely  # noqa: F401
from answer import Program

program = Program()

from rapidocr import RapidOCR  # noqa: E402

engine = RapidOCR(params={"Global.log_level": "error"})
program.loaded()
results = {}
for path in sorted(program.samples.iterdir()):
    found = engine(str(path))
    boxes = [] if found.boxes is None else found.boxes.tolist()
    results[path.name] = {"texts": list(found.txts or ()), "boxes": boxes}
program.finish(results)
