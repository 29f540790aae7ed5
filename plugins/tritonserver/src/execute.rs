//! Answers the requests of one call of the server.

use crate::served::{ResultName, Served, of_request};
use crate::server::log::log;
use crate::server::{Code, Error, Instance, Request, Response, Result, Times, now};
use std::borrow::Cow;
use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use trident_runtime::{ByteSource, ForeignBytes, PoolStats};
use trident_serving::{DataType, Execution, Input, Part};

/// The state of an instance: its place at the model.
pub(crate) struct Seat {
    pub(crate) name: String,
    pub(crate) served: Arc<Served>,
}

/// An execution whose requests are answered but not counted.
pub(crate) struct Done {
    times: Times,
    /// How large its batch was; `None` if no request could be read.
    rows: Option<u64>,
}

/// Answers all requests, with results or errors.
pub(crate) fn execute(seat: &Seat, requests: &mut [Request]) -> Done {
    let (start, began) = (now(), Instant::now());
    let served = &*seat.served;
    let mut outcomes: Vec<Result<()>> = Vec::with_capacity(requests.len());
    let mut read = Vec::with_capacity(requests.len());
    for request in &*requests {
        match self::read(served, request) {
            Ok(request) => {
                outcomes.push(Ok(()));
                read.push(request);
            }
            Err(error) => outcomes.push(Err(error)),
        }
    }
    let rows = read.iter().map(|request| rows(served, request)).sum::<u64>();
    let rows = (!read.is_empty()).then_some(rows);
    let Execution { responses, computing } = served.model.execute(read);
    let mut responses = responses.into_iter();
    for (request, mut outcome) in requests.iter_mut().zip(outcomes) {
        if outcome.is_ok() {
            outcome = match responses.next() {
                Some(Ok(response)) => answer(served, request, &response),
                Some(Err(error)) => Err(of_request(&error)),
                None => Err(Error::internal("the model has left the request unanswered")),
            };
        }
        if let Err(error) = outcome
            && !request.is_answered()
        {
            request.fail(&error);
        }
    }
    let Range { start: from, end: to } = computing;
    // The server counts from the same clock's start, the engine from a moment of it.
    let moment = |at: Instant| start + at.saturating_duration_since(began).as_nanos() as u64;
    let times = Times { start, compute_start: moment(from), compute_end: moment(to), end: now() };
    Done { times, rows }
}

/// Counts the requests and the execution, if there was one.
pub(crate) fn finish(instance: &Instance<Seat>, seat: &Seat, requests: &mut [Request], done: Done) {
    let (served, Done { times, rows }) = (&*seat.served, done);
    let reports = requests.iter_mut().map(|request| request.count(instance, times));
    let reports = reports.fold(Ok(()), Result::and);
    let batch = rows.map_or(Ok(()), |rows| instance.report_batch(rows, times));
    if let Err(error) = reports.and(batch) {
        log!(Error, "an execution is not counted: {error}");
    }
    if rows.is_some() {
        served.counts.add(times);
    }
    if served.verbose {
        let PoolStats { live, peak, .. } = served.memory();
        let micros = |a: u64, b: u64| b.saturating_sub(a) as f64 / 1e3;
        let count = |n: u64, one: &str| format!("{n} {one}{}", if n == 1 { "" } else { "s" });
        log!(
            Info,
            "instance '{}': {}, {}, input {:.1} us, infer {:.1} us, output {:.1} us, \
             {live} bytes in use, {peak} at the most",
            seat.name,
            count(requests.len() as u64, "request"),
            count(rows.unwrap_or(0), "row"),
            micros(times.start, times.compute_start),
            micros(times.compute_start, times.compute_end),
            micros(times.compute_end, times.end)
        );
    }
}

/// Answers and counts the requests that remain after a bug in this library.
pub(crate) fn give_up(instance: &Instance<Seat>, requests: &mut [Request], error: &Error) {
    let start = now();
    let times = Times { start, compute_start: start, compute_end: start, end: start };
    for request in requests {
        if !request.is_answered() {
            request.fail(error);
        }
        // A request that cannot be counted is answered all the same.
        let _ = request.count(instance, times);
    }
}

