//! Features of libraries that all builds of this workspace share. There is no code here.
//!
//! Cargo compiles a library with the features that the packages of a build ask for. `cargo build -p trident-cli`,
//! `pip install .` and `cargo test --workspace` select different packages, so some libraries would have other features in each
//! of them. These libraries, and all that depend on them, such as Cranelift and all crates of ours, would be compiled once for
//! each. The manifest of this crate asks for those features, and `ir`, on which nearly all crates depend, brings it into every
//! build. It has no features of its own: a build that left one out would compile `ir`, and all that depends on it, again.
//!
//! `cargo-hakari` generates such crates. It makes every crate depend on every library whose features differ anywhere, and so
//! compiles libraries that a program does not need. This crate is written by hand. Its libraries are in all programs, but for
//! a few small ones: without models, the Python package needs neither `memchr` nor `twox-hash`, and `trident` has no use for
//! `once_cell`.
//! Two tests of `xtask/tests/architecture.rs` keep it right:
//! - `builds_of_single_packages_share_their_dependencies_with_the_workspace` names a crate whose features differ;
//! - `the_workspace_hack_asks_for_nothing_of_its_own` names a feature for which nothing else asks any more.
//!
//! Libraries of ops that builds can leave out, such as image codecs and regular expressions, must not stand here.
