//! The architecture's invariants, read off the manifests and sources.
#![allow(clippy::unwrap_used)] // a file that cannot be read fails the test

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The edges between the project's crates: each may depend on those listed, and on no other.
/// `*` stands for all. `devices` may also depend on the crates of devices, which are not listed
/// ([`DEVICE`]). An edge more needs a reason in `ARCHITECTURE.md`.
const EDGES: &[(&str, &[&str])] = &[
    ("workspace-hack", &[]),
    ("ir", &[]),
    ("filetest", &[]),
    ("triton", &["ir"]),
    ("onnx", &["ir"]),
    ("paddle", &["ir"]),
    ("passes", &["ir"]),
    ("tile-analysis", &["ir"]),
    ("graph-to-tile", &["ir"]),
    ("tile-to-lane", &["ir", "tile-analysis"]),
    ("runtime", &["ir"]),
    ("simd", &[]),
    ("kernels", &["simd"]),
    ("jit", &["ir", "tile-analysis", "runtime", "simd", "kernels"]),
    ("cpu", &["ir", "graph-to-tile", "passes", "runtime", "simd", "kernels", "jit"]),
    ("apple", &["ir", "graph-to-tile", "tile-to-lane", "passes", "runtime"]),
    ("emulator", &["apple", "ir", "runtime"]),
    ("devices", &["ir", "runtime", "jit", "cpu", "apple", "emulator"]),
    ("engine", &["ir", "passes", "runtime"]),
    ("model", &["ir", "runtime", "engine", "onnx", "paddle"]),
    ("serving", &["ir", "runtime", "engine", "onnx", "model"]),
    ("image-steps", &["ir"]),
    ("server", &["ir", "runtime", "engine", "onnx", "model", "serving", "image-steps"]),
    ("tritonserver", &["runtime", "onnx", "serving", "devices"]),
    ("paddle-device", &["ir", "runtime", "engine", "paddle", "devices"]),
    ("cli", &["*"]),
    ("python", &["ir", "runtime", "engine", "model", "triton", "devices", "cli"]),
];

/// The crates that the crate of a device may depend on: a crate without edges above that `devices` depends on.
const DEVICE: &[&str] =
    &["ir", "graph-to-tile", "tile-to-lane", "passes", "runtime", "simd", "kernels", "jit"];

/// The crates, and files of others, in which `unsafe` is allowed: below `crates`, or `plugins`.
const UNSAFE: &[&str] = &[
    "apple/src/device/host.rs",
    "apple/src/device/launch.rs",
    "apple/src/device/memory.rs",
    "apple/src/device/model.rs",
    "apple/src/device/stream.rs",
    "apple/src/framework/mod.rs",
    "apple/src/metal/mod.rs",
    "cpu/src/ops/contract/attention/kernel.rs",
    "cpu/src/ops/image/grid_sample.rs",
    "cpu/src/ops/moves/view.rs",
    "cpu/src/ops/quant/linear.rs",
    "cpu/src/ops/reduce/norm.rs",
    "emulator/src/buffer.rs",
    "emulator/src/device.rs",
    "emulator/src/dispatch.rs",
    "emulator/src/exec",
    "emulator/src/mock.rs",
    "emulator/src/queue.rs",
    "emulator/examples/speed.rs",
    "emulator/tests",
    "engine/tests/foreign.rs",
    "engine/tests/forks.rs",
    "jit",
    "kernels",
    "runtime",
    "simd",
    "python/src/dlpack.rs",
    "python/src/exchange.rs",
    "python/src/host.rs",
    "python/src/kernel.rs",
    "python/src/model/lend.rs",
    "python/src/model/memory.rs",
    "cli/src/commands/launch.rs",
    "paddle-device/src/abi",
    "tritonserver/src/entry.rs",
    "tritonserver/src/server",
];

/// Files that read or set attributes of ops of any kind by their declarations: importers, the store of weights, and the
/// tables of the CPU's unit tests. All others use typed views.
const GENERIC: &[&str] = &[
    "crates/cpu/src/testing.rs",
    "crates/model/src/weights.rs",
    "crates/onnx/src/export/operators.rs",
    "crates/onnx/src/import/node.rs",
    "crates/triton/src/import/emit.rs",
];

