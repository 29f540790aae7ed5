"""Tests of requests: types, outputs, sizes, cancellation; and failures."""

import time

import grpc
import numpy as np

from . import repository, tensors
from .client import LIMIT, Grpc, Http, Refused, counter, grpc_request, in_parallel, metrics
from .reload import WIDTH, weighted
from .tensors import expect

GATHER = "dynamic_batching { preferred_batch_size: [ 4 ] max_queue_delay_microseconds: 3000000 }"
ARRIVAL = 0.02  # seconds between requests that become a batch
CONNECTIONS = 4  # of requests that fail
FAILURES = 20_000
CANCELLED = 200
SETTLING = 2000  # requests after which the server's gRPC takes hardly more memory
# Bytes of resident memory that is no file's. Up to 12 KiB were seen after failures, so that 6 bytes
# of each would be.
# Of cancellations up to 220 KiB were seen, also with the Python backend: gRPC leaves holes in the
# heap, whose bytes in use do not grow. A run that kept its 16 KiB would be seen.
NOISE, NOISE_OF_CANCELLATION = 128 << 10, 512 << 10
LONG = 500_000  # rounds of a loop: many seconds, that nobody waits for
TEXTS = [b"", b"a", "ü€😀".encode(), b"\0\0", b"x" * 70000, b"\xff\xfe\x80"]


def run(suite):
    models = suite.repository()
    repository.add_one(models)
    repository.add_one(models, "add_long", size=-1)
    repository.sum_and_difference(models)
    repository.lookup(models)
    repository.lookup(models, "lookup_batched", extra=GATHER)
    repository.countdown(models)
    repository.countdown(models, "countdown_queued", "dynamic_batching { }")
    kinds = {kind: repository.identity(models, kind) for kind in tensors.NUMPY}
    flat = repository.identity(models, "FP32", 2, batch=0)
    loaded = ["add", "add_long", "pair", "lookup", "lookup_batched", flat]
    with suite.serve(models, [*loaded, *kinds.values()]) as (running, http, client):

        def check(case, function, *args):
            suite.check(case, lambda: function(*args), running)

        for kind, name in kinds.items():
            check(f"type {kind}", every_form, suite, http, client, kind, name)
        check("texts of many kinds", texts, suite, http, client, kinds[tensors.BYTES])
        check("empty tensors", empty, http, client, kinds, flat)
        check("only requested outputs", requested, http, client)
        check("several buffers", buffers, http)
        check("8 MB", large, http, client)
        check("memory in statistics", memory, suite, models, running, http)
        check("metrics of the library", own_metrics, suite, running, http)
        check("a failing request", failing, suite, running, http)
        check("a failing request in a batch", failing_in_batch, suite, running, client)
        check("failing requests give memory back", no_leak, running)
        check("cancellation", cancelled, suite, running, http)
        check("cancelled requests give memory back", cancelled_often, suite, running, http)
        check("cancellation in the queue", cancelled_in_queue, suite, running, http)
        check("a client that goes away", gone, suite, running, http)
        check("a time-out of the client", timed_out, suite, running, http)


# ---- types -----------------------------------------------------------------------------------


def values(kind, count):
    """So many elements of a type, extremes among them."""
    dtype = tensors.NUMPY[kind]
    if kind == tensors.BYTES:
        return np.array([str(k) for k in range(count)], object)
    if kind == "BOOL":
        return np.arange(count) % 3 == 0
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        head = [info.min, info.max, 0, 1]
        return np.array((head + list(range(count)))[:count], dtype)
    head = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.1, 1e-40]
    with np.errstate(all="ignore"):
        return np.array((head + list(range(count)))[:count]).astype(dtype)


def every_form(suite, http, client, kind, name):
    """The same bits come back in every form that the type has."""
    if kind == "BF16":
        suite.not_in_reference("has no BF16")
    x = values(kind, 24).reshape(2, 12)
    expect({"OUTPUT0": x}, http.infer(name, {"INPUT0": x}))
    expect({"OUTPUT0": x}, client.infer(name, {"INPUT0": x}))
    if kind not in tensors.ONLY_BINARY:
        got = http.infer(name, {"INPUT0": x}, binary=False)
        expect({"OUTPUT0": x}, got)


