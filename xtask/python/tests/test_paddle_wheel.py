"""The wheel `paddle-trident`, of a library that is made up."""

import base64
import hashlib
import pathlib
import struct
import tempfile
import unittest
import zipfile

from paddle_wheel import __main__ as wheel
from paddle_wheel import platform_tag


def elf(needed, versions, machine=62):
    """An ELF library as far as `platform_tag` reads it."""
    strings = b"\0" + b"\0".join(name.encode() for name in (*needed, *versions)) + b"\0"
    entries, at = b"", 1
    for name in needed:
        entries += struct.pack("<QQ", 1, at)
        at += len(name) + 1
    header = b"\x7fELF".ljust(16, b"\0") + struct.pack("<HHIQQ", 3, machine, 1, 0, 0)
    sections = 64 + len(strings) + len(entries)
    header += struct.pack("<QIHHHHHH", sections, 0, 64, 0, 0, 64, 2, 0)

    def section(kind, start, length):
        return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, start, length, 0, 0, 0, 0)

    table = section(3, 64, len(strings)) + section(6, 64 + len(strings), len(entries))
    return header + strings + entries + table


def mach_o(oldest):
    command = struct.pack("<IIII", 0x32, 24, 1, oldest).ljust(24, b"\0")
    return b"\xcf\xfa\xed\xfe" + struct.pack("<IIIIIII", 0, 0, 6, 1, 24, 0, 0) + command


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def library(self, content):
        path = self.folder / "libtrident_paddle_device.so"
        path.write_bytes(content)
        return path

    def test_the_tag_is_of_the_newest_version(self):
        content = elf(["libc.so.6", "libm.so.6"], ["GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.17"])
        self.assertEqual(platform_tag.of(self.library(content)), "manylinux_2_34_x86_64")
        content = elf(["libc.so.6"], ["GLIBC_2.17"], machine=183)
        self.assertEqual(platform_tag.of(self.library(content)), "manylinux_2_17_aarch64")
        self.assertEqual(platform_tag.of(self.library(mach_o(13 << 16))), "macosx_13_0_arm64")

    def test_libraries_that_systems_lack_are_refused(self):
        for content, reason in (
            (elf(["libphi_core.so"], ["GLIBC_2.17"]), "libphi_core.so"),
            (elf(["libc.so.6"], []), "no version of glibc"),
            (elf(["libc.so.6"], ["GLIBC_2.17"], machine=3), "number 3"),
            (b"MZ", "neither"),
        ):
            with self.assertRaisesRegex(platform_tag.UnknownLibrary, reason):
                platform_tag.of(self.library(content))

    def test_all_files_are_recorded(self):
        library = self.library(elf(["libc.so.6"], ["GLIBC_2.17"]))
        path = wheel.write(library, self.folder / "out", "1.2.3")
        self.assertEqual(path.name, "paddle_trident-1.2.3-py3-none-manylinux_2_17_x86_64.whl")
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            record = archive.read("paddle_trident-1.2.3.dist-info/RECORD").decode()
            lines = dict(line.split(",", 1) for line in record.splitlines())
            self.assertEqual(sorted(lines), sorted(names))
            for name in names:
                content = archive.read(name)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                text = digest.rstrip(b"=").decode()
                own = lines[name] == f"sha256={text},{len(content)}"
                self.assertTrue(own or name.endswith("RECORD"), name)
            version = archive.read("paddle_trident/version.py").decode()
            metadata = archive.read("paddle_trident-1.2.3.dist-info/METADATA").decode()
        self.assertIn('"1.2.3"', version)
        self.assertIn("\nVersion: 1.2.3\n", metadata)
        wanted = {"trident-paddle.pth", "_trident_paddle.py", "paddle_trident/py.typed"}
        wanted |= {f"paddle_custom_device/{library.name}"}
        wanted |= {"paddle_trident-1.2.3.dist-info/licenses/LICENSE"}
        self.assertLessEqual(wanted, set(names))
        self.assertFalse([name for name in names if "test" in name or "pycache" in name])

    def test_the_same_files_give_the_same_bytes(self):
        library = self.library(elf(["libc.so.6"], ["GLIBC_2.17"]))
        first, second = (wheel.write(library, self.folder / name, "1") for name in "ab")
        self.assertEqual(first.read_bytes(), second.read_bytes())


if __name__ == "__main__":
    unittest.main()
