//! Short integers.

use super::*;

#[test]
fn short_integers_are_read_and_written() {
    if !runs() {
        return;
    }
    let bytes: Vec<u8> = (0..1024u32).map(|i| ((i * 167) >> 2) as u8).collect();
    for (format, instructions) in [
        (Format::I8, ["vpmovsxbd", "vpmovdb"]),
        (Format::U8, ["vpmovzxbd", "vpmovdb"]),
        (Format::I16, ["vpmovsxwd", "vpmovdw"]),
        (Format::U16, ["vpmovzxwd", "vpmovdw"]),
    ] {
        let size = format.bytes(Width::Four);
        let n = bytes.len() / size;
        for other in [None, Some(0u64), Some(3)] {
            let mut v = Values::new(Width::Four);
            let other_id = other.map(|bits| v.add(Value::Const(bits)));
            let x = v.add(Value::Load { stream: 0, other: other_id, format });
            let three = v.add(Value::Const(3));
            let product = v.add(Value::Binary(Binary::IntMul, x, three));
            let wrapped = v.wrapped(product, format);
            let values =
                vec![(x, 1, Format::Same), (wrapped, 2, Format::Same), (product, 3, format)];
            let l = v.finish(Sink::Store { values, streaming: false }, n, vec![(0, format)]);
            let code = l.compile().unwrap();
            let lines = disassembled(&code).join("\n");
            assert!(instructions.iter().all(|name| lines.contains(name)), "{lines}");
            for (on, all) in [(n, n), (n - 24, n), (17, 100), (0, 0)] {
                let (x, wrapped, short) = (vec![7i32; n], vec![7i32; n], vec![7u8; bytes.len()]);
                let words = [address(&bytes), address(&x), address(&wrapped), address(&short)];
                call(&code, &words, on, all);
                let number = |bytes: &[u8]| -> i32 {
                    let low = |k: usize| i32::from(bytes[size * k]);
                    let word =
                        |k: usize| i32::from(u16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]));
                    match format {
                        Format::I8 => low(0) as i8 as i32,
                        Format::U8 => low(0),
                        Format::I16 => word(0) as i16 as i32,
                        _ => word(0),
                    }
                };
                for i in 0..n {
                    let part = &bytes[size * i..size * (i + 1)];
                    let found = (x[i], wrapped[i], number(&short[size * i..size * (i + 1)]));
                    let expected = match other {
                        _ if i >= all => (7, 7, number(&[7, 7])),
                        Some(other) if i >= on => {
                            (other as i32, 3 * other as i32, 3 * other as i32)
                        }
                        _ => {
                            let product = (number(part) * 3).to_le_bytes();
                            (number(part), number(&product), number(&product))
                        }
                    };
                    assert_eq!(found, expected, "element {i} of {on} and {all}, {format:?}");
                }
            }
        }
    }
}
