"""The folder of compiled kernels stays below its limit, and no kernel is compiled twice at once.

``TRIDENT_TEST_KERNELS=2000 pytest -s`` takes as many kernels under a limit of 20 MiB, and minutes.
"""

import json
import os
import subprocess
import sys

import pytest

MANY = int(os.environ.get("TRIDENT_TEST_KERNELS", "60"))
#: 20 MiB for 2,000 kernels, which is less than half of what they take.
LIMIT = MANY * (20 << 20) // 2000

#: How many rows a kernel writes; the code of each stands there in full.
ROWS = 12


def text(i):
    """A kernel that writes ``j + i * row`` to column ``j`` of each row; it takes over 30 KB."""
    block, pointers = "tensor<64xi32>", "tensor<64x!tt.ptr<i32>>"
    lines = []
    for row in range(ROWS):
        lines += [
            f"%number{row} = arith.constant dense<{i * row}> : {block}",
            f"%start{row} = arith.constant dense<{64 * row}> : {block}",
            f"%sum{row} = arith.addi %range, %number{row} : {block}",
            f"%at{row} = arith.addi %range, %start{row} : {block}",
            f"%place{row} = tt.addptr %base, %at{row} : {pointers}, {block}",
            f"tt.store %place{row}, %sum{row} : {pointers}",
        ]
    body = "\n    ".join(lines)
    return f"""module {{
  tt.func public @k{i}(%out: !tt.ptr<i32>) {{
    %range = tt.make_range {{end = 64 : i32, start = 0 : i32}} : {block}
    %base = tt.splat %out : !tt.ptr<i32> -> {pointers}
    {body}
    tt.return
  }}
}}
"""


#: Compiles all kernels from a number on, launches each, and notes when it compiled which.
PROGRAM = """
import fcntl
import json
import os
import sys
import time

import numpy as np
import triton

from trident import _trident

folder, number, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
compile, events = _trident.compile, []


def noted(text, **options):
    start = time.monotonic()
    kernel = compile(text, **options)
    # Long enough that another process would come in between.
    time.sleep(float(sys.argv[4]))
    events.append((kernel.name, start, time.monotonic()))
    return kernel


_trident.compile = noted
kernels, most = os.path.join(os.environ["XDG_CACHE_HOME"], "trident/kernels"), 0
columns, rows = np.arange(64, dtype=np.int32), np.arange(ROWS, dtype=np.int32)[:, None]
for i in range(number):
    i = (first + i) % number
    out = np.zeros((ROWS, 64), np.int32)
    triton.compile(os.path.join(folder, f"{i}.ttir"))[1, 1, 1](out)
    assert (out == columns + i * rows).all(), i
    # Who stores a file holds this lock: files that come and go would be counted together.
    with open(os.path.join(kernels, ".sum"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sizes = []
        for entry in os.scandir(kernels):
            try:
                sizes.append(entry.stat().st_size)
            except FileNotFoundError:
                pass
        fcntl.flock(lock, fcntl.LOCK_UN)
    most = max(most, sum(sizes))
print(json.dumps([events, most]))
"""


def run(folder, firsts, number=MANY, limit=str(LIMIT), pause=0.0, check=True):
    (folder / "program.py").write_text(PROGRAM.replace("ROWS", str(ROWS)))
    for i in range(number):
        (folder / f"{i}.ttir").write_text(text(i))
    environment = os.environ | {
        "XDG_CACHE_HOME": str(folder / "home"),
        "TRITON_CACHE_DIR": str(folder / "triton"),
        "TRIDENT_KERNEL_CACHE_SIZE": limit,
    }
    started = [
        subprocess.Popen(
            [sys.executable, folder / "program.py", folder, str(number), str(first), str(pause)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for first in firsts
    ]
    ended = [(*process.communicate(), process.returncode) for process in started]
    if not check:
        return ended
    assert [status for _, _, status in ended] == [0] * len(ended), [said for _, said, _ in ended]
    return [json.loads(out) for out, _, _ in ended]


def overlaps(results):
    """Kernels that two processes compiled at the same time."""
    events = sorted(tuple(event) for found, _ in results for event in found)
    return [a[0] for a, b in zip(events, events[1:]) if a[0] == b[0] and b[1] < a[2]]


def test_the_folder_stays_below_its_limit(tmp_path):
    results = run(tmp_path, [0, 0, MANY // 3, MANY // 2])
    assert max(most for _, most in results) <= LIMIT
    assert not overlaps(results)
    sizes = [p.stat().st_size for p in (tmp_path / "home/trident/kernels").glob("*.trident")]
    # There is room for less than half of them, and the folder is full.
    assert min(sizes) > 20 << 10 and LIMIT / 2 < sum(sizes) and len(sizes) < MANY / 2
    compiled = [name for found, _ in results for name, _, _ in found]
    assert len(set(compiled)) == MANY
    print(f"{MANY} kernels compiled {len(compiled)} times, in a folder of at most", end=" ")
    print(f"{max(most for _, most in results)} of {LIMIT} bytes, with {len(sizes)} kernels at last")


def test_processes_wait_for_the_one_that_compiles(tmp_path):
    results = run(tmp_path, [0, 0, 0, 0], number=5, limit="1G", pause=0.2)
    assert sorted(name for found, _ in results for name, _, _ in found) == [
        f"k{i}" for i in range(5)
    ]
    left = [path.name for path in (tmp_path / "home/trident/kernels").iterdir()]
    assert not [name for name in left if name.endswith(".lock")]


@pytest.mark.parametrize("limit", ["0", "100"])
def test_without_room_kernels_run(tmp_path, limit):
    ((events, most),) = run(tmp_path, [0], number=2, limit=limit)
    assert len(events) == 2 and most < 200


@pytest.mark.parametrize("value", ["lots", "-1", "1.5G"])
def test_a_bad_limit_is_an_error(tmp_path, value):
    ((_, said, status),) = run(tmp_path, [0], number=1, limit=value, check=False)
    assert status == 1 and f"TRIDENT_KERNEL_CACHE_SIZE={value} is not a size" in said