/// The longest a source file may get before it has to be split by topic.
const MAX_LINES: usize = 700;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The folders of the workspace that have crates in them, beside `xtask`.
const FOLDERS: [&str; 2] = ["crates", "plugins"];

/// (name, folder) of every crate of the workspace but `xtask`.
fn crates() -> Vec<(String, PathBuf)> {
    let entries = FOLDERS.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path)).collect()
}

fn manifest(folder: &Path) -> toml::Table {
    fs::read_to_string(folder.join("Cargo.toml")).unwrap().parse().unwrap()
}

/// Crates, and all that they depend on.
fn closure(names: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut pending: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    while let Some(name) = pending.pop() {
        if found.insert(name.clone()) {
            pending.extend(dependencies(&manifest(&root().join("crates").join(name)), false));
        }
    }
    found
}

#[test]
fn compiled_models_know_the_sources_of_all_that_is_in_them() {
    let build = fs::read_to_string(root().join("crates/model/build.rs")).unwrap();
    let (_, list) = build.split_once("const CRATES: &[&str] =").unwrap();
    let list = list.split_once(';').unwrap().0;
    let digested: BTreeSet<String> =
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    // The CPU folds constants, whichever devices run the model.
    assert_eq!(digested, closure(&["onnx", "paddle", "engine", "cpu"]));
}

/// All Rust files below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The project's crates among the dependencies of a manifest, for all targets; those for tests
/// only if asked.
fn dependencies(manifest: &toml::Table, tests: bool) -> BTreeSet<String> {
    let mut tables = vec![manifest];
    if let Some(targets) = manifest.get("target").and_then(|targets| targets.as_table()) {
        tables.extend(targets.values().filter_map(|target| target.as_table()));
    }
    let mut kinds = vec!["dependencies", "build-dependencies"];
    if tests {
        kinds.push("dev-dependencies");
    }
    let mut found = BTreeSet::new();
    for table in tables {
        for kind in &kinds {
            let Some(dependencies) = table.get(*kind).and_then(|value| value.as_table()) else {
                continue;
            };
            let ours = dependencies.keys().filter_map(|name| name.strip_prefix("trident-"));
            found.extend(ours.map(str::to_owned));
        }
    }
    found
}

#[test]
fn crates_depend_only_on_what_the_design_allows() {
    let edges = |name: &str| EDGES.iter().find(|(known, _)| *known == name).map(|edge| edge.1);
    let linked = dependencies(&manifest(&root().join("crates/devices")), false);
    let is_device = |name: &str| linked.contains(name) && edges(name).is_none();
    for (name, folder) in crates() {
        let allowed = edges(&name).or(is_device(&name).then_some(DEVICE));
        let allowed =
            allowed.unwrap_or_else(|| panic!("crate `{name}` is not in the table of edges"));
        for dependency in dependencies(&manifest(&folder), false) {
            let fine = allowed.iter().any(|edge| *edge == "*" || *edge == dependency)
                || name == "devices" && is_device(&dependency);
            assert!(fine, "`{name}` must not depend on `{dependency}`");
        }
    }
}

#[test]
fn xtask_depends_on_no_crate_of_the_engine() {
    let manifest = manifest(Path::new(env!("CARGO_MANIFEST_DIR")));
    // What finds command lines in pages, and depends on nothing.
    assert_eq!(dependencies(&manifest, true), BTreeSet::from(["filetest".to_owned()]));
}

#[test]
fn every_crate_takes_the_workspace_lints() {
    for (name, folder) in crates() {
        let manifest = manifest(&folder);
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(|value| value.as_bool()), Some(true), "{name}");
    }
}

