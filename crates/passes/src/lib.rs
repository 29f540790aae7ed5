//! Shape inference, simplification and fusion over Trident's intermediate representation.
