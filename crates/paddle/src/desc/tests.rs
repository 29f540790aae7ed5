use super::read;
use crate::error::PaddleErrorKind;
use crate::params::Stored;
use crate::program::{Args, Attr, Block, Op, Program, Var};
use crate::testing::*;

fn read_file(files: &Memory, name: &str) -> (Program, Vec<Stored>) {
    read(files.file(name).unwrap()).unwrap()
}

fn find<'p>(block: &'p Block, name: &str) -> &'p Op {
    block.ops.iter().find(|op| &*op.name == name).unwrap()
}

fn names(program: &Program, vars: impl IntoIterator<Item = Var>) -> Vec<String> {
    vars.into_iter().map(|var| program.var(var).name.to_string()).collect()
}

#[test]
fn interface_and_parameters_are_not_ops() {
    let (program, stored) = read_file(&legacy(), "model.pdmodel");
    assert_eq!(program.version, 2_006_002);
    let ops: Vec<&str> = program.main.ops.iter().map(|op| &*op.name).collect();
    assert_eq!(ops, ["elementwise_add", "relu"]);
    let add = &program.main.ops[0];
    assert_eq!(add.operands.slot("X"), [Some(program.inputs[0].var)]);
    assert_eq!(add.operands.slot("Y"), [Some(stored[0].var)]);
    assert!(add.operands.slot("Z").is_empty());
    assert_eq!((add.layer.as_deref(), add.number), (Some("/net/"), 1));
    assert_eq!(add.attr("axis"), Some(&Attr::Int(-1)));
    assert!(add.attr("op_namescope").is_none());
    assert_eq!(&*program.outputs[0].name, "out");
    assert_eq!(&*stored[0].name, "w");
}

#[test]
fn loops_carry_the_variables_that_they_write() {
    let (program, _) = read_file(&legacy_control(), "__model__");
    let op = find(&program.main, "while");
    assert_eq!(names(&program, op.operands.iter()), ["c", "i", "x"]);
    let [body] = &op.blocks[..] else { panic!("one block") };
    // `t` is the block's own.
    assert_eq!(names(&program, body.params.iter().copied()), ["i", "x"]);
    assert_eq!(names(&program, body.results.iter().copied()), ["c", "i", "x"]);
    assert_eq!(body.ops[0].operands.slot("X"), [Some(body.params[0])]);
    let Args::Positions(results) = &op.results else { panic!("positions") };
    assert_eq!(results.len(), 2);
    // Each write made a variable of its own, and the output is that of the loop.
    assert_eq!(program.outputs[0].var, results[1].unwrap());
    assert_ne!(body.params[1], body.results[2]);
}

#[test]
fn branches_keep_values_or_have_none() {
    let (program, _) = read_file(&legacy_control(), "__model__");
    let op = find(&program.main, "if");
    assert_eq!(op.operands.iter().count(), 1);
    let [yes, no] = &op.blocks[..] else { panic!("two blocks") };
    assert_eq!(names(&program, yes.results.iter().copied()), ["y"]);
    // Nothing has written `y` before.
    let undefined = find(no, "undefined");
    assert_eq!(undefined.results.at(0), Some(no.results[0]));
    assert_eq!(program.outputs[1].var, op.results.at(0).unwrap());
}

#[test]
fn arrays_keep_their_earlier_elements() {
    let vars = [var("x", 5, &[2], false), var("i", 3, &[1], false)];
    let write = op("write_to_array", &["X=x", "I=i"], &["Out=a"], &[]);
    let main = [feed("x", 0), feed("i", 1), write.clone(), write];
    let program = read(&program(&[block(&vars, &main)])).unwrap().0;
    let [first, second] = &program.main.ops[..] else { panic!("two ops") };
    assert!(first.operands.slot("Array").is_empty());
    assert_eq!(second.operands.slot("Array"), first.results.slot("Out"));
}

#[test]
fn attributes_have_their_kinds() {
    let attr = |kind: i64| Message::new().bytes(1, "a").int(2, kind);
    let packed = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 3];
    let scalar = Message::new().int(1, 3).float(4, 0.5);
    let cases = [
        (attr(0).int(3, -1), Attr::Int(-1)),
        (attr(0).int(3, 0xffff_ffff), Attr::Int(-1)),
        (attr(1).float(4, 0.5), Attr::Float(0.5)),
        (attr(2).bytes(5, "t"), Attr::Text("t".into())),
        (attr(3).int(6, 1).int(6, 2), Attr::Ints([1, 2].into())),
        (attr(4).float(7, 0.5), Attr::Floats([0.5].into())),
        (attr(5).bytes(8, "t"), Attr::Texts(["t".into()].into())),
        (attr(6).int(10, 1), Attr::Bool(true)),
        (attr(7).int(11, 1).int(11, 0), Attr::Bools([true, false].into())),
        (attr(9).int(13, 1 << 40), Attr::Int(1 << 40)),
        (attr(11).bytes(15, packed), Attr::Ints([-1, 3].into())),
        (attr(12).bytes(16, 0.1f64.to_le_bytes()), Attr::Floats([0.1].into())),
        (attr(16).message(20, scalar), Attr::Float(0.5)),
        (attr(99), Attr::Other("attribute".into())),
    ];
    for (message, expected) in cases {
        let main = [op("relu", &[], &["Out=y"], &[message])];
        let program = read(&program(&[block(&[], &main)])).unwrap().0;
        assert_eq!(program.main.ops[0].attr("a"), Some(&expected));
    }
}

