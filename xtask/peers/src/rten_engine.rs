//! rten, with graph optimisation and prepacked weights. Its integers are i32.

use std::sync::Arc;

use anyhow::{Context, Result};
use rten::{ModelOptions, NodeId, RunOptions, ThreadPool, Value, ValueView};
use rten_tensor::prelude::*;
use rten_tensor::Tensor;

use crate::{Data, Input, Run};

pub fn load(model: &str, inputs: Vec<Input>, threads: usize) -> Result<Run> {
    let model = ModelOptions::with_all_ops().prepack_weights(true).load_file(model)?;
    let pool = Arc::new(ThreadPool::with_num_threads(threads));
    let inputs: Vec<(NodeId, Value)> = inputs
        .into_iter()
        .map(|input| {
            let shape = input.shape.as_slice();
            let value = match input.data {
                Data::F32(data) => Value::from(Tensor::from_data(shape, data)),
                Data::I64(data) => {
                    let narrow: Vec<i32> = data.into_iter().map(|value| value as i32).collect();
                    Value::from(Tensor::from_data(shape, narrow))
                }
            };
            Ok((model.node_id(&input.name)?, value))
        })
        .collect::<Result<_>>()?;
    let output = *model.output_ids().first().context("no output")?;
    Ok(Box::new(move || {
        let feeds = inputs.iter().map(|(id, value)| (*id, ValueView::from(value).into())).collect();
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let outputs = model.run(feeds, &[output], Some(options))?;
        let first: Tensor<f32> = outputs.into_iter().next().context("no output")?.try_into()?;
        Ok(first.to_vec())
    }))
}
