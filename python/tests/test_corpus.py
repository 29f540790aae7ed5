"""Texts of the corpus of Triton IR become native code, or are refused by name.

The corpus is not part of the repository: ``TRIDENT_TTIR_CORPUS`` names the folder with its
archives, else it is looked for beside the checkout. A sample is compiled; with ``TRIDENT_TTIR_ALL``
set, every text.
"""

import os
import pathlib
import tarfile

import pytest

import trident

BESIDE = pathlib.Path(__file__).resolve().parents[3] / "shared/data/ttir"
CORPUS = pathlib.Path(os.environ.get("TRIDENT_TTIR_CORPUS", BESIDE))
STEP = 1 if "TRIDENT_TTIR_ALL" in os.environ else 16
REFUSALS = ("`tt.elementwise_inline_asm` is not supported", "cannot be given from Python")


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus; TRIDENT_TTIR_CORPUS names its folder")
@pytest.mark.parametrize("archive", ["core", "other", "kernels", "forms"])
def test_texts_compile(archive):
    failures = {}
    with tarfile.open(CORPUS / f"{archive}.tar.xz") as texts:
        members = [member for member in texts if member.isfile()]
        for member in members[::STEP]:
            text = texts.extractfile(member).read().decode()
            try:
                kernel = trident.compile(text)
            except trident.CompileError as error:
                if not any(refusal in str(error) for refusal in REFUSALS):
                    failures[member.name] = str(error)
            else:
                assert kernel.name in text
    assert members
    assert not failures
