#!/usr/bin/env python3
"""Embed sentences from Python: vectors whose products measure how near two meanings are.

    embed.py SENTENCE SENTENCE...

Prints the cosine similarity of each pair of sentences. Needs the package `trident`, NumPy and
`tokenizers`.
"""

import itertools
import sys

import numpy as np

import export
import trident
from search import tokenizer


class Embedder:
    """The model and its tokenizer, loaded once."""

    def __init__(self):
        self.model = trident.Model(export.cached())
        self.tokenizer = tokenizer()

    def __call__(self, sentences):
        """f32 [sentences, 384], each row of length one."""
        encoded = self.tokenizer.encode_batch(sentences)
        return self.model(
            input_ids=np.array([each.ids for each in encoded]),
            attention_mask=np.array([each.attention_mask for each in encoded]),
        )


def main():
    sentences = sys.argv[1:]
    if len(sentences) < 2:
        sys.exit(__doc__)
    vectors = Embedder()(sentences)
    for k, j in itertools.combinations(range(len(sentences)), 2):
        print(f"{vectors[k] @ vectors[j]:.3f}  {sentences[k]} | {sentences[j]}")


if __name__ == "__main__":
    main()
