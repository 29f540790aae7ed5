//! Reports of a launch: lines for the standard output, and the first condition that did not hold.

use std::fmt::Write as _;
use std::io::Write as _;

use trident_ir::interp::{Printed, PrintedElement};
use trident_runtime::{LaunchError, ProgramPoint};

use crate::msl::{HEAD, Message, RECORD};

/// Words of the buffer that a kernel writes records to: room for some ten thousand lines.
pub(super) const WORDS: usize = 1 << 18;

/// The first words of the buffer.
pub(super) const START: [u32; HEAD] = [HEAD as u32, WORDS as u32];

/// Prints the lines of records.
pub(super) fn print(words: &[u32], messages: &[Message]) -> Result<(), LaunchError> {
    let taken = words.first().map_or(0, |&taken| taken as usize);
    let (mut text, mut failed) = (String::new(), None);
    for record in words.get(HEAD..taken.min(words.len())).unwrap_or_default().chunks_exact(RECORD) {
        let &[number, x, y, z, place, low, high] = record else { continue };
        let program = [x, y, z];
        match messages.get(number as usize) {
            Some(Message::Print { prefix, element, dims, hex, signed }) => {
                let bits = u64::from(high) << 32 | u64::from(low);
                let (hex, signed, place) = (*hex, *signed, place as usize);
                let element =
                    element.map(|dtype| PrintedElement { dims, place, dtype, bits, hex, signed });
                let _ = writeln!(text, "{}", Printed { program, prefix, element });
            }
            Some(Message::Assert { message, loc }) => {
                let at = ProgramPoint { program, loc: loc.clone() };
                failed.get_or_insert(LaunchError::Assert { at, message: message.clone() });
            }
            Some(Message::Step { loc }) => {
                let at = ProgramPoint { program, loc: loc.clone() };
                let step = (u64::from(high) << 32 | u64::from(low)) as i64;
                failed.get_or_insert(LaunchError::Step { at, step: step.into() });
            }
            None => {}
        }
    }
    if taken > words.len() {
        text.push_str("(further lines of this launch did not fit into its buffer)\n");
    }
    // In one write, so that launches do not mix their lines. A closed output is not an error.
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    failed.map_or(Ok(()), Err)
}
