//! Strings.

mod normalize;
mod re2;
mod regex;
mod split;
mod tfidf;

use crate::kernel::{Call, Compile, Kernel, Plain};
use trident_ir::geometry::{broadcast, broadcast_strides};
use trident_ir::{DType, OpKind};
use trident_runtime::{Declined, KernelError};

/// The kernel for an op on strings.
pub(super) fn kernel(cx: &Compile<'_>) -> Result<Option<Box<dyn Kernel>>, Declined> {
    Ok(Some(match cx.op.kind {
        OpKind::RegexFullMatch => regex::FullMatch::boxed(cx)?,
        OpKind::StringConcat => Plain::boxed("string_concat", concat),
        OpKind::StringNormalizer => Plain::boxed("string_normalizer", normalize::run),
        OpKind::StringSplit => Plain::boxed("string_split", split::run),
        OpKind::TfIdfVectorizer => Plain::boxed("tfidf_vectorizer", tfidf::run),
        _ => return Ok(None),
    }))
}

/// StringConcat.
fn concat(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let (a, b) = (call.tensor(0)?, call.tensor(1)?);
    let dims = broadcast(a.dims(), b.dims())?;
    let strides = [broadcast_strides(a.dims(), &dims), broadcast_strides(b.dims(), &dims)];
    let mut out = call.alloc(0, DType::Str, &dims)?;
    let (a, b) = (a.strings()?, b.strings()?);
    let count = out.len();
    let mut to = out.write_strings()?;
    for i in 0..count {
        let (mut rest, mut at) = (i, [0, 0]);
        for (d, &n) in dims.iter().enumerate().rev() {
            at = [at[0] + rest % n * strides[0][d], at[1] + rest % n * strides[1][d]];
            rest /= n;
        }
        to.push(&[&a[at[0]], &b[at[1]]])?;
    }
    call.set(0, out);
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
