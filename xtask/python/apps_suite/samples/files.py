"""Two hundred files of many types: some made here, some of the repository."""

import bz2
import csv
import gzip
import io
import json
import lzma
import pathlib
import pickle
import plistlib
import random
import sqlite3
import sys
import tarfile
import tomllib
import wave
import zipfile
import zlib

import numpy as np
from PIL import Image

FILES = 200
ROOT = pathlib.Path(__file__).resolve().parents[4]
SOURCES = ("*.rs", "*.py", "*.md", "*.toml", "*.json", "*.onnx", "*.txt", "*.c", "*.tir", "*.npy")
PICTURES = ("png", "jpeg", "gif", "bmp", "webp", "tiff", "ico", "ppm", "pdf")

# Texts in languages that the repository has no file of.
TEXTS = tomllib.loads(pathlib.Path(__file__).with_name("texts.toml").read_text())
NAMES = "harbour lantern copper meadow window bridge orange station garden river".split()


def texts(random_):
    """(name, bytes) of three texts of each language, with other names and lengths."""
    for language, template in TEXTS.items():
        for k in range(3):
            parts = []
            for _ in range(random_.randrange(1, 12)):
                values = {"n": random_.choice(NAMES), "m": random_.choice(NAMES).title()}
                parts.append(template.format(**values, k=random_.randrange(2, 90)))
            yield f"{language}-{k}", "".join(parts).encode()


def pictures(random_):
    """(name, bytes) of one picture in each format."""
    levels = np.random.default_rng(random_.randrange(99)).integers(0, 256, (48, 64, 3), np.uint8)
    image = Image.fromarray(levels).resize((128, 96))
    for name in PICTURES:
        file = io.BytesIO()
        image.save(file, name)
        yield name, file.getvalue()


def archive(kind):
    """A tar or zip archive of two small members."""
    file = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:
            folder.writestr("one.txt", "first " * 300)
            folder.writestr("two/three.txt", "second")
    else:
        with tarfile.open(fileobj=file, mode="w") as folder:
            info = tarfile.TarInfo("one.txt")
            info.size = 12
            folder.addfile(info, io.BytesIO(b"twelve bytes"))
    return file.getvalue()


def sound():
    """One tenth of a second."""
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(np.arange(800, dtype=np.int16).tobytes())
    return file.getvalue()


def table():
    """Comma-separated values."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["name", "count", "price"])
    writer.writerows([name, len(name), len(name) / 7] for name in NAMES * 5)
    return file.getvalue().encode()


def database():
    """A database of one table."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table words (name text, length integer)")
        rows = [(name, len(name)) for name in NAMES]
        connection.executemany("insert into words values (?, ?)", rows)
        connection.commit()
        return connection.serialize()


def containers(random_):
    """(name, bytes) of compressed data, archives and data of Python's modules."""
    data = "".join(random_.choice(NAMES) + " " for _ in range(900)).encode()
    array = io.BytesIO()
    np.save(array, np.arange(500.0))
    arrays = io.BytesIO()
    np.savez(arrays, a=np.arange(500), b=np.eye(9))
    yield "gzip", gzip.compress(data, mtime=0)
    yield "bzip2", bz2.compress(data)
    yield "xz", lzma.compress(data)
    yield "zlib", zlib.compress(data)
    yield "zip", archive("zip")
    yield "tar", archive("tar")
    yield "wav", sound()
    yield "csv", table()
    yield "sqlite", database()
    yield "pickle", pickle.dumps({name: [len(name)] * 40 for name in NAMES})
    yield "plist", plistlib.dumps({name: len(name) for name in NAMES})
    yield "binary-plist", plistlib.dumps(dict.fromkeys(NAMES, 7), fmt=plistlib.FMT_BINARY)
    yield "npy", array.getvalue()
    yield "npz", arrays.getvalue()
    yield "json", json.dumps({name: list(name) for name in NAMES}, indent=1).encode()
    yield "jsonl", b"".join(json.dumps({"name": n, "n": len(n)}).encode() + b"\n" for n in NAMES)
    yield "empty", b""
    yield "few-bytes", b"ab"
    yield "zeros", bytes(5000)
    yield "noise", np.random.default_rng(7).bytes(5000)
    yield "utf-16", data.decode().encode("utf-16")
    yield "program", pathlib.Path(sys.executable).resolve().read_bytes()


def found(count):
    """(name, bytes) of `count` files of the repository, the types in turn."""
    skipped = {"target", ".git"}
    groups = []
    for pattern in SOURCES:
        paths = sorted(ROOT.rglob(pattern))
        kept = [path for path in paths if not skipped & set(path.relative_to(ROOT).parts)]
        groups.append(kept[:: max(1, len(kept) // 40)])
    taken = 0
    for turn in range(max(map(len, groups))):
        for group in groups:
            if turn < len(group) and taken < count:
                taken += 1
                yield f"found-{group[turn].name}", group[turn].read_bytes()


def write(folder):
    """`000-javascript-0` and so on: names that do not give the type away by their endings alone."""
    random_ = random.Random(0)
    made = [*texts(random_), *pictures(random_), *containers(random_)]
    made += found(FILES - len(made))
    for k, (name, data) in enumerate(made):
        (folder / f"{k:03}-{name}").write_bytes(data)
