//! Layouts for products whose rows are reduced, as in attention. Few threads share a row, so reductions are mostly
//! within a thread's registers, and results for rows are where the rows' elements are.

use trident_ir::{Func, OpKind as K, ops};

use crate::layout::Layout;
use trident_tile_analysis::log2;

/// log2 of the elements of a vector.
const VECTOR: u8 = 2;

/// How the rows of products are spread over threads.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// The dimensions of products.
    products: Vec<[usize; 2]>,
    /// The number of rows of those that are reduced.
    count: usize,
    /// log2 of the threads that share a row.
    sharing: u8,
}

impl Rows {
    /// The rows of a function's products; `None` if none are reduced.
    pub(crate) fn of(func: &Func, threads: u8) -> Option<Rows> {
        let (mut products, mut reduced) = (vec![], vec![]);
        func.body.walk(&mut |op| {
            let row = ops::Reduce::of(op).filter(|reduce| reduce.axis() == 1);
            let id = match ops::Dot::of(op) {
                Some(dot) => dot.y(),
                None => row.and_then(|reduce| reduce.xs().next()),
            };
            let dims = id.and_then(|id| func.ty(id).dims()).unwrap_or_default();
            if let Ok(dims) = <[usize; 2]>::try_from(dims) {
                let all = if op.kind == K::Dot { &mut products } else { &mut reduced };
                all.push(dims);
            }
        });
        let count = products.iter().find(|dims| reduced.contains(dims))?[0];
        // Every row has a thread.
        let sharing = threads.checked_sub(log2(count))?;
        Some(Rows { products, count, sharing })
    }

    /// The layout of products and of what is known of each row; `None` for other blocks.
    pub(crate) fn layout(&self, dims: &[usize]) -> Option<Layout> {
        let columns = match *dims {
            [rows] | [rows, 1] if rows == self.count => 0,
            [rows, columns] if rows == self.count && self.products.contains(&[rows, columns]) => {
                log2(columns)
            }
            _ => return None,
        };
        let own = columns.saturating_sub(self.sharing);
        // Threads that share a row take turns along it, so that they read from different banks.
        let (near, far) = (0..own.min(VECTOR), own.min(VECTOR)..own);
        let shared = (0..columns - own).map(Layout::thread);
        let across = near.map(Layout::register).chain(shared).chain(far.map(Layout::register));
        let down = (0..log2(self.count)).map(|bit| Layout::thread(self.sharing + bit));
        Some(Layout::of_bits(across.chain(down).collect()))
    }
}
