//! The text of a kernel with its signature, and the contents of its slots.

use std::collections::HashSet;
use std::fmt::Write as _;

use trident_ir::lane::SIMDGROUP;
use trident_ir::{DType, Func, Level, Module, OpKind, Type, ops};
use trident_runtime::Declined;

use super::report::Message;
use super::types::{self, scalar};
use super::writer::Writer;
use super::{accumulator, prelude};
use crate::metal::{BUFFER_SLOTS, LanguageVersion};

/// A thread's place where a threadgroup is a program: attribute, type and name.
const PLACE: [(&str, &str, &str); 5] = [
    ("threadgroup_position_in_grid", "uint3", "group"),
    ("threadgroups_per_grid", "uint3", "groups"),
    ("thread_index_in_threadgroup", "uint", "thread_index"),
    ("simdgroup_index_in_threadgroup", "uint", "simdgroup_index"),
    ("thread_index_in_simdgroup", "uint", "lane_index"),
];

/// The same where a simdgroup is a program, in a grid of threads.
const PLACE_OF_SIMDGROUP: [(&str, &str, &str); 4] = [
    ("thread_position_in_grid", "uint3", "place"),
    ("threads_per_grid", "uint3", "grid"),
    ("simdgroup_index_in_threadgroup", "uint", "part"),
    ("thread_index_in_simdgroup", "uint", "lane_index"),
];

/// Replacements for the threadgroup's names if each simdgroup is a program.
const OF_SIMDGROUP: [&str; 4] = [
    "uint3 group = uint3(place.x / 32, place.y, place.z);",
    "uint3 groups = uint3(grid.x / 32, grid.y, grid.z);",
    "uint thread_index = lane_index;",
    "uint simdgroup_index = 0;",
];

/// Buffer slots of a kernel.
const SLOTS: usize = BUFFER_SLOTS as usize;

/// A kernel as text, and how it is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The text.
    pub source: String,
    /// The name of the kernel in it.
    pub entry: String,
    /// The bindings of buffer slots 0, 1, 2 …
    pub bindings: Vec<Binding>,
    /// Threads of each program.
    pub threads: u32,
    /// The most programs of a threadgroup: one, or if each is a simdgroup, several.
    pub programs: u32,
    /// The messages that the kernel may send, by number.
    pub messages: Vec<Message>,
    /// The version of the language.
    pub language: LanguageVersion,
}

/// The argument that a slot takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Binding {
    /// The memory of the parameter with this number, a pointer that the kernel uses.
    Buffer(usize),
    /// A table of the addresses of these parameters, which are pointers without a slot of their own.
    Table(Vec<usize>),
    /// A buffer for the kernel's reports.
    Report,
    /// All scalar parameters, as bytes.
    Scalars {
        /// Where each lies.
        fields: Vec<Field>,
        /// Their size together, in bytes.
        size: usize,
    },
}

/// A scalar parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// The number of the parameter.
    pub param: usize,
    /// Its element type.
    pub dtype: DType,
    /// Its place, in bytes from the start.
    pub offset: usize,
}

/// Prints the entry of a module at level lane. Up to `programs` programs share a threadgroup, each in a separate
/// simdgroup. An op or type that the language does not have is declined by name.
pub fn write(module: &Module, programs: u32) -> Result<Program, Declined> {
    let whole = |reason: &str| Declined::module(reason);
    let entry = module.entry().ok_or_else(|| whole("the module has no function"))?;
    let Some(threads) = entry.threads.filter(|_| entry.level == Level::Lane) else {
        return Err(whole("its entry is not a kernel"));
    };
    if programs > 1 && threads as usize != SIMDGROUP {
        return Err(whole("its programs are not simdgroups"));
    }
    let name = identifier(&entry.name);
    let mut writer = Writer::new(entry, programs);
    let (signature, structures, bindings) = parameters(entry, &mut writer)?;
    if programs > 1 {
        OF_SIMDGROUP.iter().for_each(|line| writer.statement(line));
    }
    writer.body(&entry.body)?;
    let (types, objects) = accumulator::types(&writer);
    let headers = if types.is_empty() { "" } else { accumulator::HEADERS };
    let mut source = format!(
        "#include <metal_stdlib>\n{headers}\nusing namespace metal;\n\n\
         #pragma METAL fp math_mode(safe)\n#pragma METAL fp contract(off)\n\n",
    );
    for (function, text) in prelude::FUNCTIONS {
        if writer.functions.contains(function) {
            source.push_str(text);
            source.push_str("\n\n");
        }
    }
    source.push_str(&types);
    source.push_str(&structures);
    let _ = write!(
        source,
        "[[max_total_threads_per_threadgroup({})]]\nkernel void {name}({signature}) {{\n{objects}{}}}\n",
        threads * programs,
        writer.text
    );
    // Tensors came with 4.0, fences and coherent memory with 3.2.
    let language = match writer.is_coherent {
        _ if !types.is_empty() => LanguageVersion::V4_0,
        true => LanguageVersion::V3_2,
        false => LanguageVersion::V3_1,
    };
    let messages = writer.messages;
    Ok(Program { source, entry: name, bindings, threads, programs, messages, language })
}

