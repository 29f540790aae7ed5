"""Sentence embeddings by the `trident` binary named in $TRIDENT, against the package's own."""

import unittest

import numpy as np

from search import HERE, embed, search


class MiniLm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sentences = (HERE / "almanac.txt").read_text().splitlines()
        cls.reference = np.load(HERE / "reference.npy")
        cls.embeddings = embed(cls.sentences)

    def test_embeddings_equal_the_packages_own(self):
        self.assertEqual(self.embeddings.shape, self.reference.shape)
        self.assertEqual(self.embeddings.dtype, np.float32)
        norms = np.linalg.norm(self.embeddings, axis=1)
        np.testing.assert_allclose(norms, 1, rtol=1e-5)
        cosines = (self.embeddings * self.reference).sum(axis=1)
        self.assertGreaterEqual(cosines.min(), 0.9999)

    def test_padding_does_not_change_an_embedding(self):
        shortest = min(range(len(self.sentences)), key=lambda k: len(self.sentences[k]))
        (alone,) = embed([self.sentences[shortest]])
        np.testing.assert_allclose(alone, self.embeddings[shortest], atol=1e-5)

    def test_search_finds_meaning_without_shared_words(self):
        wanted = {
            "borrow an astronomy instrument": "The library lends out telescopes",
            "how loans grow over time": "Interest compounds",
            "headache with visual disturbance": "Migraine often begins",
        }
        for query, start in wanted.items():
            with self.subTest(query=query):
                ((_, sentence),) = search(query, self.sentences, 1)
                self.assertTrue(sentence.startswith(start), sentence)


if __name__ == "__main__":
    unittest.main()
