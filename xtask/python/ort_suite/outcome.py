"""The outcome of one test, determined from the exception that ended it.

PASS      as the test wants it
SKIP      skipped by the test
EXCLUDED  does not pass on ONNX Runtime itself in this environment: not judged
MISMATCH  numbers differ from the expected ones: a wrong result
ASSERT    another assertion of the test does not hold
REFUSED   a call or an op that Trident does not have, refused by name
ERR       any other exception
CRASH     the process died
TIMEOUT   no end within the time limit
"""

import re

PASS, SKIP, EXCLUDED, MISMATCH, ASSERT = "PASS", "SKIP", "EXCLUDED", "MISMATCH", "ASSERT"
REFUSED, ERR, CRASH, TIMEOUT = "REFUSED", "ERR", "CRASH", "TIMEOUT"
STATUSES = (PASS, MISMATCH, ASSERT, REFUSED, ERR, CRASH, TIMEOUT, EXCLUDED, SKIP)
UNJUDGED = (SKIP, EXCLUDED)

#: Words of NumPy's and of `unittest`'s messages about numbers.
NUMBERS = re.compile(
    r"Not equal to tolerance|Arrays are not (almost )?equal|Mismatched elements"
    r"|not equal to [\d.]+ decimals|-?\d[\d.e+-]* (!=|not (less|greater)) |not almost equal"
)
#: Exceptions by which Trident refuses what it does not have, and words of its other refusals.
REFUSALS = ("NotImplementedError", "NotImplemented")
REFUSED_WORDS = re.compile(r"operator `\w+` of \S+ version \d+ is unknown|no device can run")
LENGTH = 300  # characters of a reason

#: Beginnings of messages that name the model's file, and what differs from one run to the next:
#: folders of temporary files, addresses, random names.
VARIABLE = (
    (re.compile(r"\[ONNXRuntimeError\] : \d+ : \w+ : "), ""),
    (re.compile(r"Load model from \S+ failed:|This is an invalid model\. |cannot load \S+: "), ""),
    (re.compile(r"(/[^\s/'\"]+)+/(?=[^\s/'\"]+)"), ""),
    (re.compile(r"\b0x[0-9a-f]{6,}\b"), "0x…"),
    (re.compile(r"\b(tmp|ort\.quant\.|test_op\.)[a-z0-9_]{8}\b"), r"\1…"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
)

#: The variable that names the file in which a child writes outcomes.
OUTCOMES = "TRIDENT_ORT_OUTCOMES"
#: The variable that lists, as JSON, the tests to leave out: an earlier child ran them.
ALREADY = "TRIDENT_ORT_ALREADY"


def status_of(error):
    """The status that `error` stands for."""
    if isinstance(error, AssertionError):
        return MISMATCH if NUMBERS.search(str(error)) else ASSERT
    if type(error).__name__ in REFUSALS or REFUSED_WORDS.search(str(error)):
        return REFUSED
    return ERR


def reason_of(error):
    """One line with the exception's type and message, the same on every machine."""
    return one_line(f"{type(error).__name__}: {error}")


def one_line(text):
    for pattern, replacement in VARIABLE:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())[:LENGTH]
