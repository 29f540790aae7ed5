"""The direct interface: Triton IR in, arrays changed."""

from random import Random

import numpy as np
import pytest

import trident

ADD = """
module {
  tt.func public @add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) {
    %c64 = arith.constant 64 : i32
    %pid = tt.get_program_id x : i32
    %start = arith.muli %pid, %c64 : i32
    %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
    %base = tt.splat %start : i32 -> tensor<64xi32>
    %i = arith.addi %base, %range : tensor<64xi32>
    %limit = tt.splat %n : i32 -> tensor<64xi32>
    %mask = arith.cmpi slt, %i, %limit : tensor<64xi32>
    %px = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %pxi = tt.addptr %px, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %vx = tt.load %pxi, %mask : tensor<64x!tt.ptr<f32>>
    %py = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %pyi = tt.addptr %py, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    %vy = tt.load %pyi, %mask : tensor<64x!tt.ptr<f32>>
    %sum = arith.addf %vx, %vy : tensor<64xf32>
    %po = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
    %poi = tt.addptr %po, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
    tt.store %poi, %sum, %mask : tensor<64x!tt.ptr<f32>>
    tt.return
  }
}
"""


@pytest.fixture(scope="module")
def add():
    return trident.compile(ADD)


def test_kernel_knows_itself(add):
    assert add.name == "add"
    assert add.params == ["ptr<f32>[]"] * 3 + ["i32[]"]
    assert repr(add) == "<trident.Kernel add(ptr<f32>[], ptr<f32>[], ptr<f32>[], i32[])>"


@pytest.mark.parametrize("grid", [2, (2,), [2, 1], (2, 1, 1), np.int64(2)])
def test_launch(add, floats, grid):
    x, y, out = floats(100), floats(100), np.zeros(128, np.float32)
    add.launch(grid, [x, y, out, 100])
    np.testing.assert_array_equal(out[:100], x + y)
    assert not out[100:].any()


def test_wrong_launches_are_refused(add, floats):
    x = floats(100)
    with pytest.raises(TypeError, match="takes 4 arguments, not 3"):
        add.launch(2, [x, x, x])
    with pytest.raises(TypeError, match="argument `y` is a float, and the kernel takes an array"):
        add.launch(2, [x, 1.5, x, 100])
    with pytest.raises(TypeError, match="argument `n` is a str, and the kernel takes an integer"):
        add.launch(2, [x, x, x, "100"])
    for large in (2**32, 2**64, -(2**31) - 1):
        text = f"is {large}, which does not fit into i32: it takes -2147483648 to 4294967295"
        with pytest.raises(OverflowError, match=text):
            add.launch(2, [x, x, x, large])
    with pytest.raises(ValueError, match="1 to 3 dimensions"):
        add.launch((1, 1, 1, 1), [x, x, x, 100])


def test_texts(add):
    assert add.listing("ttir") == ADD
    assert "ptr_add" in add.listing("tile") and "load" in add.listing("tile")
    with pytest.raises(KeyError, match="no text `ptx`; its texts are ttir, tile, clif, asm"):
        add.listing("ptx")


def test_saved_kernels_run_again(add, floats):
    image = add.save()
    x, y, out = floats(100), floats(100), np.zeros(100, np.float32)
    trident.load(image).launch(2, [x, y, out, 100])
    np.testing.assert_array_equal(out, x + y)
    changed = bytes([*image[:-1], image[-1] ^ 1])
    for broken in (b"", image[:7], image[:12], image[:-1], b"x" + image, changed):
        with pytest.raises(ValueError, match="not a kernel that Trident saved for this user"):
            trident.load(broken)


def test_kernels_saved_under_a_name_are_asked_for_by_it(add):
    image = add.save("one")
    assert trident.load(image).name == trident.load(image, "one").name == add.name
    with pytest.raises(ValueError, match="the kernel `one` in place of `two`"):
        trident.load(image, "two")


@pytest.mark.parametrize(
    "text, message",
    [
        ("", ""),
        ("module {", ""),
        (ADD.replace("arith.addf", "arith.noise"), "arith.noise"),
        (ADD.replace("%vx, %vy", "%vx, %missing"), "missing"),
    ],
)
def test_wrong_texts_are_refused(text, message):
    with pytest.raises(trident.CompileError) as error:
        trident.compile(text)
    assert message in str(error.value)


def test_threads_do_not_change_results(floats):
    x, y = floats(10_000), floats(10_000)
    outs = []
    before = trident.num_threads()
    try:
        for threads in (1, 3):
            trident.set_num_threads(threads)
            assert trident.num_threads() == threads
            out = np.zeros(10_000, np.float32)
            trident.compile(ADD).launch(157, [x, y, out, 10_000])
            outs.append(out)
    finally:
        trident.set_num_threads(before)
    np.testing.assert_array_equal(outs[0], x + y)
    np.testing.assert_array_equal(outs[0], outs[1])
    with pytest.raises(ValueError, match="number of threads"):
        trident.set_num_threads(5000)


