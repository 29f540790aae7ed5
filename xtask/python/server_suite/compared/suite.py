"""Sequences of requests sent to this server and to the Triton Inference Server 2.51.

Both servers have the same models; the other one runs them by our backend library. Each public
function of the modules below is a sequence. All answers must be equal, but for the differences in
conformance/server/compared.toml.
"""

import concurrent.futures
import http.client
import inspect
import os
import pathlib

import grpc

from checks import Skip

from . import (
    builtins,
    cache,
    calls,
    classes,
    configurations,
    connections,
    differences,
    ensembles,
    generated,
    http_forms,
    inference,
    limits,
    memory,
    queues,
    repository,
    sequences,
    settings,
    tensor_forms,
    texts,
    versions,
)
from .sides import Ours, Theirs, copy_of_backends
from .talk import Talk

EXPLICIT = ("--model-control-mode=explicit",)
SHARED = ("--allow-client-shm=true",)  # always allowed in 2.51
CACHE = ("--cache-config=local,size=1048576",)
# For each start of the servers: flags of both, those of ours, and modules of sequences.
STARTS = {
    "main": (
        EXPLICIT,
        SHARED,
        (
            http_forms,
            connections,
            tensor_forms,
            texts,
            classes,
            inference,
            generated,
            calls,
            queues,
            sequences,
            memory,
            repository,
            versions,
            configurations,
            settings,
            ensembles,
            builtins,
        ),
    ),
    "cache": ((*EXPLICIT, *CACHE), (), (cache,)),
    "limited": ((*EXPLICIT, *limits.FLAGS), (), (limits,)),
}


def run(suite):
    library = os.environ.get("TRIDENT_BACKENDS")
    if not library:
        raise Skip("TRIDENT_BACKENDS is not set: run this by `cargo xtask conformance server`")
    listed = differences.Listed()
    backends = copy_of_backends(suite.folder / "backends", pathlib.Path(library))
    for name, (flags, ours, modules) in STARTS.items():
        chosen = {
            f"{name} {case}": function
            for case, function in sequences_of(modules)
            if suite.wanted(f"{name} {case}")
        }
        if not chosen:
            continue
        folder = suite.folder / "compared" / name
        sides = (
            Ours(suite.trident, folder / "ours", (*flags, *ours)),
            Theirs(backends, folder / "theirs", flags),
        )
        try:
            for case, function in chosen.items():
                suite.check(
                    case,
                    lambda case=case, function=function, sides=sides: compare(
                        listed, sides, case, function
                    ),
                )
        finally:
            for side in sides:
                side.close()


def sequences_of(modules):
    """(name, function) of each sequence, in the order of the files."""
    for module in modules:
        for name, function in vars(module).items():
            public = inspect.isfunction(function) and not name.startswith("_")
            if public and function.__module__ == module.__name__:
                yield name, function


def compare(listed, sides, case, function):
    """Compare both servers in a sequence, once more if the first time says nothing.

    That is so if the other server crashes where it is not known to, and if sequences about time
    differ, which they may on a busy machine.
    """
    for is_last in (False, True):
        ours, theirs = answers_of(sides, case, function)
        crashed = any(map(differences.fatal, theirs)) and not listed.of(case, "crashes")
        try:
            return listed.compare(case, ours, theirs)
        except AssertionError:
            timed = function.__module__ in (limits.__name__, queues.__name__)
            if is_last or not (crashed or timed) or listed.of(case, "pending"):
                raise
        for side in sides:
            side.reset()


def answers_of(sides, case, function):
    """Run a sequence on both servers at a time."""
    for side in sides:
        side.start()  # in this thread, because the server ends with the thread that starts it
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda side: lines_of(side, case, function), sides))
    for side, lines in zip(sides, both):
        (side.folder / f"{case}.txt").write_text("\n".join([*lines, ""]))
    return both


def lines_of(side, case, function):
    """The answers of one server. One that has crashed is started again for the next sequence."""
    if side.running is None:
        return [side.refusal]
    talk = Talk(side, case.rsplit(" ", 1)[1])
    try:
        function(talk)
    except (OSError, http.client.HTTPException, grpc.RpcError) as error:
        talk.note("exception", type(error).__name__, str(error))
    lost = any("Disconnected" in line or "Connection" in line for line in talk.lines)
    status = side.ended(3 if lost else 0)
    if status is not None:
        talk.note("the server has ended with status", status)
    return talk.lines
