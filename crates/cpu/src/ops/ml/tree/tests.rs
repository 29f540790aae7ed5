use crate::testing::{elements, run, run_on, tensor};
use trident_ir::{Attr, Literal, OpKind};

fn ints(v: &[i64]) -> Attr {
    Attr::Ints(v.to_vec())
}

/// Two trees: x₀ ≤ 1 ? a : b, and x₁ > 2 (missing counts) ? c : d.
fn stumps() -> Vec<(&'static str, Attr)> {
    let modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_GT", "LEAF", "LEAF"];
    vec![
        ("nodes_treeids", ints(&[0, 0, 0, 1, 1, 1])),
        ("nodes_nodeids", ints(&[0, 1, 2, 0, 1, 2])),
        ("nodes_featureids", ints(&[0, 0, 0, 1, 0, 0])),
        ("nodes_values", Attr::Floats(vec![1.0, 0.0, 0.0, 2.0, 0.0, 0.0])),
        ("nodes_modes", Attr::Strs(modes.map(String::from).to_vec())),
        ("nodes_truenodeids", ints(&[1, 0, 0, 1, 0, 0])),
        ("nodes_falsenodeids", ints(&[2, 0, 0, 2, 0, 0])),
        ("nodes_missing_value_tracks_true", ints(&[0, 0, 0, 1, 0, 0])),
    ]
}