def texts(suite, http, client, name):
    """Empty, long, with zeros; bytes that are not UTF-8 come back or are refused with a cause."""
    for k, text in enumerate(TEXTS):
        x = np.array([text, b"|", text], object).reshape(1, 3)
        for infer in (http.infer, client.infer):
            try:
                got = infer(name, {"INPUT0": x})
            except Refused as refused:
                assert k == len(TEXTS) - 1, f"{text[:20]!r} is refused: {refused}"
                assert refused.text.strip(), "an error without a text"
                continue
            expect({"OUTPUT0": x}, got)


def empty(http, client, kinds, flat):
    for kind in ("FP32", "INT64", tensors.BYTES):
        x = np.zeros((2, 0), tensors.NUMPY[kind])
        expect({"OUTPUT0": x}, http.infer(kinds[kind], {"INPUT0": x}))
        expect({"OUTPUT0": x}, client.infer(kinds[kind], {"INPUT0": x}))
    for shape in ((0, 3), (3, 0), (0, 0)):
        x = np.zeros(shape, np.float32)
        expect({"OUTPUT0": x}, http.infer(flat, {"INPUT0": x}))


# ---- outputs and sizes -----------------------------------------------------------------------


def requested(http, client):
    a, b = np.array([[1, 2, 3, 4]], np.int32), np.array([[9, 8, 7, 6]], np.int32)
    feed, both = {"INPUT0": a, "INPUT1": b}, {"OUTPUT0": a + b, "OUTPUT1": a - b}
    for infer in (http.infer, client.infer):
        for names in (["OUTPUT0"], ["OUTPUT1"], ["OUTPUT1", "OUTPUT0"]):
            expect({name: both[name] for name in names}, infer("pair", feed, names))
        expect(both, infer("pair", feed))


def buffers(http):
    """The server hands over what arrives in pieces as several buffers."""
    for count, chunk in ((50_000, 5_003), (300_000, 100_000), (3, 1)):
        x = np.random.default_rng(count).standard_normal((2, count)).astype(np.float32)
        got = http.infer("add_long", {"INPUT0": x}, chunks=chunk)
        expect({"OUTPUT0": x + np.float32(1)}, got)
    text = np.array([b"t" * 9000, b"", b"u" * 40000], object).reshape(1, 3)
    got = http.infer("identity_bytes_1", {"INPUT0": text}, chunks=777)
    expect({"OUTPUT0": text}, got)


def large(http, client):
    x = np.random.default_rng(0).standard_normal((8, 1 << 18)).astype(np.float32)
    for infer in (http.infer, client.infer):
        expect({"OUTPUT0": x + np.float32(1)}, infer("add_long", {"INPUT0": x}))


# ---- what the server tells of a model --------------------------------------------------------


def memory(suite, models, running, http):
    """The weights of a model are in its statistics, and gone from the metrics when it is."""
    suite.not_in_reference("tells nothing of memory")
    weighted(models, "weights")
    http.load("weights")
    http.infer("weights", {"INPUT0": np.ones((1, WIDTH), np.float32)})
    usage = http.statistics("weights")["memory_usage"]
    used = sum(entry["byte_size"] for entry in usage if entry["type"] == "CPU")
    weights = 4 * WIDTH * WIDTH
    assert weights <= used <= 4 * weights, f"{used} bytes for weights of {weights}"
    http.unload("weights")
    wait_for(lambda: [series for series in metrics(running.metrics) if '"weights"' in series
                      and series.startswith("trident_")], [])  # fmt: skip


def own_metrics(suite, running, http):
    """Executions, operations and memory are counted, beside what the server counts."""
    suite.not_in_reference("has no metrics")

    def executions():
        return counter(running.metrics, "trident_executions", model="add")

    before = executions()
    for _ in range(3):
        http.infer("add", {"INPUT0": np.ones((1, 16), np.float32)})
    wait_for(lambda: executions() - before, 3)
    page = metrics(running.metrics)
    for name in ("trident_memory_allocated_bytes", "trident_memory_reserved_bytes"):
        found = [value for series, value in page.items() if series.split("{")[0] == name]
        assert found and min(found) >= 0, f"{name}: {found}"
    for name in ("trident_operations", "trident_operation_seconds"):
        found = counter(running.metrics, name, model="add", op="add", device="cpu")
        assert found > 0, f"{name}: {found}"


