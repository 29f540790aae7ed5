//! Inputs given on the command line: which file belongs to which input of the model, and reading it.

pub(crate) mod json;
pub(crate) mod npy;
pub(crate) mod pb;
mod planned;
mod reader;
#[cfg(test)]
mod round_trip;
mod shapes;
mod turns;

pub(crate) use planned::Planned;
pub(crate) use shapes::Shapes;
pub(crate) use turns::Turn;

use crate::failure::Failure;
use crate::limits::Limits;
use crate::render::{escape, style};
use reader::Reader;
use std::str::FromStr;
use trident_engine::{Session, Signature};
use trident_image_steps::ImageSteps;
use trident_ir::ValueInfo;
use trident_runtime::Value;

/// Options of the commands that run a model on inputs.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct InputArgs {
    /// Input of the model: FILE, NAME=FILE or `random`; may be given several times
    #[arg(short, long, value_name = "[NAME=]FILE")]
    input: Vec<String>,
    /// Dimensions of a random input, e.g. x=8x3x224x224, or size of a named dimension, e.g. batch=8; may be given several times
    #[arg(short, long, value_name = "[NAME=]DIMS")]
    shape: Vec<String>,
    /// Seed of random inputs [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: Option<u64>,
}

impl InputArgs {
    /// Whether no input was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.input.is_empty()
    }

    /// The seed of random numbers.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.unwrap_or(0)
    }

    /// Which of the options were given that a kernel has no use for.
    pub(crate) fn of_models(&self) -> Vec<&'static str> {
        let given = [("--input", !self.input.is_empty()), ("--shape", !self.shape.is_empty())];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// Whether a seed was given.
    pub(crate) fn has_seed(&self) -> bool {
        self.seed.is_some()
    }

    /// Reads the inputs of a model and reports assumptions. Images go through these preprocessing steps, or the model's
    /// own. Inputs that are not given are random if `fill`. Where a model cannot run on random inputs whose open dimensions
    /// are 1, these dimensions get a larger size, as in [`Planned`].
    pub(crate) fn read(
        &self,
        session: &Session,
        steps: Option<&ImageSteps>,
        limits: &Limits,
        fill: bool,
    ) -> Result<Bound, Failure> {
        let bound = self.read_silently(session, steps, limits, fill)?;
        bound.notes().iter().for_each(|note| print_note(note));
        Ok(bound)
    }

    /// The same, without telling what was assumed.
    pub(crate) fn read_silently(
        &self,
        session: &Session,
        steps: Option<&ImageSteps>,
        limits: &Limits,
        fill: bool,
    ) -> Result<Bound, Failure> {
        let mut shapes = Shapes::parse(&self.shape, session.signature())?;
        let read = |shapes: &Shapes| {
            let reader = Reader { session, steps, shapes, seed: self.seed(), limits };
            reader.read(&self.input, fill)
        };
        let mut bound = read(&shapes)?;
        // Where no size is found, the run says what is wrong.
        if bound.has_open
            && let Ok(planned) = Planned::of(session, &mut shapes, &bound.given_dims(), false)
            && planned.assumed.is_some()
        {
            bound = read(&shapes)?;
        }
        let is_random = |name: &str| bound.random.iter().any(|random| random == name);
        if let Some(name) = shapes.names().find(|name| !is_random(name)) {
            let text = format!("--shape is for random inputs, and input `{name}` is not random");
            return Err(Failure::usage(text).hint(format!(
                "a file has dimensions of its own; `--input {name}=random` makes the input random"
            )));
        }
        let random = bound.random.iter().filter_map(|name| session.signature().find(name));
        let random: Vec<&ValueInfo> = random.collect();
        let unused = |dim: &&str| !random.iter().any(|input| shapes::has_dimension(input, dim));
        if let Some(dim) = shapes.dimensions().find(unused) {
            let text = format!("--shape is for random inputs, and none has the dimension `{dim}`");
            return Err(Failure::usage(text).hint("a file has dimensions of its own"));
        }
        if self.seed.is_some() && bound.random.is_empty() {
            return Err(Failure::usage(
                "--seed is for random inputs, and no input is random; leave it out",
            ));
        }
        Ok(bound)
    }
}

/// Values by input name, and remarks about what was assumed.
#[derive(Default)]
pub(crate) struct Bound {
    values: Vec<(String, Value)>,
    notes: Vec<String>,
    /// Names of the random ones.
    random: Vec<String>,
    /// Whether random ones have dimensions that nothing determines.
    has_open: bool,
    /// How many of the inputs were images.
    pub(crate) images: usize,
}

impl Bound {
    /// The inputs in the form that a session takes.
    pub(crate) fn as_slice(&self) -> Vec<(&str, Value)> {
        self.values.iter().map(|(n, v)| (n.as_str(), v.clone())).collect()
    }

    /// The assumptions that were made, in sentences.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The dimensions of the tensors that are not random, by name.
    fn given_dims(&self) -> Vec<(&str, Vec<usize>)> {
        let given = self.values.iter().filter(|(name, _)| !self.random.contains(name));
        given
            .filter_map(|(name, value)| Some((&**name, value.as_tensor()?.dims().to_vec())))
            .collect()
    }

    fn has(&self, name: &str) -> bool {
        self.values.iter().any(|(n, _)| n == name)
    }
}

/// A number of the command line that has no sign.
pub(crate) fn whole<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "give a whole number of at least 0".to_owned())
}

/// Says something on standard error that is not a failure.
pub(crate) fn print_note(text: &str) {
    let dim = style::DIM;
    anstream::eprintln!("{dim}note: {}{dim:#}", escape(text));
}

fn known<'s>(name: &str, signature: &'s Signature) -> Result<&'s ValueInfo, Failure> {
    signature.find(name).ok_or_else(|| unknown(name, signature))
}

/// The failure for an input that the model does not have; it names the input that was probably meant.
fn unknown(name: &str, signature: &Signature) -> Failure {
    let likeness = |input: &&ValueInfo| strsim::normalized_damerau_levenshtein(name, &input.name);
    let likely = signature.all().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let failure = Failure::usage(format!("the model has no input `{name}`"));
    failure.hint(match likely.filter(|input| likeness(input) >= 0.5) {
        Some(input) => format!("did you mean `{}`? {}", input.name, signature.hint()),
        None => signature.hint(),
    })
}
