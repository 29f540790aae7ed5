//! Metal texts: their tokens and declarations, and what is replaced before clang compiles them.

mod entry;
mod item;
mod rewrite;
mod token;

pub(crate) use item::{Function, Item, Sort, angle, close, function, items, split};
pub(crate) use rewrite::{Constant, Kernel, Program, rewrite, unseen};
pub(crate) use token::{Class, Token, tokens};

#[cfg(test)]
mod tests {
    use super::rewrite;
    use crate::lint::lint;
    use trident_apple::metal::LanguageVersion;

    /// Texts with parts removed, repeated and exchanged give errors, or none, but no panic.
    #[test]
    fn damaged_texts_do_not_panic() {
        let texts = [
            include_str!("../../tests/kernels/mixed.metal"),
            include_str!("../../tests/kernels/softmax.metal"),
            include_str!("../../tests/kernels/histogram.metal"),
            "kernel void t([[buffer(",
            "template <",
            "constant float a[2] = {",
            "kernel void k() { threadgroup float",
        ];
        let mut state = 1u64;
        let mut random = move |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % n.max(1)
        };
        for round in 0..3000 {
            let mut text = texts[round % texts.len()].to_owned();
            for _ in 0..=random(4) {
                let (a, b) = (random(text.len() + 1), random(text.len() + 1));
                let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
                let (Some(part), Some(head)) = (text.get(a..b), text.get(..a)) else { continue };
                let part = match random(3) {
                    0 => String::new(),
                    1 => part.repeat(2),
                    _ => part.chars().rev().collect(),
                };
                text = format!("{head}{part}{}", text.get(b..).unwrap_or_default());
            }
            lint(&text, LanguageVersion::V3_1);
            let _ = rewrite(&text);
        }
    }
}
