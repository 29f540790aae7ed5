//! Features of libraries that all builds of this workspace share. There is no code here.
//!
//! Cargo compiles a library with the features that the packages of a build ask for. `cargo build -p trident-cli`,
//! `pip install .` and `cargo test --workspace` select different packages, so some libraries would have other features in each
//! of them. These libraries, and all that depend on them, such as Cranelift, would be compiled once for each. The manifest of
//! this crate asks for those features, and `ir`, on which nearly all crates depend, brings it into every build.
//!
//! `cargo-hakari` generates such crates. It makes every crate depend on every library whose features differ anywhere, which
//! are nine here. The Python package would then need 69 libraries instead of 65, `xtask` 32 instead of 19, and `simd` 17
//! instead of none. This crate is written by hand, and its libraries are optional, so no build compiles an additional library.
//! Two tests of `xtask/tests/architecture.rs` keep it right:
//! - `builds_of_single_packages_share_their_dependencies_with_the_workspace` names a library whose features differ;
//! - `the_workspace_hack_asks_for_nothing_of_its_own` names a feature for which nothing else asks any more.
//!
//! Libraries of ops that builds can leave out, such as image codecs and regular expressions, must not stand here.
