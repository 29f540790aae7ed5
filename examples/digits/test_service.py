"""The service as a program: asked by many clients at once, and stopped by its process id."""

import asyncio
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from PIL import Image

from classify import HERE
from train import PREPROCESS

PICTURES = [(HERE / f"{digit}.png").read_bytes() for digit in range(10)]


@contextlib.contextmanager
def service(*options):
    """The address and the process of a service on a free port."""
    command = [sys.executable, HERE / "service.py", "--port", "0", *options]
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, **pipe, text=True) as process:
        try:
            yield process.stdout.readline().strip(), process
        finally:
            process.kill()


def stop(process, number=signal.SIGTERM):
    """Stop a service, which succeeds within seconds and has printed nothing but its address."""
    os.kill(process.pid, number)
    status = process.wait(timeout=5)
    if printed := process.stdout.read():
        raise AssertionError(printed)
    if status != 0:
        raise AssertionError(f"the service has ended with status {status}")


def ask(address, body):
    """Status and answer."""
    try:
        with urllib.request.urlopen(address, body, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


async def ask_all(address, bodies):
    """The answers to requests that are all under way at the same time."""
    return await asyncio.gather(*[asyncio.to_thread(ask, address, body) for body in bodies])


def endless(file):
    """Write a model that takes pictures, doubles them in a loop, and never ends."""

    def value(name, kind, *dims):
        return helper.make_tensor_value_info(name, kind, dims)

    flag, number, picture = TensorProto.BOOL, TensorProto.FLOAT, ("N", 1, 8, 8)
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Add", ["v", "v"], ["w"])],
        "body",
        [value("step", TensorProto.INT64), value("go", flag), value("v", number, *picture)],
        [value("on", flag), value("w", number, *picture)],
    )
    graph = helper.make_graph(
        [helper.make_node("Loop", ["", "true", "image"], ["probabilities"], body=body)],
        "endless",
        [value("image", number, *picture)],
        [value("probabilities", number, *picture)],
        [helper.make_tensor("true", flag, [], [True])],
    )
    opsets = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    helper.set_model_props(model, {"trident.preprocess": PREPROCESS, "trident.labels": "none"})
    onnx.save(model, file)


class Service(unittest.TestCase):
    def test_requests_at_the_same_time_get_onnxruntimes_probabilities(self):
        with service() as (address, process):
            answers = asyncio.run(ask_all(address, PICTURES * 20))
            stop(process)
        pixels = np.stack([np.asarray(Image.open(HERE / f"{digit}.png")) for digit in range(10)])
        session = onnxruntime.InferenceSession(HERE / "digits.onnx")
        (expected,) = session.run(None, {"image": pixels[:, None].astype(np.float32) / 255})
        for k, (status, answer) in enumerate(answers):
            self.assertEqual((status, answer["label"]), (200, str(k % 10)))
            self.assertAlmostEqual(answer["probability"], float(expected[k % 10].max()), places=6)

    def test_a_body_that_is_not_a_picture_is_an_error_of_its_request_alone(self):
        with service() as (address, process):
            answers = asyncio.run(ask_all(address, [b"text", PICTURES[7], PICTURES[7][:60], None]))
            self.assertEqual([status for status, _ in answers], [400, 200, 400, 400])
            self.assertIn("cannot identify image", answers[0][1]["error"])
            stop(process, signal.SIGINT)

    def test_a_run_that_lasts_too_long_is_cancelled(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "endless.onnx"
            endless(file)
            with service("--model", file, "--seconds", "0.3") as (address, process):
                # More runs than cores: each of them must end for the others to begin.
                answers = asyncio.run(ask_all(address, PICTURES))
                self.assertEqual(answers, [(503, {"error": "not done in 0.3 s"})] * 10)
                stop(process)

    def test_a_signal_cancels_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "endless.onnx"
            endless(file)
            with service("--model", file, "--seconds", "1000") as (address, process):
                asyncio.run(self.stop_during_a_run(address, process))

    async def stop_during_a_run(self, address, process):
        asked = asyncio.create_task(asyncio.to_thread(ask, address, PICTURES[7]))
        await asyncio.sleep(0.5)
        self.assertFalse(asked.done())
        await asyncio.to_thread(stop, process)
        self.assertEqual(await asked, (503, {"error": "the service stops"}))


if __name__ == "__main__":
    unittest.main()
