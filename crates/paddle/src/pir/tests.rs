use super::*;
use crate::testing::*;

fn read_ops(version: i64, ops: &[String]) -> (Program, Vec<Stored>) {
    read(&pir_text(version, ops)).unwrap()
}

#[test]
fn interface_and_parameters_are_not_ops() {
    let mut ops = pir_ops();
    ops.insert(1, pir_param(7, "state", "", false));
    let (program, stored) = read_ops(1, &ops);
    assert_eq!((program.version, program.form), (1, Form::Pir));
    let names: Vec<&str> = program.main.ops.iter().map(|op| &*op.name).collect();
    assert_eq!(names, ["add", "relu"]);
    let add = &program.main.ops[0];
    assert_eq!((&*add.dialect, add.layer.as_deref(), add.number), ("pd_op", Some("/net/"), 3));
    assert_eq!(add.operands.at(0), Some(program.inputs[0].var));
    assert_eq!(&*program.outputs[0].name, "fetch_name_0");
    assert_eq!(program.main.ops[1].results.at(0), Some(program.outputs[0].var));
    let names: Vec<&str> = stored.iter().map(|param| &*param.name).collect();
    assert_eq!(names, ["w"]);
    assert_eq!(&*program.var(program.params[0].var).name, "state");
    let VarType::Tensor(info) = &program.var(program.inputs[0].var).ty else { panic!("a tensor") };
    assert_eq!(info.dims.as_deref(), Some(&[-1, 2][..]));
}

#[test]
fn attributes_of_later_versions_have_their_defaults() {
    let repeat = |version: i64, attrs: &str| {
        let mut ops = pir_ops();
        ops[3] = pir_op("1.repeat_interleave", &[3], &[(4, "2")], attrs);
        let (program, _) = read_ops(version, &ops);
        program.main.ops[1].attr("output_size").and_then(Attr::as_int)
    };
    assert_eq!(repeat(2, ""), Some(-1));
    assert_eq!(repeat(3, ""), None);
    assert_eq!(repeat(1, &pir_attr("output_size", "0.a_i64", "5")), Some(5));
}

#[test]
fn inner_blocks_see_outer_values_and_give_theirs_by_yield() {
    let inner = |ops: &[String], args: &str| {
        let ops = ops.join(",");
        format!(r##"{{"#":"r","blocks":[{{"#":"b","args":[{args}],"ops":[{ops}]}}]}}"##)
    };
    let give = |ids: &[i64]| pir_op("2.yield", ids, &[], "");
    let owner = |name: &str, operands: &[i64], regions: &[String]| {
        let op = pir_op(name, operands, &[(20, "2")], "");
        format!(
            "{},\"regions\":[{}]}}",
            op.trim_end_matches('}').to_owned() + "",
            regions.join(",")
        )
    };
    let yes = inner(&[pir_op("1.relu", &[3], &[(10, "2")], ""), give(&[10])], "");
    let no = inner(&[give(&[3])], "");
    let with = |op: String| {
        let mut ops = pir_ops();
        ops.insert(3, op);
        read(&pir_text(4, &ops))
    };
    let (program, _) = with(owner("1.if", &[2], &[yes.clone(), no.clone()])).unwrap();
    let op = &program.main.ops[1];
    assert_eq!((op.blocks.len(), op.blocks[0].ops.len(), op.blocks[1].ops.len()), (2, 1, 0));
    assert_eq!(op.blocks[1].results[0], program.main.ops[0].results.at(0).unwrap());
    // The values of a block are not those of the next one.
    let other = inner(&[give(&[10])], "");
    let error = with(owner("1.if", &[2], &[yes.clone(), other])).unwrap_err();
    assert!(matches!(error.kind, PaddleErrorKind::Undefined { .. }));
    // Blocks that do not fit their op.
    for regions in [vec![yes.clone()], vec![yes, inner(&[], "")], vec![]] {
        let error = with(owner("1.if", &[2], &regions)).unwrap_err();
        assert!(matches!(error.kind, PaddleErrorKind::Malformed(_)), "{}", error.kind);
    }
    let arg = r##"{"#":-1,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_f32"},[2],"NCHW",[],0]}}"##;
    let body = inner(&[pir_op("1.relu", &[-1], &[(10, "2")], ""), give(&[2, 10])], arg);
    let (program, _) = with(owner("1.while", &[2, 3], &[body])).unwrap();
    let op = &program.main.ops[1];
    assert_eq!(op.blocks[0].params.len(), 1);
    assert_eq!(op.blocks[0].ops[0].operands.at(0), Some(op.blocks[0].params[0]));
    assert_eq!(op.blocks[0].results.len(), 2);
}

#[test]
fn an_op_with_an_attribute_twice_is_an_error() {
    let mut ops = pir_ops();
    let axis = |value: &str| pir_attr("axis", "0.a_i32", value);
    ops[3] = pir_op("1.softmax", &[3], &[(4, "2")], &[axis("0"), axis("1")].join(","));
    let error = read(&pir_text(4, &ops)).unwrap_err();
    assert_eq!(error.kind.to_string(), "the program is malformed: the op has `axis` twice");
}
