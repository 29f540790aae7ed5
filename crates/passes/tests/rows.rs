//! Whether the rows of models are independent, and which op mixes them.

use trident_ir::Func;
use trident_passes::rows::independent;

/// A function from its parameters and its body; ops with a place can be named.
fn func(params: &str, body: &str) -> Func {
    let text = |result| format!("func @f graph ({params}) -> ({result}[*]) {{\n{body}\n}}");
    let parse = |ty| text(ty).parse::<Func>().map_err(|e| e.to_string());
    let parsed = ["f32", "i64", "i32"].map(parse);
    let failed = parsed[0].as_ref().err().cloned();
    parsed.into_iter().find_map(Result::ok).unwrap_or_else(|| panic!("{failed:?}:\n{body}"))
}

/// Exporters' constants.
const CONSTANTS: &str = "
    %zero = constant {value = i64[](0)}
    %zeros = constant {value = i64[1](0)}
    %one = constant {value = i64[1](1)}
    %two = constant {value = i64[1](2)}
    %three = constant {value = i64[1](3)}
    %minus = constant {value = i64[1](-1)}
    %four = constant {value = i64[1](4)}
    %half = constant {value = f32[](0.5)}
    %pair = constant {value = f32[2](1.0, 2.0)}";

fn answer(params: &str, body: &str) -> Result<(), String> {
    independent(&func(params, &format!("{CONSTANTS}\n{body}"))).map_err(|e| e.to_string())
}

