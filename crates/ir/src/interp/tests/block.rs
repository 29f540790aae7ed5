//! Ops that rearrange blocks, against index arithmetic written out.

use super::*;

#[test]
fn ranges_splats_and_shapes() {
    let out = run(
        "%s: f32[], %x: i32[2]",
        "%r = arange {start = -2, end = 2}
         %c = splat(%s) : f32[2, 2]
         %e = expand_dims(%x) {axis = 1}
         %b = broadcast(%e) : i32[2, 4]
         %v = view(%b) : i32[4, 2]
         %u = reduce(%x) {axis = 0} region (%l: i32[], %m: i32[]) { %n = add(%l, %m) yield %n }
         return %r, %c, %b, %v, %u",
        &[InterpValue::scalar(1.5f32), tensor(&[7i32, -8], &[2])],
    );
    assert_eq!(out[0], tensor(&[-2i32, -1, 0, 1], &[4]));
    assert_eq!(out[1], tensor(&[1.5f32; 4], &[2, 2]));
    assert_eq!(out[2], tensor(&[7i32, 7, 7, 7, -8, -8, -8, -8], &[2, 4]));
    assert_eq!(out[3], tensor(&[7i32, 7, 7, 7, -8, -8, -8, -8], &[4, 2]));
    assert_eq!(out[4], InterpValue::scalar(-1i32));
}

#[test]
fn permutations_move_axes() {
    let dims = [2, 4, 8];
    let x: Vec<i32> = (0..64).collect();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]] {
        let [i, j, k] = order;
        let body = format!("%y = permute(%x) {{order = [{i}, {j}, {k}]}} return %y");
        let out = run("%x: i32[2, 4, 8]", &body, &[tensor(&x, &dims)]);
        let mut expected = vec![];
        let n = order.map(|axis: usize| dims[axis]);
        for a in 0..n[0] {
            for b in 0..n[1] {
                for c in 0..n[2] {
                    // Place (a, b, c) of the result is this place of the operand.
                    let mut from = [0; 3];
                    (from[i], from[j], from[k]) = (a, b, c);
                    expected.push(x[(from[0] * 4 + from[1]) * 8 + from[2]]);
                }
            }
        }
        assert_eq!(out[0], tensor(&expected, &n), "{order:?}");
    }
}

#[test]
fn joined_blocks_come_apart_again() {
    let args = [tensor(&[1i8, 2, 3, 4], &[2, 2]), tensor(&[5i8, 6, 7, 8], &[2, 2])];
    let body = "%j = join(%a, %b) %l, %r = unjoin(%j) %f = view(%a) : i8[4] %c = cat(%f, %f) return %j, %l, %r, %c";
    let out = run("%a: i8[2, 2], %b: i8[2, 2]", body, &args);
    assert_eq!(out[0], tensor(&[1i8, 5, 2, 6, 3, 7, 4, 8], &[2, 2, 2]));
    assert_eq!(out[1..3], args);
    assert_eq!(out[3], tensor(&[1i8, 2, 3, 4, 1, 2, 3, 4], &[8]));
}

#[test]
fn elements_are_taken_along_an_axis() {
    let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
    let head = "%x: f32[2, 4], %i: i64[1, 4], %k: i8[2, 8]";
    let indices = [1i64, 0, 1, 1];
    let columns: Vec<i8> = vec![3, 2, 1, 0, 0, 1, 2, 3, 1, 1, 1, 1, 2, 2, 2, 2];
    let args = [tensor(&x, &[2, 4]), tensor(&indices, &[1, 4]), tensor(&columns, &[2, 8])];
    let body = "%a = take_along_axis(%x, %i) {axis = 0} %b = take_along_axis(%x, %k) {axis = 1} return %a, %b";
    let out = run(head, body, &args);
    let rows: Vec<f32> = (0..4).map(|c| x[indices[c] as usize * 4 + c]).collect();
    assert_eq!(out[0], tensor(&rows, &[1, 4]));
    let taken: Vec<f32> = (0..16).map(|i| x[i / 8 * 4 + columns[i] as usize]).collect();
    assert_eq!(out[1], tensor(&taken, &[2, 8]));

    let body = "%a = take_along_axis(%x, %i) {axis = 0} return %a";
    let args = [args[0].clone(), tensor(&[0i64, -1, 0, 0], &[1, 4]), args[2].clone()];
    let error = run_in(head, body, &args, &mut Memory::default()).unwrap_err();
    assert!(error.to_string().ends_with("index -1 is outside of an axis of length 2"), "{error}");
}

