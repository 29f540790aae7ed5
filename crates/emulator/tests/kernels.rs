//! Correct kernels give the right results, and no reports when checked.
#![allow(unsafe_code)] // commits batches

mod common;

use common::{Rig, bytes_of, noise, read};

/// Runs a test plainly and checked; a checked kernel must have no reports.
fn both(source: &str, test: impl Fn(&Rig)) {
    for checked in [false, true] {
        let rig = Rig::new(source, checked).unwrap_or_else(|error| panic!("{error}"));
        test(&rig);
        assert_eq!(rig.emulator.take_reports(), []);
    }
}

#[test]
fn vector_add_with_mask_and_tail() {
    both(include_str!("kernels/vadd.metal"), |rig| {
        let n = 10_003;
        let (a, b) = (noise(n, 1), noise(n, 2));
        let mask: Vec<u8> = (0..n).map(|i| (i % 3 != 0).into()).collect();
        let out = rig.buffer(&vec![0f32; n]);
        let mut sizes = (n as u32).to_le_bytes().to_vec();
        sizes.extend(0.5f32.to_le_bytes());
        let dispatch = rig
            .dispatch([(n as u32).div_ceil(1024), 1, 1], [256, 1, 1])
            .buffer(0, &rig.buffer(&a), 0)
            .buffer(1, &rig.buffer(&b), 0)
            .buffer(2, &rig.buffer(&mask), 0)
            .buffer(3, &out, 0)
            .bytes(4, &sizes);
        rig.run(dispatch).unwrap();
        for (i, got) in read::<f32>(&out).into_iter().enumerate() {
            let want = if mask[i] != 0 { a[i] + 0.5 * b[i] } else { a[i] };
            assert_eq!(got, want, "element {i}");
        }
        let _ = bytes_of(&a);
    });
}
