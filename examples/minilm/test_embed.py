"""Sentences embedded from Python, alone and as a pandas column, against PyTorch's embeddings."""

import io
import sys
import unittest
from contextlib import redirect_stdout
from unittest import mock

import numpy as np
import pandas as pd

import column
import embed
from search import HERE


class Embed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sentences = (HERE / "almanac.txt").read_text().splitlines()
        cls.reference = np.load(HERE / "reference.npy").astype(np.float64)
        cls.embed = staticmethod(embed.Embedder())

    def assert_near_the_reference(self, vectors):
        self.assertEqual((vectors.shape, vectors.dtype), (self.reference.shape, np.float32))
        self.assertGreaterEqual((vectors * self.reference).sum(axis=1).min(), 0.9999)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)

    def test_embeddings_equal_the_packages_own(self):
        self.assert_near_the_reference(self.embed(self.sentences))

    def test_the_program_prints_the_similarity_of_each_pair(self):
        rows = [0, 7, 21]
        chosen = [self.sentences[row] for row in rows]
        with (
            mock.patch.object(sys, "argv", ["embed.py", *chosen]),
            redirect_stdout(io.StringIO()) as out,
        ):
            embed.main()
        printed = [float(line.split()[0]) for line in out.getvalue().splitlines()]
        products = self.reference[rows] @ self.reference[rows].T
        np.testing.assert_allclose(printed, products[np.triu_indices(3, 1)], atol=6e-4)

    def test_a_column_is_embedded_in_its_order_whatever_the_batch(self):
        texts = pd.Series(self.sentences, index=range(100, 100 + len(self.sentences)))
        for batch in (1, 7, 16, 100):
            with self.subTest(batch=batch):
                self.assert_near_the_reference(column.embed_column(self.embed, texts, batch))

    def test_nearest_sentences_are_those_of_the_reference(self):
        table = pd.DataFrame({"sentence": self.sentences})
        vectors = column.embed_column(self.embed, table["sentence"], 16)
        table = column.add_nearest(table, vectors)
        products = self.reference @ self.reference.T - 2 * np.eye(len(self.sentences))
        np.testing.assert_allclose(table["similarity"], products.max(axis=1), atol=1e-4)
        nearest = [self.sentences[row] for row in products.argmax(axis=1)]
        self.assertEqual(table["nearest"].tolist(), nearest)

    def test_the_program_prints_the_nearest_pairs(self):
        with mock.patch.object(sys, "argv", ["column.py"]), redirect_stdout(io.StringIO()) as out:
            column.main()
        head, *rows = out.getvalue().splitlines()
        self.assertEqual(head.split(), ["sentence", "nearest", "similarity"])
        products = self.reference @ self.reference.T - 2 * np.eye(len(self.sentences))
        best = np.sort(products.max(axis=1))[::-1][:10]
        printed = [float(row.split()[-1]) for row in rows]
        np.testing.assert_allclose(printed, best, atol=6e-4)


if __name__ == "__main__":
    unittest.main()
