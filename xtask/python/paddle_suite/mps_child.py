"""Runs one file of the tests of `mps`, and prints one JSON object for each event.

`python -m paddle_suite.mps_child FILE`. A file without test cases is a script: it passes if it ends
with status 0.
"""

import importlib.util
import json
import os
import pathlib
import runpy
import sys
import types
import unittest

#: Modules of Paddle's own tests, which cases for MPS do not need.
OTHERS = ("op_test", "test_activation_op", "utils", "white_list", "testsuite")


def say(**event):
    print(json.dumps({"mps": event}), flush=True)


class Other(types.ModuleType):
    """In the place of a module of Paddle's own tests: each of its names is a class of no tests."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (unittest.TestCase,), {"__call__": lambda self, *args, **kwargs: None})
        # Functions are called when modules are imported, such as `get_device()`.
        made.__new__ = lambda cls, *args, **kwargs: object.__new__(cls)
        made.__init__ = lambda self, *args, **kwargs: None
        setattr(self, name, made)
        return made


def hook():
    """What Python does at its start with the wheel: it runs the line of the `.pth` file."""
    for folder in os.environ["PYTHONPATH"].split(os.pathsep):
        path = pathlib.Path(folder, "trident-paddle.pth")
        if path.exists():
            exec(path.read_text())
            return
    raise SystemExit("TRIDENT_PADDLE_SITE has no trident-paddle.pth")


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines or [""])[-1][:300]


class Result(unittest.TestResult):
    """Says each outcome. A test that skips itself has failed, and so has one with a failed part."""

    def startTest(self, test):
        super().startTest(test)
        self.failure = None
        say(begin=name_of(test))

    def note(self, test, message):
        if getattr(self, "failure", None) is None:
            self.failure = message
        if not isinstance(test, unittest.TestCase):
            # A fixture of a class or of the module: none of its tests has begun.
            say(case=str(test), status="fail", message=message)

    def addError(self, test, error):
        self.note(test, f"{error[0].__name__}: {last_line(str(error[1]))}")

    def addFailure(self, test, error):
        self.note(test, " ".join(str(error[1]).split())[:300])

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.note(test, f"{subtest._subDescription()} {' '.join(str(error[1]).split())}"[:300])

    def addSkip(self, test, reason):
        self.note(test, f"skipped: {reason}")

    def addUnexpectedSuccess(self, test):
        self.note(test, "an unexpected success")

    def stopTest(self, test):
        super().stopTest(test)
        status = "pass" if self.failure is None else "fail"
        say(case=name_of(test), status=status, message=self.failure or "")


def name_of(test):
    return ".".join(test.id().split(".")[-2:])


def cases(module, only_mps):
    for name, found in sorted(vars(module).items()):
        is_case = isinstance(found, type) and issubclass(found, unittest.TestCase)
        if is_case and found.__module__ == module.__name__ and (not only_mps or "MPS" in name):
            yield unittest.defaultTestLoader.loadTestsFromTestCase(found)


def run_script(path):
    say(begin="script")
    try:
        runpy.run_path(str(path), run_name="__main__")
        status = 0
    except SystemExit as error:
        status = error.code or 0
    passed = status == 0
    message = "" if passed else f"status {status}"
    say(case="script", status="pass" if passed else "fail", message=message)


def main():
    path = pathlib.Path(sys.argv[1])
    text = path.read_text()
    hook()
    if torch := os.environ.get("TRIDENT_TORCH_SITE"):
        # One class names `torch.Tensor` whether or not PyTorch is there.
        sys.path.append(torch)
    if "unittest.TestCase" not in text and "(unittest." not in text:
        run_script(path)
    else:
        is_legacy = path.parent.name == "legacy_test"
        if is_legacy:
            sys.modules.update({name: Other(name) for name in OTHERS})
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
        suite = unittest.TestSuite(cases(module, is_legacy))
        if not suite.countTestCases():
            raise SystemExit(f"{path} has no tests")
        suite.run(Result())
    say(end=True)


if __name__ == "__main__":
    main()
