//! The signatures of kernels.

use super::{
    BUFFER_INDEX, KERNEL_ARGUMENT, KERNEL_NAME, KERNEL_RESULT, Lint, POSITION_TYPE, POSITION_WIDTH,
    SIMD_TYPE, SIZE_ARGUMENT,
};
use crate::text::{Function, Sort};
use trident_apple::metal::BUFFER_SLOTS;

/// Positions with their sizes, which have one type.
const PAIRS: [(&str, &str); 2] = [
    ("thread_position_in_grid", "threads_per_grid"),
    ("thread_position_in_threadgroup", "threads_per_threadgroup"),
];

const POSITIONS: [&str; 7] = [
    "thread_position_in_grid",
    "threads_per_grid",
    "thread_position_in_threadgroup",
    "threads_per_threadgroup",
    "threadgroup_position_in_grid",
    "threadgroups_per_grid",
    "dispatch_threads_per_threadgroup",
];

const SIMD: [&str; 6] = [
    "thread_index_in_simdgroup",
    "simdgroup_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "threads_per_simdgroup",
    "dispatch_simdgroups_per_threadgroup",
    "thread_execution_width",
];

impl Lint<'_> {
    pub(super) fn kernels(&mut self) {
        let kernels: Vec<Function> =
            self.functions.iter().filter(|function| function.is_kernel).cloned().collect();
        for (i, kernel) in kernels.iter().enumerate() {
            let name = &kernel.name;
            if kernels[..i].iter().any(|other| other.name == *name) {
                let message =
                    format!("there are two kernels `{name}`; hint: kernels have no overloads");
                self.report(KERNEL_NAME, kernel.at, message);
            }
            if !kernel.result.clone().any(|at| self.is(at, "void")) {
                let message =
                    format!("kernel `{name}` returns a value; hint: write it to a buffer");
                self.report(KERNEL_RESULT, kernel.at, message);
            }
            self.buffers(kernel);
            self.sizes(kernel);
            self.positions(kernel);
        }
    }

    fn buffers(&mut self, kernel: &Function) {
        let mut seen: Vec<(u32, &str)> = Vec::new();
        for parameter in &kernel.parameters {
            let Some(index) = parameter.buffer() else { continue };
            let at = parameter.range.start;
            let name = &parameter.name;
            if let Some((_, other)) = seen.iter().find(|(known, _)| *known == index) {
                let message = format!("`{name}` and `{other}` have the same buffer index {index}");
                self.report(BUFFER_INDEX, at, message);
            }
            if index >= BUFFER_SLOTS {
                let message =
                    format!("`{name}` has buffer index {index}; there are {BUFFER_SLOTS}");
                self.report(BUFFER_INDEX, at, message);
            }
            seen.push((index, name));
            let words: Vec<&str> = parameter.ty.split(' ').collect();
            let space = words.contains(&"device") || words.contains(&"constant");
            if !space || !(parameter.ty.ends_with('*') || parameter.ty.ends_with('&')) {
                let message = format!(
                    "buffer `{name}` is not a pointer or reference to `device` or `constant` memory"
                );
                self.report(KERNEL_ARGUMENT, at, message);
            }
        }
    }

    /// `size_t` in the types of arguments.
    fn sizes(&mut self, kernel: &Function) {
        let sized = |text: &str| text == "size_t" || text == "ptrdiff_t";
        for parameter in &kernel.parameters {
            let words: Vec<&str> = parameter.ty.split(' ').collect();
            let records = self.items.iter().filter(|item| item.sort == Sort::Record);
            let mut used = records.filter(|item| {
                self.tokens[item.head.clone()]
                    .iter()
                    .any(|t| t.is_word() && words.contains(&t.text) && !t.is("const"))
            });
            let inside =
                used.any(|item| self.tokens[item.body.clone()].iter().any(|t| sized(t.text)));
            if inside || words.iter().any(|word| sized(word)) {
                let message = format!(
                    "`{}` has a type with `size_t` or `ptrdiff_t`; hint: `ulong` or `long`",
                    parameter.name
                );
                self.report(SIZE_ARGUMENT, parameter.range.start, message);
            }
        }
    }

    fn positions(&mut self, kernel: &Function) {
        let with = |names: &[&str]| {
            let found = kernel.parameters.iter().filter_map(|parameter| {
                let attribute = parameter.attributes.first()?;
                names.contains(&&*attribute.name).then_some((parameter, &*attribute.name))
            });
            found.collect::<Vec<_>>()
        };
        let positions = with(&POSITIONS);
        for (parameter, attribute) in positions.iter().chain(&with(&SIMD)) {
            let element = parameter.ty.trim_end_matches(['2', '3']);
            if !["ushort", "uint", "const ushort", "const uint"].contains(&element) {
                let message =
                    format!("`{attribute}` has type {}; hint: `ushort` or `uint`", parameter.ty);
                self.report(POSITION_TYPE, parameter.range.start, message);
            }
        }
        for (position, size) in PAIRS {
            let pair = with(&[position, size]);
            if let [(a, _), (b, _), ..] = &pair[..]
                && a.ty != b.ty
            {
                let message = format!("`{position}` and `{size}` have types {} and {}", a.ty, b.ty);
                self.report(POSITION_TYPE, b.range.start, message);
            }
        }
        let width = |ty: &str| ty.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1);
        if let Some((first, rest)) = positions.split_first() {
            for (parameter, attribute) in rest {
                let (n, m) = (width(&first.0.ty), width(&parameter.ty));
                if n != m {
                    let message = format!("`{}` has {n} components and `{attribute}` {m}", first.1);
                    self.report(POSITION_WIDTH, parameter.range.start, message);
                }
            }
        }
        let simd = with(&SIMD);
        if let Some((first, rest)) = simd.split_first() {
            for (parameter, attribute) in rest {
                if parameter.ty != first.0.ty {
                    let (a, b) = (&first.0.ty, &parameter.ty);
                    let message = format!("`{}` has type {a} and `{attribute}` {b}", first.1);
                    self.report(SIMD_TYPE, parameter.range.start, message);
                }
            }
        }
    }
}
