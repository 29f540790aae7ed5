"""The engine that PaddleX knows by the name ``trident``."""

import importlib
from pathlib import Path
from typing import Any

from trident.paddlex import models

#: PaddleX's names of devices, and Trident's.
DEVICES = {"cpu": "cpu"}


def device_of(config: dict[str, Any]) -> str | None:
    """The device of an ``engine_config``: its ``device``, or the one that PaddleX was given."""
    if config.get("device") is not None:
        return config["device"]
    kind = config.get("device_type")
    if kind is not None and kind not in DEVICES:
        known = ", ".join(repr(name) for name in DEVICES)
        raise ValueError(
            f'engine="trident" has no device for {kind!r}: pass one of {known} as device, or one '
            "of trident.devices() as engine_config={'device': ...}"
        )
    return None if kind is None else DEVICES[kind]


def define(engines: Any) -> Any:
    """The engine's class, made from PaddleX's base classes; PaddleX registers it by its
    ``entities``. A second call returns the same class."""
    pydantic: Any = importlib.import_module("pydantic")
    package = engines.__name__.rpartition(".")[0]
    made: Any = getattr(engines, "TridentEngine", None)
    if made is not None:
        return made
    runners: Any = importlib.import_module(f"{package}.runners")
    sort_inputs: Any = importlib.import_module(f"{package}.runners.utils").sort_inputs
    paths_of: Any = importlib.import_module(f"{package}.utils.model_paths").get_model_paths
    Base: Any = engines.RunnerEngine
    RunnerBase: Any = runners.InferenceRunner

    class TridentConfig(pydantic.BaseModel):
        """Options of ``engine_config``."""

        model_config = pydantic.ConfigDict(extra="forbid")

        device: str | None = None
        threads: int | None = pydantic.Field(default=None, ge=0)
        memory_limit: int | None = pydantic.Field(default=None, gt=0)
        cache_dir: Path | None = None
        device_type: str | None = None
        device_id: int | None = None

    class TridentRunner(RunnerBase):
        """A model on Trident."""

        def __init__(self, model_dir: Path, config: dict[str, Any]) -> None:
            found = paths_of(model_dir)
            self.path = found["paddle"][0] if "paddle" in found else found["onnx"]
            options = {name: config.get(name) for name in ("threads", "memory_limit")}
            self.model = models.load(
                self.path, config.get("cache_dir"), device=device_of(config), **options
            )
            self.names = [value.name for value in self.model.inputs]

        def __call__(self, x: Any = None, **_: Any) -> list[Any]:
            if x is None:
                raise TypeError("a model needs its inputs `x`")
            arrays: list[Any] = [x] if hasattr(x, "shape") else list(x)
            if len(arrays) != len(self.names):
                wanted = ", ".join(self.names)
                raise ValueError(f"{self.path} has the inputs {wanted}, given are {len(arrays)}")
            inputs = dict(zip(self.names, sort_inputs(arrays, self.names)))
            results = self.model.run(inputs)
            return [results[value.name] for value in self.model.outputs]

        def close(self) -> None:
            self.model.close()

    class TridentEngine(Base):
        """Runs the models of PaddleX on Trident."""

        entities = "trident"

        @property
        def name(self) -> str:
            return "trident"

        @property
        def engine_config_model(self) -> type[TridentConfig]:
            return TridentConfig

        def get_supported_model_formats(self) -> tuple[str, ...]:
            return ("paddle", "onnx")

        def prepare_config_dict(
            self, raw: dict[str, Any], *, model_name: str | None = None, device: str | None = None
        ) -> dict[str, Any]:
            self._apply_device(raw, device)
            return raw

        def ensure_environment(self) -> None:
            import trident

            if not hasattr(trident, "Model"):
                raise RuntimeError('engine="trident" needs a build of trident that runs models')

        def get_default_runner_builder(self) -> Any:
            def build(
                *,
                model_name: str,
                model_dir: Path | None,
                model_config: dict[str, Any] | None,
                engine_config: dict[str, Any],
                default_builder: Any = None,
            ) -> Any:
                if model_dir is None:
                    raise ValueError(f'engine="trident" needs the folder of {model_name}')
                return TridentRunner(model_dir, engine_config)

            return build

        def validate_runner(self, runner: Any) -> None:
            if not isinstance(runner, TridentRunner):
                kind = type(runner).__name__
                raise TypeError(f'engine="trident" has made a {kind}, not a TridentRunner')

    engines.TridentEngine = TridentEngine
    return TridentEngine
