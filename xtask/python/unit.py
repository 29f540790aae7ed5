"""Run the unittest files of one folder and close with `N passed, M failed, K skipped`."""

import sys
import unittest


def main(folder):
    suite = unittest.defaultTestLoader.discover(folder, top_level_dir=folder)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    bad = {test.id() for test, _ in [*result.failures, *result.errors]}
    bad |= {test.id() for test in result.unexpectedSuccesses}
    skipped = len(result.skipped) + len(result.expectedFailures)
    passed = max(0, result.testsRun - len(bad) - skipped)  # failed subtests count one by one
    print(f"{passed} passed, {len(bad)} failed, {skipped} skipped")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