#[test]
fn unsafe_is_allowed_only_where_the_design_says() {
    let lints = manifest(root());
    let unsafe_code = &lints["workspace"]["lints"]["rust"]["unsafe_code"];
    assert!(matches!(unsafe_code.as_str(), Some("deny" | "forbid")));
    let allowed: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|folder| UNSAFE.iter().map(move |place| root().join(folder).join(place)))
        .collect();
    for (_, folder) in crates() {
        let files = sources(&folder).into_iter();
        for path in files.filter(|file| !allowed.iter().any(|place| file.starts_with(place))) {
            let text = fs::read_to_string(&path).unwrap();
            let allows = text.lines().any(|line| {
                let code = line.split("//").next().unwrap_or("");
                code.contains("unsafe_code") && !code.contains("forbid")
            });
            assert!(!allows, "{} overrules the lint against unsafe code", path.display());
        }
    }
}

#[test]
fn attributes_are_accessed_by_typed_views_but_where_the_design_says() {
    let ir = root().join("crates/ir/src");
    let files = crates().into_iter().flat_map(|(_, folder)| sources(&folder.join("src")));
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        if path.starts_with(&ir) {
            // The grammar's names of attributes come from rows.
            let generated = path.starts_with(ir.join("ops/generated"));
            let names = code(&text).any(|line| line.contains("AttrName::new("));
            assert!(generated || !names, "{} makes up the name of an attribute", path.display());
        } else {
            let listed = GENERIC.iter().any(|file| path == root().join(file));
            let uses = code(&text).any(|line| line.contains("generic::"));
            assert_eq!(uses, listed, "{} uses `ir::generic`, or is listed", path.display());
        }
    }
}

/// The lines of a source without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split("//").next().unwrap_or("").trim())
}

#[test]
fn unsafe_operations_are_marked_in_unsafe_functions_too() {
    let lints = manifest(root());
    let lint = &lints["workspace"]["lints"]["rust"]["unsafe_op_in_unsafe_fn"];
    assert!(matches!(lint.as_str(), Some("deny" | "forbid")));
    let folders = crates().into_iter().map(|(_, folder)| folder).chain([root().join("xtask/src")]);
    for path in folders.flat_map(|folder| sources(&folder)) {
        let text = fs::read_to_string(&path).unwrap();
        let allows = code(&text).any(|line| line.contains("unsafe_op_in_unsafe_fn"));
        assert!(!allows, "{} overrules the lint on unsafe operations", path.display());
    }
}

/// Items that a source which declares the instruction sets shows to other crates, beside the allowed ones: types without public
/// fields, what detects their values or is unsafe, and traits that make none.
fn ways_to_make_a_token(text: &str) -> Vec<&str> {
    const SHOWN: &[&str] = &[
        "pub struct Isa(IsaToken);",
        "pub enum IsaToken {",
        "pub struct $name(());",
        "pub struct Vnni(());",
        "pub trait Simd: Copy + Send + Sync + 'static {",
        "pub const TOKEN: Portable = Portable(());",
        "pub unsafe fn assume() -> Self {",
        "pub fn detect() -> Self {",
        "pub fn available() -> Vec<Self> {",
        "pub fn name(self) -> &'static str {",
        "pub fn kind(self) -> IsaToken {",
        "pub fn avx2(self) -> Option<Avx2> {",
        "pub fn vnni(self) -> Option<Vnni> {",
        "pub fn has(feature: &str) -> bool {",
        "pub fn has(_: &str) -> bool {",
        "impl Simd for $name {",
    ];
    const TOKENS: &[&str] = &["Isa", "IsaToken", "Avx512", "Avx2", "Vnni", "Portable", "$name"];
    const TRAITS: &[&str] =
        &["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash"];
    let fine = |line: &str| {
        let derived = line.strip_prefix("#[derive(").and_then(|rest| rest.strip_suffix(")]"));
        let (implemented, ty) = match line.strip_suffix(" {").and_then(|l| l.rsplit_once(" for ")) {
            Some((before, ty)) => (before.strip_prefix("impl ").unwrap_or(before), ty),
            None => ("", ""),
        };
        let implemented = if TOKENS.contains(&ty) { implemented } else { "" };
        let traits = derived.unwrap_or(implemented);
        let fine = |name: &str| TRAITS.contains(&name.trim().trim_start_matches("fmt::"));
        SHOWN.contains(&line)
            || !line.starts_with("pub ") && (traits.is_empty() || traits.split(',').all(fine))
    };
    code(text).filter(|line| !fine(line)).collect()
}

