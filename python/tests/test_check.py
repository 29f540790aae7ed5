"""Checked launches: they stop at the first wrong access, and say where it is."""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest
import triton
import triton.language as tl

import trident
from trident import unwritten
from trident.triton_backend import settings


@pytest.fixture(autouse=True)
def checked(monkeypatch):
    monkeypatch.setenv("TRIDENT_CHECK", "1")


def fault(launch, kernel, code, text, program=(0, 0, 0)):
    """The launch fails at the line of the kernel that holds `code`, and says `text`, every time."""
    lines, first = inspect.getsourcelines(kernel.fn)
    line = first + next(i for i, each in enumerate(lines) if code in each)
    messages = set()
    for _ in range(2):
        with pytest.raises(trident.AccessError) as error:
            launch()
        assert error.value.loc.rsplit(":", 1)[0] == f"{inspect.getfile(kernel.fn)}:{line}"
        assert error.value.program == program
        messages.add(str(error.value))
    assert len(messages) == 1
    message = messages.pop()
    assert text in message and code in message
    return message


@triton.jit
def copy_kernel(x, out, shift, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i + shift)
    tl.store(out + i, values, mask=i < n)


def test_reads_outside(floats):
    x, out = floats(100), np.zeros(128, np.float32)
    text = (
        "out-of-bounds read of 4 bytes at byte 400 (element 100) of `x`, "
        "whose memory is bytes 0 to 400"
    )
    fault(
        lambda: copy_kernel[(2,)](x, out, 0, 128, BLOCK=64),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
        program=(1, 0, 0),
    )
    text = "out-of-bounds read of 4 bytes at byte -12 (element -3) of `x`"
    fault(
        lambda: copy_kernel[(1,)](x, out, -3, 64, BLOCK=64),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
    )
    copy_kernel[(1,)](x, out, 36, 64, BLOCK=64)
    np.testing.assert_array_equal(out[:64], x[36:])


def test_writes_outside(floats):
    x, out = floats(64), np.zeros(60, np.float32)
    text = "out-of-bounds write of 4 bytes at byte 240 (element 60) of `out`"
    fault(lambda: copy_kernel[(1,)](x, out, 0, 64, BLOCK=64), copy_kernel, "tl.store(out + i", text)
    copy_kernel[(1,)](x, out, 0, 60, BLOCK=64)
    np.testing.assert_array_equal(out, x[:60])


def test_memory_of_another_argument_is_outside(floats):
    x, out = floats(64), np.zeros(64, np.float32)
    shift = (trident.address(out) - trident.address(x)) // 4
    text = "out-of-bounds read of 4 bytes at byte"
    message = fault(
        lambda: copy_kernel[(1,)](x, out, shift, 64, BLOCK=64),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
    )
    assert f"(element {shift}) of `x`" in message


def test_views_may_go_anywhere_in_their_array(floats):
    base, out = floats(100), np.zeros(16, np.float32)
    copy_kernel[(1,)](base[50:60], out, -50, 16, BLOCK=16)
    np.testing.assert_array_equal(out, base[:16])
    text = "at byte -204 (element -51) of `x`, whose memory is bytes -200 to 200"
    fault(
        lambda: copy_kernel[(1,)](base[50:60], out, -51, 16, BLOCK=16),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
    )


@triton.jit
def masked_kernel(x, out, first, last, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) - BLOCK // 2
    inside = (i >= first) & (i < last)
    tl.store(out + i, tl.load(x + i, mask=inside, other=0.0) + 1, mask=inside)


def test_what_the_mask_leaves_out_is_not_accessed(floats):
    x, out = floats(20), np.zeros(20, np.float32)
    masked_kernel[(1,)](x, out, 0, 20, BLOCK=64)
    np.testing.assert_array_equal(out, x + np.float32(1))
    fault(
        lambda: masked_kernel[(1,)](x, out, -1, 20, BLOCK=64),
        masked_kernel,
        "tl.store(",
        "byte -4 (element -1) of `x`",
    )
    fault(
        lambda: masked_kernel[(1,)](x, out, 0, 21, BLOCK=64),
        masked_kernel,
        "tl.store(",
        "byte 80 (element 20) of `x`",
    )


