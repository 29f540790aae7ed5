//! Features of libraries that all builds of this workspace share. There is no code here.
//!
//! Cargo gives a library the features that the packages selected for a build ask for. `cargo build -p trident-cli` and
//! `pip install .` would so compile some libraries with other features than `cargo test --workspace`, and again all that
//! depends on these, such as Cranelift. The manifest of this crate asks for those features, and `ir`, on which nearly all
//! crates depend, brings it into every build.
//!
//! `cargo-hakari` generates such crates. It makes every crate depend on every library whose features differ anywhere: here on
//! nine libraries. The Python package would then have 69 libraries where it needs 65, `xtask` 32 where it needs 19, and `simd`
//! 17 where it needs none. So this crate is written by hand and its libraries are features of it: no build compiles a library
//! more. Two tests of `xtask/tests/architecture.rs` keep it right:
//! - `builds_of_single_packages_share_their_dependencies_with_the_workspace` names a library whose features differ;
//! - `the_workspace_hack_asks_for_nothing_of_its_own` names a feature for which nothing else asks any more.
//!
//! Libraries that features of ours leave out, such as those of image files and regular expressions, must not stand here.
