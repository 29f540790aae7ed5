//! Threadgroups: algorithms against plain loops, and kernels with a planted error, which is found.

mod algorithms;
mod faults;
mod simd;

use super::*;

/// The module of a kernel `f` with so many threads; `%t` is the thread's index.
fn kernel(threads: usize, head: &str, body: &str) -> Module {
    let text = format!(
        "func @f lane {{threads = {threads}}} ({head}) {{ %t = thread_index {body} return }}"
    );
    text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs a kernel on a grid.
fn launch(
    module: &Module,
    grid: u32,
    args: &[InterpValue],
    memory: &mut Memory,
) -> Result<(), InterpError> {
    let mut interpreter = Interpreter::new(module).unwrap_or_else(|e| panic!("{e}"));
    interpreter.max_steps = 1 << 20;
    interpreter.launch([grid, 1, 1], args, memory)
}

/// Constants `%c0`, `%c1` … of these numbers.
fn constants(numbers: &[i32]) -> String {
    let one = |n: &i32| format!("%c{n} = constant {{value = i32[]({n})}}\n");
    numbers.iter().map(one).collect()
}
