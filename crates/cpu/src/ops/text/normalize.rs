//! StringNormalizer.

use crate::kernel::Call;
use std::collections::HashSet;
use trident_ir::DType;
use trident_runtime::KernelError;

/// StringNormalizer: stop words are dropped, then the case is changed by Unicode's rules, whatever the locale.
pub(super) fn run(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(0)?;
    let batched = match x.dims() {
        [_] => false,
        [1, _] => true,
        other => return Err(KernelError::shape(format!("{other:?} is neither [C] nor [1, C]"))),
    };
    let sensitive = call.op.flag("is_case_sensitive");
    let key = |s: &str| if sensitive { s.to_owned() } else { s.to_lowercase() };
    let stops: HashSet<String> =
        call.op.strs("stopwords").unwrap_or_default().iter().map(|s| key(s)).collect();
    let change: fn(&str) -> String = match call.op.str("case_change_action") {
        Some("NONE") | None => str::to_owned,
        Some("LOWER") => str::to_lowercase,
        Some("UPPER") => str::to_uppercase,
        Some(other) => {
            return Err(KernelError::attr("case_change_action", format!("unknown: {other}")));
        }
    };
    let keeps = |s: &&String| stops.is_empty() || !stops.contains(&key(s));
    let words: Vec<&String> = x.strings()?.iter().filter(keeps).collect();
    // Without a word there is one empty string.
    let count = words.len().max(1);
    let dims = if batched { vec![1, count] } else { vec![count] };
    let mut out = call.alloc(0, DType::Str, &dims)?;
    let mut to = out.write_strings()?;
    for word in words {
        to.push(&[&change(word)])?;
    }
    call.set(0, out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::{run, strings};
    use trident_ir::{Attr, OpKind};

    #[test]
    fn stop_words_and_case() {
        let go = |action: &str, sensitive: i64, stops: &[&str]| {
            let attrs = [
                ("case_change_action", Attr::Str(action.into())),
                ("is_case_sensitive", Attr::Int(sensitive)),
                ("stopwords", Attr::Strs(stops.iter().map(|s| s.to_string()).collect())),
            ];
            let x = strings(&[1, 3], &["Monday", "straße", "friday"]);
            let y = run(OpKind::StringNormalizer, &attrs, vec![x]).unwrap();
            let y = y.as_tensor().unwrap();
            assert_eq!(y.dims(), [1, y.len()]);
            y.strings().unwrap().to_vec()
        };
        assert_eq!(go("UPPER", 0, &["MONDAY"]), ["STRASSE", "FRIDAY"]);
        assert_eq!(go("LOWER", 1, &["monday"]), ["monday", "straße", "friday"]);
        assert_eq!(go("NONE", 0, &["monday", "Straße", "friday"]), [""]);
    }
}
