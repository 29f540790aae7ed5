//! RegexFullMatch.

use super::re2::Regex;
use crate::kernel::{Compile, Made, Prepared};
use trident_ir::DType;
use trident_ir::element::B8;
use trident_ir::ops::RegexFullMatch;
use trident_runtime::KernelError;

/// RegexFullMatch; refuses a pattern that is not valid.
pub(super) fn full_match(cx: &Compile<'_>) -> Made {
    let (op, at) = (cx.view(RegexFullMatch::of)?, RegexFullMatch::AT);
    let regex = Regex::new(op.pattern())
        .map_err(|refusal| cx.refused(KernelError::attr("pattern", refusal.to_string())))?;
    Prepared::holding(cx, regex.bytes(), move |call| {
        let x = call.tensor(at.x)?;
        let mut out = call.alloc(at.y, DType::Bool, x.dims())?;
        for (slot, text) in out.slice_mut::<B8>()?.iter_mut().zip(x.strings()?) {
            *slot = regex.is_full_match(text).into();
        }
        call.set(at.y, out);
        Ok(())
    })
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
