"""Instances that need limited resources (`rate_limiter`)."""

import json
import time

from . import queues
from .folders import edit
from .models import add, ensemble, failing, slow
from .talk import request, row, tensor

# Of `r`, `one` and `both` there are so many on each device, of the others on one device.
FLAGS = (
    "--rate-limit=execution_count",
    "--rate-limit-resource=r:2",
    "--rate-limit-resource=one:1",
    "--rate-limit-resource=both:4",
    "--rate-limit-resource=far:4:1",
    "--rate-limit-resource=near:4:0",
)
ONE = row(1, 2, 3, 4)
CPU = "count: 1 kind: KIND_CPU"


def _needs(*resources, priority=0):
    """The field of a group that needs these (name, count), shared by devices if marked so."""
    listed = ", ".join(
        f'{{ name: "{name}" count: {count} {"global: true" if shared else ""} }}'
        for name, count, *shared in resources
    )
    return f"rate_limiter {{ priority: {priority} resources [ {listed} ] }}"


def _group(*resources, count=1, **options):
    return f"instance_group [ {{ count: {count} kind: KIND_CPU {_needs(*resources, **options)} }} ]"


def _serve(t, name, *resources, **options):
    """Serve a slow model that needs these."""
    slow(t.side.models, name)
    if resources:
        edit(t, CPU, f"{CPU} {_needs(*resources, **options)}", name=name)
    _trial(t, name)


def _trial(t, name):
    """Load a slow model, and find how many rounds take long enough."""
    t.load(name)
    start = time.monotonic()
    t.exchange("POST", t.of_model("infer", name), request(_rounds(queues.TRIAL)))
    t.side.trial = min(t.side.trial, time.monotonic() - start)
    t.slow = max(6000, min(100_000, int(queues.TRIAL * queues.SLOW / t.side.trial)))
    time.sleep(0.05)


def _rounds(count):
    return tensor("INPUT0", "INT64", [1, 1], [count])


def _ask(t, name, rounds=1500, gap=0.05):
    t.start("infer", _rounds(rounds), model=name, id=name, gap=gap)


def more_than_there_is(t):
    for name, needs in (("r_3", ("r", 3)), ("one_2", ("one", 2)), ("near_5", ("near", 5))):
        t.serve(add, name=f"{t.name}_{name}", extra=_group(needs))
    t.serve(add, name=f"{t.name}_enough", extra=_group(("r", 2), ("one", 1), ("near", 4)))
    t.infer(ONE, model=f"{t.name}_enough")


def nothing_of_it_is_there(t):
    t.serve(add, extra=_group(("unknown", 1)))
    t.infer(ONE)


def resource_of_another_device(t):
    t.serve(add, extra=_group(("far", 1)))
    t.infer(ONE)


def resource_of_any_device(t):
    """A resource that devices share has the largest number that any of them has."""
    t.serve(add, extra=_group(("far", 4, True)))
    t.infer(ONE)
    t.unload()


def resource_of_both_kinds(t):
    t.serve(add, name=f"{t.name}_own", extra=_group(("both", 1)))
    t.serve(add, name=f"{t.name}_shared", extra=_group(("both", 1, True)))
    t.unload(f"{t.name}_own")
    later = f"{t.name}_later"
    add(t.side.models, later, extra=_group(("both", 1, True)))
    t.post(t.of_repository(later, "load"))
    t.infer(ONE, model=later)


def limits_in_a_configuration(t):
    t.serve(add, extra=_group(("r", 1), ("far", 2, True), count=2, priority=3))
    t.get(f"/v2/models/{t.name}/config")
    t.unload()


def enough_for_both(t):
    _serve(t, f"{t.name}_a", ("r", 1))
    _serve(t, f"{t.name}_b", ("r", 1))
    _ask(t, f"{t.name}_a", t.slow, gap=0.1)
    _ask(t, f"{t.name}_b")
    t.join(order=True)


def too_little_for_both(t):
    _serve(t, f"{t.name}_a", ("r", 2))
    _serve(t, f"{t.name}_b", ("r", 1))
    _ask(t, f"{t.name}_a", t.slow, gap=0.1)
    _ask(t, f"{t.name}_b")
    t.join(order=True)


def no_needs_beside_a_run(t):
    _serve(t, f"{t.name}_a", ("one", 1))
    _serve(t, f"{t.name}_b")
    _ask(t, f"{t.name}_a", t.slow, gap=0.1)
    _ask(t, f"{t.name}_b")
    t.join(order=True)


def no_needs_behind_one_that_waits(t):
    """An instance that needs nothing, while another one waits for a resource."""
    for name, needs in (("a", [("one", 1)]), ("b", [("one", 1)]), ("c", [])):
        _serve(t, f"{t.name}_{name}", *needs)
    _ask(t, f"{t.name}_a", t.slow, gap=0.1)
    _ask(t, f"{t.name}_b")
    _ask(t, f"{t.name}_c")
    t.join(order=True)
    order = json.loads(t.lines.pop().removeprefix("order "))
    t.note("c ends before a" if order.index(2) < order.index(0) else "c ends after a")


def priorities_of_instances(t):
    """Runs times priority, where a trial counts and 2.51 counts the load as two runs: a has 6 and b
    15, so that the order is aaaaabaab."""
    _serve(t, f"{t.name}_holder", ("one", 1))
    _serve(t, f"{t.name}_a", ("one", 1), priority=2)
    _serve(t, f"{t.name}_b", ("one", 1), priority=5)
    _ask(t, f"{t.name}_holder", t.slow, gap=0.1)
    for name in "aaaaaaabb":
        _ask(t, f"{t.name}_{name}", gap=0.02)
    t.join(order=True)


def groups_with_other_needs(t):
    """Two groups with an instance each, which run at the same time."""
    slow(t.side.models, t.name)
    groups = f"{CPU} {_needs(('one', 1))} }}, {{ {CPU} {_needs(('r', 2))}"
    edit(t, CPU, groups)
    _trial(t, t.name)
    _ask(t, t.name, t.slow, gap=0.1)
    _ask(t, t.name)
    t.join(order=True)


def failures_give_back(t):
    t.serve(failing, extra=_group(("one", 1)))
    for index in (99, 1, 99, 2):
        t.infer(row(index, datatype="INT64"))


def step_that_needs_a_resource(t):
    step = t.serve(add, name=f"{t.name}_step", extra=_group(("one", 1)))
    ensemble(
        t.side.models,
        t.name,
        [(step, {"INPUT0": "IN"}, {"OUTPUT0": "OUT"})],
        {"IN": ("FP32", [4])},
        {"OUT": ("FP32", [4])},
    )
    t.load()
    for _ in range(2):
        t.infer(row(1, 2, 3, 4, name="IN"))
    t.stats(step)


def batches_that_need_a_resource(t):
    t.serve(add, extra=f"{_group(('r', 2), count=2)} dynamic_batching {{ }}")
    for _ in range(3):
        t.infer(ONE)
    t.stats()
