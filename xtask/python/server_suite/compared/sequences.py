"""The sequence batcher: flags, controls, states and slots."""

import time

from .models import marks, sums
from .talk import choice, tensor

OLDEST = "oldest { max_candidate_sequences: 4 }"
DIRECT = "direct { }"
SHORT = "max_sequence_idle_microseconds: 300000"


def _flags(sequence, start=False, end=False):
    return {"sequence_id": sequence, "sequence_start": start, "sequence_end": end}


def _x(value):
    return tensor("INPUT", "FP32", [1, 1], [value])


def _step(t, value, sequence, start=False, end=False, **fields):
    t.infer(_x(value), parameters=_flags(sequence, start, end), **fields)


def _call(t, value, sequence, start=False, end=False, **fields):
    given = {key: choice(each) for key, each in _flags(sequence, start, end).items()}
    t.rpc_infer(_x(value), parameters=given, **fields)


def state_sums(t):
    t.serve(sums, initial="zero")
    _step(t, 1, 7, start=True)
    _step(t, 2, 7)
    _step(t, 3, 7, end=True)
    t.stats()


def state_sums_oldest(t):
    t.serve(sums, initial="zero", strategy=OLDEST)
    _step(t, 1, 7, start=True)
    _step(t, 2, 7)
    _step(t, 3, 7, end=True)
    t.stats()


def state_of_interleaved_sequences(t):
    for strategy in (DIRECT, OLDEST):
        name = t.serve(sums, name=f"{t.name}_{strategy[:6]}", initial="zero", strategy=strategy)
        for value in range(3):
            for sequence in (1, 2, 3):
                flags = {"start": value == 0, "end": value == 2}
                _step(t, 10 * sequence + value, sequence, model=name, **flags)
        t.stats(name)


def state_begins_anew(t):
    t.serve(sums, initial="zero")
    for _ in range(2):
        _step(t, 5, 1, start=True)
        _step(t, 6, 1, end=True)
    _step(t, 1, 1, start=True)
    _step(t, 2, 1, start=True)
    _step(t, 3, 1)


def state_from_file(t):
    t.serve(sums, initial=[40.0])
    _step(t, 2, 1, start=True)
    _step(t, 3, 1, end=True)
    _step(t, 2, 2, start=True, end=True)


def state_from_file_that_is_missing(t):
    sums(t.side.models, t.name, initial=[40.0])
    (t.folder() / "initial_state/start").unlink()
    t.load()


def state_from_file_of_wrong_size(t):
    sums(t.side.models, t.name, initial=[40.0])
    (t.folder() / "initial_state/start").write_bytes(b"\0\0")
    t.load()
    _step(t, 2, 1, start=True)


def state_without_batch(t):
    t.serve(sums, initial="zero", batch=0)
    for value in (1, 2, 3):
        flags = _flags(4, value == 1, value == 3)
        t.infer(tensor("INPUT", "FP32", [1], [value]), parameters=flags)


def state_after_a_wrong_request(t):
    t.serve(sums, initial="zero")
    _step(t, 1, 7, start=True)
    t.infer(tensor("INPUT", "FP32", [1, 2], [1, 2]), parameters=_flags(7))
    t.infer(tensor("INPUT", "INT32", [1, 1], [1]), parameters=_flags(7))
    _step(t, 2, 7)


def batch_in_a_sequence(t):
    t.serve(sums, initial="zero")
    t.infer(tensor("INPUT", "FP32", [2, 1], [1, 2]), parameters=_flags(7, start=True))


def controls(t):
    for strategy in (DIRECT, OLDEST):
        name = t.serve(marks, name=f"{t.name}_{strategy[:6]}", strategy=strategy)
        _step(t, 1, 5, start=True, model=name)
        _step(t, 2, 5, model=name)
        _step(t, 3, 5, end=True, model=name)
        _step(t, 4, 6, start=True, end=True, model=name)


def controls_of_large_ids(t):
    t.serve(marks)
    for sequence in (1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64):
        _step(t, 1, sequence, start=True, end=True)


def controls_over_grpc(t):
    t.serve(marks)
    _call(t, 1, 5, start=True)
    _call(t, 2, 5)
    _call(t, 3, 5, end=True)
    _call(t, 3, -5, start=True)
    _call(t, 3, 0, start=True)


def text_ids(t):
    t.serve(marks, corrid="BYTES")
    _step(t, 1, "first", start=True)
    _step(t, 2, "first")
    _step(t, 3, "ä😀", start=True, end=True)
    _step(t, 4, "first", end=True)
    _step(t, 5, "", start=True)
    _call(t, 6, "x" * 200, start=True, end=True)


def text_ids_too_long(t):
    t.serve(marks, corrid="BYTES")
    for length in (127, 128, 129, 1000):
        _step(t, 1, "x" * length, start=True, end=True)
        _call(t, 1, "x" * length, start=True, end=True)


def number_ids_of_text_controls(t):
    """Digits are a text. A number itself is not sent: 2.51 reads it as a text of random bytes."""
    t.serve(marks, corrid="BYTES")
    _step(t, 1, "7", start=True)
    _step(t, 1, "07")
    _step(t, 2, "7", end=True)


