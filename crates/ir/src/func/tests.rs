use super::*;

fn func(text: &str) -> Func {
    text.parse().unwrap()
}

#[test]
fn ops_give_operands_and_results() {
    let f = func(
        "func @f graph (%x: f32[1]) {
           %y, _ = dropout(%x, _, %x) {seed = 3} : f32[1] loc(\"n\")
           _ = resize(%x) {axes = [1], mode = \"cubic\"}
           return
         }",
    );
    let [dropout, resize] = &f.body.ops[..] else { panic!() };
    assert_eq!(dropout.input(0), Some(ValueId(0)));
    assert_eq!((dropout.input(1), dropout.input(9)), (None, None));
    assert_eq!((dropout.output(0), dropout.output(1)), (Some(ValueId(1)), None));
    assert_eq!(dropout.used().count(), 2);
    assert_eq!(dropout.defined().count(), 1);
    assert_eq!((dropout.describe(), resize.describe()), ("dropout `n`".into(), "resize".into()));
}

#[test]
fn unique_names_keep_those_of_parameters_and_results() {
    let mut f = func(
        "func @f graph (%a: f32[]) {
           %b = neg(%a) %c = neg(%b) %d = neg(%c) %e = neg(%d) return %e
         }",
    );
    for (i, name) in ["a", "y", "y", "a.1", "y"].into_iter().enumerate() {
        f.values[i].name = name.into();
    }
    f.values[2].name = "a".into();
    f.unique_names();
    let names: Vec<_> = f.values.iter().map(|v| v.name.as_str()).collect();
    // The result `y` comes last in the table and keeps its name.
    assert_eq!(names, ["a", "y.1", "a.1", "a.1.1", "y"]);
    f.verify().unwrap();
}

#[test]
fn results_of_loops_follow_the_region() {
    let f = func(
        "func @f graph (%n: i64[], %c: bool[], %x: f32[2]) {
           %last, %all = loop(%n, %c, %x) region (%i: i64[], %go: bool[], %v: f32[2]) {
             yield %go, %v, %i
           }
           return %last, %all
         }",
    );
    let types: Vec<_> = f.body.results.iter().map(|&v| f.ty(v).to_string()).collect();
    assert_eq!(types, ["f32[*]", "i64[*]"]);
}
