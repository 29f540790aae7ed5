"""How the linker for macOS is called, and the stubs that it gets."""

import pathlib
import tempfile
import unittest

from darwin import sdk, zig_cc


class Arguments(unittest.TestCase):
    def test_libraries_are_named_once_and_the_target_is_zigs(self):
        given = "-framework Metal a.o -lobjc -arch arm64 -framework Metal -lobjc".split()
        given += ["-mmacosx-version-min=13.0.0", "-framework", "Foundation", "-o", "program"]
        stubs = "-F S/System/Library/Frameworks -L S/usr/lib"
        self.assertEqual(
            " ".join(zig_cc.translate(given, "S")),
            f"-target aarch64-macos.13.0.0 {stubs} -framework Metal a.o -lobjc "
            "-framework Foundation -o program",
        )


class Stubs(unittest.TestCase):
    def test_stubs_lie_where_linkers_look(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            sdk.write(root)
            frameworks = root / "System/Library/Frameworks"
            metal = (frameworks / "Metal.framework/Metal.tbd").read_text()
            self.assertIn("'_MTLCreateSystemDefaultDevice'", metal)
            install = "'/System/Library/Frameworks/Metal.framework/Versions/A/Metal'"
            self.assertIn(f"install-name: {install}", metal)
            self.assertIn("'_objc_msgSend'", (root / "usr/lib/libobjc.tbd").read_text())
