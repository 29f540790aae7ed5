//! Random kernels that leave an array: each launch fails and says where, and none crashes. The same kernels with arrays of
//! the size that they need give the same bits with checks and without.
#![allow(clippy::unwrap_used)] // what does not fit fails the test

mod kernels {
    pub(crate) mod generate;
}

use kernels::generate::{Case, Random};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const CASES: u64 = 200;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a case with arrays of these numbers of elements.
fn run(folder: &Path, case: &Case, sizes: &[usize], more: &[&str]) -> Output {
    let file = folder.join(format!("{}.ttir", case.number));
    std::fs::write(&file, &case.text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trident"));
    command.arg("run").arg(&file).args(["--grid", &case.grid.to_string(), "--seed", "7"]);
    command.args(["--threads", &(1 + case.number % 3).to_string()]);
    for (array, size) in case.arrays.iter().zip(sizes) {
        let value = match &array.indices {
            Some(indices) => {
                let file = folder.join(format!("{}-{}.npy", case.number, array.name));
                std::fs::write(&file, npy(&indices[..*size])).unwrap();
                format!("@{}", file.display())
            }
            None if array.zeros => format!("zeros:{size}"),
            None => format!("random:{size}"),
        };
        command.args(["--arg", &format!("{}={value}", array.name)]);
    }
    for (name, value) in &case.scalars {
        command.args(["--arg", &format!("{name}={value}")]);
    }
    command.args(more).output().unwrap()
}

/// A file of 32-bit integers.
fn npy(values: &[i32]) -> Vec<u8> {
    let header =
        format!("{{'descr': '<i4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let padded = format!("{header:117}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((padded.len() as u16).to_le_bytes());
    file.extend(padded.as_bytes());
    values.iter().for_each(|v| file.extend(v.to_le_bytes()));
    file
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The results alone: times differ from run to run.
fn changed(output: &Output) -> serde_json::Value {
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    report["changed"].clone()
}

#[test]
fn random_kernels_never_leave_their_arrays() {
    let folder = std::env::temp_dir().join(format!("trident-{}-bounds", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let folder = Folder(folder);
    let mut kinds = BTreeSet::new();
    for number in 0..CASES {
        let mut random = Random::new(number);
        let case = Case::new(number, &mut random);
        kinds.insert(case.kind);
        let told = || format!("case {number} ({}):\n{}", case.kind, case.text);

        // As large as it takes: the same with checks and without.
        let sizes = case.sizes();
        let [checked, unchecked] =
            [&["--json"][..], &["--json", "--unchecked"]].map(|o| run(&folder.0, &case, &sizes, o));
        assert!(checked.status.success(), "{}{}", text(&checked.stderr), told());
        assert!(unchecked.status.success(), "{}{}", text(&unchecked.stderr), told());
        assert_eq!(changed(&checked), changed(&unchecked), "{}", told());

        // Less, for one of them.
        let (array, less) = case.shorten(&mut random);
        let mut sizes = sizes.clone();
        sizes[array] = less;
        let name = &case.arrays[array].name;
        let outside: Vec<_> = case
            .accesses
            .iter()
            .filter(|a| a.array == array && usize::try_from(a.index).map_or(true, |i| i >= less))
            .collect();
        let program = outside.iter().map(|a| a.program).min().unwrap();
        let output = run(&folder.0, &case, &sizes, &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}{}", told());
        let place = outside
            .iter()
            .filter(|a| a.program == program)
            .any(|a| message.contains(&format!("(element {}) of `{name}`", a.index)));
        let named = message.contains(&format!("program ({program}, 0, 0)"))
            && message.contains("out-of-bounds")
            && place;
        assert!(named, "`{name}` of {less} elements, program {program}: {message}{}", told());
    }
    assert_eq!(kinds.len(), 10, "{kinds:?}");
}
