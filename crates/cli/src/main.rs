//! The `trident` command.
fn main() {}