#[test]
fn only_detection_makes_a_token_of_an_instruction_set() {
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let isa = root().join("crates/simd/src/isa.rs");
    assert_eq!(ways_to_make_a_token(&read(&isa)), [""; 0]);
    let files = crates().into_iter().flat_map(|(_, folder)| sources(&folder.join("src")));
    for path in files.filter(|path| *path != isa) {
        let asks = code(&read(&path)).any(|line| line.contains("feature_detected!"));
        assert!(!asks, "{} detects features past simd/src/isa.rs", path.display());
    }
}

#[test]
fn a_public_way_to_make_a_token_is_found() {
    for line in [
        "pub struct Isa(pub IsaToken);",
        "pub struct Avx512;",
        "pub struct $name(pub ());",
        "pub enum Isa {",
        "pub const AVX512: Isa = Isa(IsaToken::Avx512(Avx512(())));",
        "pub const TOKEN: Avx2 = Avx2(());",
        "    pub fn avx512() -> Self {",
        "    pub fn assume() -> Self {",
        "impl Default for Isa {",
        "impl Default for Avx2 {",
        "impl From<&str> for Isa {",
        "impl<T> From<T> for Isa {",
        "#[derive(Clone, Default)]",
    ] {
        assert_eq!(ways_to_make_a_token(line), [line.trim()]);
    }
}

/// Lines that `cargo tree` prints.
fn tree(args: &str) -> Vec<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--locked", "--no-dedupe"]).args(args.split(' ')).current_dir(root());
    let output = tree.output().unwrap();
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Libraries with their features, as Cargo resolves them for a selection of packages.
fn resolved(selection: &str) -> BTreeSet<String> {
    let lines = tree(&format!("--prefix none --format {{p}}|{{f}} {selection}"));
    // Our own crates have a path.
    let libraries = lines.into_iter().filter(|line| !line.is_empty() && !line.contains("(/"));
    libraries.map(|line| line.replace(" (proc-macro)", "").replace('|', " ")).collect()
}

/// Crates whose features may differ between builds. Beside each other, only `tritonserver` depends on them.
const FEATURED: &[&str] = &["trident-cli", "trident-devices", "trident-python"];

/// All crates with their features, as Cargo resolves them for a selection of packages.
fn compiled(selection: &str) -> BTreeSet<String> {
    let lines = tree(&format!("--prefix none --format {{p}}|{{f}} {selection}")).into_iter();
    let name = |line: &String| line.split(' ').next().unwrap_or_default().to_owned();
    let lines = lines.filter(|line| !line.is_empty() && !FEATURED.contains(&&*name(line)));
    lines.map(|line| line.replace(" (proc-macro)", "").replace(" (*)", "")).collect()
}

#[test]
fn builds_of_single_packages_share_their_dependencies_with_the_workspace() {
    let all = compiled("--workspace");
    for packages in [
        "trident-cli",
        "trident-cli --features emulator",
        "trident-cli --features serve",
        "trident-python",
        "trident-python --features emulator",
        "trident-tritonserver",
        "trident-cpu",
        "trident-engine",
        "xtask",
        "trident-runtime -p trident-kernels",
    ] {
        let own = compiled(&format!("--edges no-dev -p {packages}"));
        let apart: Vec<&String> = own.difference(&all).collect();
        assert!(apart.is_empty(), "{packages}: compiled with features of their own: {apart:#?}");
    }
}

