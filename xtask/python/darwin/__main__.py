"""Stubs for a linker, and checks of what it linked: `cargo xtask darwin` runs it around a build."""

import argparse
import pathlib
import sys
import tempfile
import zipfile

from darwin import sdk, verify


def wheel(path: pathlib.Path, oldest: str) -> None:
    """Check the extension in a wheel, and the wheel's name."""
    tag = f"macosx_{oldest.replace('.', '_')}_arm64.whl"
    verify.ensure(path.name.endswith(tag), f"the name does not end in {tag}")
    with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory() as folder:
        names = [name for name in archive.namelist() if name.endswith(".so")]
        verify.ensure(names == ["trident/_trident.abi3.so"], f"the extensions are {names}")
        extension = pathlib.Path(archive.extract(names[0], folder))
        verify.verify(extension, oldest, "_trident")
        verify.portable(extension)


def main() -> int:
    parser = argparse.ArgumentParser(prog="darwin", description=__doc__)
    parser.add_argument("--stubs", type=pathlib.Path, metavar="FOLDER", help="write the stubs")
    parser.add_argument("--oldest", default="13.0", help="the oldest macOS that files must run on")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.stubs:
        sdk.write(options.stubs)
    for file in options.files:
        try:
            if file.suffix == ".whl":
                wheel(file, options.oldest)
            else:
                module = "_trident" if file.suffix == ".dylib" else None
                verify.verify(file, options.oldest, module)
        except verify.Invalid as error:
            print(f"{file}: {error}")
            return 1
        print(f"{file.name}: Mach-O for arm64, macOS {options.oldest} and later, signed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
