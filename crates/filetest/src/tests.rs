use super::*;
use std::fs;

fn upper(text: &str) -> Result<String, String> {
    let body = text.lines().filter(|l| !l.starts_with(';')).collect::<Vec<_>>().join("\n");
    if body.contains("bad") { Err("bad input".into()) } else { Ok(body.to_uppercase()) }
}

fn twice(text: &str) -> Result<String, String> {
    Ok(format!("{}\n{}", text.trim(), text.trim()))
}

const COMMANDS: &[Command<'_>] = &[("upper", &upper), ("twice", &twice)];

/// A folder of its own with one file.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, text: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("filetest-{}-{name}", std::process::id()));
        fs::create_dir_all(folder.join("nested")).unwrap();
        fs::write(folder.join("nested/a.tir"), text).unwrap();
        Folder(folder)
    }

    fn run(&self, bless: bool) -> Result<(), Failed> {
        run_with(&self.0, COMMANDS, bless)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.join("nested/a.tir")).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn commands_form_a_chain_and_the_outcome_is_compared() {
    let good = Folder::new("good", "; test: upper | twice\nab\n\n; check:\n; AB\n; AB\n");
    good.run(false).unwrap();
    let wrong = Folder::new("wrong", "; test: upper\nx\nb\ny\n\n; check:\n; X\n; A\n; Y\n");
    let message = wrong.run(false).unwrap_err().to_string();
    assert!(message.contains("  X\n- A\n+ B\n  Y\n"), "{message}");
    assert!(message.ends_with("1 of 1 file tests failed"), "{message}");
}

#[test]
fn an_error_is_an_outcome() {
    let folder = Folder::new("error", "; test: upper\nbad\n; check:\n; error: bad input\n");
    folder.run(false).unwrap();
}

#[test]
fn blessing_rewrites_the_expectation_alone() {
    let folder = Folder::new("bless", "; test: upper\n; Why.\na\n\nb\n; check:\n; old\n");
    folder.run(false).unwrap_err();
    folder.run(true).unwrap();
    assert_eq!(folder.text(), "; test: upper\n; Why.\na\n\nb\n\n; check:\n; A\n;\n; B\n");
    folder.run(false).unwrap();
}

#[test]
fn what_tests_nothing_fails() {
    let cases = [
        ("unknown", "; test: lower\na\n; check:\n; A\n", "no command `lower`"),
        ("headless", "a\n; check:\n; A\n", "first line"),
        ("unchecked", "; test: upper\na\n", "+ A"),
        ("empty", "; test: upper\n\n; check:\n", "BLESS=1"),
    ];
    for (name, text, message) in cases {
        let failed = Folder::new(name, text).run(false).unwrap_err().to_string();
        assert!(failed.contains(message), "{name}: {failed}");
    }
    let missing = std::env::temp_dir().join("filetest-no-such-folder");
    run_with(&missing, COMMANDS, false).unwrap_err();
}
