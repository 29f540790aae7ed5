//! Declarations of kernels in Paddle's headers.
//!
//! The headers declare a kernel as a template over the element type and the context, directly or by a macro that takes the
//! kernel's name. Only these two forms are read. Everything else in a header is skipped.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use regex_lite::{Captures, Regex};

/// The parameters of a kernel without its context, in the order in which Paddle passes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Signature {
    /// Tensors, attributes and results.
    pub params: Vec<Param>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Param {
    /// The name in the header.
    pub name: String,
    /// The kind as the plug-in names it; `None` if no kernel of a plug-in can take it.
    pub kind: Option<&'static str>,
}

/// Kinds of parameters by their types in C++, without `const`, references, namespaces and spaces.
const KINDS: &[(&str, &str)] = &[
    ("DenseTensor", "Tensor"),
    ("optional<DenseTensor>", "OptionalTensor"),
    ("vector<constDenseTensor*>", "Tensors"),
    // Of dense tensors, since the plug-in's device has no other ones.
    ("vector<constTensorBase*>", "Tensors"),
    ("optional<vector<constDenseTensor*>>", "OptionalTensors"),
    ("DenseTensor*", "Result"),
    ("vector<DenseTensor*>", "Results"),
    ("bool", "Bool"),
    ("int", "I32"),
    ("int32_t", "I32"),
    ("int64_t", "I64"),
    ("float", "F32"),
    ("double", "F64"),
    ("string", "Text"),
    ("Scalar", "Scalar"),
    ("IntArray", "IntArray"),
    ("DataType", "Dtype"),
    ("vector<int>", "I32s"),
    ("vector<int64_t>", "I64s"),
    ("vector<float>", "F32s"),
    ("vector<double>", "F64s"),
    ("vector<Scalar>", "Scalars"),
];

/// The kernels of a header by the names of their functions, without the ending `Kernel`.
pub(super) fn kernels(header: &str) -> Result<BTreeMap<String, Signature>> {
    let text = expanded(&without_comments(header)?)?;
    let declaration = Regex::new(concat!(
        r"template\s*<\s*(?:typename\s+T\s*,\s*)?typename\s+Context\s*>",
        r"\s*(?:[A-Z]+_API\s+)?void\s+(\w+?)Kernel\s*\(([^;{]*?)\)\s*[;{]"
    ))?;
    let mut found = BTreeMap::new();
    for declared in declaration.captures_iter(&text) {
        let mut params = separated(&declared[2]);
        if params.is_empty() || !squeezed(&params.remove(0)).contains("Context&") {
            continue;
        }
        let params = params.iter().map(|param| parameter(param));
        let params = params.collect::<Result<_>>().with_context(|| declared[1].to_owned())?;
        found.insert(declared[1].to_owned(), Signature { params });
    }
    Ok(found)
}

/// The text without comments, and with continued lines joined.
fn without_comments(text: &str) -> Result<String> {
    let text = Regex::new(r"(?s)/\*.*?\*/")?.replace_all(text, "");
    Ok(Regex::new(r"//[^\n]*")?.replace_all(&text, "").replace("\\\n", " "))
}

/// The text without directives, where macros that declare kernels are replaced by their bodies.
fn expanded(text: &str) -> Result<String> {
    let define = Regex::new(r"(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)\n]*)\)([^\n]*)")?;
    let mut body = Regex::new(r"(?m)^[ \t]*#[^\n]*")?.replace_all(text, "").into_owned();
    for defined in
        define.captures_iter(text).filter(|defined| defined[3].contains("typename Context"))
    {
        let use_of = Regex::new(&format!(r"\b{}\(([^)]*)\)", &defined[1]))?;
        let expand = |used: &Captures<'_>| -> String {
            let mut expanded = defined[3].to_owned();
            for (param, given) in defined[2].split(',').zip(used[1].split(',')) {
                let Ok(name) = Regex::new(&format!(r"\b{}\b", param.trim())) else { continue };
                expanded = name.replace_all(&expanded, given.trim()).into_owned();
            }
            expanded.replace("##", "")
        };
        body = use_of.replace_all(&body, expand).into_owned();
    }
    Ok(body)
}

/// The parts between commas that are not inside of angle brackets.
fn separated(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in list.chars() {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(part) if letter != ',' || depth > 0 => part.push(letter),
            _ => parts.push(String::new()),
        }
    }
    parts
}

/// A type without spaces and namespaces.
fn squeezed(ty: &str) -> String {
    let spaceless: String = ty.split_whitespace().collect();
    ["paddle::", "phi::", "std::"].iter().fold(spaceless, |ty, name| ty.replace(name, ""))
}

fn parameter(text: &str) -> Result<Param> {
    let declared = text.split('=').next().unwrap_or(text).trim();
    let at = declared.rfind(|c: char| !c.is_alphanumeric() && c != '_');
    let at = at.with_context(|| format!("`{declared}` has no name"))?;
    let (ty, name) = declared.split_at(at + 1);
    let ty = squeezed(ty);
    let ty = ty.strip_prefix("const").unwrap_or(&ty).trim_end_matches('&');
    let kind = KINDS.iter().find(|(known, _)| *known == ty).map(|(_, kind)| *kind);
    Ok(Param { name: name.to_owned(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(header: &str, kernel: &str) -> String {
        let kernels = kernels(header).unwrap();
        let params = kernels[kernel].params.iter();
        let shown = params.map(|p| format!("{}: {}", p.name, p.kind.unwrap_or("?")));
        shown.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn parameters_have_the_kinds_of_their_types() {
        let header = "
            // template <typename T, typename Context> void OldKernel(const Context& c);
            template <typename T, typename Context>
            TEST_API void GatherKernel(const Context& dev_ctx,
                const DenseTensor & x, const paddle::optional<DenseTensor>& i,
                const std::vector<const DenseTensor*>& list, const int n = 1, /* none */ int64_t m,
                const std::vector<double>& scale, DataType dtype, const SelectedRows& rows,
                const phi::IntArray& axes, std::vector<DenseTensor*> parts, DenseTensor* out);
            template <typename T, typename Context>
            DenseTensor Gather(const Context& dev_ctx, const DenseTensor& x) { return x; }";
        assert_eq!(kernels(header).unwrap().len(), 1);
        assert_eq!(
            shown(header, "Gather"),
            "x: Tensor, i: OptionalTensor, list: Tensors, n: I32, m: I64, scale: F64s, dtype: Dtype, rows: ?, \
             axes: IntArray, parts: Results, out: Result"
        );
    }

    #[test]
    fn macros_declare_kernels() {
        let header = "
            #define DECLARE(name, attr) \\
              template <typename T, typename Context> \\
              void name##Kernel(const Context& dev_ctx, double attr, DenseTensor* out);
            DECLARE(LeakyRelu, alpha)
            DECLARE(Logit, eps)
            #undef DECLARE";
        assert_eq!(shown(header, "LeakyRelu"), "alpha: F64, out: Result");
        assert_eq!(shown(header, "Logit"), "eps: F64, out: Result");
    }
}
