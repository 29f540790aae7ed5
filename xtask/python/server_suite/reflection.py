"""Reflection of gRPC, asked by the client of the package grpcio-reflection.

The files that it finds must be those of tritonclient.
"""

import base64
import json
import subprocess

import grpc
from google.protobuf import descriptor_pb2, json_format
from tritonclient.grpc import model_config_pb2, service_pb2

from .server import Server

SERVICE = "inference.GRPCInferenceService"
LIMIT = 60  # seconds that the client may take
CLIENT = """
import base64, json, sys
import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha import reflection_pb2 as messages
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

channel = grpc.insecure_channel(sys.argv[1])
database = ProtoReflectionDescriptorDatabase(channel)
services, pool, files = sorted(database.get_services()), DescriptorPool(database), {}

def keep(file):
    files[file.name] = base64.b64encode(file.serialized_pb).decode()
    for other in file.dependencies:
        keep(other)

for service in services:
    keep(pool.FindServiceByName(service).file)

ask = channel.stream_stream(
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    messages.ServerReflectionRequest.SerializeToString,
    messages.ServerReflectionResponse.FromString,
)
questions = [
    {"list_services": ""},
    {"file_containing_symbol": sys.argv[2] + ".ModelInfer"},
    {"file_containing_symbol": "no.such.Symbol"},
    {"file_by_filename": "none.proto"},
    {"all_extension_numbers_of_type": "inference.ModelInferRequest"},
    {},
]
answers = ask(iter([messages.ServerReflectionRequest(host="h", **one) for one in questions]))
told = []
for answer in answers:
    kind = answer.WhichOneof("message_response")
    told.append([kind, answer.error_response.error_code, answer.valid_host])
print(json.dumps({"services": services, "files": files, "told": told}))
"""


def check(trident, models, folder, python):
    """A client finds the services of the server and their messages."""
    with Server(trident, models, folder / "extras.log", ("--grpc-extras=true",)) as running:
        command = [python, "-c", CLIENT, running.places["gRPC"], SERVICE]
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stderr[-600:]
    found = json.loads(done.stdout)
    assert found["services"] == [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
        SERVICE,
    ], found["services"]
    for known in (service_pb2.DESCRIPTOR, model_config_pb2.DESCRIPTOR):
        file = descriptor_pb2.FileDescriptorProto()
        file.ParseFromString(base64.b64decode(found["files"][known.name]))
        own = descriptor_pb2.FileDescriptorProto()
        known.CopyToProto(own)
        assert in_order(file) == in_order(own), known.name
    assert found["told"] == [
        ["list_services_response", 0, "h"],
        ["file_descriptor_response", 0, "h"],
        ["error_response", grpc.StatusCode.NOT_FOUND.value[0], "h"],
        ["error_response", grpc.StatusCode.NOT_FOUND.value[0], "h"],
        ["all_extension_numbers_response", 0, "h"],
        ["error_response", grpc.StatusCode.INVALID_ARGUMENT.value[0], "h"],
    ], found["told"]


def in_order(file):
    """A descriptor as a tree, whose messages are in the order of their names."""

    def ordered(tree):
        if isinstance(tree, dict):
            shown = {key: value for key, value in tree.items() if (key, value) != ("options", {})}
            return {key: ordered(value) for key, value in shown.items() if key != "jsonName"}
        if isinstance(tree, list):
            return sorted(map(ordered, tree), key=lambda one: json.dumps(one, sort_keys=True))
        return tree

    return ordered(json_format.MessageToDict(file))


def refused_without_extras(trident, models, folder):
    """Without --grpc-extras, there is no reflection, as in the Triton Inference Server."""
    with Server(trident, models, folder / "plain.log") as running:
        with grpc.insecure_channel(running.places["gRPC"]) as channel:
            for version in ("v1", "v1alpha"):
                path = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
                try:
                    list(channel.stream_stream(path)(iter([b""])))
                except grpc.RpcError as error:
                    assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error
                else:
                    raise AssertionError(f"{path} is answered")