def test_a_launch_never_leaves_its_arrays(add, floats):
    x, y, memory = floats(100), floats(100), np.zeros(192, np.float32)
    out = memory[:100].copy()
    text = r"program \(1, 0, 0\).*out-of-bounds write of 4 bytes at byte 400 .element 100. of `out`"
    for kernel in (add, trident.load(add.save())):
        with pytest.raises(trident.AccessError, match=text) as error:
            kernel.launch(3, [floats(192), floats(192), out, 192])
        assert error.value.program == (1, 0, 0)
    with pytest.raises(trident.AccessError, match="read of 4 bytes at byte 400 .* of `y`"):
        add.launch(2, [floats(128), y, floats(128), 128])
    # What is behind a view belongs to its array.
    add.launch(3, [floats(192), floats(192), memory[:100], 192])
    assert memory[100:].any()
    with pytest.raises(trident.AccessError, match="of `x`"):
        add.launch(1, [np.zeros(0, np.float32), y, out, 100])
    with pytest.raises(trident.AccessError, match="null pointer"):
        add.launch(1, [None, y, out, 100])
    add.launch(3, [x, y, out, 100])
    np.testing.assert_array_equal(out, x + y)


def test_integers_for_arrays_are_addresses_of_unknown_memory(add, floats):
    x, y, out = floats(100), floats(100), np.zeros(100, np.float32)
    add.launch(2, [x.ctypes.data, y, out, 100])
    np.testing.assert_array_equal(out, x + y)
    with pytest.raises(trident.AccessError, match="of `y`"):
        add.launch(2, [floats(128).ctypes.data, y, floats(128), 128])
    with pytest.raises(trident.AccessError, match="null pointer"):
        add.launch(1, [0, y, out, 100])


def test_bounds_change_no_bits(add, floats):
    unchecked = trident.compile(ADD, unchecked=True)
    x, y = floats(1000), floats(1000)
    results = [np.zeros(1000, np.float32) for _ in range(2)]
    for kernel, out in zip((add, unchecked), results):
        kernel.launch(16, [x, y, out, 1000])
    np.testing.assert_array_equal(*results)
    assert add.listing("asm") != unchecked.listing("asm")
    with pytest.raises(ValueError, match="with and without checks at once"):
        trident.compile(ADD, check=True, unchecked=True)


def test_read_only_arrays_may_be_read(add, floats):
    x, y, out = floats(100), floats(100), np.zeros(100, np.float32)
    x.flags.writeable = False
    add.launch(2, [x, y, out, 100])
    np.testing.assert_array_equal(out, x + y)


def random_kernel(random):
    """A kernel, its element type, the block's size, and the elements of ``x`` that it reads."""
    block = random.choice([16, 64, 128])
    dtype = random.choice(
        [("f32", "f4"), ("f64", "f8"), ("i32", "i4"), ("i8", "i1"), ("f16", "f2")]
    )
    step, shift = random.randint(1, 4), random.randint(0, 50)
    element, ptr = dtype[0], f"tensor<{block}x!tt.ptr<{dtype[0]}>>"
    ints = f"tensor<{block}xi32>"
    text = f"""
module {{
  tt.func public @f(%x: !tt.ptr<{element}>, %out: !tt.ptr<{element}>) {{
    %r = tt.make_range {{end = {block} : i32, start = 0 : i32}} : {ints}
    %step = arith.constant dense<{step}> : {ints}
    %shift = arith.constant dense<{shift}> : {ints}
    %far = arith.muli %r, %step : {ints}
    %i = arith.addi %far, %shift : {ints}
    %xs = tt.splat %x : !tt.ptr<{element}> -> {ptr}
    %px = tt.addptr %xs, %i : {ptr}, {ints}
    %v = tt.load %px : {ptr}
    %os = tt.splat %out : !tt.ptr<{element}> -> {ptr}
    %po = tt.addptr %os, %r : {ptr}, {ints}
    tt.store %po, %v : {ptr}
    tt.return
  }}
}}
"""
    return text, np.dtype(dtype[1]), block, [step * i + shift for i in range(block)]


@pytest.mark.parametrize("seed", range(20))
def test_random_kernels_never_leave_their_arrays(seed):
    random = Random(seed)
    text, dtype, block, reads = random_kernel(random)
    kernel = trident.compile(text)
    x = np.arange(reads[-1] + 1).astype(dtype)
    results = [np.zeros(block, dtype) for _ in range(2)]
    for each, out in zip((kernel, trident.compile(text, unchecked=True)), results):
        each.launch(1, [x, out])
        np.testing.assert_array_equal(out, x[reads])
    for _ in range(10):
        size = random.randrange(len(x))
        missing = next(i for i in reads if i >= size)
        with pytest.raises(trident.AccessError, match=rf"read of .*element {missing}\) of `x`"):
            kernel.launch(1, [x[:size].copy(), results[0]])
        size = random.randrange(block)
        with pytest.raises(trident.AccessError, match=rf"write of .*element {size}\) of `out`"):
            kernel.launch(1, [x, results[0][:size].copy()])
