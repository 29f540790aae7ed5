"""The compiler side of the plug-in: from Triton's front end to a compiled kernel."""

import functools
import hashlib
from dataclasses import dataclass, fields
from pathlib import Path
from types import ModuleType
from typing import Any

from triton import knobs
from triton._C.libtriton import ir, passes
from triton.backends.compiler import BaseBackend, GPUTarget, Language
from triton.runtime.errors import OutOfResources

import trident
from trident import _trident
from trident.triton_backend import cache, settings


@functools.cache
def _digest() -> str:
    """Of all in this package that code depends on; Triton's own digest leaves plug-ins out."""
    digest = hashlib.sha256()
    sources = sorted(Path(__file__).parent.glob("*.py"))
    for path in [Path(_trident.__file__), Path(trident.__file__).parent / "libdevice.py", *sources]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Options:
    """Options of a kernel. Those for GPUs are accepted and change nothing here."""

    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    warp_size: int = 1
    maxnreg: int | None = None
    enable_fp_fusion: bool = False
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    supported_fp8_dtypes: tuple[str, ...] = (
        "fp8e4b15",
        "fp8e4b8",
        "fp8e4nv",
        "fp8e5",
        "fp8e5b16",
    )
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    # With "tf32" among those allowed, `tl.dot` asks for it; the device computes such products in
    # full precision.
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: tuple[Any, ...] = ()
    debug: bool = False
    # Costs 64-bit arithmetic for each integer op, and does nothing unless assertions are on.
    sanitize_overflow: bool = False
    arch: str | None = None
    backend_name: str = "cpu"
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    ir_override: str | None = None
    #: Stop at wrong accesses, see ``TRIDENT_CHECK``.
    check: bool = False
    #: Run by the reference interpreter, see ``TRIDENT_INTERPRET``.
    interpret: bool = False

    def __post_init__(self) -> None:
        warps = self.num_warps
        assert warps > 0 and warps & (warps - 1) == 0, "num_warps must be a power of 2"

    def hash(self) -> str:
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()


class MetalProgram(str):
    """The text of a Metal program, with the kernel that was compiled from it."""

    kernel: _trident.Kernel

    def __new__(cls, kernel: _trident.Kernel) -> "MetalProgram":
        program = super().__new__(cls, kernel.listing("msl"))
        program.kernel = kernel
        return program


class TridentBackend(BaseBackend):
    """Compiles Triton kernels for the CPU and for Apple GPUs."""

    binary_ext = "trident"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        return target.backend in ("cpu", "mps")

    def hash(self) -> str:
        return f"{trident.__version__}-{_digest()}-{_trident.machine()}"

    def parse_options(self, options: dict[str, Any]) -> Options:
        known = {field.name for field in fields(Options)}
        chosen: dict[str, Any] = {
            "num_warps": settings.config.num_warps,
            "num_stages": settings.config.num_stages,
            "check": settings.checks(),
            "interpret": settings.interprets(),
            "arch": self.target.arch,
            "backend_name": self.target.backend,
            "warp_size": self.target.warp_size,
        }
        chosen |= {k: v for k, v in options.items() if k in known and v is not None}
        chosen.setdefault("sanitize_overflow", bool(chosen.get("debug", False)))
        for name in ("supported_fp8_dtypes", "allowed_dot_input_precisions"):
            if name in chosen:
                chosen[name] = tuple(chosen[name])
        return Options(**chosen)

    def pack_metadata(self, metadata: Any) -> tuple[Any, ...]:
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def get_codegen_implementation(self, options: Options) -> dict[str, Any]:
        from trident.triton_backend.fp8 import convert_custom_types

        return {
            "convert_custom_types": convert_custom_types,
            "min_dot_size": lambda lhs, rhs: (1, 1, 1),
        }

    def get_module_map(self) -> dict[str, ModuleType]:
        from trident import libdevice

        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context: Any) -> None:
        """Triton's own dialects are loaded already, and there are no others."""

    def add_stages(self, stages: dict[str, Any], options: Options, language: Language) -> None:
        if language != Language.TRITON:
            raise NotImplementedError(
                "Gluon kernels are written for the registers and shared memory of one GPU; "
                "Trident compiles kernels in Triton's own language"
            )
        stages["ttir"] = lambda mod, metadata: self._ttir(mod, options)
        if self.target.backend == "mps" and not options.interpret:
            stages["msl"] = lambda mod, metadata: MetalProgram(self._kernel(mod, options))
        stages["trident"] = lambda mod, metadata: self._binary(mod, metadata, options)
        # Upstream declares another hook than the one that it calls.
        hook: Any = knobs.runtime.add_stages_inspection_hook
        if hook is not None:
            hook(self, stages, options, language, None)

    @staticmethod
    def _ttir(mod: Any, options: Options) -> Any:
        pm = ir.pass_manager(mod.context)
        pm.enable_debug()
        passes.common.add_inliner(pm)
        # Descriptors that the kernel makes are kept, with their bounds; those that come from the
        # host are taken apart.
        if any(ty.startswith("!tt.tensordesc") for ty in _parameters(mod)):
            passes.ttir.add_rewrite_tensor_descriptor_to_pointer(pm)
        passes.common.add_canonicalizer(pm)
        passes.ttir.add_combine(pm)
        passes.ttir.add_reorder_broadcast(pm)
        passes.common.add_cse(pm)
        passes.ttir.add_triton_licm(pm)
        passes.common.add_symbol_dce(pm)
        passes.ttir.add_loop_unroll(pm)
        pm.run(mod, "make_ttir")
        return mod

    @staticmethod
    def _kernel(mod: Any, options: Options) -> _trident.Kernel:
        # The text with locations: errors name lines of Python.
        text = mod.str_nodebug() if knobs.compilation.disable_line_info else str(mod)
        try:
            return _trident.compile(
                text,
                check=options.check,
                interpret=options.interpret,
                unchecked=not options.check,
            )
        except trident.ResourceError as error:
            # What the autotuner takes for a configuration that does not fit.
            raise OutOfResources(error.required, error.limit, error.name) from error

    @classmethod
    def _binary(cls, source: Any, metadata: dict[str, Any], options: Options) -> bytes:
        is_compiled = isinstance(source, MetalProgram)
        kernel = source.kernel if is_compiled else cls._kernel(source, options)
        metadata["name"] = kernel.name
        # Memory and threads of a program are compared with the device's when it is compiled.
        metadata["shared"] = 0
        metadata["tmem_size"] = None
        metadata["tensordesc_meta"] = []
        image = kernel.save(metadata["hash"])
        cache.remember(metadata["hash"], image, kernel)
        return image


def _parameters(mod: Any) -> list[str]:
    """Types of the entry function's parameters."""
    entry = mod.get_function(mod.get_entry_func_name())
    return [str(ty) for ty in mod.get_function_signature(entry)]
