"""Settings from the environment and ``set_kernel_config``."""

import os
from dataclasses import dataclass

from trident._trident import switch

#: Triton's own variable that chooses a back end, by the name of its entry.
CHOICE = "TRITON_DEFAULT_BACKEND"

#: The entry that is this back end's: libraries look for a CPU's under that name.
ENTRY = "cpu"

#: All entries that lead here, see ``named``.
ENTRIES = (ENTRY, "trident")

#: Devices by the names that ``TRIDENT_DEVICE`` and ``TRITON_BACKEND`` take.
DEVICES = {"cpu": "cpu", "metal": "metal", "mps": "metal"}

#: Devices for development, which messages leave out.
EMULATED = ("metal-emulated", "metal-emulated-m5")

#: Names of back ends that are not ours.
OTHERS = ("nvidia", "cuda", "amd", "hip")


def requested_device() -> str | None:
    """The device that the environment asks for, by a value of ``DEVICES``; ``None`` for none."""
    for variable in ("TRIDENT_DEVICE", "TRITON_BACKEND"):
        name = os.environ.get(variable, "").strip().lower()
        if name in DEVICES or name in EMULATED:
            return DEVICES.get(name, name)
        if name in OTHERS and variable == "TRITON_BACKEND":
            raise ValueError(
                f"TRITON_BACKEND={name}: this back end is not active here; "
                "unset the variable, or set it to cpu, to run on the CPU"
            )
        if name:
            raise ValueError(
                f"{variable}={name}: there is no such device; use cpu, or on a Mac metal (or mps)"
            )
    return None


def checks() -> bool:
    """Whether launches look at every access; emulated devices always do."""
    return switch("TRIDENT_CHECK") or requested_device() in EMULATED


def interprets() -> bool:
    """Whether the reference interpreter runs kernels."""
    return switch("TRIDENT_INTERPRET")


@dataclass
class KernelConfig:
    """Defaults and limits of kernels; none of them changes results."""

    num_warps: int = 4
    num_stages: int = 3
    #: Most threads of a program, where a thread is one of a GPU's: limits ``num_warps``.
    max_threads: int = 1024
    #: Bytes of shared memory that the device claims to have.
    shared_memory: int = 1 << 30

    def update(self, **values: int | None) -> None:
        """Set those that are given."""
        for name, value in values.items():
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a positive integer, not {value!r}")
            if name == "num_warps" and value & (value - 1):
                raise ValueError(f"num_warps must be a power of two, not {value}")
            setattr(self, name, value)


config: KernelConfig = KernelConfig()
