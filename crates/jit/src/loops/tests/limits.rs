//! Comparisons beyond the masks that there are, and quotients.

use super::*;

#[test]
fn comparisons_may_outnumber_masks() {
    if !runs() {
        return;
    }
    // All comparisons are made before the first is needed.
    let l = one(Width::Four, |v, x, y| {
        let number = v.add(Value::Number);
        let truths: Vec<Id> = (0..9)
            .map(|k| {
                let k = v.add(Value::Const(7 * k));
                v.add(Value::Compare(Class::Int, Relation::Less, number, k))
            })
            .collect();
        truths.iter().fold(x, |sum, &t| {
            let next = v.add(Value::Select(t, x, y));
            let again = v.add(Value::Not(t));
            let other = v.add(Value::Select(again, next, x));
            v.add(Value::Binary(Binary::Sub, sum, other))
        })
    });
    let (x, y, z) = ([0.5f32; 64], [3f32; 64], [7f32; 64]);
    let words = [address(&x), address(&y), address(&z)];
    call(&l.compile().unwrap(), &words, 64, 64);
    let expected: Vec<f32> = (0..64).map(|i| plain(&l, &words, i, true)[last_of(&l)]).collect();
    assert_eq!(z.to_vec(), expected);
}

/// The value that a loop stores first.
fn last_of(l: &Loop) -> Id {
    let Sink::Store { values, .. } = &l.sink else { unreachable!() };
    values[0].0
}

#[test]
fn quotients_are_those_of_the_division() {
    if !runs() {
        return;
    }
    let mut v = Values::new(Width::Four);
    let x = v.add(Value::Load { stream: 0, other: None, format: Format::Same });
    let divisor = v.add(Value::Scalar(1));
    let y = v.add(Value::Binary(Binary::Div, x, divisor));
    let l = v.finish(
        Sink::Store { values: vec![(y, 2, Format::Same)], streaming: false },
        1024,
        vec![],
    );
    let code = l.compile().unwrap();
    disassembled(&code);
    let mut r = Random(42);
    let edges = [0.0, -0.0, 1.0, f32::INFINITY, f32::NAN, f32::MAX, -1e-40, 1e-30, 3e38, 2e-38];
    let mut number = |k: usize| match k % 16 {
        0 => edges[r.below(edges.len())],
        1 => f32::from_bits(r.below(1 << 32) as u32),
        // Mantissas near both ends, where quotients are nearest to the middle of two floats.
        2 => f32::from_bits(((120 + r.below(14) as u32) << 23) | (0x7f_ffff - r.below(16) as u32)),
        3 => f32::from_bits(((120 + r.below(14) as u32) << 23) | r.below(16) as u32),
        _ => f32::from_bits(((100 + r.below(54) as u32) << 23) | r.below(1 << 23) as u32),
    };
    for k in 0..4000 {
        let x: Vec<f32> =
            (0..1024).map(|i| number(i + usize::from(k % 2 == 0 && i % 16 < 2) * 4)).collect();
        let (divisor, out) = (number(k), vec![0f32; 1024]);
        call(&code, &[address(&x), divisor.to_bits().into(), address(&out)], 1024, 1024);
        for (x, y) in x.iter().zip(&out) {
            assert!(same(*y, x / divisor), "{x:e} / {divisor:e}: {y:e}, not {:e}", x / divisor);
        }
    }
}
