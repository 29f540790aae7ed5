//! Backend `identity`: each output is the input at the same position, after a time.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use trident_serving::{Fault, ModelConfig, NativeModel, NativeRequest, NativeRun, Output};

use super::{number, unfit};

pub(super) const NAME: &str = "identity";

/// The parameter `execute_delay_ms` is the time that a run takes, and `creation_delay_sec` that of a load. The server's parameter
/// `instance_wise_delay_multiplier` counts GPUs, and has no effect without them.
pub(super) struct Identity {
    delay: Duration,
    /// Names of the input and the output at each position.
    names: Vec<(String, Arc<str>)>,
}

impl Identity {
    pub(super) fn of(config: &ModelConfig) -> Result<Identity, Fault> {
        let pairs = config.input.iter().zip(&config.output);
        let agree = pairs.clone().all(|(input, output)| input.data_type == output.data_type);
        if config.input.is_empty() || config.input.len() != config.output.len() || !agree {
            return Err(unfit(config, "an output for each input, of the same type"));
        }
        let delay = Duration::from_millis(number(config, "execute_delay_ms")?);
        let names = pairs.map(|(input, output)| (input.name.clone(), output.name.as_str().into()));
        thread::sleep(Duration::from_secs(number(config, "creation_delay_sec")?));
        Ok(Identity { delay, names: names.collect() })
    }

    fn outputs(&self, request: &NativeRequest<'_>) -> Vec<Output> {
        let output = |(at, (input, output)): (usize, &(String, Arc<str>))| {
            let given = request.input(input)?;
            let (data_type, shape, data) =
                (given.data_type, given.shape.clone(), given.data.clone());
            Some(Output { at, name: Arc::clone(output), data_type, shape, data })
        };
        self.names.iter().enumerate().filter_map(output).collect()
    }
}

impl NativeModel for Identity {
    fn run(&self, batch: &mut [NativeRequest<'_>]) -> NativeRun {
        let answers = batch.iter().map(|request| Ok(self.outputs(request))).collect();
        NativeRun { answers, time: self.delay, answers_at_start: false }
    }

    fn is_steady(&self) -> bool {
        self.delay.is_zero()
    }
}
