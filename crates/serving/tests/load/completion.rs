//! Configurations that leave out what the model tells.

use crate::{interface, normalized, signature, tensor, usual};
use trident_ir::{DType, Dim, Type, ValueInfo};
use trident_serving::*;

#[test]
fn a_model_fills_in_what_the_configuration_leaves_out() {
    let mut given = normalized("");
    assert_eq!(given.complete(&usual(), 4), Ok(true));
    given.normalize(&Host::default());
    assert_eq!(given.max_batch_size, 4);
    assert_eq!(given.input[0].dims, [16]);
    assert_eq!((given.output[0].data_type, &*given.output[0].dims), (DataType::Int64, &[3][..]));
    let SchedulingChoice::Dynamic(batching) = &given.scheduling else { panic!() };
    assert_eq!(batching.preferred_batch_size, [4]);
    given.validate(&Host::default()).unwrap();
    given.check(&usual()).unwrap();

    // A batch size of 1, or a scheduler that is given, adds none.
    let mut one = normalized("max_batch_size: 1");
    assert_eq!(one.complete(&usual(), 4), Ok(false));
    assert_eq!((one.max_batch_size, one.scheduling), (1, SchedulingChoice::Unset));
    let mut none = normalized("");
    assert_eq!(none.complete(&usual(), 0), Ok(true));
    assert_eq!((none.max_batch_size, &*none.input[0].dims), (0, &[-1, 16][..]));

    // A vector with one element for each item of the batch is a scalar to the model.
    let vector =
        signature(&[("A", tensor(DType::Bool, &[-1]))], &[("B", tensor(DType::Str, &[-1]))]);
    let mut given = normalized("max_batch_size: 2");
    given.complete(&vector, 4).unwrap();
    assert_eq!(given.input[0].dims, [1]);
    assert_eq!(given.input[0].reshape, Some(ModelTensorReshape::default()));
    given.normalize(&Host::default());
    given.validate(&Host::default()).unwrap();
    given.check(&vector).unwrap();

    // Both given: nothing is filled in.
    let text = "input { name: \"X\" } output { name: \"Y\" }";
    let mut given = normalized(text);
    assert_eq!(given.complete(&usual(), 4), Ok(false));
    assert_eq!(given.max_batch_size, 0);
}

#[test]
fn names_of_dimensions_tell_whether_rows_depend_on_each_other() {
    let named = |dims: &str| {
        let dim = |text: &str| match text.parse() {
            Ok(n) => Dim::Fixed(n),
            Err(_) if text == "?" => Dim::Unknown,
            Err(_) => Dim::sym(text),
        };
        Type::tensor(DType::F32, dims.split_whitespace().map(dim))
    };
    let of = |a: &str, b: &str, y: &str| {
        signature(&[("a", named(a)), ("b", named(b))], &[("y", named(y))])
    };
    for (a, b, y) in [
        ("N", "M", "?"),
        ("N", "?", "M"),
        ("N K", "K M", "N M"),
        ("N", "N", "N N"),
        ("N", "N", "N 2*N"),
        ("N N", "N", "N"),
    ] {
        let signature = of(a, b, y);
        assert!(signature.dependent_rows().is_some(), "{a}, {b}, {y}");
        let mut given = normalized("");
        assert_eq!(given.complete(&signature, 4), Ok(true));
        assert_eq!((given.max_batch_size, given.scheduling), (4, SchedulingChoice::Unset));
    }
    for (a, b, y) in [
        ("N", "N", "N"),
        ("? 3", "? 3", "?"),
        ("N K", "N K", "N K"),
        ("N K", "? K", "?"),
        ("unk__1", "unk__2", "Addy_dim_0"),
        ("DynamicDimension.0", "DynamicDimension.1", "?"),
        ("N K", "N K", "floor((N*K)/(K)) floor((N*K)/(N))"),
        ("batch", "batch", "batch batch_2"),
    ] {
        let signature = of(a, b, y);
        assert_eq!(signature.dependent_rows(), None, "{a}, {b}, {y}");
        let mut given = normalized("");
        given.complete(&signature, 4).unwrap();
        assert!(matches!(given.scheduling, SchedulingChoice::Dynamic(_)), "{a}, {b}, {y}");
    }
}

#[test]
fn scalars_and_optional_inputs_are_understood() {
    let mut scalar =
        interface(&[("A", tensor(DType::F32, &[]))], &[("B", tensor(DType::F32, &[]))]);
    let default = ValueInfo { name: "OPTIONAL".into(), ty: tensor(DType::F32, &[2]) };
    scalar.optional.push(default);
    let scalar = ModelSignature::of("m", &scalar).unwrap();
    let mut given = normalized("");
    assert_eq!(given.complete(&scalar, 4), Ok(false));
    assert_eq!(
        (given.input.len(), &*given.input[0].dims, &given.input[0].reshape),
        (1, &[1][..], &None)
    );
    given.check(&scalar).unwrap();
    let optional = ModelInput {
        name: "OPTIONAL".into(),
        data_type: DataType::Fp32,
        dims: vec![2],
        ..Default::default()
    };
    given.input.push(optional);
    given.check(&scalar).unwrap();
    given.output[0].dims = vec![1, 2];
    let fault = given.check(&scalar).unwrap_err().to_string();
    assert!(fault.contains("scalar tensor 'B', should only provide 1"), "{fault}");
}

#[test]
fn models_that_cannot_be_completed_are_refused() {
    let fixed = signature(&[("A", tensor(DType::F32, &[1, 16]))], &[]);
    let fault = normalized("max_batch_size: 8").complete(&fixed, 4).unwrap_err().to_string();
    let expected = "autofill failed for model 'm': model does not support batching while non-zero max_batch_size is specified";
    assert_eq!(fault, expected);
    let unranked = signature(&[("A", Type::unranked(DType::F32))], &[]);
    let fault = normalized("").complete(&unranked, 4).unwrap_err().to_string();
    assert!(fault.contains("the number of dimensions of input 'A' is unknown"), "{fault}");
    let list = interface(&[("A", Type::Seq(Box::new(Type::unranked(DType::F32))))], &[]);
    let fault = ModelSignature::of("m", &list).unwrap_err().to_string();
    assert!(fault.contains("for input 'A' for model 'm'"), "{fault}");
}
