//! Rules of the Metal Shading Language that clang's OpenCL C++ does not know, on the tokens of a text.
//!
//! The lint handles the language as our own writer prints it; it does not look into macros. Rules that need types, such
//! as the number of components of a constructor, are enforced by the headers in `shim`, and address spaces by clang.

mod kernel;
mod space;
mod vector;

use crate::text::{Class, Function, Item, Sort, Token, function, items, tokens};
use trident_apple::metal::{Diagnostic, LanguageVersion};

/// A rule of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LintRule {
    /// The name in diagnostics.
    pub name: &'static str,
    /// The rule, with the section of the specification of 2025-06-05.
    pub what: &'static str,
}

macro_rules! rules {
    ($($constant:ident $name:literal $what:literal;)*) => {
        $(const $constant: LintRule = LintRule { name: $name, what: $what };)*
        /// All rules of the lint.
        pub const RULES: &[LintRule] = &[$($constant),*];
    };
}

rules! {
    INCLUDE "include" "a text includes <metal_stdlib>, and only headers of the standard library";
    SPACE "address-space" "pointers and references name an address space (4)";
    PROGRAM_VARIABLE "program-variable" "a variable at program scope is `constant` and has a value (4.3)";
    LONG_LONG "long-long" "`long long` does not exist (2.1)";
    GOTO "goto" "`goto` does not exist (1.5.4)";
    DERIVED "derived-class" "classes have no base classes (1.5.4)";
    LAMBDA "lambda" "lambdas exist from version 3.2 on (1.5.4)";
    TENSOR "tensor" "tensor operations exist from version 4.0 on";
    SIZE_ARGUMENT "size-argument" "arguments of kernels, and their structs, have no `size_t` or `ptrdiff_t` (5.2)";
    BUFFER_INDEX "buffer-index" "each buffer of a kernel has an index of its own, below 31 (5.2.1)";
    POSITION_TYPE "position-type" "a position and its size have one type, made of `ushort` or `uint` (5.2.3.6)";
    POSITION_WIDTH "position-width" "positions and sizes of a kernel have as many components as each other (5.2.3.6)";
    SIMD_TYPE "simdgroup-type" "the indices and sizes of simdgroups of a kernel have one type (5.2.3.6)";
    THREADGROUP_FLOAT "threadgroup-atomic-float" "`atomic_float` lies in device memory (6.15.4)";
    KERNEL_RESULT "kernel-result" "a kernel returns `void` (5.1)";
    KERNEL_NAME "kernel-name" "kernels are not overloaded (1.5.1)";
    KERNEL_ARGUMENT "kernel-argument" "the buffers of a kernel are pointers or references to `device` or `constant` memory (5.2)";
    STATIC "static-variable" "variables of functions are not `static` (4)";
    VECTOR_LITERAL "vector-literal" "`(float4)(a, b, c, d)` is a cast of `d`: constructors have no parentheses (2.2.2)";
    VECTOR_COMPONENT "vector-component" "components have the names x, y, z, w or r, g, b, a (2.2.1)";
    VECTOR_COMPARISON "vector-comparison" "a comparison of vectors gives truths, clang's integers: they are not converted to numbers";
    WORD "reserved-word" "exceptions, `thread_local`, `new`, `delete`, `virtual`, `typeid` and inline assembly do not exist (1.5.4)";
}

/// A text, and the findings in it.
struct Lint<'a> {
    tokens: &'a [Token<'a>],
    items: Vec<Item>,
    functions: Vec<Function>,
    found: Vec<Diagnostic>,
}

impl Lint<'_> {
    fn report(&mut self, rule: LintRule, at: usize, message: String) {
        let (file, line) = self.tokens.get(at).map_or((String::new(), 0), |token| {
            let place = token.place();
            (place.file, place.line)
        });
        self.found.push(Diagnostic { file, line, rule: Some(rule.name), message });
    }

    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(Token::is_word)
    }
}

/// The rules that a text breaks, in the order of its lines. Lines are those that `#line` gives.
pub fn lint(source: &str, language: LanguageVersion) -> Vec<Diagnostic> {
    let tokens = tokens(source);
    let items = items(&tokens, 0..tokens.len());
    let of_functions = items.iter().filter(|item| item.sort == Sort::Function);
    let functions = of_functions.filter_map(|item| function(&tokens, item)).collect();
    let mut lint = Lint { tokens: &tokens, items, functions, found: Vec::new() };
    lint.includes(language);
    lint.words(language);
    lint.vectors();
    lint.variables();
    lint.spaces();
    lint.kernels();
    let mut found = lint.found;
    found.dedup();
    found
}

