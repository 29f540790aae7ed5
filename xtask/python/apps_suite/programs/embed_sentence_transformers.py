"""Embeds sentences with the package sentence-transformers, whose ONNX back end is optimum's."""

import json

import numpy  # noqa: F401
import torch  # noqa: F401
import transformers.models.auto  # noqa: F401
from answer import Program

program = Program()

from sentence_transformers import SentenceTransformer  # noqa: E402

folder = str(program.samples / "sentence-transformers")
model = SentenceTransformer(folder, backend="onnx", device="cpu")
program.loaded()
sentences = json.loads((program.samples / "sentences.json").read_text())
results = {}
for k, embedding in enumerate(model.encode(sentences, batch_size=32)):
    results[f"sentence-{k:03}"] = embedding.tolist()
program.finish(results)
