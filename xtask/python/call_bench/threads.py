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


def measure(subject, make, threads, turns, seconds):
    """Calls per second on one model, and on a model for each thread.

    They are means of turns that alternate: of models that compute little, a turn is fast while one
    thread keeps the interpreter, and slow while the threads hand it on, so no turn is typical.
    """
    shared, own = [make(subject)] * threads, [make(subject) for _ in range(threads)]
    for call in own:
        call()
    rates = {"one": [], "each": []}
    for turn in range(turns):
        order = [("one", shared), ("each", own)]
        for name, calls in order if turn % 2 else reversed(order):
            rates[name].append(throughput(calls, seconds))
    return {name: statistics.fmean(record) for name, record in rates.items()}
