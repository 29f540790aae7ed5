"""Shared memory: regions, and tensors in them."""

import struct
import time

from .models import pair, same
from .talk import parameters, row, tensor, wanted

SIZE = 256


def _key(t, part="a"):
    """The key of a region, different for each server."""
    return f"{t.side.prefix}-{t.name}-{part}"


def _make(t, part="a", size=SIZE, data=b""):
    """Make an object of shared memory; its key. The suite removes it at its end."""
    key = _key(t, part)
    path = f"/dev/shm{key}"
    with open(path, "wb") as file:
        file.write(data.ljust(size, b"\0"))
    t.side.files.append(path)
    return key


def _register(t, name, key, offset=0, size=SIZE):
    path = f"/v2/systemsharedmemory/region/{name}/register"
    t.post(path, {"key": key, "offset": offset, "byte_size": size})


def _unregister(t, name=None):
    time.sleep(0.05)  # 2.51 uses a region for a while after the answer
    part = f"/region/{name}" if name else ""
    t.post(f"/v2/systemsharedmemory{part}/unregister")


def _placed(region, size, offset=0, **more):
    return {
        "shared_memory_region": region,
        "shared_memory_offset": offset,
        "shared_memory_byte_size": size,
        **more,
    }


def _input(region, size=8, offset=0, shape=(1, 2)):
    return tensor("INPUT0", "FP32", shape, **_placed(region, size, offset))


def _show(t, key, start=0, size=16):
    with open(f"/dev/shm{key}", "rb") as file:
        t.note("memory", file.read()[start : start + size].hex())


def region_and_inference(t):
    t.serve(same)
    key = _make(t, data=struct.pack("<4f", 1, 2, 3, 4))
    _register(t, "r1", key)
    t.infer(_input("r1"))
    t.infer(_input("r1", offset=8))
    t.infer(_input("r1"), outputs=[wanted("OUTPUT0", **_placed("r1", 8, 64))])
    _show(t, key, 64, 8)
    outputs = [{"name": "OUTPUT0", "parameters": parameters(**_placed("r1", 8, 80))}]
    t.rpc_infer(_input("r1"), outputs=outputs)
    _show(t, key, 80, 8)
    _unregister(t, "r1")


def region_registered_twice(t):
    key = _make(t)
    _register(t, "twice", key)
    _register(t, "twice", key)
    _register(t, "twice", _make(t, "b"), size=16)
    t.rpc("SystemSharedMemoryRegister", name="twice", key=key, byte_size=SIZE)
    _unregister(t)


def region_unknown(t):
    t.serve(same)
    t.infer(_input("nobody"))
    t.infer(row(1, 2), outputs=[wanted("OUTPUT0", **_placed("nobody", 8))])
    t.rpc_infer(_input("nobody"))
    t.get("/v2/systemsharedmemory/region/nobody/status")
    t.rpc("SystemSharedMemoryStatus", name="nobody")
    _unregister(t, "nobody")
    t.rpc("SystemSharedMemoryUnregister", name="nobody")


def region_after_unregister(t):
    t.serve(same)
    _register(t, "gone", _make(t))
    t.infer(_input("gone"))
    _unregister(t, "gone")
    t.infer(_input("gone"))
    _register(t, "gone", _key(t))
    t.infer(_input("gone"))
    _unregister(t)


def region_without_object(t):
    _register(t, "none", _key(t, "missing"))
    t.rpc("SystemSharedMemoryRegister", name="none", key="/nothing-there", byte_size=8)
    _register(t, "none", "no-slash")


def region_without_key(t):
    _register(t, "none", "")


def region_of_wrong_size(t):
    key = _make(t, size=64)
    _register(t, "larger", key, size=65)
    _register(t, "beyond", key, offset=60, size=8)
    _register(t, "exact", key, size=64)
    t.get("/v2/systemsharedmemory/status")
    _unregister(t)


def region_of_no_bytes(t):
    _register(t, "zero", _make(t), size=0)
    _unregister(t)


def region_within_a_page(t):
    _register(t, "unaligned", _make(t), offset=32, size=32)
    _unregister(t)


def region_of_odd_numbers(t):
    key = _make(t)
    for offset, size in ((-1, 8), (0, -8), (0, "8"), (1.5, 8), (0, 1 << 63), (1 << 63, 8)):
        _register(t, "odd", key, offset, size)
    _unregister(t)


def region_without_fields(t):
    path = "/v2/systemsharedmemory/region/f/register"
    for body in ({}, {"key": "/x"}, {"byte_size": 8}, {"key": 7, "byte_size": 8}, [], "", "x"):
        t.post(path, body)


def region_offsets(t):
    t.serve(same)
    # Not with an offset of the region itself: 2.51 then reads other memory of its own.
    _register(t, "r2", _make(t), size=64)
    for offset, size in ((0, 8), (56, 8), (57, 8), (64, 8), (1 << 62, 8), (0, 4), (0, 64)):
        t.infer(_input("r2", size, offset))
        t.rpc_infer(_input("r2", size, offset))
    _unregister(t)


def region_offsets_of_outputs(t):
    t.serve(same)
    _register(t, "r3", _make(t), size=64)
    for offset, size in ((56, 8), (57, 8), (64, 8), (0, 4), (0, 16)):
        t.infer(row(1, 2), outputs=[wanted("OUTPUT0", **_placed("r3", size, offset))])
    _unregister(t)


