"""Write the wheel `paddle-trident`: the plug-in for Paddle, the module `paddle.mps`, and the hook.

`python -m paddle_wheel LIBRARY FOLDER VERSION`: the same files give the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import zipfile

from . import platform_tag

ROOT = pathlib.Path(__file__).resolve().parents[3]
MODULES = ROOT / "plugins/paddle-device/python"
NAME = "paddle_trident"
#: Paddle loads every library of this folder.
PLUGINS = "paddle_custom_device"
#: The most bytes of a wheel.
LIMIT = 20 << 20
#: The time of all files: the first that an archive can have.
TIME = (1980, 1, 1, 0, 0, 0)

METADATA = """\
Metadata-Version: 2.4
Name: paddle-trident
Version: {version}
Summary: The device `mps` for PaddlePaddle: its kernels on Trident, for Apple GPUs and CPUs
License-Expression: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.11
Requires-Dist: paddlepaddle>=3.2.2,!=3.3.0,<3.3.2
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: cargo-xtask-wheel
Root-Is-Purelib: false
Tag: {tag}
"""


def modules():
    """Paths within the wheel, with their contents."""
    for path in sorted(MODULES.rglob("*")):
        name = path.relative_to(MODULES).as_posix()
        if path.is_file() and "__pycache__" not in name and not name.startswith("tests/"):
            yield name, path.read_bytes()


def files(library, version, tag):
    """All files of the wheel but the list of them."""
    info = f"{NAME}-{version}.dist-info"
    description = (ROOT / "docs/paddle-device.md").read_text()
    for name, content in modules():
        if name == f"{NAME}/version.py":
            content = content.replace(b'"0"', f'"{version}"'.encode())
        yield name, content
    yield f"{PLUGINS}/{library.name}", library.read_bytes()
    metadata = METADATA.format(version=version, description=description)
    yield f"{info}/METADATA", metadata.encode()
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode()
    yield f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes()


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def write(library, folder, version):
    """Writes the wheel, and returns its path."""
    tag = f"py3-none-{platform_tag.of(library)}"
    path = folder / f"{NAME}-{version}-{tag}.whl"
    record = f"{NAME}-{version}.dist-info/RECORD"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, content):
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)

        lines = ""
        for name, content in files(library, version, tag):
            add(name, content)
            lines += record_line(name, content)
        add(record, f"{lines}{record},,\n".encode())
    size = path.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"{path.name} has {size} bytes, and {LIMIT} is the most")
    return path


def main():
    parser = argparse.ArgumentParser(prog="paddle_wheel", description=__doc__.splitlines()[0])
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("version")
    options = parser.parse_args()
    path = write(options.library, options.folder, options.version)
    print(f"{path}: {path.stat().st_size / (1 << 20):.1f} MiB")


if __name__ == "__main__":
    main()
