//! The reference interpreter of tile and lane functions: the meaning of each op, in plain loops.
//!
//! It is the oracle for devices and passes, never a device: clarity beats speed. Programs of a grid run one after
//! another, x fastest, over a [`Memory`] that knows its tensors. So a wrong access is an error that names tensor and
//! offset, instead of undefined behaviour. In lane functions, the threads of a threadgroup run in lock step, and races
//! and divergent barriers are errors too. Results that the op table calls arbitrary are a fixed value here
//! ([`number::poison`]).
//!
//! Floats are computed in f64 (f64 and fused operations in their own width, at least f32) and rounded once.
//!
//! ```
//! use trident_ir::interp::{InterpValue, Interpreter, Memory};
//! let module = "func @scale tile (%p: ptr<f32>[], %a: f32[]) {
//!   %i = program_id {axis = 0}
//!   %q = ptr_add(%p, %i)
//!   %x = load(%q)
//!   %y = mul(%x, %a)
//!   store(%q, %y)
//!   return
//! }".parse().unwrap();
//! let mut memory = Memory::default();
//! let p = memory.add("p", &[1f32, 2.0, 3.0]);
//! let mut interpreter = Interpreter::new(&module).unwrap();
//! interpreter.launch([3, 1, 1], &[InterpValue::address(p), InterpValue::scalar(2f32)], &mut memory).unwrap();
//! assert_eq!(memory.read_all::<f32>("p").unwrap(), [2.0, 4.0, 6.0]);
//! let error = interpreter.launch([4, 1, 1], &[InterpValue::address(p), InterpValue::scalar(2f32)], &mut memory).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "@scale: load, program (3, 0, 0): read of 4 bytes at offset 12 of `p`, which has 12 bytes",
//! );
//! ```

mod atomic;
mod block;
mod contract;
mod descriptor;
mod elementwise;
mod error;
mod fold;
mod lane;
mod libm;
mod machine;
mod memory;
pub mod number;
mod print;
pub mod runs;
mod transfer;
mod value;

pub use error::{InterpError, Trap};
pub use memory::{AccessFault, Memory};
pub use print::{Printed, PrintedElement};
pub use value::{Block, Descriptor, InterpValue};

use crate::verify::VerifyError;
use crate::{Func, Level, Module};
use machine::Machine;
use std::time::Instant;

/// A function that a run calls about every 20 ms; the run stops once it returns true.
#[derive(Clone, Copy)]
pub struct InterpWatch<'a>(pub &'a dyn Fn() -> bool);

impl std::fmt::Debug for InterpWatch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InterpWatch")
    }
}

/// Runs functions of one module.
#[derive(Debug)]
pub struct Interpreter<'m> {
    module: &'m Module,
    /// Most ops that a launch or call may run; more are an error, as an endless loop would never end.
    pub max_steps: u64,
    /// Tells runs to stop.
    pub watch: Option<InterpWatch<'m>>,
    /// The lines that `print` has printed.
    pub printed: Vec<String>,
}

impl<'m> Interpreter<'m> {
    /// An interpreter of a module that keeps the rules.
    pub fn new(module: &'m Module) -> Result<Interpreter<'m>, VerifyError> {
        module.verify()?;
        Ok(Interpreter { module, max_steps: 1 << 30, watch: None, printed: vec![] })
    }

    /// Runs the entry function once for each program of the grid, or for each threadgroup if it is at level lane.
    pub fn launch(
        &mut self,
        grid: [u32; 3],
        args: &[InterpValue],
        memory: &mut Memory,
    ) -> Result<(), InterpError> {
        let Some(entry) = self.module.entry() else { return Ok(()) };
        let mut machine = self.machine(entry, grid, args, memory)?;
        if entry.level == Level::Lane {
            return lane::launch(machine, entry, args);
        }
        for z in 0..grid[2] {
            for y in 0..grid[1] {
                for x in 0..grid[0] {
                    machine.program = [x, y, z];
                    machine.call(entry, args.to_vec())?;
                }
            }
        }
        Ok(())
    }

    /// Runs one function as the only program or threadgroup of a grid and gives its results.
    pub fn call(
        &mut self,
        func: &str,
        args: &[InterpValue],
        memory: &mut Memory,
    ) -> Result<Vec<InterpValue>, InterpError> {
        let found = self.module.funcs.iter().find(|f| f.name == func);
        let found = found.ok_or_else(|| InterpError::NoFunction(func.to_owned()))?;
        let mut machine = self.machine(found, [1; 3], args, memory)?;
        match found.level {
            Level::Lane => lane::call(machine, found, args),
            _ => machine.call(found, args.to_vec()),
        }
    }

    fn machine<'a>(
        &'a mut self,
        func: &Func,
        grid: [u32; 3],
        args: &[InterpValue],
        memory: &'a mut Memory,
    ) -> Result<Machine<'a>, InterpError> {
        if func.level == Level::Graph {
            return Err(InterpError::Level { func: func.name.clone(), level: func.level });
        }
        let params = &func.body.params;
        for index in 0..params.len().max(args.len()) {
            let expected = params.get(index).map(|&id| func.ty(id));
            let actual = args.get(index);
            if !matches!((expected, actual), (Some(ty), Some(value)) if value.is_of(ty)) {
                return Err(InterpError::Argument {
                    func: func.name.clone(),
                    index,
                    expected: expected.map_or("none".into(), |ty| ty.to_string()),
                    actual: actual.map_or("none".into(), InterpValue::describe),
                });
            }
        }
        Ok(Machine {
            module: self.module,
            memory,
            grid,
            program: [0; 3],
            steps: self.max_steps,
            max_steps: self.max_steps,
            depth: 0,
            watch: self.watch,
            asked: Instant::now(),
            printed: &mut self.printed,
        })
    }
}

#[cfg(test)]
mod tests;
