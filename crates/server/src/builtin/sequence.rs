//! Backends `sequence` and `dyna_sequence`: they add up the elements of a sequence's inputs.
//!
//! The input is `INPUT`, the output `OUTPUT`, both INT32 vectors of the same length. Each element of the output is the sum of all
//! elements since the request with `START`. A sum beyond 32 bits wraps. With `dyna_sequence` the last request, that with `END`, also
//! adds the sequence's id, `CORRID`; an id that is a text has to be a number.
//!
//! The server's backends keep a sum for each slot of a batch. Here it belongs to the sequence.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use trident_serving::{
    DataType, Fault, ModelConfig, NativeInput, NativeModel, NativeRequest, NativeRun, Output,
    SchedulingChoice,
};

use super::{number, unfit};

pub(super) const NAME: &str = "sequence";
pub(super) const DYNAMIC_NAME: &str = "dyna_sequence";

/// The parameter `execute_delay_ms` is the time that a run takes.
pub(super) struct Accumulator {
    delay: Duration,
    output: Arc<str>,
    /// Whether the last request of a sequence adds its id.
    adds_id: bool,
}

impl Accumulator {
    pub(super) fn of(config: &ModelConfig) -> Result<Accumulator, Fault> {
        let adds_id = config.backend == DYNAMIC_NAME;
        let (expected, names): (&[&str], _) = match adds_id {
            true => (&["CORRID", "END", "READY", "START"], "'START', 'END', 'READY' and 'CORRID'"),
            false => (&["READY", "START"], "'START' and 'READY'"),
        };
        let controls = match &config.scheduling {
            SchedulingChoice::Sequence(batching) => &*batching.control_input,
            _ => &[],
        };
        let mut given: Vec<&str> = controls.iter().map(|input| &*input.name).collect();
        given.sort_unstable();
        if given != expected {
            return Err(unfit(
                config,
                &format!("'sequence_batching' with the control inputs {names}"),
            ));
        }
        let id = controls.iter().find(|input| input.name == "CORRID");
        let id = id.and_then(|input| input.control.first()).map(|control| control.data_type);
        if id.is_some_and(|id| !matches!(id, DataType::Uint64 | DataType::String)) {
            return Err(unfit(config, "'CORRID' of type TYPE_UINT64 or TYPE_STRING"));
        }
        let fits = match (&config.input[..], &config.output[..]) {
            ([input], [output]) => {
                (&*input.name, &*output.name) == ("INPUT", "OUTPUT")
                    && [input.data_type, output.data_type] == [DataType::Int32; 2]
                    && input.dims.len() == 1
                    && input.dims == output.dims
            }
            _ => false,
        };
        if !fits {
            let expected = "the input 'INPUT' and the output 'OUTPUT', vectors of type TYPE_INT32 and the same length";
            return Err(unfit(config, expected));
        }
        let delay = Duration::from_millis(number(config, "execute_delay_ms")?);
        Ok(Accumulator { delay, output: "OUTPUT".into(), adds_id })
    }

    /// The answer to a request, which changes the sum that its sequence keeps.
    fn answer(&self, request: &mut NativeRequest<'_>) -> Result<Vec<Output>, Fault> {
        let missing = |name: &str| Fault::internal(format_args!("there is no input '{name}'"));
        let input = request.input("INPUT").ok_or_else(|| missing("INPUT"))?;
        let is_set = |name: &str| request.input(name).is_some_and(is_true);
        let before = match is_set("START") {
            true => 0,
            false => request.kept.first_chunk().map_or(0, |sum| i32::from_le_bytes(*sum)),
        };
        let (elements, _) = input.data.as_chunks::<4>();
        let mut sum = elements
            .iter()
            .fold(before, |sum, element| sum.wrapping_add(i32::from_le_bytes(*element)));
        if self.adds_id && is_set("END") {
            let id = request.input("CORRID").ok_or_else(|| missing("CORRID"))?;
            // The server truncates it, too.
            sum = sum.wrapping_add(id_of(id)? as i32);
        }
        let (at, name, shape) = (0, Arc::clone(&self.output), input.shape.clone());
        let data = Bytes::from(sum.to_le_bytes().repeat(elements.len()));
        request.kept = sum.to_le_bytes().to_vec();
        Ok(vec![Output { at, name, data_type: DataType::Int32, shape, data }])
    }
}

/// Whether a control is other than zero.
fn is_true(input: &NativeInput<'_>) -> bool {
    input.data.iter().any(|byte| *byte != 0)
}

/// The number that is a sequence's id.
fn id_of(input: &NativeInput<'_>) -> Result<u64, Fault> {
    if input.data_type == DataType::Uint64 {
        return Ok(input.data.first_chunk().map_or(0, |id| u64::from_le_bytes(*id)));
    }
    // The text follows its length.
    let text = String::from_utf8_lossy(input.data.get(4..).unwrap_or_default());
    text.trim().parse().map_err(|_| {
        Fault::invalid(format_args!("the sequence's id is '{text}', and a number is expected"))
    })
}

impl NativeModel for Accumulator {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter_mut().map(|request| self.answer(request)).collect();
        NativeRun { answers, time: self.delay, answers_at_start: false }
    }

    fn is_steady(&self) -> bool {
        self.delay.is_zero()
    }
}
