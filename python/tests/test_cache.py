"""Kernels that are kept for later processes: what others may have touched is never run."""

import json
import os
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
import json
import warnings

import numpy as np
import triton
import triton.language as tl
from triton import knobs


@triton.jit
def add_kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))


@triton.jit
def sub_kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) - tl.load(y + i))


hits = []
knobs.compilation.listener = lambda **event: hits.append(event["cache_hit"])
x, y = np.arange(64, dtype=np.float32), np.full(64, 3, np.float32)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for kernel, expected in ((add_kernel, x + y), (sub_kernel, x - y)):
        out = np.zeros(64, np.float32)
        kernel[1,](x, y, out, BLOCK=64)
        np.testing.assert_array_equal(out, expected)
said = [str(w.message) for w in said if "stored kernels" in str(w.message)]
with open("/proc/self/maps") as maps:
    assert not [line for line in maps if line.split()[1].startswith("rwx")]
print(json.dumps([hits, said]))
"""


class Cache:
    """The folders of one user and what they hold."""

    def __init__(self, folder):
        self.program = folder / "program.py"
        self.program.write_text(PROGRAM)
        self.triton, self.home = folder / "triton", folder / "home"
        self.kernels = self.home / "trident/kernels"
        self.key = self.kernels / "key"

    def start(self, **environment):
        folders = {"XDG_CACHE_HOME": str(self.home), "TRITON_CACHE_DIR": str(self.triton)}
        return subprocess.Popen(
            [sys.executable, self.program],
            env=os.environ | {"TRIDENT_DEVICE": "cpu"} | folders | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, **environment):
        """Whether each kernel was taken from the folders, and the warnings; results are right."""
        process = self.start(**environment)
        out, errors = process.communicate()
        assert process.returncode == 0, errors
        return json.loads(out)

    def code(self):
        """The files of the first kernel and of the second."""
        found = {}
        for facts in self.triton.glob("*/???_kernel.json"):
            metadata = json.loads(facts.read_text())
            found[metadata["name"]] = self.kernels / f"{metadata['hash']}.trident"
        return found["add_kernel"], found["sub_kernel"]

    def facts(self, name):
        return next(self.triton.glob(f"*/{name}.json"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    cache = Cache(tmp_path_factory.mktemp("cache"))
    assert cache.run() == [[False, False], []]
    return cache


def is_whole(cache):
    return cache.run() == [[True, True], []]


def is_whole_after_compiling(cache):
    """What Triton noted in a process without a folder names files that went with it."""
    return cache.run() == [[False, False], []] and is_whole(cache)


def with_other_code(content):
    """The same file with instructions that end the process in the place of the kernel's."""
    for at in range(len(content) - 8):
        if int.from_bytes(content[at : at + 8], "little") == len(content) - at - 8:
            return content[: at + 8] + b"\x0f\x0b" * ((len(content) - at - 8) // 2 + 1)
    raise AssertionError("the file has no code")


def test_kernels_are_kept_where_only_the_user_may_write(cache):
    assert is_whole(cache)
    assert cache.kernels.stat().st_mode & 0o777 == 0o700
    files = list(cache.kernels.iterdir())
    # The key, the sum of all sizes, two kernels.
    assert len(files) == 4 and all(f.stat().st_mode & 0o777 == 0o600 for f in files)
    assert not list(cache.triton.glob("**/*.trident"))


@pytest.mark.parametrize(
    "damage",
    [
        with_other_code,
        lambda content: b"",
        lambda content: content[:40],
        lambda content: content[:-1],
        lambda content: content + b"\0",
        lambda content: bytes([*content[:50], content[50] ^ 1, *content[51:]]),
    ],
    ids=["forged", "empty", "mark only", "cut short", "longer", "changed"],
)
def test_code_that_is_not_the_users_is_not_run(cache, damage):
    code, _ = cache.code()
    code.write_bytes(damage(code.read_bytes()))
    hits, said = cache.run()
    assert hits == [False, True] and len(said) == 1
    assert str(code) in said[0] and "not a kernel that Trident saved for this user" in said[0]
    assert is_whole(cache)


def test_swapped_kernels_are_not_run(cache):
    one, other = cache.code()
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    hits, said = cache.run()
    assert hits == [False, False] and len(said) == 1 and "in place of" in said[0]
    assert is_whole(cache)


@pytest.mark.parametrize("file", ["kernels", "key"])
def test_what_others_may_write_is_not_used(cache, file):
    path = getattr(cache, file)
    before = path.stat().st_mode & 0o777
    path.chmod(before | 0o022)
    hits, said = cache.run()
    path.chmod(before)
    assert hits == [False, False] and len(said) == 1 and str(path) in said[0]
    assert is_whole_after_compiling(cache)


def test_code_that_others_may_write_is_compiled_again(cache):
    code, _ = cache.code()
    code.chmod(0o660)
    hits, said = cache.run()
    assert hits == [False, True] and len(said) == 1 and str(code) in said[0]
    assert is_whole(cache)


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can give files away")
def test_what_belongs_to_another_user_is_not_used(cache):
    for path in (cache.code()[0], cache.kernels, cache.key):
        os.chown(path, 12345, -1)
        hits, said = cache.run()
        os.chown(path, 0, -1)
        assert False in hits and len(said) == 1 and "belongs to another user" in said[0]
    assert is_whole_after_compiling(cache)


def test_another_key_makes_kept_kernels_worthless(cache):
    cache.key.unlink()
    hits, said = cache.run()
    assert hits == [False, False] and len(said) == 1
    assert is_whole(cache)


def test_what_triton_notes_cannot_name_other_code(cache):
    """Triton's own files are not to be trusted: they name the files of a kernel."""
    one, other = cache.code()
    group = cache.facts("add_kernel").with_name("__grp__add_kernel.json")
    before = group.read_text()
    assert str(one) in before
    group.write_text(before.replace(str(one), str(other)))
    assert is_whole(cache)
    forged = cache.triton / "forged.trident"
    forged.write_bytes(with_other_code(one.read_bytes()))
    group.write_text(before.replace(str(one), str(forged)))
    assert is_whole(cache)
    forged.unlink()
    group.write_text(before)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}"])
