"""Settings on the server's command line, and variables that control the log."""

import re

import numpy as np

from . import configurations, repository
from .client import metrics
from .loading import load_error
from .server import FLAGS
from .tensors import expect

TOLD = {
    "TRITON_MPS_VERBOSE": (
        r"model 'bare' version 1 takes \d+ bytes",
        r"instance 'bare_0': 1 request, 2 rows, input [\d.]+ us, infer [\d.]+ us, output",
    ),
    "TRITON_METAL_DEBUG": (r"model 'bare': \S+ `OUTPUT0` by \S+ on cpu -> ",),
    "TRITON_APPLE_VERBOSE": (
        r"backend 'trident': device cpu, .*, \d+ threads",
        r"accelerator 'metal' is not available here",
        r"(?m)model 'bare' version 1: devices cpu\"?$",
    ),
}


def run(suite):
    suite.not_in_reference("has no settings")
    models = suite.repository()
    repository.add_one(models, "bare")
    (models.folder / "bare/config.pbtxt").write_text('backend: "trident"\n')
    for variable in TOLD:
        suite.check(variable, lambda variable=variable: told(suite, models, variable))
    for case, settings, function in (
        ("known settings", ("default-max-batch-size=7", "metrics=false", "threads=1"), known),
        ("an unknown setting", ("colour=blue",), unknown),
        ("a bad value", ("threads=many",), bad),
        ("devices written in several ways", ("device= cpu",), devices),
        ("more threads than cores", ("threads=64",), crowded),
    ):
        suite.check(
            case,
            lambda settings=settings, function=function: configured(
                suite, models, settings, function
            ),
        )


def answers(http, name="bare"):
    x = np.ones((2, 16), np.float32)
    expect({"OUTPUT0": x + x}, http.infer(name, {"INPUT0": x}))


def told(suite, models, variable):
    """The log has the lines of this variable, and none of the others'."""
    with suite.serve(models, ["bare"], variables={variable: "1"}) as (running, http, _):
        answers(http)
        http.unload("bare")
        said = running.said()
    for other, patterns in TOLD.items():
        for pattern in patterns:
            found = bool(re.search(pattern, said))
            assert found == (other == variable), f"`{pattern}` is {'' if found else 'not '}there"


def configured(suite, models, settings, function):
    flags = [f"--backend-config=trident,{setting}" for setting in settings]
    with suite.serve(models, flags=(*FLAGS, "--log-verbose=1", *flags)) as (running, http, _):
        function(running, http, models)
        running.alive()


def known(running, http, _):
    http.load("bare")
    answers(http)
    size = http.get("/v2/models/bare/config")["max_batch_size"]
    assert size == 7, f"max_batch_size is {size}"
    ours = [series for series in metrics(running.metrics) if series.startswith("trident_")]
    assert not ours, f"metrics all the same: {ours[:3]}"
    assert "has no setting" not in running.said()


def unknown(running, http, _):
    http.load("bare")
    answers(http)
    warned = re.findall(r"^W.*backend 'trident' has no setting 'colour'", running.said(), re.M)
    assert len(warned) == 1, f"{len(warned)} warnings"


def bad(running, http, _):
    cause = load_error(http, "bare")
    assert "--backend-config=trident,threads=many is not a number of threads" in cause, cause


def crowded(running, http, models):
    """They let no more runs compute at a time."""
    configurations.instances(models, http, running)


def devices(running, http, models):
    """However a choice of devices is written, its models share them."""
    for k, choice in enumerate((" cpu", "cpu ", None)):
        name = f"on_{k}"
        parameter = f'parameters {{ key: "device" value {{ string_value: "{choice}" }} }}'
        repository.add_one(models, name, extra=parameter if choice else "")
        http.load(name)
        answers(http, name)
    opened = running.said().count("backend 'trident' opens the devices [cpu]")
    assert opened == 1, f"devices are opened {opened} times"
