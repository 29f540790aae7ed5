//! Traffic that `crates/engine/examples/record_pool.rs` has recorded, which also explains the form of the files.

use anyhow::{Context, Result, ensure};

use crate::traffic::{Operation, Traffic};

const TRACES: [(&str, &[u8]); 4] = [
    ("conv", include_bytes!("../traces/conv.trace")),
    ("transformer", include_bytes!("../traces/transformer.trace")),
    ("control flow", include_bytes!("../traces/control-flow.trace")),
    ("sessions", include_bytes!("../traces/sessions.trace")),
];

/// A number of 7 bits a byte.
fn number(bytes: &mut &[u8]) -> Result<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().context("the trace ends within a number")?;
        *bytes = rest;
        number |= u64::from(byte & 127) << shift;
        if byte & 128 == 0 {
            return Ok(number);
        }
    }
    anyhow::bail!("a number of more than 64 bits")
}

fn decoded(name: &'static str, mut bytes: &[u8]) -> Result<Traffic> {
    let (mut operations, mut live) = (vec![], vec![]);
    while !bytes.is_empty() {
        let item = number(&mut bytes)?;
        let value = usize::try_from(item >> 2)?;
        match item & 3 {
            0 => {
                ensure!(live.get(value) == Some(&true), "{name}: {value} is not live");
                live[value] = false;
                operations.push(Operation::Drop(value));
            }
            1 => {
                let place = live.iter().position(|live| !live).unwrap_or(live.len());
                match live.get_mut(place) {
                    Some(live) => *live = true,
                    None => live.push(true),
                }
                operations.push(Operation::Take(place, value));
            }
            // The thread that did what follows: one replays them in the order of all.
            2 => {}
            _ => anyhow::bail!("{name}: an unknown operation"),
        }
    }
    let left = live.iter().enumerate().filter(|(_, live)| **live);
    operations.extend(left.map(|(place, _)| Operation::Drop(place)));
    Ok(Traffic { name, operations, places: live.len() })
}

pub(crate) fn all() -> Result<Vec<Traffic>> {
    TRACES.into_iter().map(|(name, bytes)| decoded(name, bytes)).collect()
}
