"""Models that upstream's own programs write, kept beside the logs of a run."""

import functools
import pathlib
import subprocess
import sys
import tempfile

# Repositories by their names in upstream's script, with the programs that write them.
PROGRAMS = {
    "qa_model": "gen_qa_models.py --onnx",
    "qa_variable_model": "gen_qa_models.py --onnx --variable",
    "qa_identity": "gen_qa_identity_models.py --onnx",
    "qa_reshape": "gen_qa_reshape_models.py --onnx --variable",
    "qa_scalar": "gen_qa_ort_scalar_models.py",
    "qa_sequence": "gen_qa_sequence_models.py --onnx",
    "qa_variable_sequence": "gen_qa_sequence_models.py --onnx --variable",
    "qa_dyna_sequence": "gen_qa_dyna_sequence_models.py --onnx",
    "qa_sequence_implicit": "gen_qa_implicit_models.py --onnx",
    "qa_variable_sequence_implicit": "gen_qa_implicit_models.py --onnx --variable",
    "qa_sequence_initial_state": "gen_qa_implicit_models.py --onnx --initial-state zero",
    "qa_dyna_sequence_implicit": "gen_qa_dyna_sequence_implicit_models.py --onnx",
    "qa_ragged": "gen_qa_ragged_models.py --onnx",
}
OPSET = ["--onnx_opset=21"]  # which ONNX Runtime knows
LIMIT = 120
_folder = tempfile.TemporaryDirectory(prefix="trident_upstream_")


@functools.cache
def models(checkouts, name):
    """The folder of a repository, which is written at the first call."""
    folder = pathlib.Path(_folder.name) / name
    folder.mkdir()
    program, *options = PROGRAMS[name].split()
    ended = subprocess.run(
        [sys.executable, program, *options, *OPSET, f"--models_dir={folder}"],
        cwd=checkouts.server / "qa/common",
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert ended.returncode == 0, f"{program} fails: {ended.stderr[-300:]}"
    return folder
