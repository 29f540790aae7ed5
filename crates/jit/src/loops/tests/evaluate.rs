//! Plain evaluation of loops.

use super::*;

/// Plain evaluation of a loop's values for one element.
pub(super) fn plain(l: &Loop, words: &[u64], element: usize, on: bool) -> Vec<f32> {
    let mut at: Vec<f32> = vec![];
    for &value in &l.values {
        let truth = |b: bool| if b { 1.0 } else { 0.0 };
        let v = match value {
            Value::Load { stream, other, .. } => match other {
                Some(other) if !on => at[other],
                // SAFETY: the tests' streams are long enough.
                _ => unsafe { *(words[stream] as *const f32).add(element) },
            },
            Value::Scalar(word) => f32::from_bits(words[word] as u32),
            Value::Const(bits) => f32::from_bits(bits as u32),
            Value::Number => f32::from_bits(element as u32),
            Value::Binary(op, a, b) => {
                let (x, y) = (at[a], at[b]);
                let int = |f: fn(i32, i32) -> i32| {
                    f32::from_bits(f(x.to_bits() as i32, y.to_bits() as i32) as u32)
                };
                match op {
                    Binary::Add => x + y,
                    Binary::Sub => x - y,
                    Binary::Mul => x * y,
                    Binary::Div => x / y,
                    Binary::Max => {
                        if x > y {
                            x
                        } else {
                            y
                        }
                    }
                    Binary::Min => {
                        if x < y {
                            x
                        } else {
                            y
                        }
                    }
                    Binary::MaxNum => x.max(y),
                    Binary::MinNum => x.min(y),
                    Binary::Scale => x * y.exp2(),
                    Binary::IntAdd => int(i32::wrapping_add),
                    Binary::IntSub => int(i32::wrapping_sub),
                    Binary::IntMul => int(i32::wrapping_mul),
                    Binary::IntMax => int(i32::max),
                    Binary::IntMin => int(i32::min),
                    Binary::UintMax | Binary::UintMin => unreachable!("not in these tests"),
                    Binary::And => f32::from_bits(x.to_bits() & y.to_bits()),
                    Binary::Or => f32::from_bits(x.to_bits() | y.to_bits()),
                    Binary::Xor => f32::from_bits(x.to_bits() ^ y.to_bits()),
                }
            }
            Value::Unary(op, a) => match op {
                Unary::Sqrt => at[a].sqrt(),
                Unary::Round => at[a].round_ties_even(),
                Unary::Floor => at[a].floor(),
                Unary::Ceil => at[a].ceil(),
                Unary::FromInt => at[a].to_bits() as i32 as f32,
                Unary::ToInt => f32::from_bits(at[a] as i32 as u32),
                Unary::F16TowardZero => unreachable!("not in these tests"),
                Unary::F16 => half::f16::from_f32(at[a]).to_f32(),
                Unary::ShiftLeft(n) => f32::from_bits(at[a].to_bits() << n),
                Unary::ShiftRight(n) => f32::from_bits(at[a].to_bits() >> n),
                Unary::ShiftArithmetic(n) => f32::from_bits((at[a].to_bits() as i32 >> n) as u32),
            },
            Value::MulAdd(a, b, c) => at[a].mul_add(at[b], at[c]),
            Value::Compare(class, relation, a, b) => {
                let (x, y) = (at[a], at[b]);
                let (i, j) = (x.to_bits() as i32, y.to_bits() as i32);
                truth(match (class, relation) {
                    (Class::Float, Relation::Less) => x < y,
                    (Class::Float, Relation::LessOrEqual) => x <= y,
                    (Class::Float, Relation::Equal) => x == y,
                    (Class::Float, Relation::Greater) => x > y,
                    (Class::Float, Relation::GreaterOrEqual) => x >= y,
                    (Class::Float, Relation::Unordered) => x.is_nan() || y.is_nan(),
                    (_, Relation::Less) => i < j,
                    (_, Relation::LessOrEqual) => i <= j,
                    (_, Relation::Equal) => i == j,
                    (_, Relation::Greater) => i > j,
                    (_, Relation::GreaterOrEqual) => i >= j,
                    (_, Relation::Unordered) => false,
                })
            }
            Value::Logic(op, a, b) => truth(match op {
                Logic::And => at[a] != 0.0 && at[b] != 0.0,
                Logic::Or => at[a] != 0.0 || at[b] != 0.0,
                Logic::Xor => (at[a] != 0.0) != (at[b] != 0.0),
            }),
            Value::Not(a) => truth(at[a] == 0.0),
            Value::Select(c, a, b) => {
                if at[c] != 0.0 {
                    at[a]
                } else {
                    at[b]
                }
            }
            Value::On(a, b) => {
                if on {
                    at[a]
                } else {
                    at[b]
                }
            }
        };
        at.push(v);
    }
    at
}