#[test]
fn attributes_that_are_variables_are_slots() {
    let attr = |name: &str, kind: i64| Message::new().bytes(1, name).int(2, kind);
    let attrs = [
        attr("one", 13).bytes(17, "a"),
        attr("many", 14).bytes(18, "a").bytes(18, "b"),
        attr("alpha", 1).float(4, 0.5),
    ];
    let main = [feed("a", 0), feed("b", 1), op("relu", &["X=b"], &["Out=y"], &attrs)];
    let program = read(&program(&[block(&[], &main)])).unwrap().0;
    let op = &program.main.ops[0];
    let (a, b) = (program.inputs[0].var, program.inputs[1].var);
    assert_eq!(op.operands.slot("one"), [Some(a)]);
    assert_eq!(op.operands.slot("many"), [Some(a), Some(b)]);
    assert_eq!(op.operands.slot("X"), [Some(b)]);
    assert!(op.attr("one").is_none() && op.attr("many").is_none());
    assert_eq!(op.attr("alpha"), Some(&Attr::Float(0.5)));
}

#[test]
fn damaged_programs_are_errors() {
    let of = |ops: &[Message]| read(&program(&[block(&[], ops)])).unwrap_err().kind;
    assert!(matches!(of(&[op("", &[], &[], &[])]), PaddleErrorKind::Malformed(_)));
    assert!(matches!(
        of(&[op("relu", &["X=x"], &["Out=y"], &[])]),
        PaddleErrorKind::Undefined { .. }
    ));
    let missing = Message::new().bytes(1, "a").int(2, 0);
    assert!(matches!(of(&[op("relu", &[], &[], &[missing])]), PaddleErrorKind::Malformed(_)));
    assert!(matches!(read(&[]).unwrap_err().kind, PaddleErrorKind::Malformed(_)));
    let version =
        Message::new().message(1, block(&[], &[])).message(4, Message::new().int(1, 9_000_000));
    assert!(matches!(read(&version.0).unwrap_err().kind, PaddleErrorKind::Version { .. }));
}

#[test]
fn loops_may_write_many_variables() {
    const COUNT: usize = 20_000;
    // As long as Paddle's own, so that the file's size allows for as many ops.
    let written = |i: usize| format!("v{i:0100}");
    let writes = |from: &str| -> Vec<Message> {
        (0..COUNT)
            .map(|i| op("relu", &[&format!("X={from}")], &[&format!("Out={}", written(i))], &[]))
            .collect()
    };
    let vars = [var("x", 5, &[2], false), var("c", 0, &[1], true)];
    let mut main = vec![feed("x", 0)];
    main.extend(writes("x"));
    main.push(op("while", &["X=x", "Condition=c"], &["Out=x"], &[block_attr("sub_block", 1)]));
    main.push(fetch(&written(7), 0));
    let blocks = [block(&vars, &main), block(&[], &writes("x"))];
    let files = Memory::of([("__model__", program(&blocks))]);
    let (program, _) = read_file(&files, "__model__");
    let carried = names(&program, find(&program.main, "while").results.iter());
    assert_eq!(carried, (0..COUNT).map(written).collect::<Vec<_>>());
}

#[test]
fn an_op_with_a_name_twice_is_an_error() {
    let twice = [int_attr("axis", 0), int_attr("axis", 1)];
    let ops = [
        op("softmax", &["X=x"], &["Out=x"], &twice),
        op("softmax", &["X=x", "X=x"], &["Out=x"], &[]),
        op("softmax", &["X=x"], &["Out=x", "Out=y"], &[]),
        op(
            "while",
            &["Condition=x"],
            &["Out=x"],
            &[block_attr("sub_block", 1), block_attr("sub_block", 1)],
        ),
    ];
    for (op, name) in ops.into_iter().zip(["axis", "X", "Out", "sub_block"]) {
        let main = block(&[var("x", 5, &[2], false)], &[feed("x", 0), op]);
        let error = read(&program(&[main, block(&[], &[])])).unwrap_err();
        assert_eq!(
            error.kind.to_string(),
            format!("the program is malformed: the op has `{name}` twice")
        );
    }
}
