//! The needs of a loop: how often its values are used, and how many are alive at once.

use super::super::{Id, Loop, Sink, Value};
use super::body::MASKS;

/// The needs of a loop's values.
pub(super) struct Needs {
    /// Arguments that are addresses of streams.
    pub(super) streams: Vec<usize>,
    /// Values that are computed for each vector.
    pub(super) steps: usize,
    /// How often a value is used, where all elements are on and where not.
    pub(super) uses: [Vec<usize>; 2],
    /// Uniform values, those that are used most first.
    pub(super) uniforms: Vec<Id>,
    /// The greatest number of other values that are alive at once.
    pub(super) alive: usize,
}

/// The value that stands for another one where all elements are on.
pub(super) fn resolve(l: &Loop, id: Id, masked: bool) -> Id {
    match l.values[id] {
        Value::On(yes, _) if !masked => resolve(l, yes, masked),
        _ => id,
    }
}

/// The value with operands as they are needed.
pub(super) fn resolved(l: &Loop, id: Id, masked: bool) -> Value {
    let value = match l.values[id] {
        Value::Load { stream, format, .. } if !masked => {
            Value::Load { stream, other: None, format }
        }
        value => value,
    };
    value.with(|operand| resolve(l, operand, masked))
}

fn goals(l: &Loop) -> Vec<Id> {
    match &l.sink {
        Sink::Store { values, .. } => values.iter().map(|s| s.0).collect(),
        Sink::Reduce { value, .. } => vec![*value],
    }
}

impl Needs {
    pub(super) fn of(l: &Loop) -> Option<Needs> {
        let count = |masked: bool| {
            let mut uses = vec![0; l.values.len()];
            goals(l).into_iter().for_each(|id| uses[resolve(l, id, masked)] += 1);
            for id in (0..l.values.len()).rev() {
                if uses[id] > 0 {
                    resolved(l, id, masked).operands().for_each(|o| uses[o] += 1);
                }
            }
            uses
        };
        let uses = [count(false), count(true)];
        let used = |id: Id| uses[0][id] + uses[1][id];
        let mut uniforms: Vec<Id> =
            (0..l.values.len()).filter(|&id| l.values[id].is_uniform() && used(id) > 0).collect();
        uniforms.sort_by_key(|&id| std::cmp::Reverse(used(id)));
        let mut streams: Vec<usize> = vec![];
        let mut want = |word: usize| {
            if !streams.contains(&word) {
                streams.push(word);
            }
        };
        for id in 0..l.values.len() {
            if let (Value::Load { stream, .. }, true) = (l.values[id], used(id) > 0) {
                want(stream);
            }
        }
        if let Sink::Store { values, .. } = &l.sink {
            values.iter().for_each(|s| want(s.1));
        }
        let alive = [false, true].map(|masked| alive(l, &uses[usize::from(masked)], masked));
        let [plain, masked] =
            alive.map(|(vectors, masks)| (masks <= MASKS.len()).then_some(vectors));
        let steps = uses[0].iter().enumerate();
        let steps = steps.filter(|&(id, &n)| n > 0 && !l.values[id].is_uniform()).count();
        Some(Needs { streams, steps, uses, uniforms, alive: plain?.max(masked?) })
    }
}

/// The greatest numbers of vectors and of masks that are alive at once.
fn alive(l: &Loop, uses: &[usize], masked: bool) -> (usize, usize) {
    let mut left = uses.to_vec();
    let (mut vectors, mut masks) = (0i64, 0i64);
    let (mut most_vectors, mut most_masks) = (0, 0);
    for (id, &n) in uses.iter().enumerate() {
        if n == 0 || l.values[id].is_uniform() {
            continue;
        }
        let value = resolved(l, id, masked);
        // The result may need a register before the operands give theirs back.
        match value.is_truth() {
            true => masks += 1,
            false => vectors += 1,
        }
        (most_vectors, most_masks) = (most_vectors.max(vectors), most_masks.max(masks));
        for operand in value.operands() {
            left[operand] -= 1;
            if left[operand] == 0 && !l.values[operand].is_uniform() {
                match l.values[operand].is_truth() {
                    true => masks -= 1,
                    false => vectors -= 1,
                }
            }
        }
    }
    (most_vectors as usize, most_masks as usize)
}
