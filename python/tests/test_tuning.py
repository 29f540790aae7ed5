"""Which configurations the autotuner tries."""

import json

import numpy as np
import pytest
import triton
import triton.language as tl
from triton import knobs


@pytest.fixture
def timed():
    """A benchmark function that notes how often it was asked, and finds the later the faster."""

    def bench(call, quantiles):
        call()
        bench.times += 1
        return [1 / bench.times] * 3

    bench.times = 0
    return bench


def options(block, warps=4, stages=3, **others):
    return triton.Config({"BLOCK": block}, num_warps=warps, num_stages=stages, **others)


def fill(out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, i, mask=i < n)


def fill_by_warps(out, n, BLOCK: tl.constexpr, num_warps: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, i * num_warps, mask=i < n)


def launch(kernel, n=100):
    out = np.zeros(n, np.int32)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](out, n)
    return out


def tuned(configs, bench, function=fill, **others):
    return triton.autotune(configs, key=["n"], do_bench=bench, **others)(triton.jit(function))


def test_options_for_gpus_alone_are_not_worth_a_try(timed):
    configs = [options(block, warps, stages) for block in (32, 64) for warps in (1, 4, 8)
               for stages in (1, 3)]  # fmt: skip
    configs += [options(32, num_ctas=2), options(64, maxnreg=128)]
    kernel = tuned(configs, timed)
    assert (launch(kernel) == np.arange(100)).all()
    assert timed.times == 2 and kernel.best_config is configs[6]
    launch(kernel)
    assert timed.times == 2
    launch(kernel, 200)
    assert timed.times == 4
    assert list(kernel.cache.values()) == [configs[6]] * 2


def test_one_configuration_that_is_left_is_not_timed(timed):
    configs = [options(32, warps) for warps in (1, 2, 4)]
    kernel = tuned(configs, timed)
    assert (launch(kernel) == np.arange(100)).all()
    assert timed.times == 0 and kernel.best_config is configs[0]


def test_kinds_of_meta_parameters_are_told_apart(timed):
    configs = [triton.Config({"BLOCK": 32, "SCALE": scale}) for scale in (1, 1.0, True, 1)]

    def scaled(out, n, BLOCK: tl.constexpr, SCALE: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, (i * SCALE).to(tl.int32), mask=i < n)

    launch(tuned(configs, timed, scaled))
    assert timed.times == 3


def test_a_hook_makes_a_difference(timed):
    seen = []
    configs = [options(32), options(32, 8, pre_hook=lambda args: seen.append(args["num_warps"]))]
    configs.append(options(32, 16, pre_hook=configs[1].pre_hook))
    kernel = tuned(configs, timed)
    launch(kernel)
    assert timed.times == 2 and kernel.best_config is configs[1]
    assert seen == [8, 8]  # when timed, and when run


def test_options_that_the_kernel_has_as_parameters_make_a_difference(timed):
    configs = [options(32, warps, stages) for warps in (1, 2) for stages in (1, 2)]
    kernel = tuned(configs, timed, fill_by_warps)
    out = launch(kernel)
    assert timed.times == 2 and kernel.best_config is configs[2]
    assert (out == 2 * np.arange(100)).all()


def test_what_heuristics_make_of_options_makes_a_difference(timed):
    configs = [triton.Config({}, num_warps=warps, num_stages=s) for warps in (1, 2) for s in (1, 2)]
    kernel = triton.heuristics({"BLOCK": lambda args: 32 * args["num_warps"]})(triton.jit(fill))
    kernel = triton.autotune(configs, key=["n"], do_bench=timed)(kernel)
    assert (launch(kernel) == np.arange(100)).all()
    assert timed.times == 2 and kernel.best_config is configs[2]


def test_pruning_comes_first(timed):
    configs = [options(block, warps) for block in (16, 32, 64) for warps in (1, 8)]

    def late(configs, named_args, **kwargs):
        assert named_args["n"] == 100
        return [config for config in configs if config.num_warps == 8]

    def estimate(**arguments):
        return -arguments["BLOCK"]

    pruned = {"early_config_prune": late, "perf_model": estimate, "top_k": 2}
    kernel = tuned(configs, timed, prune_configs_by=pruned)
    launch(kernel)
    assert timed.times == 2 and kernel.best_config is configs[3]


def test_timings_are_kept_on_disk(timed, tmp_path, monkeypatch):
    monkeypatch.setattr(knobs.cache, "dir", str(tmp_path))
    configs = [options(block, warps) for block in (32, 64) for warps in (1, 8)]
    for _ in range(2):  # the second time as another process does
        kernel = tuned(configs, timed, cache_results=True)
        assert (launch(kernel) == np.arange(100)).all()
        assert timed.times == 2 and kernel.best_config.kwargs == {"BLOCK": 64}
    (file,) = tmp_path.rglob("*.autotune.json")
    assert len(json.loads(file.read_text())["configs_timings"]) == 2


def test_what_is_tried_is_printed(timed, capsys, monkeypatch):
    monkeypatch.setattr(knobs.autotuning, "print", True)
    launch(tuned([options(block, warps) for block in (32, 64) for warps in (1, 8)], timed))
    said = capsys.readouterr().out
    assert said.count("Autotuning kernel fill with config") == 2
    assert "best config selected: BLOCK: 64, num_warps: 1" in said


def test_warming_up_compiles_each_once():
    kernel = tuned([options(block, warps) for block in (32, 64) for warps in (1, 8)], None)
    assert len(kernel.warmup(np.zeros(100, np.int32), 100, grid=(4,))) == 2