fn votes(p: [&'static str; 4], targets: &[i64]) -> Vec<(&'static str, Attr)> {
    vec![
        (p[0], ints(targets)),
        (p[1], ints(&[1, 2, 1, 2])),
        (p[2], ints(&[0, 0, 1, 1])),
        (p[3], Attr::Floats(vec![0.25, 0.5, 0.125, 0.375])),
    ]
}

#[test]
fn regression_and_classification() {
    let x = || tensor(&[3, 2], &[1.0f32, 3.0, 2.0, 0.0, f32::NAN, f32::NAN]);
    let names = ["target_ids", "target_nodeids", "target_treeids", "target_weights"];
    let go = |aggregate: &str| {
        let more =
            vec![("aggregate_function", Attr::Str(aggregate.into())), ("n_targets", Attr::Int(1))];
        let attrs = [stumps(), votes(names, &[0; 4]), more].concat();
        elements::<f32>(&run(OpKind::TreeEnsembleRegressor, &attrs, vec![x()]).unwrap())
    };
    assert_eq!(go("SUM"), [0.375, 0.875, 0.625]);
    assert_eq!(go("AVERAGE"), [0.1875, 0.4375, 0.3125]);
    assert_eq!(go("MIN"), [0.125, 0.375, 0.125]);
    let names = ["class_ids", "class_nodeids", "class_treeids", "class_weights"];
    let labels = vec![("classlabels_int64s", ints(&[3, 4]))];
    let attrs = [stumps(), votes(names, &[0, 1, 1, 0]), labels.clone()].concat();
    let y = run_on(2, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
    assert_eq!(elements::<f32>(&y[1]), [0.25, 0.125, 0.375, 0.5, 0.0, 0.625]);
    assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
    let attrs = [stumps(), votes(names, &[0; 4]), labels].concat();
    let y = run_on(1, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
    assert_eq!(elements::<f32>(&y[1]), [0.625, 0.375, 0.125, 0.875, 0.375, 0.625]);
    assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
    let labels = vec![("classlabels_int64s", ints(&[3, 4]))];
    let attrs = [stumps(), votes(names, &[1; 4]), labels].concat();
    let y = run_on(1, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x())], 2).unwrap();
    assert_eq!(elements::<f32>(&y[1]), [0.0, 0.375, 0.0, 0.875, 0.0, 0.625]);
    assert_eq!(elements::<i64>(&y[0]), [3, 4, 4]);
}

#[test]
fn one_base_value_counts_for_both_of_two_classes() {
    let x = tensor(&[2, 2], &[1.0f32, 3.0, 2.0, 0.0]);
    let names = ["class_ids", "class_nodeids", "class_treeids", "class_weights"];
    let go = |ids: &[i64], classes: &[i64], base: &[f32]| {
        let more = vec![
            ("classlabels_int64s", ints(classes)),
            ("base_values", Attr::Floats(base.to_vec())),
        ];
        let attrs = [stumps(), votes(names, ids), more].concat();
        run_on(1, OpKind::TreeEnsembleClassifier, &attrs, vec![Some(x.clone())], 2)
    };
    let first = go(&[0; 4], &[3, 4], &[0.0625]).unwrap();
    assert_eq!(elements::<f32>(&first[1]), [0.5625, 0.4375, 0.0625, 0.9375]);
    assert_eq!(elements::<i64>(&first[0]), [3, 4]);
    let votes_for_both = go(&[0, 1, 1, 0], &[3, 4], &[0.0625]).unwrap();
    assert_eq!(elements::<f32>(&votes_for_both[1]), [0.3125, 0.1875, 0.4375, 0.5625]);
    for (classes, base) in [(&[3, 4, 5][..], &[0.0625][..]), (&[3, 4], &[0.0625; 3])] {
        let error = go(&[0; 4], classes, base).err().unwrap().to_string();
        assert!(error.contains("`base_values`"), "{error}");
    }
}

#[test]
fn with_one_target_a_leaf_keeps_its_first_vote() {
    let x = || tensor(&[2, 2], &[1.0f32, 3.0, 2.0, 0.0]);
    let go = |ids: [i64; 5], targets, aggregate: &str| {
        let votes = vec![
            ("target_ids", ints(&ids)),
            ("target_nodeids", ints(&[1, 1, 2, 1, 2])),
            ("target_treeids", ints(&[0, 0, 0, 1, 1])),
            ("target_weights", Attr::Floats(vec![2.0, 1.0, 4.0, 8.0, 16.0])),
            ("n_targets", Attr::Int(targets)),
            ("aggregate_function", Attr::Str(aggregate.into())),
        ];
        let attrs = [stumps(), votes].concat();
        run(OpKind::TreeEnsembleRegressor, &attrs, vec![x()]).map(|y| elements::<f32>(&y))
    };
    assert_eq!(go([0; 5], 1, "SUM").unwrap(), [10.0, 20.0]);
    assert_eq!(go([0; 5], 1, "AVERAGE").unwrap(), [5.0, 10.0]);
    assert_eq!(go([0; 5], 1, "MIN").unwrap(), [2.0, 4.0]);
    // With several targets, votes for the same one add up, as in all others.
    assert_eq!(go([0; 5], 2, "SUM").unwrap(), [11.0, 0.0, 20.0, 0.0]);
    assert_eq!(go([1, 1, 0, 0, 0], 2, "SUM").unwrap(), [8.0, 3.0, 20.0, 0.0]);
    assert!(go([0, 1, 0, 0, 0], 1, "SUM").is_err());
}

#[test]
fn cycles_and_bad_references_are_errors() {
    let model = |on_true: i64| {
        vec![
            ("nodes_featureids", ints(&[0])),
            ("nodes_modes", Attr::Tensor(Literal::vector(&[6u8]))),
            ("nodes_splits", Attr::Tensor(Literal::vector(&[0.0f32]))),
            ("membership_values", Attr::Tensor(Literal::vector(&[1.0f32, 2.0, f32::NAN]))),
            ("nodes_truenodeids", ints(&[on_true])),
            ("nodes_falsenodeids", ints(&[0])),
            ("nodes_trueleafs", ints(&[0])),
            ("nodes_falseleafs", ints(&[1])),
            ("leaf_targetids", ints(&[1])),
            ("leaf_weights", Attr::Tensor(Literal::vector(&[5.0f32]))),
            ("tree_roots", ints(&[0])),
            ("n_targets", Attr::Int(2)),
        ]
    };
    let go =
        |on_true, x: f32| run(OpKind::TreeEnsemble, &model(on_true), vec![tensor(&[1, 1], &[x])]);
    assert_eq!(elements::<f32>(&go(0, 3.0).unwrap()), [0.0, 5.0]);
    // A cycle shows when it is walked. The others are refused when the model is compiled, which names the op.
    let error = |on_true, x| go(on_true, x).unwrap_err().to_string();
    assert_eq!(error(0, 2.0), "a tree has a cycle");
    assert!(error(1, 3.0).contains("tree_ensemble"), "{}", error(1, 3.0));
    assert!(error(-1, 3.0).contains("nodes_truenodeids"), "{}", error(-1, 3.0));
}
