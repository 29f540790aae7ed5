//! The clock by which unused memory ages.

/// Wrapping milliseconds of the coarse clock. It is read on every free, so it must be cheap; a resolution of a few
/// milliseconds is enough.
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
