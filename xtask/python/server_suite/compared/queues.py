"""Queues of models: sizes, timeouts, priorities, delays."""

import time

import grpc

from .models import add, ensemble, slow
from .talk import message_of, parameters, request, row, tensor

TRIAL = 500  # rounds that tell how fast the machine is
SLOW = 0.5  # seconds that a slow request takes


def _rounds(count):
    return tensor("INPUT0", "INT64", [1, 1], [count])


def _text(count):
    """The same for gRPC, whose JSON has texts for numbers of 64 bits."""
    return tensor("INPUT0", "INT64", [1, 1], [str(count)])


def _serve(t, extra="", **options):
    """Serve the slow model, and find how many rounds take long enough."""
    t.serve(slow, extra=extra, **options)
    for _ in range(2):
        start = time.monotonic()
        t.exchange("POST", t.of_model("infer"), request(_rounds(TRIAL)))
        t.side.trial = min(t.side.trial, time.monotonic() - start)
        # A request right behind an answer may wait half a second in 2.51 for nothing.
        time.sleep(0.05)
    t.slow = max(6000, min(100_000, int(TRIAL * SLOW / t.side.trial)))


def _begin(t):
    """Start a slow request."""
    t.start("infer", _rounds(t.slow), id="slow", gap=0.1)


def _behind(t, *options, gap=0.04, rounds=1, order=False):
    """One slow request, and others that wait in the queue meanwhile."""
    _begin(t)
    for number, fields in enumerate(options):
        t.start("infer", _rounds(rounds), id=f"r{number}", gap=gap, **fields)
    t.join(order)


def _policy(fields, more=""):
    return f"dynamic_batching {{ {more} default_queue_policy {{ {fields} }} }}"


def _limited(microseconds, **more):
    return {"parameters": {"timeout": microseconds, **more}}


def queue_is_full(t):
    _serve(t, extra=_policy("max_queue_size: 1"))
    _behind(t, {}, {}, {})
    t.stats()
    t.metrics(match="failure|success|pending")


def queue_is_full_over_grpc(t):
    _serve(t, extra=_policy("max_queue_size: 1"))
    _begin(t)
    t.start("rpc_infer", _text(1), id="a", gap=0.05)
    t.start("rpc_infer", _text(2), id="b")
    t.join()


def ensemble_queue_is_full(t):
    """The queue is that of a step's model."""
    t.serve(slow, name="full_step", extra=_policy("max_queue_size: 1"))
    part = {"IN": ("INT64", [1])}, {"OUT": ("INT64", [1])}
    step = ("full_step", {"INPUT0": "IN"}, {"OUTPUT0": "OUT"})
    ensemble(t.side.models, t.name, [step], *part, batch=1)
    t.load()
    t.infer(row(1, name="IN", datatype="INT64"))
    t.start("infer", row(9000, name="IN", datatype="INT64"), gap=0.1)
    for _ in range(3):
        t.start("infer", row(1, name="IN", datatype="INT64"), gap=0.05)
    t.join()


def timeout_rejects(t):
    _serve(t, extra=_policy("default_timeout_microseconds: 100000"))
    _behind(t, {}, {})
    t.stats()
    t.metrics(match="failure|success|pending")


def timeout_delays(t):
    policy = "default_timeout_microseconds: 50000 timeout_action: DELAY"
    _serve(t, extra=_policy(policy))
    _behind(t, {}, {}, {}, rounds=700, order=True)
    t.stats()


def timeout_of_requests(t):
    policy = "default_timeout_microseconds: 100000 allow_timeout_override: true"
    _serve(t, extra=_policy(policy))
    _behind(t, {}, _limited(5000000), _limited(50000))


def timeout_of_requests_not_allowed(t):
    _serve(t, extra=_policy("default_timeout_microseconds: 5000000"))
    _behind(t, _limited(1000), _limited(1000))


def timeout_of_requests_without_default(t):
    _serve(t, extra=_policy("allow_timeout_override: true"))
    _behind(t, {}, _limited(30000), _limited(5000000))


def timeout_of_requests_is_no_longer(t):
    """A request's own timeout only counts if it is shorter than the default."""
    policy = "default_timeout_microseconds: 50000 allow_timeout_override: true"
    _serve(t, extra=_policy(policy))
    _behind(t, _limited(60000000))


def timeout_without_queue_policy(t):
    _serve(t)
    _behind(t, _limited(1000))


def timeout_while_idle(t):
    """Nothing is in the way: the shortest timeout is long enough."""
    policy = "default_timeout_microseconds: 200000 allow_timeout_override: true"
    _serve(t, extra=_policy(policy))
    t.infer(_rounds(1))
    t.infer(_rounds(1), **_limited(150000))


