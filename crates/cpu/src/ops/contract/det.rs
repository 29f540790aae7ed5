//! Determinants by elimination with partial pivoting, in f64.

use crate::kernel::{Call, Compile, Made, Prepared};
use crate::real::{Real, for_real, produce, read};
use trident_ir::ops::Det;
use trident_runtime::KernelError;

pub(super) fn det(cx: &Compile<'_>) -> Made {
    for_real!(cx, Det::AT.x, R => Prepared::boxed(cx, determinants::<R>))
}

fn determinants<R: Real>(call: &mut Call<'_, '_>) -> Result<(), KernelError> {
    let x = call.tensor(Det::AT.x)?;
    let &[ref batch @ .., rows, n] = x.dims() else {
        return Err(KernelError::shape(format!(
            "an input of dimensions {:?} does not hold matrices",
            x.dims()
        )));
    };
    if rows != n {
        return Err(KernelError::shape(format!("{rows}×{n} matrices have no determinant")));
    }
    let values = read::<f64>(&x)?;
    produce::<R>(call, Det::AT.y, x.dtype(), batch, |y| {
        for (i, y) in y.iter_mut().enumerate() {
            *y = R::of(determinant(values[i * n * n..(i + 1) * n * n].to_vec(), n));
        }
        Ok(())
    })
}

fn determinant(mut a: Vec<f64>, n: usize) -> f64 {
    let mut product = 1.0;
    for k in 0..n {
        let pivot =
            (k..n).fold(k, |p, i| if a[i * n + k].abs() > a[p * n + k].abs() { i } else { p });
        let value = a[pivot * n + k];
        if value == 0.0 {
            return 0.0;
        }
        if pivot != k {
            product = -product;
            (0..n).for_each(|j| a.swap(pivot * n + j, k * n + j));
        }
        product *= value;
        for i in k + 1..n {
            let factor = a[i * n + k] / value;
            (k..n).for_each(|j| a[i * n + j] -= factor * a[k * n + j]);
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use crate::testing::{elements, run, tensor};
    use trident_ir::OpKind;

    #[test]
    fn determinants_of_a_batch() {
        let x = [2f32, 1., 1., 3., 0., 1., 1., 0., 1., 2., 2., 4.];
        let y = run(OpKind::Det, &[], vec![tensor(&[3, 2, 2], &x)]).unwrap();
        assert_eq!(elements::<f32>(&y), [5., -1., 0.]);
        let none = run(OpKind::Det, &[], vec![tensor::<f32>(&[1, 0, 0], &[])]).unwrap();
        assert_eq!(elements::<f32>(&none), [1.]);
        assert!(run(OpKind::Det, &[], vec![tensor(&[1, 2], &[1f32, 2.])]).is_err());
    }
}