def text_ids_of_number_controls(t):
    t.serve(sums, initial="zero")
    _step(t, 1, "a", start=True)
    _step(t, 2, "a")
    _step(t, 2, "b")


def ids_of_32_bits(t):
    t.serve(marks, corrid="INT32")
    for sequence in (7, 2147483647, 2147483648):
        _step(t, 1, sequence, start=True, end=True)


def ids_beyond_32_bits(t):
    t.serve(marks, corrid="INT32")
    _step(t, 1, 4294967297, start=True, end=True)


def no_id(t):
    t.serve(marks)
    t.infer(_x(1))
    t.infer(_x(1), parameters={"sequence_start": True})
    t.infer(_x(1), parameters={"sequence_id": 0, "sequence_start": True}, id="r")
    t.rpc_infer(_x(1))
    t.stats()


def no_start(t):
    t.serve(marks)
    _step(t, 1, 5)
    _step(t, 1, 5, id="r")
    _step(t, 1, 5, end=True)
    _call(t, 1, 5)
    _step(t, 1, 5, start=True)
    t.stats()


def two_starts(t):
    t.serve(sums, initial="zero")
    _step(t, 1, 5, start=True)
    _step(t, 2, 5)
    _step(t, 3, 5, start=True)
    _step(t, 4, 5)
    _step(t, 5, 5, end=True)
    t.stats()


def two_ends(t):
    t.serve(marks)
    _step(t, 1, 5, start=True, end=True)
    _step(t, 2, 5, end=True)
    _step(t, 3, 5)


def start_and_end_at_once(t):
    t.serve(sums, initial="zero")
    _step(t, 1, 5, start=True, end=True)
    _step(t, 2, 5)
    _step(t, 3, 5, start=True, end=True)


def idle_sequences_end(t):
    t.serve(sums, initial="zero", idle=SHORT)
    _step(t, 1, 5, start=True)
    _step(t, 2, 5)
    time.sleep(1.2)
    _step(t, 3, 5, id="late")
    _step(t, 4, 5, start=True)
    t.stats()


def idle_sequences_end_oldest(t):
    t.serve(sums, initial="zero", idle=SHORT, strategy=OLDEST)
    _step(t, 1, 5, start=True)
    time.sleep(1.2)
    _step(t, 3, 5)


def slots_are_few(t):
    """A third sequence waits until a slot is free."""
    t.serve(sums, initial="zero", batch=1)
    _step(t, 1, 1, start=True)
    t.start("infer", _x(10), parameters=_flags(2, start=True), gap=0.1)
    t.start("infer", _x(5), parameters=_flags(1, end=True), gap=0.1)
    t.join()
    _step(t, 20, 2, end=True)


def backlog_and_end(t):
    """A sequence that waits for a slot may end before it has one."""
    t.serve(sums, initial="zero", batch=1)
    _step(t, 1, 1, start=True)
    t.start("infer", _x(10), parameters=_flags(2, start=True), gap=0.1)
    t.start("infer", _x(20), parameters=_flags(2, end=True), gap=0.1)
    t.start("infer", _x(5), parameters=_flags(1, end=True), gap=0.1)
    t.join()


def many_sequences_at_a_time(t):
    t.serve(sums, initial="zero", strategy=OLDEST)
    for sequence in range(1, 9):
        t.start("infer", _x(sequence), parameters=_flags(sequence, True, True), gap=0)
    t.join()


def sequence_of_a_stream(t):
    t.serve(sums, initial="zero")
    steps = [
        t.inference(
            _x(value),
            id=str(value),
            parameters={
                key: choice(each) for key, each in _flags(3, value == 1, value == 3).items()
            },
        )
        for value in (1, 2, 3, 4)
    ]
    t.stream(*steps, pause=0.05)


def sequence_parameters_without_batcher(t):
    from .models import add
    from .talk import row

    t.serve(add)
    t.infer(row(1, 2, 3, 4), parameters=_flags(7))
    t.infer(row(1, 2, 3, 4), parameters=_flags("x", True, True))


def strategies_that_are_wrong(t):
    for number, options in enumerate((
        {"strategy": "oldest { max_candidate_sequences: 0 }"},
        {"strategy": "oldest { max_candidate_sequences: 2 preferred_batch_size: [ 9 ] }"},
        {"strategy": "direct { minimum_slot_utilization: 2.0 }"},
        {"strategy": "direct { } oldest { }"},
    )):  # fmt: skip
        t.serve(sums, name=f"{t.name}_{number}", **options)


def configuration_of_a_sequence(t):
    t.serve(marks, strategy=OLDEST)
    t.get(f"/v2/models/{t.name}/config")
    t.get(f"/v2/models/{t.name}")
    t.rpc("ModelConfig", name=t.name)


def configuration_of_a_state(t):
    t.serve(sums, initial="zero")
    t.get(f"/v2/models/{t.name}/config")
    t.get(f"/v2/models/{t.name}")
