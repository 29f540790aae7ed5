//! Random tensors of every element type through every file format and back.

use super::{json, npy, pb};
use crate::output;
use crate::random::Random;
use std::io::Cursor;
use trident_ir::DType;
use trident_ir::dtype::Class;
use trident_runtime::{Pool, Tensor, Value};

/// Tensors of each element type.
const COUNT: usize = 300;

/// Up to five dimensions of up to three elements, bits of all kinds: of floats NaNs with payloads and signed zeros, too.
fn random_tensor(random: &mut Random, dtype: DType) -> Tensor {
    let mut below = |n: u64| random.next() % n;
    let dims: Vec<usize> = (0..below(6)).map(|_| [1, 2, 3, 3, 2, 0][below(6) as usize]).collect();
    let len: usize = dims.iter().product();
    if dtype == DType::Str {
        let words = ["", "a", "größe", "\0x", "猫\u{1b}[0m", "\"\\\n", "NaN"];
        let strings = (0..len).map(|_| words[below(7) as usize].to_owned()).collect();
        return Tensor::from_strings(&dims, strings).unwrap();
    }
    let part = if dtype.class() == Class::Complex { dtype.size() / 2 } else { dtype.size() };
    let mut bytes = Vec::new();
    while bytes.len() < len * dtype.size() {
        // Exponents of all ones or zeros are rare among random bits.
        let special = [0x00, 0x80, 0x7f, 0xff, 0x7c, 0xfc][below(6) as usize];
        let rest = if below(2) == 0 { 0 } else { below(256) as u8 };
        let mut element = below(u64::MAX).to_le_bytes()[..part].to_vec();
        if below(3) == 0 {
            element.fill(rest);
            element[part - 1] = special;
            if part > 1 {
                element[part - 2] = [0x00, 0x80, 0xf0, 0xc0][below(4) as usize];
            }
        }
        bytes.extend(element);
    }
    let unused = 8 - dtype.bits().min(8);
    for byte in &mut bytes {
        *byte = match dtype.class() {
            Class::Bool => *byte & 1,
            Class::Int if unused > 0 => ((*byte << unused).cast_signed() >> unused).cast_unsigned(),
            _ => *byte << unused >> unused,
        };
    }
    Tensor::from_bytes(&Pool::new(), dtype, &dims, bytes.into()).unwrap()
}

fn tensors(dtype: DType) -> impl Iterator<Item = Tensor> {
    let mut random = Random::new(dtype as u64);
    (0..COUNT).map(move |_| random_tensor(&mut random, dtype))
}

#[track_caller]
fn assert_same(actual: &Tensor, expected: &Tensor) {
    assert_eq!((actual.dtype(), actual.dims()), (expected.dtype(), expected.dims()));
    assert_eq!(actual.bytes().ok(), expected.bytes().ok(), "{}", expected.ty());
    assert_eq!(actual.strings().ok(), expected.strings().ok());
}

#[test]
fn npy_keeps_every_bit() {
    for &dtype in DType::ALL {
        for t in tensors(dtype) {
            assert_same(
                &npy::read(&Pool::new(), &npy::write(&t).unwrap(), Some(dtype)).unwrap(),
                &t,
            );
        }
    }
}

#[test]
fn npz_keeps_every_bit_and_name() {
    for &dtype in DType::ALL {
        let all: Vec<(String, Tensor)> =
            tensors(dtype).enumerate().map(|(i, t)| (format!("größe/{i}.npy"), t)).collect();
        let arrays: Vec<(&str, &Tensor)> = all.iter().map(|(n, t)| (n.as_str(), t)).collect();
        let mut file = Cursor::new(Vec::new());
        npy::write_npz(&mut file, &arrays).unwrap();
        let read = npy::read_npz(file).unwrap();
        assert_eq!(read.len(), COUNT);
        for ((name, bytes), (expected, t)) in read.iter().zip(&all) {
            assert_eq!(name, expected);
            assert_same(&npy::read(&Pool::new(), bytes, Some(dtype)).unwrap(), t);
        }
    }
}

#[test]
fn pb_keeps_every_bit() {
    for &dtype in DType::ALL {
        for t in tensors(dtype) {
            let (ty, value) = (t.ty(), Value::from(t.clone()));
            let bytes = pb::write("x", &value, &ty).unwrap();
            let back = pb::read(bytes.into(), &ty, &Pool::new()).unwrap();
            assert_same(back.as_tensor().unwrap(), &t);
        }
    }
}

/// JSON has one NaN, and lists within an empty list are not written: dimensions end at the first that is 0.
#[test]
fn json_keeps_every_number_and_one_nan() {
    for &dtype in DType::ALL {
        for t in tensors(dtype) {
            let text = output::to_json(&[("x".to_owned(), t.clone().into())]).to_string();
            let json::Document::Object(members) = json::parse(text.as_bytes()).unwrap() else {
                panic!("{text}")
            };
            let back = json::read(&Pool::new(), &members[0].1, Some(dtype)).unwrap();
            let end = t.dims().iter().position(|d| *d == 0).map_or(t.rank(), |i| i + 1);
            assert_eq!(back.dims(), &t.dims()[..end], "{text}");
            assert_eq!(back.strings().ok(), t.strings().ok());
            let Ok(expected) = t.bytes() else { continue };
            let part =
                if dtype.class() == Class::Complex { dtype.size() / 2 } else { dtype.size() };
            let pairs = back.bytes().unwrap().chunks(part).zip(expected.chunks(part));
            for (a, b) in pairs {
                assert!(a == b || is_nan(a, dtype) && is_nan(b, dtype), "{dtype}: {a:?} {b:?}");
            }
        }
    }
}

fn is_nan(bits: &[u8], dtype: DType) -> bool {
    let dtype = match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    };
    let t = Tensor::from_bytes(&Pool::new(), dtype, &[], bits.to_vec().into()).unwrap();
    crate::scalar::Scalar::get(&t, 0).and_then(|s| s.to_f64()).is_some_and(f64::is_nan)
}
