//! Functions of elements: the ops' own and those of CUDA's device library, by name and types.

use std::collections::HashMap;
use std::sync::OnceLock;

use trident_ir::DType;

use super::{Addresses, Registry, Routine, registry};

mod integer;

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
    /// The function of this name (with or without the prefix `__nv_` and the suffix `f`) for operands of these types, where
    /// integers of one width are the same. The ops' names are those of the op table: `exp`, `rsqrt`, `pow` ….
    pub fn find(name: &str, inputs: &[DType]) -> Option<&'static Function> {
        let name = name.strip_prefix("__nv_").unwrap_or(name);
        let names = [Some(name), name.strip_suffix('f')];
        names.into_iter().flatten().find_map(|name| {
            let overloads = by_name().get(name)?;
            overloads.iter().copied().find(|f| {
                let same = |(a, b): (&DType, &DType)| {
                    a == b || a.is_int() && b.is_int() && a.bits() == b.bits()
                };
                f.inputs.len() == inputs.len() && f.inputs.iter().zip(inputs).all(same)
            })
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

/// Registers functions: `functions!(registry; "name": |x: f32, y: f32| -> f32 { x + y } …)`.
macro_rules! functions {
    ($registry:ident; $($name:literal: |$($x:ident: $t:ty),+| -> $out:ty $body:block)*) => { $({
        const FUNCTION: $crate::tile::routine::Function = $crate::tile::routine::Function {
            name: $name,
            inputs: &[$(<$t as trident_ir::Element>::DTYPE),+],
            output: <$out as trident_ir::Element>::DTYPE,
        };
        let addresses = $crate::tile::routine::each_isa!(fn(out: *mut $out, $($x: *const $t,)+ n: usize) {
            for i in 0..n {
                // SAFETY: the strips have `n` elements.
                unsafe {
                    let ($($x,)+) = ($($x.add(i).read_unaligned(),)+);
                    out.add(i).write_unaligned($body);
                }
            }
        });
        $registry.function(&FUNCTION, addresses);
    })* };
}
use functions;

pub(super) fn register(registry: &mut Registry) {
    integer::register(registry);
}