def region_parameters_that_miss(t):
    t.serve(same)
    _register(t, "r4", _make(t))
    t.infer(tensor("INPUT0", "FP32", [1, 2], shared_memory_region="r4"))
    t.infer(tensor("INPUT0", "FP32", [1, 2], shared_memory_byte_size=8))
    t.infer(
        tensor("INPUT0", "FP32", [1, 2], shared_memory_region="r4", shared_memory_byte_size="8")
    )
    t.infer(tensor("INPUT0", "FP32", [1, 2], shared_memory_region=7, shared_memory_byte_size=8))
    t.rpc_infer(tensor("INPUT0", "FP32", [1, 2], shared_memory_region="r4"))
    _unregister(t)


def region_and_data(t):
    t.serve(same)
    _register(t, "r5", _make(t))
    t.infer(_input("r5") | {"data": [1.0, 2.0]})
    t.binary(
        tensor("INPUT0", "FP32", [1, 2], **_placed("r5", 8, binary_data_size=8)), data=bytes(8)
    )
    _unregister(t)


def region_of_texts(t):
    t.serve(same, kind="BYTES")
    data = struct.pack("<I", 2) + b"ab" + struct.pack("<I", 0)
    key = _make(t, data=data)
    _register(t, "r6", key)
    entry = tensor("INPUT0", "BYTES", [1, 2], **_placed("r6", len(data)))
    t.infer(entry)
    t.infer(entry, outputs=[wanted("OUTPUT0", **_placed("r6", 64, 100))])
    _show(t, key, 100, 12)
    t.infer(entry, outputs=[wanted("OUTPUT0", **_placed("r6", 4, 100))])
    t.infer(tensor("INPUT0", "BYTES", [1, 1], **_placed("r6", len(data))))
    _unregister(t)


def region_of_two_tensors(t):
    t.serve(pair)
    key = _make(t, data=struct.pack("<4i", 1, 2, 3, 4))
    _register(t, "r7", key)
    parts = [tensor(f"INPUT{k}", "INT32", [1, 2], **_placed("r7", 8, 8 * k)) for k in (0, 1)]
    outputs = [wanted(f"OUTPUT{k}", **_placed("r7", 8, 64 + 8 * k)) for k in (0, 1)]
    t.infer(*parts)
    t.infer(*parts, outputs=outputs)
    t.infer(*parts, outputs=outputs[1:])
    _show(t, key, 64, 16)
    t.binary(parts[0], tensor("INPUT1", "INT32", [1, 2], binary_data_size=8), data=bytes(8),
             outputs=outputs[:1])  # fmt: skip
    _unregister(t)


def region_and_classification(t):
    t.serve(same)
    _register(t, "r8", _make(t))
    t.infer(row(1, 2), outputs=[wanted("OUTPUT0", classification=1, **_placed("r8", 64))])
    t.infer(row(1, 2), outputs=[wanted("OUTPUT0", binary_data=True, **_placed("r8", 64))])
    _unregister(t)


def region_of_a_stream(t):
    t.serve(same)
    key = _make(t, data=struct.pack("<2f", 1, 2))
    _register(t, "r9", key)
    outputs = [{"name": "OUTPUT0", "parameters": parameters(**_placed("r9", 8, 32))}]
    t.stream(t.inference(_input("r9"), outputs=outputs, id="a"), t.inference(_input("none")))
    _show(t, key, 32, 8)
    _unregister(t)


def region_names(t):
    for number, name in enumerate(("a.b", "x" * 100, "-_~")):
        _register(t, name, _make(t, str(number)))
    key = _make(t, "grpc")
    t.rpc("SystemSharedMemoryRegister", name="with space", key=key, byte_size=8)
    t.get("/v2/systemsharedmemory/status")
    _unregister(t)


def region_without_name(t):
    t.rpc("SystemSharedMemoryRegister", name="", key=_make(t), byte_size=8)
    t.rpc("SystemSharedMemoryRegister", key="", byte_size=8)
    _unregister(t)


def region_name_with_escapes(t):
    _register(t, "a%20b", _make(t))
    _unregister(t)


def region_status(t):
    t.get("/v2/systemsharedmemory/status")
    key = _make(t)
    _register(t, "s1", key, 0, 32)
    t.get("/v2/systemsharedmemory/region/s1/status")
    t.rpc("SystemSharedMemoryUnregister", name="s1")
    t.get("/v2/systemsharedmemory/status")
    t.rpc("SystemSharedMemoryStatus")
    t.rpc("SystemSharedMemoryUnregister")
    t.get("/v2/cudasharedmemory/status")
    t.rpc("CudaSharedMemoryStatus")


def region_in_use_is_unregistered(t):
    """A region may go while a request that reads it runs."""
    from .models import slow

    t.serve(slow)
    key = _make(t, data=struct.pack("<q", 9000))
    _register(t, "busy", key)
    t.start("infer", tensor("INPUT0", "INT64", [1, 1], **_placed("busy", 8)), gap=0.2)
    t.start("post", "/v2/systemsharedmemory/region/busy/unregister", gap=0.2)
    t.join()
    t.get("/v2/systemsharedmemory/status")


def region_that_shrank(t):
    t.serve(same)
    key = _make(t, size=8192)
    _register(t, "shrinks", key, size=8192)
    with open(f"/dev/shm{key}", "r+b") as file:
        file.truncate(0)
    t.infer(_input("shrinks", 8, 4096))
