//! Backend `square`: a decoupled model that answers a number `n` with `n` answers, each of which is `n`.
//!
//! The parameters `CUSTOM_INFER_DELAY_NS` and `CUSTOM_OUTPUT_DELAY_NS` are times before each answer; an answer without outputs has only
//! the first one. The last answers, as many as `CUSTOM_EMPTY_COUNT`, have no outputs and are only counted, and those before them, as many
//! as `CUSTOM_FAIL_COUNT`, are errors.

use std::time::Duration;

use trident_serving::{DataType, ErrorCode, Fault, ModelConfig, NativeInput};

use super::{Decoupled, Outcome, Step, Steps, number, unfit};
use crate::infer::AnswerTensor;

pub(super) const NAME: &str = "square";

/// The text of an error that a configuration asks for.
const FAILURE: &str = "simulated failure";

pub(super) struct Square {
    infer: Duration,
    output: Duration,
    failures: u64,
    empty: u64,
}

impl Square {
    pub(super) fn of(config: &ModelConfig) -> Result<Square, Fault> {
        let [input] = &config.input[..] else { return Err(unfit(config, "one input, 'IN'")) };
        let [output] = &config.output[..] else { return Err(unfit(config, "one output, 'OUT'")) };
        let fits = |name: &str, expected: &str, data_type, dims: &[i64]| {
            name == expected && data_type == DataType::Int32 && dims == [1]
        };
        if !fits(&input.name, "IN", input.data_type, &input.dims)
            || !fits(&output.name, "OUT", output.data_type, &output.dims)
        {
            let expected = "the input 'IN' and the output 'OUT', of type TYPE_INT32 and dims [1]";
            return Err(unfit(config, expected));
        }
        let policy = config.model_transaction_policy.as_ref();
        if !policy.is_some_and(|policy| policy.decoupled) {
            return Err(unfit(config, "'model_transaction_policy { decoupled: true }'"));
        }
        let time = |key| number(config, key).map(Duration::from_nanos);
        Ok(Square {
            infer: time("CUSTOM_INFER_DELAY_NS")?,
            output: time("CUSTOM_OUTPUT_DELAY_NS")?,
            failures: number(config, "CUSTOM_FAIL_COUNT")?,
            empty: number(config, "CUSTOM_EMPTY_COUNT")?,
        })
    }
}

impl Decoupled for Square {
    fn answers(&self, inputs: &[NativeInput<'_>]) -> Result<Steps, Fault> {
        let values = inputs.iter().find(|given| given.name == "IN");
        let values = values.filter(|given| given.data.len() == 4);
        let Some(NativeInput { data_type, shape, data, .. }) = values else {
            return Err(Fault::invalid("unexpected shape for IN input"));
        };
        let count = i32::from_le_bytes(data[..4].try_into().unwrap_or_default());
        let (infer, after, data_type) = (self.infer, self.infer + self.output, *data_type);
        let (shape, data) = (shape.clone(), data.clone());
        let count = u64::try_from(count).unwrap_or(0);
        let whole = count.saturating_sub(self.empty);
        let right = whole.saturating_sub(self.failures);
        let step = move |at: u64| {
            let failure = || Fault { code: ErrorCode::Unknown, text: FAILURE.to_owned() };
            let outputs = || {
                let (name, shape, data) = ("OUT".to_owned(), shape.clone(), Some(data.clone()));
                vec![AnswerTensor { name, data_type, shape, data }]
            };
            match at {
                _ if at >= whole => Step { after: infer, outcome: Outcome::Nothing },
                _ if at >= right => Step { after, outcome: Outcome::Failure(failure()) },
                _ => Step { after, outcome: Outcome::Outputs(outputs()) },
            }
        };
        Ok(Box::new((0..count).map(step)))
    }
}
