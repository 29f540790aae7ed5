//! Pooling over windows, planes and regions.

mod regions;
mod unpool;
mod windows;

use crate::kernel::{Entry, entry};
use trident_ir::ops::{
    AveragePool, GlobalAveragePool, GlobalLpPool, GlobalMaxPool, LpPool, MaxPool, MaxRoiPool,
    MaxUnpool,
};

pub(super) const KERNELS: &[Entry] = &[
    entry(AveragePool::KIND, windows::average),
    entry(GlobalAveragePool::KIND, windows::global_average),
    entry(GlobalLpPool::KIND, windows::global_lp),
    entry(GlobalMaxPool::KIND, windows::global_max),
    entry(LpPool::KIND, windows::lp),
    entry(MaxPool::KIND, windows::max),
    entry(MaxRoiPool::KIND, regions::max),
    entry(MaxUnpool::KIND, unpool::max),
];
