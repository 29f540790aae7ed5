"""Functions about the whole package: its version, its build, the process's settings."""

from trident import VERSION

#: The version of ONNX Runtime whose interface this is.
INTERFACE_VERSION = "1.31.1"


def get_version_string() -> str:
    """The version of ONNX Runtime whose interface this is."""
    return INTERFACE_VERSION


def get_build_info() -> str:
    """The build of this package."""
    return f"Build Info: Trident {VERSION}, with the interface of ONNX Runtime {INTERFACE_VERSION}"


def get_device() -> str:
    """The kind of the device. As in a package of ONNX Runtime for any processor, it is the CPU."""
    return "CPU"


def set_default_logger_severity(level: int) -> None:
    """Set which messages ONNX Runtime prints. Trident prints none."""
    if not 0 <= int(level) <= 4:
        raise RuntimeError(f"a severity is a number from 0 (verbose) to 4 (fatal), not {level}")


def set_default_logger_verbosity(level: int) -> None:
    """Set which verbose messages ONNX Runtime prints. Trident prints none."""
    int(level)


def enable_telemetry_events() -> None:
    """Allow telemetry. There is none."""


def disable_telemetry_events() -> None:
    """Forbid telemetry. There is none."""


def set_global_thread_pool_sizes(
    intra_op_num_threads: int = 0, inter_op_num_threads: int = 0
) -> None:
    """Set the sizes of pools that sessions share. Trident's sessions share their threads anyway."""
    for number in (intra_op_num_threads, inter_op_num_threads):
        int(number)


def has_collective_ops() -> bool:
    """Whether operators of several processes are part of the build. They are not."""
    return False


def preload_dlls(
    cuda: bool = True, cudnn: bool = True, msvc: bool = True, directory: str | None = None
) -> None:
    """Load libraries of CUDA. None are needed."""


def print_debug_info() -> None:
    """Print the versions of this package."""
    print(get_build_info())
