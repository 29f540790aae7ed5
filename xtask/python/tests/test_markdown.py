"""Generated parts of files."""

import pathlib
import tempfile
import unittest

from markdown import replace_between_markers


class Markers(unittest.TestCase):
    def replaced(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "file.md"
            path.write_text(text)
            replace_between_markers(path, "t", "new")
            return path.read_text()

    def test_text_between_markers_is_replaced(self):
        text = "a\n<!-- t:begin -->\nold\n<!-- t:end -->\nb"
        self.assertEqual(self.replaced(text), "a\n<!-- t:begin -->\nnew\n<!-- t:end -->\nb")

    def test_files_without_markers_stay(self):
        self.assertEqual(self.replaced("a <!-- t:begin -->"), "a <!-- t:begin -->")
        replace_between_markers(pathlib.Path("no such file"), "t", "new")


if __name__ == "__main__":
    unittest.main()
