//! The catalogue of Paddle's ops: one row for each, by its newest name.
//!
//! A row has the op's operands, attributes and results, the older ops that it stands for, and the function that turns it
//! into graph ops. The importer, the table in `docs/paddle.md` and the kernels of a device plug-in come from the rows.
//!
//! PIR gives many attributes as operands. A row lists these among its operands, in PIR's order, and finds each of them
//! also as an attribute of its name. So a row is the same for both forms.

mod call;
mod field;
mod graph;
mod rows;
mod signature;
#[cfg(test)]
mod tests;
mod unread;

pub(crate) use call::{Bound, Call, Out, Outputs};
pub(crate) use graph::{Graph, MOST_PARTS, MOST_SIZE};
use signature::Parameter;

use crate::error::PaddleErrorKind;
use std::collections::HashMap;
use std::sync::LazyLock;

/// An op of the catalogue.
pub(crate) struct Row {
    /// The newest name, without the underscore that marks ops in place.
    pub name: &'static str,
    /// Operands by position, as PIR has them.
    pub operands: &'static [Parameter],
    /// Attributes.
    pub attrs: &'static [Parameter],
    /// Names of the results that it gives. Results behind these are for training.
    pub results: &'static [&'static str],
    /// Other names, with slots that do not follow from the names of the operands.
    pub old: &'static [Old],
    /// Makes the graph ops.
    pub build: Build,
}

/// Turns an op into graph ops.
pub(crate) type Build = fn(&mut Call<'_, '_>) -> Result<Outputs, PaddleErrorKind>;

/// Another name of an op, and its slots and attributes where they have names that do not follow from the row: `x=Input
/// p=.dropout_prob`. Alternatives are separated by commas; those that begin with a point are attributes.
pub(crate) struct Old {
    /// The name.
    pub name: &'static str,
    /// The renamed parameters.
    pub renamed: &'static str,
}

impl Old {
    /// The slots and attributes in which a parameter or result may be, in order; `None` if they follow from its name.
    pub(crate) fn places(&self, field: &str) -> Option<impl Iterator<Item = &'static str>> {
        let (_, places) = self.renamed().find(|(name, _)| *name == field)?;
        Some(places.split(','))
    }

    /// Whether an attribute of this name is read in place of a parameter.
    fn reads(&self, attr: &str) -> bool {
        let mut places = self.renamed().flat_map(|(_, places)| places.split(','));
        places.any(|place| place.strip_prefix('.') == Some(attr))
    }

    /// The renamed parameters, each with its places.
    fn renamed(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.renamed.split_whitespace().filter_map(|pair| pair.split_once('='))
    }
}

/// All rows.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    rows::ALL.iter().copied().flatten()
}

/// The row of an op of PIR.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    static BY_NAME: LazyLock<HashMap<&str, &Row>> =
        LazyLock::new(|| rows().map(|row| (row.name, row)).collect());
    let exact = BY_NAME.get(name).or_else(|| BY_NAME.get(name.strip_suffix('_')?));
    exact.copied()
}

/// The row of an op of a `ProgramDesc`, and its slots if they do not follow from the row.
pub(crate) fn find_old(name: &str) -> Option<(&'static Row, Option<&'static Old>)> {
    static BY_NAME: LazyLock<HashMap<&str, (&Row, &Old)>> = LazyLock::new(|| {
        rows().flat_map(|row| row.old.iter().map(move |old| (old.name, (row, old)))).collect()
    });
    match BY_NAME.get(name) {
        Some(&(row, old)) => Some((row, Some(old))),
        None => find(name).map(|row| (row, None)),
    }
}

/// The supported ops as a table in Markdown, for `docs/paddle.md`.
pub fn support_table() -> String {
    let mut rows: Vec<&Row> = rows().collect();
    rows.sort_by_key(|row| row.name);
    let list = |parameters: &[Parameter]| {
        let one = |parameter: &Parameter| match parameter.default {
            "" => format!("{}: {}", parameter.name, parameter.kind),
            default => format!("{}: {} = {default}", parameter.name, parameter.kind),
        };
        parameters.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let line = |row: &Row| {
        let old: Vec<&str> =
            row.old.iter().map(|old| old.name).filter(|name| *name != row.name).collect();
        let (operands, attrs) = (list(row.operands), list(row.attrs));
        format!("| `{}` | {} | {operands} | {attrs} |\n", row.name, old.join(", "))
    };
    let head = "| op | older names | operands | attributes |\n|---|---|---|---|\n";
    [head.to_owned()].into_iter().chain(rows.into_iter().map(line)).collect()
}
