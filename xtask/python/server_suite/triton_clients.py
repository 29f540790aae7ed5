"""The clients of `tritonclient` on a server: `python -m server_suite.triton_clients HTTP GRPC`."""

import asyncio
import concurrent.futures
import importlib.util
import queue
import threading

import numpy as np
import tritonclient.grpc as over_grpc
import tritonclient.grpc.aio as over_grpc_aio
import tritonclient.http as over_http
from tritonclient.utils import InferenceServerException, shared_memory

from .client_run import main

A = np.arange(16, dtype=np.int32).reshape(1, 16)
B = np.ones((1, 16), np.int32)
SUM = {"OUTPUT0": A + B, "OUTPUT1": A - B}
LIMIT = 20


def simple(module, a=A, b=B, **options):
    """Inputs of the model `simple`."""
    inputs = []
    for name, array in (("INPUT0", a), ("INPUT1", b)):
        inputs.append(module.InferInput(name, list(array.shape), "INT32"))
        inputs[-1].set_data_from_numpy(array, **options)
    return inputs


def one(module, name, array, kind, **options):
    inputs = module.InferInput(name, list(array.shape), kind)
    inputs.set_data_from_numpy(array, **options)
    return inputs


def expect(result, want):
    for name, array in want.items():
        found = result.as_numpy(name)
        assert found is not None, f"no output {name}"
        assert found.dtype == array.dtype, (name, found.dtype)
        assert np.array_equal(found, array), f"{name}: {found} instead of {array}"


def refused(call, *parts):
    try:
        call()
    except InferenceServerException as error:
        assert all(part in str(error) for part in parts), error
        return error
    raise AssertionError("the request is answered")


def shifted(k):
    """The outputs of `simple` for A + k and B."""
    return {"OUTPUT0": A + k + B, "OUTPUT1": A + k - B}


async def at_the_same_time(client, module):
    """60 requests of an asynchronous client."""
    assert await client.is_server_ready()
    results = await asyncio.gather(
        *[client.infer("simple", simple(module, A + k)) for k in range(60)]
    )
    for k, result in enumerate(results):
        expect(result, shifted(k))


def http_client(http, **options):
    return over_http.InferenceServerClient(http, network_timeout=LIMIT, **options)


# ---- HTTP -------------------------------------------------------------------------------------


def http_health(http, _grpc):
    """HTTP: health, metadata and configuration"""
    with http_client(http) as client:
        assert client.is_server_live() and client.is_server_ready()
        assert client.is_model_ready("simple") and client.is_model_ready("simple", "1")
        assert not client.is_model_ready("nobody")
        assert client.get_server_metadata()["name"]
        metadata = client.get_model_metadata("simple")
        assert [tensor["name"] for tensor in metadata["inputs"]] == ["INPUT0", "INPUT1"], metadata
        assert client.get_model_config("simple")["max_batch_size"] == 8
        assert {"name": "simple", "version": "1", "state": "READY"} in (
            client.get_model_repository_index()
        )


def http_binary(http, _grpc):
    """HTTP: inference with binary tensors"""
    with http_client(http) as client:
        expect(client.infer("simple", simple(over_http)), SUM)


def http_json(http, _grpc):
    """HTTP: inference with JSON tensors both ways"""
    with http_client(http) as client:
        outputs = [over_http.InferRequestedOutput(name, binary_data=False) for name in SUM]
        result = client.infer("simple", simple(over_http, binary_data=False), outputs=outputs)
        expect(result, SUM)
        assert "data" in result.get_output("OUTPUT0")


def http_some_outputs(http, _grpc):
    """HTTP: the outputs that a request lists, with its id"""
    with http_client(http) as client:
        outputs = [over_http.InferRequestedOutput("OUTPUT1")]
        result = client.infer("simple", simple(over_http), outputs=outputs, request_id="one")
        expect(result, {"OUTPUT1": A - B})
        assert result.as_numpy("OUTPUT0") is None
        assert result.get_response()["id"] == "one"


def http_compressed(http, _grpc):
    """HTTP: requests and answers with gzip and deflate"""
    with http_client(http) as client:
        for sent in ("gzip", "deflate", None):
            for wanted in ("gzip", "deflate", None):
                result = client.infer(
                    "simple",
                    simple(over_http),
                    request_compression_algorithm=sent,
                    response_compression_algorithm=wanted,
                )
                expect(result, SUM)


