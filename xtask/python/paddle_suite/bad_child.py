"""Makes the calls of `bad_cases`, and prints one JSON object for each.

`python -m paddle_suite.bad_child SUBJECT SEED`.
"""

import itertools
import json
import re
import sys

from .mps_child import hook

# The finder of the wheel must be there before Paddle is imported.
hook()

import numpy as np  # noqa: E402
import paddle  # noqa: E402

from . import bad_cases  # noqa: E402

#: What errors of the device say: a kernel with its operands.
DEVICE = re.compile(r"\w+\(.*\) on device mps: ")
#: Calls between two checks that the device still computes.
PAUSE = 50


def say(**event):
    print(json.dumps({"bad": event}), flush=True)


def tensors(call, place):
    made = []
    for array, dtype in call.arrays:
        tensor = paddle.to_tensor(array, place=paddle.CPUPlace()).astype(dtype)
        made.append(paddle.to_tensor(tensor, place=place))
    return made


def outcome(call, place):
    """The exception of a call, or None if it gives a result."""
    paddle.device.set_device(place)
    try:
        call.call(*tensors(call, place))
    except Exception as error:
        return error
    return None


def shown(error):
    if error is None:
        return "a result"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    found = [line for line in lines if "on device mps" in line or "Error:" in line]
    return f"{type(error).__name__}: {(found or lines or [''])[-1][:240]}"


def judge(call, subject):
    """Status and message of a call."""
    # Paddle's CPU would take memory until the machine has none.
    expected = None if call.kind == "memory" else outcome(call, "cpu")
    actual = outcome(call, "cpu" if subject == "paddle" else "mps")
    text = str(actual)
    if isinstance(actual, SystemError) or "internal error" in text:
        return "wrong", shown(actual)
    if actual is not None and "on device mps" in text and call.kind != "memory":
        if not DEVICE.search(text):
            return "wrong", f"without kernel or operands: {shown(actual)}"
    wanted = {
        "memory": (MemoryError,),
        "dtype": (NotImplementedError, *own_class(expected)),
        # Not every release checks all shapes of its CPU's kernels, which then read other memory.
        "shape": own_class(expected) or (ValueError,),
    }.get(call.kind, own_class(expected))
    if call.kind == "attribute" and expected is None:
        refused = actual is not None and not isinstance(actual, NotImplementedError)
        return ("wrong", f"Paddle's CPU allows it: {shown(actual)}") if refused else ("skip", "")
    if actual is None:
        if call.kind == "dtype":
            return "skip", "the device has this element type"
        return "wrong", f"a result in place of {shown(expected)}"
    if subject == "wrong":
        return "wrong", "the suite is checked"
    if isinstance(actual, wanted):
        return "pass", ""
    names = " or ".join(kind.__name__ for kind in wanted)
    return "wrong", f"{shown(actual)} in place of {names}"


def own_class(error):
    return () if error is None else (type(error),)


def still_computes():
    x = paddle.to_tensor(np.arange(6, dtype="f4"), place="mps")
    return (x * 2 + 1).numpy().tolist() == [1, 3, 5, 7, 9, 11]


def main():
    subject, seed = sys.argv[1], int(sys.argv[2])
    seen = itertools.count()
    for number, call in enumerate(bad_cases.calls(seed)):
        name = f"{call.title}/{next(seen)}"
        say(begin=name)
        status, message = judge(call, subject)
        if number % PAUSE == 0 and not still_computes():
            status, message = "wrong", "the device computes wrong results after this call"
        say(case=name, status=status, message=message)
    say(end=True)


if __name__ == "__main__":
    main()
