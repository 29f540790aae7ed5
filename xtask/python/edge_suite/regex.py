"""Regular expressions of `RegexFullMatch` beside RE2."""

import numpy as np
import re2
from onnx import TensorProto, helper

from .suite import Refused, model, same

TEXTS = ("", "a", "ab", "abab", "b", "ba", "aab", "1", "a1", "A", "é", "a\nb", "\n", " ", "a b")
PATTERNS = (
    "",
    "a",
    "ab",
    "a*",
    "(ab)+",
    "a|b",
    "[ab]*",
    "a?b",
    "a{2}b",
    ".",
    ".*",
    "(?i)a",
    "[^a]",
)
WRONG = ("(", "a)", "[a", "*a", "a{2,1}", r"\1", "(?=a)", "a)(b")


def full_match(pattern):
    node = helper.make_node("RegexFullMatch", ["x"], ["y"], pattern=pattern)
    x, y = TensorProto.STRING, TensorProto.BOOL
    return model([node], {"x": (x, ["n"])}, {"y": (y, ["n"])})


def reference(pattern):
    """The compiled pattern, or None where RE2 refuses it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options)
    except re2.error:
        return None


def compare(suite, pattern, texts):
    """Fail unless the pattern has RE2's answers for all texts, or is refused as by RE2."""
    compiled = reference(pattern)
    x = np.array(texts, object)
    if compiled is None:
        try:
            suite.trident(full_match(pattern), [x])
        except Refused as refusal:
            assert refusal.stage in ("load", "plan"), f"refused too late: {refusal}"
            return
        raise AssertionError("accepted, RE2 refuses it")
    want = np.array([compiled.fullmatch(text) is not None for text in texts])
    same(suite.trident(full_match(pattern), [x]), [want])


def run(suite):
    for pattern in PATTERNS:
        suite.check(f"pattern {pattern!r}", lambda p=pattern: compare(suite, p, TEXTS))