@triton.jit
def use_kernel(x, out, N: tl.constexpr, USE: tl.constexpr):
    i, j = tl.arange(0, N), tl.arange(0, 16)
    values = tl.load(x + i[:, None] * 16 + j[None, :])
    if USE == "dot":
        values = tl.dot(values, tl.trans(values))
        tl.store(out + i[:, None] * N + i[None, :], values)
    elif USE == "sum":
        tl.store(out + i, tl.sum(values, axis=1))
    elif USE == "max":
        tl.store(out + j, tl.max(values, axis=0))
    elif USE == "scan":
        tl.store(out + i[:, None] * 16 + j[None, :], tl.cumsum(values, axis=0))
    elif USE == "function":
        tl.store(out + i[:, None] * 16 + j[None, :], tl.exp(values))
    else:
        tl.store(out + j, tl.sum(tl.sort(values), axis=0))


@pytest.mark.parametrize("use", ["dot", "sum", "max", "scan", "function", "sort"])
def test_every_use_of_a_load_is_checked(use, floats):
    out = np.zeros(1024, np.float32)
    use_kernel[(1,)](floats(32, 16), out, N=32, USE=use)
    x = floats(511)
    fault(
        lambda: use_kernel[(1,)](x, out, N=32, USE=use),
        use_kernel,
        "tl.load(x",
        "byte 2044 (element 511) of `x`",
    )


@triton.jit
def loop_kernel(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), tl.float32)
    place = x + tl.arange(0, BLOCK)
    for _ in range(0, n):
        total += tl.load(place)
        place += BLOCK
    tl.store(out + tl.arange(0, BLOCK), total)


def test_pointers_carried_by_loops(floats):
    x, out = floats(10, 32), np.zeros(32, np.float32)
    loop_kernel[(1,)](x, out, 10, BLOCK=32)
    fault(
        lambda: loop_kernel[(1,)](x, out, 11, BLOCK=32),
        loop_kernel,
        "tl.load(place)",
        "byte 1280 (element 320) of `x`",
    )


@triton.jit
def tuple_kernel(arrays, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(arrays[1] + i, tl.load(arrays[0] + i))


def test_elements_of_tuples_have_names(floats):
    fault(
        lambda: tuple_kernel[(1,)]((floats(16), np.zeros(15, np.float32)), N=16),
        tuple_kernel,
        "tl.store(",
        "byte 60 (element 15) of `arrays[1]`",
    )


@triton.jit
def descriptor_kernel(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [M, N])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [M, N])
    target.store([0, 0], source.load([0, 0]))


def test_descriptors(floats):
    x, out = floats(5, 12), np.ones((8, 16), np.float32)
    descriptor_kernel[(1,)](x, out, 5, 12, M=8, N=16)
    expected = np.zeros_like(out)
    expected[:5, :12] = x
    np.testing.assert_array_equal(out, expected)
    fault(
        lambda: descriptor_kernel[(1,)](x, out, 6, 12, M=8, N=16),
        descriptor_kernel,
        "source.load(",
        "byte 240 (element 60) of `x`",
    )
    fault(
        lambda: descriptor_kernel[(1,)](x, out[1:].copy(), 5, 12, M=8, N=16),
        descriptor_kernel,
        "target.store(",
        "byte 448 (element 112) of `out`",
    )


@triton.jit
def host_descriptor_kernel(source, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i[:, None] * N + j[None, :], source.load([0, 0]))


def test_descriptors_of_the_host(floats):
    from triton.tools.tensor_descriptor import TensorDescriptor

    x, out = floats(5, 12), np.zeros((8, 16), np.float32)
    source = TensorDescriptor(x, [5, 12], [12, 1], [8, 16])
    host_descriptor_kernel[(1,)](source, out, M=8, N=16)
    source = TensorDescriptor(x, [6, 12], [12, 1], [8, 16])
    fault(
        lambda: host_descriptor_kernel[(1,)](source, out, M=8, N=16),
        host_descriptor_kernel,
        "source.load(",
        "byte 240 (element 60) of `source.base`",
    )


@triton.jit
def block_pointer_kernel(x, out, n, CHECK: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (0,), (N,), (0,))
    if CHECK:
        values = tl.load(source, boundary_check=(0,), padding_option="zero")
    else:
        values = tl.load(source)
    tl.store(out + tl.arange(0, N), values)


def test_block_pointers(floats):
    x, out = floats(30), np.ones(32, np.float32)
    block_pointer_kernel[(1,)](x, out, 30, CHECK=True, N=32)
    np.testing.assert_array_equal(out, np.append(x, [0, 0]))
    fault(
        lambda: block_pointer_kernel[(1,)](x, out, 30, CHECK=False, N=32),
        block_pointer_kernel,
        "tl.load(source)",
        "byte 120 (element 30) of `x`",
    )


