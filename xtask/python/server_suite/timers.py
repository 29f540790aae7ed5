"""Deadlines, timeouts of queues, clients that leave, and idle sequences."""

import socket
import threading
import time
from functools import partial

import grpc
import numpy as np

from backend_suite import repository, sequences
from backend_suite.client import Grpc, Refused, grpc_request, in_parallel, request
from backend_suite.tensors import expect
from checks import title

from . import frames
from .busy import (
    ENDLESS,
    LIMIT,
    cancels,
    ended,
    endless,
    http_of,
    is_busy,
    pending,
    rounds,
    send,
    until,
)
from .server import Server

LATE = 2.0  # seconds that a timer may be late on a machine that does much else
IDLE = 0.8  # seconds, a third of which passes between requests that keep a sequence
SHORT = 0.25  # seconds
# Of requests whose deadline is over, in the metrics: the server's clock and the client's compete.
LATE_REASONS = ("REJECTED", "CANCELED")
BUSY = {  # models whose runs are as slow as the request asks for, each for one check
    "timeout": "timeout_action: REJECT default_timeout_microseconds: 250000",
    "override": "default_timeout_microseconds: 90000000 allow_timeout_override: true",
    "fixed": "default_timeout_microseconds: 400000",
    "delay": "timeout_action: DELAY default_timeout_microseconds: 100000",
    "full": "max_queue_size: 2",
    "free": "",
}
LEVELS = """\
dynamic_batching {
  priority_levels: 2
  default_priority_level: 2
  priority_queue_policy { key: 1 value { default_timeout_microseconds: 250000 } }
  priority_queue_policy { key: 2 value { default_timeout_microseconds: 90000000 } }
}"""


def run(suite):
    folder = suite.folder / "timers"
    models = repository.Repository(folder / "models")
    add_models(models)
    with Server(suite.trident, models.folder, folder / "log") as running:
        core = threading.Lock()
        cases = {}
        for function in ALONE:
            cases[title(function)] = partial(in_turn, core, function, running)
        for function in BESIDE:
            cases[title(function)] = partial(function, running)
        # Half of the cores are busy at a time, so that the others answer in time.
        suite.check_beside(cases, threads=len(BESIDE) + 1)
        running.alive()
    suite.check("no panic in the log", running.no_panic)


def in_turn(core, function, running):
    with core:
        running.alive()
        function(running)


def add_models(models):
    for name, policy in BUSY.items():
        extra = f"dynamic_batching {{ default_queue_policy {{ {policy} }} }}"
        repository.countdown(models, f"busy_{name}", extra if policy else "")
    repository.countdown(models, "busy_levels", LEVELS)
    repository.add_one(models)
    delay = "dynamic_batching { max_queue_delay_microseconds: 300000 }"
    repository.add_one(models, "delayed", extra=delay)
    idle = f"max_sequence_idle_microseconds: {int(IDLE * 1e6)}"
    for name, batch in (("sums", 4), ("one_slot", 1)):
        add_sums(models, name, idle, batch)


def add_sums(models, name, idle, batch):
    """OUTPUT = the sum of the sequence's inputs so far, for so many sequences at a time."""
    sequences.running_sums(models, name)
    file = models.folder / name / "config.pbtxt"
    text = file.read_text().replace(sequences.IDLE, idle)
    text = text.replace("max_batch_size: 4", f"max_batch_size: {batch}")
    file.write_text(f"{text}\ninstance_group [ {{ kind: KIND_CPU count: 1 }} ]\n")


def refusal(function):
    """The error that a request gets, and after how many seconds."""
    start = time.monotonic()
    try:
        function()
    except Refused as refused:
        return refused, time.monotonic() - start
    raise AssertionError("the request is answered")


def behind(running, model, parameters=None):
    """The refusal of a request that waits for an endless run of its model."""
    ask = partial(http_of(running).infer, model, rounds(1), parameters=parameters)
    return refusal(ask)


def expect_timeout(refused, seconds, least):
    assert (refused.code, refused.text) == (503, "Request timeout expired"), refused
    assert least <= seconds <= least + LATE, f"after {seconds:.3f} s instead of {least} s"


# ---- clients that leave -----------------------------------------------------------------------


def closed_connection(running):
    """A client that closes its HTTP connection ends its run (#7077)."""
    with cancels(running, "busy_free"), endless(running, "busy_free"):
        pass


