"""CUDA's device library under the names of ``triton.language.extra.libdevice``, for kernels on the
CPU.

The code generator takes this module in place of that one. A function becomes an op that names the C
function; which exist on the device is the compiler's to know, and a missing one is refused there,
by name.
"""

# The `triton` package has neither stubs nor annotations for this.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

from typing import Any

from triton.language import core

_Overloads = dict[tuple[Any, ...], tuple[str, Any]]
"""By operand types, the symbol and the result type."""

# Functions from n numbers to a number, for f32 (with an `f` after the name in C) and f64.
_REAL = {
    1: """
        floor rsqrt ceil trunc exp2 sqrt rint nearbyint sin cos sinpi cospi tan log2 exp exp10 cosh
        sinh tanh atan asin acos log log10 log1p acosh asinh atanh expm1 cbrt rcbrt j0 j1 y0 y1
        cyl_bessel_i0 cyl_bessel_i1 erf erfinv erfc erfcx erfcinv normcdfinv normcdf lgamma tgamma
        round logb
    """,
    2: """
        copysign nextafter atan2 hypot rhypot fmod remainder fdim
    """,
    3: """
        norm3d rnorm3d fma
    """,
    4: """
        norm4d rnorm4d
    """,
}

# All others, an overload a line: `name: operands -> result = symbol`, the symbol where it is
# another than the name.
_OTHER = """
clz: i32 -> i32
clz: i64 -> i32 = clzll
popc: i32 -> i32
popc: i64 -> i32 = popcll
byte_perm: i32 i32 i32 -> i32
mulhi: i32 i32 -> i32
mulhi: u32 u32 -> u32 = umulhi
mulhi: i64 i64 -> i64 = mul64hi
mulhi: u64 u64 -> u64 = umul64hi
mul24: i32 i32 -> i32
mul24: u32 u32 -> u32 = umul24
brev: i32 -> i32
brev: i64 -> i64 = brevll
sad: i32 i32 u32 -> i32
sad: u32 u32 u32 -> u32 = usad
abs: i32 -> i32
abs: i64 -> i64 = llabs
abs: f32 -> f32 = fabsf
abs: f64 -> f64 = fabs
rcp64h: f64 -> f64
saturatef: f32 -> f32
fma_rn: f32 f32 f32 -> f32 = fmaf_rn
fma_rn: f64 f64 f64 -> f64
fma_rz: f32 f32 f32 -> f32 = fmaf_rz
fma_rz: f64 f64 f64 -> f64
fma_rd: f32 f32 f32 -> f32 = fmaf_rd
fma_rd: f64 f64 f64 -> f64
fma_ru: f32 f32 f32 -> f32 = fmaf_ru
fma_ru: f64 f64 f64 -> f64
fast_dividef: f32 f32 -> f32 = fast_fdividef
div_rn: f32 f32 -> f32 = fdiv_rn
div_rn: f64 f64 -> f64 = ddiv_rn
div_rz: f32 f32 -> f32 = fdiv_rz
div_rz: f64 f64 -> f64 = ddiv_rz
div_rd: f32 f32 -> f32 = fdiv_rd
div_rd: f64 f64 -> f64 = ddiv_rd
div_ru: f32 f32 -> f32 = fdiv_ru
div_ru: f64 f64 -> f64 = ddiv_ru
rcp_rn: f32 -> f32 = frcp_rn
rcp_rn: f64 -> f64 = drcp_rn
rcp_rz: f32 -> f32 = frcp_rz
rcp_rz: f64 -> f64 = drcp_rz
rcp_rd: f32 -> f32 = frcp_rd
rcp_rd: f64 -> f64 = drcp_rd
rcp_ru: f32 -> f32 = frcp_ru
rcp_ru: f64 -> f64 = drcp_ru
sqrt_rn: f32 -> f32 = fsqrt_rn
sqrt_rn: f64 -> f64 = dsqrt_rn
sqrt_rz: f32 -> f32 = fsqrt_rz
sqrt_rz: f64 -> f64 = dsqrt_rz
sqrt_rd: f32 -> f32 = fsqrt_rd
sqrt_rd: f64 -> f64 = dsqrt_rd
sqrt_ru: f32 -> f32 = fsqrt_ru
sqrt_ru: f64 -> f64 = dsqrt_ru
add_rn: f64 f64 -> f64 = dadd_rn
add_rn: f32 f32 -> f32 = fadd_rn
add_rz: f64 f64 -> f64 = dadd_rz
add_rz: f32 f32 -> f32 = fadd_rz
add_rd: f64 f64 -> f64 = dadd_rd
add_rd: f32 f32 -> f32 = fadd_rd
add_ru: f64 f64 -> f64 = dadd_ru
add_ru: f32 f32 -> f32 = fadd_ru
mul_rn: f64 f64 -> f64 = dmul_rn
mul_rn: f32 f32 -> f32 = fmul_rn
mul_rz: f64 f64 -> f64 = dmul_rz
mul_rz: f32 f32 -> f32 = fmul_rz
mul_rd: f64 f64 -> f64 = dmul_rd
mul_rd: f32 f32 -> f32 = fmul_rd
mul_ru: f64 f64 -> f64 = dmul_ru
mul_ru: f32 f32 -> f32 = fmul_ru
double2float_rn: f64 -> f32
double2float_rz: f64 -> f32
double2float_rd: f64 -> f32
double2float_ru: f64 -> f32
double2int_rn: f64 -> i32
double2int_rz: f64 -> i32
double2int_rd: f64 -> i32
double2int_ru: f64 -> i32
double2uint_rn: f64 -> i32
double2uint_rz: f64 -> i32
double2uint_rd: f64 -> i32
double2uint_ru: f64 -> i32
int2double_rn: i32 -> f64
uint2double_rn: u32 -> f64
float2int_rn: f32 -> i32
float2int_rz: f32 -> i32
float2int_rd: f32 -> i32
float2int_ru: f32 -> i32
float2uint_rn: f32 -> i32
float2uint_rz: f32 -> i32
float2uint_rd: f32 -> i32
float2uint_ru: f32 -> i32
int2float_rn: i32 -> f32
int2float_rz: i32 -> f32
int2float_rd: i32 -> f32
int2float_ru: i32 -> f32
uint2float_rn: u32 -> f32
uint2float_rz: u32 -> f32
uint2float_rd: u32 -> f32
uint2float_ru: u32 -> f32
hiloint2double: i32 i32 -> f64
double2loint: f64 -> i32
double2hiint: f64 -> i32
float2ll_rn: f32 -> i64
float2ll_rz: f32 -> i64
float2ll_rd: f32 -> i64
float2ll_ru: f32 -> i64
float2ull_rn: f32 -> i64
float2ull_rz: f32 -> i64
float2ull_rd: f32 -> i64
float2ull_ru: f32 -> i64
double2ll_rn: f64 -> i64
double2ll_rz: f64 -> i64
double2ll_rd: f64 -> i64
double2ll_ru: f64 -> i64
double2ull_rn: f64 -> i64
double2ull_rz: f64 -> i64
double2ull_rd: f64 -> i64
double2ull_ru: f64 -> i64
ll2float_rn: i64 -> f32
ll2float_rz: i64 -> f32
ll2float_rd: i64 -> f32
ll2float_ru: i64 -> f32
ull2float_rn: u64 -> f32
ull2float_rz: u64 -> f32
ull2float_rd: u64 -> f32
ull2float_ru: u64 -> f32
ll2double_rn: i64 -> f64
ll2double_rz: i64 -> f64
ll2double_rd: i64 -> f64
ll2double_ru: i64 -> f64
ull2double_rn: u64 -> f64
ull2double_rz: u64 -> f64
ull2double_rd: u64 -> f64
ull2double_ru: u64 -> f64
int_as_float: i32 -> f32
float_as_int: f32 -> i32
uint_as_float: u32 -> f32
float_as_uint: f32 -> i32
longlong_as_double: i64 -> f64
double_as_longlong: f64 -> i64
fast_sinf: f32 -> f32
fast_cosf: f32 -> f32
fast_log2f: f32 -> f32
fast_logf: f32 -> f32
fast_expf: f32 -> f32
fast_tanf: f32 -> f32
fast_exp10f: f32 -> f32
fast_log10f: f32 -> f32
fast_powf: f32 f32 -> f32
hadd: i32 i32 -> i32
hadd: u32 u32 -> u32 = uhadd
rhadd: i32 i32 -> i32
rhadd: u32 u32 -> u32 = urhadd
sub_rn: f32 f32 -> f32 = fsub_rn
sub_rn: f64 f64 -> f64 = dsub_rn
sub_rz: f32 f32 -> f32 = fsub_rz
sub_rz: f64 f64 -> f64 = dsub_rz
sub_rd: f32 f32 -> f32 = fsub_rd
sub_rd: f64 f64 -> f64 = dsub_rd
sub_ru: f32 f32 -> f32 = fsub_ru
sub_ru: f64 f64 -> f64 = dsub_ru
rsqrt_rn: f32 -> f32 = frsqrt_rn
ffs: i32 -> i32
ffs: i64 -> i32 = ffsll
llrint: f32 -> i64 = llrintf
llrint: f64 -> i64
isnan: f32 -> i32 = isnanf
isnan: f64 -> i32 = isnand
signbit: f32 -> i32 = signbitf
signbit: f64 -> i32 = signbitd
finitef: f32 -> i32
isinf: f32 -> i32 = isinff
isinf: f64 -> i32 = isinfd
yn: i32 f32 -> f32 = ynf
yn: i32 f64 -> f64
jn: i32 f32 -> f32 = jnf
jn: i32 f64 -> f64
ldexp: f32 i32 -> f32 = ldexpf
ldexp: f64 i32 -> f64
scalbn: f32 i32 -> f32 = scalbnf
scalbn: f64 i32 -> f64
pow: f32 i32 -> f32 = powif
pow: f64 i32 -> f64 = powi
pow: f32 f32 -> f32 = powf
pow: f64 f64 -> f64
llround: f32 -> i64 = llroundf
llround: f64 -> i64
ilogb: f32 -> i32 = ilogbf
ilogb: f64 -> i32
isfinited: f64 -> i32
fast_tanhf: f32 -> f32 = tanhf
"""

