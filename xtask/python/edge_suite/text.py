"""Text cast to numbers, beside a rule in Python's integers and ONNX Runtime.

The rule is that of docs/differences.md. ONNX Runtime reads a prefix of the text and wraps what the
type cannot hold, so it is compared for decimal integers within the range of the type.
"""

import re

import numpy as np
from onnx import TensorProto, helper

from .suite import Refused, model, same

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NARROW = {"int2": (-2, 1), "int4": (-8, 7), "uint2": (0, 3), "uint4": (0, 15)}
DECIMAL = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]+))?")
NODE = "to_number"
COUNT = 500  # texts for each type
QUICK = 25  # texts that must stop the model, a run each, with --quick
EDGES = (
    *("0", "-0", "+0", "00", "7", "+7", "-7", "007", " 7", "7 ", "\t7\n", "\u00a07", "1.0", "-1.0"),
    *("7.", ".0", "1.5", "-1.9", ".5", "1e2", "1E2", "1e+2", "12e-1", "120e-1", "0.07e2", "1e-400"),
    *("1e400", "0e400", "1e99999999999999999999", "", " ", "+", "-", ".", "e", "1e", "e1", "+-7"),
    *(
        "--7",
        "- 7",
        "1 2",
        "1,000",
        "1_000",
        "0x10",
        "0b1",
        "1d3",
        "abc",
        "7abc",
        "\u0667",
        "\uff17",
    ),
    *("nan", "NaN", "-nan", "inf", "INF", "+INF", "-INF", "infinity", "True", "false", "None"),
)


def cast(name):
    """A model that casts a vector of texts to the element type of this NumPy name."""
    number = getattr(TensorProto, name.upper())
    node = helper.make_node("Cast", ["x"], ["y"], name=NODE, to=number)
    x, y = {"x": (TensorProto.STRING, ["n"])}, {"y": (number, ["n"])}
    return model([node], x, y, opset=25, ir_version=13)


def bounds(name):
    if name in NARROW:
        return NARROW[name]
    return int(np.iinfo(name).min), int(np.iinfo(name).max)


def rule(text, name):
    """The integer of the type that a text is exactly, or None, for which the model stops."""
    found = DECIMAL.fullmatch(text.strip())
    if not found:
        return None
    sign, whole, fraction, exponent = found.groups(default="")
    if not whole and not fraction:
        return None
    digits = int(whole + fraction)
    exponent = int(exponent or 0) - len(fraction)
    low, high = bounds(name)
    if digits == 0:
        return 0
    if abs(exponent) > 1000:  # no type has so large an integer, and no text so many digits
        return None
    value, rest = divmod(digits * 10 ** max(exponent, 0), 10 ** max(-exponent, 0))
    value = -value if sign == "-" else value
    return value if rest == 0 and low <= value <= high else None


def texts(random, name):
    """Fixed texts, the ends of the type's range and what lies beside them, and random ones."""
    low, high = bounds(name)
    ends = [str(end + k) for end in (low, high, 2 * low, 2 * high) for k in range(-2, 3)]
    chosen = [*EDGES, *ends]
    while len(chosen) < COUNT:
        value = int(random.integers(-(2**62), 2**62)) * 4 >> int(random.integers(0, 64))
        text = str(value)
        form = int(random.integers(0, 8))
        if form == 0:
            text += ".0" * int(random.integers(1, 2))
        elif form == 1:
            text += f"e{random.integers(-3, 20)}"
        elif form == 2:
            at = int(random.integers(0, len(text) + 1))
            text = text[:at] + "0.eE+- x"[int(random.integers(0, 8))] + text[at:]
        elif form == 3:
            text = " " * int(random.integers(0, 3)) + text + "\n" * int(random.integers(0, 2))
        chosen.append(text)
    return chosen


def integers(suite, name):
    chosen = texts(suite.random(name), name)
    cast_to = cast(name)
    want = {text: rule(text, name) for text in chosen}
    good = [text for text in chosen if want[text] is not None]
    x = np.array(good, object)
    got = suite.trident(cast_to, [x])
    assert [int(v) for v in got[0]] == [want[text] for text in good], "other integers"
    if name not in NARROW:
        plain = [text for text in good if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII)]
        same(
            suite.trident(cast_to, [np.array(plain, object)]),
            suite.onnxruntime(cast_to, [np.array(plain, object)]),
        )
    bad = [text for text in chosen if want[text] is None]
    for text in bad[: QUICK if suite.options.quick else None]:
        stops(suite, cast_to, text)


def stops(suite, cast_to, text):
    """Fail unless the model stops with an error that names the node and the text."""
    try:
        got = suite.trident(cast_to, [np.array(["1", text], object)])
    except Refused as refusal:
        named = " ".join(text.split())  # as the worker writes errors in one line
        assert refusal.stage == "run", f"{text!r}: {refusal}"
        assert named in str(refusal) and NODE in str(refusal), f"{text!r}: {refusal}"
        return
    raise AssertionError(f"{text!r} gives {got[0][1]}, expected an error")


def floats(suite, name):
    """ONNX Runtime, where it reads the whole text."""
    numbers = suite.random(name).normal(size=200) * 10.0 ** np.arange(-100, 100)
    numbers = [repr(float(v)) for v in np.clip(numbers, -1e37, 1e37) if abs(v) > 1e-37]
    chosen = [*numbers, "nan", "INF", "-inf", "+Inf", " 1.5 ", ".5", "5.", "1E8", "-0", "1e-5"]
    x = np.array(chosen, object)
    same(suite.trident(cast(name), [x]), suite.onnxruntime(cast(name), [x]))
    for text in ("", "abc", "1_0", "1.5x", "0x10", "\u0667"):
        stops(suite, cast(name), text)


def run(suite):
    for name in (*INTEGERS, *NARROW):
        suite.check(name, lambda n=name: integers(suite, n))
    for name in ("float", "double"):
        suite.check(name, lambda n=name: floats(suite, n))
