"""Conversions of ``fp8e4b15``, which Triton IR has no type for: the front end has the back end
write them out.

The format is e4m3 with bias 15: the upper byte of an f16 without its top exponent bit. It has no
infinities and NaN.
"""

from typing import Any

from triton.language import core


@core.builtin
def convert_custom_types(
    arg: Any, dst_ty: Any, fp_downcast_rounding: Any = None, _semantic: Any = None
) -> Any:
    """Convert a value from or to ``fp8e4b15``, by way of f16."""
    if arg.type.scalar.is_fp8e4b15():
        half = _to_f16(arg, _semantic)
        return half if dst_ty.scalar.is_fp16() else half.to(dst_ty.scalar, _semantic=_semantic)
    if not arg.type.scalar.is_fp16():
        arg = arg.to(core.float32, _semantic=_semantic)
        arg = arg.to(core.float16, fp_downcast_rounding="rtz", _semantic=_semantic)
    return _from_f16(arg, _semantic)


def _to_f16(arg: Any, semantic: Any) -> Any:
    bits = arg.to(core.uint8, bitcast=True, _semantic=semantic)
    bits = bits.to(core.uint16, _semantic=semantic)
    sign = _shl(_and(bits, 0x80, semantic), 8, semantic)
    rest = _shl(_and(bits, 0x7F, semantic), 7, semantic)
    return semantic.or_(sign, rest).to(core.float16, bitcast=True, _semantic=semantic)


def _from_f16(arg: Any, semantic: Any) -> Any:
    bits = arg.to(core.uint16, bitcast=True, _semantic=semantic)
    sign = _and(bits, 0x8000, semantic)
    # Anything beyond the largest value, 1.75 · 2^0 of the f16's exponent, becomes that value.
    size = semantic.minimum(
        _and(bits, 0x7FFF, semantic), _constant(0x3F00, semantic), core.PropagateNan.NONE
    )
    # Halves round away from zero, as on the GPUs that have this type.
    size = semantic.add(_shl(size, 1, semantic), _constant(0x80, semantic), False)
    byte = semantic.lshr(semantic.or_(sign, size), _constant(8, semantic))
    byte = byte.to(core.uint8, _semantic=semantic)
    return byte.to(core.float8e4b15, bitcast=True, _semantic=semantic)


def _constant(value: Any, semantic: Any) -> Any:
    return semantic.scalar_constant(value, core.uint16)


def _and(x: Any, mask: Any, semantic: Any) -> Any:
    return semantic.and_(x, _constant(mask, semantic))


def _shl(x: Any, amount: Any, semantic: Any) -> Any:
    return semantic.shl(x, _constant(amount, semantic))
