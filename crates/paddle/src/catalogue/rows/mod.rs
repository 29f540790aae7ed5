//! The rows, by family.

mod activation;
mod array;
mod binary;
mod boxes;
mod compare;
mod conv;
mod create;
mod detection;
mod gather;
mod image;
mod index;
mod interpolate;
mod loss;
mod matmul;
mod matrix_nms;
mod norm;
mod pad;
mod pool;
mod prior_box;
mod reduce;
mod rnn;
mod shape;
mod slice;
mod sort;
mod unary;
mod yolo_box;

use super::Row;

/// The rows of all families.
pub(super) static ALL: &[&[Row]] = &[
    activation::ROWS,
    array::ROWS,
    binary::ROWS,
    boxes::ROWS,
    compare::ROWS,
    conv::ROWS,
    create::ROWS,
    detection::ROWS,
    gather::ROWS,
    image::ROWS,
    index::ROWS,
    interpolate::ROWS,
    loss::ROWS,
    matmul::ROWS,
    matrix_nms::ROWS,
    norm::ROWS,
    pad::ROWS,
    pool::ROWS,
    prior_box::ROWS,
    reduce::ROWS,
    rnn::ROWS,
    shape::ROWS,
    slice::ROWS,
    sort::ROWS,
    unary::ROWS,
    yolo_box::ROWS,
];
