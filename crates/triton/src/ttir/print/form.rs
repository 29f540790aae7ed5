//! Printing the forms of the table.

use super::attr::{Shown, quoted, symbol};
use super::{Printer, field, put};
use crate::ttir::form::{Item, Types};
use crate::ttir::{Op, ValueId, types};
use std::fmt::Write;

impl Printer<'_> {
    pub(super) fn items(&mut self, op: &Op, items: &[Item], types: Types) {
        put!(self, "{}", op.name);
        let (own, offsets) = self.offsets(op, items);
        let mut rest = own;
        let mut take = |count| {
            let (taken, others) = split(rest, count);
            rest = others;
            taken
        };
        let mut named: Vec<&str> = vec![];
        let mut dict = false;
        // What stands in front of the next item: nothing yet, a text in parentheses or brackets, or a list.
        let mut comma = " ";
        for item in items {
            match *item {
                Item::Operands(count) => {
                    let shown = take(count);
                    if !shown.is_empty() {
                        let shown = self.values(shown);
                        put!(self, "{comma}{shown}");
                        comma = ", ";
                    }
                }
                Item::Index(count) => {
                    let shown = self.values(take(count));
                    put!(self, "[{shown}]");
                    comma = ", ";
                }
                Item::Offsets => {
                    let shown = self.values(offsets);
                    put!(self, "[{shown}]");
                    comma = ", ";
                }
                Item::Args(count) => {
                    let shown = self.values(take(count));
                    put!(self, "({shown})");
                    comma = " ";
                }
                Item::Word(name) => {
                    named.push(name);
                    let word = op.dict.get(name).map(|value| Shown(value).to_string());
                    put!(self, "{comma}{}", word.unwrap_or_default());
                    comma = ", ";
                }
                Item::Str(name) => {
                    named.push(name);
                    let text = op.dict.get(name).and_then(|value| value.word());
                    put!(self, "{comma}{}", quoted(text.unwrap_or_default()));
                    comma = ", ";
                }
                Item::Symbol(name) => {
                    named.push(name);
                    let name = op.dict.get(name).and_then(|value| value.symbol());
                    put!(self, "{comma}@{}", symbol(name.unwrap_or_default()));
                }
                Item::Keyword(word) => {
                    if let [operand] = *take(Some(1)) {
                        let operand = self.value(operand);
                        put!(self, " {word} {operand}");
                    }
                }
                Item::Alone(name) => {
                    named.push(name);
                    if let Some(word) = op.dict.get(name).and_then(|value| value.word()) {
                        put!(self, " {word}");
                    }
                }
                Item::Options(names) => {
                    for &name in names {
                        named.push(name);
                        if let Some(value) = op.dict.get(name) {
                            let alone = matches!(value, crate::ttir::Attr::Unit);
                            put!(self, "{}{}", if alone { " " } else { ", " }, field(name, value));
                        }
                    }
                }
                Item::Dict if !std::mem::replace(&mut dict, true) => {
                    // Options behind the first place of attributes are not repeated in it.
                    let options = items.iter().filter_map(|item| match item {
                        Item::Options(names) => Some(*names),
                        _ => None,
                    });
                    let options: Vec<&str> = options.flatten().copied().collect();
                    self.dict(op, |name| !named.contains(&name) && !options.contains(&name));
                }
                Item::Dict => {}
            }
        }
        self.types(op, items, types);
    }

    /// The operands in the order of the items, and those of the item `Offsets`.
    fn offsets<'o>(&self, op: &'o Op, items: &[Item]) -> (&'o [ValueId], &'o [ValueId]) {
        if !items.iter().any(|item| matches!(item, Item::Offsets)) {
            return (&op.operands, &[]);
        }
        let counted = items.iter().map(|item| match item {
            Item::Operands(Some(count)) => *count,
            _ => 0,
        });
        op.operands.split_at(counted.sum::<usize>().min(op.operands.len()))
    }

    fn types(&mut self, op: &Op, items: &[Item], types: Types) {
        let (own, _) = self.offsets(op, items);
        let timeout = items.iter().any(|item| matches!(item, Item::Keyword(_)));
        let own = if timeout { split(own, Some(2)).0 } else { own };
        let condition = items.iter().any(|item| matches!(item, Item::Args(Some(1))));
        let own = if condition { split(own, Some(1)).1 } else { own };
        let all = types::list(self.tree.types(own));
        let result = || types::list(self.tree.types(&op.results[..op.results.len().min(1)]));
        let first = || types::list(self.tree.types(&own[..own.len().min(1)]));
        let text = match types {
            Types::Nothing => return,
            Types::Each if own.is_empty() => return,
            Types::All | Types::Result => result(),
            Types::Truth | Types::Pointee | Types::First | Types::Element => first(),
            Types::To => format!("{} to {}", first(), result()),
            Types::Arrow | Types::AllArrow | Types::ArrowBoth => {
                format!("{} -> {}", first(), result())
            }
            Types::EachFirst | Types::Each => all,
            Types::EachArrow => format!("{all} -> {}", result()),
            Types::Product => match *own {
                [a, b, ..] => format!("{} * {} -> {}", self.ty(a), self.ty(b), result()),
                _ => all,
            },
            Types::Function => {
                format!("({all}) -> {}", types::results(self.tree.types(&op.results)))
            }
            Types::Choice => match self.tree.types(own).next().and_then(|ty| ty.shape()) {
                Some([_, ..]) => format!("{}, {}", first(), result()),
                _ => result(),
            },
        };
        put!(self, " : {text}");
    }
}

fn split(values: &[ValueId], count: Option<usize>) -> (&[ValueId], &[ValueId]) {
    values.split_at(count.unwrap_or(values.len()).min(values.len()))
}
