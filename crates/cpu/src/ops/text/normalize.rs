//! StringNormalizer.

use crate::kernel::{Call, Compile, Made, Prepared};
use std::collections::HashSet;
use trident_ir::DType;
use trident_ir::op::words::CaseChange;
use trident_ir::ops::StringNormalizer;
use trident_runtime::KernelError;

/// Stop words, and the change of the words that are left.
struct Normalizer {
    sensitive: bool,
    stops: HashSet<String>,
    change: fn(&str) -> String,
}

/// StringNormalizer: stop words are dropped, then the case is changed by Unicode's rules, whatever the locale.
pub(super) fn normalizer(cx: &Compile<'_>) -> Made {
    let op = cx.view(StringNormalizer::of)?;
    let change: fn(&str) -> String = match op.case_change_action() {
        CaseChange::None => str::to_owned,
        CaseChange::Lower => str::to_lowercase,
        CaseChange::Upper => str::to_uppercase,
    };
    let (sensitive, stops) = (op.is_case_sensitive(), HashSet::new());
    let mut normalizer = Normalizer { sensitive, stops, change };
    let stops = op.stopwords().unwrap_or_default().iter().map(|s| normalizer.key(s)).collect();
    normalizer.stops = stops;
    let bytes: usize = normalizer.stops.iter().map(|s| size_of::<String>() + s.len()).sum();
    Prepared::holding(cx, bytes, move |call| normalizer.run(call))
}

impl Normalizer {
    /// A word as stop words are compared.
    fn key(&self, s: &str) -> String {
        if self.sensitive { s.to_owned() } else { s.to_lowercase() }
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let at = StringNormalizer::AT;
        let x = call.tensor(at.x)?;
        let batched = match x.dims() {
            [_] => false,
            [1, _] => true,
            other => {
                return Err(KernelError::shape(format!(
                    "the input has dimensions {other:?}, expected [C] or [1, C]"
                )));
            }
        };
        let keeps = |s: &&String| self.stops.is_empty() || !self.stops.contains(&self.key(s));
        let words: Vec<&String> = x.strings()?.iter().filter(keeps).collect();
        // Without a word there is one empty string.
        let count = words.len().max(1);
        let dims = if batched { vec![1, count] } else { vec![count] };
        let mut out = call.alloc(at.y, DType::Str, &dims)?;
        let mut to = out.write_strings()?;
        for word in words {
            to.push(&[&(self.change)(word)])?;
        }
        call.set(at.y, out);
        Ok(())
    }
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
