//! Strings.

mod normalize;
#[cfg(feature = "regex")]
mod re2;
#[cfg(feature = "regex")]
mod regex;
mod split;
mod tfidf;

use crate::kernel::{Call, Entry, Prepared, entry};
use trident_ir::DType;
use trident_ir::geometry::{broadcast, broadcast_strides};
use trident_ir::ops::{StringConcat, StringNormalizer, StringSplit, TfIdfVectorizer};
use trident_runtime::KernelError;

pub(super) const KERNELS: &[Entry] = &[
    #[cfg(feature = "regex")]
    entry(trident_ir::ops::RegexFullMatch::KIND, regex::full_match),
    entry(StringConcat::KIND, |cx| Prepared::boxed(cx, concat)),
    entry(StringNormalizer::KIND, normalize::normalizer),
    entry(StringSplit::KIND, split::splitter),
    entry(TfIdfVectorizer::KIND, tfidf::vectorizer),
];

/// StringConcat.
fn concat(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let at = StringConcat::AT;
    let (a, b) = (call.tensor(at.x)?, call.tensor(at.y)?);
    let dims = broadcast(a.dims(), b.dims())?;
    let strides = [broadcast_strides(a.dims(), &dims), broadcast_strides(b.dims(), &dims)];
    let mut out = call.alloc(at.z, DType::Str, &dims)?;
    let (a, b) = (a.strings()?, b.strings()?);
    let count = out.len();
    let mut to = out.write_strings()?;
    for i in 0..count {
        let (mut rest, mut from) = (i, [0, 0]);
        for (d, &n) in dims.iter().enumerate().rev() {
            from = [from[0] + rest % n * strides[0][d], from[1] + rest % n * strides[1][d]];
            rest /= n;
        }
        to.push(&[&a[from[0]], &b[from[1]]])?;
    }
    call.set(at.z, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{run, strings, tensor};
    use trident_ir::OpKind;

    #[test]
    fn concat_broadcasts() {
        let (a, b) = (strings(&[2, 1], &["a", "b"]), strings(&[2], &["x", "é"]));
        let y = run(OpKind::StringConcat, &[], vec![a.clone(), b]).unwrap();
        assert_eq!(y.as_tensor().unwrap().strings().unwrap(), ["ax", "aé", "bx", "bé"]);
        assert!(run(OpKind::StringConcat, &[], vec![a, tensor(&[1], &[1i64])]).is_err());
    }
}
