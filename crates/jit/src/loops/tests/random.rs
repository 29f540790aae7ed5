//! Random loops against plain evaluation.

use super::*;

/// A loop of random values over streams 0 and 1 and the scalar in word 3, to streams 2 and 4.
fn random(random: &mut Random, steps: usize, len: usize) -> Loop {
    let mut v = Values::new(Width::Four);
    let zero = v.float(0.0);
    let half = v.float(-0.5);
    let scalar = v.add(Value::Scalar(3));
    let other = [zero, half, scalar][random.below(3)];
    let x = v.add(Value::Load { stream: 0, other: Some(other), format: Format::Same });
    let y = v.add(Value::Load { stream: 1, other: None, format: Format::Same });
    let mut floats = vec![half, scalar, x, y];
    let mut truths = vec![v.add(Value::Compare(Class::Float, Relation::Less, x, y))];
    for _ in 0..steps {
        let n = floats.len();
        // Mostly what is recent, so that not all is alive at the same time.
        let pick = |r: &mut Random| match r.below(4) {
            0 => floats[r.below(n)],
            _ => floats[n - 1 - r.below(n.min(4))],
        };
        let [a, b, c] = [0; 3].map(|_| pick(random));
        let condition = truths[truths.len() - 1];
        // No operation on bits: those of NaN are not always the same.
        let binary = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Max, Binary::Min];
        let next = match random.below(8) {
            0 => Value::MulAdd(a, b, c),
            1 => Value::Select(condition, a, b),
            2 => Value::On(a, b),
            3 => Value::Unary(Unary::Round, a),
            4 => {
                let relation = [Relation::Less, Relation::GreaterOrEqual, Relation::Unordered];
                let class = Class::Float;
                let made = v.add(Value::Compare(class, relation[random.below(3)], a, b));
                let not = v.add(Value::Not(condition));
                let both = v.add(Value::Logic(Logic::Xor, made, not));
                truths.push(both);
                continue;
            }
            5 => {
                let number = v.add(Value::Number);
                Value::Unary(Unary::FromInt, number)
            }
            _ => Value::Binary(binary[random.below(binary.len())], a, b),
        };
        floats.push(v.add(next));
    }
    let last = floats.len() - 1;
    let stores =
        vec![(floats[last], 2, Format::Same), (floats[random.below(last)], 4, Format::Same)];
    v.finish(Sink::Store { values: stores, streaming: random.below(2) == 1 }, len, vec![])
}

/// Sevens from an address on that is a multiple of 64.
struct Aligned(Vec<f32>, usize);

impl Aligned {
    fn of(n: usize) -> Aligned {
        let memory = vec![7f32; n + 16];
        let skip = memory.as_ptr().align_offset(64);
        Aligned(memory, skip)
    }

    fn slice(&self) -> &[f32] {
        &self.0[self.1..self.0.len() - 16 + self.1]
    }
}

#[test]
fn random_loops_of_every_length() {
    if !runs() {
        return;
    }
    let mut r = Random(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for round in 0..400 {
        let len = 16 << r.below(5);
        let steps = 1 + r.below(if round % 4 == 0 { 120 } else { 20 });
        let l = random(&mut r, steps, len);
        let Some(code) = l.compile() else {
            refused += 1;
            continue;
        };
        let mut number = || (r.below(2001) as f32 - 1000.0) / 64.0;
        let (x, y): (Vec<f32>, Vec<f32>) = (0..len).map(|_| (number(), number())).unzip();
        let scalar = number();
        for (on, all) in [(len, len), (0, len), (len / 3, len), (len - 1, len - 1), (5, 5), (0, 0)]
        {
            let (first, second) = (Aligned::of(len + 1), Aligned::of(len + 1));
            let words = [
                address(&x),
                address(&y),
                address(first.slice()),
                scalar.to_bits().into(),
                address(second.slice()),
            ];
            call(&code, &words, on, all);
            let (first, second) = (first.slice(), second.slice());
            let Sink::Store { values: stores, .. } = &l.sink else { unreachable!() };
            for (at, out) in [(0, first), (1, second)] {
                for (i, &found) in out[..len].iter().enumerate() {
                    let expected =
                        if i < all { plain(&l, &words, i, i < on)[stores[at].0] } else { 7.0 };
                    assert!(
                        same(found, expected),
                        "element {i} of {on} and {all}: {found}, not {expected}: {l:?}"
                    );
                }
                assert_eq!(out[len], 7.0);
            }
        }
    }
    assert!(refused < 60, "{refused}");
}