def closed_after_the_next_request(running):
    """A client that has sent its next request, and closes, ends the run of the first (#7077)."""
    with cancels(running, "busy_free"), endless(running, "busy_free") as connection:
        connection.sock.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(SHORT)
        until(lambda: is_busy(running), "the run goes on")
    body, _ = request(rounds(ENDLESS), binary=False)
    length = f"Content-Length: {len(body)}\r\n\r\n".encode()
    first = b"POST /v2/models/busy_free/infer HTTP/1.1\r\nHost: x\r\n" + length + body
    with cancels(running, "busy_free"):
        place = ("127.0.0.1", running.port("HTTP"))
        with socket.create_connection(place, LIMIT) as connection:
            connection.sendall(first + b"GET /v2 HTTP/1.1\r\nHost: x\r\n\r\n" * 3)
            until(lambda: is_busy(running), "a run takes a core")


def closed_while_queued(running):
    """A client that leaves while its request waits takes it out of the queue (#7077)."""
    with endless(running, "busy_free"):
        waiting = send(running, "busy_free", rounds(1))
        until(lambda: pending(running, "busy_free") == 1, "the request waits")
        before = ended(running, "busy_free")
        waiting.close()
        until(lambda: ended(running, "busy_free") == before + 1, "the request is cancelled")
        until(lambda: pending(running, "busy_free") == 0, "no request waits")
        until(lambda: is_busy(running), "the run before it goes on")
        before = ended(running, "busy_free")
    until(lambda: ended(running, "busy_free") == before + 1, "the run is cancelled")


def client_timeout(running):
    """A run ends when its gRPC client's time is over (#7532)."""
    client = Grpc(running.port("gRPC"), limit=SHORT)
    with cancels(running, "busy_free", reasons=LATE_REASONS):
        refused, seconds = refusal(lambda: client.infer("busy_free", rounds(ENDLESS)))
    assert refused.code == "DEADLINE_EXCEEDED", refused
    assert seconds <= SHORT + LATE, seconds
    client.close()


def cancelled_call(running):
    """A run ends when its gRPC call is cancelled (#7532)."""
    client = Grpc(running.port("gRPC"))
    with cancels(running, "busy_free"):
        call = client.stub.ModelInfer.future(grpc_request("busy_free", rounds(ENDLESS)))
        until(lambda: is_busy(running), "a run takes a core")
        assert call.cancel()
    client.close()


def closed_channel(running):
    """A run ends when its gRPC client closes the channel."""
    client = Grpc(running.port("gRPC"))
    with cancels(running, "busy_free"):
        call = client.stub.ModelInfer.future(grpc_request("busy_free", rounds(ENDLESS)))
        until(lambda: is_busy(running), "a run takes a core")
        client.close()
    assert call.done()


def cancelled_stream(running):
    """Runs and waiting requests of a gRPC stream end when it is cancelled."""
    client = Grpc(running.port("gRPC"))
    hold = threading.Event()

    def messages():
        for _ in range(3):
            yield grpc_request("busy_free", rounds(ENDLESS))
        hold.wait()

    with cancels(running, "busy_free", 3):
        stream = client.stub.ModelStreamInfer(messages())
        until(lambda: pending(running, "busy_free") == 2, "two requests wait")
        stream.cancel()
    hold.set()
    client.close()


def stream_timeout(running):
    """The deadline of a gRPC stream ends its runs, also without the client's word (#7532)."""
    client = Grpc(running.port("gRPC"))
    with cancels(running, "busy_free", reasons=LATE_REASONS):
        requests = iter([grpc_request("busy_free", rounds(ENDLESS))])
        try:
            found = list(client.stub.ModelStreamInfer(requests, timeout=SHORT))
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
        else:
            raise AssertionError(f"the stream has ended with {found}")
    client.close()


def waiting_deadline(running):
    """The deadline of a gRPC request holds while it waits behind a run (#7532)."""
    client = Grpc(running.port("gRPC"), limit=SHORT)
    with endless(running, "busy_free"):
        refused, seconds = refusal(lambda: client.infer("busy_free", rounds(1)))
        assert refused.code == "DEADLINE_EXCEEDED", refused
        assert seconds <= SHORT + LATE, seconds
        until(lambda: pending(running, "busy_free") == 0, "no request waits")
        until(lambda: is_busy(running), "the run before it goes on")
    client.close()


def deadline_of_the_server(running):
    """A run ends at the deadline of `grpc-timeout` by the server's own clock (#7532)."""
    with frames.Connection(running.places["gRPC"]) as connection:
        message = grpc_request("busy_free", rounds(ENDLESS)).SerializeToString()
        with cancels(running, "busy_free", reasons=LATE_REASONS):
            start = time.monotonic()
            connection.call("ModelInfer", message, {"grpc-timeout": "300m"})
            # This client waits on, and neither resets its stream nor closes the connection.
            kinds = connection.kinds_until_end(LIMIT)
            seconds = time.monotonic() - start
        assert kinds == ["HEADERS"], f"an answer of {kinds}"
        assert 0.3 <= seconds <= 0.3 + LATE, f"after {seconds:.3f} s"


