"""Embeds sentences with the package fastembed."""

import json

import huggingface_hub  # noqa: F401
import numpy  # noqa: F401
import PIL.Image  # noqa: F401
import tokenizers  # noqa: F401
from answer import Program

program = Program()

from fastembed import TextEmbedding  # noqa: E402

name = "sentence-transformers/all-MiniLM-L6-v2"
model = TextEmbedding(name, specific_model_path=str(program.samples / "fastembed"))
program.loaded()
sentences = json.loads((program.samples / "sentences.json").read_text())
results = {}
for k, embedding in enumerate(model.embed(sentences, batch_size=32)):
    results[f"sentence-{k:03}"] = embedding.tolist()
program.finish(results)
