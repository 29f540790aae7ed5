#!/usr/bin/env python3
"""Classify pictures from Python, with the steps and labels that the model's file contains.

    classify.py PICTURE...

Needs the package `trident`, NumPy, and Pillow to decode pictures. `preprocess` follows the steps
that docs/cli.md describes, for pictures with 8 bits per channel. A step that is missing here is an
error.
"""

import pathlib
import sys
from fractions import Fraction

import numpy as np
from PIL import Image, ImageOps

import trident

HERE = pathlib.Path(__file__).resolve().parent
STEPS = {"size", "gray", "rgb", "scale", "mean", "std", "layout"}


def parse(text):
    """The steps of `trident.preprocess`: {"scale": "1/255", "gray": "", …}."""
    steps = dict(step.partition("=")[::2] for step in text.split(","))
    if unknown := steps.keys() - STEPS:
        raise ValueError(f"the preprocessing steps {sorted(unknown)} are not written here")
    return steps


def numbers(text):
    """One number per channel: `0.485:0.456:0.406`. A number may be a fraction."""
    return np.array([float(Fraction(number)) for number in text.split(":")])


def preprocess(picture, steps):
    """The model's input for one picture: f32 [1, channels, height, width], or channels last."""
    picture = ImageOps.exif_transpose(picture).convert("RGB")
    if "size" in steps:
        width, height = steps["size"].split("x")
        picture = picture.resize((int(width), int(height)), Image.Resampling.BILINEAR)
    pixels = np.asarray(picture, np.float64)
    if "gray" in steps:
        pixels = np.rint(pixels @ [[0.2126], [0.7152], [0.0722]])
    pixels = pixels * numbers(steps.get("scale", "1/255"))
    pixels = (pixels - numbers(steps.get("mean", "0"))) / numbers(steps.get("std", "1"))
    if steps.get("layout", "nchw") == "nchw":
        pixels = pixels.transpose(2, 0, 1)
    return pixels[None].astype(np.float32)


def classify(model, pictures):
    """The probabilities f32 [pictures, classes], computed in one batch."""
    steps = parse(model.metadata["trident.preprocess"])
    return model(np.concatenate([preprocess(picture, steps) for picture in pictures]))


def main():
    files = sys.argv[1:]
    if not files:
        sys.exit(__doc__)
    model = trident.Model(HERE / "digits.onnx")
    labels = model.metadata["trident.labels"].splitlines()
    for file, row in zip(files, classify(model, [Image.open(file) for file in files])):
        best = row.argmax()
        print(f"{file}: {labels[best]} ({row[best]:.2%})")


if __name__ == "__main__":
    main()