def http_async(http, _grpc):
    """HTTP: 60 asynchronous requests over 4 connections"""
    with http_client(http, concurrency=4) as client:
        sent = [client.async_infer("simple", simple(over_http, A + k)) for k in range(60)]
        for k, request in enumerate(sent):
            result = request.get_result(timeout=LIMIT)
            expect(result, shifted(k))


def http_strings(http, _grpc):
    """HTTP: BYTES as JSON and as binary"""
    texts = np.array([["12", "-7", "ü", ""]], object)
    with http_client(http) as client:
        for binary in (True, False):
            given = one(over_http, "INPUT0", texts, "BYTES", binary_data=binary)
            outputs = [over_http.InferRequestedOutput("OUTPUT0", binary_data=binary)]
            result = client.infer("simple_identity", [given], outputs=outputs)
            found = result.as_numpy("OUTPUT0")[0].tolist()
            want = texts[0].tolist()  # JSON's strings stay strings
            assert found == ([text.encode() for text in want] if binary else want), found


def http_classes(http, _grpc):
    """HTTP: classification"""
    with http_client(http) as client:
        outputs = [over_http.InferRequestedOutput("OUTPUT0", class_count=3)]
        found = client.infer("simple", simple(over_http), outputs=outputs).as_numpy("OUTPUT0")
        assert [element.decode().split(":")[1] for element in found[0]] == ["15", "14", "13"], found


def http_errors(http, _grpc):
    """HTTP: errors leave the connection to the next request"""
    with http_client(http) as client:
        short = np.zeros((1, 7), np.int32)
        for _ in range(5):
            refused(lambda: client.infer("nobody", simple(over_http)), "unknown model: 'nobody'")
            refused(lambda: client.infer("simple", simple(over_http, short)), "unexpected shape")
            refused(lambda: client.infer("simple", simple(over_http)[:1]), "expected 2 inputs")
            expect(client.infer("simple", simple(over_http)), SUM)


def http_sequence(http, _grpc):
    """HTTP: a sequence with its start and end"""
    value = one(over_http, "INPUT", np.array([[5]], np.int32), "INT32")
    with http_client(http) as client:
        found = []
        for k in range(3):
            result = client.infer(
                "simple_sequence", [value], sequence_id=7, sequence_start=k == 0,
                sequence_end=k == 2,
            )  # fmt: skip
            found.append(int(result.as_numpy("OUTPUT").ravel()[0]))
        assert found == [6, 5, 5], found


def http_shared_memory(http, _grpc):
    """HTTP: inputs and outputs in shared memory"""
    with http_client(http) as client:
        through_shared_memory(client, over_http, "http")


def http_statistics(http, _grpc):
    """HTTP: statistics count requests"""
    with http_client(http) as client:

        def count():
            [found] = client.get_inference_statistics("simple_int8")["model_stats"]
            return found["inference_count"]

        before = count()
        values = np.zeros((1, 16), np.int8)
        inputs = [one(over_http, f"INPUT{k}", values, "INT8") for k in range(2)]
        client.infer("simple_int8", inputs)
        assert eventually(lambda: count() == before + 1), (before, count())


def http_threads(http, _grpc):
    """HTTP: 8 clients in threads at the same time get their own answers"""

    def work(k):
        with http_client(http) as client:
            for _ in range(20):
                result = client.infer("simple", simple(over_http, A * k))
                expect(result, {"OUTPUT0": A * k + B, "OUTPUT1": A * k - B})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def http_aio(http, _grpc):
    """HTTP asyncio: 60 requests at the same time"""
    import tritonclient.http.aio as over_http_aio

    async def run():
        async with over_http_aio.InferenceServerClient(http) as client:
            await at_the_same_time(client, over_http_aio)

    asyncio.run(run())


def http_aio_compressed(http, _grpc):
    """HTTP asyncio: compressed requests and answers, and errors"""
    import tritonclient.http.aio as over_http_aio

    async def run():
        async with over_http_aio.InferenceServerClient(http) as client:
            for name in ("gzip", "deflate"):
                result = await client.infer(
                    "simple",
                    simple(over_http_aio),
                    request_compression_algorithm=name,
                    response_compression_algorithm=name,
                )
                expect(result, SUM)
            try:
                await client.infer("nobody", simple(over_http_aio))
            except InferenceServerException as error:
                assert "unknown model" in str(error), error
            else:
                raise AssertionError("an answer of an unknown model")
            expect(await client.infer("simple", simple(over_http_aio)), SUM)

    asyncio.run(run())


