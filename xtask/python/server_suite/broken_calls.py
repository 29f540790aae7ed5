"""Calls of all methods of gRPC but inference, whose messages are changed anywhere.

Each kind is a function of a random generator that gives the method and the bytes of its message.
Models are only loaded and unloaded by the name `victim`.
"""

from tritonclient.grpc import service_pb2 as messages

from .broken_documents import VICTIM

KINDS = []
KEY = "/trident_malformed"


def kind(function):
    KINDS.append(function)
    return function


def changed(rng, message):
    """The bytes of a message with changes that protobuf may or may not read."""
    data = bytearray(message.SerializeToString() or b"\0")
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(data))
        match rng.randrange(4):
            case 0:
                data[at] ^= 1 << rng.randrange(8)
            case 1:
                data[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 2:
                del data[at : at + rng.randrange(1, 5)]
            case 3:
                data += rng.choice(
                    (b"\xff" * 11, b"\x0a\xff\xff\xff\xff\x07", bytes(data), b"\x0b")
                )
        data = data or bytearray(b"\0")
    return bytes(data)


@kind
def load(rng):
    message = messages.RepositoryModelLoadRequest(model_name=VICTIM)
    message.parameters["config"].string_param = '{"max_batch_size": 4}'
    if rng.random() < 0.4:
        message.parameters["file:1/model.onnx"].bytes_param = rng.randbytes(50)
    return "RepositoryModelLoad", changed(rng, message)


@kind
def unload(rng):
    message = messages.RepositoryModelUnloadRequest(model_name=VICTIM)
    message.parameters["unload_dependents"].bool_param = True
    return "RepositoryModelUnload", changed(rng, message)


@kind
def questions(rng):
    method = rng.choice(("ModelReady", "ModelMetadata", "ModelConfig", "ModelStatistics"))
    version = rng.choice(("1", "", "-1", "x", "99999999999999999999"))
    message = getattr(messages, f"{method}Request")(name=VICTIM, version=version)
    return method, changed(rng, message)


@kind
def index(rng):
    return "RepositoryIndex", changed(rng, messages.RepositoryIndexRequest(ready=True))


@kind
def system_memory(rng):
    message = messages.SystemSharedMemoryRegisterRequest(
        name=f"g{rng.randrange(50)}", key=KEY, offset=64, byte_size=rng.choice((128, 1 << 63))
    )
    return "SystemSharedMemoryRegister", changed(rng, message)


@kind
def system_memory_gone(rng):
    message = messages.SystemSharedMemoryUnregisterRequest(name=f"g{rng.randrange(50)}")
    # Without a name, all regions go; those of other kinds stay.
    return "SystemSharedMemoryUnregister", changed(rng, message) + b"\x0a\x02gx"


@kind
def cuda_memory(rng):
    message = messages.CudaSharedMemoryRegisterRequest(
        name="c", raw_handle=rng.randbytes(64), device_id=rng.randrange(9), byte_size=128
    )
    return "CudaSharedMemoryRegister", changed(rng, message)


@kind
def trace_settings(rng):
    message = messages.TraceSettingRequest(model_name=rng.choice((VICTIM, "", "nobody")))
    message.settings["trace_rate"].value.append("1000000")
    return "TraceSetting", changed(rng, message)


@kind
def log_settings(rng):
    message = messages.LogSettingsRequest()
    message.settings["log_verbose_level"].uint32_param = rng.choice((0, 1, (1 << 32) - 1))
    return "LogSettings", changed(rng, message)


@kind
def health(rng):
    method = rng.choice(("ServerLive", "ServerReady", "ServerMetadata"))
    return method, rng.randbytes(rng.randrange(30))