/// The list of parameters, the structures that they name, and the contents of the slots.
fn parameters(
    func: &Func,
    writer: &mut Writer<'_>,
) -> Result<(String, String, Vec<Binding>), Declined> {
    let declined = |name: &str, reason| Declined::Parameter { parameter: name.to_owned(), reason };
    let (mut list, mut structure) = (vec![], String::new());
    let (mut bindings, mut fields, mut size) = (vec![], vec![], 0usize);
    let (mut used, mut reports) = (HashSet::new(), false);
    func.body.walk(&mut |op| {
        reports |= match op.kind {
            OpKind::Print | OpKind::Assert => true,
            // Its step is checked unless it is known to be positive.
            OpKind::For => {
                !op.input(ops::For::AT.step).is_some_and(|step| writer.is_positive(step))
            }
            _ => false,
        };
        used.extend(op.used());
        used.extend(op.regions.iter().flat_map(|region| &region.results));
    });
    let scalars = func.body.params.iter().any(|&id| !matches!(func.ty(id), Type::Pointer(_)));
    let pointers = func.body.params.iter().copied().enumerate();
    let pointers = pointers.filter(|(_, id)| matches!(func.ty(*id), Type::Pointer(_)));
    let mut pointers: Vec<_> = pointers.filter(|(_, id)| used.contains(id)).collect();
    let slots = SLOTS - usize::from(scalars) - usize::from(reports);
    let tabled = match pointers.len() > slots {
        true => pointers.split_off(slots - 1),
        false => vec![],
    };
    let pointer = |writer: &Writer<'_>, id| {
        let info = func.info(id);
        let ty = types::name(&info.ty, writer.is_coherent);
        ty.map_err(|reason| declined(&info.name, reason)).map(|ty| (ty, writer.name(id)))
    };
    for (param, id) in pointers {
        let (ty, name) = pointer(writer, id)?;
        list.push(format!("{ty} {name} [[buffer({})]]", bindings.len()));
        bindings.push(Binding::Buffer(param));
    }
    let mut structures = String::new();
    if !tabled.is_empty() {
        structures.push_str("struct Table {\n");
        for &(_, id) in &tabled {
            let (ty, name) = pointer(writer, id)?;
            let _ = writeln!(structures, "    {ty} {name};");
            writer.rename(id, format!("table.{name}"));
        }
        structures.push_str("};\n\n");
        list.push(format!("constant Table& table [[buffer({})]]", bindings.len()));
        bindings.push(Binding::Table(tabled.into_iter().map(|(param, _)| param).collect()));
    }
    for (param, &id) in func.body.params.iter().enumerate() {
        let info = func.info(id);
        if matches!(info.ty, Type::Pointer(_)) {
            continue;
        }
        let ty = &info.ty;
        let lacks = || format!("Metal has no type like {ty}");
        let dtype = ty.dtype().filter(|_| ty.dims().is_some_and(|d| d.is_empty()));
        let dtype = dtype.ok_or_else(|| declined(&info.name, lacks()))?;
        let text = scalar(dtype).ok_or_else(|| declined(&info.name, lacks()))?;
        let offset = size.next_multiple_of(dtype.size());
        let field = writer.name(id);
        let _ = writeln!(structure, "    {text} {field};");
        writer.rename(id, format!("scalars.{field}"));
        fields.push(Field { param, dtype, offset });
        size = offset + dtype.size();
    }
    if !fields.is_empty() {
        let _ = write!(structures, "struct Scalars {{\n{structure}}};\n\n");
        list.push(format!("constant Scalars& scalars [[buffer({})]]", bindings.len()));
        let widest = fields.iter().map(|field| field.dtype.size()).max().unwrap_or(1);
        bindings.push(Binding::Scalars { fields, size: size.next_multiple_of(widest) });
    }
    if reports {
        list.push(format!("device atomic_uint* report [[buffer({})]]", bindings.len()));
        bindings.push(Binding::Report);
    }
    let places = if writer.programs > 1 { &PLACE_OF_SIMDGROUP[..] } else { &PLACE };
    for (attribute, ty, name) in places {
        list.push(format!("{ty} {name} [[{attribute}]]"));
    }
    Ok((format!("\n    {}", list.join(",\n    ")), structures, bindings))
}

/// A valid identifier: letters, digits and `_`, and not a keyword.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(plain).collect();
    // Names of the standard library and of the language neither end so nor start with a digit.
    match text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => format!("{text}_"),
        false => format!("k{text}_"),
    }
}
