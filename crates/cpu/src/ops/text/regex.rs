//! RegexFullMatch.

use super::re2::Regex;
use crate::kernel::{Call, Compile, Kernel};
use trident_ir::DType;
use trident_ir::element::B8;
use trident_runtime::{Declined, KernelError};

/// A pattern, compiled once.
pub(super) struct FullMatch(Regex);

impl FullMatch {
    /// Refuses the op if its pattern is not valid.
    pub(super) fn boxed(cx: &Compile<'_>) -> Result<Box<dyn Kernel>, Declined> {
        let pattern = cx.op.str("pattern").unwrap_or_default();
        let regex = Regex::new(pattern).map_err(|refusal| {
            cx.declined(KernelError::attr("pattern", refusal.to_string()).to_string())
        })?;
        Ok(Box::new(FullMatch(regex)))
    }
}

impl Kernel for FullMatch {
    fn name(&self) -> &str {
        "regex_full_match"
    }

    fn run(&self, call: &mut Call<'_, '_>) -> Result<(), KernelError> {
        let x = call.tensor(0)?;
        let mut out = call.alloc(0, DType::Bool, x.dims())?;
        for (slot, text) in out.slice_mut::<B8>()?.iter_mut().zip(x.strings()?) {
            *slot = self.0.is_full_match(text).into();
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