def timeout_over_grpc(t):
    policy = "default_timeout_microseconds: 5000000 allow_timeout_override: true"
    _serve(t, extra=_policy(policy))
    _begin(t)
    t.start("rpc_infer", _text(1), id="a", parameters=parameters(timeout=50000))
    t.join()


def deadline_of_a_queued_request(t):
    _serve(t)
    _begin(t)
    t.start("rpc_infer", _text(1), timeout=0.1)
    t.join()


def cancelled_in_the_queue(t):
    """A cancelled request that waits never runs."""
    _serve(t)
    _begin(t)
    call = t.side.stub.ModelInfer.future(message_of("ModelInferRequest", t.inference(_text(2))))
    time.sleep(0.1)
    call.cancel()
    t.join()
    try:
        call.result()
    except grpc.RpcError as error:
        t.note(error.code().name)
    except grpc.FutureCancelledError:
        t.note("cancelled")


def priorities(t):
    _serve(t, extra="dynamic_batching { priority_levels: 3 default_priority_level: 2 }")
    levels = (1, 3, 2, 1, 0)  # 2.51 takes the first one before it looks at levels
    _behind(t, *({"parameters": {"priority": level}} for level in levels), rounds=700, order=True)
    t.stats()


def priorities_of_equals(t):
    _serve(t, extra="dynamic_batching { priority_levels: 2 default_priority_level: 1 }")
    _behind(
        t,
        *({"parameters": {"priority": level}} for level in (1, 2, 1, 2, 1)),
        rounds=700,
        order=True,
    )


def priorities_beyond_levels(t):
    _serve(t, extra="dynamic_batching { priority_levels: 2 default_priority_level: 1 }")
    for level in (3, 99, 1 << 63):
        t.infer(_rounds(1), parameters={"priority": level})
    t.rpc_infer(_text(1), parameters=parameters(priority=3))


def priorities_with_policies(t):
    policies = " ".join(
        f"priority_queue_policy {{ key: {level} value {{ {fields} }} }}"
        for level, fields in ((1, "max_queue_size: 1"), (2, "default_timeout_microseconds: 50000"))
    )
    extra = f"dynamic_batching {{ priority_levels: 2 default_priority_level: 2 {policies} }}"
    _serve(t, extra=extra)
    _behind(t, {}, *({"parameters": {"priority": level}} for level in (1, 1, 2)))
    t.stats()


def priorities_wrong_in_configurations(t):
    for number, text in enumerate((
        "priority_levels: 2",
        "priority_levels: 2 default_priority_level: 3",
        "priority_levels: 2 default_priority_level: 1 priority_queue_policy { key: 3 value { } }",
        "default_priority_level: 1",
    )):  # fmt: skip
        t.serve(slow, name=f"{t.name}_{number}", extra=f"dynamic_batching {{ {text} }}")


def delay_gathers_a_batch(t):
    t.serve(add, extra="dynamic_batching { max_queue_delay_microseconds: 300000 "
                       "preferred_batch_size: [ 2 ] }")  # fmt: skip
    for number in range(2):
        t.start("infer", row(number, 0, 0, 0), id=str(number), gap=0.02)
    t.join()
    t.stats()


def delay_ends(t):
    t.serve(add, extra="dynamic_batching { max_queue_delay_microseconds: 100000 "
                       "preferred_batch_size: [ 4 ] }")  # fmt: skip
    start = time.monotonic()
    t.infer(row(1, 2, 3, 4))
    t.note("delayed", 0.09 < time.monotonic() - start < 1)
    t.stats()


def batches_behind_a_run(t):
    """Requests that wait together run together."""
    _serve(t, batch=4, extra="dynamic_batching { preferred_batch_size: [ 4 ] }")
    _begin(t)
    for number in range(4):
        t.start("infer", _rounds(number), gap=0.02)
    t.join()


def order_preserved(t):
    _serve(t, extra="dynamic_batching { preserve_ordering: true }")
    _behind(t, {}, {}, {})


def queue_of_no_batcher(t):
    """Without dynamic batching, requests run in the order of their arrival."""
    _serve(t)
    _behind(t, {}, {}, {}, rounds=700, order=True)
    t.stats()


def unload_with_queued_requests(t):
    name = t.name
    _serve(t)
    _begin(t)
    t.start("infer", _rounds(1), gap=0.05)
    t.start("post", f"/v2/repository/models/{name}/unload", gap=0.05)
    t.start("infer", _rounds(2), gap=0.05)
    t.join()
    t.ready()
