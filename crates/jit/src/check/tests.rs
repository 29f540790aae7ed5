use trident_ir::Loc;
use trident_runtime::Extent;

use super::*;

const LOCK: Access = Access::Atomic { acquire: true, release: true, writes: true };
const RELAXED: Access = Access::Atomic { acquire: false, release: false, writes: true };

/// Sites of pointers that come from the first tensor, from the second, from either, and from anywhere.
const X: u64 = 0;
const Y: u64 = 1;
const EITHER: u64 = 2;
const ANY: u64 = 3;

/// Two tensors `x` and `y` of 64 bytes, one after the other, in one block of memory.
struct Arrays {
    memory: Vec<u64>,
    checker: Checker,
}

impl Arrays {
    fn new() -> Arrays {
        let memory = vec![0; 16];
        let address = memory.as_ptr() as usize;
        let extents = ["x", "y"].map(|name| {
            let param = usize::from(name == "y");
            Extent { name, param, address: address + 64 * param, bytes: 64, writable: true }
        });
        let sites = [(vec![0], false), (vec![1], false), (vec![0, 1], false), (vec![], true)];
        let sites = sites.map(|(params, open)| {
            let loc = Some(Loc::source("kernel.py", params.len() as u32, 1));
            Site { loc, origin: Origin { params, open }, ..Site::default() }
        });
        let args = [address as u64, address as u64 + 64];
        // SAFETY: no kernel gets it.
        let launch = unsafe { KernelLaunch::of_addresses([4, 4, 1], &args, &extents) };
        Arrays { checker: Checker::new(&launch, &sites), memory }
    }

    /// An access at this many bytes from the first byte of `x`.
    fn access(&mut self, site: u64, at: i64, bytes: usize, access: Access) -> Result<(), String> {
        let address = (self.memory.as_ptr() as u64).wrapping_add_signed(at);
        // SAFETY: in bounds, the bytes are those of `memory`.
        let result = unsafe { self.checker.access(site, address, bytes, access) };
        result.map_err(|e| e.to_string())
    }

    fn fails(&mut self, site: u64, at: i64, bytes: usize, access: Access, text: &str) {
        assert_eq!(self.access(site, at, bytes, access), Err(text.to_owned()));
    }
}

#[test]
fn an_access_stays_in_the_tensor_that_it_is_meant_for() {
    let mut a = Arrays::new();
    assert_eq!(a.access(X, 60, 4, Access::Read), Ok(()));
    let text = "out-of-bounds read of 4 bytes at byte 64 (element 16) of `x`, whose memory is bytes 0 to 64";
    a.fails(X, 64, 4, Access::Read, text);
    let text = "out-of-bounds write of 8 bytes at byte 60 of `x`, whose memory is bytes 0 to 64";
    a.fails(X, 60, 8, Access::Write, text);
    let text = "out-of-bounds atomic access of 4 bytes at byte -4 (element -1) of `y`, whose memory is bytes 0 to 64";
    a.fails(Y, 60, 4, LOCK, text);
    assert_eq!(a.access(EITHER, 60, 4, Access::Read), Ok(()));
    assert_eq!(a.access(EITHER, 64, 4, Access::Read), Ok(()));
    let text = "out-of-bounds read of 1 byte at byte 64 (element 64) of `y`, whose memory is bytes 0 to 64";
    a.fails(EITHER, 128, 1, Access::Read, text);
}

#[test]
fn addresses_from_memory_may_be_anything_but_null() {
    let mut a = Arrays::new();
    assert_eq!(a.access(ANY, 100, 4, Access::Read), Ok(()));
    assert_eq!(a.access(ANY, 128, 4, Access::Write), Ok(()));
    let null = (a.memory.as_ptr() as i64).wrapping_neg();
    let text = "read of 4 bytes through a null pointer (address 0x8)";
    a.fails(ANY, null + 8, 4, Access::Read, text);
}

