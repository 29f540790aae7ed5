//! A kernel whose threads need too much stack is an error in processes that Rust has not started, such as Python's: their threads
//! have no stack of their own for signals.
#![no_main]
#![allow(unsafe_code)] // `main` as the system calls it; commits batches

mod common;

use common::{HEADER, Rig};

#[unsafe(no_mangle)]
extern "C" fn main() -> i32 {
    let source = format!(
        "{HEADER}kernel void t(device uint* o [[buffer(0)]], uint g [[thread_position_in_grid]]) {{\n\
         uint a[400000]; a[o[g] + 5] = 3; a[o[g + 1]] = 4; o[g] = a[o[g] + 5]; }}"
    );
    for checked in [false, true] {
        let rig = Rig::new(&source, checked).unwrap_or_else(|error| panic!("{error}"));
        let buffer = rig.buffer(&[0u32; 128]);
        let result = rig.run(rig.dispatch([3, 1, 1], [32, 1, 1]).buffer(0, &buffer, 0));
        let text = result.map_or_else(|error| error.to_string(), |()| "no error".to_owned());
        if !text.contains("of stack; hint: use smaller blocks") {
            eprintln!("{text}");
            return 1;
        }
    }
    0
}
