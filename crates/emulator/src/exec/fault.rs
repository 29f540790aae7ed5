//! Faults of kernels, and kernels that do not end: signals that leave the fiber and stop the dispatch.

use super::fiber::resume;
use super::hooks;
use super::machine::Stop;
use std::mem::{MaybeUninit, zeroed};
use std::ptr;
use std::sync::OnceLock;
use std::time::Instant;

/// The signals of faults.
const FAULTS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

/// The handlers that were there before, for faults that are not a kernel's.
static PREVIOUS: OnceLock<[libc::sigaction; FAULTS.len()]> = OnceLock::new();

/// The signal of a [`Timer`]: one that nothing else is likely to use.
fn alarm() -> i32 {
    libc::SIGRTMIN() + 7
}

/// Sets the handlers, once in a process.
pub(crate) fn install() {
    PREVIOUS.get_or_init(|| {
        // SAFETY: an action of all zeros is valid: no flags and the default handler.
        let mut action: libc::sigaction = unsafe { zeroed() };
        action.sa_sigaction = handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the set is the action's own. The handler has the signature that SA_SIGINFO asks for.
        unsafe {
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(alarm(), &raw const action, ptr::null_mut());
        }
        FAULTS.map(|signal| {
            let mut previous = MaybeUninit::zeroed();
            // SAFETY: the handler has the signature that SA_SIGINFO asks for. The previous action is zeros, which are valid,
            // until the system writes it.
            unsafe {
                libc::sigaction(signal, &raw const action, previous.as_mut_ptr());
                previous.assume_init()
            }
        })
    });
}

/// Leaves the fiber that runs on this thread, if one does and its kernel's code, or what it calls, caused the signal.
extern "C" fn handle(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let this = hooks::machine();
    // SAFETY: the machine of a thread lives as long as the pointer is set, and the code that the signal interrupts does
    // not use it, except when it is `inside`, which is read only.
    let running = !this.is_null() && unsafe { !(*this).current.is_null() && !(*this).inside };
    if !running {
        if signal != alarm() {
            forward(signal, info, context);
        }
        return;
    }
    // SAFETY: the system passes a context, and for faults the address in the information. The instruction at an address
    // inside of the image has been fetched; what follows it up to 15 bytes lies in the image's last page at least.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let pc = registers[libc::REG_RIP as usize] as usize;
        if signal == libc::SIGFPE
            && (*(*this).launch).code.contains(&pc)
            && let Some(length) = division(std::slice::from_raw_parts(pc as *const u8, 15))
        {
            // A GPU does not trap: the result is any value.
            registers[libc::REG_RAX as usize] = -1;
            registers[libc::REG_RDX as usize] = -1;
            registers[libc::REG_RIP as usize] += length as i64;
            return;
        }
        let stop = if signal != alarm() {
            let address = (*info).si_addr() as usize;
            let index = (*this).index((*this).current);
            match signal == libc::SIGSEGV && (*this).stacks.guard(index).contains(&address) {
                true => Stop::Stack,
                false => Stop::Signal { number: signal, pc, address },
            }
        } else if Instant::now() < (*(*this).launch).deadline {
            return;
        } else {
            Stop::Time
        };
        (*this).stop = Some(stop);
        // The fiber is given up: the scheduler goes on as if it had switched.
        registers[libc::REG_RSP as usize] = (*this).scheduler as i64;
        registers[libc::REG_RIP as usize] = resume as *const () as i64;
    }
}

/// The length of the division instruction that `code` begins with: Intel's manual, volume 2, chapter 2.
fn division(code: &[u8]) -> Option<usize> {
    let mut at = usize::from(*code.first()? == 0x66);
    at += usize::from(code.get(at)? & 0xf0 == 0x40);
    let (opcode, form) = (*code.get(at)?, *code.get(at + 1)?);
    // DIV is /6 and IDIV is /7.
    if !matches!(opcode, 0xf6 | 0xf7) || form >> 3 & 7 < 6 {
        return None;
    }
    let (mode, base) = (form >> 6, form & 7);
    let mut length = at + 2;
    let mut absolute = mode == 0 && base == 5;
    if mode != 3 && base == 4 {
        length += 1;
        absolute = mode == 0 && code.get(at + 2)? & 7 == 5;
    }
    Some(length + if absolute { 4 } else { [0, 1, 4, 0][usize::from(mode)] })
}

/// Does what would happen without this module.
fn forward(signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let position = FAULTS.iter().position(|known| *known == signal);
    let Some(previous) = position.and_then(|i| PREVIOUS.get().map(|all| all[i])) else { return };
    let handler = previous.sa_sigaction;
    if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
        // The fault happens again when this handler returns, with the default action.
        // SAFETY: restores an action that the system gave.
        unsafe { libc::sigaction(signal, &raw const previous, ptr::null_mut()) };
    } else if previous.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: the previous handler's flags say that it has this signature.
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) =
            unsafe { std::mem::transmute(handler) };
        handler(signal, info, context);
    } else {
        // SAFETY: handlers without SA_SIGINFO have this signature, and it is neither SIG_DFL nor SIG_IGN.
        let handler: extern "C" fn(i32) = unsafe { std::mem::transmute(handler) };
        handler(signal);
    }
}

