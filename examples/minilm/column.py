#!/usr/bin/env python3
"""Embed a column of a pandas table in batches, and find the nearest sentence to each.

    column.py [--text FILE] [--batch N]

FILE has one sentence per line. Needs pandas beside the packages that embed.py needs.
"""

import argparse
import pathlib

import numpy as np
import pandas as pd

from embed import Embedder
from search import HERE


def embed_column(embed, texts, batch):
    """f32 [texts, 384] in the column's order.

    A batch is padded to its longest sentence, so sentences of similar length share a batch.
    """
    order = texts.str.len().to_numpy().argsort(kind="stable")
    vectors = np.empty((len(texts), 384), np.float32)
    for start in range(0, len(texts), batch):
        rows = order[start : start + batch]
        vectors[rows] = embed(texts.iloc[rows].tolist())
    return vectors


def add_nearest(table, vectors):
    """Add the columns `nearest`, another sentence of the table, and `similarity`, its cosine."""
    similarity = vectors @ vectors.T
    np.fill_diagonal(similarity, -1)
    nearest = similarity.argmax(axis=1)
    return table.assign(
        nearest=table["sentence"].to_numpy()[nearest],
        similarity=similarity.max(axis=1),
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=pathlib.Path, default=HERE / "almanac.txt")
    parser.add_argument("--batch", type=int, default=16)
    options = parser.parse_args()
    table = pd.DataFrame({"sentence": options.text.read_text().splitlines()})
    vectors = embed_column(Embedder(), table["sentence"], options.batch)
    table = add_nearest(table, vectors).sort_values("similarity", ascending=False)
    print(table.head(10).to_string(index=False, max_colwidth=44, float_format="%.3f"))


if __name__ == "__main__":
    main()