impl Lint<'_> {
    fn includes(&mut self, language: LanguageVersion) {
        let (mut library, mut primitives) = (false, false);
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if token.class != Class::Directive {
                continue;
            }
            let text = token.text[1..].trim_start();
            let Some(rest) = text.strip_prefix("include") else { continue };
            let name = rest.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
            if !crate::clang::HEADERS.contains(&&*name) {
                let message = format!("there is no header {}", rest.trim());
                self.report(INCLUDE, at, message);
            }
            library |= name == "metal_stdlib";
            primitives |= name == crate::clang::PRIMITIVES;
        }
        if !library {
            self.report(INCLUDE, 0, "the text does not include <metal_stdlib>".to_owned());
        }
        let Some(at) = (0..self.tokens.len()).find(|&at| self.is(at, "mpp")) else { return };
        if !primitives {
            let message = format!("the text does not include <{}>", crate::clang::PRIMITIVES);
            self.report(INCLUDE, at, message);
        }
        if language < LanguageVersion::V4_0 {
            let message = "tensor operations exist from version 4.0 on";
            self.report(TENSOR, at, message.to_owned());
        }
    }

    /// Checks the rules about single words and their neighbours.
    fn words(&mut self, language: LanguageVersion) {
        const NONE: [&str; 14] = [
            "throw",
            "try",
            "catch",
            "thread_local",
            "register",
            "new",
            "delete",
            "virtual",
            "typeid",
            "dynamic_cast",
            "asm",
            "__asm__",
            "__asm",
            "noexcept",
        ];
        for at in 0..self.tokens.len() {
            let token = &self.tokens[at];
            if token.is("goto") {
                self.report(GOTO, at, "`goto` does not exist in Metal".to_owned());
            } else if token.is("long") && self.is(at + 1, "long") {
                let message = "`long long` does not exist in Metal; hint: `long` has 64 bits";
                self.report(LONG_LONG, at, message.to_owned());
            } else if token.is_word() && NONE.contains(&token.text) {
                let message = format!("`{}` does not exist in Metal", token.text);
                self.report(WORD, at, message);
            } else if (token.is("struct") || token.is("class")) && self.has_base(at) {
                let message = "classes have no base classes in Metal; hint: use a member";
                self.report(DERIVED, at, message.to_owned());
            } else if token.is("[") && language < LanguageVersion::V3_2 && self.is_lambda(at) {
                let message = "lambdas exist from version 3.2 on; hint: write a function";
                self.report(LAMBDA, at, message.to_owned());
            } else if token.is("threadgroup") {
                self.threadgroup_float(at);
            }
        }
    }

    fn has_base(&self, at: usize) -> bool {
        let after = if self.is(at + 2, "final") { at + 3 } else { at + 2 };
        self.is_word(at + 1) && !self.is(at.wrapping_sub(1), "enum") && self.is(after, ":")
    }

    fn is_lambda(&self, at: usize) -> bool {
        const BEFORE: [&str; 12] =
            ["=", "(", ",", "{", "}", ";", "?", ":", "&&", "||", "return", "<"];
        let before = at.checked_sub(1).map(|before| &self.tokens[before]);
        !self.is(at + 1, "[")
            && before.is_some_and(|t| t.class != Class::Literal && BEFORE.contains(&t.text))
    }

    fn threadgroup_float(&mut self, at: usize) {
        let mut next = at + 1;
        while ["const", "volatile", "metal", "::"].iter().any(|text| self.is(next, text)) {
            next += 1;
        }
        let generic =
            self.is(next, "atomic") && self.is(next + 1, "<") && self.is(next + 2, "float");
        if self.is(next, "atomic_float") || generic {
            let message = "`atomic_float` lies in device memory only; hint: use a compare-exchange loop \
                           on `atomic_uint`";
            self.report(THREADGROUP_FLOAT, at, message.to_owned());
        }
    }

    /// Variables at program scope.
    fn variables(&mut self) {
        let variables: Vec<Item> =
            self.items.iter().filter(|item| item.sort == Sort::Variable).cloned().collect();
        for item in variables {
            let head = &self.tokens[item.head.clone()];
            let has = |text: &str| head.iter().any(|token| token.is(text));
            let name = head.iter().find(|t| t.is_word()).map_or("", |token| token.text).to_owned();
            if !has("constant") && !has("sampler") {
                let message = format!(
                    "a variable at program scope (`{name} …`) is not `constant`; hint: pass it as an argument"
                );
                self.report(PROGRAM_VARIABLE, item.head.start, message);
            } else if has("constant")
                && !has("=")
                && !has("function_constant")
                && item.body.is_empty()
            {
                let message = "a `constant` at program scope has no value".to_owned();
                self.report(PROGRAM_VARIABLE, item.head.start, message);
            }
        }
    }
}
