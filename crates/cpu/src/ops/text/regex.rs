//! RegexFullMatch.

use crate::kernel::{Call, Kernel};
use regex::{Regex, RegexBuilder};
use trident_ir::element::B8;
use trident_ir::{DType, Op};
use trident_runtime::KernelError;

/// Bytes that a compiled pattern may take.
const SIZE_LIMIT: usize = 1 << 20;

/// A pattern, compiled once; or why it is none.
pub(super) struct FullMatch(Result<Regex, String>);

impl FullMatch {
    pub(super) fn boxed(op: &Op) -> Box<dyn Kernel> {
        let pattern = op.str("pattern").unwrap_or_default();
        let compile = |p: &str| {
            RegexBuilder::new(p).size_limit(SIZE_LIMIT).build().map_err(|e| e.to_string())
        };
        // The pattern must be one by itself: `a)(b` is not, though it is inside a group.
        let whole = compile(pattern).and_then(|_| compile(&format!("\\A(?:{pattern})\\z")));
        Box::new(FullMatch(whole))
    }
}

impl Kernel for FullMatch {
    fn name(&self) -> &str {
        "regex_full_match"
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let regex = self.0.as_ref().map_err(|reason| KernelError::attr("pattern", reason))?;
        let x = call.tensor(0)?;
        let mut out = call.alloc(0, DType::Bool, x.dims())?;
        for (slot, text) in out.slice_mut::<B8>()?.iter_mut().zip(x.strings()?) {
            *slot = regex.is_match(text).into();
        }
        call.set(0, out);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, strings};
    use trident_ir::element::B8;
    use trident_ir::{Attr, OpKind};

    #[test]
    fn the_whole_string_must_match() {
        let x = || strings(&[4], &["ab", "abc", "xab", ""]);
        let go = |p: &str| {
            let attrs = [("pattern", Attr::Str(p.into()))];
            run(OpKind::RegexFullMatch, &attrs, vec![x()]).map(|y| elements::<B8>(&y))
        };
        assert_eq!(go("a|ab|abc").unwrap(), [1, 1, 0, 0].map(B8));
        assert_eq!(go("").unwrap(), [0, 0, 0, 1].map(B8));
        assert!(go("a)(b").is_err() && go("(a").is_err() && go("((a{1000}){1000}){1000}").is_err());
    }
}
