"""The platform tag of a wheel with a library: the oldest systems that can load it.

On Linux it is PEP 600's `manylinux_2_N`, by the newest version of glibc that the library names. On
macOS it is the oldest system that the library was linked for.
"""

import re
import struct

ELF, MACH_O_64 = b"\x7fELF", b"\xcf\xfa\xed\xfe"
#: Architectures by their numbers in an ELF header.
MACHINES = {62: "x86_64", 183: "aarch64"}
#: Libraries that PEP 600 lets a wheel need, as far as ours may.
ALLOWED = re.compile(
    r"lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d+|ld-linux-(x86-64|aarch64)\.so\.\d+"
)  # fmt: skip
DYNAMIC, NEEDED = 6, 1  # a type of sections in ELF, and a tag in such a section
BUILD_VERSION = 0x32  # a load command of Mach-O


class UnknownLibrary(Exception):
    """A file that is not a library of a system which wheels are made for."""


def of(library):
    """The platform tag of a library's file."""
    data = library.read_bytes()
    if data.startswith(ELF):
        return of_elf(data, library.name)
    if data.startswith(MACH_O_64):
        return of_mach_o(data, library.name)
    raise UnknownLibrary(f"{library} is neither a library of Linux nor of macOS")


def of_elf(data, name):
    (machine,) = struct.unpack_from("<H", data, 18)
    if machine not in MACHINES:
        raise UnknownLibrary(f"{name} is for a machine of number {machine}")
    foreign = [needed for needed in needed_by(data) if not ALLOWED.fullmatch(needed)]
    if foreign:
        raise UnknownLibrary(f"{name} needs {', '.join(foreign)}, which not all systems have")
    versions = re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", data)
    if not versions:
        raise UnknownLibrary(f"{name} names no version of glibc")
    return f"manylinux_2_{max(map(int, versions))}_{MACHINES[machine]}"


def needed_by(data):
    """The libraries that an ELF library needs, by its dynamic section."""
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    for section in sections:
        _, kind, _, _, start, length, link = section[:7]
        if kind != DYNAMIC:
            continue
        strings = sections[link][4]
        for at in range(start, start + length, 16):
            tag, value = struct.unpack_from("<QQ", data, at)
            if tag == NEEDED:
                end = data.index(b"\0", strings + value)
                yield data[strings + value : end].decode()


def of_mach_o(data, name):
    (commands,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command == BUILD_VERSION:
            (oldest,) = struct.unpack_from("<I", data, at + 12)
            return f"macosx_{oldest >> 16}_{oldest >> 8 & 0xFF}_arm64"
        at += size
    raise UnknownLibrary(f"{name} names no version of macOS")
