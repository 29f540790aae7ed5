"""The clients of the package `kserve`: `python -m server_suite.kserve_clients HTTP GRPC`.

The package imports others for its servers. Empty modules stand for them.
"""

import asyncio
import importlib.util
import sys
import types

import numpy as np

from .client_run import main

UNUSED = (
    "pandas", "psutil", "pydantic", "fastapi", "fastapi.responses",
    "cloudevents", "cloudevents.conversion", "cloudevents.http",
)  # fmt: skip
VALUES = [float(k) for k in range(16)]


class Unused(types.ModuleType):
    """A module whose names are types that take anything."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (Anything,), {})


class Anything:
    def __init__(self, *_, **__):
        pass


def import_clients():
    """The module of the clients, without running the file that imports everything."""
    for name in UNUSED:
        sys.modules[name] = Unused(name)
    [folder] = importlib.util.find_spec("kserve").submodule_search_locations
    sys.modules["kserve"] = types.ModuleType("kserve")
    sys.modules["kserve"].__path__ = [folder]
    return importlib.import_module("kserve.inference_client")


kserve = import_clients()


def request(kind, model="add", values=VALUES, binary=False):
    array = np.array([values], np.float32)
    one = kind.InferInput("INPUT0", list(array.shape), "FP32")
    one.set_data_from_numpy(array, binary_data=binary)
    return kind.InferRequest(model_name=model, infer_inputs=[one], request_id="one")


def types_of():
    return importlib.import_module("kserve.protocol.infer_type")


def over_rest(place, call):
    async def run():
        config = kserve.RESTConfig(protocol="v2", retries=0, timeout=20)
        async with kserve.InferenceRESTClient(config) as client:
            return await call(client, f"http://{place}")

    return asyncio.run(run())


def infer_over_rest(place, made, model="add"):
    return over_rest(place, lambda client, url: client.infer(url, made, model_name=model))


def over_grpc(place, call):
    async def run():
        async with kserve.InferenceGRPCClient(place, timeout=20, retries=2) as client:
            return await call(client)

    return asyncio.run(run())


def expect_sum(response):
    [output] = response.outputs
    assert output.name == "OUTPUT0" and list(output.shape) == [1, 16], output
    found = output.as_numpy().ravel().tolist()
    assert found == [value + 1 for value in VALUES], found


def refused(call, part):
    try:
        call()
    except Exception as error:  # the clients have several
        assert part in str(error), error
        return
    raise AssertionError("the request is answered")


def rest_ready(http, _grpc):
    """REST: the readiness of a model"""

    # Its questions about the server expect JSON, where the Triton Inference Server answers nothing.
    async def call(client, url):
        return [await client.is_model_ready(url, name) for name in ("add", "nobody")]

    assert over_rest(http, call) == [True, False]


def rest_json(http, _grpc):
    """REST: inference with numbers as JSON"""
    made = request(types_of())
    response = infer_over_rest(http, made)
    expect_sum(response)
    assert response.id == "one" and response.model_name == "add", response


def rest_binary(http, _grpc):
    """REST: inference with binary tensors"""
    made = request(types_of(), binary=True)
    expect_sum(infer_over_rest(http, made))


def rest_dictionary(http, _grpc):
    """REST: inference with a dictionary"""
    data = {"inputs": [{"name": "INPUT0", "datatype": "FP32", "shape": [1, 16], "data": VALUES}]}
    response = infer_over_rest(http, data)
    expect_sum(response)


def rest_many(http, _grpc):
    """REST: 40 requests at the same time"""

    async def call(client, url):
        made = request(types_of(), binary=True)
        return await asyncio.gather(*[client.infer(url, made, model_name="add") for _ in range(40)])

    for response in over_rest(http, call):
        expect_sum(response)


def rest_unknown(http, _grpc):
    """REST: the error of a model that is unknown has the server's status"""
    made = request(types_of(), "nobody")
    refused(lambda: infer_over_rest(http, made, "nobody"), "404 Not Found")


def rest_refused(http, _grpc):
    """REST: the error of a wrong shape has the server's text"""
    made = request(types_of(), values=VALUES[:7])
    refused(lambda: infer_over_rest(http, made), "unexpected shape for input 'INPUT0'")


def grpc_health(_http, grpc):
    """gRPC: live, ready, and the model's readiness"""

    async def call(client):
        return [
            await client.is_server_live(),
            await client.is_server_ready(),
            await client.is_model_ready("add"),
        ]

    assert over_grpc(grpc, call) == [True, True, True]


def grpc_typed(_http, grpc):
    """gRPC: inference with typed contents"""
    response = over_grpc(grpc, lambda client: client.infer(request(types_of())))
    expect_sum(response)
    assert response.id == "one" and response.model_name == "add", response


def grpc_raw(_http, grpc):
    """gRPC: inference with raw contents"""
    expect_sum(over_grpc(grpc, lambda client: client.infer(request(types_of(), binary=True))))


def grpc_many(_http, grpc):
    """gRPC: 40 requests at the same time"""

    async def call(client):
        return await asyncio.gather(*[client.infer(request(types_of())) for _ in range(40)])

    for response in over_grpc(grpc, call):
        expect_sum(response)


def grpc_unknown(_http, grpc):
    """gRPC: the error of a model that is unknown has the server's text"""
    refused(
        lambda: over_grpc(grpc, lambda client: client.infer(request(types_of(), "nobody"))),
        "unknown model: 'nobody'",
    )


if __name__ == "__main__":
    main(
        rest_ready,
        rest_json,
        rest_binary,
        rest_dictionary,
        rest_many,
        rest_unknown,
        rest_refused,
        grpc_health,
        grpc_typed,
        grpc_raw,
        grpc_many,
        grpc_unknown,
    )