# ---- gRPC -------------------------------------------------------------------------------------


def grpc_health(_http, grpc):
    """gRPC: health, metadata and configuration"""
    with over_grpc.InferenceServerClient(grpc) as client:
        assert client.is_server_live() and client.is_server_ready()
        assert client.is_model_ready("simple") and client.is_model_ready("simple", "1")
        refused(lambda: client.is_model_ready("nobody"), "unknown model: 'nobody'")
        metadata = client.get_model_metadata("simple")
        assert [tensor.name for tensor in metadata.inputs] == ["INPUT0", "INPUT1"], metadata
        assert client.get_model_config("simple").config.max_batch_size == 8
        names = [model.name for model in client.get_model_repository_index().models]
        assert "simple" in names, names


def grpc_infer(_http, grpc):
    """gRPC: inference, with an id and some outputs"""
    with over_grpc.InferenceServerClient(grpc) as client:
        expect(client.infer("simple", simple(over_grpc), client_timeout=LIMIT), SUM)
        outputs = [over_grpc.InferRequestedOutput("OUTPUT1")]
        result = client.infer("simple", simple(over_grpc), outputs=outputs, request_id="one")
        expect(result, {"OUTPUT1": A - B})
        assert result.get_response().id == "one" and result.as_numpy("OUTPUT0") is None


def grpc_compressed(_http, grpc):
    """gRPC: requests with gzip and deflate"""
    with over_grpc.InferenceServerClient(grpc) as client:
        for name in ("gzip", "deflate", None):
            result = client.infer("simple", simple(over_grpc), compression_algorithm=name)
            expect(result, SUM)


def grpc_async(_http, grpc):
    """gRPC: 60 asynchronous requests"""
    with over_grpc.InferenceServerClient(grpc) as client:
        found = queue.Queue()
        for k in range(60):
            client.async_infer(
                "simple",
                simple(over_grpc, A + k),
                lambda result, error, k=k: found.put((k, result, error)),
            )
        for _ in range(60):
            k, result, error = found.get(timeout=LIMIT)
            assert error is None, error
            expect(result, shifted(k))


def grpc_errors(_http, grpc):
    """gRPC: errors have codes and texts, and leave the channel to the next request"""
    with over_grpc.InferenceServerClient(grpc) as client:
        error = refused(lambda: client.infer("nobody", simple(over_grpc)), "unknown model")
        assert error.status() == "StatusCode.NOT_FOUND", error.status()
        short = np.zeros((1, 7), np.int32)
        error = refused(lambda: client.infer("simple", simple(over_grpc, short)), "shape")
        assert error.status() == "StatusCode.INVALID_ARGUMENT", error.status()
        expect(client.infer("simple", simple(over_grpc)), SUM)


def grpc_strings(_http, grpc):
    """gRPC: BYTES, and decimal texts that are added"""
    texts = np.array([["12", "-7", "ü", ""]], object)
    with over_grpc.InferenceServerClient(grpc) as client:
        result = client.infer("simple_identity", [one(over_grpc, "INPUT0", texts, "BYTES")])
        found = [element.decode() for element in result.as_numpy("OUTPUT0")[0]]
        assert found == texts[0].tolist(), found
        numbers = np.array([[str(k) for k in range(16)]], object)
        inputs = [one(over_grpc, f"INPUT{k}", numbers, "BYTES") for k in range(2)]
        result = client.infer("simple_string", inputs)
        found = [int(element) for element in result.as_numpy("OUTPUT0")[0]]
        assert found == [2 * k for k in range(16)], found


def grpc_shared_memory(_http, grpc):
    """gRPC: inputs and outputs in shared memory"""
    with over_grpc.InferenceServerClient(grpc) as client:
        through_shared_memory(client, over_grpc, "grpc")


