//! Replacements that make clang's OpenCL C++ accept a text, without a change to its lines: `constant` at program
//! scope, function constants, threadgroup variables, and the ends of kernels.

use super::entry::{Argument, arguments};
use super::item::{Function, Item, Sort, angle, close, function, items};
use super::token::{Class, Token, tokens};
use std::fmt::Write as _;
use std::ops::Range;
use trident_apple::metal::Diagnostic;

/// A function constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Constant {
    pub index: u32,
    pub name: String,
    pub ty: String,
    /// Whether the text uses the value, not only whether there is one.
    pub used: bool,
}

/// A kernel's interface.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub name: String,
    /// The arguments that it is called with.
    pub arguments: Vec<Argument>,
    /// Slot, name and whether the kernel may write, of each buffer.
    pub buffers: Vec<(u32, String, bool)>,
    /// Numbers and names of threadgroup variables.
    pub variables: Vec<(usize, String)>,
    /// `[[max_total_threads_per_threadgroup(n)]]`.
    pub max_threads: Option<u32>,
}

/// Vectors of 32 bytes, whose accesses clang does not instrument, with their lines.
pub(crate) fn unseen(source: &str) -> Vec<Diagnostic> {
    let wide = |token: &&Token<'_>| ["long3", "long4", "ulong3", "ulong4"].contains(&token.text);
    let all = tokens(source);
    let found = all.iter().filter(wide).map(|token| Diagnostic {
        file: token.file.to_string(),
        line: token.line,
        rule: None,
        message: format!(
            "the checker does not see accesses to `{}`; hint: use two pairs",
            token.text
        ),
    });
    found.collect()
}

/// A text that clang accepts, except for the values of function constants.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub text: String,
    pub kernels: Vec<Kernel>,
    pub constants: Vec<Constant>,
}

/// Bytes to replace, in the order of the text.
struct Edits<'a> {
    source: &'a str,
    list: Vec<(Range<usize>, String)>,
}

impl Edits<'_> {
    fn replace(&mut self, range: Range<usize>, with: String) {
        self.list.push((range, with));
    }

    fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text.to_owned());
    }

    fn apply(mut self) -> String {
        self.list.sort_by_key(|(range, _)| range.start);
        let (mut text, mut at) = (String::new(), 0);
        for (range, with) in &self.list {
            // Edits inside of a replaced part are dropped.
            if range.start < at {
                continue;
            }
            text.push_str(&self.source[at..range.start]);
            text.push_str(with);
            // Lines stay where they are.
            let lost = self.source[range.clone()].matches('\n').count();
            let kept = with.matches('\n').count();
            text.extend(std::iter::repeat_n('\n', lost.saturating_sub(kept)));
            at = range.end;
        }
        text.push_str(&self.source[at..]);
        text
    }
}

/// Prepares a text.
///
/// # Errors
/// Rewrites a text. Errors name the constructs that the emulator does not support, with their lines.
pub(crate) fn rewrite(source: &str) -> Result<Program, Vec<Diagnostic>> {
    let all = tokens(source);
    let mut edits = Edits { source, list: Vec::new() };
    let mut errors = Vec::new();
    let (mut kernels, mut constants) = (Vec::new(), Vec::new());
    let mut number = 0;
    for item in items(&all, 0..all.len()) {
        match item.sort {
            Sort::Variable => variable(&all, &item, &mut edits, &mut constants),
            Sort::Function => {
                let Some(function) = function(&all, &item).filter(|f| f.is_kernel) else {
                    continue;
                };
                let refuse = |at: usize, message: String| Diagnostic {
                    file: all[at].file.to_string(),
                    line: all[at].line,
                    rule: None,
                    message,
                };
                if all[function.result.clone()].iter().any(|token| token.is("template")) {
                    let message = format!(
                        "kernel `{}` is a template; hint: the emulator takes plain kernels",
                        function.name
                    );
                    errors.push(refuse(function.at, message));
                    continue;
                }
                let mut variables = Vec::new();
                declarations(&all, function.body.clone(), &mut edits, &mut number, &mut variables);
                let end = all.get(function.body.end).map_or(source.len(), |t| t.range.start);
                edits.insert(end, " msl_reached_end(); ");
                match arguments(&function) {
                    Ok(arguments) => kernels.push(interface(&function, arguments, variables)),
                    Err((at, message)) => errors.push(refuse(at, message)),
                }
            }
            _ => {}
        }
    }
    conversions(&all, &mut edits);
    for constant in &mut constants {
        let uses = all.iter().enumerate().filter(|(_, token)| token.is(&constant.name));
        let tests = uses
            .clone()
            .filter(|(at, _)| *at >= 2 && all[*at - 2].is("is_function_constant_defined"));
        // One occurrence is the declaration.
        constant.used = uses.count() > tests.count() + 1;
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Program { text: edits.apply(), kernels, constants })
}

