//! Running sums, orders and products of several axes.

use trident_ir::{Attr, OpKind as K};
use trident_runtime::{Pool, Tensor};

use crate::run::{floats, ints};
use crate::{check, int, one};

/// Whole numbers as floats, whose sums are exact in every order.
fn whole(dims: &[usize]) -> Option<Tensor> {
    let noise = floats(dims, 1)?;
    let all: Vec<f32> = noise.slice::<f32>().ok()?.iter().map(|x| (x * 100.0).round()).collect();
    Tensor::from_slice(&Pool::new(), dims, &all).ok()
}

#[test]
fn sums_run_along_axes() {
    for (dims, axis) in [
        (&[7][..], 0),
        (&[3, 5, 7], 1),
        (&[2, 1500], -1),
        (&[130, 3], 0),
        (&[2, 0], 1),
        (&[0, 3], 1),
    ] {
        for (exclusive, reverse) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let attrs = [("exclusive", int(exclusive)), ("reverse", int(reverse))];
            one(K::CumSum, &attrs, vec![whole(dims), ints(&[], &[axis])]);
        }
    }
    let x = ints(&[2, 3], &[1, -2, 3, i64::MAX, 5, 6]);
    one(K::CumProd, &[], vec![x.clone(), ints(&[], &[1])]);
    one(K::CumSum, &[("exclusive", int(1))], vec![x, ints(&[], &[1])]);
    let special = [1.0, f32::INFINITY, 2.0, f32::NEG_INFINITY, 1.0, f32::NAN];
    let special = Tensor::from_slice(&Pool::new(), &[6], &special).ok();
    one(K::CumSum, &[("exclusive", int(1))], vec![special, ints(&[], &[0])]);
}

#[test]
fn the_first_of_an_order_are_found() {
    let values =
        [1.0f32, f32::NAN, 3.0, -0.0, 0.0, 3.0, f32::INFINITY, f32::NAN, f32::NEG_INFINITY, 3.0];
    let special = || Tensor::from_slice(&Pool::new(), &[2, 5], &values).ok();
    for largest in [0, 1] {
        let attrs = [("largest", int(largest))];
        for k in [0, 1, 3, 5] {
            check(K::TopK, &attrs, vec![special(), ints(&[1], &[k])], 2);
        }
        check(K::TopK, &attrs, vec![floats(&[2, 3000], 1), ints(&[1], &[9])], 2);
        let attrs = [("largest", int(largest)), ("axis", int(1))];
        check(K::TopK, &attrs, vec![floats(&[3, 70, 5], 1), ints(&[1], &[70])], 2);
        let x = ints(&[2, 4], &[i64::MIN, i64::MAX, 0, i64::MAX, 5, 5, 5, 5]);
        check(K::TopK, &attrs, vec![x, ints(&[1], &[3])], 2);
    }
}

#[test]
fn einsum_is_a_product() {
    for (equation, operands) in [
        ("ij,jk->ik", &[&[3, 5][..], &[5, 4]][..]),
        ("ij,jk", &[&[70, 33], &[33, 65]]),
        ("bij,bjk->bki", &[&[2, 3, 5], &[2, 5, 4]]),
        ("...ij,...jk->...ik", &[&[2, 1, 3, 5], &[3, 5, 4]]),
        ("bhid,bhjd->bhij", &[&[2, 3, 17, 9], &[2, 3, 19, 9]]),
        ("ii->i", &[&[5, 5]]),
        ("ii", &[&[5, 5]]),
        ("ijk->kj", &[&[3, 4, 5]]),
        ("ba", &[&[3, 4]]),
        ("i,i->i", &[&[9], &[9]]),
        ("i,j->ij", &[&[9], &[4]]),
        ("i,i", &[&[900], &[900]]),
        (",->", &[&[], &[]]),
        ("bij, jk, ik -> kb", &[&[2, 3, 4], &[4, 5], &[3, 5]]),
        ("ij,ab->i", &[&[3, 4], &[2, 5]]),
        ("iij,jj->i", &[&[3, 3, 4], &[4, 4]]),
        ("...i,...i->...", &[&[3, 1, 2], &[2, 2]]),
        ("ij,jk->ik", &[&[3, 0], &[0, 4]]),
    ] {
        let operands = (1..).zip(operands).map(|(seed, dims)| floats(dims, seed)).collect();
        one(K::Einsum, &[("equation", Attr::Str(equation.into()))], operands);
    }
    let attrs = [("equation", Attr::Str("ij,kj->ik".into()))];
    let x = ints(&[2, 2], &[i64::MAX, 2, -3, 4]);
    one(K::Einsum, &attrs, vec![x.clone(), x]);
}
