//! The clock by which unused memory ages.

/// Milliseconds since some time, which wrap. As it is read whenever a block comes back, it is the clock that takes least time, with
/// steps of some milliseconds.
#[cfg(target_os = "linux")]
pub(super) fn now() -> u32 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::MonotonicCoarse);
    (time.tv_sec as u64).wrapping_mul(1000).wrapping_add(time.tv_nsec as u64 / 1_000_000) as u32
}

/// Milliseconds since some time, which wrap.
#[cfg(not(target_os = "linux"))]
pub(super) fn now() -> u32 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_millis() as u32
}