def deadline_of_a_stream(running):
    """A stream ends with DEADLINE_EXCEEDED, and no answer, by the server's own clock (#7532)."""
    with frames.Connection(running.places["gRPC"]) as connection:
        message = grpc_request("busy_free", rounds(ENDLESS)).SerializeToString()
        for _ in range(5):
            with cancels(running, "busy_free", reasons=LATE_REASONS):
                connection.call("ModelStreamInfer", message, {"grpc-timeout": "60m"})
                kinds = connection.kinds_until_end(LIMIT)
            # The head of the answer, and the outcome of the call.
            assert kinds == ["HEADERS", "HEADERS"], f"an answer of {kinds}"


# ---- queues -----------------------------------------------------------------------------------


def queue_timeout(running):
    """A queue's timeout fires while the instance is busy (#7512)."""
    before = ended(running, "busy_timeout", "REJECTED")
    with endless(running, "busy_timeout"):
        refused, seconds = behind(running, "busy_timeout")
        expect_timeout(refused, seconds, SHORT)
        until(lambda: is_busy(running), "the run before it goes on")
    until(lambda: ended(running, "busy_timeout", "REJECTED") == before + 1, "it is counted")


def queue_timeout_grpc(running):
    """A queue's timeout fires over gRPC, too (#7512)."""
    client = Grpc(running.port("gRPC"))
    with endless(running, "busy_timeout"):
        refused, seconds = refusal(lambda: client.infer("busy_timeout", rounds(1)))
    assert (refused.code, refused.text) == ("UNAVAILABLE", "Request timeout expired"), refused
    assert SHORT <= seconds <= SHORT + LATE, seconds
    client.close()


def several_timeouts(running):
    """Each waiting request has its own timeout (#7512)."""
    times = (0.1, 0.5, 0.3)
    with endless(running, "busy_override"):
        found = in_parallel(
            [
                partial(behind, running, "busy_override", {"timeout": int(seconds * 1e6)})
                for seconds in times
            ]
        )
    for seconds, (refused, took) in zip(times, found, strict=True):
        expect_timeout(refused, took, seconds)


def timeout_not_overridden(running):
    """A request's timeout counts only where the configuration allows it."""
    with endless(running, "busy_fixed"):
        refused, seconds = behind(running, "busy_fixed", {"timeout": 50_000})
        expect_timeout(refused, seconds, 0.4)


def longer_override(running):
    """A request's timeout that is longer than the default does not replace it."""
    with endless(running, "busy_timeout"):
        refused, seconds = behind(running, "busy_timeout", {"timeout": 60_000_000})
        expect_timeout(refused, seconds, SHORT)


def delayed_not_refused(running):
    """A late request of a queue that delays is answered once the instance is free."""
    with endless(running, "busy_delay") as connection:
        late = send(running, "busy_delay", rounds(1))
        until(lambda: pending(running, "busy_delay") == 1, "the request waits")
        time.sleep(0.3)
        assert pending(running, "busy_delay") == 1, "it no longer waits"
        connection.close()
        answer = late.getresponse()
        assert answer.status == 200, answer.read()
        late.close()


def full_queue(running):
    """A request beyond the queue's size is refused at once."""
    with endless(running, "busy_full"):
        waiting = [send(running, "busy_full", rounds(1)) for _ in range(2)]
        until(lambda: pending(running, "busy_full") == 2, "two requests wait")
        refused, seconds = behind(running, "busy_full")
        assert refused.code == 503 and "Exceeds maximum queue size" in refused.text, refused
        assert seconds < LATE, seconds
    for connection in waiting:
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        connection.close()


def timeouts_of_levels(running):
    """Each priority level has its own timeout."""
    with endless(running, "busy_levels"):
        low = send(running, "busy_levels", rounds(1), {"priority": 2})
        refused, seconds = behind(running, "busy_levels", {"priority": 1})
        expect_timeout(refused, seconds, SHORT)
        assert pending(running, "busy_levels") == 1, "the other level's request waits no more"
    answer = low.getresponse()
    assert answer.status == 200, answer.read()
    low.close()


def others_meanwhile(running):
    """Other models answer while a run takes a core."""
    with endless(running, "busy_free"):
        client, x = http_of(running), np.ones((1, 16), np.float32)
        for _ in range(50):
            expect({"OUTPUT0": x + 1}, client.infer("add", {"INPUT0": x}))


def queue_delay_alone(running):
    """A request alone waits for the queue's delay, then runs."""
    client, x = http_of(running), np.ones((1, 16), np.float32)
    start = time.monotonic()
    expect({"OUTPUT0": x + 1}, client.infer("delayed", {"INPUT0": x}))
    seconds = time.monotonic() - start
    assert 0.25 <= seconds <= 0.3 + LATE, f"{seconds:.3f} s"
    # A full batch does not wait; it shares the model with this check alone.
    x, start = np.ones((8, 16), np.float32), time.monotonic()
    expect({"OUTPUT0": x + 1}, client.infer("delayed", {"INPUT0": x}))
    seconds = time.monotonic() - start
    assert seconds < 0.25, f"a full batch waits for {seconds:.3f} s"


