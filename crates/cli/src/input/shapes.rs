//! Dimensions of inputs from the command line.

use super::known;
use crate::failure::Failure;
use std::collections::BTreeMap;
use std::sync::Arc;
use trident_engine::Signature;
use trident_ir::{Dim, ValueInfo};

/// Dimensions of inputs given as `name=1x3x224x224`, or without a name for a model's only input.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    given: BTreeMap<String, Vec<usize>>,
    sizes: Sizes,
}

/// Sizes of dimensions by their names, which all inputs share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes(BTreeMap<Arc<str>, usize>);

impl Sizes {
    /// Takes in the sizes that the named dimensions of an input have.
    pub(super) fn add(&mut self, input: &ValueInfo, dims: &[usize]) {
        for (dim, size) in input.ty.shape().into_iter().flatten().zip(dims) {
            if let Dim::Sym(name) = dim {
                self.0.entry(Arc::clone(name)).or_insert(*size);
            }
        }
    }

    fn get(&self, dim: &Dim) -> Option<usize> {
        match dim {
            Dim::Sym(name) => self.0.get(name).copied(),
            dim => dim.fixed(),
        }
    }
}

impl Shapes {
    /// Parses `--shape` options and checks that the names exist.
    pub(crate) fn parse(options: &[String], signature: &Signature) -> Result<Shapes, Failure> {
        let (mut given, mut sizes) = (BTreeMap::new(), Sizes::default());
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
            sizes.add(input, &dims);
            if given.insert(name.clone(), dims).is_some() {
                return Err(Failure::usage(format!("the shape of input `{name}` is given twice")));
            }
        }
        Ok(Shapes { given, sizes })
    }

    /// Sizes of the dimensions that have names in the shapes given.
    pub(crate) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The dimensions of an input: as given, else the model's own, with 1 where these sizes do not tell those known only at
    /// run time. The second part tells whether some were chosen.
    pub(crate) fn of(
        &self,
        input: &ValueInfo,
        sizes: &Sizes,
    ) -> Result<(Vec<usize>, bool), Failure> {
        if let Some(dims) = self.given.get(&input.name) {
            return Ok((dims.clone(), false));
        }
        let Some(shape) = input.ty.shape() else {
            let text = format!("the shape of input `{}` ({}) is not known", input.name, input.ty);
            return Err(Failure::usage(text)
                .hint(format!("give it, for example --shape {}=1x3x224x224", input.name)));
        };
        let open = shape.iter().any(|d| sizes.get(d).is_none());
        Ok((shape.iter().map(|d| sizes.get(d).unwrap_or(1)).collect(), open))
    }

    /// Names of the inputs that have their dimensions given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.given.keys().map(String::as_str)
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
    use trident_ir::{DType, Type};

    #[test]
    fn dimensions_of_one_name_have_one_size() {
        let info = |name: &str, dims: &[Dim]| ValueInfo {
            name: name.into(),
            ty: Type::tensor(DType::F32, dims.to_vec()),
        };
        let (n, m) = (Dim::sym("n"), Dim::sym("m"));
        let inputs = vec![info("a", &[n.clone(), 2.into()]), info("b", &[m, n, Dim::Unknown])];
        let signature = Signature { inputs, optional: vec![], outputs: vec![] };
        let shapes = Shapes::parse(&["a=3x2".into()], &signature).unwrap();
        let b = &signature.inputs[1];
        assert_eq!(shapes.of(b, shapes.sizes()).unwrap(), (vec![1, 3, 1], true));
        let mut sizes = shapes.sizes().clone();
        sizes.add(b, &[5, 9, 7]);
        assert_eq!(shapes.of(b, &sizes).unwrap(), (vec![5, 3, 1], true));
        assert_eq!(shapes.of(&signature.inputs[0], &sizes).unwrap(), (vec![3, 2], false));
    }

    #[test]
    fn shapes_are_numbers_between_crosses() {
        assert_eq!(parse("8x3x0"), Some(vec![8, 3, 0]));
        assert_eq!(parse(""), Some(vec![]));
        for wrong in ["x", "1x", "x1", "1xx2", "-1", "1,2", "1.5", "99999999999999999999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
