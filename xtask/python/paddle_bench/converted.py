"""The models as ONNX files: by `trident convert`, and by paddle2onnx where it can."""

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile

from paddle_suite import trained

#: In a process of its own: paddle2onnx ends it by an abort where it refuses an op.
EXPORT = """
import sys, paddle2onnx
program, parameters, file = sys.argv[1:]
paddle2onnx.export(program, parameters, file, opset_version=14, optimize_tool="None")
"""


def files(model, folder):
    """{converter: file} of a model's program; new files lie in `folder`."""
    ours = pathlib.Path(folder) / f"{model.parent.name}-{model.stem}.onnx"
    command = [sys.executable, "-m", "trident", "convert", str(model), str(ours)]
    if not ours.exists():
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"trident convert {model}: {done.stderr.strip()}")
    found = {"trident convert": ours}
    if theirs := by_paddle2onnx(model):
        found["paddle2onnx"] = theirs
    return found


def by_paddle2onnx(model):
    """The file that paddle2onnx writes, in the cache, or None where it refuses the model."""
    folder = trained.cache() / "paddle-bench-2.1.0"
    place = folder / f"{hashlib.sha256(model.read_bytes()).hexdigest()}.onnx"
    refused = place.with_suffix(".refused")
    if not place.exists() and not refused.exists():
        folder.mkdir(exist_ok=True)
        # Otherwise it installs packages by itself.
        environment = os.environ | {"POLYGRAPHY_AUTOINSTALL_DEPS": "0"}
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            file = f"{scratch}/model.onnx"
            words = [str(model), str(model.with_suffix(".pdiparams")), file]
            command = [sys.executable, "-c", EXPORT, *words]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            if done.returncode or not os.path.exists(file):
                refused.write_text(done.stderr[-2000:])
            else:
                os.replace(file, place)
    return place if place.exists() else None
