//! Formats of elements: halves, and conversions between formats.

use super::*;

#[test]
fn halves_are_read_and_written() {
    use half::{bf16, f16};
    if !runs() {
        return;
    }
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for format in [Format::F16, Format::BF16] {
        let wide = |bits: u16| match format {
            Format::F16 => f16::from_bits(bits).to_f32(),
            _ => bf16::from_bits(bits).to_f32(),
        };
        // Every half becomes the number, and with 1.001 times it the nearest half.
        for other in [None, Some(0.0), Some(-2.5)] {
            let mut v = Values::new(Width::Four);
            let other_id = other.map(|x| v.float(x));
            let x = v.add(Value::Load { stream: 0, other: other_id, format });
            let factor = v.float(1.001);
            let product = v.add(Value::Binary(Binary::Mul, x, factor));
            let rounded = match format {
                Format::F16 => v.add(Value::Unary(Unary::F16, product)),
                _ => v.nearest_bf16(product),
            };
            let values =
                vec![(x, 1, Format::Same), (rounded, 2, Format::Same), (rounded, 3, format)];
            let l = v.finish(Sink::Store { values, streaming: false }, 1024, vec![(0, format)]);
            let code = l.compile().unwrap();
            disassembled(&code);
            for (on, n) in [(1024, 1024), (1000, 1024), (17, 100)] {
                for part in all.chunks(1024) {
                    let (same_x, nearest, halves) =
                        (vec![7f32; 1024], vec![7f32; 1024], vec![7u16; 1024]);
                    let words =
                        [address(part), address(&same_x), address(&nearest), address(&halves)];
                    call(&code, &words, on, n);
                    for (i, &bits) in part.iter().enumerate() {
                        if i >= n {
                            assert_eq!((same_x[i], nearest[i], halves[i]), (7.0, 7.0, 7));
                            continue;
                        }
                        let x = match other {
                            Some(other) if i >= on => other as f32,
                            _ => wide(bits),
                        };
                        assert!(same(same_x[i], x), "{bits:#x}: {}, not {x}", same_x[i]);
                        let y = match format {
                            Format::F16 => f16::from_f32(x * 1.001).to_f32(),
                            _ => bf16::from_f32(x * 1.001).to_f32(),
                        };
                        assert!(same(nearest[i], y), "{x}: {}, not {y}", nearest[i]);
                        assert!(same(wide(halves[i]), y), "{x}: {:#x}, not {y}", halves[i]);
                    }
                }
            }
        }
    }
}

#[test]
fn floats_become_the_nearest_integers_that_there_are() {
    if !runs() {
        return;
    }
    let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.99, -0.99, 1.5, -2.5];
    let ends = [31, 32, 63, 64].map(|k| 2f64.powi(k));
    let mut x = edges.to_vec();
    x.extend(ends.iter().flat_map(|&e| [e, -e, e * (1.0 - 1e-7), -e * (1.0 + 1e-7)]));
    x.resize(64, -3e9);
    let single: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let (int, long) = (vec![7i32; 64], vec![7i64; 64]);
    for (width, words) in [
        (Width::Four, [address(&single), address(&single), address(&int)]),
        (Width::Eight, [address(&x), address(&x), address(&long)]),
    ] {
        let code = one(width, |v, x, _| v.saturated_int(x)).compile().unwrap();
        call(&code, &words, 64, 64);
    }
    assert_eq!(int, single.iter().map(|&x| x as i32).collect::<Vec<_>>());
    assert_eq!(long, x.iter().map(|&x| x as i64).collect::<Vec<_>>());
}

#[test]
fn every_short_format_is_known_in_both_widths() {
    let integers = [Format::I8, Format::U8, Format::I16, Format::U16];
    let names = [
        (Width::Four, ["vpmovsxbd", "vpmovzxbd", "vpmovsxwd", "vpmovzxwd"], ["vpmovdb", "vpmovdw"]),
        (
            Width::Eight,
            ["vpmovsxbq", "vpmovzxbq", "vpmovsxwq", "vpmovzxwq"],
            ["vpmovqb", "vpmovqw"],
        ),
    ];
    let moved = |width, format| {
        let mut v = Values::new(width);
        let zero = v.add(Value::Const(0));
        let x = v.add(Value::Load { stream: 0, other: Some(zero), format });
        v.finish(Sink::Store { values: vec![(x, 1, format)], streaming: false }, 64, vec![])
    };
    for (width, loads, stores) in names {
        for (k, format) in integers.into_iter().enumerate() {
            let l = moved(width, format);
            let code = l.compile().unwrap();
            let lines = disassembled(&code).join("\n");
            assert!(lines.contains(loads[k]) && lines.contains(stores[k / 2]), "{lines}");
            if !runs() {
                continue;
            }
            let x: Vec<u8> = (1..=128).collect();
            let z = vec![200u8; 129];
            let bytes = format.bytes(width);
            for (on, all) in [(64, 64), (37, 50)] {
                call(&code, &[address(&x), address(&z)], on, all);
                assert_eq!(z[..on * bytes], x[..on * bytes]);
                assert!(z[on * bytes..all * bytes].iter().all(|&b| b == 0));
                assert_eq!(z[64 * bytes], 200);
            }
        }
    }
    // Halves have values of 4 bytes only.
    assert!(
        [Format::F16, Format::BF16].iter().all(|&f| moved(Width::Eight, f).compile().is_none())
    );
}