# ---- sequences --------------------------------------------------------------------------------


def step(running, model, number, value, **ends):
    return sequences.step(http_of(running), model, number, value, **ends)


NO_START = "must specify the START flag"


def idle_sequence(running):
    """A sequence without requests for its idle time is over."""
    assert step(running, "sums", 1, 5, start=True) == 5
    time.sleep(IDLE + 0.3)
    refused, _ = refusal(lambda: step(running, "sums", 1, 6))
    assert refused.code == 400 and NO_START in refused.text, refused
    assert step(running, "sums", 1, 7, start=True) == 7, "the state of the old sequence is there"


def kept_sequence(running):
    """A sequence with requests within its idle time goes on, beyond that time."""
    found = [step(running, "sums", 2, 1, start=True)]
    for _ in range(5):
        time.sleep(IDLE / 3)
        found.append(step(running, "sums", 2, 1))
    assert found == [1, 2, 3, 4, 5, 6], found


def idle_slot(running):
    """A sequence that waits for a slot gets it when another is idle, and sees no state (#7117)."""
    start = time.monotonic()
    assert step(running, "one_slot", 1, 100, start=True) == 100
    assert step(running, "one_slot", 2, 1, start=True) == 1, "the state of the other sequence"
    seconds = time.monotonic() - start
    assert IDLE <= seconds <= IDLE + LATE, f"after {seconds:.3f} s"
    assert step(running, "one_slot", 2, 1, end=True) == 2
    assert step(running, "one_slot", 3, 1, start=True, end=True) == 1


def left_sequence(running):
    """A client that leaves within a sequence hands its state to nobody (#7117)."""
    connection = send(
        running, "sums", {"INPUT": np.array([[9]], np.float32)},
        {"sequence_id": 11, "sequence_start": True},
    )  # fmt: skip
    connection.close()
    found = [step(running, "sums", number, 1, start=True, end=True) for number in range(12, 20)]
    assert found == [1] * 8, found
    assert step(running, "sums", 11, 2, start=True, end=True) == 2


def restarted_sequence(running):
    """START on a sequence that goes on begins with fresh states (#7117)."""
    found = [
        step(running, "sums", 21, 5, start=True),
        step(running, "sums", 21, 5),
        step(running, "sums", 21, 1, start=True),
        step(running, "sums", 21, 1, end=True),
    ]
    assert found == [5, 10, 1, 2], found


def refused_step(running):
    """A request that is refused changes no state of its sequence."""
    assert step(running, "sums", 31, 5, start=True) == 5
    client = http_of(running)
    bad = {"sequence_id": 31, "sequence_start": False}
    refused, _ = refusal(
        lambda: client.infer("sums", {"INPUT": np.zeros((1, 2), np.float32)}, parameters=bad)
    )
    assert refused.code == 400, refused
    assert step(running, "sums", 31, 1, end=True) == 6


def sequences_of_a_stream(running):
    """Requests of two sequences in one gRPC stream keep their order and their states."""
    client = Grpc(running.port("gRPC"))

    def messages():
        for k in range(6):
            for number in (41, 42):
                message = grpc_request("sums", {"INPUT": np.array([[number]], np.float32)})
                message.parameters["sequence_id"].int64_param = number
                message.parameters["sequence_start"].bool_param = k == 0
                message.parameters["sequence_end"].bool_param = k == 5
                yield message

    found = {41: [], 42: []}
    for k, message in enumerate(client.stub.ModelStreamInfer(messages(), timeout=30)):
        assert not message.error_message, message.error_message
        [data] = message.infer_response.raw_output_contents
        found[41 + k % 2].append(float(np.frombuffer(data, np.float32)[0]))
    assert found == {n: [n * float(k + 1) for k in range(6)] for n in (41, 42)}, found
    client.close()


ALONE = (
    closed_connection,
    closed_after_the_next_request,
    closed_while_queued,
    client_timeout,
    cancelled_call,
    closed_channel,
    cancelled_stream,
    stream_timeout,
    waiting_deadline,
    deadline_of_the_server,
    deadline_of_a_stream,
    queue_timeout,
    queue_timeout_grpc,
    several_timeouts,
    timeout_not_overridden,
    longer_override,
    delayed_not_refused,
    full_queue,
    timeouts_of_levels,
    others_meanwhile,
)
BESIDE = (
    queue_delay_alone,
    idle_sequence,
    kept_sequence,
    idle_slot,
    left_sequence,
    restarted_sequence,
    refused_step,
    sequences_of_a_stream,
)
