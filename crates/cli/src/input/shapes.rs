//! Dimensions of inputs from the command line.
//!
//! `--shape` takes the name of an input with its dimensions, or the name of a dimension with its size. Where an input and a dimension
//! share a name, the name means the input.

use super::unknown;
use crate::failure::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use trident_engine::Signature;
use trident_ir::{Dim, ValueInfo};

/// Dimensions of inputs given as `name=1x3x224x224`, or without a name for a model's only input, and sizes of dimensions given by
/// their names as `batch=8`.
#[derive(Debug, Default)]
pub(crate) struct Shapes {
    given: BTreeMap<String, Vec<usize>>,
    named: BTreeMap<Arc<str>, usize>,
    /// All sizes that follow from both.
    sizes: Sizes,
    /// The size of open dimensions other than an input's first; `None` is 1.
    assumed: Option<usize>,
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
    /// Parses `--shape` options and checks that the names exist and that the sizes agree.
    pub(crate) fn parse(options: &[String], signature: &Signature) -> Result<Shapes, Failure> {
        let mut shapes = Shapes::default();
        for option in options {
            match option.rsplit_once('=') {
                Some((name, dims)) => match (signature.find(name), dimension(name, signature)) {
                    (Some(input), dim) => shapes.add_input(option, input, dims, dim.is_some())?,
                    (None, Some(dim)) => shapes.add_dimension(option, dim, dims)?,
                    (None, None) => return Err(unknown_name(name, signature)),
                },
                None => match signature.inputs.as_slice() {
                    [only] => shapes.add_input(option, only, option, false)?,
                    _ => {
                        let text = format!("`--shape {option}` names no input");
                        return Err(Failure::usage(text).hint(signature.hint()));
                    }
                },
            }
        }
        for (name, dims) in &shapes.given {
            let shape = signature.find(name).and_then(|input| input.ty.shape());
            for (dim, size) in shape.into_iter().flatten().zip(dims) {
                if let Dim::Sym(dim) = dim
                    && let Some(named) = shapes.named.get(dim)
                    && named != size
                {
                    return Err(Failure::usage(format!(
                        "--shape makes the dimension `{dim}` {named}, and {size} in input `{name}`"
                    ))
                    .hint("give it one size"));
                }
            }
        }
        Ok(shapes)
    }

    /// Adds `name=1x3x224x224` of an input; `shared` says that a dimension has the same name.
    fn add_input(
        &mut self,
        option: &str,
        input: &ValueInfo,
        dims: &str,
        shared: bool,
    ) -> Result<(), Failure> {
        let name = &input.name;
        if input.ty.as_tensor().is_none() {
            let text = format!("input `{name}` ({}) has no dimensions", input.ty);
            return Err(Failure::usage(text).hint(format!("leave `--shape {option}` out")));
        }
        let dims = parse(dims).ok_or_else(|| {
            Failure::usage(format!("`--shape {option}` is not a shape"))
                .hint("write it as name=1x3x224x224, and a scalar as name=")
        })?;
        let rank = input.ty.shape().map(|shape| shape.len());
        if shared && dims.len() == 1 && rank.is_some_and(|rank| rank != 1) {
            let text = format!(
                "`{name}` is an input and a dimension, and `--shape {option}` means the input ({})",
                input.ty
            );
            let hint = "give all dimensions of an input that has the dimension";
            return Err(Failure::usage(text).hint(hint));
        }
        self.sizes.add(input, &dims);
        if self.given.insert(name.clone(), dims).is_some() {
            return Err(Failure::usage(format!("the shape of input `{name}` is given twice")));
        }
        Ok(())
    }

    /// Takes in `batch=8`.
    fn add_dimension(&mut self, option: &str, dim: &Arc<str>, size: &str) -> Result<(), Failure> {
        let size = size.parse().map_err(|_| {
            Failure::usage(format!("`--shape {option}`: `{dim}` is a dimension and takes one size"))
                .hint(format!("write it as {dim}=8"))
        })?;
        self.sizes.0.insert(Arc::clone(dim), size);
        if self.named.insert(Arc::clone(dim), size).is_some() {
            return Err(Failure::usage(format!("the size of dimension `{dim}` is given twice")));
        }
        Ok(())
    }

    /// Sizes of dimensions that were given by name, or that follow from the shapes given.
    pub(crate) fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// Takes another size than 1 for dimensions that nothing determines. The first dimension of an input stays 1: it is most
    /// often the batch. `None` is 1 again.
    pub(super) fn assume(&mut self, size: Option<usize>) {
        self.assumed = size;
    }