@triton.jit
def indirect_kernel(addresses, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(addresses).to(tl.pointer_type(tl.float32))
    tl.store(out + i, tl.load(x + i))


def test_pointers_in_memory(floats):
    x, out = floats(16), np.zeros(16, np.float32)
    indirect_kernel[(1,)](np.array([x.ctypes.data]), out, BLOCK=16)
    np.testing.assert_array_equal(out, x)
    fault(
        lambda: indirect_kernel[(1,)](np.zeros(1, np.int64), out, BLOCK=16),
        indirect_kernel,
        "tl.load(x + i)",
        "through a null pointer",
    )


def test_misaligned_accesses():
    memory = np.zeros(80, np.uint8)
    odd, out = memory[2:66].view(np.int32), np.zeros(16, np.int32)
    text = "misaligned read of 4 bytes at byte 0 (element 0) of `x`"
    fault(
        lambda: copy_kernel[(1,)](odd, out, 0, 16, BLOCK=16),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
    )
    copy_kernel[(1,)](memory[4:68].view(np.int32), out, 0, 16, BLOCK=16)


@pytest.mark.parametrize("dtype", ["u1", "i2", "f2", "f4", "i4", "f8", "i8"])
def test_memory_that_nothing_has_written(dtype):
    x, out = np.zeros(24, dtype), np.zeros(16, dtype)
    unwritten.fill(x.ctypes.data, x.nbytes)
    text = "byte 0 (element 0) of `x`, which nothing has written"
    fault(
        lambda: copy_kernel[(1,)](x, out, 0, 16, BLOCK=16),
        copy_kernel,
        "tl.load(x + i + shift)",
        text,
    )
    # What the program or a kernel writes is written.
    x[:] = 1
    copy_kernel[(1,)](x, out, 0, 16, BLOCK=16)
    assert (out == 1).all()
    unwritten.fill(x.ctypes.data, x.nbytes)
    copy_kernel[(1,)](out, x, 0, 16, BLOCK=16)
    copy_kernel[(1,)](x, out, 0, 16, BLOCK=16)
    place = f"byte {16 * x.itemsize} (element 16) of `x`"
    fault(
        lambda: copy_kernel[(1,)](x, out, 8, 16, BLOCK=16),
        copy_kernel,
        "tl.load(x + i + shift)",
        f"{place}, which nothing has written",
    )


EMPTY = """
import MODULE, triton, triton.language as tl

@triton.jit
def kernel(x, out, N: tl.constexpr):
    tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)))

full = MODULE.zeros(16, dtype=MODULE.float32)
for empty in CALLS:
    out = empty()
    kernel[(1,)](full, out, N=16)
    kernel[(1,)](out, full, N=16)
    try:
        kernel[(1,)](empty(), full, N=16)
    except RuntimeError as error:
        print("stopped" if "which nothing has written" in str(error) else error)
"""


@pytest.mark.parametrize(
    "module, calls",
    [
        ("numpy", ["numpy.empty(16, 'f4')", "numpy.empty_like(full)"]),
        (
            "torch",
            ["torch.empty(16)", "torch.empty_like(full)", "full.new_empty(16)"]
            + ["torch.empty_strided((4, 4), (4, 1))"],
        ),
    ],
)
def test_memory_of_array_libraries_starts_unwritten(module, calls, tmp_path):
    pytest.importorskip(module)
    calls_text = "[" + ", ".join(f"lambda: {call}" for call in calls) + "]"
    file = tmp_path / "program.py"
    file.write_text(EMPTY.replace("MODULE", module).replace("CALLS", calls_text))
    environment = os.environ | {"TRIDENT_CHECK": "1", "TRITON_DEFAULT_BACKEND": "trident"}
    run = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True)
    assert run.stdout.split() == ["stopped"] * len(calls), run.stdout + run.stderr


@triton.jit
def same_kernel(out, x, STORE: tl.constexpr, N: tl.constexpr):
    pid, i = tl.program_id(0), tl.arange(0, N)
    if STORE == "everybody":
        tl.store(out + i, i)
    elif STORE == "neighbour":
        tl.store(out + pid * (N - 1) + i, i)
    elif STORE == "own":
        tl.store(out + pid * N + i, i)
        tl.store(out + pid * N + i, tl.load(out + pid * N + i) + 1)
    elif STORE == "atomic":
        tl.atomic_add(out + i, i)
    else:
        total = tl.sum(tl.load(x + i), 0)
        tl.store(x + pid, total)