# ---- failures --------------------------------------------------------------------------------


def failures(running, name, *reasons):
    """The requests of a model that failed for these reasons."""
    return sum(
        counter(running.metrics, "nv_inference_request_failure", model=name, reason=reason)
        for reason in reasons
    )


def cancellations(running, name):
    """The server counts what it cancels itself as CANCELED, what a backend ends as BACKEND."""
    return failures(running, name, "CANCELED", "BACKEND")


def wait_for(function, want, seconds=10):
    """Counters move just after the answer is sent."""
    end = time.monotonic() + seconds
    while (got := function()) != want and time.monotonic() < end:
        time.sleep(0.02)
    assert got == want, f"{got} instead of {want}"


def counted(suite, running, name, want):
    """So many failures have the backend as their reason; the stand-in counts none."""
    if not suite.reference:
        wait_for(lambda: failures(running, name, "BACKEND"), want)


def failing(suite, running, http):
    """An index out of range: an error with its cause, counted as the backend's."""
    before = failures(running, "lookup", "BACKEND")
    for index in (99, -50):
        try:
            http.infer("lookup", {"INPUT0": np.array([[index]])})
        except Refused as refused:
            assert refused.text.strip(), "an error without a text"
            assert refused.code >= 400
        else:
            raise AssertionError(f"index {index} is answered")
    counted(suite, running, "lookup", before + 2)
    http.infer("lookup", {"INPUT0": np.array([[1]])})


def failing_in_batch(suite, running, client):
    """Of four requests in a batch one is wrong: the three others are answered."""
    before = failures(running, "lookup_batched", "BACKEND")
    indices = [1, 77, 3, 4]
    jobs = [
        lambda k=k: client.infer("lookup_batched", {"INPUT0": np.array([[k]])}) for k in indices
    ]
    for index, got in zip(indices, in_parallel(jobs, ARRIVAL)):
        if index == 77:
            assert isinstance(got, Refused) and got.text.strip(), f"the wrong one: {got!r}"
        elif isinstance(got, Exception):
            raise AssertionError(f"index {index} fails, too: {got}")
        else:
            expect({"OUTPUT0": np.float32([[10 + index]])}, got)
    counted(suite, running, "lookup_batched", before + 1)


