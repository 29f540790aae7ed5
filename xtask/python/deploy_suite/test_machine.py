"""The systemd unit and the image fit the system and the sources."""

import re
import shutil
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

from files import DEPLOY, ROOT, flag, unit


class Unit(unittest.TestCase):
    def test_a_stop_may_take_longer_than_the_requests_in_flight(self):
        settings = unit()
        drain = int(flag(settings["ExecStart"].split(), "exit-timeout-secs"))
        self.assertGreater(int(settings["TimeoutStopSec"]), drain)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_reads_it_without_a_complaint(self):
        text = (DEPLOY / "trident.service").read_text()
        program = shutil.which("true")
        known = text.replace("/usr/local/bin/trident", program)
        self.assertEqual(self.complaints(known), "")
        self.assertIn("Unknown key", self.complaints(known.replace("UMask=", "Umsk=")))

    def complaints(self, text):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "trident.service"
            copy.write_text(text)
            checked = subprocess.run(
                ["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False
            )
            return checked.stdout + checked.stderr


class Image(unittest.TestCase):
    def setUp(self):
        self.text = (DEPLOY / "Dockerfile").read_text()

    def test_the_compiler_is_the_one_of_the_sources(self):
        toolchain = tomllib.loads((ROOT / "rust-toolchain.toml").read_text())["toolchain"]
        self.assertIn(f"FROM rust:{toolchain['channel']}-", self.text)

    def test_the_server_is_not_root_and_needs_no_newer_glibc(self):
        [build, image] = re.findall(r"^FROM (\S+)", self.text, re.M)
        releases = {"bookworm": "debian12"}
        self.assertIn(releases[build.rsplit("-", 1)[1]], image)
        self.assertTrue(image.endswith(":nonroot"), image)
        self.assertNotIn("USER root", self.text)
