#!/usr/bin/env python3
"""Find the sentences of a text whose meaning is nearest to a query.

    search.py [--text FILE] [--top N] QUERY

Text and query are embedded by the `trident` binary ($TRIDENT, by default the release build of
this checkout); the text's embeddings are not kept. FILE holds one sentence a line.
"""

import argparse
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from tokenizers import Tokenizer

import export

HERE = pathlib.Path(__file__).resolve().parent
MAX_TOKENS = 256  # the length the model was trained for


def tokenizer():
    """The package's tokenizer; sentences of one call are padded to the longest."""
    tokens = Tokenizer.from_file(str(export.PACKAGE / "tokenizer.json"))
    tokens.enable_truncation(MAX_TOKENS)
    tokens.enable_padding()
    return tokens


def embed(sentences):
    """f32 [sentences, 384], each row of length one, computed by the trident binary."""
    encoded = tokenizer().encode_batch(sentences)
    binary = os.environ.get("TRIDENT") or HERE.parents[1] / "target/release/trident"
    with tempfile.TemporaryDirectory() as folder:
        source, result = f"{folder}/ids.npz", f"{folder}/out.npz"
        np.savez(
            source,
            input_ids=np.array([e.ids for e in encoded], np.int64),
            attention_mask=np.array([e.attention_mask for e in encoded], np.int64),
        )
        command = [binary, "run", export.cached(), "--input", source, "--output", result]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(result) as outputs:
            return outputs["embedding"]


def search(query, sentences, top):
    """The `top` (similarity, sentence) pairs nearest to `query`, best first."""
    query_vector, *vectors = embed([query, *sentences])
    similarity = np.stack(vectors) @ query_vector
    return [(similarity[k], sentences[k]) for k in np.argsort(-similarity)[:top]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("query")
    parser.add_argument("--text", type=pathlib.Path, default=HERE / "almanac.txt")
    parser.add_argument("--top", type=int, default=3)
    options = parser.parse_args()
    sentences = options.text.read_text().splitlines()
    for similarity, sentence in search(options.query, sentences, options.top):
        print(f"{similarity:.3f}  {sentence}")


if __name__ == "__main__":
    main()