#[test]
fn histograms_count_what_is_in_range_and_not_masked() {
    let x: Vec<i32> = numbers(64, 11).iter().map(|&x| (x % 12) as i32 - 2).collect();
    let mask: Vec<u64> = (0..64).map(|i| (i % 3) & 1).collect();
    let args = [tensor(&x, &[64]), bits(DType::Bool, &mask, &[64])];
    let body = "%h = histogram(%x, %m) : i32[8] %a = histogram(%x) : i32[8] return %h, %a";
    let out = run("%x: i32[64], %m: bool[64]", body, &args);
    let mut expected = [[0i32; 8]; 2];
    for (&x, &m) in x.iter().zip(&mask) {
        if (0..8).contains(&x) {
            expected[0][x as usize] += m as i32;
            expected[1][x as usize] += 1;
        }
    }
    assert_eq!(out, expected.map(|counts| tensor(&counts, &[8])));
}

#[test]
fn pointers_move_by_elements() {
    let body = "%q = ptr_add(%p, %o) %b = ptr_cast(%q) : ptr<i8>[2] %c = ptr_add(%b, %o)
                %i = ptr_to_int(%c) %r = int_to_ptr(%i) : ptr<f64>[2] %s = ptr_add(%r, %o) %t = ptr_to_int(%s)
                return %i, %t";
    let args = [bits(DType::U64, &[1000, 2000], &[2]), tensor(&[3i32, -1], &[2])];
    let out = run("%p: ptr<f32>[2], %o: i32[2]", body, &args);
    assert_eq!(out[0], tensor(&[1000i64 + 12 + 3, 2000 - 4 - 1], &[2]));
    assert_eq!(out[1], tensor(&[1015i64 + 24, 1995 - 8], &[2]));
}

#[test]
fn arbitrary_values_are_always_the_same() {
    let out = run(
        "",
        "%i = poison : i16[2] %f = poison : f32[] %b = poison : bool[] return %i, %f, %b",
        &[],
    );
    assert_eq!(out[0], bits(DType::I16, &[0xa5a5; 2], &[2]));
    assert!(elements::<f32>(&out[1])[0].is_nan());
    assert_eq!(out[2], bits(DType::Bool, &[1], &[]));
}

#[test]
fn programs_know_their_place_in_the_grid() {
    let module = module(
        "%p: ptr<i32>[]",
        "%x = program_id {axis = 0} %y = program_id {axis = 1} %z = program_id {axis = 2}
         %nx = num_programs {axis = 0} %ny = num_programs {axis = 1}
         %a = mul(%z, %ny) %b = add(%a, %y) %c = mul(%b, %nx) %i = add(%c, %x)
         %q = ptr_add(%p, %i) store(%q, %i) return",
    );
    let mut memory = Memory::default();
    let p = memory.reserve("p", 24 * 4);
    let mut interpreter = Interpreter::new(&module).unwrap();
    interpreter.launch([2, 3, 4], &[InterpValue::address(p)], &mut memory).unwrap();
    assert_eq!(memory.read_all::<i32>("p").unwrap(), (0..24).collect::<Vec<_>>());
    interpreter.launch([2, 0, 4], &[InterpValue::address(p)], &mut memory).unwrap();
}

#[test]
fn arguments_are_those_of_the_parameters() {
    let module = module("%x: f32[2], %n: i32[]", "return");
    let mut interpreter = Interpreter::new(&module).unwrap();
    let mut call = |args: &[InterpValue]| {
        interpreter.call("f", args, &mut Memory::default()).unwrap_err().to_string()
    };
    let x = tensor(&[1f32, 2.0], &[2]);
    assert_eq!(call(std::slice::from_ref(&x)), "@f: argument 1 is none, must be i32[]");
    assert_eq!(call(&[x.clone(), x.clone()]), "@f: argument 1 is f32[2], must be i32[]");
    assert_eq!(
        call(&[x.clone(), InterpValue::scalar(1i32), x]),
        "@f: argument 2 is f32[2], must be none"
    );
    let error = interpreter.call("g", &[], &mut Memory::default()).unwrap_err();
    assert_eq!(error.to_string(), "there is no function @g");
}
