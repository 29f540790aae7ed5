"""The programs, their samples, and the comparison of what they answer."""

import dataclasses
import pathlib
from collections.abc import Callable

import numpy as np

PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
PIXELS = 1.0  # between corners of boxes
COSINE = 0.9999  # of embeddings


def pictures(mine, reference):
    """The fault of one picture's texts and boxes, or `None`."""
    if mine["texts"] != reference["texts"]:
        return f"texts {mine['texts']}, expected {reference['texts']}"
    distance = np.abs(np.subtract(mine["boxes"], reference["boxes"])).max(initial=0)
    if distance > PIXELS:
        return f"a box is {distance:.1f} pixels away"
    return None


def segments(mine, reference):
    """The fault of one clip's segments, or `None`."""
    return None if mine == reference else f"segments {mine}, expected {reference}"


def types(mine, reference):
    """The fault of one file's type, or `None`."""
    if mine["type"] != reference["type"]:
        return f"type {mine['type']}, expected {reference['type']}"
    return None


def embeddings(mine, reference):
    """The fault of one sentence's embedding, or `None`."""
    mine, reference = np.asarray(mine), np.asarray(reference)
    cosine = mine @ reference / np.sqrt((mine @ mine) * (reference @ reference))
    return None if cosine >= COSINE else f"cosine {cosine:.6f}, expected at least {COSINE}"


@dataclasses.dataclass(frozen=True)
class App:
    """A program. `vacuous` says whether a reference's result finds nothing."""

    name: str
    program: str
    samples: str
    fault: Callable
    vacuous: Callable
    torch: bool = False

    @property
    def path(self):
        return PROGRAMS / self.program


def no_texts(result):
    return not result["texts"]


def nothing(result):
    return not result


APPS = (
    App("rapidocr", "read_pictures.py", "pictures", pictures, no_texts),
    App("rapidocr-onnxruntime", "read_pictures_onnxruntime.py", "pictures", pictures, no_texts),
    App("silero-vad", "find_speech.py", "speech", segments, nothing, torch=True),
    App("magika", "tell_types.py", "files", types, nothing),
    App("fastembed", "embed_fastembed.py", "sentences", embeddings, nothing),
    App(
        "sentence-transformers",
        "embed_sentence_transformers.py",
        "sentences",
        embeddings,
        nothing,
        torch=True,
    ),
)