_TYPES = {
    "i32": core.int32,
    "i64": core.int64,
    "u32": core.uint32,
    "u64": core.uint64,
    "f32": core.float32,
    "f64": core.float64,
}


def _table() -> dict[str, _Overloads]:
    """Overloads by function."""
    table: dict[str, _Overloads] = {}
    for arity, names in _REAL.items():
        for name in names.split():
            table[name] = {
                (core.float32,) * arity: (name + "f", core.float32),
                (core.float64,) * arity: (name, core.float64),
            }
    for line in _OTHER.strip().splitlines():
        name, _, overload = line.partition(": ")
        types, _, result = overload.partition(" -> ")
        result, _, symbol = result.partition(" = ")
        operands = tuple(_TYPES[ty] for ty in types.split())
        table.setdefault(name, {})[operands] = (symbol or name, _TYPES[result])
    return table


def _function(name: str, overloads: _Overloads) -> Any:
    def function(*args: Any, _semantic: Any = None) -> Any:
        tensors = [_semantic.to_tensor(arg) for arg in args]
        types = tuple(tensor.dtype for tensor in tensors)
        if types not in overloads:
            known = " or ".join(f"({', '.join(map(str, ty))})" for ty in overloads)
            given = ", ".join(map(str, types))
            raise TypeError(f"libdevice.{name} takes {known}, not ({given})")
        return core.extern_elementwise(
            "", "", tensors, overloads, is_pure=True, _semantic=_semantic
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"``{name}`` of CUDA's device library."
    return core.extern(function)


for _name, _overloads in _table().items():
    globals()[_name] = _function(_name, _overloads)
