//! Reports of kernels: each print and assertion has a number, under which the kernel writes records to a buffer.
//!
//! The buffer begins with the number of words that are taken, and the number that there are. A record is the message's number,
//! the program, a place in a block, and an element in two words.

use trident_ir::{DType, Loc, Op, Type, ops};
use trident_runtime::Declined;

use super::types::unsigned;
use super::writer::{Writer, malformed, view};

/// Words before the first record.
pub const HEAD: usize = 2;

/// Words of a record.
pub const RECORD: usize = 7;

/// The print or assertion that a record belongs to.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A line with an element, or without.
    Print {
        /// The text before the element.
        prefix: String,
        /// The element's type; pointers have none.
        element: Option<Option<DType>>,
        /// Dimensions of its block.
        dims: Vec<usize>,
        /// Whether all hexadecimal digits are printed.
        hex: bool,
        /// Whether an integer has a sign.
        signed: bool,
    },
    /// A condition that does not hold.
    Assert {
        /// The program's message.
        message: String,
        /// Its place in the source.
        loc: Option<Loc>,
    },
    /// A loop's step that is not positive: the record's element.
    Step {
        /// The loop's place in the source.
        loc: Option<Loc>,
    },
}

/// A function that takes words of the buffer; 0 where none are left.
pub(super) const TAKE: (&str, &str) = (
    "take_words",
    "uint take_words(device atomic_uint* report, uint words) {\n    \
     uint last = atomic_load_explicit(report + 1, memory_order_relaxed);\n    \
     if (atomic_load_explicit(report, memory_order_relaxed) > last) return 0;\n    \
     uint at = atomic_fetch_add_explicit(report, words, memory_order_relaxed);\n    \
     return at + words <= last ? at : 0;\n}",
);

pub(super) fn print(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let print = view(op, ops::Print::of)?;
    let dims = print.dims().unwrap_or_default();
    let dims: Vec<usize> = dims.iter().map(|&n| n as usize).collect();
    let x = writer.operands(op);
    let (elements, place) = match x.split_last() {
        Some((place, elements)) if !dims.is_empty() => (elements, place.as_str()),
        _ => (&x[..], "0"),
    };
    let prefix = print.prefix();
    if elements.is_empty() {
        let message = Message::Print {
            prefix: prefix.to_owned(),
            element: None,
            dims,
            hex: false,
            signed: false,
        };
        return record(writer, message, "0", "0");
    }
    for (i, element) in elements.iter().enumerate() {
        let ty = op.input(i).map(|id| writer.ty(id));
        let (dtype, bits) = match ty {
            Some(Type::Pointer(_)) => (None, format!("reinterpret_cast<ulong>({element})")),
            Some(ty) => match ty.dtype() {
                Some(DType::Bool) => (Some(DType::Bool), format!("ulong({element})")),
                Some(dtype) => {
                    (Some(dtype), format!("ulong(as_type<{}>({element}))", unsigned(dtype)))
                }
                None => return Err(malformed(op, "prints no elements")),
            },
            None => return Err(malformed(op, "lacks an operand")),
        };
        let own = print.signed().and_then(|signed| signed.get(i)).map(|&signed| signed != 0);
        let message = Message::Print {
            prefix: match elements.len() {
                1 => prefix.to_owned(),
                _ => format!("{prefix}(operand {i}) "),
            },
            element: Some(dtype),
            dims: dims.clone(),
            hex: print.hex(),
            signed: own
                .unwrap_or(matches!(dtype, Some(DType::I8 | DType::I16 | DType::I32 | DType::I64))),
        };
        record(writer, message, place, &bits)?;
    }
    Ok(())
}

pub(super) fn assert(writer: &mut Writer<'_>, op: &Op) -> Result<(), Declined> {
    let x = writer.operands(op);
    let message = view(op, ops::Assert::of)?.message().to_owned();
    let message = Message::Assert { message, loc: op.loc.clone() };
    writer.braces(&format!("if (!{})", x[0]), |w| record(w, message, "0", "0"))
}

/// Tells of a loop's step unless it is positive.
pub(super) fn step(writer: &mut Writer<'_>, op: &Op, step: &str) -> Result<(), Declined> {
    let message = Message::Step { loc: op.loc.clone() };
    let bits = format!("ulong(long({step}))");
    writer.braces(&format!("if ({step} <= 0)"), |w| record(w, message, "0", &bits))
}

fn record(
    writer: &mut Writer<'_>,
    message: Message,
    place: &str,
    bits: &str,
) -> Result<(), Declined> {
    let number = writer.messages.len();
    writer.messages.push(message);
    writer.needs(TAKE.0);
    writer.braces(&format!("if (uint at = take_words(report, {RECORD}))"), |w| {
        w.statement("device uint* record = (device uint*)report + at;");
        w.statement(&format!("ulong bits = {bits};"));
        let words = [
            &number.to_string(),
            "group.x",
            "group.y",
            "group.z",
            &format!("uint({place})"),
            "uint(bits)",
            "uint(bits >> 32)",
        ];
        for (at, word) in words.iter().enumerate() {
            w.statement(&format!("record[{at}] = {word};"));
        }
        Ok(())
    })
}
