//! Dimensions of inputs from the command line.

use super::known;
use crate::failure::Failure;
use std::collections::BTreeMap;
use trident_engine::Signature;
use trident_ir::{Dim, ValueInfo};

/// Dimensions of inputs given as `name=1x3x224x224`, or without a name for a model's only input.
#[derive(Debug, Default)]
pub(crate) struct Shapes(BTreeMap<String, Vec<usize>>);

impl Shapes {
    /// Parses `--shape` options and checks that the names exist.
    pub(crate) fn parse(options: &[String], signature: &Signature) -> Result<Shapes, Failure> {
        let mut shapes = BTreeMap::new();
        for option in options {
            let (input, dims) = match option.rsplit_once('=') {
                Some((name, dims)) => (known(name, signature)?, dims),
                None => match signature.inputs.as_slice() {
                    [only] => (only, option.as_str()),
                    _ => {
                        let text = format!("`--shape {option}` names no input");
                        return Err(Failure::usage(text).hint(signature.hint()));
                    }
                },
            };
            let name = &input.name;
            if input.ty.as_tensor().is_none() {
                let text = format!("input `{name}` ({}) has no dimensions", input.ty);
                return Err(Failure::usage(text).hint(format!("leave `--shape {option}` out")));
            }
            let dims = parse(dims).ok_or_else(|| {
                Failure::usage(format!("`--shape {option}` is no shape"))
                    .hint("write it as name=1x3x224x224, and a scalar as name=")
            })?;
            if shapes.insert(name.clone(), dims).is_some() {
                return Err(Failure::usage(format!("the shape of input `{name}` is given twice")));
            }
        }
        Ok(Shapes(shapes))
    }

    /// The dimensions of an input: as given, else the model's own with 1 for those known only at run time.
    /// The second part tells whether some were chosen.
    pub(crate) fn of(&self, input: &ValueInfo) -> Result<(Vec<usize>, bool), Failure> {
        if let Some(dims) = self.0.get(&input.name) {
            return Ok((dims.clone(), false));
        }
        let Some(shape) = input.ty.shape() else {
            let text = format!("the shape of input `{}` ({}) is not known", input.name, input.ty);
            return Err(Failure::usage(text)
                .hint(format!("give it, for example --shape {}=1x3x224x224", input.name)));
        };
        let open = shape.iter().any(|d| d.fixed().is_none());
        Ok((shape.iter().map(|d| Dim::fixed(d).unwrap_or(1)).collect(), open))
    }

    /// Names of the inputs that have their dimensions given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// `1x3x224x224`; nothing is a scalar.
fn parse(dims: &str) -> Option<Vec<usize>> {
    if dims.is_empty() {
        return Some(vec![]);
    }
    dims.split('x').map(|d| d.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_numbers_between_crosses() {
        assert_eq!(parse("8x3x0"), Some(vec![8, 3, 0]));
        assert_eq!(parse(""), Some(vec![]));
        for wrong in ["x", "1x", "x1", "1xx2", "-1", "1,2", "1.5", "99999999999999999999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
