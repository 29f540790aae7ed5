#!/usr/bin/env python3
"""Serve the classifier over HTTP, with asyncio and nothing else.

    service.py [--port PORT] [--seconds SECONDS] [--model FILE]
    curl --data-binary @7.png http://127.0.0.1:8000

A request's body is a picture, and the answer is JSON. Requests run at the same time; a run that
lasts longer than SECONDS is cancelled. Ctrl-C and SIGTERM cancel the runs and end the service.
Needs the packages that classify.py needs.
"""

import argparse
import asyncio
import contextlib
import io
import json
import pathlib
import signal
from http import HTTPStatus

from PIL import Image

import trident
from classify import HERE, parse, preprocess

MOST_BYTES = 1 << 24


class Service:
    """One model that all requests share."""

    def __init__(self, file, seconds):
        self.model = trident.Model(file)
        self.steps = parse(self.model.metadata["trident.preprocess"])
        self.labels = self.model.metadata["trident.labels"].splitlines()
        self.seconds = seconds

    async def classify(self, body):
        """The status and the answer to a picture's bytes."""
        try:
            image = preprocess(Image.open(io.BytesIO(body)), self.steps)
        except (OSError, Image.DecompressionBombError) as error:
            return HTTPStatus.BAD_REQUEST, {"error": str(error)}
        try:
            async with asyncio.timeout(self.seconds):
                results = await self.model.run_async({"image": image})
        except TimeoutError:
            return HTTPStatus.SERVICE_UNAVAILABLE, {"error": f"not done in {self.seconds} s"}
        (row,) = results["probabilities"]
        best = row.argmax()
        return HTTPStatus.OK, {"label": self.labels[best], "probability": float(row[best])}

    async def connected(self, reader, writer):
        """Answer the one request of a connection."""
        with contextlib.closing(writer):
            try:
                status, answer = await self.classify(await read_body(reader))
            except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
                status, answer = HTTPStatus.BAD_REQUEST, {"error": str(error)}
            except asyncio.CancelledError:  # asyncio.run cancels the tasks that are left at its end
                status, answer = HTTPStatus.SERVICE_UNAVAILABLE, {"error": "the service stops"}
            body = json.dumps(answer).encode()
            writer.write(f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode())
            writer.write(b"Content-Type: application/json\r\nConnection: close\r\n")
            writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            await writer.drain()


async def read_body(reader):
    """The body of an HTTP request that gives its length."""
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().partition(b":")[::2] for line in head.splitlines())
    length = int(fields.get(b"content-length", 0))
    if not 0 < length <= MOST_BYTES:
        raise ValueError(f"expected a picture of at most {MOST_BYTES} bytes, and its length")
    return await reader.readexactly(length)


async def serve(service, port):
    """Answer requests until a signal comes."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    server = await asyncio.start_server(service.connected, "127.0.0.1", port)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await stopped.wait()
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--model", type=pathlib.Path, default=HERE / "digits.onnx")
    options = parser.parse_args()
    asyncio.run(serve(Service(options.model, options.seconds), options.port))


if __name__ == "__main__":
    main()
