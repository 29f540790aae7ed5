//! Inputs given on the command line: which file belongs to which input of the model, and reading it.

pub(crate) mod json;
pub(crate) mod npy;
pub(crate) mod pb;

use crate::failure::Failure;
use crate::preprocess::Preprocess;
use crate::random::Random;
use crate::render::style;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use trident_engine::Signature;
use trident_ir::{DType, Dim, Type, ValueInfo};
use trident_runtime::{Pool, Tensor, Value};

/// Dimensions of inputs given as `name=1x3x224x224`, or without a name for a model's only input.
#[derive(Debug, Default)]
pub(crate) struct Shapes(BTreeMap<String, Vec<usize>>);

impl Shapes {
    /// Parses `--shape` options and checks that the names exist.
    pub(crate) fn parse(options: &[String], signature: &Signature) -> Result<Shapes, Failure> {
        let mut shapes = BTreeMap::new();
        for option in options {
            let (name, dims) = match option.rsplit_once('=') {
                Some((name, dims)) => (known(name, signature)?, dims),
                None => match signature.inputs.as_slice() {
                    [only] => (only, option.as_str()),
                    _ => {
                        let text = format!("`--shape {option}` names no input");
                        return Err(Failure::usage(text).hint(listed(signature)));
                    }
                },
            };
            let dims = dims.split('x').filter(|d| !d.is_empty()).map(str::parse);
            let dims = dims.collect::<Result<_, _>>().map_err(|_| {
                Failure::usage(format!("`--shape {option}` is no shape"))
                    .hint("write it as name=1x3x224x224, and a scalar as name=")
            })?;
            shapes.insert(name.name.clone(), dims);
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
}

/// Options of the commands that run a model on inputs.
#[derive(clap::Args, Debug)]
pub(crate) struct InputArgs {
    /// Input as FILE, NAME=FILE or `random`; may be given several times
    #[arg(short, long, value_name = "[NAME=]FILE")]
    input: Vec<String>,
    /// Dimensions of a random input, e.g. x=8x3x224x224; may be given several times
    #[arg(short, long, value_name = "[NAME=]DIMS")]
    shape: Vec<String>,
    /// Seed of random inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

impl InputArgs {
    /// Whether no input was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.input.is_empty()
    }

    /// Reads the inputs of a model and tells what was assumed.
    pub(crate) fn read(
        &self,
        signature: &Signature,
        preprocess: &Preprocess,
    ) -> Result<Bound, Failure> {
        let shapes = Shapes::parse(&self.shape, signature)?;
        let inputs = Inputs { signature, preprocess, shapes: &shapes, seed: self.seed };
        let bound = inputs.read(&self.input)?;
        bound.print_notes();
        Ok(bound)
    }

    /// As [`InputArgs::read`], with random numbers for inputs that were not given.
    pub(crate) fn read_or_random(&self, signature: &Signature) -> Result<Bound, Failure> {
        let mut input = self.input.clone();
        input.push("random".to_owned());
        let (shape, seed) = (self.shape.clone(), self.seed);
        InputArgs { input, shape, seed }.read(signature, &Preprocess::default())
    }
}

/// Everything needed to read inputs.
struct Inputs<'a> {
    signature: &'a Signature,
    preprocess: &'a Preprocess,
    shapes: &'a Shapes,
    seed: u64,
}

/// Values by input name, and remarks about what was assumed.
#[derive(Default)]
pub(crate) struct Bound {
    values: Vec<(String, Value)>,
    notes: Vec<String>,
    /// How many of the inputs were images.
    pub(crate) images: usize,
}

impl Bound {
    /// As a session takes them.
    pub(crate) fn as_slice(&self) -> Vec<(&str, Value)> {
        self.values.iter().map(|(n, v)| (n.as_str(), v.clone())).collect()
    }

    /// Tells what was assumed, on standard error.
    fn print_notes(&self) {
        let dim = style::DIM;
        for note in &self.notes {
            anstream::eprintln!("{dim}note: {note}{dim:#}");
        }
    }

    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(n, _)| n == name)
    }
}

