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
        let path = vault.write("x.kernel", content).unwrap();
        assert_eq!(path, vault.path().join("x.kernel"));
        assert_eq!(vault.read("x.kernel").unwrap().unwrap(), content);
        assert_eq!(fs::read_dir(vault.path()).unwrap().count(), 1, "nothing else is left");
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
    let path = vault.write("x", b"content").unwrap();
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
    let path = vault.write("x", b"content").unwrap();
    symlink(&path, vault.path().join("link")).unwrap();
    assert_untrusted(vault.read("link"), &vault.path().join("link"), "is a link");
    fs::create_dir(vault.path().join("folder")).unwrap();
    assert_untrusted(vault.read("folder"), &vault.path().join("folder"), "is no file");
}

#[test]
fn what_belongs_to_another_user_is_not_used() {
    let (_folder, vault) = vault();
    let path = vault.write("x", b"content").unwrap();
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
