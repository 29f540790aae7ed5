"""How Triton finds the back end, chooses it, and what its options are."""

import os
import subprocess
import sys

import pytest
import triton
from triton.backends import backends
from triton.backends.compiler import GPUTarget, Language

import trident


def python(code, **environment):
    """Standard output of a fresh interpreter, or the last line of its standard error."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TRIDENT_D", "TRITON_B"))}
    kept.pop("TRITON_DEFAULT_BACKEND", None)
    run = subprocess.run(
        [sys.executable, "-c", code], env=kept | environment, capture_output=True, text=True
    )
    if run.returncode:
        return run.stderr.strip().splitlines()[-1]
    return run.stdout.strip()


# What Triton and Inductor ask: which entries are active, whether the driver is that of the
# entry `cpu`, and which compiler is the target's. The entries' drivers are one and the same class.
ENTRIES = """
import triton
from triton.backends import backends
from triton.compiler.compiler import make_backend
driver = triton.runtime.driver.active
print(
    [name for name, backend in backends.items() if backend.driver.is_active()],
    isinstance(driver, backends["cpu"].driver),
    type(make_backend(driver.get_current_target())).__name__,
    [type(backends[name].driver()).__name__ for name in ("cpu", "trident")],
)
"""

ACTIVE = "print(type(triton.runtime.driver.active).__name__)"


@pytest.mark.parametrize(
    "imports", ["import triton", "import trident, triton", "import triton, trident"]
)
def test_any_order_of_imports(imports):
    code = f"{imports}; {ACTIVE}; triton.runtime.driver.MPSDriver; import sys"
    assert python(code) == "TridentDriver"
    # To learn whether a GPU is there, Triton imports PyTorch, but not where the choice is made.
    code += "; assert 'torch' not in sys.modules"
    assert python(code, TRIDENT_DEVICE="cpu") == "TridentDriver"


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"TRITON_DEFAULT_BACKEND": "cpu"},
        {"TRITON_DEFAULT_BACKEND": "trident"},
        {"TRITON_BACKEND": "cpu"},
        {"TRIDENT_DEVICE": "cpu"},
    ],
)
def test_one_driver_whichever_way_it_is_asked_for(environment):
    assert python(f"import triton; {ACTIVE}", **environment) == "TridentDriver"
    entry = environment.get("TRITON_DEFAULT_BACKEND", "cpu")
    found = f"[{entry!r}] True TridentBackend ['TridentDriver', 'TridentDriver']"
    assert python(ENTRIES, **environment) == found


def test_both_entries_lead_to_the_same_compiler():
    target = GPUTarget("cpu", "x86_64", 1)
    assert {type(backends[name].compiler(target)).__name__ for name in ("cpu", "trident")} == {
        "TridentBackend"
    }


@pytest.mark.parametrize("variable", ["TRITON_BACKEND", "TRIDENT_DEVICE"])
@pytest.mark.parametrize("device", ["metal", "mps"])
def test_metal_is_said_to_be_missing(variable, device):
    said = python(f"import triton; {ACTIVE}", **{variable: device})
    assert said.startswith("RuntimeError: the device `metal` is not available: it needs macOS")


@pytest.mark.parametrize("variable", ["TRITON_BACKEND", "TRIDENT_DEVICE"])
def test_unknown_devices_are_refused(variable):
    said = python(f"import triton; {ACTIVE}", **{variable: "tpu"})
    text = "there is no such device; use cpu, or on a Mac metal (or mps)"
    assert said == f"ValueError: {variable}=tpu: {text}"


@pytest.mark.parametrize("variable", ["TRIDENT_DEVICE", "TRIDENT_CHECK"])
def test_an_import_with_a_wrong_variable_is_a_short_error(variable):
    run = subprocess.run(
        [sys.executable, "-c", "import trident"],
        env=os.environ | {variable: "tpu"},
        capture_output=True,
        text=True,
    )
    *places, said = run.stderr.splitlines()
    assert said.startswith(f"ValueError: {variable}=tpu")
    assert [line.strip().split(",")[0] for line in places if line.startswith("  File")] == [
        'File "<string>"',
        f'File "{trident.__file__}"',
    ]


def test_back_ends_that_are_not_active_are_not_replaced():
    said = python(f"import triton; {ACTIVE}", TRITON_BACKEND="nvidia")
    assert said.startswith("ValueError: TRITON_BACKEND=nvidia: this back end is not active here")


@pytest.fixture
def backend():
    return backends["trident"].compiler(GPUTarget("cpu", "x86_64", 1))


def test_options(backend):
    options = backend.parse_options({"num_warps": 8, "num_stages": None, "unknown": 1})
    assert (options.num_warps, options.num_stages) == (8, 3)
    again = backend.parse_options(options.__dict__)
    assert again == options and again.hash() == options.hash()
    assert backend.parse_options({"num_warps": 4}).hash() != options.hash()
    assert backend.parse_options({"debug": True}).sanitize_overflow
    for warps in (0, 3, -4):
        with pytest.raises(AssertionError, match="power of 2"):
            backend.parse_options({"num_warps": warps})


def test_checks_are_part_of_the_cache_key(backend, monkeypatch):
    monkeypatch.delenv("TRIDENT_CHECK", raising=False)
    plain = backend.parse_options({})
    monkeypatch.setenv("TRIDENT_CHECK", "1")
    checked = backend.parse_options({})
    assert checked.check and not plain.check and checked.hash() != plain.hash()


def test_hash_names_version_and_machine(backend):
    assert backend.hash().startswith(trident.__version__) and trident.machine() in backend.hash()


def test_gluon_is_refused(backend):
    with pytest.raises(NotImplementedError, match="Gluon"):
        backend.add_stages({}, backend.parse_options({}), Language.GLUON)


def test_kernel_config():
    driver = triton.runtime.driver.MPSDriver()
    backend = backends["trident"].compiler(driver.get_current_target())
    before = backend.parse_options({}).num_warps
    try:
        driver.set_kernel_config(num_warps=16, shared_memory=4096)
        assert backend.parse_options({}).num_warps == 16
        assert driver.utils.get_device_properties(0)["max_shared_mem"] == 4096
        for wrong in ({"num_warps": 3}, {"num_stages": 0}, {"max_threads": -1}, {"num_warps": 2.0}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                driver.set_kernel_config(**wrong)
    finally:
        driver.set_kernel_config(num_warps=before, shared_memory=1 << 30)


def test_memory_pool_and_events():
    driver = triton.runtime.driver.MPSDriver()
    pool = driver.memory_pool()
    assert 0 < pool.current_allocated <= pool.max_allocated
    assert pool["current_allocated"] == pool.current_allocated and pool == dict(pool)
    assert list(pool)[:2] == ["current_allocated", "max_allocated"] and len(pool) == len(list(pool))
    assert 0 <= pool.cached <= pool.reserved <= pool.max_reserved
    assert 0 <= pool.allocated <= pool.max_pool_allocated and 0 <= pool.fragmentation <= 1
    assert pool.empty_cache() >= 0
    pool.reset_peaks()
    later = driver.memory_pool()
    assert later.reserved <= later.max_reserved <= pool.max_reserved
    with pytest.raises(KeyError, match="free"):
        pool["free"]
    event = driver.get_device_interface().Event
    start, end = event(enable_timing=True), event(enable_timing=True)
    start.record()
    end.record()
    assert 0 < start.elapsed_time(end) < 1000 and start.elapsed_time(start) > 0


def test_inspection_hook_sees_the_stages(monkeypatch, backend):
    from triton import knobs

    seen = []
    monkeypatch.setattr(
        knobs.runtime,
        "add_stages_inspection_hook",
        lambda self, stages, options, language, capability: seen.extend(stages),
    )
    backend.add_stages({}, backend.parse_options({}), Language.TRITON)
    assert seen == ["ttir", "trident"]


def test_bad_pool_settings_are_errors():
    said = python("import trident._trident as t; t.num_threads()", MPS_MAX_POOL_SIZE="1X")
    assert said.startswith("ValueError: MPS_MAX_POOL_SIZE=1X is not a size")
