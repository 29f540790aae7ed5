//! Along which axes of a model's results the entries of padded inputs lie.

use trident_ir::Func;
use trident_passes::rows::{PaddedAxis, padded_axes};

/// The axes of each result, after axis 1 of the first `count` inputs was padded.
fn axes(params: &str, body: &str, results: &str, count: usize) -> Result<Vec<Vec<usize>>, String> {
    let text = format!(
        "func @f graph ({params}) -> ({results}) {{
            %zeros = constant {{value = i64[1](0)}}
            %one = constant {{value = i64[1](1)}}
            %two = constant {{value = i64[1](2)}}
            %four = constant {{value = i64[1](4)}}
            %eight = constant {{value = i64[1](8)}}
            {body}\n}}"
    );
    let func: Func = text.parse().unwrap_or_else(|error| panic!("{error}:\n{text}"));
    let padded: Vec<PaddedAxis> = (0..count).map(|input| PaddedAxis { input, axis: 1 }).collect();
    padded_axes(&func, &padded).map_err(|error| error.to_string())
}

const X: &str = "%x: f32[N, S, 8]";

/// The heads of attention, with a mask: scores are `%s`, and the output is `%y`.
const ATTENTION: &str = "
    %sh = shape(%x) %n = gather(%sh, %zeros) %l = gather(%sh, %one)
    %to = concat(%n, %l, %two, %four) {axis = 0} %h = reshape(%x, %to)
    %q = transpose(%h) {perm = [0, 2, 1, 3]} %k = transpose(%h) {perm = [0, 2, 3, 1]}
    %raw = matmul(%q, %k) %axes = concat(%one, %two) {axis = 0} %wide = unsqueeze(%mask, %axes)
    %s = add(%raw, %wide) %p = softmax(%s) %o = matmul(%p, %q)
    %t = transpose(%o) {perm = [0, 2, 1, 3]}
    %back = concat(%n, %l, %eight) {axis = 0} %y = reshape(%t, %back)";

#[test]
fn the_place_of_entries_is_followed() {
    let masked = format!("{X}, %mask: f32[N, S]");
    for (body, results, expected) in [
        ("return %y", "f32[*]", vec![vec![1]]),
        ("return %s", "f32[*]", vec![vec![2, 3]]),
        ("%m = reduce_mean(%y, %one) {keepdims = 0} return %m", "f32[*]", vec![vec![]]),
        // Both at once, and a transposed one.
        (
            "%u = transpose(%y) {perm = [1, 0, 2]} return %u, %mask, %y",
            "f32[*], f32[N, S], f32[*]",
            vec![vec![0], vec![1], vec![1]],
        ),
        // Merged with the rows, and split again.
        (
            "%flat = constant {value = i64[2](-1, 8)} %a = reshape(%y, %flat) %b = relu(%a)
             %z = reshape(%b, %back) return %z",
            "f32[*]",
            vec![vec![1]],
        ),
        // Positions of a table are counted from the start, whatever the length.
        (
            "%table = constant {value = f32[4, 1](1, 2, 3, 4)} %e = slice(%table, %zeros, %l, %zeros, %one)
             %z = add(%y, %e) return %z",
            "f32[*]",
            vec![vec![1]],
        ),
    ] {
        let found = axes(&masked, &format!("{ATTENTION} {body}"), results, 2);
        assert_eq!(found, Ok(expected), "{body}");
    }
}

#[test]
fn ops_that_lose_the_place_of_entries_are_named() {
    for (body, axis, op) in [
        ("%y = softmax(%x) {axis = 1} return %y", 1, "softmax"),
        (
            "%c = constant {value = f32[1, 1, 8](1, 1, 1, 1, 1, 1, 1, 1)} %y = concat(%x, %x) {axis = 1} return %y",
            1,
            "concat",
        ),
        (
            "%minus = constant {value = i64[1](-1)} %least = constant {value = i64[1](-100000)}
             %r = slice(%x, %minus, %least, %one, %minus) %y = relu(%r) return %y",
            1,
            "slice",
        ),
        // The result of the last op is known, but it is not an axis of its own.
        (
            "%flat = constant {value = i64[2](-1, 8)} %y = reshape(%x, %flat) return %y",
            0,
            "reshape",
        ),
        ("%sh = shape(%x) %l = gather(%sh, %one) %y = expand(%four, %l) return %y", 0, "expand"),
    ] {
        let result = if body.contains("%four") { "i64[*]" } else { "f32[*]" };
        let error = axes(X, body, result, 1).unwrap_err();
        let start = format!(
            "axis {axis} of output `y` depends on the padded length, but not entry by entry: {op} "
        );
        assert!(error.starts_with(&start), "{error}");
    }
}

#[test]
fn an_input_with_the_same_dimension_must_be_padded_too() {
    let both = format!("{X}, %mask: f32[N, S]");
    let error = axes(&both, "return %x", "f32[N, S, 8]", 1).unwrap_err();
    assert_eq!(
        error,
        "input `mask` has the padded dimension as its axis 1, so it must be padded, too"
    );
    // Another dimension need not be.
    let other = format!("{X}, %other: f32[N, T]");
    assert_eq!(
        axes(&other, "return %x, %other", "f32[N, S, 8], f32[N, T]", 1),
        Ok(vec![vec![1], vec![]])
    );
}