#[test]
fn models_that_keep_rows_apart_are_independent() {
    let x = "%x: f32[N, 3, 4]";
    let mut failed = vec![];
    for (params, body) in [
        (x, "%y = relu(%x) return %y"),
        (x, "%y = softmax(%x) return %y"),
        (x, "%y = reduce_mean(%x, %two) return %y"),
        ("%x: f32[N, 4], %w: f32[N, 4]", "%y = add(%x, %w) return %y"),
        // Rows are merged with positions, and split again.
        (
            x,
            "%to = constant {value = i64[2](-1, 4)} %back = constant {value = i64[3](-1, 3, 4)}
             %a = reshape(%x, %to) %w = constant {value = f32[4, 4](1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)}
             %b = matmul(%a, %w) %y = reshape(%b, %back) return %y",
        ),
        // Heads of attention, by the shape of the operand.
        (
            "%x: f32[N, S, 8]",
            "%s = shape(%x) %n = gather(%s, %zeros) %l = gather(%s, %one)
             %to = concat(%n, %l, %two, %four) {axis = 0} %h = reshape(%x, %to)
             %q = transpose(%h) {perm = [0, 2, 1, 3]} %k = transpose(%h) {perm = [0, 2, 3, 1]}
             %scores = matmul(%q, %k) %p = softmax(%scores) %o = matmul(%p, %q)
             %t = transpose(%o) {perm = [0, 2, 1, 3]} %eight = constant {value = i64[1](8)}
             %back = concat(%n, %l, %eight) {axis = 0} %y = reshape(%t, %back) return %y",
        ),
        // Rows on the second axis, merged with heads: [S, N·2, 4].
        (
            "%x: f32[N, S, 8]",
            "%s = shape(%x) %n = gather(%s, %zeros) %l = gather(%s, %one) %m = mul(%n, %two)
             %t = transpose(%x) {perm = [1, 0, 2]} %to = concat(%l, %m, %four) {axis = 0}
             %h = reshape(%t, %to) %q = transpose(%h) {perm = [1, 0, 2]} %k = transpose(%h) {perm = [1, 2, 0]}
             %scores = matmul(%q, %k) %p = softmax(%scores) %o = matmul(%p, %q)
             %u = transpose(%o) {perm = [1, 0, 2]} %eight = constant {value = i64[1](8)}
             %back = concat(%l, %n, %eight) {axis = 0} %v = reshape(%u, %back)
             %y = transpose(%v) {perm = [1, 0, 2]} return %y",
        ),
        // A token for each row, by Expand.
        (
            x,
            "%s = shape(%x) %n = gather(%s, %zeros) %to = concat(%n, %one, %four) {axis = 0}
             %token = constant {value = f32[1, 1, 4](1, 2, 3, 4)} %all = expand(%token, %to)
             %y = concat(%all, %x) {axis = 1} return %y",
        ),
        // An initial state of zeros for each row, in a recurrent network with the batch on axis 1.
        (
            "%x: f32[N, S, 1]",
            "%s = shape(%x) %n = gather(%s, %zeros) %to = concat(%one, %n, %one) {axis = 0}
             %h = constant_of_shape(%to) {value = f32[1](0)} %t = transpose(%x) {perm = [1, 0, 2]}
             %w = constant {value = f32[1, 4, 1](1, 2, 3, 4)}
             %a, %b, %c = lstm(%t, %w, %w, _, _, %h, %h) {hidden_size = 1}
             %d = squeeze(%b, %zeros) return %d",
        ),
        // Embeddings, masks and a mean over tokens.
        (
            "%x: i64[N, S], %mask: i64[N, S]",
            "%table = constant {value = f32[3, 2](1, 2, 3, 4, 5, 6)} %e = gather(%table, %x)
             %f = cast(%mask) {to = f32} %m = unsqueeze(%f, %two) %p = mul(%e, %m)
             %sum = reduce_sum(%p, %one) {keepdims = 0} %count = reduce_sum(%f, %one)
             %y = div(%sum, %count) return %y",
        ),
        (x, "%y = slice(%x, %one, %two, %one) return %y"),
        (x, "%y, %z = split(%x) {axis = 2} return %y"),
        (x, "%y, %i = topk(%x, %two) return %y"),
        (x, "%y, %i = topk(%x, %two) %z = gather_elements(%x, %i) {axis = 2} return %z"),
        ("%x: f32[N, 3, 8, 8]", "%y = flatten(%x) return %y"),
        ("%x: f32[N, 3, 8, 8]", "%p = global_average_pool(%x) %y = flatten(%p) return %y"),
        ("%x: f32[N, 3, 8, 8]", "%s = constant {value = f32[4](1, 1, 2, 2)} %y = resize(%x, _, %s) return %y"),
        (
            "%x: f32[N, 3, H, W]",
            "%s = shape(%x) {end = 2} %hw = constant {value = i64[2](6, 6)}
             %to = concat(%s, %hw) {axis = 0} %y = resize(%x, _, _, %to) return %y",
        ),
        // Sizes decide on a branch, but not that of the batch.
        (
            x,
            "%s = shape(%x) %n = gather(%s, %one) %c = equal(%n, %three) %cond = squeeze(%c)
             %y = if(%cond) region { %a = relu(%x) yield %a } region { yield %x } return %y",
        ),
        // A loop over positions carries a state for each row.
        (
            "%x: f32[N, 4]",
            "%n = constant {value = i64[](3)} %t = constant {value = bool[](true)}
             %y = loop(%n, %t, %x) region (%i: i64[], %c: bool[], %h: f32[*]) {
                %a = tanh(%h) yield %c, %a } return %y",
        ),
        (
            "%x: f32[N, S, 4], %h: f32[N, 4]",
            "%y, %all = scan(%h, %x) {num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1]}
             region (%s: f32[*], %e: f32[*]) { %a = add(%s, %e) yield %a, %a } return %all",
        ),
        ("%x: f32[N, 4]", "%y = fused(%x, %half) region (%a: f32[], %b: f32[]) { %c = mul(%a, %b) yield %c } return %y"),
        // What no output needs may mix.
        (x, "%m = softmax(%x) {axis = 0} %y = relu(%x) return %y"),
        ("%x: f32[N, 4], %b: f32[N, 1]", "%y = mul(%x, %b) return %y"),
        (x, "%s = sequence_construct(%x, %x) %y = sequence_at(%s, %zero) return %y"),
        // A loss for each row, or for each position of each row; the log probabilities beside a mean.
        (
            "%x: f32[N, 3], %t: i64[N]",
            "%y = negative_log_likelihood_loss(%x, %t) {reduction = \"none\"} return %y",
        ),
        (
            "%x: f32[N, 3, 4], %t: i64[N, 4]",
            "%w = constant {value = f32[3](1, 2, 3)}
             %y, %p = softmax_cross_entropy_loss(%x, %t, %w) {reduction = \"none\"} return %y",
        ),
        (
            "%x: f32[N, 3], %t: i64[N]",
            "%y, %p = softmax_cross_entropy_loss(%x, %t) return %p",
        ),
        ("%x: f32[N, 4]", "%y = einsum(%x, %x) {equation = \"nk,nk->n\"} return %y"),
    ] {
        if let Err(reason) = answer(params, body) {
            failed.push(format!("{params}: {body}: {reason}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Bodies that mix rows at the op that is placed `here`, for an operand x of f32[N, 3, 4].
const MIXING: &[&str] = &[
    "%y = softmax(%x) {axis = 0} loc(\"here\") return %y",
    "%y = softmax(%x) {axis = -3} loc(\"here\") return %y",
    "%y = log_softmax(%x) {axis = 0} loc(\"here\") return %y",
    "%y = hardmax(%x) {axis = 0} loc(\"here\") return %y",
    "%y = lp_normalization(%x) {axis = 0} loc(\"here\") return %y",
    "%y = mean_variance_normalization(%x) {axes = [0, 2]} loc(\"here\") return %y",
    "%y = mean_variance_normalization(%x) loc(\"here\") return %y",
    "%y = layer_normalization(%x, %half) {axis = 0} loc(\"here\") return %y",
    "%y, %i = topk(%x, %one) {axis = 0} loc(\"here\") return %y",
    "%y = cumsum(%x, %zero) loc(\"here\") return %y",
    "%y = cumprod(%x, %zero) loc(\"here\") return %y",
    "%y = argmax(%x) {axis = 0} loc(\"here\") return %y",
    "%m = reduce_mean(%x, %zeros) loc(\"here\") %y = sub(%x, %m) return %y",
    "%m = reduce_max(%x) loc(\"here\") %y = div(%x, %m) return %y",
    "%m = reduce_sum(%x, %zeros) {keepdims = 0} loc(\"here\") %y = add(%x, %m) return %y",
    "%y = reshape(%x, %minus) loc(\"here\") return %y",
    "%to = constant {value = i64[2](-1, 24)} %y = reshape(%x, %to) loc(\"here\") return %y",
    "%to = constant {value = i64[3](1, -1, 4)} %a = reshape(%x, %to) %y = softmax(%a) {axis = 1} loc(\"here\") return %y",
    "%to = constant {value = i64[2](4, -1)} %y = reshape(%x, %to) loc(\"here\") return %y",
    "%to = constant {value = i64[2](-1, 4)} %a = reshape(%x, %to) %b = gather(%a, %zeros) loc(\"here\") return %b",
    "%y = gather(%x, %zeros) loc(\"here\") return %y",
    "%y = slice(%x, %zeros, %one, %zeros) loc(\"here\") return %y",
    "%y = slice(%x, %minus, %end, %zeros, %minus) loc(\"here\") return %y",
    "%y = concat(%x, %x) {axis = 0} loc(\"here\") return %y",
    "%y, %z = split(%x) {axis = 0} loc(\"here\") return %y",
    "%y = squeeze(%x, %zeros) loc(\"here\") return %y",
    "%p = constant {value = i64[6](1, 0, 0, 0, 0, 0)} %y = pad(%x, %p) loc(\"here\") return %y",
    "%r = constant {value = i64[3](2, 1, 1)} %y = tile(%x, %r) loc(\"here\") return %y",
    "%y, _, _, _ = unique(%x) {axis = 0} loc(\"here\") return %y",
    "%n = non_zero(%x) loc(\"here\") %y = cast(%n) {to = f32} return %y",
    "%c = greater(%x, %half) %z = cast(%c) {to = f32} %y = compress(%x, %flags) {axis = 0} loc(\"here\") return %y",
    "%t = transpose(%x) {perm = [1, 0, 2]} %y = softmax(%t) {axis = 1} loc(\"here\") return %y",
    "%t = transpose(%x) {perm = [2, 1, 0]} %y = softmax(%t) loc(\"here\") return %y",
    "%t = transpose(%x) {perm = [1, 2, 0]} %y = matmul(%t, %x) loc(\"here\") return %y",
    "%t = transpose(%x) {perm = [1, 0, 2]} %u = unsqueeze(%x, %one) %y = add(%u, %t) loc(\"here\") return %y",
    "%q, %s, %z = dynamic_quantize_linear(%x) loc(\"here\") %y = dequantize_linear(%q, %s, %z) return %y",
    "%y = batch_normalization(%x, %c3, %c3, %c3, %c3) {training_mode = 1} loc(\"here\") return %y",
    "%s = shape(%x) %n = gather(%s, %zero) %f = cast(%n) {to = f32} %y = div(%x, %f) loc(\"here\") return %y",
    "%s = shape(%x) %n = gather(%s, %zero) %i = range(%zero, %n, %step) %f = cast(%i) {to = f32} %u = unsqueeze(%f, %axes) %y = add(%x, %u) loc(\"here\") return %y",
    "%a = constant {value = f32[2, 1, 1](1, 2)} %y = add(%x, %a) loc(\"here\") return %y",
    "%y = random_normal_like(%x) loc(\"here\") return %y",
    "%m = reduce_max(%x) loc(\"here\") %c = greater(%m, %half) %s = squeeze(%c) %y = if(%s) region { %a = relu(%x) yield %a } region { yield %x } return %y",
    "%s = shape(%x) %n = gather(%s, %zero) %y = loop(%n, _, %x) loc(\"here\") region (%i: i64[], %c: bool[], %h: f32[*]) { %a = tanh(%h) yield %c, %a } return %y",
    "%y = scan(%x) {num_scan_inputs = 1} loc(\"here\") region (%e: f32[*]) { %a = tanh(%e) yield %a } return %y",
    "%y = depth_to_space(%d) {blocksize = 2} %t = transpose(%x) {perm = [1, 0, 2]} %z = conv(%t, %w3) loc(\"here\") return %z",
    "%s = sequence_construct(%x, %x) %y = concat_from_sequence(%s) {axis = 0} loc(\"here\") return %y",
    "%s = split_to_sequence(%x) loc(\"here\") %y = sequence_at(%s, %zero) return %y",
    "%b = constant {value = f32[1, 1, 4](0, 0, 1, 1)} %n = non_max_suppression(%x4, %x) loc(\"here\") %y = cast(%n) {to = f32} return %y",
    "%y = einsum(%x) {equation = \"nij->ij\"} loc(\"here\") return %y",
    // The row with most parts decides on the length of the last axis.
    "%s = cast(%x) {to = str} %p, %n = string_split(%s) loc(\"here\") %y = cast(%n) {to = f32} return %y",
    "%l = negative_log_likelihood_loss(%x, %labels) loc(\"here\") return %l",
];

#[test]
fn the_op_that_mixes_rows_is_named() {
    assert!(MIXING.len() >= 40);
    let more =
        "%end = constant {value = i64[1](-9)} %flags = constant {value = bool[2](true, true)}
        %c3 = constant {value = f32[3](1, 1, 1)} %step = constant {value = i64[](1)}
        %axes = constant {value = i64[2](1, 2)} %d = constant {value = f32[1, 4, 1, 1](1, 2, 3, 4)}
        %w3 = constant {value = f32[1, 1, 1](1)} %labels = constant {value = i64[1, 4](0, 0, 0, 0)}
        %x4 = constant {value = f32[1, 1, 4](0, 0, 1, 1)}";
    let mut failed = vec![];
    for body in MIXING {
        let found = answer("%x: f32[N, 3, 4]", &format!("{more}\n{body}"));
        if !found.as_ref().is_err_and(|message| message.contains("`here`")) {
            failed.push(format!("{body}: {found:?}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn messages_say_how_rows_are_mixed() {
    let cases = [
        (
            "%y = softmax(%x) {axis = 0} loc(\"here\") return %y",
            "softmax `here` computes across axis 0 of `x`, which has the rows",
        ),
        (
            "%y = reshape(%x, %minus) loc(\"here\") return %y",
            "output `y` of type f32[12*rows] does not have the rows along its first dimension: it is the result of reshape `here`",
        ),
        (
            "%to = constant {value = i64[2](4, -1)} %y = reshape(%x, %to) loc(\"here\") return %y",
            "reshape `here` does not keep rows apart in its result of type f32[4, 3*rows]",
        ),
        (
            "%t = transpose(%x) {perm = [1, 0, 2]} return %t",
            "output `t` of type f32[3, rows, 4] does not have the rows along its first dimension: it is the result of transpose",
        ),
        (
            "%y = relu(%pair) return %y",
            "output `y` of type f32[2] does not have the rows along its first dimension: it is the result of relu",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(answer("%x: f32[N, 3, 4]", body).unwrap_err(), expected, "{body}");
    }
    let twice = answer("%x: f32[N, N]", "%y = relu(%x) return %y").unwrap_err();
    assert!(twice.starts_with("input `x`"), "{twice}");
    let scalar = answer("%x: f32[N, 2], %k: f32[]", "%y = mul(%x, %k) return %y").unwrap_err();
    assert!(scalar.starts_with("input `k`"), "{scalar}");
}