def test_damaged_notes_of_tritons_are_made_again(cache, text):
    cache.facts("sub_kernel").write_text(text)
    assert cache.run() == [[True, False], []]
    assert is_whole(cache)


def test_without_a_folder_kernels_run(cache):
    hits, said = cache.run(XDG_CACHE_HOME=str(cache.program))
    assert hits == [False, False] and len(said) == 1 and str(cache.program) in said[0]
    assert is_whole_after_compiling(cache)


def test_processes_may_come_at_once(cache):
    shutil.rmtree(cache.home)
    processes = [cache.start() for _ in range(4)]
    for process in processes:
        out, errors = process.communicate()
        assert process.returncode == 0 and json.loads(out)[1] == [], errors
    assert is_whole(cache)


def test_bytes_of_another_user_are_not_loaded(cache):
    from triton.runtime import driver

    code, _ = cache.code()
    for image in (b"", code.read_bytes(), with_other_code(code.read_bytes())):
        with pytest.raises(ValueError, match="not a kernel that Trident saved for this user"):
            driver.active.utils.load_binary("add_kernel", image, 0, 0)


def test_bytes_of_the_users_other_processes_are_loaded():
    """Inductor's workers compile kernels and hand them over."""
    from triton.runtime import driver

    import trident

    program = (
        "import sys, trident; kernel = trident.compile(sys.argv[1]); "
        "sys.stdout.buffer.write(kernel.save('key of another process'))"
    )
    text = "module { tt.func public @nothing(%x: !tt.ptr<f32>) { tt.return } }"
    image = subprocess.check_output([sys.executable, "-c", program, text])
    kernel, *_ = driver.active.utils.load_binary("nothing", image, 0, 0)
    assert isinstance(kernel, trident.Kernel) and kernel.name == "nothing"
    with pytest.raises(RuntimeError, match="the kernel `nothing` in place of `something`"):
        driver.active.utils.load_binary("something", image, 0, 0)
