"""Execution providers: which there are, and the spellings in which a session asks for them."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

Providers = Sequence[str | tuple[str, dict[Any, Any]]]

TRIDENT = "TridentExecutionProvider"
CPU = "CPUExecutionProvider"

#: Ours first. ``CPUExecutionProvider`` is Trident on its device ``cpu``.
AVAILABLE = (TRIDENT, CPU)

#: Providers of other engines. As in a package of ONNX Runtime without them, asking for one warns.
OTHERS = (
    "NvTensorRTRTXExecutionProvider",
    "TensorrtExecutionProvider",
    "CUDAExecutionProvider",
    "MIGraphXExecutionProvider",
    "OpenVINOExecutionProvider",
    "DnnlExecutionProvider",
    "VitisAIExecutionProvider",
    "QNNExecutionProvider",
    "NnapiExecutionProvider",
    "VSINPUExecutionProvider",
    "JsExecutionProvider",
    "WebGpuExecutionProvider",
    "CoreMLExecutionProvider",
    "ArmNNExecutionProvider",
    "ACLExecutionProvider",
    "DmlExecutionProvider",
    "RknpuExecutionProvider",
    "WebNNExecutionProvider",
    "XnnpackExecutionProvider",
    "CANNExecutionProvider",
    "AzureExecutionProvider",
    "ROCMExecutionProvider",
)

#: Options of ``TridentExecutionProvider``: arguments of ``trident.Model``, as texts.
OPTIONS: dict[str, Callable[[str], Any]] = {
    "device": str,
    "threads": int,
    "memory_limit": int,
    "time_limit": float,
}

#: Their units.
UNITS = {"memory_limit": " of bytes", "time_limit": " of seconds"}


def get_available_providers() -> list[str]:
    """The providers of this package, ours first."""
    return list(AVAILABLE)


def get_all_providers() -> list[str]:
    """The names of all providers that a session knows. Those of other engines are never used."""
    return [TRIDENT, *OTHERS, CPU]


def normalize(
    providers: Providers | None, options: Sequence[dict[Any, Any]] | None
) -> dict[str, dict[str, str]]:
    """The options of each provider asked for, in their order.

    Names that are not available warn. Raises ``ValueError`` for arguments of another form.
    """
    return _checked(providers, options, AVAILABLE)


def check_and_normalize_provider_args(
    providers: Providers | None,
    provider_options: Sequence[dict[Any, Any]] | None,
    available_provider_names: Sequence[str],
) -> tuple[list[str], list[dict[str, str]]]:
    """The names of the providers asked for, and the options of each as texts."""
    chosen = _checked(providers, provider_options, available_provider_names)
    return list(chosen), list(chosen.values())


def _checked(
    providers: Providers | None,
    options: Sequence[dict[Any, Any]] | None,
    available: Sequence[str],
) -> dict[str, dict[str, str]]:
    chosen: dict[str, dict[str, str]] = {}
    for name, given in _pairs(providers, options):
        if name not in available:
            known = ", ".join(available)
            warnings.warn(
                f"Specified provider '{name}' is not in available provider names. "
                f"Available providers: '{known}'",
                stacklevel=6,
            )
        if name in chosen:
            warnings.warn(f"Duplicate provider '{name}' encountered, ignoring.", stacklevel=6)
            continue
        chosen[name] = {str(key): str(value) for key, value in given.items()}
    return chosen


def _pairs(
    providers: Providers | None, options: Sequence[dict[Any, Any]] | None
) -> list[tuple[str, Mapping[Any, Any]]]:
    if providers is None:
        return []
    if not isinstance(providers, Sequence) or isinstance(providers, str):
        raise ValueError("'providers' should be a sequence.")
    if options is None:
        return [_pair(provider) for provider in providers]
    if not isinstance(options, Sequence):
        raise ValueError("'provider_options' should be a sequence.")
    if len(providers) != len(options):
        raise ValueError(
            "'providers' and 'provider_options' should be the same length if both are given."
        )
    names = [provider for provider in providers if isinstance(provider, str)]
    if len(names) != len(providers):
        raise ValueError(
            "Only string values for 'providers' are supported if 'provider_options' is given."
        )
    if not all(isinstance(given, dict) for given in options):
        raise ValueError("'provider_options' values must be dicts.")
    return list(zip(names, options))


def _pair(provider: Any) -> tuple[str, Mapping[Any, Any]]:
    match provider:
        case str():
            return provider, {}
        case (str() as name, dict()) if isinstance(provider, tuple):
            return name, cast("tuple[str, dict[Any, Any]]", provider)[1]
        case _:
            raise ValueError("'providers' values must be either strings or (string, dict) tuples.")


def effective(chosen: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """The providers that a session has: those available of the chosen, and the CPU's at the end.

    Raises ``RuntimeError`` for a name that no provider has.
    """
    for name in chosen:
        if name not in AVAILABLE and name not in OTHERS:
            raise RuntimeError(f"Unknown Provider Type: {name}")
    if not chosen:
        return {name: {} for name in AVAILABLE}
    used = {name: given for name, given in chosen.items() if name in AVAILABLE}
    used.setdefault(CPU, {})
    return used


def model_options(used: dict[str, dict[str, str]]) -> dict[str, Any]:
    """Arguments of ``trident.Model`` for the first provider.

    Raises ``ValueError`` for an option of ``TridentExecutionProvider`` that it does not have, or
    that is not a number.
    """
    if next(iter(used)) != TRIDENT:
        return {"device": "cpu"}
    arguments: dict[str, Any] = {}
    for name, value in used[TRIDENT].items():
        read = OPTIONS.get(name)
        if read is None:
            known = ", ".join(OPTIONS)
            raise ValueError(f"{TRIDENT} has no option '{name}'; its options are {known}")
        try:
            arguments[name] = read(value)
        except ValueError:
            kind = "a number" if read is float else "a whole number"
            unit = UNITS.get(name, "")
            raise ValueError(
                f"option '{name}' of {TRIDENT} is {kind}{unit}, not '{value}'"
            ) from None
    return arguments
