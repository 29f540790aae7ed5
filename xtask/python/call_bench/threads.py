"""Calls per second of several threads: all on one model, or each on a model of its own."""

import statistics
import threading
import time

import trident
import trident.onnxruntime

from .calls import session


def throughput(calls, seconds):
    """Calls per second of threads that each make one of the calls again and again."""
    counts, stop = [0] * len(calls), threading.Event()
    start = threading.Barrier(len(calls) + 1)

    def work(i, call):
        start.wait()
        done = 0
        while not stop.is_set():
            call()
            done += 1
        counts[i] = done

    threads = [threading.Thread(target=work, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    time.sleep(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.perf_counter() - began)


def of_model(subject):
    """A call of a new model."""
    model = trident.Model(subject.file, threads=1)
    return lambda: model(subject.array)


def of_session(subject):
    """A run of a new session."""
    run = session(trident.onnxruntime, subject.file).run
    feed = {subject.input: subject.array}
    return lambda: run(None, feed)


def measure(subject, make, threads, rounds, seconds):
    """Medians: calls per second on one model, on a model for each thread, and the ratio of turns.

    Two turns follow each other within a round, so their ratio varies less than either of them.
    """
    shared, own = [make(subject)] * threads, [make(subject) for _ in range(threads)]
    for call in own:
        call()
    times = {"one": [], "each": []}
    for turn in range(rounds):
        order = [("one", shared), ("each", own)]
        for name, calls in order if turn % 2 else reversed(order):
            times[name].append(throughput(calls, seconds))
    ratios = [one / each for one, each in zip(times["one"], times["each"], strict=True)]
    figures = times | {"ratio": ratios}
    return {name: statistics.median(record) for name, record in figures.items()}
