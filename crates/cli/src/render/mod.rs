//! Output for the terminal: tensors, bar charts, tables, quantities. Colours are removed where standard
//! output is not a terminal.

mod chart;
mod constant;
mod escape;
mod quantity;
mod table;
mod tensor;

pub(crate) use chart::{bars, looks_like_probabilities, top_k};
pub(crate) use constant::constant;
pub(crate) use escape::{escape, json};
pub(crate) use quantity::{bytes, count, duration, millis};
pub(crate) use table::{Align, Table};
pub(crate) use tensor::value;
pub(crate) use trident_ir::counted;

/// Colours.
pub(crate) mod style {
    use anstyle::{AnsiColor, Style};

    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
    pub(crate) const TITLE: Style = Style::new().bold();
    pub(crate) const BAR: Style = AnsiColor::Green.on_default();
    pub(crate) const DIM: Style = Style::new().dimmed();
}
