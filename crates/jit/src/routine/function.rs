//! Elementwise functions, of ops and of CUDA's device library, by name and types.

use std::collections::HashMap;
use std::sync::OnceLock;

use trident_ir::DType;

use super::{Addresses, Registry, Routine, registry};

mod elementary;
mod integer;
mod real;
mod rounded;
mod special;

/// A function of 1 to 4 elements.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name in C without the suffix for `float`.
    pub name: &'static str,
    /// Types of the operands.
    pub inputs: &'static [DType],
    /// Type of the result.
    pub output: DType,
}

impl Function {
    /// The function of this name for operands of these types; integer types of equal width are equivalent.
    pub fn find(name: &str, inputs: &[DType]) -> Option<&'static Function> {
        let alike = |a: DType, b: DType| a == b || a.is_int() && b.is_int() && a.bits() == b.bits();
        by_name().get(name)?.iter().copied().find(|f| {
            f.inputs.len() == inputs.len()
                && f.inputs.iter().zip(inputs).all(|(&a, &b)| alike(a, b))
        })
    }

    /// Every function.
    pub fn all() -> impl Iterator<Item = &'static Function> {
        by_name().values().flatten().copied()
    }
}

fn by_name() -> &'static HashMap<&'static str, Vec<&'static Function>> {
    static NAMES: OnceLock<HashMap<&'static str, Vec<&'static Function>>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut names: HashMap<_, Vec<_>> = HashMap::new();
        for routine in registry().slots.keys() {
            if let Routine::Function(f) = routine {
                names.entry(f.name).or_default().push(*f);
            }
        }
        names
    })
}

impl Registry {
    fn function(&mut self, function: &'static Function, addresses: Addresses) {
        self.add(Routine::Function(function), addresses);
    }
}

/// Registers functions: `functions!(registry; "name" => |x: f32, y: f32| -> f32 { x + y } …)`, compiled for each
/// instruction set, or `functions!(registry, once; …)` for those that call a library and do not benefit from that.
macro_rules! functions {
    ($registry:ident; $($functions:tt)*) => { functions!(@all each_isa $registry; $($functions)*) };
    ($registry:ident, once; $($functions:tt)*) => { functions!(@all any_isa $registry; $($functions)*) };
    (@all $compile:ident $registry:ident;
     $($name:expr => |$($x:ident: $t:ty),+| -> $out:ty $body:block)*) => { $({
        const FUNCTION: $crate::routine::Function = $crate::routine::Function {
            name: $name,
            inputs: &[$(<$t as trident_ir::Element>::DTYPE),+],
            output: <$out as trident_ir::Element>::DTYPE,
        };
        let addresses = $crate::routine::$compile!(fn(out: *mut $out, $($x: *const $t,)+ n: usize) {
            for i in 0..n {
                // SAFETY: the spans have `n` elements.
                let (out, $($x,)+) = unsafe { (out.add(i), $(*$x.add(i),)+) };
                let y: $out = $body;
                // SAFETY: `out` points to element `i` of a span of `n` elements, which is writable.
                unsafe { *out = y };
            }
        });
        $registry.function(&FUNCTION, addresses);
    })* };
}
use functions;

pub(super) fn register(registry: &mut Registry) {
    elementary::register(registry);
    real::register(registry);
    rounded::register(registry);
    integer::register(registry);
}

#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod tests;
