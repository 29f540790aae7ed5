"""Sequences of calls: typical programs, of which some calls are changed."""

import random
from typing import NamedTuple

from . import model_calls, session_calls

INTERFACES = {"model": model_calls, "session": session_calls}
CALLS = {
    f"{prefix}.{call.__name__}": call
    for prefix, module in INTERFACES.items()
    for call in module.CALLS
}
ERRORS = {prefix: module.ERRORS for prefix, module in INTERFACES.items()}


class Call(NamedTuple):
    """A call; everything about it that is random depends on its seed."""

    name: str
    seed: int


def sequence(seed, number):
    """The calls of one sequence, which depend only on these numbers."""
    rng = random.Random(f"{seed}/{number}")
    prefix = rng.choice(list(INTERFACES))
    names = [f"{prefix}.{name}" for name in rng.choice(INTERFACES[prefix].PROGRAMS)]
    for _ in range(rng.choice([1, 2, 4, 8])):
        at = rng.randrange(len(names))
        match rng.randrange(4):
            case 0 | 1:
                # Now and then the other interface's.
                known = [c for c in CALLS if c.startswith(prefix) or rng.random() < 0.1]
                names.insert(at, rng.choice(known))
            case 2:
                names.insert(at, names[at])
            case 3 if len(names) > 1:
                names.pop(at)
    return [Call(name, rng.getrandbits(32)) for name in names]
