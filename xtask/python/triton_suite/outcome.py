"""The outcome of one test, determined from the exception that ended it.

PASS      as upstream wants it
SKIP      skipped by upstream
MISMATCH  an assertion of upstream's does not hold: a wrong result
REFUSED   the compiler refuses the kernel by name, or the device lacks what it needs
ASM       the test looks for another back end's assembly text
ERR       any other exception
CRASH     the process died
TIMEOUT   no end within the time limit
SLOW      the same, of a test that is known to be slow on this processor, see `slow.py`
"""

import re

PASS, SKIP, MISMATCH, REFUSED = "PASS", "SKIP", "MISMATCH", "REFUSED"
ASM, ERR, CRASH, TIMEOUT, SLOW = "ASM", "ERR", "CRASH", "TIMEOUT", "SLOW"
STATUSES = (PASS, MISMATCH, REFUSED, ASM, ERR, CRASH, TIMEOUT, SLOW, SKIP)
UNJUDGED = (SKIP, SLOW)

REFUSALS = ("CompileError", "ResourceError")  # names of errors
STAGES = ("ttgir", "llir", "ptx", "cubin", "sass", "amdgcn", "hsaco")
ASM_WORDS = re.compile(r"\b(" + "|".join((*STAGES, "asm", "llir_str", "isa")) + r")\b")
LENGTH = 400  # characters of a reason

#: The variable that gives a worker the file descriptor of the socket by which it reports outcomes.
SOCKET = "TRIDENT_SUITE_SOCKET"


def chain(error):
    """The exception and those it was raised from."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


def status_of(error, statement):
    """The status that `error` stands for; `statement` is the line of the test that failed."""
    for link in chain(error):
        if type(link).__module__.split(".")[0] == "trident":
            return REFUSED if type(link).__name__ in REFUSALS else ERR
    if isinstance(error, KeyError) and ASM_WORDS.search(str(error)):
        return ASM
    if isinstance(error, AssertionError):
        return ASM if ASM_WORDS.search(statement) else MISMATCH
    return ERR


def reason_of(error, folder="."):
    """One line: the innermost exception's type and message, the same on every machine."""
    own = [link for link in chain(error) if type(link).__module__.split(".")[0] == "trident"]
    told = own[0] if own else error
    text = " ".join(str(told).replace(str(folder) + "/", "").split())
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x…", text)
    text = re.sub(r"/\S*/(\w+\.py)", r"\1", text)
    return f"{type(told).__name__}: {text}"[:LENGTH]
