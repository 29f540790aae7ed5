"""Clients that send requests until they are told to stop, as a process of their own.

Each line of the input is the number of clients of each protocol. The process then prints how many
requests have had the right answer, and what happened to the others, as a line of JSON.
"""

import collections
import json
import sys
import threading

import numpy as np
import tritonclient.grpc
import tritonclient.http

MODEL = "digits"
TOLERANCE = 1e-6
MODULES = {"http": tritonclient.http, "grpc": tritonclient.grpc}
SHOWN = 200  # letters of an error


def image():
    return np.random.default_rng(0).random((1, 1, 8, 8), dtype=np.float32)


def infer(client, module, data):
    """The model's answer, through a client of either protocol."""
    given = module.InferInput("image", data.shape, "FP32")
    given.set_data_from_numpy(data)
    return client.infer(MODEL, [given]).as_numpy("probabilities")


class Load:
    """Threads with a client each, and the counts of their requests."""

    def __init__(self, addresses):
        self.addresses, self.wanted = addresses, dict.fromkeys(addresses, 0)
        self.threads = {protocol: [] for protocol in addresses}
        self.lock, self.right, self.wrong = threading.Lock(), collections.Counter(), []
        self.data = image()
        client = self.client("http")
        self.expected = infer(client, MODULES["http"], self.data)
        client.close()

    def client(self, protocol):
        return MODULES[protocol].InferenceServerClient(self.addresses[protocol])

    def set(self, count):
        """Change the number of clients of each protocol."""
        for protocol, threads in self.threads.items():
            self.wanted[protocol] = count
            for thread in threads[count:]:
                thread.join()
            del threads[count:]
            for index in range(len(threads), count):
                thread = threading.Thread(target=self.send, args=(protocol, index), daemon=True)
                thread.start()
                threads.append(thread)

    def send(self, protocol, index):
        client = self.client(protocol)
        while index < self.wanted[protocol]:
            error = self.fault(client, protocol)
            with self.lock:
                if error:
                    self.wrong.append(error)
                else:
                    self.right[protocol] += 1
        client.close()

    def fault(self, client, protocol):
        """What is wrong with the answer to a request, if anything is."""
        try:
            answer = infer(client, MODULES[protocol], self.data)
        except Exception as error:  # whatever a client raises is the outcome
            return f"{protocol}: {error!r}"[:SHOWN]
        if not np.allclose(answer, self.expected, rtol=0, atol=TOLERANCE):
            return f"{protocol}: {answer}, not {self.expected}"[:SHOWN]
        return None

    def counts(self):
        with self.lock:
            return {"right": dict(self.right), "wrong": list(self.wrong)}


def main():
    http, grpc = sys.argv[1:]
    load = Load({"http": http, "grpc": grpc})
    for line in sys.stdin:
        if line.strip():
            load.set(int(line))
        print(json.dumps(load.counts()), flush=True)
    load.set(0)


if __name__ == "__main__":
    main()