impl Inputs<'_> {
    /// Reads all `--input` options: `name=FILE`, `FILE` for the next input without a value, `random` for all that are
    /// left, or `name=random`.
    fn read(&self, options: &[String]) -> Result<Bound, Failure> {
        let mut bound = Bound::default();
        let mut random = Random::new(self.seed);
        let mut random_rest = false;
        for option in options {
            match self.split(option) {
                (None, "random") => random_rest = true,
                (Some(input), "random") => self.random(input, &mut random, &mut bound)?,
                (name, file) => self.file(name, file, &mut bound)?,
            }
        }
        if random_rest {
            for input in &self.signature.inputs {
                if !bound.has(&input.name) {
                    self.random(input, &mut random, &mut bound)?;
                }
            }
        }
        Ok(bound)
    }

    /// Splits `name=FILE` where the name is an input's; a path may hold `=` as well.
    fn split<'o>(&self, option: &'o str) -> (Option<&ValueInfo>, &'o str) {
        let named = self.signature.inputs.iter().find_map(|input| {
            let rest = option.strip_prefix(input.name.as_str())?.strip_prefix('=')?;
            Some((Some(input), rest))
        });
        named.unwrap_or((None, option))
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
        let (dims, chosen) = self.shapes.of(input)?;
        if chosen {
            let dims = dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            let (name, ty) = (&input.name, &input.ty);
            bound.notes.push(format!(
                "`{name}` is {ty}; using {dims} (change it by --shape {name}={dims})"
            ));
        }
        let tensor = random
            .tensor(ty.dtype, &dims)
            .map_err(|e| Failure::usage(format!("input `{}`: {e}", input.name)))?;
        bound.values.push((input.name.clone(), tensor.into()));
        Ok(())
    }

    fn file(
        &self,
        input: Option<&ValueInfo>,
        file: &str,
        bound: &mut Bound,
    ) -> Result<(), Failure> {
        let path = Path::new(file);
        if !path.exists() {
            let failure = Failure::usage(format!("there is no file `{file}`"));
            return Err(match (input, file.split_once('=')) {
                (None, Some((name, _))) => {
                    failure.hint(format!("`{name}` is no input; {}", listed(self.signature)))
                }
                _ => failure,
            });
        }
        let failed = |e: String| Failure::usage(format!("cannot read `{file}`: {e}"));
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        let extension = extension.to_ascii_lowercase();
        if extension == "npz" {
            let arrays = File::open(path).map_err(|e| e.to_string()).and_then(npy::read_npz);
            return self.named(arrays.map_err(failed)?, input, bound, |bytes, wanted| {
                npy::read(&bytes, wanted).map_err(failed)
            });
        }
        if extension == "json" {
            let text = fs::read(path).map_err(|e| failed(e.to_string()))?;
            let parsed: serde_json::Value =
                serde_json::from_slice(&text).map_err(|e| failed(e.to_string()))?;
            if let (None, serde_json::Value::Object(members)) = (input, &parsed) {
                let members = members.clone().into_iter().collect();
                return self.named(members, None, bound, |json, wanted| {
                    json::read(&json, wanted).map_err(failed)
                });
            }
            let input = self.or_next(input, file, bound)?;
            let tensor = json::read(&parsed, input.ty.dtype()).map_err(failed)?;
            bound.values.push((input.name.clone(), tensor.into()));
            return Ok(());
        }
        let input = self.or_next(input, file, bound)?;
        let value: Value = match extension.as_str() {
            "npy" => {
                let bytes = fs::read(path).map_err(|e| failed(e.to_string()))?;
                npy::read(&bytes, input.ty.dtype()).map_err(failed)?.into()
            }
            "pb" => {
                let bytes = fs::read(path).map_err(|e| failed(e.to_string()))?;
                pb::read(bytes.into(), &input.ty, &Pool::new()).map_err(failed)?
            }
            "png" | "jpg" | "jpeg" => {
                let ty = input.ty.as_tensor().ok_or_else(|| failed("not for tensors".into()))?;
                let (tensor, assumed) = self.preprocess.load(path, ty).map_err(failed)?;
                bound.images += 1;
                if !assumed.is_empty() {
                    bound.notes.push(format!(
                        "`{}` is {}; assuming --preprocess {assumed}",
                        input.name, input.ty
                    ));
                }
                tensor.into()
            }
            _ => {
                let text = format!("`{file}` is of no known kind");
                return Err(Failure::usage(text)
                    .hint("inputs are .npy, .npz, .pb, .json, .png or .jpg files, or `random`"));
            }
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
        let free = || self.signature.inputs.iter().find(|i| !bound.has(&i.name));
        input.or_else(free).ok_or_else(|| {
            let text = format!("there is no input left for `{file}`");
            Failure::usage(text).hint(listed(self.signature))
        })
    }

    /// Arrays with names of their own; those of `numpy.savez` without names go to the inputs in order. A name that
    /// no input has is left to the session, which refuses it.
    fn named<T>(
        &self,
        arrays: Vec<(String, T)>,
        input: Option<&ValueInfo>,
        bound: &mut Bound,
        read: impl Fn(T, Option<DType>) -> Result<Tensor, Failure>,
    ) -> Result<(), Failure> {
        let numbered = arrays.iter().enumerate().all(|(i, (n, _))| *n == format!("arr_{i}"));
        for (name, array) in arrays {
            let target = match input {
                Some(input) => Some(input),
                None if numbered => Some(self.or_next(None, &name, bound)?),
                None => self.signature.inputs.iter().find(|i| i.name == name),
            };
            let tensor = read(array, target.and_then(|t| t.ty.dtype()))?;
            bound.values.push((target.map_or(name, |t| t.name.clone()), tensor.into()));
        }
        Ok(())
    }
}

fn known<'s>(name: &str, signature: &'s Signature) -> Result<&'s ValueInfo, Failure> {
    signature.inputs.iter().find(|i| i.name == name).ok_or_else(|| {
        Failure::usage(format!("the model has no input `{name}`")).hint(listed(signature))
    })
}

/// The model's inputs in words.
pub(crate) fn listed(signature: &Signature) -> String {
    let inputs: Vec<String> =
        signature.inputs.iter().map(|i| format!("{}: {}", i.name, i.ty)).collect();
    match inputs.as_slice() {
        [] => "the model takes no inputs".into(),
        inputs => format!("the model's inputs are {}", inputs.join(", ")),
    }
}
