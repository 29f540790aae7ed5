//! Analyses and rewrites of Trident's intermediate representation.

pub mod shape;
