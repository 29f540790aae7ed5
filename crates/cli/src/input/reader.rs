//! Which file belongs to which input of the model.

use super::turns::{ENDINGS, ending};
use super::{Bound, Shapes, json, known, npy, pb, unknown};
use crate::failure::Failure;
use crate::limits::{Limits, tensor_bytes};
use crate::preprocess;
use crate::random::Random;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use trident_engine::{Session, Signature};
use trident_image_steps::ImageSteps;
use trident_ir::dtype::Class;
use trident_ir::{DType, Type, ValueInfo};
use trident_runtime::{Tensor, Value};

/// Everything needed to read inputs.
pub(super) struct Reader<'a> {
    pub(super) session: &'a Session,
    /// How images become tensors, if not as the model says.
    pub(super) steps: Option<&'a ImageSteps>,
    pub(super) shapes: &'a Shapes,
    pub(super) seed: u64,
    /// Limits that random inputs share with the others.
    pub(super) limits: &'a Limits,
}

impl Reader<'_> {
    fn signature(&self) -> &Signature {
        self.session.signature()
    }

    /// Reads all `--input` options: `name=FILE`, `FILE` for the next input without a value, `random` for all that are
    /// left, or `name=random`. With `fill` those that are left are random anyway.
    pub(super) fn read(&self, options: &[String], fill: bool) -> Result<Bound, Failure> {
        let mut bound = Bound::default();
        let mut random = Random::new(self.seed);
        let mut random_rest = false;
        for option in options {
            match self.split(option)? {
                (None, "random") => random_rest = true,
                (Some(input), "random") => self.random(input, &mut random, &mut bound)?,
                (input, file) => self.file(input, file, &mut bound)?,
            }
        }
        if random_rest {
            self.or_next(None, "random", &bound)?;
        }
        if random_rest || fill {
            for input in &self.signature().inputs {
                if !bound.has(&input.name) {
                    self.random(input, &mut random, &mut bound)?;
                }
            }
        }
        Ok(bound)
    }

    /// Splits `name=FILE` where the name is an input's; a path may hold `=` as well, and so may a name.
    fn split<'s, 'o>(
        &'s self,
        option: &'o str,
    ) -> Result<(Option<&'s ValueInfo>, &'o str), Failure> {
        let named = self.signature().all().filter_map(|input| {
            let rest = option.strip_prefix(input.name.as_str())?.strip_prefix('=')?;
            Some((Some(input), rest))
        });
        if let Some(longest) = named.max_by_key(|(input, _)| input.map_or(0, |i| i.name.len())) {
            return Ok(longest);
        }
        match option.split_once('=') {
            Some((name, _)) if !Path::new(option).exists() => Err(unknown(name, self.signature())),
            _ => Ok((None, option)),
        }
    }

    fn random(
        &self,
        input: &ValueInfo,
        random: &mut Random,
        bound: &mut Bound,
    ) -> Result<(), Failure> {
        let Some(ty) = input.ty.as_tensor() else {
            if matches!(input.ty, Type::Optional(_)) {
                return Ok(());
            }
            let text = format!("input `{}` ({}) cannot be random", input.name, input.ty);
            return Err(Failure::usage(text).hint("give it as a .pb file"));
        };
        let mut sizes = self.shapes.sizes().clone();
        let mut taken = 0usize;
        for (name, value) in &bound.values {
            taken = taken.saturating_add(value.size());
            if let (Some(input), Some(tensor)) = (self.signature().find(name), value.as_tensor()) {
                sizes.add(input, tensor.dims());
            }
        }
        let (dims, chosen) = self.shapes.of(input, &sizes)?;
        if chosen {
            bound.has_open = true;
            let dims = dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            let (name, ty) = (&input.name, &input.ty);
            bound.notes.push(format!(
                "`{name}` is {ty}; using {dims} (change it by --shape {name}={dims})"
            ));
        }
        let what = format!("input `{}`, {},", input.name, Type::fixed(ty.dtype, &dims));
        let bytes = tensor_bytes(ty.dtype, &dims).ok_or_else(|| {
            Failure::usage(format!("{what} would take more bytes than a memory can hold"))
                .hint("give it smaller dimensions by --shape")
        })?;
        let before = if taken > 0 { " with the inputs before it" } else { "" };
        self.limits.admit(taken.saturating_add(bytes), &format!("{what}{before}"))?;
        let tensor = random
            .tensor(self.session.pool(), ty.dtype, &dims)
            .map_err(|e| Failure::usage(format!("input `{}`: {e}", input.name)))?;
        bound.random.push(input.name.clone());
        bound.values.push((input.name.clone(), tensor.into()));
        Ok(())
    }

    fn file(
        &self,
        input: Option<&ValueInfo>,
        file: &str,
        bound: &mut Bound,
    ) -> Result<(), Failure> {
        let (path, pool) = (Path::new(file), self.session.pool());
        let extension = ending(path);
        if path.exists() && !ENDINGS.contains(&extension.as_str()) {
            let text = format!("the kind of `{file}` is unknown");
            return Err(Failure::usage(text)
                .hint("inputs are .npy, .npz, .pb, .json, .png or .jpg files, or `random`"));
        }
        let unreadable = |e: String| Failure::usage(format!("cannot read `{file}`: {e}"));
        let unopened = |e: io::Error| match e.kind() {
            io::ErrorKind::NotFound => Failure::usage(format!("there is no file `{file}`")),
            _ => unreadable(e.to_string()),
        };
        if extension == "npz" {
            let arrays = npy::read_npz(File::open(path).map_err(unopened)?).map_err(unreadable)?;
            return self.arrays(arrays, input, file, bound, |bytes, wanted| {
                npy::read(pool, bytes, wanted)
            });
        }
        let bytes = fs::read(path).map_err(unopened)?;
        if extension == "json" {
            let document = json::parse(&bytes).map_err(unreadable)?;
            return match (input, document) {
                (None, json::Document::Object(members)) => {
                    let read = |array: &_, wanted| json::read(pool, array, wanted);
                    self.arrays(members, None, file, bound, read)
                }
                (input, document) => {
                    self.array(input, file, bound, |wanted| json::read(pool, &document, wanted))
                }
            };
        }
        if extension == "npy" {
            return self.array(input, file, bound, |wanted| npy::read(pool, &bytes, wanted));
        }
        let input = self.or_next(input, file, bound)?;
        let failed = |e: String| cannot_read(file, input, &e);
        let value: Value = if extension == "pb" {
            if bytes.is_empty() && !matches!(input.ty, Type::Optional(_) | Type::Seq(_)) {
                return Err(failed("it is empty".into()));
            }
            pb::read(bytes.into(), &input.ty, pool).map_err(failed)?
        } else {
            let ty = input.ty.as_tensor().ok_or_else(|| {
                failed(format!("an image does not fit an input of type {}", input.ty))
            })?;
            let steps = match self.steps {
                Some(steps) => steps.clone(),
                None => preprocess::own(self.session.metadata())?,
            };
            let (tensor, notes) = preprocess::load(&steps, pool, &bytes, ty).map_err(failed)?;
            bound.images += 1;
            let notes =
                notes.iter().map(|note| format!("`{}` is {}; {note}", input.name, input.ty));
            bound.notes.extend(notes);
            tensor.into()
        };
        bound.values.push((input.name.clone(), value));
        Ok(())
    }

    /// The input named, or the first that has no value yet.
    fn or_next<'s>(
        &'s self,
        input: Option<&'s ValueInfo>,
        file: &str,
        bound: &Bound,
    ) -> Result<&'s ValueInfo, Failure> {
        let free = || self.signature().inputs.iter().find(|i| !bound.has(&i.name));
        input.or_else(free).ok_or_else(|| {
            let text = format!("there is no input left for `{file}`");
            Failure::usage(text).hint(self.signature().hint())
        })
    }

    /// An array that is a whole file.
    fn array(
        &self,
        input: Option<&ValueInfo>,
        file: &str,
        bound: &mut Bound,
        read: impl Fn(Option<DType>) -> Result<Tensor, String>,
    ) -> Result<(), Failure> {
        let input = self.or_next(input, file, bound)?;
        let Some(dtype) = element_type(&input.ty) else {
            let text =
                format!("input `{}` ({}) is not a tensor, as `{file}` is", input.name, input.ty);
            return Err(Failure::usage(text).hint("give it as a .pb file"));
        };
        let tensor = read(Some(dtype)).map_err(|e| cannot_read(file, input, &e))?;
        same_type(input, dtype, file, &tensor)?;
        bound.values.push((input.name.clone(), tensor.into()));
        Ok(())
    }

    /// Named arrays. Arrays of `numpy.savez` without names are assigned to the inputs in order. A named input takes the
    /// only array of the file.
    fn arrays<T>(
        &self,
        arrays: Vec<(String, T)>,
        input: Option<&ValueInfo>,
        file: &str,
        bound: &mut Bound,
        read: impl Fn(&T, Option<DType>) -> Result<Tensor, String>,
    ) -> Result<(), Failure> {
        let names = || arrays.iter().map(|(n, _)| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        match (input, arrays.len()) {
            (_, 0) => return Err(Failure::usage(format!("`{file}` holds no arrays"))),
            (Some(input), 2..) => {
                let text = format!("`{file}` holds {}, input `{}` takes one", names(), input.name);
                let hint = format!("give the file without `{}=`, or one of its arrays", input.name);
                return Err(Failure::usage(text).hint(hint));
            }
            _ => {}
        }
        let numbered = arrays.iter().enumerate().all(|(i, (n, _))| *n == format!("arr_{i}"));
        for (name, array) in &arrays {
            let from = format!("{file}[{name}]");
            let target = match input {
                Some(input) => input,
                None if numbered && known(name, self.signature()).is_err() => {
                    self.or_next(None, &from, bound)?
                }
                None => known(name, self.signature()).map_err(|e| e.within(file))?,
            };
            self.array(Some(target), &from, bound, |wanted| read(array, wanted))?;
        }
        Ok(())
    }
}

fn cannot_read(file: &str, input: &ValueInfo, why: &str) -> Failure {
    Failure::usage(format!("cannot read `{file}` for input `{}`: {why}", input.name))
}

/// The element type of a tensor, which may be optional.
fn element_type(ty: &Type) -> Option<DType> {
    match ty {
        Type::Tensor(t) => Some(t.dtype),
        Type::Optional(inner) => element_type(inner),
        _ => None,
    }
}

/// Refuses elements of another type than the input's, and says how to convert them.
fn same_type(
    input: &ValueInfo,
    expected: DType,
    file: &str,
    tensor: &Tensor,
) -> Result<(), Failure> {
    let (actual, name) = (tensor.dtype(), &input.name);
    if actual == expected {
        return Ok(());
    }
    let complex = |d: DType| d.class() == Class::Complex;
    let part = if complex(actual) && !complex(expected) { ".real" } else { "" };
    let text = format!("input `{name}` has element type {actual} in `{file}`, expected {expected}");
    let convert = format!("array{part}.astype({})", npy::numpy_name(expected));
    Err(Failure::usage(text).hint(format!("convert it in NumPy before saving it: `{convert}`")))
}