    /// The dimensions of an input: as given, else the model's own. Dimensions known only at run time are 1, or of the
    /// assumed size, unless these sizes determine them. The second part says whether some were chosen so.
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
        let assumed = |axis: usize| self.assumed.filter(|_| axis > 0).unwrap_or(1);
        let size = |(axis, dim)| sizes.get(dim).unwrap_or_else(|| assumed(axis));
        Ok((shape.iter().enumerate().map(size).collect(), open))
    }

    /// Names of dimensions that have their sizes given.
    pub(crate) fn dimensions(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(|name| &**name)
    }

    /// Names of the inputs that have their dimensions given.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.given.keys().map(String::as_str)
    }
}

/// Names of the dimensions of all inputs, each once.
fn dimensions(signature: &Signature) -> BTreeSet<&Arc<str>> {
    let dims = signature.all().filter_map(|input| input.ty.shape()).flatten();
    let names = dims.filter_map(|dim| match dim {
        Dim::Sym(name) => Some(name),
        Dim::Fixed(_) | Dim::Unknown => None,
    });
    names.collect()
}

fn dimension<'s>(name: &str, signature: &'s Signature) -> Option<&'s Arc<str>> {
    dimensions(signature).into_iter().find(|dim| &***dim == name)
}

/// Whether an input has a dimension of this name.
pub(super) fn has_dimension(input: &ValueInfo, name: &str) -> bool {
    let mut dims = input.ty.shape().into_iter().flatten();
    dims.any(|dim| matches!(dim, Dim::Sym(symbol) if &**symbol == name))
}

/// The failure for a name that neither an input nor a dimension has.
fn unknown_name(name: &str, signature: &Signature) -> Failure {
    let dims: Vec<String> =
        dimensions(signature).into_iter().map(|dim| format!("`{dim}`")).collect();
    if dims.is_empty() {
        return unknown(name, signature);
    }
    let text = format!("the model has no input and no dimension `{name}`");
    let (inputs, dims) = (signature.hint(), dims.join(", "));
    Failure::usage(text).hint(format!("{inputs}; the names of dimensions are {dims}"))
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
        let mut assuming = Shapes::parse(&["n=3".into()], &signature).unwrap();
        assuming.assume(Some(32));
        assert_eq!(assuming.of(b, assuming.sizes()).unwrap(), (vec![1, 3, 32], true));
        sizes.add(b, &[5, 9, 7]);
        assert_eq!(shapes.of(b, &sizes).unwrap(), (vec![5, 3, 1], true));
        assert_eq!(shapes.of(&signature.inputs[0], &sizes).unwrap(), (vec![3, 2], false));
    }

    #[test]
    fn a_dimension_is_given_by_its_name() {
        let info = |name: &str, dims: &[Dim]| ValueInfo {
            name: name.into(),
            ty: Type::tensor(DType::F32, dims.to_vec()),
        };
        let (n, m) = (Dim::sym("batch"), Dim::sym("m"));
        let inputs = vec![
            info("a", &[n.clone(), 2.into()]),
            info("b", &[m.clone(), n.clone()]),
            info("m", &[m, 4.into()]),
        ];
        let signature = Signature { inputs, optional: vec![], outputs: vec![] };
        let parsed = |options: &[&str]| {
            let options: Vec<String> = options.iter().map(|&option| option.into()).collect();
            Shapes::parse(&options, &signature)
        };
        let of =
            |shapes: &Shapes, i: usize| shapes.of(&signature.inputs[i], shapes.sizes()).unwrap().0;
        let shapes = parsed(&["batch=8"]).unwrap();
        assert_eq!([of(&shapes, 0), of(&shapes, 1)], [[8, 2], [1, 8]]);
        assert_eq!(shapes.dimensions().collect::<Vec<_>>(), ["batch"]);
        // The same size twice over is not a conflict, in either order; `m` is the input.
        for options in [["batch=8", "a=8x2"], ["a=8x2", "batch=8"]] {
            assert_eq!(of(&parsed(&options).unwrap(), 1), [1, 8]);
        }
        assert_eq!(of(&parsed(&["m=3x4", "batch=0"]).unwrap(), 1), [3, 0]);
        let told = |options: &[&str]| parsed(options).unwrap_err().message();
        let conflict = "--shape makes the dimension `batch` 8, and 3 in input `a`";
        assert_eq!(told(&["batch=8", "a=3x2"]), conflict);
        assert_eq!(told(&["a=3x2", "batch=8"]), conflict);
        assert_eq!(told(&["batch=8", "batch=8"]), "the size of dimension `batch` is given twice");
        let one = "`--shape batch=8x2`: `batch` is a dimension and takes one size";
        assert_eq!(told(&["batch=8x2"]), one);
        assert!(told(&["batch="]).ends_with("takes one size"));
        assert!(told(&["m=3"]).starts_with("`m` is an input and a dimension, and `--shape m=3`"));
        assert_eq!(told(&["bach=8"]), "the model has no input and no dimension `bach`");
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