#[test]
fn a_launch_that_names_all_its_memory_has_no_other() {
    let (memory, read) = ([0u64; 16], Origin { params: vec![0], open: false });
    let address = memory.as_ptr() as usize;
    let extent =
        |name, param, address| Extent { name, param, address, bytes: 64, writable: param == 1 };
    let list = [extent("x", 0, address), extent("y", 1, address + 64)];
    let args = [address as u64, address as u64 + 64, 7];
    // SAFETY: no kernel gets it.
    let launch = unsafe { KernelLaunch::of_addresses([1; 3], &args, &list) };
    let open = Origin { params: vec![], open: true };
    let find = |origin: &Origin, launch: &KernelLaunch<'_>, at: u64, access| {
        let found = Extents::new(launch).access(origin, address as u64 + at, 4, access);
        found.map_err(|e| e.to_string())
    };
    for launch in [launch, launch.bounded()] {
        assert_eq!(find(&open, &launch, 60, Access::Read), Ok(()));
        assert_eq!(find(&open, &launch, 124, LOCK), Ok(()));
        let error = find(&open, &launch, 60, Access::Write).unwrap_err();
        assert!(error.contains("(element 15) of `x`, which is read-only"), "{error}");
        let error = find(&read, &launch, 0, LOCK).unwrap_err();
        assert!(error.contains("(element 0) of `x`, which is read-only"), "{error}");
    }
    assert_eq!(find(&open, &launch, 126, Access::Read), Ok(()));
    let error = find(&open, &launch.bounded(), 126, Access::Read).unwrap_err();
    assert!(error.contains("which belongs to no argument: it would be byte 62 of `y`"), "{error}");
    let unknown = u64::MAX - LOWEST;
    let bound = |base, readable, writable| Bound { base, readable, writable };
    assert_eq!(
        bounds(&launch),
        [bound(args[0], 64, 0), bound(args[1], 64, 64), bound(LOWEST, unknown, unknown)]
    );
}

#[test]
fn elements_are_aligned() {
    let mut a = Arrays::new();
    a.fails(Y, 66, 4, Access::Read, "misaligned read of 4 bytes at byte 2 of `y`");
    assert_eq!(a.access(Y, 66, 2, Access::Read), Ok(()));
}

#[test]
fn memory_is_read_after_it_was_written() {
    let mut a = Arrays::new();
    let pattern = u64::from_le_bytes(UNWRITTEN);
    a.memory[2] = pattern;
    a.memory[3] = pattern & 0xffff_ffff;
    for (at, bytes) in [(16, 8), (16, 4), (20, 4), (24, 4), (22, 2), (17, 1)] {
        let error = a.access(X, at, bytes, Access::Read).unwrap_err();
        assert!(error.contains("which nothing has written"), "{error}");
    }
    for (at, bytes) in [(24, 8), (28, 4), (24, 2), (8, 8), (0, 4)] {
        assert_eq!(a.access(X, at, bytes, Access::Read), Ok(()), "{at} {bytes}");
    }
    let text = "atomic access of 4 bytes at byte 20 (element 5) of `x`, which nothing has written";
    a.fails(X, 20, 4, RELAXED, text);
    let mut a = Arrays::new();
    a.memory[2] = pattern;
    assert_eq!(a.access(X, 16, 4, Access::Write), Ok(()));
    assert_eq!(a.access(X, 16, 4, Access::Read), Ok(()));
    assert!(a.access(X, 20, 4, Access::Read).is_err());
}

#[test]
fn programs_race_where_one_writes() {
    let mut a = Arrays::new();
    assert_eq!(a.access(X, 0, 4, Access::Read), Ok(()));
    assert_eq!(a.access(X, 4, 4, Access::Write), Ok(()));
    assert_eq!(a.access(X, 4, 4, Access::Write), Ok(()));
    a.checker.begin(1);
    assert_eq!(a.access(X, 0, 4, Access::Read), Ok(()));
    for access in [Access::Read, Access::Write, LOCK] {
        let text = format!(
            "{access} of 4 bytes at byte 4 (element 1) of `x` races with a write by program (0, 0, 0)"
        );
        a.fails(X, 4, 4, access, &text);
    }
    let text = "read of 1 byte at byte 6 (element 6) of `x` races with a write by program (0, 0, 0) at kernel.py:1:1";
    a.fails(EITHER, 6, 1, Access::Read, text);
    for program in [5, 6, 7] {
        a.checker.begin(program);
        assert_eq!(a.access(X, 8, 4, Access::Read), Ok(()));
    }
    for access in [Access::Write, LOCK] {
        let text = format!(
            "{access} of 4 bytes at byte 8 (element 2) of `x` races with a read by program (1, 1, 0)"
        );
        a.fails(X, 8, 4, access, &text);
    }
    a.checker.begin(5);
    assert!(a.access(X, 8, 4, Access::Write).is_err());
}

#[test]
fn atomics_do_not_race_and_a_lock_orders_what_it_guards() {
    let mut a = Arrays::new();
    for program in 0..4 {
        a.checker.begin(program);
        assert_eq!(a.access(Y, 64, 4, LOCK), Ok(()));
        assert_eq!(a.access(X, 16, 4, Access::Read), Ok(()));
        assert_eq!(a.access(X, 16, 4, Access::Write), Ok(()));
        assert_eq!(a.access(Y, 64, 4, LOCK), Ok(()));
    }
    a.checker.begin(5);
    assert!(a.access(X, 16, 4, Access::Read).is_err());
    a.checker.begin(6);
    assert_eq!(a.access(Y, 64, 4, RELAXED), Ok(()));
    assert!(a.access(X, 16, 4, Access::Read).is_err());
    assert_eq!(a.access(Y, 64, 4, Access::Write), Ok(()));
}
