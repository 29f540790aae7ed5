//! Strings by reference: kernels that move elements choose a string for each place, and copies are made when all are known.

use std::ops::{Deref, DerefMut};
use trident_ir::DType;
use trident_runtime::{Charge, KernelError, Pool, StringWriter, Tensor};

/// A reference to a string for each element of a tensor, which the pool counts.
pub(crate) struct Picks<'a> {
    texts: Vec<&'a str>,
    _room: Charge,
}

impl<'a> Picks<'a> {
    /// The elements of a tensor.
    pub(crate) fn of(pool: &Pool, tensor: &'a Tensor) -> Result<Picks<'a>, KernelError> {
        let mut picks = Picks::empty(pool, tensor)?;
        picks.iter_mut().zip(tensor.strings()?).for_each(|(slot, text)| *slot = text);
        Ok(picks)
    }

    /// Empty strings, as many as a tensor has elements.
    pub(crate) fn empty(pool: &Pool, tensor: &Tensor) -> Result<Picks<'a>, KernelError> {
        let len = tensor.len();
        let room = pool.charge(len.saturating_mul(size_of::<&str>()));
        let too_large =
            || KernelError::TooLarge { dtype: DType::Str, dims: tensor.dims().to_vec() };
        Ok(Picks { _room: room.ok_or_else(too_large)?, texts: vec![""; len] })
    }

    /// Writes copies.
    pub(crate) fn write(&self, mut to: StringWriter<'_>) -> Result<(), KernelError> {
        to.extend(self.iter().copied())
    }
}

impl<'a> Deref for Picks<'a> {
    type Target = [&'a str];

    fn deref(&self) -> &[&'a str] {
        &self.texts
    }
}

impl<'a> DerefMut for Picks<'a> {
    fn deref_mut(&mut self) -> &mut [&'a str] {
        &mut self.texts
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{run_in, strings, tensor};
    use trident_ir::element::B8;
    use trident_ir::{Attr, DType, OpKind};
    use trident_runtime::{KernelError, Pool, Value};

    #[test]
    fn strings_that_do_not_fit_are_not_copied() {
        use OpKind::*;
        let long = "long ".repeat(1000);
        let text = || strings(&[2, 1], &[&long, "b"]);
        let ints = |v: &[i64]| tensor(&[v.len()], v);
        let axis = |n| ("axis", Attr::Int(n));
        let names = Attr::Strs(vec!["name ".repeat(100)]);
        let half = tensor(&[2, 1], &[B8::from(true), B8::from(false)]);
        type Case = (OpKind, Vec<(&'static str, Attr)>, Vec<Value>);
        let cases: Vec<Case> = vec![
            (Expand, vec![], vec![text(), ints(&[2, 2])]),
            (Tile, vec![], vec![text(), ints(&[1, 2])]),
            (Transpose, vec![], vec![strings(&[2, 2], &[&long, "", "", ""])]),
            (Concat, vec![axis(1)], vec![text(), text()]),
            (Gather, vec![], vec![text(), ints(&[0])]),
            (Pad, vec![], vec![text(), ints(&[1, 0, 0, 0])]),
            (
                ScatterElements,
                vec![],
                vec![text(), tensor(&[1, 1], &[1i64]), strings(&[1, 1], &["c"])],
            ),
            (Where, vec![], vec![half, text(), text()]),
            (StringConcat, vec![], vec![text(), text()]),
            (StringSplit, vec![], vec![strings(&[1], &[&long])]),
            (StringNormalizer, vec![], vec![strings(&[1], &[&long])]),
            (ArrayFeatureExtractor, vec![], vec![text(), ints(&[0])]),
            (
                LabelEncoder,
                vec![("keys_int64s", Attr::Ints(vec![1])), ("values_strings", names)],
                vec![ints(&[1; 20])],
            ),
            (Cast, vec![("to", Attr::DType(DType::Str))], vec![ints(&[i64::MAX; 100])]),
            (SplitToSequence, vec![], vec![text()]),
        ];
        for (kind, attrs, inputs) in cases {
            let pool = Pool::new().child("m");
            let run = |limit: usize| {
                pool.set_limit(limit);
                let inputs = inputs.iter().cloned().map(Some).collect();
                run_in(&pool, 1, kind, &attrs, inputs, 1)
            };
            let fits = run(0).unwrap();
            drop(fits);
            let most = pool.stats().peak;
            pool.reset_peak();
            let refused = run(4000);
            assert!(matches!(refused, Err(KernelError::TooLarge { .. })), "{kind:?}: {refused:?}");
            assert!(pool.stats().peak <= 4000 && most > 4000, "{kind:?}: {most}");
        }
    }
}
