//! StringSplit.

use crate::kernel::{Call, Compile, Made, Prepared};
use trident_ir::DType;
use trident_ir::ops::StringSplit;
use trident_runtime::KernelError;

/// Parts between runs of white space; the last part is the remainder after `limit` cuts.
fn by_whitespace(text: &str, limit: usize) -> impl Iterator<Item = &str> {
    let (mut count, mut rest) = (0, text.trim_start());
    std::iter::from_fn(move || {
        let end = match count == limit {
            true => rest.len(),
            false => rest.find(char::is_whitespace).unwrap_or(rest.len()),
        };
        let part = &rest[..end];
        count += 1;
        rest = rest[end..].trim_start();
        (!part.is_empty()).then_some(part)
    })
}

/// StringSplit.
pub(super) fn splitter(cx: &Compile<'_>) -> Made {
    let op = cx.view(StringSplit::of)?;
    // A negative limit is none.
    let limit = op.maxsplit().and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let delimiter = op.delimiter().unwrap_or_default().to_owned();
    Prepared::boxed(cx, move |call| split_all(call, &delimiter, limit))
}

fn split<'a>(
    text: &'a str,
    delimiter: &'a str,
    limit: usize,
) -> Box<dyn Iterator<Item = &'a str> + 'a> {
    match delimiter {
        "" => Box::new(by_whitespace(text, limit)),
        _ => Box::new(text.splitn(limit.saturating_add(1), delimiter)),
    }
}

fn split_all(call: &mut Call<'_, '_>, delimiter: &str, limit: usize) -> Result<(), KernelError> {
    let at = StringSplit::AT;
    let x = call.tensor(at.x)?;
    let texts = x.strings()?;
    // One string with many parts makes room for as many in every row, so they are counted first.
    let counts: Vec<usize> =
        texts.iter().map(|text| split(text, delimiter, limit).count()).collect();
    let most = counts.iter().copied().max().unwrap_or(0);
    let dims = [x.dims(), &[most]].concat();
    let mut out = call.alloc(at.y, DType::Str, &dims)?;
    let mut to = out.write_strings()?;
    for text in texts {
        let parts = split(text, delimiter, limit).chain(std::iter::repeat(""));
        for part in parts.take(most) {
            to.push(&[part])?;
        }
    }
    call.set(at.y, out);
    if call.wants(at.counts) {
        let mut out = call.alloc(at.counts, DType::I64, x.dims())?;
        for (slot, &count) in out.slice_mut::<i64>()?.iter_mut().zip(&counts) {
            *slot = count as i64;
        }
        call.set(at.counts, out);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::by_whitespace;
    use crate::testing::{elements, run_on, strings};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn whitespace_runs_and_limits() {
        let split = |text, limit| by_whitespace(text, limit).collect::<Vec<_>>();
        assert_eq!(split("  a  b\tc ", usize::MAX), ["a", "b", "c"]);
        assert_eq!(split(" a  b c ", 1), ["a", "b c "]);
        assert!(split(" ", 3).is_empty());
    }

    #[test]
    fn shorter_rows_are_filled() {
        let attrs = [("delimiter", Attr::Str("--".into()))];
        let x = Some(strings(&[3], &["a--b--c", "--", ""]));
        let y = run_on(1, OpKind::StringSplit, &attrs, vec![x], 2).unwrap();
        let parts = y[0].as_tensor().unwrap();
        assert_eq!(parts.dims(), [3, 3]);
        assert_eq!(parts.strings().unwrap(), ["a", "b", "c", "", "", "", "", "", ""]);
        assert_eq!(elements::<i64>(&y[1]), [3, 2, 1]);
    }
}
