//! Values in NumPy's manner: nested brackets, long axes cut to their first and last three items.

use super::escape;
use crate::scalar::Scalar;
use trident_runtime::{Tensor, Value};

/// Items shown at either end of a long axis.
const EDGE: usize = 3;
/// Tensors of more elements are cut.
const FULL: usize = 200;

/// A value as text; nested lines are indented by `indent` spaces.
pub(crate) fn value(value: &Value, indent: usize) -> String {
    match value {
        Value::Tensor(t) => tensor(t, indent),
        Value::Optional(None) => "nothing".into(),
        Value::Optional(Some(inner)) => self::value(inner, indent),
        Value::Map(map) => {
            let pairs = (0..map.keys.len()).map(|i| {
                let part = |t: &Tensor| Scalar::get(t, i).map_or("?".into(), |s| text(&s));
                format!("{}: {}", part(&map.keys), part(&map.values))
            });
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        Value::Seq(items) => {
            let pad = " ".repeat(indent + 2);
            let lines = items
                .iter()
                .take(FULL)
                .map(|item| format!("{pad}{}: {}", item.describe(), self::value(item, indent + 4)));
            let mut lines: Vec<String> = lines.collect();
            if items.len() > FULL {
                lines.push(format!("{pad}… {} more", items.len() - FULL));
            }
            if lines.is_empty() { "[]".into() } else { format!("\n{}", lines.join("\n")) }
        }
    }
}

fn tensor(t: &Tensor, indent: usize) -> String {
    let cut = t.len() > FULL;
    let mut shown = Vec::new();
    places(t.dims(), cut, 0, &mut shown);
    let cells: Vec<String> =
        shown.iter().map(|&i| Scalar::get(t, i).map_or("?".into(), |s| text(&s))).collect();
    let width = cells.iter().map(|c| c.chars().count()).max().unwrap_or(0);
    let mut cells = cells.into_iter();
    nested(t.dims(), cut, indent, width, &mut cells)
}

/// Which positions of an axis are shown.
fn positions(n: usize, cut: bool) -> Vec<usize> {
    if cut && n > 2 * EDGE { (0..EDGE).chain(n - EDGE..n).collect() } else { (0..n).collect() }
}

fn places(dims: &[usize], cut: bool, base: usize, shown: &mut Vec<usize>) {
    let [n, rest @ ..] = dims else { return shown.push(base) };
    let stride: usize = rest.iter().product();
    for i in positions(*n, cut) {
        places(rest, cut, base + i * stride, shown);
    }
}

fn nested(
    dims: &[usize],
    cut: bool,
    indent: usize,
    width: usize,
    cells: &mut dyn Iterator<Item = String>,
) -> String {
    let [n, rest @ ..] = dims else {
        return format!("{:>width$}", cells.next().unwrap_or_default());
    };
    let gap = match rest.len() {
        0 => ", ".to_owned(),
        deeper => format!(",{}{}", "\n".repeat(deeper), " ".repeat(indent + 1)),
    };
    let shown = positions(*n, cut);
    let mut items: Vec<String> =
        shown.iter().map(|_| nested(rest, cut, indent + 1, width, cells)).collect();
    if shown.len() < *n {
        items.insert(EDGE, "…".into());
    }
    format!("[{}]", items.join(&gap))
}

/// An element in at most about ten characters.
fn text(scalar: &Scalar) -> String {
    let number = |v: f64, shortest: String| match v.abs() {
        _ if shortest.len() <= 8 => shortest,
        a if (1e-4..1e6).contains(&a) => format!("{v:.5}"),
        _ => format!("{v:.4e}"),
    };
    match scalar {
        Scalar::Single(v) => number((*v).into(), format!("{v}")),
        Scalar::Double(v) => number(*v, format!("{v}")),
        other => escape(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scalar;
    use trident_ir::DType;
    use trident_runtime::Pool;

    fn counting(dims: &[usize]) -> Value {
        let n = dims.iter().product::<usize>() as i128;
        let elements: Vec<Scalar> = (0..n).map(Scalar::Int).collect();
        scalar::tensor(&Pool::new(), DType::I32, dims, &elements).unwrap().into()
    }

    #[test]
    fn short_tensors_are_shown_whole_and_long_ones_cut() {
        assert_eq!(value(&counting(&[]), 0), "0");
        assert_eq!(value(&counting(&[3]), 0), "[0, 1, 2]");
        assert_eq!(value(&counting(&[2, 2]), 2), "[[0, 1],\n   [2, 3]]");
        assert_eq!(value(&counting(&[0, 4]), 0), "[]");
        assert_eq!(value(&counting(&[1000]), 0), "[  0,   1,   2, …, 997, 998, 999]");
        let long = value(&counting(&[300, 2]), 0);
        assert_eq!(long.lines().count(), 7, "{long}");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(text(&Scalar::Single(0.1)), "0.1");
        assert_eq!(text(&Scalar::Single(1.0 / 3.0)), "0.33333");
        assert_eq!(text(&Scalar::Single(1.234_567e-9)), "1.2346e-9");
        assert_eq!(text(&Scalar::Single(f32::NAN)), "NaN");
        assert_eq!(text(&Scalar::Text("\u{1b}[2J\u{202e}".into())), r#""\u{1b}[2J\u{202e}""#);
    }
}
