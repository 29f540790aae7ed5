//! Entry points of kernels: functions with a common signature, which call the kernel with its declared arguments.

use super::item::{Function, Parameter};
use super::rewrite::Kernel;

/// The kind of argument that a kernel's parameter takes.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    /// Its type, of a reference what it refers to.
    ty: String,
    is_reference: bool,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// The buffer in this slot.
    Buffer(u32),
    /// Threadgroup memory with this index.
    Threadgroup(u32),
    /// A value that depends on the thread.
    Value(String),
}

/// The arguments of a kernel; else the position of a parameter that the emulator does not support, and why.
pub(super) fn arguments(function: &Function) -> Result<Vec<Argument>, (usize, String)> {
    let one = |parameter: &Parameter| {
        let ty = parameter.ty.trim();
        let referred = ty.strip_suffix('&');
        let source = source(parameter, ty).map_err(|message| (parameter.range.start, message))?;
        let ty = referred.unwrap_or(ty).trim().to_owned();
        Ok(Argument { ty, is_reference: referred.is_some(), source })
    };
    function.parameters.iter().map(one).collect()
}

fn source(parameter: &Parameter, ty: &str) -> Result<Source, String> {
    let Some(attribute) = parameter.attributes.first() else {
        return Err(format!(
            "parameter `{}` has no attribute; hint: give each an index or a position",
            parameter.name
        ));
    };
    let scalar = |field: &str| Source::Value(format!("({ty})at->{field}"));
    let vector = |field: &str| {
        Source::Value(format!(
            "metal::position<{ty}>(at->{field}[0], at->{field}[1], at->{field}[2])"
        ))
    };
    Ok(match (&*attribute.name, attribute.index) {
        ("buffer", Some(index)) => Source::Buffer(index),
        ("threadgroup", Some(index)) => Source::Threadgroup(index),
        ("thread_position_in_grid", _) => vector("grid"),
        ("thread_position_in_threadgroup", _) => vector("local_"),
        ("threadgroup_position_in_grid", _) => vector("group"),
        ("threads_per_threadgroup", _) => vector("group_size"),
        ("dispatch_threads_per_threadgroup", _) => vector("dispatch_size"),
        ("threadgroups_per_grid", _) => vector("groups"),
        ("threads_per_grid", _) => vector("grid_size"),
        ("thread_index_in_threadgroup", _) => scalar("index"),
        ("thread_index_in_simdgroup", _) => scalar("lane"),
        ("simdgroup_index_in_threadgroup", _) => scalar("simdgroup"),
        ("simdgroups_per_threadgroup", _) => scalar("simdgroups"),
        ("dispatch_simdgroups_per_threadgroup", _) => Source::Value(format!(
            "({ty})((at->dispatch_size[0] * at->dispatch_size[1] * at->dispatch_size[2] + 31) / 32)"
        )),
        ("threads_per_simdgroup" | "thread_execution_width", _) => {
            Source::Value(format!("({ty})32"))
        }
        ("thread_index_in_quadgroup", _) => Source::Value(format!("({ty})(at->lane % 4)")),
        ("quadgroup_index_in_threadgroup", _) => Source::Value(format!("({ty})(at->index / 4)")),
        (name, _) => return Err(format!("the emulator has no attribute `{name}`")),
    })
}

impl Argument {
    /// A memory address as this argument.
    fn at(&self, address: &str) -> String {
        match self.is_reference {
            true => format!("*({} *){address}", self.ty),
            false => format!("({}){address}", self.ty),
        }
    }

    /// The parameter of an entry point in PTX: a scalar in constant memory is passed by value, as an argument buffer of a few
    /// bytes is on Apple's GPUs.
    fn ptx_parameter(&self) -> Option<String> {
        let Source::Buffer(slot) = self.source else { return None };
        let value = self.ty.strip_prefix("constant").filter(|_| self.is_reference);
        Some(match (value, self.is_reference) {
            (Some(value), _) => format!("{} b{slot}", value.trim()),
            (None, true) => format!("{} * __restrict b{slot}", self.ty),
            // Pointers to constant memory are generic, which parameters of a kernel cannot be.
            (None, false) => {
                let ty = self.ty.replace("constant", "device const");
                format!("{ty} __restrict b{slot}")
            }
        })
    }
}

impl Kernel {
    /// The entry point that the emulator calls.
    pub(crate) fn emulated_entry(&self) -> String {
        let argument = |argument: &Argument| match &argument.source {
            Source::Buffer(slot) => argument.at(&format!("buffers[{slot}]")),
            Source::Threadgroup(index) => {
                argument.at(&format!("msl_threadgroup_argument({index})"))
            }
            Source::Value(value) => value.clone(),
        };
        let arguments: Vec<String> = self.arguments.iter().map(argument).collect();
        format!(
            "extern \"C\" __attribute__((visibility(\"default\"))) \
             void msl_entry_{name}(void* const* buffers, const msl_thread* at) {{ {name}({}); }}\n",
            arguments.join(", "),
            name = self.name,
        )
    }

    /// The entry point in PTX: a parameter for each buffer, in the order of the kernel's parameters.
    pub(crate) fn ptx_entry(&self) -> String {
        let argument = |argument: &Argument| match &argument.source {
            Source::Buffer(slot) => {
                match argument.is_reference && !argument.ty.starts_with("constant") {
                    true => format!("*b{slot}"),
                    false => format!("b{slot}"),
                }
            }
            Source::Threadgroup(index) => {
                argument.at(&format!("msl_threadgroup_argument({index})"))
            }
            Source::Value(value) => value.clone(),
        };
        let arguments: Vec<String> = self.arguments.iter().map(argument).collect();
        let parameters: Vec<String> =
            self.arguments.iter().filter_map(Argument::ptx_parameter).collect();
        format!(
            "extern \"C\" __attribute__((nvptx_kernel)) void msl_entry_{name}({}) {{ \
             const msl_thread here = msl_here(), *at = &here; {name}({}); }}\n",
            parameters.join(", "),
            arguments.join(", "),
            name = self.name,
        )
    }
}
