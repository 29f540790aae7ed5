//! Functions of integers, by the names of CUDA's device library.

use super::functions;
use crate::routine::Registry;

pub(super) fn register(registry: &mut Registry) {
    bits(registry);
    arithmetic(registry);
}

/// Counting and moving bits.
fn bits(registry: &mut Registry) {
    functions!(registry;
        "clz" => |x: i32| -> i32 { x.leading_zeros() as i32 }
        "clzll" => |x: i64| -> i32 { x.leading_zeros() as i32 }
        "popc" => |x: i32| -> i32 { x.count_ones() as i32 }
        "popcll" => |x: i64| -> i32 { x.count_ones() as i32 }
        "brev" => |x: i32| -> i32 { x.reverse_bits() }
        "brevll" => |x: i64| -> i64 { x.reverse_bits() }
        "ffs" => |x: i32| -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
        "ffsll" => |x: i64| -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
        "byte_perm" => |x: i32, y: i32, s: i32| -> i32 { byte_perm(x as u32, y as u32, s as u32) as i32 }
    );
}

/// The four bytes of `y:x` selected by the low three bits of each nibble of `s`.
#[inline(always)]
fn byte_perm(x: u32, y: u32, s: u32) -> u32 {
    let bytes = u64::from(y) << 32 | u64::from(x);
    let mut out = 0;
    let mut i = 0;
    while i < 4 {
        let which = s >> (4 * i) & 7;
        out |= ((bytes >> (8 * which) & 0xff) as u32) << (8 * i);
        i += 1;
    }
    out
}

/// The low 24 bits of a signed number.
#[inline(always)]
fn low24(x: i32) -> i32 {
    x << 8 >> 8
}

fn arithmetic(registry: &mut Registry) {
    functions!(registry;
        "abs" => |x: i32| -> i32 { x.wrapping_abs() }
        "llabs" => |x: i64| -> i64 { x.wrapping_abs() }
        "min" => |a: i32, b: i32| -> i32 { a.min(b) }
        "umin" => |a: u32, b: u32| -> u32 { a.min(b) }
        "llmin" => |a: i64, b: i64| -> i64 { a.min(b) }
        "ullmin" => |a: u64, b: u64| -> u64 { a.min(b) }
        "max" => |a: i32, b: i32| -> i32 { a.max(b) }
        "umax" => |a: u32, b: u32| -> u32 { a.max(b) }
        "llmax" => |a: i64, b: i64| -> i64 { a.max(b) }
        "ullmax" => |a: u64, b: u64| -> u64 { a.max(b) }
        "mulhi" => |a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 }
        "umulhi" => |a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 }
        "mul64hi" => |a: i64, b: i64| -> i64 { ((i128::from(a) * i128::from(b)) >> 64) as i64 }
        "umul64hi" => |a: u64, b: u64| -> u64 { ((u128::from(a) * u128::from(b)) >> 64) as u64 }
        "mul24" => |a: i32, b: i32| -> i32 { low24(a).wrapping_mul(low24(b)) }
        "umul24" => |a: u32, b: u32| -> u32 { (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff) }
        "sad" => |a: i32, b: i32, c: u32| -> u32 { a.abs_diff(b).wrapping_add(c) }
        "usad" => |a: u32, b: u32, c: u32| -> u32 { a.abs_diff(b).wrapping_add(c) }
        "hadd" => |a: i32, b: i32| -> i32 { (a & b) + ((a ^ b) >> 1) }
        "uhadd" => |a: u32, b: u32| -> u32 { (a & b) + ((a ^ b) >> 1) }
        "rhadd" => |a: i32, b: i32| -> i32 { (a | b) - ((a ^ b) >> 1) }
        "urhadd" => |a: u32, b: u32| -> u32 { (a | b) - ((a ^ b) >> 1) }
    );
}
