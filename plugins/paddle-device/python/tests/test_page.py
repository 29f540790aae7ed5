"""The programs in `docs/paddle-device.md`, which must print what the page says."""

import doctest
import pathlib
import re
import unittest

PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs/paddle-device.md"


class Page(unittest.TestCase):
    def test_sessions_print_what_the_page_says(self):
        blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        sessions = [block for block in blocks if ">>> " in block]
        self.assertTrue(sessions)
        for session in sessions:
            session = session[session.index(">>> ") :]
            test = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, PAGE.name, 0)
            said = []
            result = doctest.DocTestRunner(verbose=False).run(test, out=said.append)
            self.assertEqual(result.failed, 0, "".join(said))
            self.assertGreater(result.attempted, 3)


if __name__ == "__main__":
    unittest.main()
