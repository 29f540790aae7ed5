//! Which of a kernel's parameters its pointers come from.

use crate::op::{Effect, Use};
use crate::{Block, Func, Module, Op, OpKind as K, Type, ValueId, ops};
use std::collections::HashMap;

/// Where pointers or descriptors may come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Numbers of the entry's parameters, ascending.
    pub params: Vec<u32>,
    /// Whether they may come from elsewhere: from memory, or from integers.
    pub open: bool,
}

impl Origin {
    fn elsewhere() -> Origin {
        Origin { params: vec![], open: true }
    }

    /// Adds the other's; whether that changed anything.
    fn join(&mut self, other: &Origin) -> bool {
        let mut changed = other.open && !self.open;
        self.open |= other.open;
        for &param in &other.params {
            if let Err(at) = self.params.binary_search(&param) {
                self.params.insert(at, param);
                changed = true;
            }
        }
        changed
    }
}

/// The origins of all pointers and descriptors of a module at level tile or lane; a function that is called from
/// several places has the origins of all its calls.
#[derive(Debug)]
pub struct Origins<'m> {
    module: &'m Module,
    of: HashMap<(&'m str, ValueId), Origin>,
}

impl<'m> Origins<'m> {
    /// Follows pointers through the module until nothing changes.
    pub fn new(module: &'m Module) -> Origins<'m> {
        let mut origins = Origins { module, of: HashMap::new() };
        let Some(entry) = module.entry() else { return origins };
        for (i, &param) in entry.body.params.iter().enumerate() {
            let origin = Origin { params: vec![i as u32], open: false };
            origins.add(entry, Some(param), &origin);
        }
        while module.funcs.iter().fold(false, |changed, f| origins.block(f, &f.body) | changed) {}
        origins
    }

    /// The origin of a value of the function, which must be in the module. Empty for values that are neither pointers
    /// nor descriptors.
    pub fn of(&self, func: &str, value: ValueId) -> Origin {
        let key =
            self.module.funcs.iter().find(|f| f.name == func).map(|f| (f.name.as_str(), value));
        key.and_then(|key| self.of.get(&key)).cloned().unwrap_or_default()
    }

    /// For each parameter of the entry, whether the kernel may write through it.
    pub fn written(&self) -> Vec<bool> {
        let count = self.module.entry().map_or(0, |f| f.body.params.len());
        let mut written = vec![false; count];
        for func in &self.module.funcs {
            func.body.walk(&mut |op| {
                let decl = op.decl();
                let targets = decl.operands.iter().zip(&op.inputs);
                let targets = targets.filter(|(operand, _)| operand.used == Use::Target);
                for target in targets.filter_map(|(_, value)| *value) {
                    for param in self.of(&func.name, target).params {
                        if let Some(slot) = written.get_mut(param as usize) {
                            *slot = true;
                        }
                    }
                }
            });
        }
        written
    }

    fn block(&mut self, func: &'m Func, block: &'m Block) -> bool {
        block.ops.iter().fold(false, |changed, op| {
            let own = match op.kind {
                K::If => self.branches(func, op),
                K::For => self.counted(func, op),
                K::While => self.conditional(func, op),
                K::Call => self.call(func, op),
                _ => self.op(func, op),
            };
            op.regions.iter().fold(own | changed, |changed, r| self.block(func, r) | changed)
        })
    }

    /// An op without control flow: its pointers come from where its operands do.
    fn op(&mut self, func: &'m Func, op: &Op) -> bool {
        let outputs: Vec<ValueId> =
            op.outputs.iter().flatten().copied().filter(|&v| is_pointer(func.ty(v))).collect();
        if outputs.is_empty() {
            return false;
        }
        // Pointers that are read come from memory.
        let sources = if op.decl().effect() == Effect::Pure { &op.inputs[..] } else { &[] };
        let sources = sources.iter().flatten().copied().filter(|&v| is_pointer(func.ty(v)));
        let mut origin: Option<Origin> = None;
        for source in sources {
            origin.get_or_insert_default().join(&self.of(&func.name, source));
        }
        // Arrays are the function's own.
        let origin = match op.kind {
            K::Alloc => Origin::default(),
            _ => origin.unwrap_or_else(Origin::elsewhere),
        };
        outputs.into_iter().fold(false, |changed, v| self.add(func, Some(v), &origin) | changed)
    }

    fn branches(&mut self, func: &'m Func, op: &Op) -> bool {
        op.regions.iter().fold(false, |changed, region| {
            self.flow_all(func, &region.results, &op.outputs) | changed
        })
    }

    fn counted(&mut self, func: &'m Func, op: &Op) -> bool {
        let ([region], Some(init)) = (&op.regions[..], op.inputs.get(3..)) else { return false };
        let init: Vec<ValueId> = init.iter().flatten().copied().collect();
        let carried: Vec<_> = region.params.iter().skip(1).map(|&v| Some(v)).collect();
        [&init, &region.results].into_iter().fold(false, |changed, from| {
            self.flow_all(func, from, &carried) | self.flow_all(func, from, &op.outputs) | changed
        })
    }

    fn conditional(&mut self, func: &'m Func, op: &Op) -> bool {
        let [before, after] = &op.regions[..] else { return false };
        let init: Vec<ValueId> = op.inputs.iter().flatten().copied().collect();
        let passed = before.results.get(1..).unwrap_or_default();
        let params = |b: &Block| b.params.iter().map(|&v| Some(v)).collect::<Vec<_>>();
        self.flow_all(func, &init, &params(before))
            | self.flow_all(func, passed, &params(after))
            | self.flow_all(func, passed, &op.outputs)
            | self.flow_all(func, &after.results, &params(before))
    }

    fn call(&mut self, func: &'m Func, op: &Op) -> bool {
        let name = ops::Call::of(op).map_or("", |op| op.callee());
        let Some(callee) = self.module.funcs.iter().find(|f| f.name == name) else { return false };
        let mut changed = false;
        for (&param, arg) in callee.body.params.iter().zip(op.inputs.iter().flatten()) {
            let origin = self.of(&func.name, *arg);
            changed |= self.add(callee, Some(param), &origin);
        }
        for (&result, &output) in callee.body.results.iter().zip(&op.outputs) {
            let origin = self.of(&callee.name, result);
            changed |= self.add(func, output, &origin);
        }
        changed
    }

    fn flow_all(&mut self, func: &'m Func, from: &[ValueId], to: &[Option<ValueId>]) -> bool {
        from.iter().zip(to).fold(false, |changed, (&from, &to)| {
            let origin = self.of(&func.name, from);
            self.add(func, to, &origin) | changed
        })
    }

    fn add(&mut self, func: &'m Func, value: Option<ValueId>, origin: &Origin) -> bool {
        match value.filter(|&v| is_pointer(func.ty(v))) {
            Some(v) => self.of.entry((&func.name, v)).or_default().join(origin),
            None => false,
        }
    }
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Pointer(_) | Type::Descriptor(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(text: &str) -> Module {
        let module: Module = text.parse().unwrap();
        for func in &module.funcs {
            func.verify().unwrap();
        }
        module
    }

    #[test]
    fn pointers_are_followed_through_arithmetic_and_branches() {
        let m = module(
            "func @f tile (%a: ptr<f32>[], %b: ptr<f32>[], %c: ptr<f32>[], %go: bool[]) {
               %block = splat(%a) : ptr<f32>[4]
               %i = arange() {start = 0, end = 4} : i32[4]
               %moved = ptr_add(%block, %i)
               %x = load(%moved)
               %either = if(%go) : ptr<f32>[] region {
                 yield %b
               } region {
                 yield %c
               }
               %y = load(%b)
               store(%either, %y)
               return
             }",
        );
        let origins = Origins::new(&m);
        let named = |name: &str| {
            let at = m.funcs[0].values.iter().position(|v| v.name == name).unwrap();
            origins.of("f", ValueId(at as u32))
        };
        assert_eq!(named("moved"), Origin { params: vec![0], open: false });
        assert_eq!(named("either"), Origin { params: vec![1, 2], open: false });
        assert_eq!(named("x"), Origin::default());
        assert_eq!(origins.written(), [false, true, true, false]);
    }

    #[test]
    fn pointers_are_followed_through_loops_and_calls() {
        let m = module(
            "func @f tile (%a: ptr<f32>[], %b: ptr<f32>[], %n: i32[], %x: f32[]) {
               %p, %q = for(%n, %n, %n, %a, %b) : ptr<f32>[], ptr<f32>[] region (%i: i32[], %r: ptr<f32>[], %s: ptr<f32>[]) {
                 %next = ptr_add(%r, %n)
                 yield %next, %r
               }
               call(%p, %x) {callee = \"g\"}
               return
             }
             func @g tile (%to: ptr<f32>[], %x: f32[]) {
               store(%to, %x)
               return
             }",
        );
        let origins = Origins::new(&m);
        let named = |func: usize, name: &str| {
            let f = &m.funcs[func];
            let at = f.values.iter().position(|v| v.name == name).unwrap();
            origins.of(&f.name, ValueId(at as u32))
        };
        assert_eq!(named(0, "next"), Origin { params: vec![0], open: false });
        assert_eq!(named(0, "q"), Origin { params: vec![0, 1], open: false });
        assert_eq!(named(1, "to"), Origin { params: vec![0], open: false });
        assert_eq!(origins.written(), [true, false, false, false]);
    }

    #[test]
    fn arrays_come_from_no_parameter() {
        let m = module(
            "func @f lane {threads = 32} (%a: ptr<f32>[], %b: ptr<f32>[], %n: i32[]) {
               %s = alloc {space = \"threadgroup\", dtype = f32, len = 64}
               %t = ptr_add(%s, %n)
               %m = matrix_load(%a, %n)
               matrix_store(%b, %m, %n)
               matrix_store(%t, %m, %n)
               return
             }",
        );
        let origins = Origins::new(&m);
        let at = m.funcs[0].values.iter().position(|v| v.name == "t").unwrap();
        assert_eq!(origins.of("f", ValueId(at as u32)), Origin::default());
        assert_eq!(origins.written(), [false, true, false]);
    }

    #[test]
    fn pointers_from_memory_and_integers_may_point_anywhere() {
        let m = module(
            "func @f tile (%list: ptr<i64>[], %x: f32[]) {
               %n = load(%list)
               %p = int_to_ptr(%n) : ptr<f32>[]
               store(%p, %x)
               return
             }",
        );
        let origins = Origins::new(&m);
        let at = m.funcs[0].values.iter().position(|v| v.name == "p").unwrap();
        assert_eq!(origins.of("f", ValueId(at as u32)), Origin::elsewhere());
        assert_eq!(origins.written(), [false, false]);
    }
}
