//! Backend `repeat`: a decoupled model that answers with each element of its input, one after the other.
//!
//! Inputs are `IN`; `DELAY`, the milliseconds before each answer; and `WAIT`, the milliseconds until the model takes its next request,
//! which does not wait for the answers. Outputs are `OUT`, an element, and `IDX`, its position.

use std::time::Duration;

use bytes::Bytes;
use trident_serving::{DataType, Fault, ModelConfig, NativeInput};

use super::{Decoupled, Outcome, Step, Steps, unfit};
use crate::infer::AnswerTensor;

pub(super) const NAME: &str = "repeat";

pub(super) struct Repeat {
    /// The bytes of an element.
    width: usize,
}

impl Repeat {
    pub(super) fn of(config: &ModelConfig) -> Result<Repeat, Fault> {
        let input = |name: &str| config.input.iter().find(|input| input.name == name);
        let output = |name: &str| config.output.iter().find(|output| output.name == name);
        let is = |name: &str| input(name).is_some_and(|input| input.data_type == DataType::Uint32);
        let values =
            input("IN").and_then(|input| Some((input.data_type, input.data_type.byte_size()?)));
        let Some((data_type, width)) = values else {
            return Err(unfit(config, "an input 'IN' of numbers"));
        };
        if !is("DELAY") || !is("WAIT") {
            return Err(unfit(config, "the inputs 'DELAY' and 'WAIT' of type TYPE_UINT32"));
        }
        let out = output("OUT").is_some_and(|output| output.data_type == data_type);
        if !out || output("IDX").is_none_or(|output| output.data_type != DataType::Uint32) {
            return Err(unfit(
                config,
                "the outputs 'OUT', of the type of 'IN', and 'IDX' of type TYPE_UINT32",
            ));
        }
        let policy = config.model_transaction_policy.as_ref();
        if config.max_batch_size != 0 || !policy.is_some_and(|policy| policy.decoupled) {
            return Err(unfit(
                config,
                "'max_batch_size: 0' and 'model_transaction_policy { decoupled: true }'",
            ));
        }
        Ok(Repeat { width })
    }
}

/// The input of a name.
fn input<'i>(inputs: &'i [NativeInput<'_>], name: &str) -> Option<&'i NativeInput<'i>> {
    inputs.iter().find(|given| given.name == name)
}

/// The number at a position of an input.
fn milliseconds(data: &[u8], at: usize) -> Duration {
    let number = data.get(at * 4..).and_then(|rest| rest.first_chunk());
    Duration::from_millis(u32::from_le_bytes(number.copied().unwrap_or_default()).into())
}

impl Decoupled for Repeat {
    fn pause(&self, inputs: &[NativeInput<'_>]) -> Duration {
        input(inputs, "WAIT").map_or(Duration::ZERO, |wait| milliseconds(&wait.data, 0))
    }

    fn answers(&self, inputs: &[NativeInput<'_>]) -> Result<Steps, Fault> {
        let (Some(values), Some(delays)) = (input(inputs, "IN"), input(inputs, "DELAY")) else {
            return Err(Fault::internal("repeat takes the inputs 'IN' and 'DELAY'"));
        };
        let (width, count) = (self.width, values.data.len() / self.width);
        let (values, data_type, delays) =
            (values.data.clone(), values.data_type, delays.data.clone());
        if delays.len() / 4 != count {
            return Err(Fault::invalid(format_args!(
                "expected as many elements of 'DELAY' as of 'IN', got {} and {count}",
                delays.len() / 4
            )));
        }
        let step = move |at: usize| {
            let value = values.slice(at * width..(at + 1) * width);
            let after = milliseconds(&delays, at);
            let at = Bytes::copy_from_slice(&(at as u32).to_le_bytes());
            let tensor = |name: &str, data_type, data| AnswerTensor {
                name: name.to_owned(),
                data_type,
                shape: vec![1],
                data: Some(data),
            };
            let outputs =
                vec![tensor("OUT", data_type, value), tensor("IDX", DataType::Uint32, at)];
            Step { after, outcome: Outcome::Outputs(outputs) }
        };
        Ok(Box::new((0..count).map(step)))
    }
}
