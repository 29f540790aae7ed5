//! Times one model with one of the engines that `cargo xtask bench models` compares with.
//!
//! Reads one request as JSON from standard input and prints one line of JSON. One process measures
//! one engine, since thread pools of two engines in a process disturb each other.

mod rten_engine;
mod tract_engine;

use std::fs;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// Values of an input, row-major.
enum Data {
    F32(Vec<f32>),
    I64(Vec<i64>),
}

/// A named input of the model.
struct Input {
    name: String,
    shape: Vec<usize>,
    data: Data,
}

/// A loaded model with its inputs: each call runs it and returns the first output.
type Run = Box<dyn FnMut() -> Result<Vec<f32>>>;

fn main() -> Result<()> {
    let request: Value = serde_json::from_reader(std::io::stdin())?;
    let text = |key: &str| request[key].as_str().with_context(|| format!("no {key}"));
    let number = |key: &str| request[key].as_u64().with_context(|| format!("no {key}"));
    let inputs = request["inputs"].as_array().context("no inputs")?;
    let inputs: Vec<Input> = inputs.iter().map(read_input).collect::<Result<_>>()?;
    let threads = number("threads")? as usize;
    let model = text("model")?;

    let start = Instant::now();
    let mut run = match text("engine")? {
        "rten" => rten_engine::load(model, inputs, threads)?,
        "tract" => tract_engine::load(model, inputs, threads)?,
        other => bail!("no engine {other}"),
    };
    let load_ms = milliseconds(start);
    let start = Instant::now();
    let output = run()?;
    let first_run_ms = milliseconds(start);

    for _ in 0..number("warmup")? {
        run()?;
    }
    let mut latencies = Vec::new();
    for _ in 0..number("iterations")? {
        let start = Instant::now();
        run()?;
        latencies.push(milliseconds(start));
    }
    let peak_rss_bytes = peak_memory();
    let bytes: Vec<u8> = output.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(text("output")?, bytes)?;
    println!(
        "{}",
        json!({
            "latencies_ms": latencies,
            "load_ms": load_ms,
            "first_run_ms": first_run_ms,
            "peak_rss_bytes": peak_rss_bytes,
        })
    );
    Ok(())
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

/// An input described as `{"name", "dtype", "shape", "file"}`; the file holds little-endian values.
fn read_input(description: &Value) -> Result<Input> {
    let text = |key: &str| description[key].as_str().with_context(|| format!("no {key}"));
    let shape = description["shape"].as_array().context("no shape")?;
    let shape = shape.iter().map(|dim| Ok(dim.as_u64().context("bad shape")? as usize));
    let bytes = fs::read(text("file")?)?;
    let data = match text("dtype")? {
        "float32" => {
            Data::F32(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
        }
        "int64" => {
            Data::I64(bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect())
        }
        other => bail!("no dtype {other}"),
    };
    Ok(Input { name: text("name")?.to_owned(), shape: shape.collect::<Result<_>>()?, data })
}

/// Peak resident memory of this process in bytes, where /proc tells it.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}
