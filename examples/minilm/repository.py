#!/usr/bin/env python3
"""Write a repository for `trident serve` whose model `embed` turns texts into vectors.

    repository.py FOLDER

`embed` is an ensemble: `tokens` reads the package's tokenizer.json, `minilm` is the network. It
takes part in OpenAI's API.
"""

import pathlib
import shutil
import sys

import export
from search import MAX_TOKENS

BATCH = 32
TOKENS = f"""\
backend: "trident_tokenizer"
max_batch_size: {BATCH}
input {{ name: "text" data_type: TYPE_STRING dims: [ 1 ] }}
output {{ name: "input_ids" data_type: TYPE_INT64 dims: [ -1 ] }}
output {{ name: "attention_mask" data_type: TYPE_INT64 dims: [ -1 ] }}
output {{ name: "token_count" data_type: TYPE_INT64 dims: [ 1 ] }}
parameters {{ key: "max_length" value {{ string_value: "{MAX_TOKENS}" }} }}
"""
MINILM = f"""\
backend: "trident"
max_batch_size: {BATCH}
dynamic_batching {{ }}
"""
EMBED = f"""\
platform: "ensemble"
max_batch_size: {BATCH}
input {{ name: "text" data_type: TYPE_STRING dims: [ 1 ] }}
output {{ name: "embedding" data_type: TYPE_FP32 dims: [ 384 ] }}
output {{ name: "token_count" data_type: TYPE_INT64 dims: [ 1 ] }}
parameters {{ key: "openai" value {{ string_value: "embeddings" }} }}
ensemble_scheduling {{
  step {{
    model_name: "tokens"
    model_version: -1
    input_map {{ key: "text" value: "text" }}
    output_map {{ key: "input_ids" value: "ids" }}
    output_map {{ key: "attention_mask" value: "mask" }}
    output_map {{ key: "token_count" value: "token_count" }}
  }}
  step {{
    model_name: "minilm"
    model_version: -1
    input_map {{ key: "input_ids" value: "ids" }}
    input_map {{ key: "attention_mask" value: "mask" }}
    output_map {{ key: "embedding" value: "embedding" }}
  }}
}}
"""


def add(folder, name, configuration, files=None):
    """Add a model with one version, whose files are {name: path}."""
    version = folder / name / "1"
    version.mkdir(parents=True, exist_ok=True)
    (folder / name / "config.pbtxt").write_text(configuration)
    for file, source in (files or {}).items():
        shutil.copyfile(source, version / file)


def write(folder):
    """Add the three models to the folder of a repository."""
    add(folder, "tokens", TOKENS, {"tokenizer.json": export.PACKAGE / "tokenizer.json"})
    add(folder, "minilm", MINILM, {"model.onnx": export.cached()})
    add(folder, "embed", EMBED)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[1]))