#[test]
fn the_workspace_hack_asks_for_nothing_of_its_own() {
    let manifest = manifest(&root().join("crates/workspace-hack"));
    let tables = ["dependencies", "build-dependencies"].map(|kind| manifest[kind].as_table());
    for (key, dependency) in tables.into_iter().flatten().flatten() {
        let field = |name: &str| dependency.get(name).and_then(|value| value.as_str());
        let name = field("package").unwrap_or(key);
        let version = field("version").map_or(String::new(), |version| {
            let parts = if version.starts_with("0.") { 2 } else { 1 };
            format!("@{}", version.split('.').take(parts).collect::<Vec<_>>().join("."))
        });
        let inverse = "--workspace --edges features,normal,build,dev --prefix depth --depth 2";
        // A feature of the library, then who asks for it.
        let mut askers: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut feature = String::new();
        for line in tree(&format!("{inverse} --invert {name}{version}")) {
            let (depth, rest) = line.split_at(1);
            match depth {
                "1" => feature = rest.to_owned(),
                "2" => askers.entry(feature.clone()).or_default().push(rest.to_owned()),
                _ => {}
            }
        }
        let ours = |asker: &String| asker.starts_with("workspace-hack ");
        assert!(askers.values().flatten().any(ours), "{key} is not found");
        for (feature, askers) in askers.iter().filter(|(_, askers)| askers.iter().any(ours)) {
            assert!(!askers.iter().all(ours), "nothing else asks for {feature}: {askers:?}");
        }
    }
}

/// The ops that are features: each with libraries that builds without it must not have.
const OPTIONAL: &[(&str, &[&str])] = &[
    ("image-decoder", &["hayro-jpeg2000", "tiff"]),
    ("regex", &["regex-automata", "regex-syntax"]),
];

#[test]
fn ops_that_are_features_can_be_left_out_of_programs() {
    let names = |selection: &str| -> BTreeSet<String> {
        let first = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
        resolved(selection).into_iter().map(first).collect()
    };
    for program in ["trident-cli", "trident-tritonserver"] {
        let selection = format!("--edges no-dev -p {program}");
        let all = names(&selection);
        for (feature, libraries) in OPTIONAL {
            let others: Vec<&str> =
                OPTIONAL.iter().map(|(name, _)| *name).filter(|name| name != feature).collect();
            let without = format!("--no-default-features --features {}", others.join(","));
            let without = names(&format!("{selection} {without}"));
            for library in *libraries {
                assert!(all.contains(*library), "{program} has no {library}");
                assert!(!without.contains(*library), "{program} without {feature}: {library}");
            }
        }
    }
}

#[test]
fn the_python_package_links_the_code_for_metal_on_macos_only() {
    for features in ["", " --no-default-features"] {
        for (target, linked) in
            [("x86_64-unknown-linux-gnu", false), ("aarch64-apple-darwin", true)]
        {
            let package = format!("-p trident-python{features} --target {target}");
            let lines = tree(&format!("--prefix none --edges no-dev {package}"));
            for name in ["trident-apple ", "trident-tile-to-lane "] {
                let found = lines.iter().any(|line| line.starts_with(name));
                assert_eq!(found, linked, "{name}of{features} on {target}");
            }
        }
    }
}

#[test]
fn the_command_shows_metal_programs_where_the_package_does_not() {
    let lines = |options: &str| {
        tree(&format!("--prefix none --format {{p}}|{{f}} --edges no-dev {options}"))
    };
    let texts = |lines: Vec<String>| {
        let mut devices = lines.iter().filter(|line| line.starts_with("trident-devices "));
        devices.any(|line| line.split(['|', ',']).any(|feature| feature == "texts"))
    };
    assert!(texts(lines("-p trident-cli")));
    assert!(texts(lines("-p trident-python --target aarch64-apple-darwin")));
    assert!(!texts(lines("-p trident-python --target x86_64-unknown-linux-gnu")));
}

#[test]
fn no_crate_is_a_grab_bag() {
    for (name, _) in crates() {
        assert!(!["common", "core", "helpers", "utils", "util"].contains(&name.as_str()), "{name}");
    }
}

#[test]
fn sources_stay_short() {
    let folders = crates().into_iter().map(|(_, folder)| folder.join("src"));
    for path in folders.chain([root().join("xtask/src")]).flat_map(|folder| sources(&folder)) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = if text.starts_with("// Generated") { 0 } else { text.lines().count() };
        assert!(lines <= MAX_LINES, "{}: {lines} lines, split it by topic", path.display());
    }
}
