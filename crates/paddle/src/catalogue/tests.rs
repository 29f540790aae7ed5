use super::*;
use std::collections::HashSet;

#[test]
fn names_are_unique_and_found() {
    let (mut names, mut old) = (HashSet::new(), HashSet::new());
    for row in rows() {
        assert!(names.insert(row.name), "{} twice", row.name);
        assert!(std::ptr::eq(find(row.name).unwrap(), row));
        for other in row.old {
            assert!(old.insert(other.name), "{} twice", other.name);
            assert!(std::ptr::eq(find_old(other.name).unwrap().0, row));
        }
    }
    assert_eq!(find("add_").map(|row| row.name), Some("add"));
    assert!(find("no_such_op").is_none() && find_old("no_such_op").is_none());
}

#[test]
fn places_are_those_of_parameters_and_results_of_the_row() {
    for row in rows() {
        let known: HashSet<&str> = (row.operands.iter().chain(row.attrs))
            .map(|parameter| parameter.name)
            .chain(row.results.iter().copied())
            .collect();
        for old in row.old {
            for pair in old.renamed.split_whitespace() {
                let (name, places) = pair.split_once('=').expect(pair);
                let shared = ["dtype", "value"].contains(&name);
                assert!(known.contains(name) || shared, "{} has no `{name}`", row.name);
                assert!(places.split(',').all(|place| !place.is_empty() && place != "."));
                assert_eq!(old.places(name).unwrap().next(), places.split(',').next());
            }
        }
    }
}

#[test]
fn older_programs_have_other_meanings_of_some_names() {
    let row = |name| find_old(name).map(|(row, _)| row.name);
    assert_eq!(row("mean"), Some("mean_all"));
    assert_eq!(row("sum"), Some("add_n"));
    assert_eq!(row("matmul"), Some("legacy_matmul"));
    assert_eq!(row("expand"), Some("legacy_expand"));
    assert_eq!(row("size"), Some("numel"));
    assert_eq!(row("relu"), Some("relu"));
}

#[test]
fn the_page_about_paddle_has_the_table_of_ops() {
    let page = include_str!("../../../../docs/paddle.md");
    assert!(page.ends_with(&support_table()), "replace the table in docs/paddle.md");
}
