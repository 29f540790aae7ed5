"""Reads pictures of text with the package rapidocr-onnxruntime."""

import cv2  # noqa: F401
import numpy  # noqa: F401
import PIL.Image  # noqa: F401
import shapely  # noqa: F401
from answer import Program

program = Program()

from rapidocr_onnxruntime import RapidOCR  # noqa: E402

engine = RapidOCR()
program.loaded()
results = {}
for path in sorted(program.samples.iterdir()):
    found, _ = engine(str(path))
    found = found or []
    texts = [text for _, text, _ in found]
    results[path.name] = {"texts": texts, "boxes": [box for box, _, _ in found]}
program.finish(results)
