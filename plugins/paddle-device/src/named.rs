//! Arguments of a call by their names, for the kernels that read them one by one.

use crate::argument::{Argument, Operand};
use crate::failure::Failure;

/// The arguments of a call.
pub(crate) struct Named<'a>(pub(crate) &'a [(&'static str, Argument<'a>)]);

impl Named<'_> {
    /// The argument of a name.
    pub(crate) fn find(&self, name: &str) -> Option<&Argument<'_>> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, argument)| argument)
    }

    fn missing(name: &str) -> Failure {
        Failure::fatal(format!("`{name}` is missing"))
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<f64, Failure> {
        match self.find(name) {
            Some(Argument::Float(value)) => Ok(*value),
            Some(Argument::Int(value)) => Ok(*value as f64),
            _ => Err(Self::missing(name)),
        }
    }

    /// An integer.
    pub(crate) fn int(&self, name: &str) -> Result<i64, Failure> {
        match self.find(name) {
            Some(Argument::Int(value)) => Ok(*value),
            _ => Err(Self::missing(name)),
        }
    }

    /// A list of integers.
    pub(crate) fn ints(&self, name: &str) -> Result<Vec<i64>, Failure> {
        match self.find(name) {
            Some(Argument::I64s(values)) => Ok(values.to_vec()),
            Some(Argument::I32s(values)) => Ok(values.iter().map(|n| i64::from(*n)).collect()),
            _ => Err(Self::missing(name)),
        }
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Failure> {
        match self.find(name) {
            Some(Argument::Text(text)) => Ok(text),
            _ => Err(Self::missing(name)),
        }
    }

    /// Whether a truth value is given and true.
    pub(crate) fn truth(&self, name: &str) -> bool {
        matches!(self.find(name), Some(Argument::Bool(true)))
    }

    /// A tensor.
    pub(crate) fn tensor(&self, name: &str) -> Result<Operand, Failure> {
        match self.find(name) {
            Some(Argument::Tensor(operand)) => Ok(*operand),
            _ => Err(Self::missing(name)),
        }
    }
}
