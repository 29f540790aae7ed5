//! Children of a test's process.
//!
//! Rust's library holds a lock while a thread starts and while one ends. A child that is forked at that moment can start
//! no thread (https://github.com/rust-lang/rust/blob/1.95.0/library/std/src/sys/pal/unix/stack_overflow/thread_info.rs).
//! So a program that forks has a single test, whose threads have all begun before the first fork and end after the last.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The longest that a child may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Forks; the child exits with success if `body` is true. The status with which it exits, or an error if it does not
/// end in time, after which it is gone.
pub(crate) fn child(body: impl FnOnce() -> bool) -> Result<i32, &'static str> {
    // SAFETY: the child calls what is under test, which is meant to survive a fork, and ends without the harness.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "no process could be started");
    if pid == 0 {
        let right = catch_unwind(AssertUnwindSafe(body)).unwrap_or(false);
        // SAFETY: it ends the process.
        unsafe { libc::_exit(if right { 0 } else { 1 }) }
    }
    let (mut status, start) = (0, Instant::now());
    // SAFETY: `status` is a place for the result, and the child is ours.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > LIMIT {
            // SAFETY: the child has not been waited for.
            unsafe { (libc::kill(pid, libc::SIGKILL), libc::waitpid(pid, &mut status, 0)) };
            return Err("the child hangs");
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(status)
}

/// Waits until threads that were started have begun.
pub(crate) fn settle() {
    std::thread::sleep(Duration::from_millis(200));
}
