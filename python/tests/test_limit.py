"""The folder of compiled kernels stays below its limit, and no kernel is compiled twice at once.

``TRIDENT_TEST_KERNELS=2000`` takes as many kernels, and minutes."""

import json
import os
import subprocess
import sys

import pytest

MANY = int(os.environ.get("TRIDENT_TEST_KERNELS", "60"))
#: About half of what the kernels take.
LIMIT = MANY * 2000

TEXT = """module {{
  tt.func public @k{i}(%out: !tt.ptr<i32>) {{
    %range = tt.make_range {{end = 64 : i32, start = 0 : i32}} : tensor<64xi32>
    %number = arith.constant dense<{i}> : tensor<64xi32>
    %sum = arith.addi %range, %number : tensor<64xi32>
    %base = tt.splat %out : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
    %place = tt.addptr %base, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
    tt.store %place, %sum : tensor<64x!tt.ptr<i32>>
    tt.return
  }}
}}
"""

#: Compiles all kernels from a number on, launches each, and notes when it compiled which.
PROGRAM = """
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
expected = np.arange(64, dtype=np.int32)
for i in range(number):
    i = (first + i) % number
    out = np.zeros(64, np.int32)
    triton.compile(os.path.join(folder, f"{i}.ttir"))[1, 1, 1](out)
    assert (out == expected + i).all(), i
    sizes = []
    for entry in os.scandir(kernels):
        try:
            sizes.append(entry.stat().st_size)
        except FileNotFoundError:
            pass
    most = max(most, sum(sizes))
print(json.dumps([events, most]))
"""


def run(folder, firsts, number=MANY, limit=str(LIMIT), pause=0.0, check=True):
    (folder / "program.py").write_text(PROGRAM)
    for i in range(number):
        (folder / f"{i}.ttir").write_text(TEXT.format(i=i))
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
    # There is no room for all.
    assert len(list((tmp_path / "home/trident/kernels").glob("*.trident"))) < MANY
    compiled = {name for found, _ in results for name, _, _ in found}
    assert len(compiled) == MANY


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
