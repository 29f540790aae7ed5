//! Extents of attention and where heads lie in memory.

use trident_ir::counted;
use trident_runtime::{KernelError, Tensor};

/// Extents shared by all operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) batch: usize,
    pub(super) q_heads: usize,
    pub(super) kv_heads: usize,
    pub(super) q_len: usize,
    /// Incoming keys.
    pub(super) kv_len: usize,
    /// Keys of the cache operand.
    pub(super) past: usize,
    /// Length of a query and a key.
    pub(super) size: usize,
    /// Length of a value.
    pub(super) v_size: usize,
    /// Whether heads lie side by side in the last axis (rank 3) instead of in an axis of their own.
    pub(super) packed: bool,
}

/// The heads that attributes state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    pub(super) q: Option<i64>,
    pub(super) kv: Option<i64>,
}

impl Heads {
    fn each(self) -> [(&'static str, Option<i64>); 2] {
        [("q_num_heads", self.q), ("kv_num_heads", self.kv)]
    }

    /// Both numbers, which operands of rank 3 need.
    fn required(self) -> Result<[usize; 2], KernelError> {
        let [q, kv] = self.each().map(|(name, n)| {
            let n =
                n.ok_or_else(|| KernelError::attr(name, "it is required for inputs of rank 3"))?;
            let positive = usize::try_from(n).ok().filter(|&n| n > 0);
            positive
                .ok_or_else(|| KernelError::attr(name, format!("it is {n}, expected at least 1")))
        });
        Ok([q?, kv?])
    }
}

impl Layout {
    /// The extents that operands and attributes agree on.
    pub(super) fn new(
        heads: Heads,
        [q, k, v]: [&Tensor; 3],
        past: Option<(&Tensor, &Tensor)>,
    ) -> Result<Layout, KernelError> {
        let (qd, kd, vd) = (q.dims(), k.dims(), v.dims());
        let misfit = || {
            KernelError::shape(format!(
                "queries of dimensions {qd:?}, keys of {kd:?} and values of {vd:?} do not fit together"
            ))
        };
        let split = |dims: &[usize], heads: usize| match *dims {
            [batch, len, width] if width % heads == 0 => Ok([batch, heads, len, width / heads]),
            _ => Err(misfit()),
        };
        let packed = q.rank() == 3;
        let [q4, k4, v4] = if packed {
            let [q_heads, kv_heads] = heads.required()?;
            [split(qd, q_heads)?, split(kd, kv_heads)?, split(vd, kv_heads)?]
        } else {
            let all = |d: &[usize]| <[usize; 4]>::try_from(d).map_err(|_| misfit());
            [all(qd)?, all(kd)?, all(vd)?]
        };
        let [batch, q_heads, q_len, size] = q4;
        let [_, kv_heads, kv_len, _] = k4;
        let v_size = v4[3];
        if k4 != [batch, kv_heads, kv_len, size] || v4[..3] != k4[..3] {
            return Err(misfit());
        }
        if kv_heads == 0 || q_heads % kv_heads != 0 {
            return Err(KernelError::shape(format!(
                "{} cannot share {}",
                counted(q_heads, "query head"),
                counted(kv_heads, "key head")
            )));
        }
        for ((name, given), n) in heads.each().into_iter().zip([q_heads, kv_heads]) {
            if given.is_some_and(|given| usize::try_from(given) != Ok(n)) {
                return Err(KernelError::attr(
                    name,
                    format!("the inputs have {}", counted(n, "head")),
                ));
            }
        }
        let past = match past {
            None => 0,
            Some((pk, pv)) => match *pk.dims() {
                [b, h, len, s]
                    if [b, h, s] == [batch, kv_heads, size]
                        && *pv.dims() == [b, h, len, v_size] =>
                {
                    len
                }
                _ => {
                    let (a, b) = (pk.dims(), pv.dims());
                    return Err(KernelError::shape(format!(
                        "`past_key` of dimensions {a:?} and `past_value` of {b:?} do not fit the other inputs"
                    )));
                }
            },
        };
        Ok(Layout { batch, q_heads, kv_heads, q_len, kv_len, past, size, v_size, packed })
    }

    /// Keys in all.
    pub(super) fn total(&self) -> usize {
        self.past + self.kv_len
    }

    /// An operand of `heads` heads with `len` rows of `size`, as the op's operands lie in memory.
    pub(super) fn view<'a, R>(
        &self,
        data: &'a [R],
        heads: usize,
        len: usize,
        size: usize,
    ) -> View<'a, R> {
        let (head, row) = if self.packed { (size, heads * size) } else { (len * size, size) };
        View { data, batch: heads * len * size, head, row }
    }
}

/// Rows of heads in memory, with the distance of neighbours in each axis.
#[derive(Clone, Copy)]
pub(super) struct View<'a, R> {
    pub(super) data: &'a [R],
    pub(super) batch: usize,
    pub(super) head: usize,
    pub(super) row: usize,
}

impl<R> View<'_, R> {
    /// Where row `r` of a head starts.
    pub(super) fn start(&self, batch: usize, head: usize, r: usize) -> usize {
        batch * self.batch + head * self.head + r * self.row
    }
}
