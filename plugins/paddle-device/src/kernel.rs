//! The kernels that the device has.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::element::Element;
use crate::indexed::Indexing;
use crate::makes::Make;
use crate::moves::Move;
use crate::random::Draw;

/// Kinds of parameters, as `cargo xtask paddle-headers` finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code)] // lists of floats: no kernel of the list has one yet
pub(crate) enum Kind {
    Tensor,
    OptionalTensor,
    Tensors,
    OptionalTensors,
    Bool,
    I32,
    I64,
    F32,
    F64,
    Text,
    Scalar,
    IntArray,
    Dtype,
    I32s,
    I64s,
    F32s,
    F64s,
    Scalars,
    Result,
    Results,
}

/// The three lists of a kernel's parameters, each of which has positions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Input,
    Attribute,
    Result,
}

impl Kind {
    /// The list that parameters of this kind belong to.
    pub(crate) fn group(self) -> Group {
        match self {
            Kind::Tensor | Kind::OptionalTensor | Kind::Tensors | Kind::OptionalTensors => {
                Group::Input
            }
            Kind::Result | Kind::Results => Group::Result,
            _ => Group::Attribute,
        }
    }

    /// The number of the kind in `PD_KernelArgumentType`.
    pub(crate) fn number(self) -> i32 {
        match self {
            Kind::Tensor | Kind::Result => 1,
            Kind::Bool => 2,
            Kind::F32 => 5,
            Kind::F64 => 6,
            Kind::I32 => 7,
            Kind::I64 => 8,
            Kind::Text => 9,
            Kind::Scalar => 10,
            Kind::IntArray => 11,
            Kind::Dtype => 12,
            Kind::I32s => 16,
            Kind::I64s => 17,
            Kind::F32s => 20,
            Kind::F64s => 21,
            Kind::Scalars => 23,
            Kind::OptionalTensor => 24,
            Kind::Tensors | Kind::Results => 25,
            Kind::OptionalTensors => 26,
        }
    }
}

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Param {
    /// The catalogue's name; `_` if the parameter does not matter.
    pub(crate) name: &'static str,
    /// The kind.
    pub(crate) kind: Kind,
}

/// The two ways in which Paddle calls a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry {
    /// With the kernel's arguments, by the eager interface.
    Eager,
    /// With a context that holds the arguments, by static graphs.
    Context,
}

/// The part of the plug-in that computes a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// A function that the engine compiles from the catalogue's row.
    Row,
    /// A move of elements.
    Move(Move),
    /// Random numbers.
    Draw(Draw),
    /// Indexing by tensors.
    Indexing(Indexing),
    /// A tensor made from numbers.
    Make(Make),
}

impl Route {
    /// The route of a kernel. Names are compared only once, see [`Kernel::route`].
    fn of(kernel: &str) -> Route {
        let own = Move::of(kernel)
            .map(Route::Move)
            .or_else(|| Draw::of(kernel).map(Route::Draw))
            .or_else(|| Indexing::of(kernel).map(Route::Indexing))
            .or_else(|| Make::of(kernel).map(Route::Make));
        own.unwrap_or(Route::Row)
    }
}

/// A kernel with one signature.
#[derive(Debug)]
pub(crate) struct Kernel {
    /// Paddle's name.
    pub(crate) name: &'static str,
    /// The name of the catalogue's row.
    pub(crate) row: &'static str,
    /// The releases of Paddle in which the kernel has this signature.
    pub(crate) versions: &'static [&'static str],
    /// The names of the element types that it is registered for.
    pub(crate) elements: &'static [&'static str],
    /// The parameters without the context.
    pub(crate) params: &'static [Param],
    calls: [AtomicU64; 2],
    route: OnceLock<Route>,
}

impl Kernel {
    /// A kernel that was never called.
    pub(crate) const fn new(
        (name, row): (&'static str, &'static str),
        versions: &'static [&'static str],
        elements: &'static [&'static str],
        params: &'static [Param],
    ) -> Kernel {
        let calls = [AtomicU64::new(0), AtomicU64::new(0)];
        Kernel { name, row, versions, elements, params, calls, route: OnceLock::new() }
    }

    /// The element types that it is registered for.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Element> {
        self.elements.iter().filter_map(|name| Element::named(name))
    }

    /// The part of the plug-in that computes it.
    pub(crate) fn route(&self) -> Route {
        *self.route.get_or_init(|| Route::of(self.name))
    }

    /// Counts a call that has given its results.
    pub(crate) fn count(&self, entry: Entry) {
        self.calls[entry as usize].fetch_add(1, Relaxed);
    }

    /// The number of calls that have given their results.
    pub(crate) fn calls(&self, entry: Entry) -> u64 {
        self.calls[entry as usize].load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::entries::KernelEntry;
    use crate::abi::signatures::ENTRIES;
    use crate::argument::MAX_PARAMS;
    use std::collections::BTreeSet;

    #[test]
    fn kernels_have_rows_and_element_types() {
        let mut faults = vec![];
        for KernelEntry { kernel, .. } in ENTRIES {
            let Kernel { name, params, .. } = kernel;
            assert!(params.len() <= MAX_PARAMS && !kernel.elements.is_empty(), "{name}");
            assert_eq!(kernel.elements().count(), kernel.elements.len(), "{name}");
            assert!(params.iter().any(|p| p.kind.group() == Group::Result), "{name}");
            if kernel.route() == Route::Row {
                let read = params.iter().filter(|p| p.kind.group() != Group::Result);
                let names: Vec<&str> = read.map(|p| p.name).filter(|name| *name != "_").collect();
                match trident_paddle::has_kernel(kernel.row, &names) {
                    Ok(true) => {}
                    found => faults.push((*name, found)),
                }
            }
        }
        assert!(faults.is_empty(), "kernels without such rows: {faults:?}");
    }

    #[test]
    fn each_release_has_one_signature_of_a_kernel() {
        let mut seen = BTreeSet::new();
        for KernelEntry { kernel, .. } in ENTRIES {
            for version in kernel.versions {
                assert!(seen.insert((kernel.name, *version)), "{} {version}", kernel.name);
            }
        }
        let of = |version| -> BTreeSet<&str> {
            seen.iter().filter(|(_, own)| *own == version).map(|(name, _)| *name).collect()
        };
        let newer: Vec<&str> = of("3.3.1").difference(&of("3.2.2")).copied().collect();
        assert_eq!(newer, ["div_scale"]);
        assert!(of("3.2.2").is_subset(&of("3.3.1")));
    }
}
