//! Constants of a model in few words.

use trident_ir::Literal;
use trident_ir::literal::LiteralData;
use twox_hash::XxHash3_128;

/// Elements that are widened at once.
const PART: usize = 1 << 14;

/// Least, greatest and mean element of numbers, how many are NaN, and the digest of the bytes (XXH3, 128 bits). Only floats of 16
/// bits or more and integers that fit `i64` have statistics.
pub(crate) fn constant(constant: &Literal) -> String {
    let mut words = statistics(constant).map(|s| s.to_string()).into_iter().collect::<Vec<_>>();
    let digest = match constant.data() {
        LiteralData::Bytes(bytes) => XxHash3_128::oneshot(bytes),
        LiteralData::Strings(texts) => {
            let mut hasher = XxHash3_128::new();
            for text in texts.iter() {
                hasher.write(&(text.len() as u64).to_le_bytes());
                hasher.write(text.as_bytes());
            }
            hasher.finish_128()
        }
    };
    words.push(format!("xxh3 {digest:032x}"));
    words.join(", ")
}

/// Figures about numbers.
#[derive(Debug, PartialEq)]
struct Statistics {
    /// `None` if all are NaN.
    range: Option<[f64; 2]>,
    /// The mean of the elements that are not NaN.
    mean: f64,
    nan: usize,
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Statistics { range, mean, nan } = *self;
        match range {
            Some([least, greatest]) => {
                write!(f, "{} to {}, mean {}", short(least), short(greatest), short(mean))?;
                if nan > 0 { write!(f, ", {nan} NaN") } else { Ok(()) }
            }
            None => f.write_str("all NaN"),
        }
    }
}

/// At most six digits.
fn short(x: f64) -> String {
    let text = format!("{x}");
    match text.len() <= 8 {
        true => text,
        false if (1e-4..1e6).contains(&x.abs()) => format!("{x:.5}"),
        false => format!("{x:.5e}"),
    }
}

fn statistics(constant: &Literal) -> Option<Statistics> {
    let LiteralData::Bytes(bytes) = constant.data() else { return None };
    let (dtype, size) = (constant.dtype(), constant.dtype().size());
    let (mut least, mut greatest) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut sum, mut nan, mut count) = (0.0, 0, 0usize);
    for part in bytes.chunks(PART * size) {
        let dims = vec![part.len() / size];
        let part = Literal::from_bytes(dtype, dims, bytes.slice_ref(part)).ok()?;
        let integers = || Some(part.to_i64s()?.into_iter().map(|n| n as f64).collect());
        let numbers: Vec<f64> = part.to_f64s().or_else(integers)?;
        for x in numbers {
            if x.is_nan() {
                nan += 1;
                continue;
            }
            (least, greatest) = (least.min(x), greatest.max(x));
            sum += x;
            count += 1;
        }
    }
    let range = (count > 0).then_some([least, greatest]);
    Some(Statistics { range, mean: sum / count as f64, nan })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trident_ir::DType;

    #[test]
    fn numbers_have_statistics_and_everything_a_digest() {
        let floats: Vec<f32> = (0..PART as i32 + 2).map(|i| i as f32 / 4.0).collect();
        let text = constant(&Literal::vector(&floats));
        assert!(text.starts_with("0 to 4096.25, mean 2048.125, xxh3 "), "{text}");
        let mut with_nan = floats.clone();
        with_nan[7] = f32::NAN;
        with_nan[8] = f32::NEG_INFINITY;
        let other = constant(&Literal::vector(&with_nan));
        assert!(other.starts_with("-inf to 4096.25, mean -inf, 1 NaN, xxh3 "), "{other}");
        let digest = |text: &str| text.split_once("xxh3 ").unwrap().1.to_owned();
        assert_eq!(digest(&text).len(), 32);
        assert_ne!(digest(&text), digest(&other));
        assert_eq!(text, constant(&Literal::vector(&floats)));
        assert!(constant(&Literal::vector(&[f64::NAN; 2])).starts_with("all NaN, xxh3 "));
        assert!(constant(&Literal::vector(&[-3i8, 5, 4])).starts_with("-3 to 5, mean 2, xxh3 "));
        assert!(constant(&Literal::vector(&[u64::MAX])).starts_with("xxh3 "));
        let bytes = vec![0x38; 40].into();
        let narrow = Literal::from_bytes(DType::F8E4M3FN, vec![40], bytes).unwrap();
        assert!(constant(&narrow).starts_with("xxh3 "));
        let texts = |a: &str, b: &str| {
            constant(&Literal::from_strings(vec![2], vec![a.into(), b.into()]).unwrap())
        };
        assert_ne!(texts("ab", "c"), texts("a", "bc"));
    }
}
