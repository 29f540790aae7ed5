"""The repository in `trident serve`, against the tokenizers and ONNX Runtime of Python."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import numpy as np
import onnxruntime
from tokenizers import (
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

import export
import repository
from search import HERE, tokenizer
from server_suite.server import Server

SENTENCES = (HERE / "almanac.txt").read_text().splitlines()
TEXTS = [
    *SENTENCES[:8],
    "",
    " ",
    "Ünïcödé, café — “quotes” … ¿qué?",
    "日本語のテキスト and 中文 mixed",
    "emoji 👩‍👩‍👧 🇩🇪 and a zero\u200bwidth",
    "tabs\tand\nlines\r\n  spaces",
    "don't I'll 1234567890 3.14 x=y**2",
    "[MASK] [SEP] <s> </s> <unk>",
    "a" * 300,
    "ﬁne ligature, full-width ＡＢＣ, combining e\u0301",
    "many words " * 300,
]
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def byte_pairs():
    """A tokenizer as those of GPT-2: pairs of bytes, words by a regular expression."""
    made = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(GPT2), behavior="isolated")
    level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.pre_tokenizer = pre_tokenizers.Sequence([split, level])
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=["<pad>", "<s>", "</s>"], initial_alphabet=alphabet
    )
    made.train_from_iterator(SENTENCES, trainer)
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 1))
    return made


def pieces():
    """A tokenizer as those of SentencePiece: likely pieces of a normalised text."""
    made = Tokenizer(models.Unigram())
    made.normalizer = normalizers.Sequence([
        normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")
    ])  # fmt: skip
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], unk_token="<unk>"
    )
    made.train_from_iterator(SENTENCES, trainer)
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return made


class Repository(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        models_folder = folder / "models"
        repository.write(models_folder)
        cls.others = {"byte_pairs": byte_pairs(), "pieces": pieces()}
        configuration = repository.TOKENS.partition("parameters")[0]
        for name, made in cls.others.items():
            made.save(str(folder / "made.json"))
            files = {"tokenizer.json": folder / "made.json"}
            repository.add(models_folder, name, configuration, files)
        trident = os.environ["TRIDENT"]
        check = [trident, "serve", models_folder, "--check"]
        checked = subprocess.run(check, capture_output=True, text=True, check=False)
        if "--features tokenizer" in checked.stdout + checked.stderr:
            raise unittest.SkipTest("the program is built without the feature `tokenizer`")
        server = Server(trident, models_folder, folder / "log")
        cls.server = cls.enterClassContext(server)

    def ask(self, path, body):
        """Status and answer."""
        data = json.dumps(body).encode()
        request = urllib.request.Request(f"http://{self.server.places['HTTP']}{path}", data)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.status, json.load(response)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def embed(self, sentences, **options):
        body = {"model": "embed", "input": sentences, **options}
        status, answer = self.ask("/v1/embeddings", body)
        self.assertEqual(status, 200, answer)
        self.assertEqual([row["index"] for row in answer["data"]], list(range(len(sentences))))
        return answer

    def test_embeddings_are_those_of_python(self):
        answer = self.embed(SENTENCES)
        vectors = np.array([row["embedding"] for row in answer["data"]])
        session = onnxruntime.InferenceSession(export.cached(), providers=["CPUExecutionProvider"])
        count = 0
        for at in range(0, len(SENTENCES), repository.BATCH):
            rows = slice(at, at + repository.BATCH)
            encoded = tokenizer().encode_batch(SENTENCES[rows])
            ids = np.array([each.ids for each in encoded])
            mask = np.array([each.attention_mask for each in encoded])
            count += int(mask.sum())
            [expected] = session.run(None, {"input_ids": ids, "attention_mask": mask})
            np.testing.assert_allclose(vectors[rows], expected, rtol=0, atol=1e-5)
        self.assertEqual(answer["usage"], {"prompt_tokens": count, "total_tokens": count})
        self.assertGreater(len(SENTENCES), repository.BATCH)

    def test_vectors_in_base64_are_the_same(self):
        floats = self.embed(SENTENCES[:3])["data"]
        coded = self.embed(SENTENCES[:3], encoding_format="base64")["data"]
        for row, other in zip(floats, coded, strict=True):
            vector = np.frombuffer(base64.b64decode(other["embedding"]), "<f4")
            np.testing.assert_array_equal(np.array(row["embedding"], np.float32), vector)

    def test_tokens_are_those_of_python(self):
        own = tokenizer()
        for name, made in {"tokens": own, **self.others}.items():
            made.enable_padding(
                pad_id=made.token_to_id("[PAD]" if made is own else "<pad>"),
                pad_token="[PAD]" if made is own else "<pad>",
            )
            for texts in ([text] for text in TEXTS):
                with self.subTest(model=name, text=texts[0][:40]):
                    self.same_tokens(name, made, texts)
            self.same_tokens(name, made, TEXTS)

    def same_tokens(self, name, made, texts):
        tensor = {"name": "text", "datatype": "BYTES", "shape": [len(texts), 1], "data": texts}
        status, answer = self.ask(f"/v2/models/{name}/infer", {"inputs": [tensor]})
        self.assertEqual(status, 200, answer)
        outputs = {output["name"]: output for output in answer["outputs"]}
        expected = made.encode_batch(texts)
        for output, attribute in (("input_ids", "ids"), ("attention_mask", "attention_mask")):
            rows = [getattr(each, attribute) for each in expected]
            self.assertEqual(outputs[output]["shape"], [len(texts), len(rows[0])])
            self.assertEqual(outputs[output]["data"], [number for row in rows for number in row])
        counts = [sum(each.attention_mask) for each in expected]
        self.assertEqual(outputs["token_count"]["data"], counts)


if __name__ == "__main__":
    unittest.main()
