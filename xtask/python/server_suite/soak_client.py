"""Requests for a time: `python -m server_suite.soak_client HTTP GRPC SECONDS SEED`.

The last line is JSON: how many requests of each kind were answered, and what was wrong.
"""

import collections
import json
import random
import sys
import threading
import time

import numpy as np

from backend_suite import sequences
from backend_suite.client import Grpc, Http, Refused, grpc_request
from backend_suite.tensors import expect

THREADS = 4
MOST = 20  # failures that are told


class Worker:
    def __init__(self, http, grpc, seed):
        self.http, self.grpc = Http(http), Grpc(grpc)
        self.rng, self.counts, self.wrong = random.Random(seed), collections.Counter(), []

    def run(self, end):
        kinds = (self.changed, self.changed, self.leaving, self.sequence, self.stream, self.refused)
        while time.monotonic() < end and len(self.wrong) < MOST:
            kind = self.rng.choice(kinds)
            try:
                kind()
                self.counts[kind.__name__] += 1
            except Exception as error:  # any failure is one of the server
                self.wrong.append(f"{kind.__name__}: {type(error).__name__}: {error}"[:300])

    def client(self):
        return self.rng.choice((self.http, self.grpc))

    def add(self, model):
        x = np.full((self.rng.randrange(1, 9), 16), self.rng.randrange(1000), np.float32)
        found = self.client().infer(model, {"INPUT0": x})["OUTPUT0"]
        amount = float(found[0, 0] - x[0, 0])
        assert 1 <= amount <= 50, amount
        expect({"OUTPUT0": x + np.float32(amount)}, {"OUTPUT0": found})

    def changed(self):
        """A model that is overwritten all the while, and always answers."""
        self.add("changed")

    def leaving(self):
        """A model that is unloaded at times."""
        try:
            self.add("leaving")
        except Refused as refused:
            assert refused.code in (404, "NOT_FOUND"), refused
            self.counts["unknown"] += 1

    def sequence(self):
        number = self.rng.randrange(1, 1 << 60)
        count = self.rng.randrange(1, 6)
        for k in range(count):
            found = sequences.step(
                self.http, "running_sums", number, 2, start=k == 0, end=k == count - 1
            )
            assert found == 2 * (k + 1), (k, found)

    def stream(self):
        count = self.rng.randrange(1, 20)
        message = grpc_request(
            "repeat_int32",
            {
                "IN": np.arange(count, dtype=np.int32),
                "DELAY": np.zeros(count, np.uint32),
                "WAIT": np.zeros(1, np.uint32),
            },
        )
        stream = self.grpc.stub.ModelStreamInfer(iter([message]), timeout=60)
        found = [
            np.frombuffer(one.infer_response.raw_output_contents[0], np.int32)[0] for one in stream
        ]
        assert found == list(range(count)), found

    def refused(self):
        """A request that is wrong, and refused."""
        try:
            self.client().infer("changed", {"INPUT0": np.zeros((1, 3), np.float32)})
        except Refused as refused:
            assert refused.code in (400, "INVALID_ARGUMENT"), refused
            return
        raise AssertionError("a wrong request is answered")


def main(http, grpc, seconds, seed):
    end = time.monotonic() + float(seconds)
    http, grpc = (int(place.rpartition(":")[2]) for place in (http, grpc))
    workers = [Worker(http, grpc, f"{seed} {number}") for number in range(THREADS)]
    threads = [threading.Thread(target=worker.run, args=(end,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = sum((worker.counts for worker in workers), collections.Counter())
    wrong = [line for worker in workers for line in worker.wrong]
    print(json.dumps({"counts": counts, "wrong": wrong}))


if __name__ == "__main__":
    main(*sys.argv[1:])
