"""A pytest plug-in that closes with `N passed, M failed, K skipped`, as the other runners do."""


def pytest_terminal_summary(terminalreporter):
    def count(*outcomes):
        return sum(len(terminalreporter.stats.get(outcome, ())) for outcome in outcomes)

    passed, failed = count("passed"), count("failed", "error", "xpassed")
    terminalreporter.write_line(
        f"{passed} passed, {failed} failed, {count('skipped', 'xfailed')} skipped"
    )