fn interface(
    function: &Function,
    arguments: Vec<Argument>,
    variables: Vec<(usize, String)>,
) -> Kernel {
    let buffers = function.parameters.iter().filter_map(|parameter| {
        Some((parameter.buffer()?, parameter.name.clone(), parameter.is_writable()))
    });
    let limit = "max_total_threads_per_threadgroup";
    let limit = function.attributes.iter().find(|attribute| attribute.name == limit);
    Kernel {
        name: function.name.clone(),
        arguments,
        buffers: buffers.collect(),
        variables,
        max_threads: limit.and_then(|attribute| attribute.index),
    }
}

/// A variable at program scope: its address space, and its value if it is a function constant.
fn variable(all: &[Token<'_>], item: &Item, edits: &mut Edits<'_>, constants: &mut Vec<Constant>) {
    let head = &all[item.head.clone()];
    if let Some(space) = head.iter().find(|token| token.is("constant")) {
        edits.replace(space.range.clone(), "msl_program".to_owned());
    }
    let Some(at) = head.iter().position(|token| token.is("function_constant")) else { return };
    let index = head.get(at + 2).and_then(|token| token.text.parse().ok());
    let name = head[..at].iter().rposition(Token::is_word);
    let (Some(index), Some(name)) = (index, name) else { return };
    let words = head[..name].iter().filter(|t| t.is_word() && !t.is("constant") && !t.is("const"));
    let ty = words.map(|token| token.text).collect::<Vec<_>>().join(" ");
    if let Some(last) = head.last() {
        edits.insert(last.range.end, &format!(" = ({ty})MSL_CONSTANT_{index}"));
    }
    let name = head[name].text.to_owned();
    constants.push(Constant { index, name, ty, used: false });
}

/// Conversions to half and bfloat. clang has no conversions between these two.
fn conversions(all: &[Token<'_>], edits: &mut Edits<'_>) {
    let is = |at: usize, text: &str| all.get(at).is_some_and(|token| token.is(text));
    for (at, token) in all.iter().enumerate() {
        if !token.is("half") && !token.is("bfloat") {
            continue;
        }
        let cast = at >= 2 && is(at - 2, "static_cast") && is(at - 1, "<") && is(at + 1, ">");
        let call = is(at + 1, "(") && !is(at + 2, "&") && !is(at + 2, "*");
        if cast {
            edits.replace(all[at - 2].range.clone(), "metal::to".to_owned());
        } else if call && !(at >= 1 && is(at - 1, "operator")) {
            edits.replace(token.range.clone(), format!("metal::to<{}>", token.text));
        }
    }
}

/// Replaces the declarations of threadgroup variables in a kernel, also in nested scopes, by references to memory that
/// the emulator provides.
fn declarations(
    all: &[Token<'_>],
    body: Range<usize>,
    edits: &mut Edits<'_>,
    number: &mut usize,
    variables: &mut Vec<(usize, String)>,
) {
    let mut at = body.start;
    while at < body.end {
        let starts = at == body.start
            || [";", "{", "}"].contains(&all[at - 1].text)
            || all[at - 1].class == Class::Directive;
        // All variables are aligned to 16 bytes.
        let first = after_alignas(all, at);
        if !starts || !all.get(first).is_some_and(|token| token.is("threadgroup")) {
            at += 1;
            continue;
        }
        let Some((ty, declarators, end)) = declaration(all, first, body.end) else {
            at += 1;
            continue;
        };
        let ty: Vec<&str> = ty.map(|i| all[i].text).collect();
        let ty = ty.join(" ");
        let mut text = String::new();
        for (name, dimensions) in declarators {
            let name = all[name].text;
            let dimensions: String = all[dimensions].iter().map(|token| token.text).collect();
            let n = *number;
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "typedef {ty} msl_type_{n}{dimensions}; MSL_THREADGROUP({n}, {name}) "
            );
            variables.push((n, name.to_owned()));
            *number += 1;
        }
        edits.replace(all[at].range.start..all[end].range.end, text);
        at = end + 1;
    }
}

/// The position after an `alignas(…)` at `at`, if there is one.
fn after_alignas(all: &[Token<'_>], at: usize) -> usize {
    let is = |at: usize, text: &str| all.get(at).is_some_and(|token| token.is(text));
    if is(at, "alignas") && is(at + 1, "(") { close(all, at + 1) + 1 } else { at }
}

/// A declaration of variables that begins with `threadgroup` at `at`: the positions of the type, names with the
/// positions of their dimensions, and the position of the `;`. `None` if it declares pointers or references.
#[expect(clippy::type_complexity)]
fn declaration(
    all: &[Token<'_>],
    at: usize,
    end: usize,
) -> Option<(Range<usize>, Vec<(usize, Range<usize>)>, usize)> {
    let begin = after_alignas(all, at + 1);
    let mut i = begin;
    // The type: words, template arguments and `::`, up to the word before the first sign of another kind.
    let mut last = None;
    while i < end {
        if all[i].is_word() {
            last = Some(i);
            i += 1;
        } else if all[i].is("::") {
            i += 1;
        } else if all[i].is("<") {
            i = angle(all, i);
        } else {
            break;
        }
    }
    let first = last?;
    if first == begin || !["[", ",", ";"].contains(&all.get(i)?.text) {
        return None;
    }
    let mut declarators = Vec::new();
    let mut name = first;
    loop {
        let start = i;
        while i < end && all[i].is("[") {
            i = close(all, i) + 1;
        }
        declarators.push((name, start..i));
        match all.get(i)?.text {
            ";" => return Some((begin..first, declarators, i)),
            "," if all.get(i + 1)?.is_word() => {
                name = i + 1;
                i += 2;
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_where_they_are() {
        let source = "constant int N [[function_constant(2)]];\nconstant float t[2] =\n{1, 2};\n\
            kernel void k(device float* o [[buffer(0)]],\n constant uint& n [[buffer(3)]],\n\
            ushort2 p [[thread_position_in_grid]]) {\n  threadgroup float a[4]\n   [N], b;\n\
            threadgroup float* q = &a[0][0];\n if (n) { threadgroup vec<half, 4> c; }\n}\n";
        let program = rewrite(source).unwrap();
        let lines = program.text.lines().collect::<Vec<_>>();
        assert_eq!(lines[0], "msl_program int N [[function_constant(2)]] = (int)MSL_CONSTANT_2;");
        assert_eq!(lines[1], "msl_program float t[2] =");
        assert!(lines[6].contains("typedef float msl_type_0[4][N];"), "{}", lines[6]);
        assert!(lines[6].contains("MSL_THREADGROUP(1, b)"));
        assert_eq!(lines[8], "threadgroup float* q = &a[0][0];");
        assert!(lines[9].contains("typedef vec < half , 4 > msl_type_2;"), "{}", lines[9]);
        let kernel = &program.kernels[0];
        let names: Vec<_> = kernel.variables.iter().map(|(_, name)| &**name).collect();
        assert_eq!(names, ["a", "b", "c"]);
        assert_eq!(kernel.buffers, [(0, "o".into(), true), (3, "n".into(), false)]);
        assert!(kernel.emulated_entry().contains(
            "k((device float *)buffers[0], *(constant uint *)buffers[3], \
             metal::position<ushort2>(at->grid[0], at->grid[1], at->grid[2]));"
        ));
        assert!(kernel.ptx_entry().contains(
            "msl_entry_k(device float * __restrict b0, uint b3) { \
             const msl_thread here = msl_here(), *at = &here; k(b0, b3, metal::position"
        ));
        assert!(program.constants[0].used);
    }

    #[test]
    fn what_is_not_supported_is_refused_with_its_line() {
        let source = "kernel void k(texture2d<float> t [[texture(0)]]) {}\n\
            template <typename T> kernel void f(device T* o [[buffer(0)]]) {}\nkernel void g(\nuint n) {}";
        let errors = rewrite(source).unwrap_err();
        let lines: Vec<u32> = errors.iter().map(|error| error.line).collect();
        assert_eq!(lines, [1, 2, 4]);
    }
}