def through_shared_memory(client, module, name):
    """Register a region, infer from and to it, change it, and unregister it."""
    name = f"{name}_{np.__version__.replace('.', '_')}"  # two processes may run at a time
    size = A.nbytes
    region = shared_memory.create_shared_memory_region(name, f"/trident_{name}", 4 * size)
    try:
        client.register_system_shared_memory(name, f"/trident_{name}", 4 * size)
        inputs = [module.InferInput(f"INPUT{k}", [1, 16], "INT32") for k in range(2)]
        outputs = [module.InferRequestedOutput(f"OUTPUT{k}") for k in range(2)]
        for k in range(2):
            inputs[k].set_shared_memory(name, size, offset=k * size)
            outputs[k].set_shared_memory(name, size, offset=(2 + k) * size)
        for factor in (1, 3):
            shared_memory.set_shared_memory_region(region, [A * factor, B])
            client.infer("simple", inputs, outputs=outputs)
            for k, want in enumerate((A * factor + B, A * factor - B)):
                found = shared_memory.get_contents_as_numpy(
                    region, np.int32, [1, 16], offset=(2 + k) * size
                )
                assert np.array_equal(found, want), found
        inputs[0].set_shared_memory(name, size, offset=4 * size)
        refused(lambda: client.infer("simple", inputs, outputs=outputs), "offset")
        client.unregister_system_shared_memory(name)
        inputs[0].set_shared_memory(name, size)
        refused(lambda: client.infer("simple", inputs, outputs=outputs), "Unable to find")
    finally:
        shared_memory.destroy_shared_memory_region(region)


def grpc_cancelled(_http, grpc):
    """gRPC: a request that the client cancels"""
    with over_grpc.InferenceServerClient(grpc) as client:
        found = queue.Queue()
        rounds = np.array([[1 << 40]]).reshape(1)
        call = client.async_infer(
            "slow",
            [one(over_grpc, "INPUT0", rounds, "INT64")],
            lambda result, error: found.put(error),
        )
        call.cancel()
        error = found.get(timeout=LIMIT)
        assert error is not None and "ancelled" in str(error), error


def grpc_timeout(_http, grpc):
    """gRPC: a request whose client timeout is over"""
    with over_grpc.InferenceServerClient(grpc) as client:
        rounds = one(over_grpc, "INPUT0", np.array([1 << 40]), "INT64")
        refused(lambda: client.infer("slow", [rounds], client_timeout=0.2), "Deadline Exceeded")
        few = one(over_grpc, "INPUT0", np.array([1]), "INT64")
        assert client.infer("slow", [few], client_timeout=LIMIT).as_numpy("OUTPUT0").size == 4096


class Stream:
    """A stream of requests, and the answers that it has got."""

    def __init__(self, grpc):
        self.client, self.answers = over_grpc.InferenceServerClient(grpc), queue.Queue()

    def __enter__(self):
        self.client.start_stream(callback=lambda result, error: self.answers.put((result, error)))
        return self

    def __exit__(self, *_):
        self.client.stop_stream()
        self.client.close()

    def take(self):
        result, error = self.answers.get(timeout=LIMIT)
        if error is not None:
            raise error
        return result


def stream_infer(_http, grpc):
    """gRPC stream: 60 requests are answered in their order"""
    with Stream(grpc) as stream:
        for k in range(60):
            stream.client.async_stream_infer("simple", simple(over_grpc, A + k), request_id=str(k))
        for k in range(60):
            result = stream.take()
            assert result.get_response().id == str(k), result.get_response()
            expect(result, shifted(k))


def stream_sequences(_http, grpc):
    """gRPC stream: two sequences in turns"""
    with Stream(grpc) as stream:
        for k in range(4):
            for number in (1001, 1002):
                stream.client.async_stream_infer(
                    "simple_dyna_sequence",
                    [one(over_grpc, "INPUT", np.array([[10]], np.int32), "INT32")],
                    sequence_id=number, sequence_start=k == 0, sequence_end=k == 3,
                    request_id=f"{number} {k}",
                )  # fmt: skip
        found = {}
        for _ in range(8):
            result = stream.take()
            number, k = map(int, result.get_response().id.split())
            found.setdefault(number, []).append((k, int(result.as_numpy("OUTPUT").ravel()[0])))
        # START adds one, END the number of the sequence.
        want = {n: [(0, 11), (1, 10), (2, 10), (3, 10 + n)] for n in (1001, 1002)}
        assert found == want, found


