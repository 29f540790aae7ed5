#![allow(clippy::unwrap_used)] // a failed unwrap fails the test

use super::*;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::Barrier;
use std::{process, thread};

/// The ways in which objects are read: that of Linux, and that of macOS.
const WAYS: [OpenObject; 2] = [file::open, mapped::open];

/// An object of its own, which goes with this.
struct Object {
    key: String,
    path: PathBuf,
}

impl Object {
    fn new(name: &str, bytes: usize) -> Object {
        let key = format!("/trident_region_{name}_{}", process::id());
        let path = PathBuf::from(format!("/dev/shm{key}"));
        fs::write(&path, vec![0; bytes]).unwrap();
        Object { key, path }
    }

    fn info(&self, name: &str, offset: u64, size: u64) -> RegionInfo {
        RegionInfo { name: name.to_owned(), key: self.key.clone(), offset, size }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn part(regions: &Regions, offset: u64, size: u64) -> Result<RegionPart, Fault> {
    regions.part(&SharedRegion { name: "r".to_owned(), offset, size })
}

#[test]
fn parts_are_read_and_written_in_their_places() {
    for open in WAYS {
        let object = Object::new("parts", 64);
        let regions = Regions { known: Mutex::default(), open };
        regions.register(object.info("r", 16, 40)).unwrap();
        part(&regions, 8, 4).unwrap().write("OUT", &[1, 2, 3]).unwrap();
        let bytes = fs::read(&object.path).unwrap();
        assert_eq!((&bytes[23..28], bytes.len()), (&[0, 1, 2, 3, 0][..], 64));
        fs::write(&object.path, (0..64).collect::<Vec<u8>>()).unwrap();
        let mut seen = [0; 6];
        assert_eq!(part(&regions, 34, 6).unwrap().fill(&mut seen), Ok(6));
        assert_eq!(seen, [50, 51, 52, 53, 54, 55]);
        let fault = part(&regions, 0, 2).unwrap().write("OUT", &[0; 3]).unwrap_err();
        assert_eq!(fault.code, ErrorCode::Internal);
        for (offset, size) in [(40, 0), (39, 2), (u64::MAX, 1), (1, u64::MAX)] {
            assert!(part(&regions, offset, size).is_err(), "{offset} {size}");
        }
    }
}

#[test]
fn regions_that_do_not_exist_or_fit_are_refused() {
    for open in WAYS {
        let object = Object::new("fit", 4096);
        let regions = Regions { known: Mutex::default(), open };
        for (offset, size) in [(0, 4097), (4096, 1), (u64::MAX, 2), (1, u64::MAX)] {
            let fault = regions.register(object.info("r", offset, size)).unwrap_err();
            assert_eq!(fault.code, ErrorCode::InvalidArg, "{offset} {size}");
        }
        for key in ["/trident_nobody", "/a/b", "/..", "nul\0"] {
            let info = RegionInfo { key: key.to_owned(), ..object.info("r", 0, 1) };
            let text = regions.register(info).unwrap_err().text;
            assert!(text.starts_with("Unable to open"), "{text}");
        }
        regions.register(object.info("r", 0, 4096)).unwrap();
    }
}

#[test]
fn a_region_that_has_shrunk_is_an_error_of_the_request() {
    for open in WAYS {
        let object = Object::new("shrunk", 8192);
        let regions = Regions { known: Mutex::default(), open };
        regions.register(object.info("r", 0, 8192)).unwrap();
        OpenOptions::new().write(true).open(&object.path).unwrap().set_len(100).unwrap();
        let part = part(&regions, 96, 8).unwrap();
        let (read, written) = (part.fill(&mut [0; 8]), part.write("OUT", &[0; 8]));
        for fault in [read.unwrap_err(), written.unwrap_err()] {
            assert_eq!(fault.code, ErrorCode::InvalidArg, "{fault:?}");
        }
    }
}

#[test]
fn one_of_several_registrations_at_a_time_succeeds() {
    let object = Object::new("race", 64);
    let (regions, start) = (Regions::default(), Barrier::new(4));
    let register = || {
        let mut count = 0;
        for round in 0..300 {
            start.wait();
            match regions.register(object.info(&format!("r{round}"), 0, 64)) {
                Ok(()) => count += 1,
                Err(fault) => assert_eq!(fault.code, ErrorCode::AlreadyExists),
            }
        }
        count
    };
    let succeeded: i32 = thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(register)).collect();
        clients.into_iter().map(|client| client.join().unwrap()).sum()
    });
    assert_eq!(succeeded, 300);
}