@pytest.mark.parametrize(
    "store, program, text",
    [
        (
            "everybody",
            (1, 0, 0),
            "write of 4 bytes at byte 0 (element 0) of `out` races with a write",
        ),
        (
            "neighbour",
            (1, 0, 0),
            "write of 4 bytes at byte 60 (element 15) of `out` races with a write",
        ),
        ("other", (1, 0, 0), "read of 4 bytes at byte 0 (element 0) of `x` races with a write"),
    ],
)
def test_races_between_programs(store, program, text):
    out, x = np.zeros(64, np.int32), np.zeros(64, np.int32)
    code = {"everybody": "out + i, i)", "neighbour": "(N - 1)", "other": "tl.load(x + i)"}[store]
    message = fault(
        lambda: same_kernel[(4,)](out, x, STORE=store, N=16), same_kernel, code, text, program
    )
    assert "by program (0, 0, 0)" in message
    same_kernel[(1,)](out, x, STORE=store, N=16)


def test_programs_on_their_own_memory_and_atomics_do_not_race():
    out = np.zeros(64, np.int32)
    same_kernel[(4,)](out, out, STORE="own", N=16)
    np.testing.assert_array_equal(out, np.tile(np.arange(1, 17), 4))
    same_kernel[(4,)](out, out, STORE="atomic", N=16)
    np.testing.assert_array_equal(out[:16], np.arange(16) * 5 + 1)


@triton.jit
def late_write_kernel(x, out):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    if pid < 5:
        tl.store(out + pid, tl.load(x))
    else:
        tl.store(x, 1)


def test_writes_of_what_several_programs_have_read():
    x, out = np.zeros(1, np.int32), np.zeros(8, np.int32)
    text = "write of 4 bytes at byte 0 (element 0) of `x` races with a read by program (0, 0, 0) at"
    fault(
        lambda: late_write_kernel[(2, 3)](x, out),
        late_write_kernel,
        "tl.store(x, 1)",
        text,
        program=(1, 2, 0),
    )


@triton.jit
def lock_kernel(lock, total, RELEASE: tl.constexpr):
    while tl.atomic_cas(lock, 0, 1, sem="acquire") == 1:
        pass
    tl.store(total, tl.load(total) + 1)
    if RELEASE:
        tl.atomic_xchg(lock, 0, sem="release")
    else:
        tl.atomic_xchg(lock, 0, sem="relaxed")


def test_locks_order_what_they_guard():
    lock, total = np.zeros(1, np.int32), np.zeros(1, np.int32)
    lock_kernel[(10,)](lock, total, RELEASE=True)
    assert total[0] == 10
    with pytest.raises(trident.AccessError, match="of `total` races with a write by program"):
        lock_kernel[(2,)](lock, total, RELEASE=False)


def test_the_direct_interface_checks(floats):
    x, out = floats(100), np.zeros(128, np.float32)
    compiled = copy_kernel.warmup(x, out, 0, 128, BLOCK=64, grid=(1,))
    kernel = trident.compile(compiled.asm["ttir"])
    args = [x, out, 0, 128] if len(kernel.params) == 4 else [x, out, 128]
    with pytest.raises(trident.AccessError, match="byte 400 .element 100. of `x`"):
        kernel.launch(2, args)
    with pytest.raises(trident.AccessError, match="byte 400"):
        trident.load(kernel.save()).launch(2, args)


@pytest.mark.parametrize(
    "variable, ask",
    [("TRIDENT_CHECK", settings.checks), ("TRIDENT_INTERPRET", settings.interprets)],
)
def test_switches_say_what_they_do_not_know(variable, ask, monkeypatch):
    text = "module { tt.func public @nothing() { tt.return } }"
    for value in ("1", "YES", "off", ""):
        monkeypatch.setenv(variable, value)
        assert ask() == (value in ("1", "YES"))
        trident.compile(text)
    monkeypatch.setenv(variable, "2")
    for asked in (ask, lambda: trident.compile(text)):
        with pytest.raises(ValueError, match=f"^{variable}=2 is neither .*: set it to 1, true"):
            asked()
    trident.compile(text, check=False, interpret=False)