def stream_decoupled(_http, grpc):
    """gRPC stream: a decoupled model gives any number of answers"""
    with Stream(grpc) as stream:
        for count in (5, 0, 1):
            stream.client.async_stream_infer(
                "repeat_int32",
                [
                    one(over_grpc, "IN", np.arange(count, dtype=np.int32), "INT32"),
                    one(over_grpc, "DELAY", np.zeros(count, np.uint32), "UINT32"),
                    one(over_grpc, "WAIT", np.zeros(1, np.uint32), "UINT32"),
                ],
                request_id=str(count),
                enable_empty_final_response=True,
            )
        found, ends = {}, set()
        while len(ends) < 3:
            response = (result := stream.take()).get_response()
            count = int(response.id)
            if response.parameters["triton_final_response"].bool_param:
                ends.add(count)
            else:
                found.setdefault(count, []).append(int(result.as_numpy("OUT")[0]))
        assert found == {5: list(range(5)), 1: [0]}, found


def stream_errors(_http, grpc):
    """gRPC stream: an error answers its request, and the stream goes on"""
    with Stream(grpc) as stream:
        stream.client.async_stream_infer("simple", simple(over_grpc, np.zeros((1, 3), np.int32)))
        stream.client.async_stream_infer("nobody", simple(over_grpc))
        stream.client.async_stream_infer("simple", simple(over_grpc))
        refused(stream.take, "shape")
        refused(stream.take, "unknown model: 'nobody'")
        expect(stream.take(), SUM)


def stream_cancelled(_http, grpc):
    """gRPC stream: a stream that is stopped with its requests cancelled"""
    stream = Stream(grpc).__enter__()
    rounds = one(over_grpc, "INPUT0", np.array([1 << 40]), "INT64")
    stream.client.async_stream_infer("slow", [rounds])
    stopped = threading.Thread(
        target=lambda: stream.client.stop_stream(cancel_requests=True), daemon=True
    )
    stopped.start()
    stopped.join(LIMIT)
    assert not stopped.is_alive(), "the stream goes on"
    stream.client.close()


def grpc_aio(_http, grpc):
    """gRPC asyncio: 60 requests at the same time"""

    async def run():
        async with over_grpc_aio.InferenceServerClient(grpc) as client:
            await at_the_same_time(client, over_grpc_aio)

    asyncio.run(run())


def grpc_aio_stream(_http, grpc):
    """gRPC asyncio: a stream of requests"""

    async def requests():
        for k in range(20):
            yield {"model_name": "simple", "inputs": simple(over_grpc_aio, A + k)}

    async def run():
        async with over_grpc_aio.InferenceServerClient(grpc) as client:
            k = 0
            async for result, error in client.stream_infer(requests()):
                assert error is None, error
                expect(result, shifted(k))
                k += 1
            assert k == 20, f"{k} answers"

    asyncio.run(run())


def grpc_statistics(_http, grpc):
    """gRPC: statistics, log and trace settings"""
    with over_grpc.InferenceServerClient(grpc) as client:
        client.infer("simple", simple(over_grpc))
        [found] = client.get_inference_statistics("simple").model_stats
        assert found.name == "simple" and found.version == "1", found
        assert client.get_log_settings().settings["log_info"].bool_param
        assert "trace_level" in client.get_trace_settings().settings


def eventually(condition):
    wait = threading.Event()
    return any(condition() or wait.wait(0.02) for _ in range(200))


AIO = (http_aio, http_aio_compressed) if importlib.util.find_spec("aiohttp") else ()

if __name__ == "__main__":
    main(
        http_health,
        http_binary,
        http_json,
        http_some_outputs,
        http_compressed,
        http_async,
        http_strings,
        http_classes,
        http_errors,
        http_sequence,
        http_shared_memory,
        http_statistics,
        http_threads,
        *AIO,
        grpc_health,
        grpc_infer,
        grpc_compressed,
        grpc_async,
        grpc_errors,
        grpc_strings,
        grpc_shared_memory,
        grpc_cancelled,
        grpc_timeout,
        stream_infer,
        stream_sequences,
        stream_decoupled,
        stream_errors,
        stream_cancelled,
        grpc_aio,
        grpc_aio_stream,
        grpc_statistics,
    )
