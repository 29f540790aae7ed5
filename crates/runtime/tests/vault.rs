//! The folder of compiled kernels: what is kept comes back, what others may have touched does not.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use tempfile::TempDir;
use trident_runtime::{Vault, VaultError};

fn vault() -> (TempDir, Vault) {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path().join("a/kernels"));
    (folder, vault)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Asserts that the error says this of what is at the path.
fn assert_untrusted<T: std::fmt::Debug>(result: Result<T, VaultError>, path: &Path, text: &str) {
    match result.unwrap_err() {
        VaultError::Untrusted { path: at, reason } => {
            assert_eq!(at, path);
            assert!(reason.contains(text), "{reason}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn what_is_written_is_read() {
    let (_folder, vault) = vault();
    assert!(vault.read("x.kernel").unwrap().is_none());
    for content in [&b"one"[..], b"", b"another"] {
        let path = vault.write("x.kernel", content).unwrap().unwrap();
        assert_eq!(path, vault.path().join("x.kernel"));
        assert_eq!(vault.read("x.kernel").unwrap().unwrap(), content);
        assert_eq!(
            fs::read_dir(vault.path()).unwrap().count(),
            2,
            "nothing but the sum is left beside"
        );
    }
    assert_eq!((mode(vault.path()), mode(&vault.path().join("x.kernel"))), (0o700, 0o600));
}

#[test]
fn all_who_come_at_once_get_one_key() {
    let (_folder, vault) = vault();
    let sealed: Vec<Vec<u8>> = std::thread::scope(|scope| {
        let seal = || vault.key().unwrap().seal("name", b"about", None);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(seal)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    assert!(sealed.iter().all(|s| *s == sealed[0]));
    assert_eq!(fs::read_dir(vault.path()).unwrap().count(), 1, "only the key is left");
    assert_eq!(mode(&vault.path().join("key")), 0o600);
}

#[test]
fn a_folder_that_others_may_write_is_not_used() {
    let (_folder, vault) = vault();
    vault.key().unwrap();
    vault.write("x", b"content").unwrap();
    for bits in [0o770, 0o720, 0o702, 0o777] {
        set_mode(vault.path(), bits);
        assert_untrusted(vault.key(), vault.path(), "can be written by others");
        assert_untrusted(vault.read("x"), vault.path(), "can be written by others");
        assert_untrusted(vault.write("x", b""), vault.path(), "can be written by others");
    }
    set_mode(vault.path(), 0o755);
    assert_eq!(vault.read("x").unwrap().unwrap(), b"content");
}

#[test]
fn files_that_others_may_write_are_not_used() {
    let (_folder, vault) = vault();
    let path = vault.write("x", b"content").unwrap().unwrap();
    set_mode(&path, 0o620);
    assert_untrusted(vault.read("x"), &path, "can be written by others");
    vault.write("x", b"again").unwrap();
    assert_eq!(vault.read("x").unwrap().unwrap(), b"again");
}

#[test]
fn a_key_that_others_may_read_is_not_used() {
    let (_folder, vault) = vault();
    vault.key().unwrap();
    let path = vault.path().join("key");
    for bits in [0o640, 0o604, 0o620] {
        set_mode(&path, bits);
        assert_untrusted(vault.key(), &path, "can be read or written by others");
    }
}

#[test]
fn a_damaged_key_is_not_used() {
    let (_folder, vault) = vault();
    let before = vault.key().unwrap().seal("name", b"", None);
    let path = vault.path().join("key");
    for content in [&b""[..], b"trident key\n", &[7; 32]] {
        fs::write(&path, content).unwrap();
        assert_untrusted(vault.key(), &path, "is damaged");
    }
    fs::remove_file(&path).unwrap();
    assert!(vault.key().unwrap().open(&before, None).is_err(), "another key was made");
}

#[test]
fn links_and_folders_are_no_files() {
    let (_folder, vault) = vault();
    let path = vault.write("x", b"content").unwrap().unwrap();
    symlink(&path, vault.path().join("link")).unwrap();
    assert_untrusted(vault.read("link"), &vault.path().join("link"), "is a link");
    fs::create_dir(vault.path().join("folder")).unwrap();
    assert_untrusted(vault.read("folder"), &vault.path().join("folder"), "is no file");
}

#[test]
fn what_belongs_to_another_user_is_not_used() {
    let (_folder, vault) = vault();
    let path = vault.write("x", b"content").unwrap().unwrap();
    vault.key().unwrap();
    if chown(&path, Some(12_345), None).is_err() {
        return; // Only the superuser can give files away.
    }
    assert_untrusted(vault.read("x"), &path, "belongs to another user");
    chown(vault.path(), Some(12_345), None).unwrap();
    assert_untrusted(vault.key(), vault.path(), "belongs to another user");
}

#[test]
fn a_place_that_cannot_be_made_is_an_error_of_the_system() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"").unwrap();
    let vault = Vault::new(folder.path().join("file/kernels"));
    assert!(matches!(vault.key(), Err(VaultError::System { .. })));
    let at_file = Vault::new(folder.path().join("file"));
    assert!(matches!(at_file.read("x"), Err(VaultError::System { .. })));
}

/// Bytes of all files in the vault's folder.
fn bytes(vault: &Vault) -> u64 {
    let files = fs::read_dir(vault.path()).unwrap();
    files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

#[test]
fn files_that_were_not_used_for_longest_go() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path().join("kernels")).limited(10_000);
    vault.key().unwrap();
    for i in 0..40 {
        assert!(vault.write(&format!("{i}.kernel"), &[i; 1000]).unwrap().is_some());
        assert!(bytes(&vault) <= 10_000);
        // It is used again and again.
        assert_eq!(vault.read("0.kernel").unwrap(), Some(vec![0; 1000]), "after {i}");
        // A file system's clock has steps.
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kept: Vec<u8> =
        (0..40).filter(|i| vault.read(&format!("{i}.kernel")).unwrap().is_some()).collect();
    assert!(kept.len() >= 7 && kept[0] == 0 && kept[1..].windows(2).all(|w| w[0] + 1 == w[1]));
    assert_eq!(kept.last(), Some(&39));
}

#[test]
fn a_file_above_the_limit_is_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path().join("kernels")).limited(2000);
    vault.write("small", &[1; 500]).unwrap().unwrap();
    assert_eq!(vault.write("large", &[1; 2000]).unwrap(), None);
    assert_eq!(vault.read("small").unwrap(), Some(vec![1; 500]));
    assert_eq!(vault.clone().limited(0).write("small", b"x").unwrap(), None);
}

#[test]
fn a_damaged_or_missing_sum_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path().join("kernels")).limited(3000);
    for text in ["", "-1", "17 bytes", "99999999999999999999999", "18446744073709551615"] {
        fs::write(vault.path().join(".sum"), text).unwrap_or_default();
        (0..5).for_each(|i| _ = vault.write(&format!("{i}"), &[0; 900]).unwrap().unwrap());
        assert!(bytes(&vault) <= 3000, "{text}: {}", bytes(&vault));
    }
}

#[test]
fn one_thread_at_a_time_has_a_claim() {
    let folder = tempfile::tempdir().unwrap();
    let vault = Vault::new(folder.path().join("kernels"));
    let inside = std::sync::atomic::AtomicUsize::new(0);
    let enter = || {
        for i in 0..50 {
            let claim = vault.claim(&format!("{}", i % 2)).unwrap().unwrap();
            let others = inside.fetch_add(1 << (8 * (i % 2)), std::sync::atomic::Ordering::SeqCst);
            assert_eq!(others >> (8 * (i % 2)) & 0xff, 0);
            inside.fetch_sub(1 << (8 * (i % 2)), std::sync::atomic::Ordering::SeqCst);
            drop(claim);
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(enter)));
    assert!(!vault.claim("0").unwrap().unwrap().waited());
    assert_eq!(bytes(&vault), 0, "locks stay behind");
}
