//! Arithmetic and conversions with a direction of rounding in their names: `add_rz`, `sqrt_ru`, `float2int_rd` …

use crate::DType;
use crate::interp::number::{cast, float, from_float, from_int, int, mask};
use crate::op::words::FloatRounding;

/// Where the result goes that the type does not have.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Nearest,
    Zero,
    Down,
    Up,
}

/// Takes the direction off a name.
fn direction(name: &str) -> Option<(&str, Direction)> {
    let (stem, suffix) = name.rsplit_once('_')?;
    let direction = match suffix {
        "rn" => Direction::Nearest,
        "rz" => Direction::Zero,
        "rd" => Direction::Down,
        "ru" => Direction::Up,
        _ => return None,
    };
    Some((stem, direction))
}

/// A number as a nearby value and the remainder. The remainder's sign is exact.
#[derive(Clone, Copy)]
struct Exact {
    near: f64,
    rest: f64,
}

/// The sum and its rounding error (Knuth).
fn sum(x: f64, y: f64) -> Exact {
    let near = x + y;
    let part = near - x;
    Exact { near, rest: (x - (near - part)) + (y - part) }
}

/// x·y + z.
fn fused(x: f64, y: f64, z: f64) -> Exact {
    let product = x * y;
    let low = x.mul_add(y, -product);
    let near = x.mul_add(y, z);
    let high = sum(product, z);
    Exact { near, rest: ((high.near - near) + high.rest) + low }
}

/// Arithmetic on numbers of one type.
pub(super) fn apply(name: &str, args: &[(DType, u64)]) -> Option<u64> {
    let (stem, direction) = direction(name)?;
    let dtype = args[0].0;
    if !matches!(dtype, DType::F32 | DType::F64) || args.iter().any(|(d, _)| *d != dtype) {
        return None;
    }
    let x: Vec<f64> = args.iter().map(|&(dtype, bits)| float(dtype, bits)).collect();
    let mut exact = match (stem, &x[..]) {
        ("add", &[x, y]) => sum(x, y),
        ("sub", &[x, y]) => sum(x, -y),
        ("mul", &[x, y]) => Exact { near: x * y, rest: x.mul_add(y, -(x * y)) },
        ("fma", &[x, y, z]) => fused(x, y, z),
        ("div", &[x, y]) => quotient(x, y),
        ("rcp", &[x]) => quotient(1.0, x),
        // For f32, f64 is far more exact than needed to tell the sides apart.
        ("rsqrt", &[x]) if dtype == DType::F32 => Exact { near: 1.0 / x.sqrt(), rest: 0.0 },
        ("sqrt", &[x]) => {
            let near = x.sqrt();
            // (near + rest)² = x gives the sign of the rest.
            Exact { near, rest: -near.mul_add(near, -x) }
        }
        _ => return None,
    };
    let pole = matches!((stem, &x[..]), ("div", [_, y]) | ("rcp", [y]) if *y == 0.0);
    if exact.near.is_infinite() && !pole && x.iter().all(|x| x.is_finite()) {
        // The number itself is finite.
        exact.rest = -exact.near;
    }
    // Opposite numbers add up to −0 when rounding down.
    let cancelled = exact.near == 0.0 && matches!(stem, "add" | "sub" | "fma");
    if cancelled && direction == Direction::Down && exact.rest == 0.0 {
        let both_positive =
            stem != "fma" && x[0].is_sign_positive() && (stem == "add") == x[1].is_sign_positive();
        return Some(from_float(dtype, if both_positive { 0.0 } else { -0.0 }));
    }
    Some(round(dtype, exact, direction))
}

fn quotient(x: f64, y: f64) -> Exact {
    let near = x / y;
    // x − near·y has the sign of the rest times that of y.
    let rest = -near.mul_add(y, -x);
    Exact { near, rest: if y < 0.0 { -rest } else { rest } }
}

/// The bits of the neighbour of the number in the direction.
fn round(dtype: DType, exact: Exact, direction: Direction) -> u64 {
    let nearest = match dtype {
        DType::F32 => f64::from(exact.near as f32),
        _ => exact.near,
    };
    let missing = match exact.near.is_finite() {
        true => (exact.near - nearest) + exact.rest,
        false => exact.rest,
    };
    let next = |value: f64, up: bool| match (dtype, up) {
        (DType::F32, true) => (value as f32).next_up().into(),
        (DType::F32, false) => (value as f32).next_down().into(),
        (_, true) => value.next_up(),
        (_, false) => value.next_down(),
    };
    let rounded: f64 = match direction {
        Direction::Down | Direction::Zero
            if missing < 0.0 && (direction == Direction::Down || nearest > 0.0) =>
        {
            next(nearest, false)
        }
        Direction::Up | Direction::Zero
            if missing > 0.0 && (direction == Direction::Up || nearest < 0.0) =>
        {
            next(nearest, true)
        }
        _ => nearest,
    };
    from_float(dtype, rounded)
}

/// Conversions, and bits read as another type.
pub(super) fn convert(name: &str, args: &[(DType, u64)], to: DType) -> Option<u64> {
    let &(from, bits) = args.first()?;
    match (name, args) {
        ("hiloint2double", &[(_, high), (_, low)]) => return Some(high << 32 | low),
        ("double2loint", [_]) => return Some(bits & 0xffff_ffff),
        ("double2hiint", [_]) => return Some(bits >> 32),
        ("int_as_float" | "uint_as_float" | "float_as_int" | "float_as_uint", [_])
        | ("longlong_as_double" | "double_as_longlong", [_]) => return Some(mask(to, bits)),
        (_, [_]) => {}
        _ => return None,
    }
    let (stem, direction) = direction(name)?;
    let (source, target) = stem.split_once('2')?;
    // The names tell the sign of integers, the types may not.
    let source = integer(source, from.bits()).unwrap_or(from);
    let target_type = integer(target, to.bits()).unwrap_or(to);
    match (source.is_float(), target_type.is_float()) {
        (true, false) => {
            let x = float(source, bits);
            let whole = match direction {
                Direction::Nearest => x.round_ties_even(),
                Direction::Zero => x.trunc(),
                Direction::Down => x.floor(),
                Direction::Up => x.ceil(),
            };
            Some(cast(DType::F64, target_type, whole.to_bits(), FloatRounding::NearestEven, true))
        }
        (true, true) => {
            Some(round(target_type, Exact { near: float(source, bits), rest: 0.0 }, direction))
        }
        (false, true) => {
            let value = int(source, bits);
            let near = value as f64;
            // Beyond 2^53 the nearest f64 misses some.
            let rest = (value - near as i128) as f64;
            Some(round(target_type, Exact { near, rest }, direction))
        }
        (false, false) => Some(from_int(to, int(source, bits))),
    }
}

/// The integer type that a part of a name means, if it is as wide as the element.
fn integer(name: &str, bits: usize) -> Option<DType> {
    match (name, bits) {
        ("int", 32) => Some(DType::I32),
        ("uint", 32) => Some(DType::U32),
        ("ll", 64) => Some(DType::I64),
        ("ull", 64) => Some(DType::U64),
        _ => None,
    }
}
