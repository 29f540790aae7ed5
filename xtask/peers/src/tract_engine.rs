//! tract, with input shapes fixed before its optimisation.

use anyhow::{Context, Result, anyhow};
use tract_onnx::prelude::*;

use crate::{Data, Input, Run};

pub fn load(model: &str, inputs: Vec<Input>, threads: usize) -> Result<Run> {
    if threads > 1 {
        multithread::set_default_executor(multithread::Executor::multithread(threads));
    }
    let mut model = tract_onnx::onnx().model_for_path(model)?;
    let mut values = tvec![];
    for (slot, outlet) in model.input_outlets()?.to_vec().into_iter().enumerate() {
        let name = model.node(outlet.node).name.clone();
        let input = inputs
            .iter()
            .find(|input| input.name == name)
            .ok_or_else(|| anyhow!("no value for input {name}"))?;
        let value = match &input.data {
            Data::F32(data) => Tensor::from_shape(&input.shape, data)?,
            Data::I64(data) => Tensor::from_shape(&input.shape, data)?,
        };
        let fact = InferenceFact::dt_shape(value.datum_type(), input.shape.as_slice());
        model.set_input_fact(slot, fact)?;
        values.push(value.into_tvalue());
    }
    let plan = model.into_optimized()?.into_runnable()?;
    Ok(Box::new(move || {
        let outputs = plan.run(values.clone())?;
        let first = outputs.first().context("no output")?;
        Ok(first.to_plain_array_view::<f32>()?.iter().copied().collect())
    }))
}
