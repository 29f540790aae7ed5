//! Tables of aligned columns.

use super::escape;
use super::style::TITLE;
use std::fmt;

/// To which side a column's cells are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Rows of cells under titles.
pub(crate) struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(columns: &[(&'static str, Align)]) -> Table {
        Table { columns: columns.to_vec(), rows: vec![] }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| escape(&cell)).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cells = |i: usize| self.rows.iter().filter_map(move |r| r.get(i));
        let widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(i, (title, _))| {
                let widest = cells(i).map(|c| c.chars().count()).max().unwrap_or(0);
                widest.max(title.chars().count())
            })
            .collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| -> String {
            let columns = self.columns.iter().zip(&widths);
            let padded = cells.zip(columns).map(|(cell, ((_, align), width))| match align {
                Align::Left => format!("{cell:<width$}"),
                Align::Right => format!("{cell:>width$}"),
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let titles = line(&mut self.columns.iter().map(|(title, _)| *title));
        writeln!(f, "{TITLE}{titles}{TITLE:#}")?;
        for row in &self.rows {
            writeln!(f, "{}", line(&mut row.iter().map(String::as_str)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_cells_plain() {
        let mut table = Table::new(&[("op", Align::Left), ("count", Align::Right)]);
        table.row(["conv".into(), "12".into()]);
        table.row(["mat\u{1b}[1mmul".into(), "3".into()]);
        let text = anstream::adapter::strip_str(&table.to_string()).to_string();
        assert_eq!(
            text,
            "op               count\nconv                12\nmat\\u{1b}[1mmul      3\n"
        );
    }
}