/// Bytes of the stack on which a thread runs handlers.
const ALTERNATE: usize = 64 << 10;

/// A stack for this thread's signal handlers, as long as it is needed: a fiber's own stack may have overflowed. Threads
/// already have one if Rust started the process, but not in a Python process.
pub(crate) struct AlternateStack(Option<*mut libc::c_void>);

impl AlternateStack {
    /// Without memory there is none; then a fiber whose stack ends is the end of the process.
    pub(crate) fn ensure() -> AlternateStack {
        let mut known = MaybeUninit::<libc::stack_t>::zeroed();
        // SAFETY: the system writes what there is, and zeros are valid.
        let known = unsafe {
            libc::sigaltstack(ptr::null(), known.as_mut_ptr());
            known.assume_init()
        };
        if known.ss_flags & libc::SS_DISABLE == 0 {
            return AlternateStack(None);
        }
        let (access, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), ALTERNATE, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return AlternateStack(None);
        }
        let stack = libc::stack_t { ss_sp: start, ss_flags: 0, ss_size: ALTERNATE };
        // SAFETY: the mapping is this value's own, and nothing else uses it.
        unsafe { libc::sigaltstack(&raw const stack, ptr::null_mut()) };
        AlternateStack(Some(start))
    }
}

impl Drop for AlternateStack {
    fn drop(&mut self) {
        let Some(start) = self.0 else { return };
        let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        // SAFETY: no handler runs on this thread, so the stack is not in use, and it is this value's own.
        unsafe {
            libc::sigaltstack(&raw const none, ptr::null_mut());
            libc::munmap(start, ALTERNATE);
        }
    }
}

/// Interrupts this thread from a time on, every 20 ms, until it is dropped.
pub(crate) struct Timer(Option<libc::timer_t>);

impl Timer {
    /// Without a timer if the system has none left; then kernels that do not end hang.
    pub(crate) fn until(deadline: Instant) -> Timer {
        // SAFETY: an event of all zeros is valid; the fields that matter are set.
        let mut event: libc::sigevent = unsafe { zeroed() };
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = alarm();
        // SAFETY: asks for the number of this thread.
        event.sigev_notify_thread_id = unsafe { libc::gettid() };
        let mut timer = ptr::null_mut();
        // SAFETY: both arguments are valid for the call.
        let made =
            unsafe { libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer) };
        if made != 0 {
            return Timer(None);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let first = libc::timespec {
            tv_sec: left.as_secs() as i64,
            tv_nsec: i64::from(left.subsec_nanos().max(1)),
        };
        let every = libc::timespec { tv_sec: 0, tv_nsec: 20_000_000 };
        let times = libc::itimerspec { it_interval: every, it_value: first };
        // SAFETY: the timer was just made.
        unsafe { libc::timer_settime(timer, 0, &raw const times, ptr::null_mut()) };
        Timer(Some(timer))
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if let Some(timer) = self.0 {
            // SAFETY: the timer is this value's own.
            unsafe { libc::timer_delete(timer) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_divisions() {
        for (code, length) in [
            (&[0xf7, 0xf9][..], 2),               // idiv ecx
            (&[0x48, 0xf7, 0xf1], 3),             // div rcx
            (&[0x41, 0xf7, 0xf8], 3),             // idiv r8d
            (&[0x66, 0xf7, 0xf6], 3),             // div si
            (&[0xf6, 0xf3], 2),                   // div bl
            (&[0xf7, 0x75, 0x08], 3),             // div dword [rbp + 8]
            (&[0xf7, 0x7c, 0x24, 0x08], 4),       // idiv dword [rsp + 8]
            (&[0xf7, 0x3d, 0, 0, 0, 0], 6),       // idiv dword [rip]
            (&[0xf7, 0xb4, 0x88, 1, 0, 0, 0], 7), // div dword [rax + 4 rcx + 1]
            (&[0xf7, 0x34, 0x8d, 1, 0, 0, 0], 7), // div dword [4 rcx + 1]
            (&[0xf7, 0x34, 0x24], 3),             // div dword [rsp]
        ] {
            let mut bytes = code.to_vec();
            bytes.resize(15, 0x90);
            assert_eq!(division(&bytes), Some(length), "{code:x?}");
        }
        assert_eq!(division(&[0xf7, 0xd9, 0x90]), None); // neg ecx
        assert_eq!(division(&[0x0f, 0xae, 0x90]), None);
    }
}
