//! StringSplit.

use crate::kernel::Call;
use trident_ir::DType;
use trident_runtime::KernelError;

/// Parts between runs of white space; the last takes what is left after `limit` cuts.
fn by_whitespace(text: &str, limit: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text.trim_start());
    while !rest.is_empty() {
        if parts.len() == limit {
            parts.push(rest);
            break;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        parts.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    parts
}

/// StringSplit.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    // A negative limit is none.
    let limit = call.op.int("maxsplit").and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    let delimiter = call.op.str("delimiter").unwrap_or_default();
    let split = |text| -> Vec<&str> {
        match delimiter {
            "" => by_whitespace(text, limit),
            _ => str::splitn(text, limit.saturating_add(1), delimiter).collect(),
        }
    };
    let parts: Vec<Vec<&str>> = x.strings()?.iter().map(|s| split(s.as_str())).collect();
    let most = parts.iter().map(Vec::len).max().unwrap_or(0);
    // One string with many parts makes room for as many in every row: ask the pool first.
    call.temp(DType::F64, &[parts.len(), most, 3])?;
    let dims = [x.dims(), &[most]].concat();
    let mut out = call.alloc(0, DType::Str, &dims)?;
    for (row, parts) in out.strings_mut()?.chunks_mut(most.max(1)).zip(&parts) {
        for (slot, part) in row.iter_mut().zip(parts.iter().chain(std::iter::repeat(&""))) {
            slot.clear();
            slot.push_str(part);
        }
    }
    call.set(0, out);
    if call.wants(1) {
        let mut counts = call.alloc(1, DType::I64, x.dims())?;
        for (slot, parts) in counts.slice_mut::<i64>()?.iter_mut().zip(&parts) {
            *slot = parts.len() as i64;
        }
        call.set(1, counts);
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
        assert_eq!(by_whitespace("  a  b\tc ", usize::MAX), ["a", "b", "c"]);
        assert_eq!(by_whitespace(" a  b c ", 1), ["a", "b c "]);
        assert!(by_whitespace(" ", 3).is_empty());
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
