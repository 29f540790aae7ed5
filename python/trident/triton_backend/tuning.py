"""Which configurations of the autotuner are worth a try on the CPU."""

from typing import Any

from triton.runtime.autotuner import Autotuner, Config, Heuristics
from triton.runtime.driver import driver

#: Options that mean nothing to the CPU, unless the kernel has a parameter of that name.
IGNORED = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def distinct(tuner: Autotuner, configs: list[Config], kwargs: dict[str, Any]) -> list[Config]:
    """The configurations without those that compile to the same code as one before them.

    All stay where another back end is active.
    """
    from trident.triton_backend.driver import TridentDriver

    if len(configs) < 2 or not isinstance(driver.active, TridentDriver):
        return configs
    kept, seen = [], []
    for config in configs:
        identity = _identity(tuner, config, kwargs)
        if identity not in seen:
            seen.append(identity)
            kept.append(config)
    return kept


def _identity(tuner: Autotuner, config: Config, kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The parts of a configuration that matter on the CPU: meta-parameters, values that
    heuristics derive from them, and hooks."""
    values = config.all_kwargs()
    for name in IGNORED:
        if name not in tuner.arg_names:
            values.pop(name, None)
    given = {**(tuner.nargs or {}), **kwargs, **config.all_kwargs()}
    fn = tuner.fn
    while isinstance(fn, Heuristics):
        for name, heuristic in fn.values.items():
            values[name] = given[name] = heuristic(given)
        fn = fn.fn
    # `1`, `1.0` and `True` are equal, and make different kernels.
    return config.pre_hook, {name: (type(value), value) for name, value in values.items()}