def no_leak(running):
    """Many failing requests, then resident memory is what it was."""
    clients = [Http(running.http) for _ in range(CONNECTIONS)]

    def fail(client, count):
        for _ in range(count):
            try:
                client.infer("lookup", {"INPUT0": np.array([[99]])})
            except Refused:
                continue
            raise AssertionError("an index out of range is answered")

    def all_fail(count):
        each = count // CONNECTIONS
        for found in in_parallel([lambda one=one: fail(one, each) for one in clients]):
            if found is not None:
                raise found

    all_fail(FAILURES // 10)
    before = running.allocated()
    all_fail(FAILURES)
    grown(running, before, NOISE)


def grown(running, before, noise):
    more = running.allocated() - before
    assert more <= noise, f"resident memory grew by {more >> 10} KiB"


# ---- cancellation ----------------------------------------------------------------------------


def cancel_running(client, running, name):
    """Send a long request and cancel it once it runs; the seconds until the next is answered.

    That one waits in the queue meanwhile, which tells that the long one has arrived: a request that
    is cancelled on its way is unknown to the server, which would not count it.
    """

    def send(rounds):
        return client.stub.ModelInfer.future(grpc_request(name, {"INPUT0": np.array([rounds])}))

    long, short = send(LONG), send(1)

    def waits():
        nonlocal short
        if short.done():  # it has overtaken the long one
            short = send(1)
        if pending(running, name) != 1:
            return False
        time.sleep(0.02)
        return not short.done()

    wait_for(waits, True)
    long.cancel()
    start = time.monotonic()
    short.result(LIMIT)
    return time.monotonic() - start


def pace(client, name):
    """Seconds that `LONG` rounds take."""
    start = time.monotonic()
    client.infer(name, {"INPUT0": np.array([LONG // 200])})
    return 200 * (time.monotonic() - start)


def cancelled(suite, running, http):
    """A run that is cancelled ends soon, and counts as failed."""
    suite.not_in_reference("does not look whether a request is cancelled")
    http.load("countdown")
    client = Grpc(running.grpc)
    whole = pace(client, "countdown")
    before = cancellations(running, "countdown")
    waited = cancel_running(client, running, "countdown")
    assert whole > 2, f"the long request takes {whole:.1f} s only: it tells nothing"
    assert waited < 1, f"the next request waited {waited:.1f} s"
    wait_for(lambda: cancellations(running, "countdown") - before, 1)
    client.close()


def cancelled_often(suite, running, http):
    """Requests that are cancelled give memory back."""
    suite.not_in_reference("does not look whether a request is cancelled")
    http.load("countdown")
    client = Grpc(running.grpc)
    for _ in range(SETTLING):
        client.infer("countdown", {"INPUT0": np.array([1])})

    def allocated():
        return counter(running.metrics, "trident_model_memory_allocated_bytes", model="countdown")

    idle = 4 * 4096 + 4 + 1  # the loop's first state, a number and a truth value
    wait_for(allocated, idle)
    before, memory = cancellations(running, "countdown"), running.allocated()
    for _ in range(CANCELLED):
        cancel_running(client, running, "countdown")
    wait_for(lambda: cancellations(running, "countdown") - before, CANCELLED)
    wait_for(allocated, idle)
    grown(running, memory, NOISE_OF_CANCELLATION)
    client.close()


def cancelled_in_queue(suite, running, http):
    """A request that is cancelled before it runs never runs."""
    suite.not_in_reference("does not look whether a request is cancelled")
    http.load("countdown_queued")
    name, client = "countdown_queued", Grpc(running.grpc)
    long = grpc_request(name, {"INPUT0": np.array([LONG // 4])})
    first = client.stub.ModelInfer.future(long)
    queued = [client.stub.ModelInfer.future(long) for _ in range(5)]
    wait_for(lambda: pending(running, name), 5)
    for one in queued:
        one.cancel()
    time.sleep(0.1)
    first.cancel()
    client.infer(name, {"INPUT0": np.array([1])})
    wait_for(lambda: cancellations(running, name), 6)
    assert http.statistics(name)["inference_stats"]["success"]["count"] == 1
    client.close()


def gone(suite, running, http):
    """A client over HTTP closes its connection. The server does not see that while a model runs:
    the answer has nobody to go to.
    """
    suite.not_in_reference("is too slow for it")
    http.load("countdown")
    for _ in range(5):
        other = Http(running.http, limit=0.1)
        try:
            other.infer("countdown", {"INPUT0": np.array([LONG // 20])})
        except TimeoutError:
            other.close()
        else:
            raise AssertionError("the long request is answered at once")
    http.infer("countdown", {"INPUT0": np.array([1])})
    wait_for(lambda: pending(running), 0)


def timed_out(suite, running, http):
    """A deadline of gRPC that passes cancels the run."""
    suite.not_in_reference("does not look whether a request is cancelled")
    http.load("countdown")
    before = cancellations(running, "countdown")
    client = Grpc(running.grpc, limit=0.3)
    try:
        client.stub.ModelInfer(grpc_request("countdown", {"INPUT0": np.array([LONG])}), timeout=0.3)
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
    wait_for(lambda: cancellations(running, "countdown") - before, 1)
    client.close()
    wait_for(lambda: pending(running), 0)


def pending(running, model=""):
    """The requests that wait for a model, or for any."""
    if model:
        return counter(running.metrics, "nv_inference_pending_request_count", model=model)
    return sum(
        value
        for series, value in metrics(running.metrics).items()
        if series.startswith("nv_inference_pending_request_count")
    )
