//! Operators with subgraphs that the standard defines by other operators and that have no op of their own.

mod flex_attention;
mod sequence_map;
