//! Types, the op table, text form and verifiers of Trident's intermediate representation.
