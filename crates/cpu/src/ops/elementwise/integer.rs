//! Integer arithmetic that the standard defines for every operand.

/// A primitive integer.
pub(super) trait Integer: Copy {
    /// Remainder with the sign of the divisor, which is not 0.
    fn floor_mod(self, divisor: Self) -> Self;
    /// Whether it is below 0.
    fn negative(self) -> bool;
    /// Bits moved up; by less than 0 or the width or more, 0.
    fn shift_left(self, by: Self) -> Self;
    /// Bits moved down, the sign following; by less than 0 or the width or more, only the sign is left.
    fn shift_right(self, by: Self) -> Self;
}

macro_rules! integer {
    ($($t:ident $signed:literal)*) => { $(
        impl Integer for $t {
            fn floor_mod(self, divisor: $t) -> $t {
                let r = self.wrapping_rem(divisor);
                if $signed && r != 0 && r.negative() != divisor.negative() { r.wrapping_add(divisor) } else { r }
            }
            #[allow(unused_comparisons)]
            fn negative(self) -> bool {
                self < 0
            }
            fn shift_left(self, by: $t) -> $t {
                u32::try_from(by).ok().and_then(|by| self.checked_shl(by)).unwrap_or(0)
            }
            fn shift_right(self, by: $t) -> $t {
                let rest = || if self.negative() { (0 as $t).wrapping_sub(1) } else { 0 };
                u32::try_from(by).ok().and_then(|by| self.checked_shr(by)).unwrap_or_else(rest)
            }
        }
    )* };
}

integer! { i32 true i64 true u64 false }

/// `base` to an integer power, wrapped; a negative power truncates towards zero, and of zero gives zero.
pub(super) fn power(base: i64, exponent: i64) -> i64 {
    match u32::try_from(exponent) {
        Ok(e) => base.wrapping_pow(e),
        Err(_) => match base {
            1 => 1,
            -1 => {
                if exponent % 2 == 0 {
                    1
                } else {
                    -1
                }
            }
            // A power of 2^32 or more has no bit left if the base is even.
            base if exponent > 0 && base % 2 != 0 => {
                let (mut result, mut square, mut e) = (1i64, base, exponent);
                while e > 0 {
                    if e & 1 == 1 {
                        result = result.wrapping_mul(square);
                    }
                    square = square.wrapping_mul(square);
                    e >>= 1;
                }
                result
            }
            _ => 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges() {
        assert_eq!((-7i64).floor_mod(3), 2);
        assert_eq!(7i32.floor_mod(-3), -2);
        assert_eq!(i64::MIN.floor_mod(-1), 0);
        assert_eq!(u64::MAX.floor_mod(10), 5);
        assert_eq!((-5i32).shift_right(40), -1);
        assert_eq!((-5i32).shift_right(-1), -1);
        assert_eq!(5i32.shift_left(32), 0);
        assert_eq!(u64::MAX.shift_right(64), 0);
        assert_eq!((power(3, 4), power(2, 64), power(2, -1), power(-1, -3)), (81, 0, 0, -1));
        assert_eq!(power(3, 1 << 33), (0..33).fold(3i64, |p, _| p.wrapping_mul(p)));
    }
}
