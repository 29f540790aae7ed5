#!/usr/bin/env python3
"""Export a PyTorch module to ONNX, run it with Trident, and compare the results with PyTorch's.

    compare.py [FILE]

Writes the ONNX file to FILE if it is given. Needs the package `trident`, PyTorch, and the packages
of PyTorch's exporter, `onnx` and `onnxscript`.
"""

import copy
import io
import pathlib
import sys

import numpy as np
import torch
from torch import nn

import trident

WORDS, WIDTH, CLASSES = 1000, 64, 5
TOLERANCE = 1e-5


class Classifier(nn.Module):
    """A small classifier of texts: embeddings of words, one encoder layer, and the mean."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(WORDS, WIDTH)
        self.encoder = nn.TransformerEncoderLayer(WIDTH, nhead=4, batch_first=True)
        self.scores = nn.Linear(WIDTH, CLASSES)

    def forward(self, words):
        return self.scores(self.encoder(self.embedding(words)).mean(dim=1))


def export(module):
    """The bytes of an ONNX file for any number of texts of any length."""
    program = torch.onnx.export(
        module,
        (torch.randint(WORDS, (2, 12)),),
        input_names=["words"],
        output_names=["scores"],
        dynamic_shapes=({0: torch.export.Dim("batch"), 1: torch.export.Dim("length")},),
        dynamo=True,
        verbose=False,
    )
    file = io.BytesIO()
    program.save(file)
    return file.getvalue()


def difference(module, model, words):
    """The largest difference between the model's scores and the module's, relative to the largest
    score. The module computes in float64, so that its own rounding errors do not count."""
    with torch.no_grad():
        expected = copy.deepcopy(module).double()(words).numpy()
    scores = model(words)  # The model reads PyTorch's tensor without a copy.
    return np.abs(scores - expected).max() / np.abs(expected).max()


def main():
    torch.manual_seed(0)
    module = Classifier().eval()
    data = export(module)
    if len(sys.argv) > 1:
        pathlib.Path(sys.argv[1]).write_bytes(data)
    model = trident.Model(data)
    print(model)
    for shape in [(1, 3), (2, 12), (16, 50)]:
        relative = difference(module, model, torch.randint(WORDS, shape))
        print(f"{shape}: relative difference {relative:.1e}")
        if not relative <= TOLERANCE:
            sys.exit(f"the results differ by more than {TOLERANCE}")


if __name__ == "__main__":
    main()