/// The request as the model takes it: a view of the server's memory.
fn read<'a>(
    served: &'a Served,
    request: &'a Request,
) -> Result<trident_serving::InferenceRequest<'a>> {
    if request.is_cancelled() {
        return Err(Error::new(Code::Cancelled, "request cancelled"));
    }
    let mut inputs = Vec::new();
    for input in request.inputs()? {
        let input = input?;
        let name = utf8(input.name)?;
        let data_type = DataType::ALL.get(input.datatype as usize).copied();
        let data_type = data_type.filter(|ty| *ty != DataType::Invalid).ok_or_else(|| {
            let text = format!("input '{name}' is of an unknown type {}", input.datatype);
            Error::unsupported(text)
        })?;
        let buffers = input.buffers().collect::<Result<Vec<_>>>()?;
        let data = match served.text_id.as_deref() {
            Some(id) if id == name => vec![Part::Shared(first_string(&buffers).into())],
            _ => buffers.into_iter().map(Part::Foreign).collect(),
        };
        inputs.push(Input { name: name.into(), data_type, shape: input.shape.to_vec(), data });
    }
    let mut outputs: Vec<Cow<'_, str>> = Vec::new();
    for name in request.outputs()? {
        outputs.push(utf8(name?)?.into());
    }
    if served.has_states {
        for ResultName { name, .. } in served.results.iter().filter(|result| result.state) {
            if !outputs.iter().any(|known| known == name) {
                outputs.push(name.into());
            }
        }
    }
    let cancel = Some(request.cancel_flag());
    // The server names all of them where the client names none: a request that pads a batch of sequences wants nothing.
    let outputs = Some(outputs);
    Ok(trident_serving::InferenceRequest { inputs, outputs, cancel, ..Default::default() })
}

/// The first string of an input, with its length. The server gives a sequence's id in a buffer of fixed size, whose rest is zeros.
fn first_string(buffers: &[ForeignBytes<'_>]) -> Vec<u8> {
    let mut bytes = vec![];
    for buffer in buffers {
        let start = bytes.len();
        bytes.resize(start + buffer.size(), 0);
        buffer.copy_to(&mut bytes[start..]);
    }
    if let Some(length) = bytes.first_chunk() {
        bytes.truncate((u32::from_le_bytes(*length) as usize).saturating_add(4));
    }
    bytes
}

fn utf8(name: &CStr) -> Result<&str> {
    name.to_str().map_err(|_| {
        Error::invalid(format!("the name '{}' is not valid UTF-8", name.to_string_lossy()))
    })
}

/// The request's share of a batch, as the server counts it.
fn rows(served: &Served, request: &trident_serving::InferenceRequest<'_>) -> u64 {
    let rows = request.inputs.first().and_then(|input| input.shape.first()).copied();
    rows.filter(|_| served.batches).and_then(|rows| u64::try_from(rows).ok()).unwrap_or(1).max(1)
}

/// Sends the results, and leaves states to the next request of the sequence once nothing else can fail.
fn answer(
    served: &Served,
    request: &mut Request,
    results: &trident_serving::Response,
) -> Result<()> {
    let mut response = Response::new(request)?;
    let mut states = vec![];
    for output in &results.outputs {
        let Some(ResultName { c_name, state, .. }) = served.results.get(output.at) else {
            let name = &output.name;
            return Err(Error::internal(format!("the model has an unknown output '{name}'")));
        };
        let datatype = output.data_type as u32;
        if !state || is_asked_for(request, c_name)? {
            response.output(c_name, datatype, &output.shape)?.write(&output.data)?;
        }
        if *state {
            states.push((c_name, datatype, output));
        }
    }
    for (name, datatype, output) in states {
        request.state(name, datatype, &output.shape)?.write(&output.data)?;
    }
    request.answer(response)
}

fn is_asked_for(request: &Request, name: &CStr) -> Result<bool> {
    for asked in request.outputs()? {
        if asked? == name {
            return Ok(true);
        }
    }
    Ok(false)
}
