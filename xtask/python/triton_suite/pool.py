"""Worker processes: each runs tests of one file, and a crash or a hang costs one test."""

import collections
import json
import os
import resource
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time

from . import outcome

COLLECTION = 600  # seconds that a file may take to be collected
SHARE = 64  # tests that are worth another worker


class CannotCollect(Exception):
    """The file does not import, or pytest cannot run; the message is its own."""


class Worker:
    """A pytest process that has collected one file."""

    def __init__(self, suite, file, arguments, environment):
        ours, theirs = socket.socketpair()
        self.connection, self.buffer = ours, b""
        self.noise = tempfile.TemporaryFile()
        command = [sys.executable, "-m", "pytest", "-p", "triton_suite.plugin", "-q"]
        command += ["-p", "no:cacheprovider", "--rootdir", str(suite), *arguments, str(file)]
        self.process = subprocess.Popen(
            command,
            cwd=suite,
            env=environment | {outcome.SOCKET: str(theirs.fileno())},
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=self.noise,
            stderr=subprocess.STDOUT,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
        )
        theirs.close()
        answer = self.answer(COLLECTION)
        if answer is None or "collected" not in answer:
            raise CannotCollect(f"{file}: {self.stop()}")
        self.collected = answer["collected"]

    def run(self, test, timeout):
        """(result of one test, whether the worker lives on)."""
        start = time.monotonic()
        try:
            self.connection.sendall(test.encode() + b"\n")
            answer = self.answer(timeout)
        except TimeoutError:
            self.stop(grace=0)
            message = f"no end within {timeout:g} s"
            return result(outcome.TIMEOUT, message, timeout), False
        except OSError:
            answer = None
        if answer is None:
            return result(outcome.CRASH, self.stop(), time.monotonic() - start), False
        return answer, True

    def answer(self, timeout):
        """The next message; None when the process has ended."""
        end = time.monotonic() + timeout
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.connection], [], [], left)[0]:
                raise TimeoutError
            try:
                data = self.connection.recv(1 << 20)
            except ConnectionResetError:
                return None
            if not data:
                return None
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def stop(self, grace=10):
        """End the process; its exit status and the end of what it said."""
        self.connection.close()
        try:
            self.process.wait(grace)
        except subprocess.TimeoutExpired:
            self.process.kill()
        status = self.process.wait()
        self.noise.seek(0)
        said = self.noise.read().decode(errors="replace").split()
        self.noise.close()
        fatal = next((k for k, word in enumerate(said) if word == "Fatal"), None)
        words = said[fatal : fatal + 60] if fatal is not None else said[-60:]
        return f"exit status {status}: {' '.join(words)}"[: outcome.LENGTH]


def result(status, message, seconds):
    return {"status": status, "message": message, "launches": 0, "seconds": round(seconds, 3)}


class Pool:
    """Runs the tests of one file after the other on `jobs` workers; `limit(test)` gives seconds."""

    def __init__(self, suite, arguments, environment, jobs, limit):
        self.suite, self.arguments, self.limit = suite, arguments, limit
        self.environment = dict(os.environ) | environment
        self.jobs = jobs

    def start(self, file):
        return Worker(self.suite, file, self.arguments, self.environment)

    def run(self, file, select_tests, done):
        """Run those tests of `file` that `select_tests` chooses; `done(test, result)` for each."""
        first = self.start(file)
        queue = collections.deque(select_tests(first.collected))
        lock, failures = threading.Lock(), []

        def serve(worker):
            try:
                while True:
                    try:
                        test = queue.popleft()
                    except IndexError:
                        break
                    worker = worker or self.start(file)
                    answer, alive = worker.run(test, self.limit(test))
                    worker = worker if alive else None
                    with lock:
                        done(test, answer)
            except CannotCollect as error:
                failures.append(error)
            finally:
                if worker:
                    worker.stop()

        # Collecting takes longer than a few tests do, and short files then run in a fixed order.
        helpers = min(self.jobs, 1 + len(queue) // SHARE) - 1
        threads = [threading.Thread(target=serve, args=(None,)) for _ in range(helpers)]
        for thread in threads:
            thread.start()
        serve(first)
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]
