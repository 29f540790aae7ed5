"""Checks a file that was linked for macOS as far as another system can."""

import hashlib
import pathlib
import struct

from macholib import mach_o
from macholib.MachO import MachO, MachOHeader
from macholib.SymbolTable import SymbolTable

from darwin import sdk

ARM64 = 0x0100000C
MACOS = 1
EMBEDDED_SIGNATURE = 0xFADE0CC0
CODE_DIRECTORY = 0xFADE0C02
ADHOC = 0x2
SHA256 = 2


class Invalid(Exception):
    """A fault of a file."""


def ensure(condition: bool, message: str) -> None:
    if not condition:
        raise Invalid(message)


def commands(header: MachOHeader, kind: int) -> list:
    """The load commands of a kind, each with the bytes that follow it."""
    return [(command, data) for load, command, data in header.commands if load.cmd == kind]


def one(header: MachOHeader, kind: int) -> tuple:
    found = commands(header, kind)
    ensure(len(found) == 1, f"{len(found)} of {mach_o.LC_NAMES[kind]}")
    return found[0]


def string(data: bytes) -> str:
    return data.rstrip(b"\0").decode()


def verify(path: pathlib.Path, oldest: str, module: str | None) -> None:
    """Raises ``Invalid`` unless `path` is a signed program for arm64 and macOS from `oldest` on.

    With a `module` it is the extension of Python of that name. It loads libSystem and the libraries
    of the stubs.
    """
    file = MachO(str(path))
    ensure(len(file.headers) == 1, "there is code for several processors")
    header = file.headers[0]
    ensure(header.header.cputype == ARM64, "the processor is not arm64")
    ensure(header.filetype == ("dylib" if module else "execute"), f"this is a {header.filetype}")
    ensure(bool(header.header.flags & 0x80), "names are not bound to libraries (two-level)")
    build, _ = one(header, mach_o.LC_BUILD_VERSION)
    ensure(build.platform == MACOS, f"the platform is {build.platform}")
    version = f"{build.minos >> 16}.{build.minos >> 8 & 255}"
    ensure(version == oldest, f"the oldest macOS is {version}, not {oldest}")
    loaded = [string(data) for _, data in commands(header, mach_o.LC_LOAD_DYLIB)]
    ensure(len(set(loaded)) == len(loaded), f"a library is loaded twice: {loaded}")
    expected = {"/usr/lib/libSystem.B.dylib", *sdk.LIBRARIES}
    ensure(set(loaded) == expected, f"loads {sorted(loaded)} and not {sorted(expected)}")
    symbols(file, len(loaded), module)
    if not module:
        one(header, mach_o.LC_MAIN)
        ensure(bool(header.header.flags & 0x200000), "the program has a fixed address (no PIE)")
    signature(path.read_bytes(), one(header, mach_o.LC_CODE_SIGNATURE)[0])


def portable(path: pathlib.Path) -> None:
    """Raises ``Invalid`` if a library's own name says where it was built."""
    name = string(one(MachO(str(path)).headers[0], mach_o.LC_ID_DYLIB)[1])
    ensure(name.startswith("@rpath/"), f"the library's own name is `{name}`, a path")


def symbols(file: MachO, libraries: int, module: str | None) -> None:
    """Every undefined name belongs to a library, or in an extension to the interpreter."""
    table = SymbolTable(file)
    free = [n.decode() for s, n in table.undefsyms if not 0 < s.n_desc >> 8 & 255 <= libraries]
    if module:
        free = [name for name in free if not name.startswith(("_Py", "__Py"))]
        exported = {name for _, name in table.extdefsyms}
        ensure(f"_PyInit_{module}".encode() in exported, f"there is no PyInit_{module}")
    ensure(not free, f"no library has {', '.join(free)}")


def signature(data: bytes, command) -> None:
    """The signature is one that anyone can make (ad hoc), with the hashes of the file's pages."""
    start, size = command.dataoff, command.datasize
    ensure(start + size == len(data), "the signature is not the end of the file")
    magic, _, count = struct.unpack_from(">III", data, start)
    ensure(magic == EMBEDDED_SIGNATURE, "the signature has another form")
    blobs = [struct.unpack_from(">II", data, start + 12 + 8 * i)[1] + start for i in range(count)]
    directory = next(
        (at for at in blobs if struct.unpack_from(">I", data, at)[0] == CODE_DIRECTORY), None
    )
    ensure(directory is not None, "the signature has no directory of code")
    fields = struct.unpack_from(">9I4B", data, directory)
    _, _, _, flags, hashes, _, _, slots, limit, length, kind, _, page = fields
    ensure(bool(flags & ADHOC), "the signature is not ad hoc")
    ensure((kind, length) == (SHA256, 32), "the hashes of the signature are not SHA-256")
    ensure(limit == start, "the signature does not cover all of the file")
    pages = range(0, limit, 1 << page)
    ensure(len(pages) == slots, f"the signature has {slots} hashes for {len(pages)} pages")
    for i, at in enumerate(pages):
        stored = data[directory + hashes + 32 * i :][:32]
        computed = hashlib.sha256(data[at : min(at + (1 << page), limit)]).digest()
        ensure(stored == computed, f"the signature's hash of page {i} is wrong")
